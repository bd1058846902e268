/* SPDX-License-Identifier: MIT
 *
 * The charts of a study. Green is always the best: its line, its point; deep blue is the model, or the best tenth of
 * the trials; orange is what the model does not know, and trials that failed. A few values that are far worse than
 * all others do not decide the range: they are drawn at its end.
 */
#include "study/study_view.h"

#include "draw/number.h"

enum { SLICE_DOTS = 200, FEW_WHOLE = 30, MOST_OPEN = 40 };
static const double full_width = 700, half_width = 352, third_width = 232, z95 = 1.959964;

/* ---- what is shared ------------------------------------------------------------------------------------------- */

typedef struct ranked { double value; size_t at; } ranked;

static int compare_trial_value(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

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
    ranked *list = UNA_GET(arena, ranked, view->trial_count);
    size_t *order = UNA_GET(arena, size_t, view->trial_count), *varied = UNA_GET(arena, size_t, view->input_count);
    double *id = UNA_GET(arena, double, view->trial_count), *value = UNA_GET(arena, double, view->trial_count);
    UNA_NEW(arena, double, copy, view->trial_count);

    for (size_t i = 0; i < view->trial_count; i++) {
        const una_trial *trial = &view->trials[i];
        d.failed += trial->state == UNA_TRIAL_FAILED;
        d.open += trial->state == UNA_TRIAL_OPEN;
        if (!is_told(trial)) continue;
        list[d.told] = (ranked){ view->maximize ? -trial->value : trial->value, i };
        id[d.told] = (double)trial->id;
        copy[d.told] = value[d.told] = trial->value;
        d.told++;
    }
    qsort(list, d.told, sizeof *list, compare_trial_value);
    for (size_t i = 0; i < d.told; i++) order[i] = list[i].at;

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
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_SECOND, .x = x, .y = y, .count = count,
                  .size = 1.8 });
}

static void add_failed(una_panel *panel, const una_study_view *view, const una_study_digest *d, una_arena *arena)
{
    double *x = UNA_GET(arena, double, d->failed);
    if (arena->failed || d->failed == 0) return;
    size_t count = 0;
    for (size_t i = 0; i < view->trial_count; i++)
        if (view->trials[i].state == UNA_TRIAL_FAILED) x[count++] = (double)view->trials[i].id;
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_RUG, .ink = UNA_INK_IGNORANCE, .x = x, .count = count,
                  .size = count > 100 ? 0.8 : 1.6, .opacity = count > 100 ? 0.6 : 0.9 });
}

/* Predictions for open trials. */
static size_t add_open(una_panel *panel, const una_study_view *view, una_arena *arena)
{
    double *x = UNA_GET(arena, double, MOST_OPEN), *y = UNA_GET(arena, double, MOST_OPEN);
    double *low = UNA_GET(arena, double, MOST_OPEN), *high = UNA_GET(arena, double, MOST_OPEN);
    if (arena->failed) return 0;
    size_t count = 0;
    for (size_t i = 0; i < view->trial_count && count < MOST_OPEN; i++) {
        const una_trial *trial = &view->trials[i];
        if (trial->state != UNA_TRIAL_OPEN || !isfinite(trial->expected) || !isfinite(trial->doubt)) continue;
        x[count] = (double)trial->id, y[count] = trial->expected;
        low[count] = trial->expected - z95 * trial->doubt, high[count] = trial->expected + z95 * trial->doubt;
        count++;
    }
    if (count == 0) return 0;
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_RANGES, .ink = UNA_INK_IGNORANCE, .x = x, .y = low,
                  .y2 = high, .count = count, .size = 1.6, .opacity = 0.6 });
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_MODEL, .x = x, .y = y, .count = count,
                  .size = 4, .opacity = 1 });
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
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_DATA, .x = d->told_id,
                  .y = d->told_value, .count = d->told, .size = many ? 2.4 : 3.6, .opacity = many ? 0.35 : 0.6 });
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
    if (input->type == UNA_DIMENSION_CATEGORY)
        axis = (una_axis){ .label = input->name, .low = 0.5, .high = (double)input->level_count + 0.5,
            .names = input->levels, .name_count = input->level_count };
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

