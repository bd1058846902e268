/* SPDX-License-Identifier: MIT
 *
 * The six gap sets of the thesis: the middle third of one input is left out. Is a model less sure there than at test
 * rows outside the gap? The increase is that of the mean epistemic std; a gap is found if, over the splits, the mean
 * increase is larger than its standard deviation. The AUROC is that of the epistemic std as a detector of gap rows.
 */
#include "published/protocol.h"
#include "published/published_page.h"

static const una_option table[] = {
    UNA_PUBLISHED_OPTIONS,
    { "columns", UNA_WORD, offsetof(una_published, columns), "thesis", 0, 0, false, "thesis|all|more",
      "gaps along the thesis's six columns; along every input of every set; more: the six, and of all others one split "
      "of auto, gp and nlm by automatic rules" },
    { .name = NULL }
};

/* Mean epistemic std of the rows in one of twenty pieces of a column. */
#define PIECE(from, name, i) [from + i] = { name #i, NULL, "y", "mean epistemic std in a twentieth of the column", 0 },
#define ALONG(i) PIECE(UNA_PUBLISHED_ALONG, "along_", i)
#define ACROSS(i) PIECE(UNA_PUBLISHED_ACROSS, "across_", i)

static const una_bench_measure measures[] = {
    UNA_PUBLISHED_LIST(UNA_FIELDS)
    UNA_PUBLISHED_GAP_LIST(UNA_FIELDS)
    UNA_TEN(ALONG, ) UNA_TEN(ALONG, 1)
    UNA_TEN(ACROSS, ) UNA_TEN(ACROSS, 1)
    { .name = NULL }
};

const una_experiment una_experiment_gap = {
    .name = "gap",
    .summary = "UCI sets with a hole along one input: does the model notice it?",
    .title = "Gaps in real data: who notices them?",
    .lead = "The middle third of one input is left out of training. A model that knows what it does not know is less "
            "sure in there than at test rows outside. By two protocols: automatic, every model by its own rules, and "
            "the thesis\xE2\x80\x99s, for its nine methods, whose own numbers stand beside ours.",
    .caption = "At test rows outside the gap: error, log-likelihood, coverage; and how well ignorance tells the gap "
               "from them: mean and sd over the splits",
    .over = "splits",
    .options = table,
    .options_size = sizeof(una_published),
    .measures = measures,
    .entries = una_published_entries,
    .plan = una_published_plan,
    .prepare = una_protocol_prepare,
    .prepared = una_protocol_prepared,
    .measure = una_published_measure,
    .claims = una_gaps_claims,
    .claims_lead = "Claims of the thesis, and of ours.",
    .claims_caption = "A gap counts as noticed if the increase of the mean epistemic std in it, over that at test rows "
                      "outside, has a mean over the splits that is larger than its standard deviation; that rule is "
                      "the thesis\xE2\x80\x99s and has no interval. All else by 95 % intervals: of paired differences "
                      "over the splits against one sd of NLM\xE2\x80\x99s, and over the six columns.",
    .page = una_gaps_page,
};
