/* SPDX-License-Identifier: MIT
 *
 * The charts of the report. Vermillion is always what the model does not know; where several models are shown, they
 * share their axes. The calibration curve is the share of rows with F(y) <= p, where F(y) = Phi((y - mean) / std) for
 * a Gaussian; around the diagonal lies the range p +- 1.96 sqrt(p (1 - p) / n) that perfect calibration would leave in
 * 95 % of all samples.
 */
#include "report/fit_report.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_ROWS = 300, SOME_RANGES = 60, LEVELS = 101, SWEEP_DOTS = 400, SHARES = 50, LEAST_KEPT = 20 };
static const double half_width = 352, third_width = 232;

static una_ink model_ink(size_t model)
{
    static const una_ink order[] = { UNA_INK_MODEL, UNA_INK_SECOND, UNA_INK_THIRD, UNA_INK_FOURTH, UNA_INK_DATA };
    return order[model < 4 ? model : 4];
}

static const char *title_if_several(const una_report *report, size_t model)
{
    return report->model_count > 1 ? report->models[model].title : NULL;
}

/* Gives every panel the same axis. */
static void share_axes(una_figure *figure, const una_axis *x, const una_axis *y)
{
    for (size_t i = 0; i < figure->panel_count; i++) {
        if (x) figure->panels[i]->x.low = x->low, figure->panels[i]->x.high = x->high;
        if (y) figure->panels[i]->y.low = y->low, figure->panels[i]->y.high = y->high;
    }
}

static una_axis with_air(double low, double high, double share)
{
    if (!(low < high)) return (una_axis){0};
    return (una_axis){ .low = low - share * (high - low), .high = high + share * (high - low) };
}

/* ---- one input: the function ------------------------------------------------------------------------ */

bool una_report_is_line(const una_report *report)
{
    return report->column_count == 1 && report->sweep_count == 1 && report->model_count > 0
        && report->models[0].line_mean;
}

/* Bands may leave the paper: half the data's range above and below is enough to see that they do. */
static una_axis function_range(const una_report *report)
{
    double low = INFINITY, high = -INFINITY, data_low = INFINITY, data_high = -INFINITY;
    una_range_add(&data_low, &data_high, report->y, report->rows);
    for (size_t m = 0; m < report->model_count; m++) {
        una_range_add(&low, &high, report->models[m].line_lower, report->grid);
        una_range_add(&low, &high, report->models[m].line_upper, report->grid);
    }
    double air = 0.5 * (data_high - data_low);
    if (air > 0) low = fmax(fmin(low, data_low), data_low - air), high = fmin(fmax(high, data_high), data_high + air);
    return with_air(low, high, 0.03);
}

static void add_parts(una_panel *panel, const una_report *report, const una_report_model *model)
{
    size_t count = model->part_count < UNA_MOST_PARTS ? model->part_count : UNA_MOST_PARTS;
    for (size_t k = 0; k < count; k++)
        una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_PART, .x = report->sweep_at,
                      .y = model->parts + k * report->grid, .count = report->grid, .size = 0.6, .opacity = 0.55 });
}

static void add_function(una_panel *panel, const una_report *report, const una_report_model *model, una_arena *arena)
{
    size_t grid = report->grid;
    double *low = UNA_GET(arena, double, grid), *high = UNA_GET(arena, double, grid);
    if (arena->failed) return;

    for (size_t i = 0; i < grid; i++) {
        low[i] = model->line_mean[i] - 1.959964 * model->sweep_std[i];
        high[i] = model->line_mean[i] + 1.959964 * model->sweep_std[i];
    }

    /* Side by side, not on top of each other: mixed, the two colours would be mud. */
    una_series series = { .shape = UNA_SHAPE_BAND, .ink = UNA_INK_NOISE, .x = report->sweep_at, .count = grid };
    series.y = model->line_lower, series.y2 = low;
    una_panel_add(panel, series);
    series.y = high, series.y2 = model->line_upper;
    una_panel_add(panel, series);
    series.ink = UNA_INK_IGNORANCE, series.y = low, series.y2 = high, series.opacity = 0.38;
    una_panel_add(panel, series);

    add_parts(panel, report, model);
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_MODEL, .x = report->sweep_at,
                  .y = model->line_mean, .count = grid, .size = 1.8 });
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_DATA, .x = report->columns[0].number,
                  .y = report->y, .count = report->rows, .size = report->rows > FEW_ROWS ? 2.2 : 3.2 });
}