static void fill_parallel_row(const piece *p, const una_trial *trial, double *row)
{
    for (size_t i = 0; i < p->count; i++) row[i] = on_axis(&p->view->inputs[p->inputs[i]], trial->x[p->inputs[i]]);
    if (p->width <= p->count) return;
    row[p->count] = p->same ? 1 : trial->value;
    if (!is_told(trial)) row[p->count] = NAN;
}

/* Every value the same: an axis with one word in place of a range that is none. */
static una_axis one_value_axis(const una_axis *value, una_arena *arena)
{
    const char **name = UNA_GET(arena, const char *, 1);
    char *words = UNA_GET(arena, char, UNA_NUMBER_ROOM);
    if (arena->failed) return *value;
    *name = una_number_brief(words, value->low, 4);
    return (una_axis){ .label = value->label, .low = 0.5, .high = 1.5, .names = name, .name_count = 1 };
}

static void add_bundle(una_panel *panel, const piece *p, size_t from, size_t to, una_bundle style)
{
    size_t width = p->width;
    double *rows = to > from ? UNA_GET(p->arena, double, (to - from) * width) : NULL;
    if (!rows) return;
    for (size_t i = from; i < to; i++)
        fill_parallel_row(p, &p->view->trials[p->digest->order[i]], rows + (i - from) * width);
    style.at = rows;
    style.count = to - from;
    una_panel_bundle(panel, style);
}

static void add_failed_rows(una_panel *panel, const piece *p)
{
    size_t width = p->width, count = 0;
    double *rows = p->digest->failed ? UNA_GET(p->arena, double, p->digest->failed * width) : NULL;
    if (!rows) return;
    for (size_t i = 0; i < p->view->trial_count; i++)
        if (p->view->trials[i].state == UNA_TRIAL_FAILED)
            fill_parallel_row(p, &p->view->trials[i], rows + count++ * width);
    una_panel_bundle(panel, (una_bundle){ .ink = UNA_INK_IGNORANCE, .at = rows, .count = count, .size = 0.7,
                     .opacity = count > 60 ? 0.2 : 0.45 });
}

static void add_piece(una_figure *figure, const piece *p)
{
    una_axis *axes = UNA_GET(p->arena, una_axis, p->width);
    if (!axes) return;
    for (size_t i = 0; i < p->count; i++) axes[i] = input_axis(&p->view->inputs[p->inputs[i]]);
    if (p->width > p->count)
        axes[p->count] = p->same ? one_value_axis(&p->digest->value, p->arena) : p->digest->value;

    una_panel *panel = una_figure_axes(figure, NULL, axes, p->width);
    size_t told = p->digest->told, tenth = (told + 9) / 10;
    double crowd = fmin(0.55, fmax(0.16, 40 / (double)(told + 1)));
    add_bundle(panel, p, tenth, told, (una_bundle){ .ink = UNA_INK_PART, .size = 0.7, .opacity = crowd });
    add_failed_rows(panel, p);
    add_bundle(panel, p, told ? 1 : 0, tenth, (una_bundle){ .ink = UNA_INK_MODEL, .size = 0.9,
               .opacity = tenth > 40 ? 0.4 : 0.75 });
    add_bundle(panel, p, 0, told ? 1 : 0, (una_bundle){ .ink = UNA_INK_SECOND, .size = 2.2 });
}

una_figure una_study_chart_parallel(const una_study_view *view, const una_study_digest *d, una_arena *arena)
{
    size_t pieces = (d->varied_count + UNA_STUDY_AXES - 1) / UNA_STUDY_AXES;
    size_t each = pieces ? (d->varied_count + pieces - 1) / pieces : 0;
    una_figure figure = una_figure_in(arena, 1, fmin(full_width, fmax(360, 116 * (double)(each + 1))), 300);
    for (size_t from = 0; from < d->varied_count; from += each) {
        piece p = { .view = view, .digest = d, .inputs = d->varied + from, .arena = arena };
        p.count = d->varied_count - from < each ? d->varied_count - from : each;
        p.width = p.count + (d->told > 0);
        p.same = !(d->value.low < d->value.high);
        add_piece(&figure, &p);
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
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_DATA, .x = x, .y = y, .count = count,
                  .size = 2.4, .opacity = count > 100 ? 0.22 : 0.4 });
}

