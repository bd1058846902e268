/* SPDX-License-Identifier: MIT
 *
 * The page of the cubic gap: one small picture of the function per model, then the tables over the seeds.
 */
#include "cubic/cubic.h"

#include "draw/number.h"

/* ---- the tables ---------------------------------------------------------------------------------------------- */

static una_status means_table(una_page *page, const una_findings *f, una_run *run)
{
    static const una_column columns[] = {
        { "model", UNA_SHEET_WORDS, 0, 0 }, { "seeds", UNA_SHEET_NUMBER, UNA_FITS, 0 },
        { "gap std", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_STD, 2 }, { "data std", UNA_SHEET_SPREAD, UNA_CUBIC_DATA_STD, 2 },
        { "gap / data", UNA_SHEET_NUMBER, UNA_OWN, 1 }, { "RMSE", UNA_SHEET_SPREAD, UNA_CUBIC_RMSE, 2 },
        { "seconds a fit", UNA_SHEET_NUMBER, UNA_CUBIC_MEASURES, 1 }, { .title = NULL } };
    una_sheet s = una_page_table(page, "means", "Over the seeds.", "Epistemic standard deviation, mean over 61 points "
            "of [\u22121.5, 1.5] (gap) and over the training rows (data), and the error at the training rows: mean "
            "\u00B1 standard deviation over the seeds, in the units of y. The noise of the data is 3.", columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        una_page_line(&s, f, g, una_page_title(f, g), columns);
        una_sheet_number(&s, una_findings_mean(f, g, UNA_CUBIC_GAP_STD) / una_findings_mean(f, g, UNA_CUBIC_DATA_STD),
                         1);
        una_page_cells(&s, f, g, columns);
    }
    una_page_heading(page, 2, "What is known, in numbers");
    return una_page_sheet(page, &s, run);
}

static una_status truth_table(una_page *page, const una_findings *f, una_run *run)
{
    static const una_column columns[] = {
        { "model", UNA_SHEET_WORDS, 0, 0 }, { "inside, gap", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_INSIDE, 2 },
        { "log-lik, gap", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_LOG_LIK, 2 },
        { "std beyond", UNA_SHEET_SPREAD, UNA_CUBIC_BEYOND_STD, 2 },
        { "inside, beyond", UNA_SHEET_SPREAD, UNA_CUBIC_BEYOND_INSIDE, 2 },
        { "log-lik, beyond", UNA_SHEET_SPREAD, UNA_CUBIC_BEYOND_LOG_LIK, 2 }, { .title = NULL } };
    una_sheet s = una_page_table(page, "truth", "In the gap, and beyond the rows.", "Share of the points whose x\u00B3 "
            "is within the mean \u00B1 1.96 epistemic standard deviations, and the log-likelihood of fresh rows there: "
            "in the gap, and on [\u22126, \u22124] and [4, 6], with the mean epistemic standard deviation there.",
                                 columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
        una_page_line(&s, f, g, una_page_title(f, g), columns);
    una_page_heading(page, 2, "Is the truth inside?");
    return una_page_sheet(page, &s, run);
}

una_status una_cubic_page(una_page *page, const una_findings *f, const una_asked *asked, una_run *run)
{
    una_arena *arena = page->words.arena;
    const char *caption = una_phrase(arena, "Every model on the rows of seed %llu. All panels share their axes; bands "
            "may leave the frame.", (unsigned long long)asked->first);
    UNA_NEW(arena, una_cubic_panel, panels, f->group_count);
    for (size_t g = 0; g < f->group_count; g++)          /* groups are in the order of their seeds */
        panels[g] = (una_cubic_panel){ .fit = &f->fits[f->groups[g].from], .title = una_page_title(f, &f->groups[g]) };
    UNA_TRY(una_cubic_functions(page, "functions", panels, f->group_count, caption, asked, run));
    UNA_TRY(means_table(page, f, run));
    return truth_table(page, f, run);
}
