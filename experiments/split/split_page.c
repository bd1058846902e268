/* SPDX-License-Identifier: MIT
 *
 * The page of the split of doubt: a table for functions of five inputs, one for lines (over all, then family by
 * family), one for noise that varies. Data that was not run has no table.
 */
#include "split/split.h"

#define FITTED { "model", UNA_SHEET_WORDS, 0, 0 }, { "data", UNA_SHEET_WORDS, 0, 0 }, \
    { "fits", UNA_SHEET_NUMBER, UNA_OWN, 0 }
#define MEAN(measure, head) { head, UNA_SHEET_NUMBER, UNA_SPLIT_##measure, 2 }
enum { LEADING = 3 };                    /* columns of FITTED */

static const una_column among_rows[] = {
    FITTED, MEAN(INSIDE, "Inside"), MEAN(ERROR, "Error"), MEAN(EPISTEMIC, "Ignorance"),
    MEAN(NOISE_RATIO, "Noise / true"), MEAN(COVERAGE, "Cover 95"), MEAN(LOG_LIK, "Log-lik"),
    MEAN(MEASURES, "Seconds a fit"), { .title = NULL }
};
static const una_column along_lines[] = {
    FITTED, MEAN(INSIDE, "Inside"), MEAN(GAP_INSIDE, "In the gap"), MEAN(BEYOND_INSIDE, "Beyond"),
    MEAN(LOG_LIK, "Log-lik"), MEAN(GAP_LOG_LIK, "Log-lik in the gap"), MEAN(BEYOND_LOG_LIK, "Log-lik beyond"),
    MEAN(MEASURES, "Seconds a fit"), { .title = NULL }
};
static const una_column of_noise[] = {
    FITTED, MEAN(NOISE_ERROR, "Noise error"), MEAN(NOISE_RANGE, "Largest / smallest"),
    MEAN(NOISE_RATIO, "Noise / true"), MEAN(LOG_LIK, "Log-lik"), MEAN(MEASURES, "Seconds a fit"), { .title = NULL }
};

static const char *split_title(const una_findings *f, const char *spec)
{
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
        if (strcmp(una_group_key(f, g)->spec, spec) == 0) return una_page_title(f, g);
    return spec;
}

/* One row for each model: means over all fits to data of that name. */
static void pooled_rows(una_sheet *sheet, const una_findings *f, const una_asked *asked, const char *data,
                        const char *shown, const una_column *columns)
{
    for (size_t m = 0; m < asked->model_count; m++) {
        const char *spec = asked->models[m].spec;
        size_t count;
        una_split_pool(&count, f, spec, data, 0);
        if (count == 0) continue;
        una_sheet_begin(sheet, split_title(f, spec));
        una_sheet_words(sheet, shown);
        una_sheet_number(sheet, (double)count, 0);
        for (const una_column *c = columns + LEADING; c->title; c++)
            una_sheet_number(sheet, una_split_pool(NULL, f, spec, data, c->measure), c->decimals);
    }
}

typedef struct table {
    const char *begins[2];               /* the names of its sets                                           */
    const char *whole;                   /* a first line over all sets of the first name; NULL: none        */
    const char *heading, *name, *lead, *caption;
    const una_column *columns;
} table;

static const table tables[] = {
    { { "d5", "d20" }, NULL, "Among the rows", "rows", "A function of five inputs, among 5 (d5) or 20 (d20).",
      "Inside: share of 2000 fresh points whose true function is within the mean \u00B1 1.96 epistemic std (0.95 would "
      "be right). Error of the mean, and the ignorance that is stated, in units of the function's std. Noise over the "
      "true one. Coverage and log-likelihood of y.", among_rows },
    { { "line" }, "all lines", "In a gap, and beyond the rows", "lines", "Functions of one input.",
      "100 rows in [\u22124, \u22122] and [2, 4]; the gap lies between, beyond is as wide as the gap on either side. "
      "First the share of points whose true function is in the 95 % band of ignorance, then the log-likelihood in "
      "units of the target's std.", along_lines },
    { { "varying", "constant" }, NULL, "Noise that varies", "noise", "Noise from 0.1 to 1 along the first of five "
      "inputs (varying), or 0.3 everywhere (constant).", "Mean relative error of the predicted noise std at 2000 fresh "
      "points, its largest value over its smallest (1: the model took it for constant), and its mean square against "
      "the true one.", of_noise },
};

static una_status split_put_table(una_page *page, const una_findings *f, const una_asked *asked, const table *t,
                                  una_run *run)
{
    una_sheet sheet = una_page_table(page, t->name, t->lead, t->caption, t->columns);
    if (t->whole) pooled_rows(&sheet, f, asked, t->begins[0], t->whole, t->columns);
    for (const una_split_set *set = una_split_sets; set->name; set++)
        for (size_t i = 0; i < 2 && t->begins[i]; i++)
            if (strncmp(set->name, t->begins[i], strlen(t->begins[i])) == 0)
                pooled_rows(&sheet, f, asked, set->name, set->name, t->columns);
    if (sheet.lines == 0) return una_arena_check(sheet.arena);
    una_page_heading(page, 2, t->heading);
    return una_page_sheet(page, &sheet, run);
}

una_status una_split_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        UNA_TRY(split_put_table(page, findings, asked, &tables[i], run));
    return UNA_OK;
}
