/* SPDX-License-Identifier: MIT
 *
 * Single charts of a model. Orange is what it does not know, grey is noise, deep blue what it says. The calibration
 * curve is the share of rows with F(y) <= p; around the diagonal lies p +- 1.96 sqrt(p (1 - p) / n), where 95 % of all
 * samples of a perfect model would be.
 */
#include "draw/plot_charts.h"

enum { FEW_ROWS = 300, SOME_RANGES = 80, LEVELS = 101, MOST_BARS = 40 };
static const double wide = 560, high = 340, z95 = 1.959964;

/* ---- what charts share ------------------------------------------------------------------------------------------ */

static una_axis range_with_margin(double low, double top, double share)
{
    if (!(low < top)) return (una_axis){0};
    return (una_axis){ .low = low - share * (top - low), .high = top + share * (top - low) };
}

static void set_axis_range(una_axis *axis, una_axis range)
{
    axis->low = range.low;
    axis->high = range.high;
}

/* Words stand at 1, 2 ...; numbers have what is in `x`. */
static void lie_along(una_panel *panel, const double *x, size_t count, const char *const *names, size_t name_count)
{
    double low = INFINITY, top = -INFINITY;
    if (!panel) return;
    if (names) {
        panel->x.names = names;
        panel->x.name_count = name_count;
        set_axis_range(&panel->x, (una_axis){ .low = 0.4, .high = (double)name_count + 0.6 });
        return;
    }
    una_range_add(&low, &top, x, count);
    set_axis_range(&panel->x, range_with_margin(low, top, 0.05));
}

static void add_zero(una_panel *panel, una_arena *arena)
{
    double *x = UNA_GET(arena, double, 2), *y = UNA_GET(arena, double, 2);
    if (!panel || arena->failed) return;
    x[0] = panel->x.low, x[1] = panel->x.high;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.9, 0 }, x, y, 2);
}

typedef struct ranked { double value; size_t row; } ranked;

static int compare_plotted(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

/* All rows of a small table, else some that are spread evenly over `value`. */
static size_t *choose_shown_rows(size_t *count, const double *value, size_t rows, una_arena *arena)
{
    *count = rows <= FEW_ROWS ? rows : SOME_RANGES;
    ranked *list = UNA_GET(arena, ranked, rows);
    size_t *some = UNA_GET(arena, size_t, *count);
    if (arena->failed) return NULL;
    for (size_t i = 0; i < rows; i++) list[i] = (ranked){ isnan(value[i]) ? INFINITY : value[i], i };
    qsort(list, rows, sizeof *list, compare_plotted);
    for (size_t i = 0; i < *count; i++) some[i] = list[*count > 1 ? i * (rows - 1) / (*count - 1) : 0].row;
    return some;
}

/* Upright bars of the band and of ignorance within it, of some rows, less `from` (NULL: 0). */
static void add_row_bars(una_panel *panel, const una_plot_rows *r, const double *x, const double *from,
                         una_arena *arena)
{
    size_t count, *some = choose_shown_rows(&count, x, r->count, arena);
    double *at = UNA_GET(arena, double, count), *ends[4];
    for (size_t k = 0; k < 4; k++) ends[k] = UNA_GET(arena, double, count);
    if (!some || arena->failed) return;
    for (size_t i = 0; i < count; i++) {
        size_t row = some[i];
        double off = from ? from[row] : 0, half = z95 * r->std_epistemic[row];
        at[i] = x[row];
        ends[0][i] = r->lower[row] - off, ends[1][i] = r->upper[row] - off;
        ends[2][i] = r->mean[row] - half - off, ends[3][i] = r->mean[row] + half - off;
    }
    una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, UNA_INK_NOISE, 0.9, 0.55 }, at, ends[0], ends[1], count);
    una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, 1.6, 0.6 }, at, ends[2], ends[3], count);
}

/* How dense rows are along numbers; levels are counted by their dots. */
static void add_density(una_figure *figure, una_panel *panel, const una_plot_rows *r, const char *const *names)
{
    if (names) return;
    una_panel_strip(panel, r->x, r->count);
    una_figure_key(figure, UNA_SHAPE_BAND, UNA_INK_PART, "density of the rows");
}

static void add_row_dots(una_panel *panel, const una_plot_rows *r, const double *x, const double *y, una_ink ink)
{
    bool few = r->count <= FEW_ROWS;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, ink, few ? 3.4 : 2.2, few ? 0.85 : 0.4 }, x, y, r->count);
}

/* ---- along one input --------------------------------------------------------------------------------------------- */

/* Ignorance as a band of the mean, inside of the whole one; a skewed band may be narrower on one side. */
static void inner_band(double *low, double *top, const una_plot_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        low[i] = fmax(line->mean[i] - z95 * line->std[i], line->lower[i]);
        top[i] = fmin(line->mean[i] + z95 * line->std[i], line->upper[i]);
    }
}