una_figure una_chart_function(const una_report *report, una_arena *arena)
{
    bool several = report->model_count > 1;
    una_figure figure = una_figure_in(arena, several ? 2 : 1, several ? half_width : 560, several ? 300 : 340);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "mean");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_NOISE, "with noise, 95 %");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "data");

    bool parts = false;
    for (size_t k = report->model_count; k > 0; k--) {           /* the subject comes last, where the eye rests */
        size_t m = k - 1;
        una_panel *panel = una_figure_panel(&figure, title_if_several(report, m), report->columns[0].name,
                                            report->target);
        if (panel) add_function(panel, report, &report->models[m], arena);
        parts = parts || report->models[m].part_count > 0;
    }
    if (parts) una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_PART, "members or heads");

    una_axis x = { .low = report->sweep_at[0], .high = report->sweep_at[report->grid - 1] }, y = function_range(report);
    share_axes(&figure, &x, &y);
    return figure;
}

/* ---- predicted against observed --------------------------------------------------------------------- */

typedef struct ranked { double value; size_t row; } ranked;

static int by_value(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

/* Rows in ascending order of `value`; ties by row, NANs last. */
static size_t *order_of(const double *value, size_t rows, una_arena *arena)
{
    ranked *list = UNA_GET(arena, ranked, rows);
    size_t *order = UNA_GET(arena, size_t, rows);
    if (arena->failed) return NULL;
    for (size_t i = 0; i < rows; i++) list[i] = (ranked){ isnan(value[i]) ? INFINITY : value[i], i };
    qsort(list, rows, sizeof *list, by_value);
    for (size_t i = 0; i < rows; i++) order[i] = list[i].row;
    return order;
}

/* Bars for all rows of a small table, else for some that are spread evenly over the observed values. */
static void add_ranges(una_panel *panel, const una_report *report, const una_report_model *model, const size_t *order,
                       una_arena *arena)
{
    size_t count = report->rows <= FEW_ROWS ? report->rows : SOME_RANGES;
    double *at = UNA_GET(arena, double, count), *mean = UNA_GET(arena, double, count);
    double *low = UNA_GET(arena, double, count), *high = UNA_GET(arena, double, count);
    double *inner_low = UNA_GET(arena, double, count), *inner_high = UNA_GET(arena, double, count);
    if (arena->failed) return;

    for (size_t i = 0; i < count; i++) {
        size_t row = order[count > 1 ? i * (report->rows - 1) / (count - 1) : 0];
        double half = 1.959964 * model->std_epistemic[row];
        at[i] = report->y[row], mean[i] = model->mean[row], low[i] = model->lower[row], high[i] = model->upper[row];
        inner_low[i] = mean[i] - half, inner_high[i] = mean[i] + half;
    }

    una_series series = { .shape = UNA_SHAPE_RANGES, .ink = UNA_INK_NOISE, .x = at, .y = low, .y2 = high,
        .count = count };
    series.size = 0.9, series.opacity = 0.55;
    una_panel_add(panel, series);
    series.ink = UNA_INK_IGNORANCE, series.y = inner_low, series.y2 = inner_high, series.size = 1.6,
        series.opacity = 0.6;
    una_panel_add(panel, series);
    if (report->rows > FEW_ROWS)
        una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_MODEL, .x = at, .y = mean,
                      .count = count, .size = 3.2, .opacity = 1 });
}

una_figure una_chart_predicted(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 2, half_width, 330);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "one row");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_NOISE, "with noise, 95 %");
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "predicted = observed");

    const size_t *order = order_of(report->y, report->rows, arena);
    if (!order) return figure;
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, report->y, report->rows);

    for (size_t k = report->model_count; k > 0; k--) {
        const una_report_model *model = &report->models[k - 1];
        bool few = report->rows <= FEW_ROWS;
        una_panel *panel = una_figure_panel(&figure, title_if_several(report, k - 1), "Observed", "Predicted");
        una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_DIAGONAL, .ink = UNA_INK_PART, .size = 0.8 });
        una_series points = { .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_MODEL, .x = report->y, .y = model->mean };
        points.count = report->rows, points.size = few ? 3 : 1.8, points.opacity = few ? 0.8 : 0.3;
        if (!few) una_panel_add(panel, points);
        add_ranges(panel, report, model, order, arena);
        if (few) una_panel_add(panel, points);
        una_range_add(&low, &high, model->mean, report->rows);
    }

    una_axis both = with_air(low, high, 0.06);
    share_axes(&figure, &both, &both);
    return figure;
}

/* ---- calibration ------------------------------------------------------------------------------------ */

