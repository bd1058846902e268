/* SPDX-License-Identifier: MIT
 *
 * The page of uci: the thesis's tables of error and log-likelihood with ours beside them, the log-likelihood once with
 * its noise set by hand and once with a noise that was tuned, beside the best that others have published; bands; paired
 * tests; and what the most certain rows are worth.
 */
#include "published/published_page.h"

#include "draw/number.h"

#define BY_HAND   "ours, by hand"
#define TUNED     "ours, tuned"
#define AUTOMATIC "ours, auto"

/* ---- claims: LUNA is as good as NLM -------------------------------------------------------------------------- */

/* The mean of the paired differences over the splits must be within one standard deviation of NLM's, for sure: its 95 %
 * interval nears. Under the thesis's protocol with its noise set by hand, which is its claim, and with tuned noise, which
 * says more; and of automatic models, which is ours. */

#define NEAR(preset, measured, printed)                                                                                \
    {                                                                                                                  \
        { una_judge_near, .measure = measured }, preset, printed                                                       \
    }
static const una_published_rule hand_rmse = NEAR(UNA_PRESET_THESIS, UNA_PUBLISHED_HAND_RMSE, UNA_THESIS_RMSE),
                                hand_log_lik = NEAR(UNA_PRESET_THESIS, UNA_PUBLISHED_HAND_LOG_LIK, UNA_THESIS_LOG_LIK),
                                tuned_log_lik = NEAR(UNA_PRESET_THESIS, UNA_PUBLISHED_LOG_LIK, UNA_THESIS_TABLES),
                                own_rmse = NEAR(UNA_PRESET_AUTOMATIC, UNA_PUBLISHED_RMSE, UNA_THESIS_TABLES),
                                own_log_lik = NEAR(UNA_PRESET_AUTOMATIC, UNA_PUBLISHED_LOG_LIK, UNA_THESIS_TABLES);

#define ON_ALL(begins, near)                                                                                       \
    { begins "Boston", &near.rule, "luna", "boston" }, { begins "Concrete", &near.rule, "luna", "concrete" },                \
    { begins "Yacht", &near.rule, "luna", "yacht" }, { begins "kin8nm", &near.rule, "luna", "kin8nm" },                      \
    { begins "Energy", &near.rule, "luna", "energy" }, { begins "Wine", &near.rule, "luna", "wine-quality-red" }

const una_claim una_uci_claims[] = {
    ON_ALL("Thesis's protocol: LUNA's error is within error bars of NLM's on ", hand_rmse),
    ON_ALL("Thesis's protocol: LUNA's log-likelihood is within error bars of NLM's on ", hand_log_lik),
    ON_ALL("Thesis's protocol, noise tuned: LUNA's log-likelihood is within error bars of NLM's on ", tuned_log_lik),
    ON_ALL("Automatic (ours): LUNA's error is within error bars of NLM's on ", own_rmse),
    ON_ALL("Automatic (ours): LUNA's log-likelihood is within error bars of NLM's on ", own_log_lik),
    { .sentence = NULL }
};

/* ---- error and log-likelihood ----------------------------------------------------------------------------------- */

static const una_result_line of_rmse[] = {
    { BY_HAND, UNA_PRESET_THESIS, UNA_PUBLISHED_HAND_RMSE, UNA_ALONE },
    { TUNED, UNA_PRESET_THESIS, UNA_PUBLISHED_RMSE, UNA_ALONE },
    { AUTOMATIC, UNA_PRESET_AUTOMATIC, UNA_PUBLISHED_RMSE, UNA_ALONE }, { .label = NULL }
};
static const una_result_line of_hand[] = {
    { BY_HAND, UNA_PRESET_THESIS, UNA_PUBLISHED_HAND_LOG_LIK, UNA_ALONE }, { .label = NULL }
};
static const una_result_line of_tuned[] = {
    { TUNED, UNA_PRESET_THESIS, UNA_PUBLISHED_LOG_LIK, UNA_ALONE },
    { AUTOMATIC, UNA_PRESET_AUTOMATIC, UNA_PUBLISHED_LOG_LIK, UNA_ALONE }, { .label = NULL }
};

static const una_thesis_comparison rmse = {
    "rmse", "Error at the test rows (RMSE, units of the target).", "Mean and standard deviation over the splits, "
            "beside what the thesis prints (published); lower is better. By hand: by its protocol with its noise, "
            "which was set by hand and is far too large; the means of posteriors feel that as well. Tuned: by its "
            "protocol with the noise that suits the validation rows best. Auto: by automatic rules.",
    UNA_THESIS_RMSE, of_rmse, -3, false
};
static const una_thesis_comparison by_hand = {
    "log-lik-by-hand",
    "Average log-likelihood with the noise that the thesis set by hand (nats per row).",
    "Mean and standard deviation over the splits. The noise (standard deviation: Boston 15.3, Concrete 82, "
    "Yacht 4, kin8nm 0.11, Energy 6.4, Wine 0.89) follows from the numbers that the thesis prints and is "
    "several times the error: what a model does hardly shows. It prints none of ensembles.",
    UNA_THESIS_LOG_LIK,
    of_hand,
    2,
    false
};
static const una_thesis_comparison tuned = {
    "log-lik", "Average log-likelihood with tuned noise (nats per row).", "Mean and standard deviation over the "
            "splits; higher is better. Tuned: by the thesis\u2019s protocol with the noise that suits the validation "
            "rows best. Auto: by automatic rules, noise and all. Wine has copies of its training rows among the test "
            "rows, and whoever remembers those (GP, auto) is praised for it: see the rows that are new, further down. "
            "The last lines are those of others: sources below.",
    UNA_THESIS_TABLES, of_tuned, 2, false
};

