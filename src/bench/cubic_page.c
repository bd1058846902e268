/* SPDX-License-Identifier: MIT
 *
 * The page of the cubic gap: one small picture of the function per model, then the tables over the seeds.
 */
#include "bench/cubic.h"

#include "report/number.h"

/* ---- the table ----------------------------------------------------------------------------------------------- */

static void spread_cell(una_html *html, double mean, double sd)
{
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM];
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "%s \xC2\xB1 %s", una_number_plain(a, mean, 2), una_number_plain(b, sd, 2));
    una_html_cell(html, UNA_HTML_NUMBER, words.at);
}

static void number_cell(una_html *html, double value, int decimals)
{
    char a[UNA_NUMBER_ROOM];
    una_html_cell(html, UNA_HTML_NUMBER, una_number_plain(a, value, decimals));
}

static void means_row(una_html *html, const una_findings *f, size_t g)
{
    const double *mean = f->mean + g * f->measures, *sd = f->sd + g * f->measures;
    una_html_row(html);
    una_html_cell(html, UNA_HTML_SIDE, una_page_title(f, g));
    number_cell(html, (double)f->groups[g].count, 0);
    spread_cell(html, mean[UNA_CUBIC_GAP_STD], sd[UNA_CUBIC_GAP_STD]);
    spread_cell(html, mean[UNA_CUBIC_DATA_STD], sd[UNA_CUBIC_DATA_STD]);
    number_cell(html, mean[UNA_CUBIC_GAP_STD] / mean[UNA_CUBIC_DATA_STD], 1);
    spread_cell(html, mean[UNA_CUBIC_RMSE], sd[UNA_CUBIC_RMSE]);
    number_cell(html, mean[UNA_CUBIC_MEASURES], 1);
    una_html_row_end(html);
}

static void means_table(una_html *html, const una_findings *f)
{
    static const char *const heads[] = { "Seeds", "Gap std", "Data std", "Gap / data", "RMSE", "Seconds a fit" };
    una_html_heading(html, 2, "What is known, in numbers");
    una_html_table(html, "Over the seeds.", "Epistemic standard deviation, mean over 61 points of [\xE2\x88\x92"
                   "1.5, 1.5] (gap) and over the training rows (data), and the error at the training rows: mean "
                   "\xC2\xB1 standard deviation over the seeds, in the units of y. The noise of the data is 3.");
    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "Model");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) una_html_cell(html, UNA_HTML_NUMBER_HEAD, heads[i]);
    una_html_head_end(html);
    for (size_t g = 0; g < f->group_count; g++) means_row(html, f, g);
    una_html_table_end(html);
}

static void truth_row(una_html *html, const una_findings *f, size_t g)
{
    static const size_t shown[] = { UNA_CUBIC_GAP_INSIDE, UNA_CUBIC_GAP_LOG_LIK, UNA_CUBIC_BEYOND_STD,
                                    UNA_CUBIC_BEYOND_INSIDE, UNA_CUBIC_BEYOND_LOG_LIK };
    const double *mean = f->mean + g * f->measures, *sd = f->sd + g * f->measures;
    una_html_row(html);
    una_html_cell(html, UNA_HTML_SIDE, una_page_title(f, g));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) spread_cell(html, mean[shown[i]], sd[shown[i]]);
    una_html_row_end(html);
}

static void truth_table(una_html *html, const una_findings *f)
{
    static const char *const heads[] = { "Inside, gap", "Log-lik, gap", "Std beyond", "Inside, beyond",
                                         "Log-lik, beyond" };
    una_html_heading(html, 2, "Is the truth inside?");
    una_html_table(html, "In the gap, and beyond the rows.", "Share of the points whose x\xC2\xB3 is within the mean "
                   "\xC2\xB1 1.96 epistemic standard deviations, and the log-likelihood of fresh rows there: in the "
                   "gap, and on [\xE2\x88\x92" "6, \xE2\x88\x92" "4] and [4, 6], with the mean epistemic standard "
                   "deviation there.");
    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "Model");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) una_html_cell(html, UNA_HTML_NUMBER_HEAD, heads[i]);
    una_html_head_end(html);
    for (size_t g = 0; g < f->group_count; g++) truth_row(html, f, g);
    una_html_table_end(html);
}

una_status una_cubic_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    una_arena *arena = page->html.text.arena;
    una_cubic_panel *panels = UNA_GET(arena, una_cubic_panel, findings->group_count);
    una_text caption = una_text_in(arena);
    una_text_add(&caption, "Every model on the rows of seed %llu. All panels share their axes; bands may leave the "
                 "frame.", (unsigned long long)asked->first);
    UNA_TRY(una_arena_check(arena));
    for (size_t g = 0; g < findings->group_count; g++)           /* groups are in the order of their seeds */
        panels[g] = (una_cubic_panel){ &findings->fits[findings->groups[g].from], una_page_title(findings, g) };

    UNA_TRY(una_cubic_functions(page, "functions", panels, findings->group_count, "The functions.", caption.at, asked,
                                run));
    means_table(&page->html, findings);
    truth_table(&page->html, findings);
    return UNA_OK;
}
