/* SPDX-License-Identifier: MIT
 *
 * una_report_write, una_chart_write and their like: from models and a table the plain arrays that src/report draws.
 *
 * Predictions and calibration are of rows that the model had not seen, where the fit kept them (una_model_held_out);
 * inputs are moved in real rows (effects.c); with one numeric input the models are asked on a line from 10 % of its
 * range below the data to 10 % above, which is the whole function. Of images nothing is moved: those that
 * matter are shown.
 */
#include "una_report.h"

#include "data/table.h"
#include "model/above.h"
#include "draw/number.h"
#include "report/report_builder.h"

enum { FINE_GRID = 241 };

/* ---- the rows --------------------------------------------------------------------------------------- */

/* Columns by position in `data`: the subject's inputs, then the target. Other models must need no more. */
static una_status find_report_columns(report_builder *g, const una_model *const *models, size_t count,
                                      const una_dataset *data, size_t **places)
{
    size_t inputs = una_model_input_count(models[0]);
    size_t *place = UNA_GET(g->arena, size_t, inputs + 1), at;
    UNA_NEW(g->arena, bool, is_input, una_dataset_column_count(data));

    for (size_t i = 0; i < inputs; i++) {
        UNA_TRY(una_dataset_find(&place[i], data, una_model_input_name(models[0], i), g->run));
        is_input[place[i]] = true;
    }
    UNA_TRY(una_dataset_find(&place[inputs], data, una_model_info(models[0])->target, g->run));

    for (size_t m = 1; m < count; m++) {
        if (strcmp(una_model_info(models[m])->target, una_model_info(models[0])->target) != 0)
            UNA_FAIL(g->run, UNA_E_USAGE, "the models of one report must predict the same column; model 1 predicts "
                    "'%s' and model %zu predicts '%s'",
                     una_model_info(models[0])->target, m + 1, una_model_info(models[m])->target);
        for (size_t i = 0; i < una_model_input_count(models[m]); i++) {
            const char *name = una_model_input_name(models[m], i);
            bool known = una_dataset_find(&at, data, name, g->run) == UNA_OK && is_input[at];
            if (!known) UNA_FAIL(g->run, UNA_E_USAGE, "the models of one report must use the same inputs; model %zu "
                    "uses '%s' and model 1 does not", m + 1, name);
        }
    }

    *places = place;
    return UNA_OK;
}

size_t una_complete_rows(size_t *kept, const una_dataset *data, const size_t *place, size_t inputs, size_t target,
                         bool fills)
{
    size_t count = 0;
    for (size_t row = 0; row < una_dataset_row_count(data); row++) {
        bool whole = target == SIZE_MAX || !una_table_is_missing(&data->column[target], row);
        for (size_t i = 0; i < inputs && !fills; i++) whole = whole && !una_table_is_missing(&data->column[place[i]], row);
        if (whole) kept[count++] = row;
    }
    return count;
}

una_status una_report_columns(una_report_column **columns, const una_dataset *table, const size_t *place, size_t count,
                              una_arena *arena)
{
    UNA_NEW_AT(arena, *columns, count);
    for (size_t i = 0; i < count; i++)
        (*columns)[i] = (una_report_column){ una_dataset_column_name(table, place[i]),
            una_dataset_numbers(table, place[i]), una_dataset_words(table, place[i]),
            una_date_writer_of(table->column[place[i]].form.kind) };
    return UNA_OK;
}