static void add_peers(una_sheet *sheet, const una_show *show)
{
    una_sheet_group(sheet, "published by others");
    for (size_t p = 0; p < UNA_PEERS; p++) {
        una_sheet_begin(sheet, una_peers[p].title);
        for (size_t w = 0; w < show->where_count; w++) {
            size_t column = una_thesis_find(show->columns, show->where[w]);
            una_sheet_spread(sheet, column < UNA_THESIS_COLUMNS ? una_peers[p].log_lik[column] : NAN, NAN, 2);
        }
    }
}

/* The sources of the published numbers: a line for each set that was run. */
static una_status uci_put_sources(const una_show *show)
{
    una_sheet sheet = una_sheet_in(show->arena, "sources", "Sources.", "Log-likelihoods that others have published for "
            "the standard splits. Best: of all that we have seen, the thesis\u2019s included. Means over the 20 splits "
            "as their authors give them; trained, tuned and chosen in their own ways.");
    una_sheet_columns(&sheet, (const una_sheet_head[]){ { "set", UNA_SHEET_WORDS }, { "log-lik", UNA_SHEET_NUMBER },
                                                        { "source", UNA_SHEET_WORDS }, { NULL, UNA_SHEET_EMPTY } });
    for (size_t p = 0; p < UNA_PEERS; p++) {
        una_sheet_group(&sheet, una_peers[p].title);
        for (size_t w = 0; w < show->known; w++) {
            size_t column = una_thesis_find(show->columns, show->where[w]);
            una_sheet_begin(&sheet, una_show_column(show, w));
            una_sheet_number(&sheet, una_peers[p].log_lik[column], 2);
            una_sheet_words(&sheet, una_peers[p].source[column]);
        }
    }
    return una_page_sheet(show->page, &sheet);
}

static una_status uci_put_scores(const una_show *show)
{
    una_sheet sheet = una_show_comparison(show, &rmse);
    una_page_heading(show->page, 2, "Error and log-likelihood");
    UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH));
    if (show->has[UNA_PRESET_THESIS]) {
        sheet = una_show_comparison(show, &by_hand);
        UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH));
    }
    sheet = una_show_comparison(show, &tuned);
    if (show->known) add_peers(&sheet, show);
    UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH));
    return show->known ? uci_put_sources(show) : UNA_OK;
}

/* ---- bands ------------------------------------------------------------------------------------------------------ */

static const una_block bands[] = {
    { "CRPS, units of the target", UNA_PUBLISHED_CRPS, UNA_ALONE, -3 },
    { "coverage of the 90 % band", UNA_PUBLISHED_COVERAGE_90, UNA_ALONE, 2 },
    { "coverage of the 95 % band", UNA_PUBLISHED_COVERAGE_95, UNA_ALONE, 2 },
    { "calibration error", UNA_PUBLISHED_CALIBRATION, UNA_ALONE, 3 },
    { "mean epistemic std, units of the target", UNA_PUBLISHED_EPISTEMIC, UNA_ALONE, -2 },
    { .title = NULL }
};
static const una_block new_rows[] = {
    { "RMSE", UNA_PUBLISHED_RMSE_NEW, UNA_ALONE, -3 },
    { "log-lik", UNA_PUBLISHED_LOG_LIK_NEW, UNA_ALONE, 2 }, { .title = NULL }
};
static const una_block compared[] = {
    { "RMSE (below 0: LUNA is better)", UNA_PUBLISHED_RMSE, UNA_ALONE, 0 },
    { "log-likelihood (above 0: LUNA is better)", UNA_PUBLISHED_LOG_LIK, UNA_ALONE, 0 }, { .title = NULL }
};

static const una_block near[] = {
    { "RMSE", UNA_PUBLISHED_RMSE, UNA_ALONE, 0 }, { "log-lik", UNA_PUBLISHED_LOG_LIK, UNA_ALONE, 0 }, { .title = NULL }
};

/* Whether test rows of some set have copies among the training rows. */
static bool has_copies(const una_show *show, una_preset preset)
{
    const una_findings *f = show->findings;
    for (size_t g = 0; g < f->group_count; g++)
        if (show->positions[g].preset == preset && una_group_mean(&f->groups[g], UNA_PUBLISHED_ROWS_NEW) <
                                               una_group_mean(&f->groups[g], UNA_PUBLISHED_ROWS))
            return true;
    return false;
}

static una_status by_protocol(const una_show *show, una_preset preset)
{
    static const una_blocks all = { "bands", "Bands.", "At the test rows: mean and standard deviation over the splits.",
                                    bands };
    static const una_blocks copies = { "new", "Rows that are new.",
                                       "The same scores at those test rows whose inputs no "
                                       "training row has: a model that remembers its rows does well at copies.",
                                       new_rows };
    una_page_heading(show->page, 2, una_phrase(show->arena, "Bands and pairs: %s", una_preset_titles[preset]));
    UNA_TRY(una_show_blocks(show, &all, preset));
    if (has_copies(show, preset)) UNA_TRY(una_show_blocks(show, &copies, preset));
    UNA_TRY(una_show_paired(show, compared, preset));
    return una_show_risk(show, preset);
}

una_status una_uci_page(una_page *page)
{
    una_show show;
    UNA_TRY(una_show_of(&show, page, una_thesis_sets));
    una_show_reduced(&show);
    UNA_TRY(uci_put_scores(&show));
    UNA_TRY(una_show_near(&show, near));
    if (show.has[UNA_PRESET_THESIS]) UNA_TRY(by_protocol(&show, UNA_PRESET_THESIS));
    if (show.has[UNA_PRESET_AUTOMATIC]) UNA_TRY(by_protocol(&show, UNA_PRESET_AUTOMATIC));
    return UNA_OK;
}
