/* SPDX-License-Identifier: MIT
 *
 * The charts of the report. Orange is always what the model does not know; where several models are shown, they
 * share their axes. The calibration curve is the share of held-out rows with |2 F(y) - 1| <= p, where F(y) is the
 * probability that was given to less than y; around the diagonal lies the range p +- 1.96 sqrt(p (1 - p) / n) that
 * perfect calibration would leave in 95 % of all samples.
 */
#include "draw/fit_report.h"

enum { FEW_ROWS = 300, SOME_RANGES = 60, LEVELS = 101, SWEEP_DOTS = 400, SHARES = 50, LEAST_KEPT = 20, TENTHS = 10 };
static const double half_width = 352, third_width = 232;

una_ink una_model_ink(size_t model)
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

static una_axis axis_with_margin(double low, double high, double share)
{
    if (!(low < high)) return (una_axis){0};
    return (una_axis){ .low = low - share * (high - low), .high = high + share * (high - low) };
}

/* ---- one input: the function ------------------------------------------------------------------------ */

bool una_report_is_line(const una_report *report)
{
    return report->column_count == 1 && report->grid > 0 && report->model_count > 0 && report->models[0].line_mean;
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
    return axis_with_margin(low, high, 0.03);
}

static void draw_member_lines(una_panel *panel, const una_report *report, const una_report_model *model)
{
    size_t count = model->part_count < UNA_MOST_PARTS ? model->part_count : UNA_MOST_PARTS;
    for (size_t k = 0; k < count; k++)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.6, 0.55 }, report->sweep_at,
                       model->parts + k * report->grid, report->grid);
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

    draw_member_lines(panel, report, model);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 1.8, 0 }, report->sweep_at, model->line_mean, grid);
    if (report->truth)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_DATA, 1.2, 0 }, report->sweep_at, report->truth,
                       grid);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_DATA, report->rows > FEW_ROWS ? 2.2 : 3.2, 0 },
                   report->columns[0].number, report->y, report->rows);
}

una_figure una_chart_function(const una_report *report, una_arena *arena)
{
    bool several = report->model_count > 1;
    una_figure figure = una_figure_in(arena, several ? 2 : 1, several ? half_width : 560, several ? 300 : 340);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "mean");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_NOISE, "with noise, 95 %");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "data");
    if (report->truth) una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_DATA, "true function");

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

static int compare_rank_values(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

size_t *una_order_of(const double *value, size_t rows, una_arena *arena)
{
    ranked *list = UNA_GET(arena, ranked, rows);
    size_t *order = UNA_GET(arena, size_t, rows);
    if (arena->failed) return NULL;
    for (size_t i = 0; i < rows; i++) list[i] = (ranked){ isnan(value[i]) ? INFINITY : value[i], i };
    qsort(list, rows, sizeof *list, compare_rank_values);
    for (size_t i = 0; i < rows; i++) order[i] = list[i].row;
    return order;
}

una_report_predictions una_report_predictions_of(const una_report *report, const una_report_model *model)
{
    if (model->held_out) return *model->held_out;
    return (una_report_predictions){ .rows = report->rows, .y = report->y, .mean = model->mean, .std = model->std,
        .std_epistemic = model->std_epistemic, .lower = model->lower, .upper = model->upper, .below = model->below };
}

/* Bars for all rows of a small table, else for some that are spread evenly over the observed values. */
static void add_ranges(una_panel *panel, const una_report_predictions *predictions, una_arena *arena)
{
    size_t count = predictions->rows <= FEW_ROWS ? predictions->rows : SOME_RANGES;
    const size_t *order = una_order_of(predictions->y, predictions->rows, arena);
    double *at = UNA_GET(arena, double, count), *mean = UNA_GET(arena, double, count);
    double *low = UNA_GET(arena, double, count), *high = UNA_GET(arena, double, count);
    double *inner_low = UNA_GET(arena, double, count), *inner_high = UNA_GET(arena, double, count);
    if (arena->failed) return;

    for (size_t i = 0; i < count; i++) {
        size_t row = order[count > 1 ? i * (predictions->rows - 1) / (count - 1) : 0];
        double half = 1.959964 * predictions->std_epistemic[row];
        at[i] = predictions->y[row], mean[i] = predictions->mean[row], low[i] = predictions->lower[row],
            high[i] = predictions->upper[row];
        inner_low[i] = mean[i] - half, inner_high[i] = mean[i] + half;
    }

    una_series series = { .shape = UNA_SHAPE_RANGES, .ink = UNA_INK_NOISE, .x = at, .y = low, .y2 = high,
        .count = count };
    series.size = 0.9, series.opacity = 0.55;
    una_panel_add(panel, series);
    series.ink = UNA_INK_IGNORANCE, series.y = inner_low, series.y2 = inner_high, series.size = 1.6,
        series.opacity = 0.6;
    una_panel_add(panel, series);
    if (predictions->rows > FEW_ROWS)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 3.2, 1 }, at, mean, count);
}