static una_status gather_table(report_builder *g, const una_model *const *models, size_t count, const una_dataset *data)
{
    una_report *report = &g->report;
    size_t inputs = una_model_input_count(models[0]), all = una_dataset_row_count(data), *place = NULL;
    UNA_TRY(find_report_columns(g, models, count, data, &place));
    if (!una_dataset_numbers(data, place[inputs]))
        UNA_FAIL(g->run, UNA_E_INPUT, "%s: the target '%s' holds words, but numbers are needed to report on it",
                 una_dataset_origin(data), una_dataset_column_name(data, place[inputs]));

    una_report_column *shown;
    UNA_NEW(g->arena, size_t, kept, all);
    UNA_NEW(g->arena, size_t, number, all);
    size_t rows = una_complete_rows(kept, data, place, inputs, place[inputs],
                                    una_model_info(models[0])->missing == UNA_MISSING_MEAN);
    if (rows == 0) UNA_FAIL(g->run, UNA_E_INPUT, "%s: no row has a value in every column that the model needs",
                            una_dataset_origin(data));
    UNA_TRY(una_dataset_rows(&g->table, data, kept, rows, g->run));
    UNA_TRY(una_keep_dataset(g->arena, g->table));

    UNA_TRY(una_report_columns(&shown, g->table, place, inputs, g->arena));
    for (size_t i = 0; i < rows; i++) number[i] = una_dataset_row_number(g->table, i);
    report->target = una_dataset_column_name(g->table, place[inputs]);
    report->rows = rows;
    report->y = una_dataset_numbers(g->table, place[inputs]);
    report->row_number = number;
    g->kept = kept;
    report->left_out = all - rows;
    report->columns = shown;
    report->column_count = inputs;
    return UNA_OK;
}

/* ---- the line, where the only input is numeric ----------------------------------------------------- */

static una_status plan_report_line(report_builder *g)
{
    una_report *report = &g->report;
    double low = INFINITY, high = -INFINITY;
    if (report->column_count != 1 || !report->columns[0].number) return UNA_OK;
    una_range_add(&low, &high, report->columns[0].number, report->rows);
    if (!(low < high)) return UNA_OK;
    double *at = UNA_GET(g->arena, double, FINE_GRID), step = 1.2 * (high - low) / (FINE_GRID - 1);
    UNA_TRY(una_arena_check(g->arena));
    for (size_t i = 0; i < FINE_GRID; i++) at[i] = low - 0.1 * (high - low) + step * (double)i;
    report->grid = FINE_GRID;
    report->sweep_at = at;
    if (!g->truth) return UNA_OK;

    UNA_NEW(g->arena, double, truth, FINE_GRID);
    for (size_t i = 0; i < FINE_GRID; i++) truth[i] = g->truth(at[i], g->context);
    report->truth = truth;
    return UNA_OK;
}

/* The function itself; its parts go with it. */
static una_status gather_line(una_report_model *to, const report_builder *g, const una_model *model)
{
    const una_report *report = &g->report;
    size_t grid = report->grid, parts = 0;
    una_dataset *table;
    UNA_NEW(g->arena, double, mean, grid);
    UNA_NEW(g->arena, double, lower, grid);
    UNA_NEW(g->arena, double, upper, grid);
    UNA_NEW(g->arena, double, std, grid);
    UNA_TRY(una_dataset_from_arrays(&table, report->sweep_at, NULL, grid, 1, &report->columns[0].name, g->run));
    UNA_TRY(una_keep_dataset(&g->run->scratch, table));
    una_prediction line = { .size = sizeof line, .mean = mean, .lower = lower, .upper = upper, .std_epistemic = std };
    UNA_TRY(una_model_predict(model, table, 0.95, &line, g->run));
    to->line_mean = mean, to->line_lower = lower, to->line_upper = upper, to->sweep_std = std;

    UNA_TRY(una_model_functions(model, table, &parts, NULL, g->run));
    if (parts == 0) return UNA_OK;
    UNA_NEW(g->arena, double, f, parts * grid);
    UNA_TRY(una_model_functions(model, table, &parts, f, g->run));
    to->parts = f;
    to->part_count = parts;
    return UNA_OK;
}

/* ---- rows that had not been seen ---------------------------------------------------------------------- */

/* Whether the out-of-fold predictions are about the rows of this table. */
static bool is_of_table(const una_held_out *held, const una_dataset *data, const char *target, una_run *run)
{
    size_t column;
    if (una_dataset_find(&column, data, target, run) != UNA_OK) return false;
    const double *y = una_dataset_numbers(data, column);
    for (size_t i = 0; i < held->rows; i++) {
        if (!y || held->row[i] >= una_dataset_row_count(data)) return false;
        if (!(fabs(y[held->row[i]] - held->y[i]) <= 1e-9 * (1 + fabs(held->y[i])))) return false;
    }
    return held->rows > 0;
}