/* Side by side, not on top of each other: mixed, the two colours would be mud. */
static void add_bands(una_panel *panel, const una_plot_line *line, const double *low, const double *top)
{
    una_series s = { .shape = UNA_SHAPE_BAND, .ink = UNA_INK_NOISE, .x = line->at, .count = line->count };
    s.y = line->lower, s.y2 = low;
    una_panel_add(panel, s);
    s.y = top, s.y2 = line->upper;
    una_panel_add(panel, s);
    s.ink = UNA_INK_IGNORANCE, s.y = low, s.y2 = top, s.opacity = 0.38;
    una_panel_add(panel, s);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 1.8, 0 }, line->at, line->mean, line->count);
}

static void add_levels(una_panel *panel, const una_plot_line *line, const double *low, const double *top)
{
    una_series s = { .shape = UNA_SHAPE_RANGES, .ink = UNA_INK_NOISE, .x = line->at, .count = line->count, .size = 9 };
    s.y = line->lower, s.y2 = low, s.opacity = 0.35;
    una_panel_add(panel, s);
    s.y = top, s.y2 = line->upper;
    una_panel_add(panel, s);
    s.ink = UNA_INK_IGNORANCE, s.y = low, s.y2 = top, s.opacity = 0.45;
    una_panel_add(panel, s);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 6, 1 }, line->at, line->mean, line->count);
}

/* Bands may leave the paper: half the range of what is shown otherwise, above and below, is enough to see that. */
static una_axis band_range(const una_plot_line *line, const una_plot_rows *rows, bool dots)
{
    double low = INFINITY, top = -INFINITY, inner_low = INFINITY, inner_top = -INFINITY;
    una_range_add(&low, &top, line->lower, line->count);
    una_range_add(&low, &top, line->upper, line->count);
    una_range_add(&inner_low, &inner_top, line->mean, line->count);
    if (rows->y) una_range_add(&inner_low, &inner_top, rows->y, rows->count);
    if (dots && rows->y) low = fmin(low, inner_low), top = fmax(top, inner_top);
    double air = 0.5 * (inner_top - inner_low);
    if (air > 0) low = fmax(low, inner_low - air), top = fmin(top, inner_top + air);
    return range_with_margin(low, top, 0.03);
}

una_figure una_plot_bands(const una_plot_line *line, const una_plot_rows *rows, bool dots, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, wide, high);
    double *low = UNA_GET(arena, double, line->count), *top = UNA_GET(arena, double, line->count);
    una_panel *panel = una_figure_panel(&figure, rows->title, line->input, rows->target);
    if (!panel || arena->failed) return figure;
    una_figure_key(&figure, line->levels ? UNA_SHAPE_POINTS : UNA_SHAPE_LINE, UNA_INK_MODEL, "mean");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "ignorance, 95 %");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_NOISE, "with noise, 95 %");
    if (dots) una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "rows");

    inner_band(low, top, line);
    lie_along(panel, line->at, line->count, line->names, line->count);
    if (!line->levels) set_axis_range(&panel->x, (una_axis){ .low = line->at[0], .high = line->at[line->count - 1] });
    set_axis_range(&panel->y, band_range(line, rows, dots));
    if (line->levels) add_levels(panel, line, low, top);
    else add_bands(panel, line, low, top);
    if (dots) add_row_dots(panel, rows, rows->x, rows->y, UNA_INK_DATA);
    else add_density(&figure, panel, rows, line->names);
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
    lie_along(panel, line->at, line->count, line->names, line->count);
    for (size_t i = 0; i < line->line_count; i++)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.7, 0.6 }, line->at,
                       line->lines + i * line->count, line->count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, line->levels ? 1 : 2.2, 0 }, line->at, line->mean,
                   line->count);
    if (line->levels)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 6, 1 }, line->at, line->mean, line->count);
    una_range_add(&low, &top, line->lines, line->line_count * line->count);
    una_range_add(&low, &top, line->mean, line->count);
    set_axis_range(&panel->y, range_with_margin(low, top, 0.05));
    add_density(&figure, panel, rows, line->names);
    return figure;
}

/* ---- rows as they are -------------------------------------------------------------------------------------------- */

una_figure una_plot_observed(const una_plot_rows *r, una_arena *arena)
{
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
    set_axis_range(&panel->x, range_with_margin(low, top, 0.06));
    set_axis_range(&panel->y, range_with_margin(low, top, 0.06));
    una_panel_plot(panel, (una_look){ UNA_SHAPE_DIAGONAL, UNA_INK_PART, 0.8, 0 }, NULL, NULL, 0);
    add_row_bars(panel, r, r->y, NULL, arena);
    add_row_dots(panel, r, r->y, r->mean, UNA_INK_MODEL);
    return figure;
}