/* Tooltips of the rows that are shown. */
static const char *const *tips_of(const una_report_predictions *predictions, const char *const *tips, una_arena *arena)
{
    const char **own = tips ? UNA_GET(arena, const char *, predictions->rows) : NULL;
    for (size_t i = 0; own && i < predictions->rows; i++) own[i] = tips[predictions->row ? predictions->row[i] : i];
    return own;
}

una_figure una_chart_predicted(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 2, half_width, 330);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "one row");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_NOISE, "with noise, 95 %");
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "predicted = observed");
    double low = INFINITY, high = -INFINITY;
    const char *const *tips = una_report_tips(report, arena);

    for (size_t k = report->model_count; k > 0; k--) {
        una_report_predictions predictions = una_report_predictions_of(report, &report->models[k - 1]);
        bool few = predictions.rows <= FEW_ROWS;
        una_panel *panel = una_figure_panel(&figure, title_if_several(report, k - 1), "Observed", "Predicted");
        una_panel_plot(panel, (una_look){ UNA_SHAPE_DIAGONAL, UNA_INK_PART, 0.8, 0 }, NULL, NULL, 0);
        una_series points = { .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_MODEL, .x = predictions.y,
                              .y = predictions.mean };
        points.count = predictions.rows, points.size = few ? 3 : 1.8, points.opacity = few ? 0.8 : 0.3;
        points.tips = tips_of(&predictions, tips, arena);
        if (!few) una_panel_add(panel, points);
        add_ranges(panel, &predictions, arena);
        if (few) una_panel_add(panel, points);
        una_range_add(&low, &high, predictions.y, predictions.rows);
        una_range_add(&low, &high, predictions.mean, predictions.rows);
    }

    una_axis both = axis_with_margin(low, high, 0.06);
    share_axes(&figure, &both, &both);
    return figure;
}

/* ---- calibration ------------------------------------------------------------------------------------ */

static double row_of_prediction(const una_report_predictions *predictions, size_t i)
{
    double z = (predictions->y[i] - predictions->mean[i]) / predictions->std[i];
    return predictions->below ? predictions->below[i] : 0.5 * erfc(-z * 0.70710678118654752440);
}

/* Shares of the rows that lie inside the central bands of probability p. */
static double *inside_shares(const una_report_predictions *predictions, const double *p, una_arena *arena)
{
    size_t inside[LEVELS] = {0}, counted = 0;
    double *share = UNA_GET(arena, double, LEVELS);
    if (!share) return NULL;
    for (size_t i = 0; i < predictions->rows; i++) {
        double level = fabs(2 * row_of_prediction(predictions, i) - 1);
        if (isnan(level)) continue;
        counted++;
        for (size_t k = LEVELS; k > 0 && level <= p[k - 1] + 1e-12; k--) inside[k - 1]++;
    }
    for (size_t k = 0; k < LEVELS; k++) share[k] = counted ? (double)inside[k] / (double)counted : NAN;
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
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_PART, 0, 0.25 }, p, low, high, LEVELS);
}

/* How many rows fell into each tenth of what was predicted, in %: 10 each if the model is right. */
static void add_tenths(una_panel *panel, const una_report_predictions *predictions, una_ink ink, bool bars,
                       una_arena *arena)
{
    double *at = UNA_GET(arena, double, TENTHS), *share = UNA_GET(arena, double, TENTHS);
    double *foot = UNA_GET(arena, double, TENTHS);
    if (arena->failed) return;
    for (size_t k = 0; k < TENTHS; k++) at[k] = ((double)k + 0.5) / TENTHS;
    for (size_t i = 0; i < predictions->rows; i++) {
        double place = row_of_prediction(predictions, i);
        if (!isnan(place)) share[(size_t)fmin(fmax(place, 0) * TENTHS, TENTHS - 1)] += 100 / (double)predictions->rows;
    }
    una_panel_add(panel, bars ? (una_series){ .shape = UNA_SHAPE_RANGES, .ink = ink, .x = at, .y = foot, .y2 = share,
                                              .count = TENTHS, .size = 22, .opacity = 0.6 }
                              : (una_series){ .shape = UNA_SHAPE_LINE, .ink = ink, .x = at, .y = share,
                                              .count = TENTHS });
    double low = 0, high = panel ? panel->y.high : 0;
    una_range_add(&low, &high, share, TENTHS);
    if (panel) panel->y.high = fmax(high, 1.08 * high * (high > panel->y.high));
}

