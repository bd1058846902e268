/* SPDX-License-Identifier: MIT
 *
 * Single charts of a model. Orange is what it does not know, grey is noise, deep blue what it says. The calibration
 * curve is the share of rows with F(y) <= p; around the diagonal lies p +- 1.96 sqrt(p (1 - p) / n), where 95 % of all
 * samples of a perfect model would be.
 */
#include "draw/plot_charts.h"

#include "draw/marks.h"
#include "draw/number.h"

enum { SOME_RANGES = 80, MOST_BARS = 40 };
static const double wide = 560, high = 340;

/* ---- what charts share ------------------------------------------------------------------------------------------ */

static void set_axis_range(una_axis *axis, una_axis range)
{
    axis->low = range.low;
    axis->high = range.high;
}

/* Words stand at 1, 2 ...; numbers have what is in `x`. */
static void lie_along(una_panel *panel, const una_plot_line *line, const double *x, size_t count)
{
    double low = INFINITY, top = -INFINITY;
    if (!panel) return;
    panel->x.date = line->date;
    if (line->names) {
        una_axis_name(&panel->x, line->names, line->count);
        return;
    }
    una_range_add(&low, &top, x, count);
    set_axis_range(&panel->x, una_axis_around(low, top, 0.05));
}

/* Of each row, or of some, less `from` (NULL: 0). */
static void add_row_bars(una_panel *panel, const una_plot_rows *r, const double *x, const double *from)
{
    const una_report_predictions of = { .rows = r->count, .mean = r->mean, .std_epistemic = r->std_epistemic,
                                        .lower = r->lower, .upper = r->upper };
    una_panel_row_bars(panel, &of, x, from, SOME_RANGES, false);
}

/* How dense rows are along numbers; levels are counted by their dots. */
static void add_density(una_figure *figure, una_panel *panel, const una_plot_rows *r, const una_plot_line *line)
{
    if (line->names) return;
    una_panel_strip(panel, r->x, r->count);
    una_figure_key(figure, UNA_SHAPE_BAND, UNA_INK_PART, "density of the rows");
}

static void add_row_dots(una_panel *panel, const una_plot_rows *r, const double *x, const double *y, una_ink ink)
{
    bool few = r->count <= UNA_FEW_ROWS;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, ink, few ? 3.4 : 2.2, few ? 0.85 : 0.4 }, x, y, r->count);
}

/* ---- along one input --------------------------------------------------------------------------------------------- */

/* Ignorance as a band of the mean, inside of the whole one; a skewed band may be narrower on one side. */
static void inner_band(double *low, double *top, const una_plot_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        low[i] = fmax(line->mean[i] - UNA_TWO_SIDED * line->std[i], line->lower[i]);
        top[i] = fmin(line->mean[i] + UNA_TWO_SIDED * line->std[i], line->upper[i]);
    }
}

static una_axis band_range(const una_plot_line *line, const una_plot_rows *rows, bool dots)
{
    double low = INFINITY, top = -INFINITY, inner_low = INFINITY, inner_top = -INFINITY;
    una_range_add(&low, &top, line->lower, line->count);
    una_range_add(&low, &top, line->upper, line->count);
    una_range_add(&inner_low, &inner_top, line->mean, line->count);
    if (rows->y) una_range_add(&inner_low, &inner_top, rows->y, rows->count);
    if (dots && rows->y) low = fmin(low, inner_low), top = fmax(top, inner_top);
    return una_axis_of_bands(low, top, inner_low, inner_top, 0.03);
}

una_figure una_plot_bands(const una_plot_line *line, const una_plot_rows *rows, una_arena *arena)
{
    bool dots = rows->dots;
    una_figure figure = una_figure_in(arena, 1, wide, high);
    double *low = UNA_GET(arena, double, line->count), *top = UNA_GET(arena, double, line->count);
    una_panel *panel = una_figure_panel(&figure, rows->title, line->input, rows->target);
    if (!panel || arena->failed) return figure;
    una_figure_key(&figure, line->levels ? UNA_SHAPE_POINTS : UNA_SHAPE_LINE, UNA_INK_MODEL, "mean");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "ignorance, 95 %");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_NOISE, "with noise, 95 %");
    if (dots) una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "rows");

    inner_band(low, top, line);
    lie_along(panel, line, line->at, line->count);
    if (!line->levels) set_axis_range(&panel->x, (una_axis){ .low = line->at[0], .high = line->at[line->count - 1] });
    set_axis_range(&panel->y, band_range(line, rows, dots));
    una_panel_layers(panel, &(una_layers){ line->at, line->lower, low, top, line->upper, line->count }, line->levels);
    una_panel_plot(panel, line->levels ? (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 6, 1 } :
                   (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 1.8, 0 }, line->at, line->mean, line->count);
    if (dots) add_row_dots(panel, rows, rows->x, rows->y, UNA_INK_DATA);
    else add_density(&figure, panel, rows, line);
    return figure;
}

