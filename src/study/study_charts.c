/* SPDX-License-Identifier: MIT
 *
 * The charts of a study. Green is always the best: its line, its point; deep blue is the model, or the best tenth of
 * the trials; orange is what the model does not know, and trials that failed. A few values that are far worse than
 * all others do not decide the range: they are drawn at its end.
 */
#include "study/study_view.h"

#include "draw/marks.h"
#include "draw/number.h"

enum { SLICE_DOTS = 200, FEW_WHOLE = 30, MOST_OPEN = 40 };
static const double full_width = 700;

/* ---- what is shared ------------------------------------------------------------------------------------------- */

static bool is_told(const una_trial *trial)
{
    return trial->state == UNA_TRIAL_TOLD && isfinite(trial->value);
}

/* Where a range is cut: the worse end where it is far off, the better one only where it would flatten everything else.
 * at: its low end, first tenth, middle, last tenth and high end. */
static void cut_range(bool *cut_low, bool *cut_high, const double at[5], double *low, double *high, bool maximize)
{
    double spread = at[3] - at[1], below = at[2] - at[1] + 0.5 * spread, above = at[3] - at[2] + 0.5 * spread;
    double far_below = maximize ? 3 : 100, far_above = maximize ? 100 : 3;
    *cut_low = spread > 0 && at[2] - at[0] > far_below * below;
    *cut_high = spread > 0 && at[4] - at[2] > far_above * above;
    *low = at[2] - 1.5 * below;
    *high = at[2] + 1.5 * above;
}

/* The range of told values that is shown; by logarithms where they are positive and of different size. */
static una_axis value_range(double *values, size_t count, bool maximize)
{
    static const double shares[] = { 0, 0.1, 0.5, 0.9, 1 };
    una_axis axis = { .label = "Value" };
    double at[5], low, high;
    bool cut_low, cut_high;
    if (count == 0) return axis;
    for (size_t i = 0; i < 5; i++) at[i] = una_quantile(values, count, shares[i]);
    axis.low = at[0], axis.high = at[4];
    axis.log = at[0] > 0 && at[3] / at[1] >= 30;

    for (size_t i = 0; i < 5 && axis.log; i++) at[i] = log(at[i]);
    cut_range(&cut_low, &cut_high, at, &low, &high, maximize);
    if (cut_low) axis.low = axis.log ? exp(low) : low;
    if (cut_high) axis.high = axis.log ? exp(high) : high;
    return axis;
}

static void clamp_told(una_study_digest *d, double *value)
{
    if (!(d->value.low < d->value.high)) return;
    for (size_t i = 0; i < d->told; i++) {
        d->beyond += value[i] < d->value.low || value[i] > d->value.high;
        value[i] = fmin(fmax(value[i], d->value.low), d->value.high);
    }
}

una_status una_study_digest_make(una_study_digest *digest, const una_study_view *view, una_arena *arena)
{
    una_study_digest d = {0};
    size_t *place = UNA_GET(arena, size_t, view->trial_count), *varied = UNA_GET(arena, size_t, view->input_count);
    double *id = UNA_GET(arena, double, view->trial_count), *value = UNA_GET(arena, double, view->trial_count);
    double *copy = UNA_GET(arena, double, view->trial_count);
    UNA_NEW(arena, double, rank, view->trial_count);

    for (size_t i = 0; i < view->trial_count; i++) {
        const una_trial *trial = &view->trials[i];
        d.failed += trial->state == UNA_TRIAL_FAILED;
        d.open += trial->state == UNA_TRIAL_OPEN;
        if (!is_told(trial)) continue;
        rank[d.told] = view->maximize ? -trial->value : trial->value;
        place[d.told] = i;
        id[d.told] = (double)trial->id;
        copy[d.told] = value[d.told] = trial->value;
        d.told++;
    }
    size_t *order = una_order_of(rank, d.told, arena);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < d.told; i++) order[i] = place[order[i]];

    for (size_t i = 0; i < view->input_count; i++) {
        if (view->inputs[i].type == UNA_DIMENSION_FIXED) continue;
        varied[d.varied_count++] = i;
        d.slice_count += view->slices && view->slices[i].count > 0;
    }

    d.value = value_range(copy, d.told, view->maximize);
    clamp_told(&d, value);
    d.order = order, d.told_id = id, d.told_value = value, d.varied = varied;
    *digest = d;
    return UNA_OK;
}