/* Only rows that the report has; both lists ascend. */
static una_status gather_held_out(una_report_model *to, const report_builder *g, const una_model *model,
                                  const una_dataset *data)
{
    const una_held_out *held = una_model_held_out(model);
    if (!held || g->report.images || !is_of_table(held, data, g->report.target, g->run)) return UNA_OK;
    size_t n = held->rows, count = 0, at = 0;
    una_report_predictions *predictions = UNA_GET(g->arena, una_report_predictions, 1);
    size_t *row = UNA_GET(g->arena, size_t, n);
    double *y = UNA_GET(g->arena, double, 7 * n), *mean = y + n, *std = mean + n, *ignorance = std + n;
    double *lower = ignorance + n, *upper = lower + n, *below = upper + n;
    UNA_TRY(una_arena_check(g->arena));
    for (size_t i = 0; i < n; i++) {
        while (at < g->report.rows && g->kept[at] < held->row[i]) at++;
        if (at == g->report.rows || g->kept[at] != held->row[i]) continue;
        row[count] = at;
        y[count] = held->y[i], mean[count] = held->mean[i], ignorance[count] = held->std_epistemic[i];
        std[count] = sqrt(held->std_epistemic[i] * held->std_epistemic[i] + held->std_noise[i] * held->std_noise[i]);
        lower[count] = held->lower[i], upper[count] = held->upper[i];
        below[count++] = held->below[i];
    }
    if (count == 0) return UNA_OK;
    *predictions = (una_report_predictions){ .rows = count, .row = row, .y = y, .mean = mean, .std = std,
        .std_epistemic = ignorance, .lower = lower, .upper = upper, .below = below, .folds = held->folds };
    to->held_out = predictions;
    return UNA_OK;
}

/* ---- answers -------------------------------------------------------------------------------------------- */

/* A verdict, or an importance, that cannot be had (too few rows, one of several ranks ...) is left out. */
static una_status or_nothing(una_status status, una_run *run)
{
    if (status == UNA_E_MEMORY || status == UNA_CANCELLED) return status;
    una_clear_message(run);
    return UNA_OK;
}

static void end_verdict(void *verdict)
{
    una_verdict_free(verdict);
}

static void end_importance(void *importance)
{
    una_importance_free(importance);
}

static una_status gather_verdict(una_report_model *to, const report_builder *g, const una_model *model,
                                 const una_dataset *data)
{
    una_verdict *verdict;
    UNA_TRY(or_nothing(una_judge(&verdict, model, data, g->run), g->run));
    to->verdict = verdict;
    return una_arena_at_end(g->arena, end_verdict, verdict);
}

/* What follows depends on it: the order of the inputs. */
static una_status gather_importance(report_builder *g, una_report_model *subject, const una_model *model)
{
    una_importance *importance;
    if (g->report.images || g->report.column_count < 2) return UNA_OK;
    una_status status = una_importance_of(&importance, model, g->table, g->run);
    if (status != UNA_OK)
        subject->no_importance = una_phrase(g->arena, "What each input is worth on rows not seen could not be told: "
                                            "%s.", una_run_message(g->run));
    UNA_TRY(or_nothing(status, g->run));
    subject->importance = importance;
    return una_arena_at_end(g->arena, end_importance, importance);
}

/* ---- images ----------------------------------------------------------------------------------------- */

/* Whether the table has images, and they are what the model sees of it. */
static una_status find_images(report_builder *g, const una_model *model)
{
    size_t sizes[3];
    UNA_TRY(una_dataset_image(sizes, NULL, g->table, 0, g->run));
    size_t each = sizes[0] * sizes[1] * sizes[2];
    if (each == 0 || g->report.column_count != 1 || una_model_info(model)->inputs != each) return UNA_OK;
    UNA_NEW(g->arena, una_report_images, images, 1);
    UNA_NEW(g->arena, const double *, numbers, g->report.rows);
    *images = (una_report_images){ sizes[0], sizes[1], sizes[2], numbers };
    g->report.images = images;
    g->numbers = numbers;
    return UNA_OK;
}