/* 10 % of the rows, and the range around it that chance leaves. */
static void add_even(una_panel *panel, size_t rows, una_arena *arena)
{
    double *at = UNA_GET(arena, double, 6), *low = at + 2, *high = at + 4;
    if (arena->failed) return;
    double half = 100 * 1.959964 * sqrt(0.1 * 0.9 / (double)rows);
    at[0] = 0, at[1] = 1;
    low[0] = low[1] = fmax(0, 10 - half), high[0] = high[1] = 10 + half;
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_PART, 0, 0.25 }, at, low, high, 2);
}

una_figure una_chart_calibration(const una_report *report, una_arena *arena)
{
    bool alone = report->model_count == 1;               /* then it stands beside the predictions */
    una_figure figure = una_figure_in(arena, alone ? 1 : 2, half_width, alone ? 196 : 300);
    double *p = UNA_GET(arena, double, LEVELS);
    size_t rows = 0, models = 0;
    for (size_t m = report->model_count; m > 0; m--)
        if (report->models[m - 1].held_out) rows = report->models[m - 1].held_out->rows, models++;
    if (!p || rows == 0) return figure;
    for (size_t k = 0; k < LEVELS; k++) p[k] = (double)k / (LEVELS - 1);

    una_panel *panel = una_figure_panel(&figure, NULL, "Probability of the band, as predicted",
                                        "Share of rows inside");
    una_panel *tenths = una_figure_panel(&figure, NULL, "Predicted probability of less than observed",
                                         "Rows, %");
    if (!panel || !tenths) return figure;
    panel->x.high = panel->y.high = tenths->x.high = 1;          /* from 0 */
    tenths->y.high = 20;
    add_sampling_range(panel, p, rows, arena);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_DIAGONAL, UNA_INK_PART, 0.8, 0 }, NULL, NULL, 0);
    add_even(tenths, rows, arena);

    for (size_t m = report->model_count; m > 0; m--) {           /* the subject comes on top */
        const una_report_predictions *predictions = report->models[m - 1].held_out;
        if (!predictions) continue;
        const double *share = inside_shares(predictions, p, arena);
        if (!share) break;
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, una_model_ink(m - 1), 0, 0 }, p, share, LEVELS);
        add_tenths(tenths, predictions, una_model_ink(m - 1), models == 1, arena);
    }

    for (size_t m = 0; m < report->model_count && m < 5; m++)
        if (report->models[m].held_out)
            una_figure_key(&figure, UNA_SHAPE_LINE, una_model_ink(m), report->models[m].title);
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "perfect calibration");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "its sampling range, 95 %");
    return figure;
}

/* ---- ignorance along the only input ------------------------------------------------------------------ */