/* A range with a little air on both sides. */
static void add_air(una_axis *axis, double share)
{
    if (!(axis->low < axis->high)) return;
    double air = share * (axis->high - axis->low), factor = axis->log ? pow(axis->high / axis->low, share) : 1;
    axis->low = axis->log ? axis->low / factor : axis->low - air;
    axis->high = axis->log ? axis->high * factor : axis->high + air;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

/* The best so far as steps: two points where it changes, and the end. */
static void add_best_line(una_panel *panel, const una_study_view *view, const una_study_digest *d, una_arena *arena)
{
    double *x = UNA_GET(arena, double, 2 * d->told + 1), *y = UNA_GET(arena, double, 2 * d->told + 1);
    if (arena->failed || d->told == 0) return;
    size_t count = 0;
    for (size_t i = 0; i < d->told; i++) {
        double value = d->told_value[i], best = count ? y[count - 1] : value;
        if (count && (view->maximize ? value <= best : value >= best)) continue;
        if (count) x[count] = d->told_id[i], y[count++] = best;
        x[count] = d->told_id[i], y[count++] = value;
    }
    x[count] = (double)view->trials[view->trial_count - 1].id, y[count] = y[count - 1];
    count++;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_SECOND, 1.8, 0 }, x, y, count);
}

static void add_failed(una_panel *panel, const una_study_view *view, const una_study_digest *d, una_arena *arena)
{
    double *x = UNA_GET(arena, double, d->failed);
    if (arena->failed || d->failed == 0) return;
    size_t count = 0;
    for (size_t i = 0; i < view->trial_count; i++)
        if (view->trials[i].state == UNA_TRIAL_FAILED) x[count++] = (double)view->trials[i].id;
    bool many = count > 100;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_RUG, UNA_INK_IGNORANCE, many ? 0.8 : 1.6, many ? 0.6 : 0.9 }, x, NULL,
                   count);
}

/* Predictions for open trials. */
static size_t add_open(una_panel *panel, const una_study_view *view, una_arena *arena)
{
    double *x = UNA_GET(arena, double, MOST_OPEN), *y = UNA_GET(arena, double, MOST_OPEN);
    double *std = UNA_GET(arena, double, MOST_OPEN);
    if (arena->failed) return 0;
    size_t count = 0;
    for (size_t i = 0; i < view->trial_count && count < MOST_OPEN; i++) {
        const una_trial *trial = &view->trials[i];
        if (trial->state != UNA_TRIAL_OPEN || !isfinite(trial->expected) || !isfinite(trial->doubt)) continue;
        x[count] = (double)trial->id, y[count] = trial->expected, std[count++] = trial->doubt;
    }
    if (count == 0) return 0;
    una_panel_doubt(panel, (una_look){ UNA_SHAPE_RANGES, UNA_INK_IGNORANCE, 1.6, 0.6 }, x, y, std, count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 4, 1 }, x, y, count);
    return count;
}

una_figure una_study_chart_progress(const una_study_view *view, const una_study_digest *d, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, 560, 290);
    una_panel *panel = una_figure_panel(&figure, NULL, "Trial", "Value");
    if (!panel) return figure;
    double last = view->trial_count ? (double)view->trials[view->trial_count - 1].id : 0;
    if (last < 10) last = 10;                            /* ticks at whole numbers only */
    panel->x.low = 0.5 - 0.01 * last, panel->x.high = last + 0.5 + 0.01 * last;
    panel->y = d->value;
    add_air(&panel->y, 0.05);

    bool many = d->told > 300;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_DATA, many ? 2.4 : 3.6, many ? 0.35 : 0.6 }, d->told_id,
                   d->told_value, d->told);
    add_best_line(panel, view, d, arena);
    add_failed(panel, view, d, arena);
    size_t open = add_open(panel, view, arena);

    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "one trial");
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_SECOND, "best so far");
    if (d->failed) una_figure_key(&figure, UNA_SHAPE_RUG, UNA_INK_IGNORANCE, "failed");
    if (open) una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "open: expected, with 95 % range");
    return figure;
}

