/* SPDX-License-Identifier: MIT
 *
 * The charts of the report. Orange is always what the model does not know; where several models are shown, they
 * share their axes. The calibration curve is the share of held-out rows with |2 F(y) - 1| <= p, where F(y) is the
 * probability that was given to less than y; around the diagonal lies the range p +- 1.96 sqrt(p (1 - p) / n) that
 * perfect calibration would leave in 95 % of all samples.
 */
#include "draw/fit_report.h"
#include "draw/marks.h"

enum { SOME_RANGES = 60, SWEEP_DOTS = 400, SHARES = 50, LEAST_KEPT = 20, TENTHS = 10, MOST_NAMED = 5 };

una_ink una_model_ink(size_t model)
{
    static const una_ink order[] = { UNA_INK_MODEL, UNA_INK_SECOND, UNA_INK_THIRD, UNA_INK_FOURTH, UNA_INK_DATA };
    return order[model < 4 ? model : 4];
}

static const char *title_if_several(const una_report *report, size_t model)
{
    return report->model_count > 1 ? report->models[model].title : NULL;
}

/* Of the models from `from` on, where there are several. */
static void add_model_keys(una_figure *figure, const una_report *report, una_shape shape, size_t from)
{
    for (size_t m = from; report->model_count > 1 && m < report->model_count && m < MOST_NAMED; m++)
        una_figure_key(figure, shape, una_model_ink(m), report->models[m].title);
}

/* ---- one input: the function ------------------------------------------------------------------------ */

bool una_report_is_line(const una_report *report)
{
    return report->column_count == 1 && report->grid > 0 && report->model_count > 0 && report->models[0].line_mean;
}

static una_axis function_range(const una_report *report)
{
    double low = INFINITY, high = -INFINITY, data_low = INFINITY, data_high = -INFINITY;
    una_range_add(&data_low, &data_high, report->y, report->rows);
    for (size_t m = 0; m < report->model_count; m++) {
        una_range_add(&low, &high, report->models[m].line_lower, report->grid);
        una_range_add(&low, &high, report->models[m].line_upper, report->grid);
    }
    if (data_low < data_high) low = fmin(low, data_low), high = fmax(high, data_high);
    return una_axis_of_bands(low, high, data_low, data_high, 0.03);
}

static void add_function(una_panel *panel, const una_report *report, const una_report_model *model, una_arena *arena)
{
    size_t grid = report->grid, parts = model->part_count < UNA_MOST_PARTS ? model->part_count : UNA_MOST_PARTS;
    const double *at = report->sweep_at;
    double *low = UNA_GET(arena, double, grid), *high = UNA_GET(arena, double, grid);
    if (arena->failed) return;
    for (size_t i = 0; i < grid; i++) {
        low[i] = model->line_mean[i] - UNA_TWO_SIDED * model->sweep_std[i];
        high[i] = model->line_mean[i] + UNA_TWO_SIDED * model->sweep_std[i];
    }
    una_panel_layers(panel, &(una_layers){ at, model->line_lower, low, high, model->line_upper, grid }, false);
    for (size_t k = 0; k < parts; k++)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.6, 0.55 }, at, model->parts + k * grid, grid);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 1.8, 0 }, at, model->line_mean, grid);
    if (report->truth)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_DATA, 1.2, 0 }, at, report->truth, grid);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_DATA, report->rows > UNA_FEW_ROWS ? 2.2 : 3.2, 0 },
                   report->columns[0].number, report->y, report->rows);
}

una_figure una_chart_function(const una_report *report, una_arena *arena)
{
    bool several = report->model_count > 1;
    una_figure figure = una_figure_in(arena, several ? 2 : 1, several ? UNA_HALF_WIDTH : 560, several ? 300 : 340);
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
        if (panel) add_function(panel, report, &report->models[m], arena), panel->x.date = report->columns[0].date;
        parts = parts || report->models[m].part_count > 0;
    }
    if (parts) una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_PART, "members or heads");

    una_axis x = { .low = report->sweep_at[0], .high = report->sweep_at[report->grid - 1] }, y = function_range(report);
    una_figure_share(&figure, &x, &y);
    return figure;
}