una_figure una_plot_effect(const una_plot_line *line, const una_plot_rows *rows, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, wide, high);
    una_panel *panel = una_figure_panel(&figure, rows->title, line->input, rows->target);
    double low = INFINITY, top = -INFINITY;
    if (!panel || arena->failed) return figure;
    una_figure_key(&figure, line->levels ? UNA_SHAPE_POINTS : UNA_SHAPE_LINE, UNA_INK_MODEL, "average of rows");
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_PART, "single rows");
    lie_along(panel, line, line->at, line->count);
    for (size_t i = 0; i < line->line_count; i++)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.7, 0.6 }, line->at,
                       line->lines + i * line->count, line->count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, line->levels ? 1 : 2.2, 0 }, line->at, line->mean,
                   line->count);
    if (line->levels)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 6, 1 }, line->at, line->mean, line->count);
    una_range_add(&low, &top, line->lines, line->line_count * line->count);
    una_range_add(&low, &top, line->mean, line->count);
    set_axis_range(&panel->y, una_axis_around(low, top, 0.05));
    add_density(&figure, panel, rows, line);
    return figure;
}

/* ---- rows as they are -------------------------------------------------------------------------------------------- */

una_figure una_plot_observed(const una_plot_line *line, const una_plot_rows *r, una_arena *arena)
{
    (void)line;
    una_figure figure = una_figure_in(arena, 1, 460, 420);
    double low = INFINITY, top = -INFINITY;
    una_panel *panel = una_figure_panel(&figure, r->title, "Observed", "Predicted");
    if (!panel) return figure;
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "one row");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, "ignorance, 95 %");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_NOISE, "with noise, 95 %");
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "predicted = observed");
    una_range_add(&low, &top, r->y, r->count);
    una_range_add(&low, &top, r->mean, r->count);
    set_axis_range(&panel->x, una_axis_around(low, top, 0.06));
    set_axis_range(&panel->y, una_axis_around(low, top, 0.06));
    una_panel_plot(panel, (una_look){ UNA_SHAPE_DIAGONAL, UNA_INK_PART, 0.8, 0 }, NULL, NULL, 0);
    add_row_bars(panel, r, r->y, NULL);
    add_row_dots(panel, r, r->y, r->mean, UNA_INK_MODEL);
    return figure;
}

una_figure una_plot_calibration(const una_plot_line *line, const una_plot_rows *r, una_arena *arena)
{
    (void)line;
    una_figure figure = una_figure_in(arena, 1, 460, 420);
    una_panel *panel = una_figure_panel(&figure, r->title, "Probability, as predicted", "Share of rows below");
    const double *p = una_panel_chances(panel, r->count), *share = p ? una_shares_below(r->below, r->count, p, 0, arena)
                                                                     : NULL;
    if (!share) return figure;
    panel->x.high = panel->y.high = 1;                   /* from 0 */
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 1.8, 0 }, p, share, UNA_LEVELS);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "the model");
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "perfect calibration");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "its sampling range, 95 %");
    return figure;
}

una_figure una_plot_residuals(const una_plot_line *line, const una_plot_rows *r, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, wide, high);
    const double *x = r->x ? r->x : r->mean;
    double *off = UNA_GET(arena, double, r->count);
    una_panel *panel = una_figure_panel(&figure, r->title, r->x ? line->input : "Predicted",
                                        una_phrase(arena, "Observed less predicted %s", r->target));
    if (!panel || arena->failed) return figure;
    for (size_t i = 0; i < r->count; i++) off[i] = r->y[i] - r->mean[i];
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "one row");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, "ignorance, 95 %");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_NOISE, "with noise, 95 %");
    lie_along(panel, line, x, r->count);
    una_panel_segment(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.9, 0 }, panel->x.low, 0, panel->x.high, 0);
    add_row_bars(panel, r, x, r->mean);
    add_row_dots(panel, r, x, off, UNA_INK_MODEL);
    return figure;
}

una_figure una_plot_ignorance(const una_plot_line *line, const una_plot_rows *r, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, wide, high);
    double low = 0, top = 0;
    una_panel *panel = una_figure_panel(&figure, r->title, line->input, "Ignorance (epistemic std)");
    if (!panel) return figure;
    una_range_add(&low, &top, r->std_epistemic, r->count);
    lie_along(panel, line, r->x, r->count);
    set_axis_range(&panel->y, (una_axis){ .low = 0, .high = top > 0 ? 1.05 * top : 1 });
    add_row_dots(panel, r, r->x, r->std_epistemic, UNA_INK_IGNORANCE);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, "one row");
    add_density(&figure, panel, r, line);
    return figure;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

una_figure una_plot_importance(const una_plot_line *line, const una_plot_rows *rows, una_arena *arena)
{
    size_t count = line->count, shown = count < MOST_BARS ? count : MOST_BARS;
    una_figure figure = una_figure_in(arena, 1, wide, 66 + 22 * (double)shown);
    double *down = UNA_GET(arena, double, count), *share = UNA_GET(arena, double, shown), sum = 0;
    const char **name = UNA_GET(arena, const char *, shown);
    if (arena->failed) return figure;
    for (size_t i = 0; i < count; i++) down[i] = -line->relevance[i], sum += down[i] * down[i];
    const size_t *order = una_order_of(down, count, arena);
    for (size_t i = 0; order && i < shown; i++) {        /* the first at the top */
        share[i] = sum > 0 ? 100 * down[order[i]] * down[order[i]] / sum : 0;
        name[shown - 1 - i] = line->names[order[i]];
    }
    una_panel *panel = una_figure_lying_bars(&figure, "Share of all inputs, %", share, name, shown, UNA_INK_MODEL);
    if (panel) panel->title = rows->title;
    return figure;
}
