/* SPDX-License-Identifier: MIT
 *
 * Collecting a figure: panels, series (thinned), keys, and the density strip, a Gaussian kernel estimate
 *   d(x) = sum_i exp(-(x - x_i)^2 / 2 h^2),   h = 0.3 min(std, iqr / 1.34) n^(-1/5)
 * on a grid, from counts on a finer grid so that it costs the same for any number of rows. h is a third of what
 * Silverman (1986, eq. 3.31) gives for one hump: here it is the gaps that must be seen.
 */
#include "draw/figure.h"

enum { STRIP = 120, FINE = 480 };

una_figure una_figure_in(una_arena *arena, size_t columns, double panel_width, double panel_height)
{
    return (una_figure){ .arena = arena, .columns = columns, .panel_width = panel_width, .panel_height = panel_height };
}

una_panel *una_figure_panel(una_figure *figure, const char *title, const char *x_label, const char *y_label)
{
    if (figure->panel_count == UNA_MOST_PANELS) return NULL;
    una_panel *panel = UNA_GET(figure->arena, una_panel, 1);
    if (!panel) return NULL;
    panel->arena = figure->arena;
    panel->title = title;
    panel->x.label = x_label;
    panel->y.label = y_label;
    figure->panels[figure->panel_count++] = panel;
    return panel;
}

void una_figure_key(una_figure *figure, una_shape shape, una_ink ink, const char *label)
{
    una_key *keys = una_arena_grow(figure->arena, figure->keys, figure->key_count, &figure->key_room, sizeof *keys);
    if (!keys) return;
    figure->keys = keys;
    figure->keys[figure->key_count++] = (una_key){ shape, ink, label };
}

/* Of `count` the one that is number i of `few`, spread evenly: first and last stay. */
static size_t thinned(size_t i, size_t few, size_t count)
{
    return (size_t)((double)i * (double)(count - 1) / (double)(few - 1));
}

static const double *thin_values(const double *values, size_t count, una_arena *arena)
{
    double *few = values ? UNA_GET(arena, double, UNA_MOST_POINTS) : NULL;
    if (!few) return NULL;
    for (size_t i = 0; i < UNA_MOST_POINTS; i++) few[i] = values[thinned(i, UNA_MOST_POINTS, count)];
    return few;
}

static const char *const *thin_tips(const char *const *tips, size_t count, una_arena *arena)
{
    const char **few = tips ? UNA_GET(arena, const char *, UNA_MOST_POINTS) : NULL;
    for (size_t i = 0; few && i < UNA_MOST_POINTS; i++) few[i] = tips[thinned(i, UNA_MOST_POINTS, count)];
    return few;
}

void una_panel_add(una_panel *panel, una_series series)
{
    if (!panel) return;
    una_series *more = una_arena_grow(panel->arena, panel->series, panel->count, &panel->room, sizeof *more);
    if (!more) return;
    panel->series = more;
    if (series.count > UNA_MOST_POINTS) {
        series.x = thin_values(series.x, series.count, panel->arena);
        series.y = thin_values(series.y, series.count, panel->arena);
        series.y2 = thin_values(series.y2, series.count, panel->arena);
        series.shade = thin_values(series.shade, series.count, panel->arena);
        series.tips = thin_tips(series.tips, series.count, panel->arena);
        series.count = UNA_MOST_POINTS;
        if (panel->arena->failed) return;
    }

    panel->series[panel->count++] = series;
}

void una_panel_plot(una_panel *panel, una_look look, const double *x, const double *y, size_t count)
{
    una_panel_between(panel, look, x, y, NULL, count);
}

void una_panel_between(una_panel *panel, una_look look, const double *x, const double *low, const double *high,
                       size_t count)
{
    una_panel_add(panel, (una_series){ look.shape, look.ink, x, low, high, count, look.size, look.opacity, .label = NULL });
}

void una_panel_label(una_panel *panel, const char *label)
{
    if (panel && panel->count) panel->series[panel->count - 1].label = label;
}

void una_panel_segment(una_panel *panel, una_look look, double from_x, double from_y, double to_x, double to_y)
{
    double *at = panel ? UNA_GET(panel->arena, double, 4) : NULL;
    if (!at) return;
    at[0] = from_x, at[1] = to_x, at[2] = from_y, at[3] = to_y;
    una_panel_plot(panel, look, at, at + 2, 2);
}

void una_panel_field(una_panel *panel, una_look look, una_axis x, una_axis y)
{
    double *at = panel ? UNA_GET(panel->arena, double, 6) : NULL;
    if (!at) return;
    at[0] = x.low, at[1] = x.high, at[2] = at[3] = y.low, at[4] = at[5] = y.high;
    una_panel_between(panel, look, at, at + 2, at + 4, 2);
}