static void add_slice(una_panel *panel, const una_dimension *input, const una_slice *slice, una_arena *arena)
{
    double *x = UNA_GET(arena, double, slice->count);
    double *low = UNA_GET(arena, double, slice->count), *high = UNA_GET(arena, double, slice->count);
    if (arena->failed) return;
    for (size_t i = 0; i < slice->count; i++) {
        x[i] = on_axis(input, slice->at[i]);
        low[i] = slice->mean[i] - z95 * slice->std[i];
        high[i] = slice->mean[i] + z95 * slice->std[i];
    }

    bool alone = stands_alone(input);
    una_panel_add(panel, (una_series){ .shape = alone ? UNA_SHAPE_RANGES : UNA_SHAPE_BAND, .ink = UNA_INK_IGNORANCE,
                  .x = x, .y = low, .y2 = high, .count = slice->count, .size = alone ? 3 : 0,
                  .opacity = alone ? 0.6 : 0.38 });
    una_panel_add(panel, (una_series){ .shape = alone ? UNA_SHAPE_POINTS : UNA_SHAPE_LINE, .ink = UNA_INK_MODEL,
                  .x = x, .y = slice->mean, .count = slice->count, .size = alone ? 5 : 1.8, .opacity = 1 });
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
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_SECOND, .x = best, .y = best + 1,
                  .count = 1, .size = 7.5, .opacity = 1 });
}

/* Bands may leave the paper: half the trials' range above and below is enough to see that they do. */
static una_axis slice_range(const una_study_view *view, const una_study_digest *d)
{
    double low = INFINITY, high = -INFINITY;
    if (view->best) una_range_add(&low, &high, &view->best->value, 1);
    for (size_t k = 0; k < d->varied_count; k++) {
        const una_slice *slice = &view->slices[d->varied[k]];
        for (size_t i = 0; i < slice->count; i++) {
            double ends[] = { slice->mean[i] - z95 * slice->std[i], slice->mean[i] + z95 * slice->std[i] };
            una_range_add(&low, &high, ends, 2);
        }
    }
    double air = 0.5 * (d->value.high - d->value.low);
    if (air > 0) low = fmax(low, d->value.low - air), high = fmin(high, d->value.high + air);
    una_axis axis = { .low = low, .high = high };
    if (!(low < high)) return (una_axis){0};
    add_air(&axis, 0.05);
    return axis;
}

static double slice_variation(const una_slice *slice)
{
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, slice->mean, slice->count);
    return high > low ? high - low : 0;
}

una_figure una_study_chart_slices(const una_study_view *view, const una_study_digest *d, size_t most, una_arena *arena)
{
    bool few = d->slice_count <= 2;
    una_figure figure = una_figure_in(arena, few ? 2 : 3, few ? half_width : third_width, few ? 230 : 172);
    ranked *list = UNA_GET(arena, ranked, d->varied_count);
    if (arena->failed || d->slice_count == 0) return figure;
    size_t count = 0;
    for (size_t i = 0; i < d->varied_count; i++)
        if (view->slices[d->varied[i]].count)
            list[count++] = (ranked){ -slice_variation(&view->slices[d->varied[i]]), d->varied[i] };
    if (count > most) {
        qsort(list, count, sizeof *list, compare_trial_value);
        count = most;
    }

    una_axis y = slice_range(view, d);
    for (size_t i = 0; i < count; i++) add_slice_panel(&figure, view, d, list[i].at, &y, arena);
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
    una_figure whole = una_figure_in(arena, 3, third_width, 172);
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