static double *calibration(const una_report *report, const una_report_model *model, const double *p, una_arena *arena)
{
    size_t below[LEVELS] = {0}, counted = 0;
    double *share = UNA_GET(arena, double, LEVELS);
    if (!share) return NULL;
    for (size_t i = 0; i < report->rows; i++) {
        double z = (report->y[i] - model->mean[i]) / model->std[i];
        double place = model->below ? model->below[i] : 0.5 * erfc(-z * 0.70710678118654752440);
        if (isnan(place)) continue;
        counted++;
        for (size_t k = LEVELS; k > 0 && place <= p[k - 1]; k--) below[k - 1]++;
    }
    for (size_t k = 0; k < LEVELS; k++) share[k] = counted ? (double)below[k] / (double)counted : NAN;
    return share;
}

static void add_sampling_range(una_panel *panel, const double *p, size_t rows, una_arena *arena)
{
    double *low = UNA_GET(arena, double, LEVELS), *high = UNA_GET(arena, double, LEVELS);
    if (arena->failed) return;
    for (size_t k = 0; k < LEVELS; k++) {
        double half = 1.959964 * sqrt(p[k] * (1 - p[k]) / (double)rows);
        low[k] = fmax(0, p[k] - half);
        high[k] = fmin(1, p[k] + half);
    }
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_BAND, .ink = UNA_INK_PART, .x = p, .y = low, .y2 = high,
                  .count = LEVELS, .opacity = 0.25 });
}

una_figure una_chart_calibration(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, half_width, 330);
    double *p = UNA_GET(arena, double, LEVELS);
    if (!p) return figure;
    for (size_t k = 0; k < LEVELS; k++) p[k] = (double)k / (LEVELS - 1);

    una_panel *panel = una_figure_panel(&figure, NULL, "Probability, as predicted", "Share of rows below");
    if (panel) panel->x.high = panel->y.high = 1;        /* from 0 */
    add_sampling_range(panel, p, report->rows, arena);
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_DIAGONAL, .ink = UNA_INK_PART, .size = 0.8 });

    for (size_t m = report->model_count; m > 0; m--) {           /* the subject comes on top */
        const una_report_model *model = &report->models[m - 1];
        const double *share = calibration(report, model, p, arena);
        if (!share) break;
        una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = model_ink(m - 1), .x = p, .y = share,
                      .count = LEVELS });
    }

    for (size_t m = 0; m < report->model_count && m < 5; m++)
        una_figure_key(&figure, UNA_SHAPE_LINE, model_ink(m), report->models[m].title);
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "perfect calibration");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "its sampling range, 95 %");
    return figure;
}

/* ---- ignorance along each input --------------------------------------------------------------------- */

static double variation(const una_report *report, size_t sweep)
{
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, report->models[0].sweep_std + sweep * report->grid, report->grid);
    return high - low;
}

static void add_sweep(una_figure *figure, const una_report *report, size_t sweep, const double *some_std,
                      const size_t *some, size_t some_count, una_arena *arena)
{
    const una_report_column *column = &report->columns[report->sweep_column[sweep]];
    const double *at = report->sweep_at + sweep * report->grid;
    bool line = report->column_count == 1;
    una_panel *panel = una_figure_panel(figure, line ? NULL : column->name, line ? column->name : NULL,
                                        line ? "Epistemic std" : NULL);
    double *x = UNA_GET(arena, double, some_count);
    if (!panel || arena->failed) return;

    panel->x.low = at[0];
    panel->x.high = at[report->grid - 1];
    for (size_t i = 0; i < some_count; i++) x[i] = column->number[some[i]];
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_IGNORANCE, .x = x, .y = some_std,
                  .count = some_count, .size = 2.2, .opacity = 0.25 });

    for (size_t m = report->model_count; m > 0; m--)
        una_panel_add(panel, (una_series){ .shape = m == 1 ? UNA_SHAPE_LINE : UNA_SHAPE_DASHES,
                      .ink = m == 1 ? UNA_INK_IGNORANCE : m == 2 ? UNA_INK_DATA : model_ink(m - 1), .x = at,
                      .y = report->models[m - 1].sweep_std + sweep * report->grid, .count = report->grid,
                      .size = m == 1 ? 1.8 : 1.1,
                      .label = line ? title_if_several(report, m - 1) : NULL });
    una_panel_strip(panel, column->number, report->rows);
}