/* ---- parallel coordinates --------------------------------------------------------------------------------------- */

/* Words stand at 1, 2 ...; levels count from 0. */
static double on_axis(const una_dimension *input, double x)
{
    return input->type == UNA_DIMENSION_CATEGORY ? x + 1 : x;
}

static una_axis input_axis(const una_dimension *input)
{
    una_axis axis = { .label = input->name, .low = input->low, .high = input->high, .log = input->log };
    double last = (double)input->level_count + 0.5;
    if (input->type == UNA_DIMENSION_CATEGORY)
        axis = (una_axis){ .label = input->name, .low = 0.5, .high = last, .names = input->levels,
                           .name_count = input->level_count };
    if (!(axis.low < axis.high)) axis.low -= 0.5, axis.high += 0.5, axis.log = false;
    return axis;
}

typedef struct piece {                   /* the inputs of one panel */
    const una_study_view   *view;
    const una_study_digest *digest;
    const size_t *inputs;
    size_t        count;
    una_arena    *arena;
    size_t        width;                 /* axes: the inputs, and the value if any was told */
    bool          same;                  /* all values are one, which stands in words       */
} piece;

/* Every value the same: an axis with one word in place of a range that is none. */
static una_axis one_value_axis(const una_axis *value, una_arena *arena)
{
    const char **name = UNA_GET(arena, const char *, 1);
    char *words = UNA_GET(arena, char, UNA_NUMBER_ROOM);
    if (arena->failed) return *value;
    *name = una_number_brief(words, value->low, 4);
    return (una_axis){ .label = value->label, .low = 0.5, .high = 1.5, .names = name, .name_count = 1 };
}

/* A line for each of the trials at these places; order NULL: in their own order, those that failed. */
static void add_bundle(una_panel *panel, const piece *p, const size_t *order, size_t count, una_bundle style)
{
    const una_study_view *view = p->view;
    double *row = count > 0 ? UNA_GET(p->arena, double, count * p->width) : NULL;
    style.at = row;
    style.count = count;
    for (size_t k = 0, at = 0; row && k < count; k++, at++, row += p->width) {
        while (!order && view->trials[at].state != UNA_TRIAL_FAILED) at++;
        const una_trial *trial = &view->trials[order ? order[k] : at];
        for (size_t i = 0; i < p->count; i++) row[i] = on_axis(&view->inputs[p->inputs[i]], trial->x[p->inputs[i]]);
        double value = p->same ? 1 : trial->value;
        if (p->width > p->count) row[p->count] = is_told(trial) ? value : NAN;
    }
    if (style.at) una_panel_bundle(panel, style);
}

static void add_piece(una_figure *figure, const piece *p)
{
    const una_study_digest *d = p->digest;
    una_axis *axes = UNA_GET(p->arena, una_axis, p->width);
    if (!axes) return;
    for (size_t i = 0; i < p->count; i++) axes[i] = input_axis(&p->view->inputs[p->inputs[i]]);
    if (p->width > p->count) axes[p->count] = p->same ? one_value_axis(&d->value, p->arena) : d->value;

    una_panel *panel = una_figure_axes(figure, NULL, axes, p->width);
    size_t best = d->told ? 1 : 0, tenth = (d->told + 9) / 10;
    double crowd = fmin(0.55, fmax(0.16, 40 / (double)(d->told + 1)));
    add_bundle(panel, p, d->order + tenth, d->told - tenth, (una_bundle){ UNA_INK_PART, NULL, 0, 0.7, crowd });
    add_bundle(panel, p, NULL, d->failed, (una_bundle){ UNA_INK_IGNORANCE, NULL, 0, 0.7, d->failed > 60 ? 0.2 : 0.45 });
    add_bundle(panel, p, d->order + best, tenth - best,
               (una_bundle){ UNA_INK_MODEL, NULL, 0, 0.9, tenth > 40 ? 0.4 : 0.75 });
    add_bundle(panel, p, d->order, best, (una_bundle){ UNA_INK_SECOND, NULL, 0, 2.2, 0 });
}