/* ---- predicted against observed --------------------------------------------------------------------- */

const una_report_predictions *una_report_judged(const una_report_model *model)
{
    return model->held_out ? model->held_out : &model->given;
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
    una_figure figure = una_figure_in(arena, 2, UNA_HALF_WIDTH, 330);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "one row");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_NOISE, "with noise, 95 %");
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "predicted = observed");
    double low = INFINITY, high = -INFINITY;
    const char *const *tips = una_report_tips(report, arena);

    for (size_t k = report->model_count; k > 0; k--) {
        const una_report_predictions *of = una_report_judged(&report->models[k - 1]);
        bool few = of->rows <= UNA_FEW_ROWS;
        una_panel *panel = una_figure_panel(&figure, title_if_several(report, k - 1), "Observed", "Predicted");
        const una_series points = { .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_MODEL, .x = of->y, .y = of->mean,
            .count = of->rows, .size = few ? 3 : 1.8, .opacity = few ? 0.8 : 0.3, .tips = tips_of(of, tips, arena) };
        una_panel_plot(panel, (una_look){ UNA_SHAPE_DIAGONAL, UNA_INK_PART, 0.8, 0 }, NULL, NULL, 0);
        if (!few) una_panel_add(panel, points);
        una_panel_row_bars(panel, of, of->y, NULL, SOME_RANGES, true);
        if (few) una_panel_add(panel, points);
        una_range_add(&low, &high, of->y, of->rows);
        una_range_add(&low, &high, of->mean, of->rows);
    }

    una_axis both = una_axis_around(low, high, 0.06);
    una_figure_share(&figure, &both, &both);
    return figure;
}

/* ---- calibration ------------------------------------------------------------------------------------ */

static double row_of_prediction(const una_report_predictions *predictions, size_t i)
{
    double z = (predictions->y[i] - predictions->mean[i]) / predictions->std[i];
    return predictions->below ? predictions->below[i] : 0.5 * erfc(-z * 0.70710678118654752440);
}

/* Shares of the rows that lie inside the central bands of probability p. */
static const double *inside_shares(const una_report_predictions *predictions, const double *p, una_arena *arena)
{
    double *level = UNA_GET(arena, double, predictions->rows);
    for (size_t i = 0; level && i < predictions->rows; i++)
        level[i] = fabs(2 * row_of_prediction(predictions, i) - 1);
    return level ? una_shares_below(level, predictions->rows, p, 1e-12, arena) : NULL;
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
    if (bars) una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, ink, 22, 0.6 }, at, foot, share, TENTHS);
    else una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, ink, 0, 0 }, at, share, TENTHS);
    double low = 0, high = panel->y.high;
    una_range_add(&low, &high, share, TENTHS);
    panel->y.high = fmax(high, 1.08 * high * (high > panel->y.high));
}

/* 10 % of the rows, and the range around it that chance leaves. */
static void add_even(una_panel *panel, size_t rows)
{
    double half = 100 * UNA_TWO_SIDED * sqrt(0.1 * 0.9 / (double)rows);
    una_panel_field(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_PART, 0, 0.25 }, (una_axis){ .low = 0, .high = 1 },
                    (una_axis){ .low = fmax(0, 10 - half), .high = 10 + half });
}