static double *shares_below(const una_plot_rows *r, const double *p, una_arena *arena)
{
    size_t below[LEVELS] = {0}, counted = 0;
    double *share = UNA_GET(arena, double, LEVELS);
    if (!share) return NULL;
    for (size_t i = 0; i < r->count; i++) {
        if (isnan(r->below[i])) continue;
        counted++;
        for (size_t k = LEVELS; k > 0 && r->below[i] <= p[k - 1]; k--) below[k - 1]++;
    }
    for (size_t k = 0; k < LEVELS; k++) share[k] = counted ? (double)below[k] / (double)counted : NAN;
    return share;
}

una_figure una_plot_calibration(const una_plot_rows *r, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, 460, 420);
    double *p = UNA_GET(arena, double, LEVELS), *low = UNA_GET(arena, double, LEVELS);
    double *top = UNA_GET(arena, double, LEVELS);
    una_panel *panel = una_figure_panel(&figure, r->title, "Probability, as predicted", "Share of rows below");
    if (!panel || arena->failed) return figure;
    for (size_t k = 0; k < LEVELS; k++) {
        p[k] = (double)k / (LEVELS - 1);
        double half = z95 * sqrt(p[k] * (1 - p[k]) / (double)r->count);
        low[k] = fmax(0, p[k] - half);
        top[k] = fmin(1, p[k] + half);
    }
    const double *share = shares_below(r, p, arena);
    if (!share) return figure;
    panel->x.high = panel->y.high = 1;                   /* from 0 */
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_PART, 0, 0.25 }, p, low, top, LEVELS);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_DIAGONAL, UNA_INK_PART, 0.8, 0 }, NULL, NULL, 0);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 1.8, 0 }, p, share, LEVELS);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "the model");
    una_figure_key(&figure, UNA_SHAPE_DIAGONAL, UNA_INK_PART, "perfect calibration");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "its sampling range, 95 %");
    return figure;
}

una_figure una_plot_residuals(const una_plot_rows *r, const char *input, const char *const *names, size_t name_count,
                              una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, wide, high);
    const double *x = r->x ? r->x : r->mean;
    double *off = UNA_GET(arena, double, r->count);
    una_text label = una_text_in(arena);
    una_text_add(&label, "Observed less predicted %s", r->target);
    una_panel *panel = una_figure_panel(&figure, r->title, r->x ? input : "Predicted", label.at);
    if (!panel || arena->failed) return figure;
    for (size_t i = 0; i < r->count; i++) off[i] = r->y[i] - r->mean[i];
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "one row");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, "ignorance, 95 %");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_NOISE, "with noise, 95 %");
    lie_along(panel, x, r->count, r->x ? names : NULL, name_count);
    add_zero(panel, arena);
    add_row_bars(panel, r, x, r->mean, arena);
    add_row_dots(panel, r, x, off, UNA_INK_MODEL);
    return figure;
}

una_figure una_plot_ignorance(const una_plot_rows *r, const char *input, const char *const *names, size_t name_count,
                              una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, wide, high);
    double low = 0, top = 0;
    una_panel *panel = una_figure_panel(&figure, r->title, input, "Ignorance (epistemic std)");
    if (!panel) return figure;
    una_range_add(&low, &top, r->std_epistemic, r->count);
    lie_along(panel, r->x, r->count, names, name_count);
    set_axis_range(&panel->y, (una_axis){ .low = 0, .high = top > 0 ? 1.05 * top : 1 });
    add_row_dots(panel, r, r->x, r->std_epistemic, UNA_INK_IGNORANCE);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, "one row");
    add_density(&figure, panel, r, names);
    return figure;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

una_figure una_plot_importance(const char *title, const char *const *names, const double *relevance, size_t count,
                               una_arena *arena)
{
    size_t shown = count < MOST_BARS ? count : MOST_BARS;
    una_figure figure = una_figure_in(arena, 1, wide, 66 + 22 * (double)shown);
    ranked *order = UNA_GET(arena, ranked, count);
    double *share = UNA_GET(arena, double, shown), *at = UNA_GET(arena, double, shown), sum = 0;
    const char **name = UNA_GET(arena, const char *, shown);
    una_panel *panel = una_figure_panel(&figure, title, "Share of all inputs, %", NULL);
    if (!panel || arena->failed) return figure;
    for (size_t i = 0; i < count; i++) {
        order[i] = (ranked){ -relevance[i], i };
        sum += relevance[i] * relevance[i];
    }
    qsort(order, count, sizeof *order, compare_plotted);
    for (size_t i = 0; i < shown; i++) {                 /* the first at the top */
        share[i] = sum > 0 ? 100 * order[i].value * order[i].value / sum : 0;
        at[i] = (double)(shown - i);
        name[shown - 1 - i] = names[order[i].row];
    }
    panel->x.high = fmax(1.06 * share[0], 1);
    panel->y = (una_axis){ .low = 0.4, .high = (double)shown + 0.6, .names = name, .name_count = shown };
    una_panel_plot(panel, (una_look){ UNA_SHAPE_BARS, UNA_INK_MODEL, 0, 0 }, share, at, shown);
    return figure;
}
