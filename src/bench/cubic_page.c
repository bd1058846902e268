/* SPDX-License-Identifier: MIT
 *
 * The page of the cubic gap: one small picture of the function per model, all with the same axes, then the table over
 * the seeds. The models of the first seed were kept when they were fitted; one that is not there (rows may come from a
 * CSV file), or is not the one that the row speaks of, is fitted again.
 */
#include "bench/cubic.h"

#include "report/fit_report.h"

#include <string.h>
#include <unistd.h>

enum { GRID = 193 };
static const double from = -6, to = 6, panel_width = 232, panel_height = 200;

/* ---- models -------------------------------------------------------------------------------------------------- */

typedef struct drawing {
    const una_findings *findings;
    const una_asked    *asked;
    const una_row_key     **keys;            /* [groups] of the first seed                                      */
    const char        **paths;           /* [groups]                                                        */
    una_model         **models;          /* [groups]                                                        */
    una_dataset        *data;
} drawing;

static una_status name_models(drawing *d, una_arena *arena)
{
    const una_findings *f = d->findings;
    d->keys = UNA_GET(arena, const una_row_key *, f->group_count);
    d->paths = UNA_GET(arena, const char *, f->group_count);
    d->models = UNA_GET(arena, una_model *, f->group_count);
    UNA_TRY(una_arena_check(arena));
    for (size_t g = 0; g < f->group_count; g++) {
        d->keys[g] = &f->fits[f->groups[g].from].key;            /* groups are in the order of their seeds */
        d->paths[g] = una_cubic_model_path(d->keys[g], d->asked, arena);
    }
    return una_arena_check(arena);
}

/* Whether the file holds the model of the row; what cannot be loaded does not. */
static una_status is_kept(bool *kept, const drawing *d, size_t group, una_run *run)
{
    una_model *model = NULL;
    *kept = false;
    if (access(d->paths[group], R_OK) != 0) return UNA_OK;
    una_status status = una_model_load(&model, d->paths[group], run);
    if (status == UNA_OK) {
        const char *options = d->findings->fits[d->findings->groups[group].from].options;
        *kept = strcmp(una_model_info(model)->spec, options) == 0;
    }
    una_model_free(model);
    if (status == UNA_E_MEMORY || status == UNA_CANCELLED) return status;
    una_clear_message(run);
    return UNA_OK;
}

static una_status make_model(void *context, size_t group, una_run *run)
{
    const drawing *d = context;
    una_model *model = NULL;
    una_dataset *data = NULL;
    bool kept;
    UNA_TRY(is_kept(&kept, d, group, run));
    if (kept) return UNA_OK;
    run->settings.seed = d->keys[group]->seed;
    una_status status = una_cubic_fit(&model, &data, d->keys[group], run);
    if (status == UNA_OK) status = una_model_save(model, d->paths[group], run);
    una_model_free(model);
    una_dataset_free(data);
    return status;
}

static una_status load_models(drawing *d, una_run *run)
{
    UNA_TRY(una_pool(run, d->findings->group_count, make_model, d));
    for (size_t g = 0; g < d->findings->group_count; g++)
        UNA_TRY(una_model_load(&d->models[g], d->paths[g], run));
    return una_dataset_synthetic(&d->data, "cubic", UNA_CUBIC_ROWS, 1, d->asked->first, run);
}

/* ---- pictures ------------------------------------------------------------------------------------------------ */

static una_status sweep(una_report_model *shown, const una_model *model, const double *x, una_arena *arena,
                        una_run *run)
{
    double *mean = UNA_GET(arena, double, GRID), *std = UNA_GET(arena, double, GRID);
    double *lower = UNA_GET(arena, double, GRID), *upper = UNA_GET(arena, double, GRID);
    UNA_TRY(una_arena_check(arena));
    una_prediction line = { .size = sizeof line, .mean = mean, .std_epistemic = std, .lower = lower, .upper = upper };
    UNA_TRY(una_model_predict_rows(model, x, GRID, 0.95, &line, run));
    shown->line_mean = mean, shown->sweep_std = std, shown->line_lower = lower, shown->line_upper = upper;
    return UNA_OK;
}