static una_status take_image(report_builder *g, size_t row)
{
    const una_report_images *images = g->report.images;
    size_t sizes[3];
    if (g->numbers[row]) return UNA_OK;
    UNA_NEW(g->arena, double, numbers, images->height * images->width * images->channels);
    g->numbers[row] = numbers;
    return una_dataset_image(sizes, numbers, g->table, row, g->run);
}

/* Those that the page shows: known least, known best, most surprising. */
static una_status take_images(report_builder *g)
{
    size_t rows = g->report.rows;
    const size_t *least = una_report_least_known(&g->report, g->arena);
    const size_t *surprise = una_report_surprises(&g->report, g->arena);
    UNA_TRY(una_arena_check(g->arena));
    for (size_t i = 0; i < rows && i < UNA_MOST_PICTURES; i++) {
        UNA_TRY(take_image(g, least[i]));
        UNA_TRY(take_image(g, least[rows - 1 - i]));
        UNA_TRY(take_image(g, surprise[i]));
    }
    return UNA_OK;
}

/* ---- models ----------------------------------------------------------------------------------------- */

static una_status gather_model(una_report_model *to, const report_builder *g, const una_model *model, const char *title,
                               const una_dataset *data)
{
    size_t rows = g->report.rows;
    una_prediction p = { .size = sizeof p, .mean = UNA_GET(g->arena, double, rows),
                         .std = UNA_GET(g->arena, double, rows), .std_epistemic = UNA_GET(g->arena, double, rows),
                         .lower = UNA_GET(g->arena, double, rows), .upper = UNA_GET(g->arena, double, rows) };
    UNA_NEW(g->arena, double, below, rows);
    UNA_TRY(una_model_predict(model, g->table, 0.95, &p, g->run));
    una_score unused = UNA_INIT(una_score);
    *to = (una_report_model){ .title = title ? title : una_model_info(model)->kind, .info = una_model_info(model),
        .given = { .rows = rows, .y = g->report.y, .mean = p.mean, .std = p.std, .std_epistemic = p.std_epistemic,
                   .lower = p.lower, .upper = p.upper, .below = below } };
    UNA_TRY(una_model_score_rows(&unused, below, model, g->table, g->run));
    UNA_TRY(gather_held_out(to, g, model, data));
    if (g->report.grid) UNA_SCOPED(g->run, gather_line(to, g, model));
    return UNA_OK;
}

/* What a page has and a chart alone does not need: verdicts and causes. */
static una_status gather_page(report_builder *g, una_report_model *list, const una_model *const *models, size_t count,
                              const una_dataset *data)
{
    for (size_t m = 0; m < count; m++) UNA_TRY(gather_verdict(&list[m], g, models[m], data));
    return g->report.images ? UNA_OK : una_causes_find(g, models[0]);
}

static una_status gather_report(report_builder *g, const una_model *const *models, const char *const *titles,
                                size_t count, const una_dataset *data, bool page)
{
    if (count == 0) UNA_FAIL(g->run, UNA_E_USAGE, "a report or chart needs at least one model");
    if (una_dataset_row_count(data) == 0)
        UNA_FAIL(g->run, UNA_E_INPUT, "%s: a report or chart needs at least one row of data", una_dataset_origin(data));
    UNA_TRY(gather_table(g, models, count, data));
    UNA_TRY(find_images(g, models[0]));
    if (!g->report.images) UNA_TRY(plan_report_line(g));
    UNA_NEW(g->arena, una_report_model, list, count);
    g->report.models = list;
    for (size_t m = 0; m < count; m++) UNA_TRY(gather_model(&list[m], g, models[m], titles ? titles[m] : NULL, data));
    g->report.model_count = count;
    if (g->report.images) UNA_TRY(take_images(g));
    UNA_TRY(gather_importance(g, &list[0], models[0]));
    if (!g->report.images && g->report.grid == 0) {
        UNA_TRY(una_effects_plan(g));
        for (size_t m = 0; m < count; m++) UNA_TRY(una_effects_ask(&list[m], g, models[m]));
    }
    return page ? gather_page(g, list, models, count, data) : UNA_OK;
}

