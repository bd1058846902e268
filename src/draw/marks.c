/* SPDX-License-Identifier: MIT
 *
 * See marks.h. Bands lie side by side, not on top of each other: mixed, the two colours would be mud. The range that
 * chance leaves is p +- 1.96 sqrt(p (1 - p) / n), where 95 % of all samples of a perfect model would be.
 */
#include "draw/marks.h"

void una_panel_layers(una_panel *panel, const una_layers *l, bool levels)
{
    una_look look = { levels ? UNA_SHAPE_RANGES : UNA_SHAPE_BAND, UNA_INK_NOISE, levels ? 9 : 0, levels ? 0.35 : 0 };
    una_panel_between(panel, look, l->at, l->lower, l->low, l->count);
    una_panel_between(panel, look, l->at, l->high, l->upper, l->count);
    look.ink = UNA_INK_IGNORANCE, look.opacity = levels ? 0.45 : 0.38;
    una_panel_between(panel, look, l->at, l->low, l->high, l->count);
}

void una_panel_doubt(una_panel *panel, una_look look, const double *x, const double *mean, const double *std,
                     size_t count)
{
    double *low = panel ? UNA_GET(panel->arena, double, 2 * count) : NULL;
    if (!low) return;
    for (size_t i = 0; i < count; i++) {
        low[i] = mean[i] - UNA_TWO_SIDED * std[i];
        low[count + i] = mean[i] + UNA_TWO_SIDED * std[i];
    }
    una_panel_between(panel, look, x, low, low + count, count);
}

void una_range_add_doubt(double *low, double *high, const double *mean, const double *std, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double half = UNA_TWO_SIDED * std[i];
        una_range_add(low, high, (double[]){ mean[i] - half, mean[i] + half }, 2);
    }
}

void una_panel_row_bars(una_panel *panel, const una_report_predictions *of, const double *x, const double *less,
                        size_t some, bool dots)
{
    if (!panel) return;
    bool few = of->rows <= UNA_FEW_ROWS;
    size_t count = few ? of->rows : some;
    const size_t *order = una_order_of(x, of->rows, panel->arena);
    double *at = UNA_GET(panel->arena, double, 6 * count), *mean = at + count, *lower = mean + count;
    if (panel->arena->failed) return;
    double *low = lower + count, *high = low + count, *upper = high + count;
    for (size_t i = 0; i < count; i++) {
        size_t row = order[count > 1 ? i * (of->rows - 1) / (count - 1) : 0];
        double off = less ? less[row] : 0, half = UNA_TWO_SIDED * of->std_epistemic[row];
        at[i] = x[row], mean[i] = of->mean[row];
        lower[i] = of->lower[row] - off, upper[i] = of->upper[row] - off;
        low[i] = of->mean[row] - half - off, high[i] = of->mean[row] + half - off;
    }
    una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, UNA_INK_NOISE, 0.9, 0.55 }, at, lower, upper, count);
    una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, 1.6, 0.6 }, at, low, high, count);
    if (dots && !few) una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 3.2, 1 }, at, mean, count);
}

const double *una_panel_chances(una_panel *panel, size_t rows)
{
    double *p = panel ? UNA_GET(panel->arena, double, 3 * UNA_LEVELS) : NULL, *low = p, *high = p;
    if (!p) return NULL;
    low += UNA_LEVELS, high += 2 * UNA_LEVELS;
    for (size_t k = 0; k < UNA_LEVELS; k++) {
        p[k] = (double)k / (UNA_LEVELS - 1);
        double half = UNA_TWO_SIDED * sqrt(p[k] * (1 - p[k]) / (double)rows);
        low[k] = fmax(0, p[k] - half), high[k] = fmin(1, p[k] + half);
    }
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_PART, 0, 0.25 }, p, low, high, UNA_LEVELS);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_DIAGONAL, UNA_INK_PART, 0.8, 0 }, NULL, NULL, 0);
    return p;
}

const double *una_shares_below(const double *value, size_t count, const double *p, double slack, una_arena *arena)
{
    size_t below[UNA_LEVELS] = {0}, counted = 0;
    double *share = UNA_GET(arena, double, UNA_LEVELS);
    if (!share) return NULL;
    for (size_t i = 0; i < count; i++) {
        counted += isnan(value[i]) ? 0 : 1;
        for (size_t k = UNA_LEVELS; k > 0 && value[i] <= p[k - 1] + slack; k--) below[k - 1]++;
    }
    for (size_t k = 0; k < UNA_LEVELS; k++) share[k] = counted ? (double)below[k] / (double)counted : NAN;
    return share;
}

void una_axis_name(una_axis *axis, const char *const *names, size_t count)
{
    axis->low = 0.4, axis->high = (double)count + 0.6;
    axis->names = names, axis->name_count = count;
}

una_panel *una_figure_lying_bars(una_figure *figure, const char *label, const double *share, const char **names,
                                 size_t count, una_ink ink)
{
    double *at = UNA_GET(figure->arena, double, count), low = 0, high = 0;
    una_panel *panel = una_figure_panel(figure, NULL, label, NULL);
    if (!panel || !at) return NULL;
    for (size_t i = 0; i < count; i++) at[i] = (double)(count - i);
    una_range_add(&low, &high, share, count);
    panel->x.low = low, panel->x.high = fmax(1.06 * high, 1);
    una_axis_name(&panel->y, names, count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_BARS, ink, 0, 0 }, share, at, count);
    return panel;
}

una_axis una_axis_of_bands(double low, double high, double data_low, double data_high, double share)
{
    double air = 0.5 * (data_high - data_low);
    if (air > 0) low = fmax(low, data_low - air), high = fmin(high, data_high + air);
    return una_axis_around(low, high, share);
}

void una_figure_share(una_figure *figure, const una_axis *x, const una_axis *y)
{
    for (size_t i = 0; i < figure->panel_count; i++) {
        if (x) figure->panels[i]->x.low = x->low, figure->panels[i]->x.high = x->high;
        if (y) figure->panels[i]->y.low = y->low, figure->panels[i]->y.high = y->high;
    }
}