/* The chart draws its last model first, so the order is turned round here. */
static una_status pictures(una_page *page, const drawing *d, const char *caption, una_run *run)
{
    una_arena *arena = page->words.arena;
    size_t count = d->findings->group_count;
    double *x = UNA_GET(arena, double, GRID);
    una_report_model *shown = UNA_GET(arena, una_report_model, count);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < GRID; i++) x[i] = from + (to - from) * (double)i / (GRID - 1);

    for (size_t m = 0; m < count; m++) {
        una_report_model *one = &shown[count - 1 - m];
        one->title = una_page_title(d->findings, m);
        UNA_TRY(sweep(one, d->models[m], x, arena, run));
    }

    una_report_column input = { .name = "x", .number = una_dataset_numbers(d->data, 0) };
    una_report report = { .target = "y", .rows = una_dataset_row_count(d->data),
        .y = una_dataset_numbers(d->data, 1), .columns = &input, .column_count = 1, .grid = GRID, .sweep_count = 1,
        .sweep_at = x, .models = shown, .model_count = count };
    una_figure figure = una_chart_function(&report, arena);
    UNA_TRY(una_arena_check(arena));
    figure.columns = 3;
    figure.panel_width = panel_width;
    figure.panel_height = panel_height;
    for (size_t i = 0; i < figure.panel_count; i++) figure.panels[i]->title = una_page_title(d->findings, i);
    return una_page_figure(page, "functions", &figure, "The functions.", caption, run);
}

/* ---- the tables ---------------------------------------------------------------------------------------------- */

static void spreads(una_sheet *sheet, const una_findings *f, size_t g, const size_t *measures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = g * f->measures + measures[i];
        una_sheet_spread(sheet, f->mean[at], f->sd[at], 2);
    }
}

static una_status means_table(una_page *page, const una_findings *f, una_run *run)
{
    static const size_t stds[] = { UNA_CUBIC_GAP_STD, UNA_CUBIC_DATA_STD }, error = UNA_CUBIC_RMSE;
    una_sheet s = una_sheet_in(page->words.arena, "means", "Over the seeds.", "Epistemic standard deviation, mean over "
                               "61 points of [\xE2\x88\x92" "1.5, 1.5] (gap) and over the training rows (data), and "
                               "the error at the training rows: mean \xC2\xB1 standard deviation over the seeds, in "
                               "the units of y. The noise of the data is 3.");
    una_sheet_column(&s, "model", UNA_CELL_WORDS);
    una_sheet_column(&s, "seeds", UNA_CELL_NUMBER);
    una_sheet_column(&s, "gap std", UNA_CELL_SPREAD);
    una_sheet_column(&s, "data std", UNA_CELL_SPREAD);
    una_sheet_column(&s, "gap / data", UNA_CELL_NUMBER);
    una_sheet_column(&s, "RMSE", UNA_CELL_SPREAD);
    una_sheet_column(&s, "seconds a fit", UNA_CELL_NUMBER);

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
    una_sheet_column(&s, "model", UNA_CELL_WORDS);
    for (size_t i = 0; i < COUNT; i++) una_sheet_column(&s, heads[i], UNA_CELL_SPREAD);
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
    drawing d = { .findings = findings, .asked = asked };
    una_text caption = una_text_in(page->words.arena);
    una_text_add(&caption, "Every model on the rows of seed %llu. All panels share their axes; bands may leave the "
                 "frame.", (unsigned long long)asked->first);

    una_status status = name_models(&d, page->words.arena);
    if (status == UNA_OK) status = load_models(&d, run);
    if (status == UNA_OK) status = pictures(page, &d, caption.at, run);
    if (status == UNA_OK) status = means_table(page, findings, run);
    if (status == UNA_OK) status = truth_table(page, findings, run);
    for (size_t g = 0; d.models && g < findings->group_count; g++) una_model_free(d.models[g]);
    una_dataset_free(d.data);
    return status;
}