void una_panel_show(una_panel *panel, double left, double right, double bottom, double top)
{
    if (!panel) return;
    panel->x.low = left, panel->x.high = right;
    panel->y.low = bottom, panel->y.high = top;
}

una_panel *una_figure_axes(una_figure *figure, const char *title, const una_axis *axes, size_t count)
{
    una_panel *panel = una_figure_panel(figure, title, NULL, NULL);
    if (!panel) return NULL;
    panel->axes = axes;
    panel->axis_count = count;
    return panel;
}

void una_panel_bundle(una_panel *panel, una_bundle bundle)
{
    if (!panel) return;
    una_bundle *more = una_arena_grow(panel->arena, panel->bundles, panel->bundle_count, &panel->bundle_room, sizeof *more);
    if (!more) return;
    panel->bundles = more;
    size_t width = panel->axis_count;

    if (bundle.count > UNA_MOST_LINES) {
        double *few = UNA_GET(panel->arena, double, UNA_MOST_LINES * width);
        if (!few) return;
        for (size_t i = 0; i < UNA_MOST_LINES; i++)
            memcpy(few + i * width, bundle.at + thinned(i, UNA_MOST_LINES, bundle.count) * width, width * sizeof *few);
        bundle.at = few;
        bundle.count = UNA_MOST_LINES;
    }

    panel->bundles[panel->bundle_count++] = bundle;
}

double una_axis_place(const una_axis *axis, double value)
{
    if (!axis->log) return (value - axis->low) / (axis->high - axis->low);
    if (value <= 0) return -INFINITY;
    return log(value / axis->low) / log(axis->high / axis->low);
}

void una_range_add(double *low, double *high, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) < 1e300)) continue;
        if (values[i] < *low) *low = values[i];
        if (values[i] > *high) *high = values[i];
    }
}

double una_reach_of(const double *values, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, values, count);
    return high > low ? high - low : 0;
}

una_axis una_axis_around(double low, double high, double share)
{
    if (!(low < high)) return (una_axis){0};
    return (una_axis){ .low = low - share * (high - low), .high = high + share * (high - low) };
}

double una_quantile(double *values, size_t count, double share)
{
    size_t finite = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) values[finite++] = values[i];
    if (finite == 0) return NAN;
    qsort(values, finite, sizeof *values, una_by_number);
    double at = share * (double)(finite - 1);
    size_t below = (size_t)at;
    if (below + 1 >= finite) return values[finite - 1];
    return values[below] + (at - (double)below) * (values[below + 1] - values[below]);
}

/* h above; `sorted` is put in order. */
static double kernel_width(double *sorted, size_t count, double low, double high)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++) mean += sorted[i] / (double)count;
    for (size_t i = 0; i < count; i++) square += (sorted[i] - mean) * (sorted[i] - mean) / (double)count;
    double spread = sqrt(square);
    double middle = (una_quantile(sorted, count, 0.75) - una_quantile(sorted, count, 0.25)) / 1.34;
    if (middle > 0 && middle < spread) spread = middle;
    double width = 0.3 * spread * pow((double)count, -0.2), least = (high - low) / 100;
    return width > least ? width : least;
}

void una_panel_strip(una_panel *panel, const double *values, size_t count)
{
    if (!panel) return;
    double *finite = UNA_GET(panel->arena, double, count), *fine = UNA_GET(panel->arena, double, FINE);
    double *x = UNA_GET(panel->arena, double, STRIP), *y = UNA_GET(panel->arena, double, STRIP);
    if (panel->arena->failed) return;

    size_t rows = 0;
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, values, count);
    for (size_t i = 0; i < count; i++)
        if (fabs(values[i]) < 1e300) finite[rows++] = values[i];
    if (rows == 0 || !(high > low)) return;
    for (size_t i = 0; i < rows; i++)
        fine[(size_t)fmin((finite[i] - low) / (high - low) * FINE, FINE - 1)] += 1;

    double width = kernel_width(finite, rows, low, high), top = 0;
    for (size_t i = 0; i < STRIP; i++) {
        x[i] = low - 3 * width + (high - low + 6 * width) * (double)i / (STRIP - 1);
        for (size_t k = 0; k < FINE; k++) {
            double z = (x[i] - low - (high - low) * ((double)k + 0.5) / FINE) / width;
            if (fine[k] > 0) y[i] += fine[k] * exp(-0.5 * z * z);
        }
        top = fmax(top, y[i]);
    }
    for (size_t i = 0; i < STRIP; i++) y[i] /= top;

    panel->strip_x = x;
    panel->strip_y = y;
    panel->strip_count = STRIP;
}