una_figure una_chart_calibration(const una_report *report, una_arena *arena)
{
    bool alone = report->model_count == 1;               /* then it stands beside the predictions */
    una_figure figure = una_figure_in(arena, alone ? 1 : 2, UNA_HALF_WIDTH, alone ? 196 : 300);
    size_t rows = 0, models = 0;
    for (size_t m = report->model_count; m > 0; m--)
        if (report->models[m - 1].held_out) rows = report->models[m - 1].held_out->rows, models++;
    if (rows == 0) return figure;

    una_panel *panel = una_figure_panel(&figure, NULL, "Probability of the band, as predicted",
                                        "Share of rows inside");
    una_panel *tenths = una_figure_panel(&figure, NULL, "Predicted probability of less than observed",
                                         "Rows, %");
    if (!panel || !tenths) return figure;
    panel->x.high = panel->y.high = tenths->x.high = 1;          /* from 0 */
    tenths->y.high = 20;
    const double *p = una_panel_chances(panel, rows);
    add_even(tenths, rows);

    for (size_t m = report->model_count; m > 0; m--) {           /* the subject comes on top */
        const una_report_predictions *predictions = report->models[m - 1].held_out;
        if (!predictions) continue;
        const double *share = p ? inside_shares(predictions, p, arena) : NULL;
        if (!share) break;
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, una_model_ink(m - 1), 0, 0 }, p, share, UNA_LEVELS);
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
    panel->x.date = report->columns[0].date;
    for (size_t i = 0; i < dots; i++) {
        size_t row = dots < 2 ? 0 : i * (report->rows - 1) / (dots - 1);
        x[i] = report->columns[0].number[row];
        sorted[i] = std[i] = report->models[0].given.std_epistemic[row];
    }
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, 2.2, 0.25 }, x, std, dots);
    for (size_t m = report->model_count; m > 0; m--) {
        una_ink ink = una_model_ink(m - 1);
        if (m == 1) ink = UNA_INK_IGNORANCE;
        else if (m == 2) ink = UNA_INK_DATA;
        una_panel_plot(panel, (una_look){ m == 1 ? UNA_SHAPE_LINE : UNA_SHAPE_DASHES, ink, m == 1 ? 1.8 : 1.1, 0 },
                       report->sweep_at, report->models[m - 1].sweep_std, report->grid);
        una_panel_label(panel, title_if_several(report, m - 1));
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
    if (report->model_count > 1) una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_DATA, report->models[1].title);
    add_model_keys(&figure, report, UNA_SHAPE_DASHES, 2);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, "at the rows themselves");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "density of the data");
    return figure;
}

size_t *una_report_least_known(const una_report *report, una_arena *arena)
{
    double *down = UNA_GET(arena, double, report->rows);
    if (!down) return NULL;
    for (size_t i = 0; i < report->rows; i++) down[i] = -report->models[0].given.std_epistemic[i];
    return una_order_of(down, report->rows, arena);
}

size_t *una_report_surprises(const una_report *report, una_arena *arena)
{
    const una_report_predictions *given = &report->models[0].given;
    double *down = UNA_GET(arena, double, report->rows);
    if (!down) return NULL;
    for (size_t i = 0; i < report->rows; i++) down[i] = -fabs(report->y[i] - given->mean[i]) / given->std[i];
    return una_order_of(down, report->rows, arena);
}

bool una_report_has_ignorance(const una_report *report)
{
    return una_reach_of(report->models[0].given.std_epistemic, report->rows) > 0;
}

/* ---- what is left to a person ----------------------------------------------------------------------- */

/* Of the rows in the order of a model's ignorance the first 2 %, 4 % ... and all: where they are so many that the root
 * mean square of their errors means something. */
static size_t risk_of(const una_report *report, const una_report_model *model, double *kept, double *error,
                      una_arena *arena)
{
    const size_t *order = una_order_of(model->given.std_epistemic, report->rows, arena);
    double sum = 0;
    size_t count = 0;
    for (size_t k = 1, i = 0; order && k <= SHARES; k++) {
        size_t upto = (k * report->rows + SHARES / 2) / SHARES;
        for (; i < upto; i++) sum += pow(report->y[order[i]] - model->given.mean[order[i]], 2);
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
    add_model_keys(&figure, report, UNA_SHAPE_LINE, 0);
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
    return una_axis_around(low, high, 0.04);
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
    una_figure figure = una_figure_in(arena, 3, UNA_THIRD_WIDTH, 180);
    add_training_curve(&figure, report, "Training loss", 0, arena);
    add_training_curve(&figure, report, "Held-out log-likelihood", 1, arena);
    add_training_curve(&figure, report, "Mean cos\xC2\xB2 of the heads", 2, arena);
    add_model_keys(&figure, report, UNA_SHAPE_LINE, 0);
    return figure;
}