una_figure una_study_chart_parallel(const una_study_view *view, const una_study_digest *d, una_arena *arena)
{
    size_t pieces = (d->varied_count + UNA_STUDY_AXES - 1) / UNA_STUDY_AXES;
    size_t each = pieces ? (d->varied_count + pieces - 1) / pieces : 0;
    una_figure figure = una_figure_in(arena, 1, fmin(full_width, fmax(360, 116 * (double)(each + 1))), 300);
    for (size_t from = 0; from < d->varied_count; from += each) {
        size_t count = d->varied_count - from < each ? d->varied_count - from : each;
        bool same = !(d->value.low < d->value.high);
        add_piece(&figure, &(piece){ view, d, d->varied + from, count, arena, count + (d->told > 0), same });
    }

    if (d->told) una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_SECOND, "the best");
    if (d->told > 10) una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "best tenth");
    if (d->told > 1) una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_PART, "other trials");
    if (d->failed) una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_IGNORANCE, "failed");
    return figure;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static bool stands_alone(const una_dimension *input)     /* values are few: drawn one by one */
{
    return input->type == UNA_DIMENSION_CATEGORY ||
           (input->type == UNA_DIMENSION_INTEGER && input->high - input->low <= FEW_WHOLE);
}

/* Dots of trials, some of them where they are many. Those of one level are moved aside a little, each its own way. */
static void study_add_dots(una_panel *panel, const una_study_view *view, const una_study_digest *d, size_t input,
                           una_arena *arena)
{
    const una_dimension *dimension = &view->inputs[input];
    size_t count = d->told < SLICE_DOTS ? d->told : SLICE_DOTS;
    double *x = UNA_GET(arena, double, count), *y = UNA_GET(arena, double, count);
    if (arena->failed || count == 0) return;

    for (size_t i = 0; i < count; i++) {
        size_t at = d->order[count > 1 ? i * (d->told - 1) / (count - 1) : 0];
        double aside = fmod(0.61803398875 * (double)(at + 1), 1) - 0.5;
        x[i] = on_axis(dimension, view->trials[at].x[input]) + (stands_alone(dimension) ? 0.3 * aside : 0);
        y[i] = view->trials[at].value;
    }
    una_look look = { UNA_SHAPE_POINTS, UNA_INK_DATA, 2.4, count > 100 ? 0.22 : 0.4 };
    una_panel_plot(panel, look, x, y, count);
}

static void add_slice(una_panel *panel, const una_dimension *input, const una_slice *slice, una_arena *arena)
{
    double *x = UNA_GET(arena, double, slice->count);
    if (!x) return;
    for (size_t i = 0; i < slice->count; i++) x[i] = on_axis(input, slice->at[i]);

    bool alone = stands_alone(input);
    una_look range = { alone ? UNA_SHAPE_RANGES : UNA_SHAPE_BAND, UNA_INK_IGNORANCE, alone ? 3 : 0, alone ? 0.6 : 0.38 };
    una_look mean = { alone ? UNA_SHAPE_POINTS : UNA_SHAPE_LINE, UNA_INK_MODEL, alone ? 5 : 1.8, 1 };
    una_panel_doubt(panel, range, x, slice->mean, slice->std, slice->count);
    una_panel_plot(panel, mean, x, slice->mean, slice->count);
}

static void add_slice_panel(una_figure *figure, const una_study_view *view, const una_study_digest *d, size_t input,
                            const una_axis *y, una_arena *arena)
{
    const una_dimension *dimension = &view->inputs[input];
    una_panel *panel = una_figure_panel(figure, dimension->name, NULL, NULL);
    double *best = UNA_GET(arena, double, 2);
    if (!panel || arena->failed) return;
    panel->x = input_axis(dimension);
    panel->x.label = NULL;
    if (dimension->type == UNA_DIMENSION_INTEGER && !dimension->log) panel->x.low -= 0.5, panel->x.high += 0.5;
    else if (dimension->type != UNA_DIMENSION_CATEGORY) add_air(&panel->x, 0.02);
    panel->y = *y;
    panel->y.label = NULL;

    add_slice(panel, dimension, &view->slices[input], arena);
    study_add_dots(panel, view, d, input, arena);
    if (!view->best) return;
    best[0] = on_axis(dimension, view->best->x[input]), best[1] = view->best->value;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_SECOND, 7.5, 1 }, best, best + 1, 1);
}