/* Several models, and charts, are about one target. */
static una_status need_one_target(const una_model *const *models, size_t count, una_run *run)
{
    for (size_t m = 0; m < count; m++)
        if (una_model_target_count(models[m]) > 1)
            UNA_FAIL(run, UNA_E_USAGE, "a chart, and a report on several models, is about one target, and model %zu "
                    "predicts %zu (%s): give a part of it, which una_model_target gives", m + 1,
                     una_model_target_count(models[m]), una_model_info(models[m])->target);
    return UNA_OK;
}

/* Each target of a single model is reported on by itself, on one page, with the rows that it has. */
static una_status write_report(report_builder *g, const char *path, const una_report_settings *s)
{
    size_t count = s->count == 1 ? una_model_target_count(s->models[0]) : 1;
    if (count == 1) UNA_TRY(need_one_target(s->models, s->count, g->run));
    UNA_NEW(g->arena, una_report, reports, count);
    for (size_t t = 0; t < count; t++) {
        const una_model *part = count > 1 ? una_model_target(s->models[0], t) : NULL;
        report_builder own = *g;
        if (part) own.report.heading = NULL;             /* each section has its own */
        if (t) own.report.story = NULL;
        UNA_TRY(gather_report(&own, part ? &part : s->models, s->titles, part ? 1 : s->count, s->data, true));
        reports[t] = own.report;
    }
    una_text page = una_text_in(g->arena);
    UNA_TRY(una_report_html(&page, reports, count, g->run));
    return una_report_save(path, &page, g->run);
}

static una_status write_chart(report_builder *g, const char *path, const una_report_settings *s)
{
    una_format format;
    UNA_TRY(need_one_target(s->models, s->count, g->run));
    UNA_TRY(una_format_of(&format, path, g->run));
    UNA_TRY(gather_report(g, s->models, s->titles, s->count, s->data, false));
    una_text bytes = una_text_in(g->arena);
    UNA_TRY(una_report_chart(&bytes, &g->report, format, g->run));
    return una_report_save(path, &bytes, g->run);
}

typedef una_status report_writer(report_builder *g, const char *path, const una_report_settings *settings);

static una_status write_with(report_writer *how, const char *path, const una_report_settings *settings, una_run *run)
{
    una_arena arena;
    una_report_settings s;
    UNA_TRY(una_version_check("libuna_report", run));
    una_clear_message(run);
    UNA_TRY(UNA_TAKE(&s, settings, una_report_settings, run));
    if (!s.data) UNA_FAIL(run, UNA_E_USAGE, "a report or chart needs a table, and there is none");
    una_arena_init(&arena, run);
    report_builder g = { .report = { .heading = s.heading, .story = s.story }, .truth = s.truth, .context = s.context,
                         .arena = &arena, .run = run };
    una_status status = how(&g, path, &s);
    una_arena_free(&arena);
    return status;
}

una_status una_report_write_with(const char *path, const una_report_settings *settings, una_run *run)
{
    return write_with(write_report, path, settings, run);
}

una_status una_chart_write_with(const char *path, const una_report_settings *settings, una_run *run)
{
    return write_with(write_chart, path, settings, run);
}

una_status una_chart_check(const char *path, una_run *run)
{
    una_format format;
    UNA_TRY(una_version_check("libuna_report", run));
    una_clear_message(run);
    return una_format_of(&format, path, run);
}

una_status una_report_write(const char *path, const una_model *const *models, const char *const *titles, size_t count,
                            const una_dataset *data, const char *heading, const char *story, una_run *run)
{
    una_report_settings settings = { .size = sizeof settings, .models = models, .titles = titles, .count = count,
                                     .data = data, .heading = heading, .story = story };
    return una_report_write_with(path, &settings, run);
}

una_status una_chart_write(const char *path, const una_model *const *models, const char *const *titles, size_t count,
                           const una_dataset *data, una_run *run)
{
    una_report_settings settings = { .size = sizeof settings, .models = models, .titles = titles, .count = count,
                                     .data = data };
    return una_chart_write_with(path, &settings, run);
}

const char *una_report_build_info(void)
{
    return "charts   SVG; PDF and PNG by libcairo.so.2, if it is installed\n";
}
