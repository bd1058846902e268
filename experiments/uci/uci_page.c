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
static una_status uci_put_sources(const una_show *show, una_run *run)
{
    una_sheet sheet = una_sheet_in(show->arena, "sources", "Sources.", "Log-likelihoods that others have published for "
            "the standard splits. Best: of all that we have seen, the thesis\u2019s included. Means over the 20 splits "
            "as their authors give them; trained, tuned and chosen in their own ways.");
    una_sheet_column(&sheet, "set", UNA_SHEET_WORDS);
    una_sheet_column(&sheet, "log-lik", UNA_SHEET_NUMBER);
    una_sheet_column(&sheet, "source", UNA_SHEET_WORDS);
    for (size_t p = 0; p < UNA_PEERS; p++) {
        una_sheet_group(&sheet, una_peers[p].title);
        for (size_t w = 0; w < show->known; w++) {
            size_t column = una_thesis_find(show->columns, show->where[w]);
            una_sheet_begin(&sheet, una_show_column(show, w));
            una_sheet_number(&sheet, una_peers[p].log_lik[column], 2);
            una_sheet_words(&sheet, una_peers[p].source[column]);
        }
    }
    return una_page_sheet(show->page, &sheet, run);
}

static una_status uci_put_scores(const una_show *show, una_run *run)
{
    una_sheet sheet = una_show_comparison(show, &rmse);
    una_page_heading(show->page, 2, "Error and log-likelihood");
    UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH, run));
    if (show->has[UNA_PRESET_THESIS]) {
        sheet = una_show_comparison(show, &by_hand);
        UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH, run));
    }
    sheet = una_show_comparison(show, &tuned);
    if (show->known) add_peers(&sheet, show);
    UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH, run));
    return show->known ? uci_put_sources(show, run) : UNA_OK;
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
        if (show->positions[g].preset == preset && una_findings_mean(f, &f->groups[g], UNA_PUBLISHED_ROWS_NEW) <
                                               una_findings_mean(f, &f->groups[g], UNA_PUBLISHED_ROWS))
            return true;
    return false;
}

static una_status by_protocol(const una_show *show, una_preset preset, una_run *run)
{
    static const una_blocks all = { "bands", "Bands.", "At the test rows: mean and standard deviation over the splits.",
                                    bands };
    static const una_blocks copies = { "new", "Rows that are new.",
                                       "The same scores at those test rows whose inputs no "
                                       "training row has: a model that remembers its rows does well at copies.",
                                       new_rows };
    una_page_heading(show->page, 2, una_phrase(show->arena, "Bands and pairs: %s", una_preset_titles[preset]));
    UNA_TRY(una_show_blocks(show, &all, preset, run));
    if (has_copies(show, preset)) UNA_TRY(una_show_blocks(show, &copies, preset, run));
    UNA_TRY(una_show_paired(show, compared, preset, run));
    return una_show_risk(show, preset, run);
}

una_status una_uci_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    una_show show;
    (void)asked;
    UNA_TRY(una_show_of(&show, findings, una_thesis_sets, page->words.arena));
    show.page = page;
    una_show_reduced(&show);
    UNA_TRY(uci_put_scores(&show, run));
    UNA_TRY(una_show_near(&show, near, run));
    if (show.has[UNA_PRESET_THESIS]) UNA_TRY(by_protocol(&show, UNA_PRESET_THESIS, run));
    if (show.has[UNA_PRESET_AUTOMATIC]) UNA_TRY(by_protocol(&show, UNA_PRESET_AUTOMATIC, run));
    return UNA_OK;
}