/* From zero to the highest line, or to where almost all of the dots are. */
static una_axis ignorance_range(const una_report *report, const size_t *order, size_t shown, double *dots,
                                size_t dot_count)
{
    double low = 0, high = una_quantile(dots, dot_count, 0.98);
    if (!(high > 0)) high = 0;
    for (size_t i = 0; i < shown; i++)
        for (size_t m = 0; m < report->model_count; m++)
            una_range_add(&low, &high, report->models[m].sweep_std + order[i] * report->grid, report->grid);
    return high > 0 ? (una_axis){ .low = 0, .high = 1.06 * high } : (una_axis){ .low = 0, .high = 1 };
}

una_figure una_chart_ignorance(const una_report *report, size_t *shown, una_arena *arena)
{
    bool line = report->column_count == 1;
    una_figure figure = una_figure_in(arena, line ? 1 : 3, line ? 560 : third_width, line ? 230 : 172);
    size_t some_count = report->rows < SWEEP_DOTS ? report->rows : SWEEP_DOTS;
    double *varies = UNA_GET(arena, double, report->sweep_count), *some_std = UNA_GET(arena, double, some_count);
    double *sorted = UNA_GET(arena, double, some_count);
    size_t *some = UNA_GET(arena, size_t, some_count), *order = NULL;
    *shown = report->sweep_count < UNA_MOST_SWEEPS ? report->sweep_count : UNA_MOST_SWEEPS;
    if (arena->failed) return figure;

    for (size_t s = 0; s < report->sweep_count; s++) varies[s] = -variation(report, s);
    if (!(order = order_of(varies, report->sweep_count, arena))) return figure;
    for (size_t i = 0; i < some_count; i++) {
        some[i] = some_count < 2 ? 0 : i * (report->rows - 1) / (some_count - 1);
        sorted[i] = some_std[i] = report->models[0].std_epistemic[some[i]];
    }

    for (size_t i = 0; i < *shown; i++) add_sweep(&figure, report, order[i], some_std, some, some_count, arena);
    una_axis y = ignorance_range(report, order, *shown, sorted, some_count);
    share_axes(&figure, NULL, &y);

    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_IGNORANCE,
                   report->model_count > 1 ? report->models[0].title : "epistemic std");
    for (size_t m = 1; m < report->model_count && m < 5; m++)
        una_figure_key(&figure, UNA_SHAPE_DASHES, m == 1 ? UNA_INK_DATA : model_ink(m), report->models[m].title);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, "at the rows themselves");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "density of the data");
    return figure;
}

size_t *una_report_least_known(const una_report *report, una_arena *arena)
{
    double *down = UNA_GET(arena, double, report->rows);
    if (!down) return NULL;
    for (size_t i = 0; i < report->rows; i++) down[i] = -report->models[0].std_epistemic[i];
    return order_of(down, report->rows, arena);
}

size_t *una_report_surprises(const una_report *report, una_arena *arena)
{
    const una_report_model *model = &report->models[0];
    double *down = UNA_GET(arena, double, report->rows);
    if (!down) return NULL;
    for (size_t i = 0; i < report->rows; i++) down[i] = -fabs(report->y[i] - model->mean[i]) / model->std[i];
    return order_of(down, report->rows, arena);
}

bool una_report_has_doubts(const una_report *report)
{
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, report->models[0].std_epistemic, report->rows);
    return low < high;
}

/* ---- what is left to a person ----------------------------------------------------------------------- */

/* Of the rows in the order of a model's ignorance the first 2 %, 4 % ... and all: where they are so many that the root
 * mean square of their errors means something. */
static size_t risk_of(const una_report *report, const una_report_model *model, double *kept, double *error,
                      una_arena *arena)
{
    const size_t *order = order_of(model->std_epistemic, report->rows, arena);
    double sum = 0;
    size_t count = 0;
    for (size_t k = 1, i = 0; order && k <= SHARES; k++) {
        size_t upto = (k * report->rows + SHARES / 2) / SHARES;
        for (; i < upto; i++) sum += pow(report->y[order[i]] - model->mean[order[i]], 2);
        if (upto < LEAST_KEPT && k < SHARES) continue;
        kept[count] = 100 * (double)k / SHARES;
        error[count++] = sqrt(sum / (double)upto);
    }
    return count;
}

una_figure una_chart_risk(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, 560, 260);
    una_panel *panel = una_figure_panel(&figure, NULL, "Rows kept, those known best first, %",
                                        "Root mean square error");
    double low = 0, high = 0;
    for (size_t m = report->model_count; panel && m > 0; m--) {
        double *kept = UNA_GET(arena, double, SHARES), *error = UNA_GET(arena, double, SHARES);
        if (arena->failed) return figure;
        size_t count = risk_of(report, &report->models[m - 1], kept, error, arena);
        una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = model_ink(m - 1), .x = kept, .y = error,
                      .count = count, .size = 1.8 });
        una_range_add(&low, &high, error, count);
    }
    if (!panel) return figure;
    panel->x.high = 100;                                 /* both from 0 */
    panel->y.high = high > 0 ? 1.06 * high : 1;
    for (size_t m = 0; report->model_count > 1 && m < report->model_count && m < 5; m++)
        una_figure_key(&figure, UNA_SHAPE_LINE, model_ink(m), report->models[m].title);
    return figure;
}

