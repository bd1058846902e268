/* SPDX-License-Identifier: MIT
 *
 * The page of the cubic gap: one small picture of the function per model, then the tables over the seeds.
 */
#include "cubic/cubic.h"

/* ---- the tables ---------------------------------------------------------------------------------------------- */

static void spreads(una_sheet *sheet, const una_findings *f, size_t g, const size_t *measures, size_t count)
{
    for (size_t i = 0; i < count; i++) una_page_spread(sheet, f, &f->groups[g], measures[i], 2);
}

static una_status means_table(una_page *page, const una_findings *f, una_run *run)
{
    static const size_t stds[] = { UNA_CUBIC_GAP_STD, UNA_CUBIC_DATA_STD }, error = UNA_CUBIC_RMSE;
    una_sheet s = una_sheet_in(page->words.arena, "means", "Over the seeds.", "Epistemic standard deviation, mean over "
                               "61 points of [\xE2\x88\x92" "1.5, 1.5] (gap) and over the training rows (data), and "
                               "the error at the training rows: mean \xC2\xB1 standard deviation over the seeds, in "
                               "the units of y. The noise of the data is 3.");
    una_sheet_column(&s, "model", UNA_SHEET_WORDS);
    una_sheet_column(&s, "seeds", UNA_SHEET_NUMBER);
    una_sheet_column(&s, "gap std", UNA_SHEET_SPREAD);
    una_sheet_column(&s, "data std", UNA_SHEET_SPREAD);
    una_sheet_column(&s, "gap / data", UNA_SHEET_NUMBER);
    una_sheet_column(&s, "RMSE", UNA_SHEET_SPREAD);
    una_sheet_column(&s, "seconds a fit", UNA_SHEET_NUMBER);

    for (size_t g = 0; g < f->group_count; g++) {
        const double *mean = f->mean + g * f->measures;
        una_sheet_line(&s);
        una_sheet_words(&s, una_page_title(f, g));
        una_sheet_number(&s, (double)f->groups[g].count, 0);
        spreads(&s, f, g, stds, 2);
        una_sheet_number(&s, mean[UNA_CUBIC_GAP_STD] / mean[UNA_CUBIC_DATA_STD], 1);
        spreads(&s, f, g, &error, 1);
        una_sheet_number(&s, mean[UNA_CUBIC_MEASURES], 1);
    }
    una_page_heading(page, 2, "What is known, in numbers");
    return una_page_sheet(page, &s, run);
}

static una_status truth_table(una_page *page, const una_findings *f, una_run *run)
{
    static const size_t measures[] = { UNA_CUBIC_GAP_INSIDE, UNA_CUBIC_GAP_LOG_LIK, UNA_CUBIC_BEYOND_STD,
                                       UNA_CUBIC_BEYOND_INSIDE, UNA_CUBIC_BEYOND_LOG_LIK };
    static const char *const heads[] = { "inside, gap", "log-lik, gap", "std beyond", "inside, beyond",
                                         "log-lik, beyond" };
    enum { COUNT = sizeof measures / sizeof *measures };
    una_sheet s = una_sheet_in(page->words.arena, "truth", "In the gap, and beyond the rows.", "Share of the points "
                               "whose x\xC2\xB3 is within the mean \xC2\xB1 1.96 epistemic standard deviations, and "
                               "the log-likelihood of fresh rows there: in the gap, and on [\xE2\x88\x92" "6, "
                               "\xE2\x88\x92" "4] and [4, 6], with the mean epistemic standard deviation there.");
    una_sheet_column(&s, "model", UNA_SHEET_WORDS);
    for (size_t i = 0; i < COUNT; i++) una_sheet_column(&s, heads[i], UNA_SHEET_SPREAD);
    for (size_t g = 0; g < f->group_count; g++) {
        una_sheet_line(&s);
        una_sheet_words(&s, una_page_title(f, g));
        spreads(&s, f, g, measures, COUNT);
    }
    una_page_heading(page, 2, "Is the truth inside?");
    return una_page_sheet(page, &s, run);
}

una_status una_cubic_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    una_arena *arena = page->words.arena;
    una_cubic_panel *panels = UNA_GET(arena, una_cubic_panel, findings->group_count);
    una_text caption = una_text_in(arena);
    una_text_add(&caption, "Every model on the rows of seed %llu. All panels share their axes; bands may leave the "
                 "frame.", (unsigned long long)asked->first);
    UNA_TRY(una_arena_check(arena));
    for (size_t g = 0; g < findings->group_count; g++)           /* groups are in the order of their seeds */
        panels[g] = (una_cubic_panel){ .fit = &findings->fits[findings->groups[g].from],
                                       .title = una_page_title(findings, g) };

    UNA_TRY(una_cubic_functions(page, "functions", panels, findings->group_count, "The functions.", caption.at, asked,
                                run));
    UNA_TRY(means_table(page, findings, run));
    return truth_table(page, findings, run);
}