una_figure una_chart_ignorance(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, 560, 230);
    size_t dots = report->rows < SWEEP_DOTS ? report->rows : SWEEP_DOTS;
    double *x = UNA_GET(arena, double, dots), *std = UNA_GET(arena, double, dots);
    double *sorted = UNA_GET(arena, double, dots);
    una_panel *panel = una_figure_panel(&figure, NULL, report->columns[0].name, "Epistemic std");
    if (arena->failed) return figure;

    panel->x.low = report->sweep_at[0], panel->x.high = report->sweep_at[report->grid - 1];
    for (size_t i = 0; i < dots; i++) {
        size_t row = dots < 2 ? 0 : i * (report->rows - 1) / (dots - 1);
        x[i] = report->columns[0].number[row];
        sorted[i] = std[i] = report->models[0].std_epistemic[row];
    }
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, 2.2, 0.25 }, x, std, dots);
    for (size_t m = report->model_count; m > 0; m--) {
        una_ink ink = una_model_ink(m - 1);
        if (m == 1) ink = UNA_INK_IGNORANCE;
        else if (m == 2) ink = UNA_INK_DATA;
        una_panel_add(panel, (una_series){ .shape = m == 1 ? UNA_SHAPE_LINE : UNA_SHAPE_DASHES, .ink = ink,
                      .x = report->sweep_at, .y = report->models[m - 1].sweep_std, .count = report->grid,
                      .size = m == 1 ? 1.8 : 1.1, .label = title_if_several(report, m - 1) });
    }
    una_panel_strip(panel, report->columns[0].number, report->rows);

    /* From zero to the highest line, or to where almost all of the dots are. */
    double low = 0, high = una_quantile(sorted, dots, 0.98);
    if (!(high > 0)) high = 0;
    for (size_t m = 0; m < report->model_count; m++)
        una_range_add(&low, &high, report->models[m].sweep_std, report->grid);
    panel->y.high = high > 0 ? 1.06 * high : 1;

    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_IGNORANCE,
                   report->model_count > 1 ? report->models[0].title : "epistemic std");
    for (size_t m = 1; m < report->model_count && m < 5; m++)
        una_figure_key(&figure, UNA_SHAPE_DASHES, m == 1 ? UNA_INK_DATA : una_model_ink(m), report->models[m].title);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, "at the rows themselves");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "density of the data");
    return figure;
}

size_t *una_report_least_known(const una_report *report, una_arena *arena)
{
    double *down = UNA_GET(arena, double, report->rows);
    if (!down) return NULL;
    for (size_t i = 0; i < report->rows; i++) down[i] = -report->models[0].std_epistemic[i];
    return una_order_of(down, report->rows, arena);
}

size_t *una_report_surprises(const una_report *report, una_arena *arena)
{
    const una_report_model *model = &report->models[0];
    double *down = UNA_GET(arena, double, report->rows);
    if (!down) return NULL;
    for (size_t i = 0; i < report->rows; i++) down[i] = -fabs(report->y[i] - model->mean[i]) / model->std[i];
    return una_order_of(down, report->rows, arena);
}

bool una_report_has_ignorance(const una_report *report)
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
    const size_t *order = una_order_of(model->std_epistemic, report->rows, arena);
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
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, una_model_ink(m - 1), 1.8, 0 }, kept, error, count);
        una_range_add(&low, &high, error, count);
    }
    if (!panel) return figure;
    panel->x.high = 100;                                 /* both from 0 */
    panel->y.high = high > 0 ? 1.06 * high : 1;
    for (size_t m = 0; report->model_count > 1 && m < report->model_count && m < 5; m++)
        una_figure_key(&figure, UNA_SHAPE_LINE, una_model_ink(m), report->models[m].title);
    return figure;
}

/* ---- training --------------------------------------------------------------------------------------- */

/* The first steps may be far off; they would flatten all that follows. */
static una_axis range_with_values(const double *values, size_t count, una_arena *arena)
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
    return axis_with_margin(low, high, 0.04);
}

static void add_training_curve(una_figure *figure, const una_report *report, const char *title, size_t which,
                               una_arena *arena)
{
    una_panel *panel = NULL;
    for (size_t m = report->model_count; m > 0; m--) {
        const una_curve *curve = &report->models[m - 1].info->curve;
        const double *const curves[] = { curve->loss, curve->valid_log_lik, curve->mean_cos2 };
        const double *values = curves[which];
        double low = INFINITY, high = -INFINITY;
        if (curve->count == 0 || !values) continue;
        una_range_add(&low, &high, values, curve->count);
        if (!(low <= high)) continue;

        if (!panel) panel = una_figure_panel(figure, title, "Step", NULL);
        if (!panel) return;
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, una_model_ink(m - 1), 1.2, 0 }, curve->step, values,
                       curve->count);

        una_axis range = range_with_values(values, curve->count, arena);
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
    add_training_curve(&figure, report, "Training loss", 0, arena);
    add_training_curve(&figure, report, "Held-out log-likelihood", 1, arena);
    add_training_curve(&figure, report, "Mean cos\xC2\xB2 of the heads", 2, arena);
    for (size_t m = 0; report->model_count > 1 && m < report->model_count && m < 5; m++)
        una_figure_key(&figure, UNA_SHAPE_LINE, una_model_ink(m), report->models[m].title);
    return figure;
}