static una_axis slice_range(const una_study_view *view, const una_study_digest *d)
{
    double low = INFINITY, high = -INFINITY;
    if (view->best) una_range_add(&low, &high, &view->best->value, 1);
    for (size_t k = 0; k < d->varied_count; k++) {
        const una_slice *slice = &view->slices[d->varied[k]];
        una_range_add_doubt(&low, &high, slice->mean, slice->std, slice->count);
    }
    return una_axis_of_bands(low, high, d->value.low, d->value.high, 0.05);
}

una_figure una_study_chart_slices(const una_study_view *view, const una_study_digest *d, size_t most, una_arena *arena)
{
    bool few = d->slice_count <= 2;
    una_figure figure = una_figure_in(arena, few ? 2 : 3, few ? UNA_HALF_WIDTH : UNA_THIRD_WIDTH, few ? 230 : 172);
    double *rank = UNA_GET(arena, double, d->varied_count);
    size_t *input = UNA_GET(arena, size_t, d->varied_count), count = 0;
    if (arena->failed || d->slice_count == 0) return figure;
    for (size_t i = 0; i < d->varied_count; i++) {
        const una_slice *slice = &view->slices[d->varied[i]];
        rank[count] = d->slice_count > most ? -una_reach_of(slice->mean, slice->count) : 0;
        if (slice->count) input[count++] = d->varied[i];
    }
    const size_t *order = una_order_of(rank, count, arena);
    if (arena->failed) return figure;
    if (count > most) count = most;

    una_axis y = slice_range(view, d);
    for (size_t i = 0; i < count; i++) add_slice_panel(&figure, view, d, input[order[i]], &y, arena);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "mean");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "trials");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_SECOND, "the best");
    return figure;
}

/* ---- all of them as one figure ----------------------------------------------------------------------------------- */

/* Panels of `part` in rows of their own, or among others of the same size. */
static void take_panels(una_figure *whole, const una_figure *part, size_t span)
{
    for (size_t i = 0; i < part->panel_count && whole->panel_count < UNA_MOST_PANELS; i++) {
        part->panels[i]->span = span;
        part->panels[i]->height = part->panel_height;
        whole->panels[whole->panel_count++] = part->panels[i];
    }
}

una_status una_study_view_chart(una_text *bytes, const una_study_view *view, una_format format, una_run *run)
{
    una_arena *arena = bytes->arena;
    una_study_digest d;
    UNA_TRY(una_study_digest_make(&d, view, arena));
    una_figure whole = una_figure_in(arena, 3, UNA_THIRD_WIDTH, 172);
    una_figure parts[] = { una_study_chart_progress(view, &d, arena), una_study_chart_parallel(view, &d, arena),
        una_study_chart_slices(view, &d, 12, arena) };
    if (d.told > 0 || d.varied_count == 0) take_panels(&whole, &parts[0], 3);
    take_panels(&whole, &parts[1], 3);
    take_panels(&whole, &parts[2], 1);

    una_figure_key(&whole, UNA_SHAPE_POINTS, UNA_INK_DATA, "one trial");
    una_figure_key(&whole, UNA_SHAPE_LINE, UNA_INK_SECOND, "the best");
    if (d.told > 10) una_figure_key(&whole, UNA_SHAPE_LINE, UNA_INK_MODEL, "best tenth; mean");
    if (d.failed) una_figure_key(&whole, UNA_SHAPE_RUG, UNA_INK_IGNORANCE, "failed");
    if (d.slice_count) una_figure_key(&whole, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "epistemic, 95 %");
    return una_figure_draw(bytes, &whole, format, run);
}