/* ---- which inputs matter ---------------------------------------------------------------------------- */

una_figure una_chart_relevance(const una_report *report, size_t *shown, una_arena *arena)
{
    const double *relevance = report->models[0].info->relevance;
    size_t count = *shown = report->column_count < UNA_MOST_BARS ? report->column_count : UNA_MOST_BARS, *order;
    una_figure figure = una_figure_in(arena, 1, 560, 44 + 22 * (double)count);
    double *down = UNA_GET(arena, double, report->column_count), sum = 0;
    double *share = UNA_GET(arena, double, count), *at = UNA_GET(arena, double, count);
    const char **name = UNA_GET(arena, const char *, count);
    if (!relevance || arena->failed) return figure;

    for (size_t c = 0; c < report->column_count; c++) {
        down[c] = -relevance[c];
        sum += relevance[c] * relevance[c];
    }
    if (!(order = order_of(down, report->column_count, arena))) return figure;
    for (size_t i = 0; i < count; i++) {                 /* the first at the top */
        share[i] = 100 * relevance[order[i]] * relevance[order[i]] / sum;
        at[i] = (double)(count - i);
        name[count - 1 - i] = report->columns[order[i]].name;
    }

    una_panel *panel = una_figure_panel(&figure, NULL, "Share of all inputs, %", NULL);
    if (!panel) return figure;
    panel->x.high = fmax(1.06 * share[0], 1);
    panel->y = (una_axis){ .low = 0.4, .high = (double)count + 0.6, .names = name, .name_count = count };
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_BARS, .ink = UNA_INK_MODEL, .x = share, .y = at,
                  .count = count });
    return figure;
}

/* ---- training --------------------------------------------------------------------------------------- */

/* The first steps may be far off; they would flatten all that follows. */
static una_axis settled_range(const double *values, size_t count, una_arena *arena)
{
    double *sorted = UNA_GET(arena, double, count), low = INFINITY, high = -INFINITY;
    if (!sorted) return (una_axis){0};
    una_range_add(&low, &high, values, count);
    memcpy(sorted, values, count * sizeof *sorted);
    double bottom = una_quantile(sorted, count, 0.1), top = una_quantile(sorted, count, 0.9);
    double middle = una_quantile(sorted, count, 0.5);
    double room = 4 * (top - bottom);
    if (low < middle - room) low = bottom - 0.5 * (top - bottom);
    if (high > middle + room) high = top + 0.5 * (top - bottom);
    return with_air(low, high, 0.04);
}

static void add_curve(una_figure *figure, const una_report *report, const char *title, size_t which, una_arena *arena)
{
    una_panel *panel = NULL;
    for (size_t m = report->model_count; m > 0; m--) {
        const una_curve *curve = &report->models[m - 1].info->curve;
        const double *values = which == 0 ? curve->loss : which == 1 ? curve->valid_log_lik : curve->mean_cos2;
        double low = INFINITY, high = -INFINITY;
        if (curve->count == 0 || !values) continue;
        una_range_add(&low, &high, values, curve->count);
        if (!(low <= high)) continue;

        if (!panel) panel = una_figure_panel(figure, title, "Step", NULL);
        if (!panel) return;
        una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = model_ink(m - 1), .x = curve->step,
                      .y = values, .count = curve->count, .size = 1.2 });

        una_axis range = settled_range(values, curve->count, arena);
        if (range.low < range.high) {
            bool first = !(panel->y.low < panel->y.high);
            panel->y.low = first ? range.low : fmin(panel->y.low, range.low);
            panel->y.high = first ? range.high : fmax(panel->y.high, range.high);
        }
    }
}

una_figure una_chart_training(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 3, third_width, 180);
    add_curve(&figure, report, "Training loss", 0, arena);
    add_curve(&figure, report, "Held-out log-likelihood", 1, arena);
    add_curve(&figure, report, "Mean cos\xC2\xB2 of the heads", 2, arena);
    for (size_t m = 0; report->model_count > 1 && m < report->model_count && m < 5; m++)
        una_figure_key(&figure, UNA_SHAPE_LINE, model_ink(m), report->models[m].title);
    return figure;
}
