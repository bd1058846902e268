/* SPDX-License-Identifier: MIT
 *
 * UCI sets on their published splits: models with automatic rules, and those of the thesis by its protocol.
 */
#include "published/protocol.h"
#include "published/published_page.h"

static const una_option table[] = {
    UNA_PUBLISHED_OPTIONS,
    { "group", UNA_WORD, offsetof(una_published, group), "standard", 0, 0, false, "standard|valid",
      UNA_GROUP_HELP },
    { .name = NULL }
};

static const una_bench_measure measures[] = { UNA_PUBLISHED_LIST(UNA_FIELDS) UNA_PUBLISHED_NEW_LIST(UNA_FIELDS)
                                              { .name = NULL } };

const una_experiment una_experiment_uci = {
    .name = "uci",
    .summary = "the UCI sets on their published splits: automatic rules, or the thesis's protocol",
    .title = "UCI regression: error, likelihood and bands on real data",
    .lead = "Published splits of the UCI regression sets, by two protocols. Automatic: every model chooses its own "
            "settings by its own rules, from the training rows alone. The thesis\xE2\x80\x99s: its grids, epochs, "
            "batches and rules of choice, for its nine methods. Its own numbers stand beside ours.",
    .caption = "Error, log-likelihood and coverage of the 95 % band at the test rows, and both scores again at those "
               "whose inputs no training row has (new): mean and sd over the splits",
    .over = "splits",
    .options = table,
    .options_size = sizeof(una_published),
    .measures = measures,
    .entries = una_published_entries,
    .results = 1,
    .plan = una_published_plan,
    .prepare = una_protocol_prepare,
    .prepared = una_protocol_prepared,
    .measure = una_published_measure,
    .claims = una_uci_claims,
    .claims_lead = "Claims of the thesis, and of ours.",
    .claims_caption = "Error bars: one standard deviation of NLM\xE2\x80\x99s over the splits. Holds if the 95 % "
                      "interval of the mean paired difference is within them, does not if it is beyond.",
    .page = una_uci_page,
};
