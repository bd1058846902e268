/* SPDX-License-Identifier: MIT
 *
 * The page of the split of doubt: a table for functions of five inputs, one for lines (over all, then family by
 * family), one for noise that varies. What was not run has no table.
 */
#include "bench/split.h"

#include "report/number.h"

#include <string.h>

typedef struct column { size_t measure; const char *head; } column;

static const column among_rows[] = {
    { UNA_SPLIT_INSIDE, "Inside" }, { UNA_SPLIT_ERROR, "Error" }, { UNA_SPLIT_EPISTEMIC, "Ignorance" },
    { UNA_SPLIT_NOISE_RATIO, "Noise / true" }, { UNA_SPLIT_COVERAGE, "Cover 95" }, { UNA_SPLIT_LOG_LIK, "Log-lik" },
    { UNA_SPLIT_MEASURES, "Seconds a fit" }, { 0, NULL }
};
static const column along_lines[] = {
    { UNA_SPLIT_INSIDE, "Inside" }, { UNA_SPLIT_GAP_INSIDE, "In the gap" }, { UNA_SPLIT_BEYOND_INSIDE, "Beyond" },
    { UNA_SPLIT_LOG_LIK, "Log-lik" }, { UNA_SPLIT_GAP_LOG_LIK, "In the gap" },
    { UNA_SPLIT_BEYOND_LOG_LIK, "Beyond" }, { UNA_SPLIT_MEASURES, "Seconds a fit" }, { 0, NULL }
};
static const column of_noise[] = {
    { UNA_SPLIT_NOISE_ERROR, "Noise error" }, { UNA_SPLIT_NOISE_RANGE, "Largest / smallest" },
    { UNA_SPLIT_NOISE_RATIO, "Noise / true" }, { UNA_SPLIT_LOG_LIK, "Log-lik" },
    { UNA_SPLIT_MEASURES, "Seconds a fit" }, { 0, NULL }
};

static const char *title_of(const una_findings *f, const char *spec)
{
    for (size_t g = 0; g < f->group_count; g++)
        if (strcmp(f->fits[f->groups[g].from].key.spec, spec) == 0) return una_page_title(f, g);
    return spec;
}

static bool is_there(const una_findings *f, const una_asked *asked, const char *data)
{
    size_t count = 0;
    for (size_t m = 0; m < asked->model_count && count == 0; m++)
        una_split_pool(&count, f, asked->models[m].spec, data, 0);
    return count > 0;
}

/* One row for each model: means over all fits to data of that name. */
static void pooled_rows(una_html *html, const una_findings *f, const una_asked *asked, const char *data,
                        const char *shown, const column *columns)
{
    char number[UNA_NUMBER_ROOM];
    for (size_t m = 0; m < asked->model_count; m++) {
        const char *spec = asked->models[m].spec;
        size_t count;
        una_split_pool(&count, f, spec, data, 0);
        if (count == 0) continue;
        una_html_row(html);
        una_html_cell(html, UNA_HTML_SIDE, title_of(f, spec));
        una_html_cell(html, UNA_HTML_TEXT, shown);
        una_html_cell(html, UNA_HTML_NUMBER, una_number_plain(number, (double)count, 0));
        for (const column *c = columns; c->head; c++)
            una_html_cell(html, UNA_HTML_NUMBER,
                          una_number_plain(number, una_split_pool(NULL, f, spec, data, c->measure), 2));
        una_html_row_end(html);
    }
}

static void open_table(una_html *html, const char *lead, const char *caption, const column *columns)
{
    una_html_table(html, lead, caption);
    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "Model");
    una_html_cell(html, UNA_HTML_HEAD, "Data");
    una_html_cell(html, UNA_HTML_NUMBER_HEAD, "Fits");
    for (const column *c = columns; c->head; c++) una_html_cell(html, UNA_HTML_NUMBER_HEAD, c->head);
    una_html_head_end(html);
}

static void five_inputs(una_html *html, const una_findings *f, const una_asked *asked)
{
    if (!is_there(f, asked, "d5") && !is_there(f, asked, "d20")) return;
    una_html_heading(html, 2, "Among the rows");
    open_table(html, "A function of five inputs, among 5 (d5) or 20 (d20).", "Inside: share of 2000 fresh points whose "
               "true function is within the mean \xC2\xB1 1.96 epistemic std (0.95 would be right). Error of the mean, "
               "and the ignorance that is stated, in units of the function's std. Noise over the true one. Coverage "
               "and log-likelihood of y.", among_rows);
    for (const una_split_set *set = una_split_sets; set->name; set++)
        if (set->name[0] == 'd') pooled_rows(html, f, asked, set->name, set->name, among_rows);
    una_html_table_end(html);
}

static void lines(una_html *html, const una_findings *f, const una_asked *asked)
{
    if (!is_there(f, asked, "line")) return;
    una_html_heading(html, 2, "In a gap, and beyond the rows");
    open_table(html, "Functions of one input.", "100 rows in [\xE2\x88\x92" "4, \xE2\x88\x92" "2] and [2, 4]; the gap "
               "lies between, beyond is as wide as the gap on either side. First the share of points whose true "
               "function is in the 95 % band of ignorance, then the log-likelihood in units of the target's std.",
               along_lines);
    pooled_rows(html, f, asked, "line", "all lines", along_lines);
    for (const una_split_set *set = una_split_sets; set->name; set++)
        if (set->count > 0) pooled_rows(html, f, asked, set->name, set->name, along_lines);
    una_html_table_end(html);
}

static void noise(una_html *html, const una_findings *f, const una_asked *asked)
{
    if (!is_there(f, asked, "varying") && !is_there(f, asked, "constant")) return;
    una_html_heading(html, 2, "Noise that varies");
    open_table(html, "Noise from 0.1 to 1 along the first of five inputs (varying), or 0.3 everywhere (constant).",
               "Mean relative error of the predicted noise std at 2000 fresh points, its largest value over its "
               "smallest (1: the model took it for constant), and its mean square against the true one.", of_noise);
    pooled_rows(html, f, asked, "varying", "varying", of_noise);
    pooled_rows(html, f, asked, "constant", "constant", of_noise);
    una_html_table_end(html);
}

una_status una_split_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    una_html *html = &page->html;
    (void)run;
    five_inputs(html, findings, asked);
    lines(html, findings, asked);
    noise(html, findings, asked);
    return una_arena_check(html->text.arena);
}
