/* SPDX-License-Identifier: MIT
 *
 * Panels on canvas: axes, series, keys. Axes are two thin lines with outward ticks; there is no grid and no box.
 */
#include "draw/canvas.h"

#include "draw/html.h"
#include "draw/number.h"

static const double quarter_turn = 1.57079632679489661923;
static const double far_away = 1e5;
static const double strip_height = 17, strip_gap = 4;
static const double slant = 0.9, longest_name = 62;              /* of names along x, in radians and px */

/* ---- layout ---------------------------------------------------------------------------------------- */

typedef struct view {            /* from numbers to places on the canvas */
    double left, top, width, height;             /* of the plot itself                            */
    double base;                                 /* y of the x axis: below the strip, if any      */
    una_axis x, y;                               /* with the ranges that are shown                */
    una_ticks x_ticks, y_ticks;
    size_t every;                                /* of the names along x, one in so many is written */
    bool   slanted;                              /* they are too long to lie side by side         */
} view;

static double within(double at)
{
    if (at > far_away) return far_away;
    return at < -far_away ? -far_away : at;
}

static double x_at(const view *v, double x)
{
    return within(v->left + una_axis_place(&v->x, x) * v->width);
}

static double y_at(const view *v, double y)
{
    return within(v->top + v->height - una_axis_place(&v->y, y) * v->height);
}

/* The range of an axis: as told, or the series' with a little air; never empty. A range that has no logarithm is shown
 * as it is. */
static una_axis settle(const una_axis *given, double low, double high)
{
    una_axis axis = *given;
    bool told = given->high > given->low;
    if (!told && low <= high) axis.low = low, axis.high = high;
    else if (!told) axis.low = axis.log ? 1 : 0, axis.high = axis.log ? 10 : 1;
    axis.log = axis.log && axis.low > 0;
    if (told) return axis;

    double least = fmax(1e-9 * fmax(fabs(axis.low), fabs(axis.high)), 1e-280);
    bool wide = axis.high - axis.low > least;
    if (axis.log) {
        double factor = wide ? pow(axis.high / axis.low, 0.04) : 2;
        axis.low /= factor, axis.high *= factor;
    } else {
        double air = wide ? 0.04 * (axis.high - axis.low) : fmax(0.5 * fabs(axis.high), 0.5);
        axis.low -= air, axis.high += air;
    }
    return axis;
}

static void find_ranges(view *v, const una_panel *panel)
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (size_t i = 0; i < panel->count; i++) {
        const una_series *s = &panel->series[i];
        una_range_add(&x0, &x1, s->x, s->count);
        if (s->y) una_range_add(&y0, &y1, s->y, s->count);
        if (s->y2 && s->shape == UNA_SHAPE_SPANS) una_range_add(&x0, &x1, s->y2, s->count);
        else if (s->y2) una_range_add(&y0, &y1, s->y2, s->count);
    }
    v->x = settle(&panel->x, x0, x1);
    v->y = settle(&panel->y, y0, y1);
}

static double tick_needs(const char *text, double width)
{
    const una_letters letters = una_letters_of(UNA_TICK_SIZE, false, 0);
    return una_text_needs(&letters, text, width);
}

static double widest_tick(const una_ticks *ticks)
{
    double widest = 0;
    for (size_t i = 0; i < ticks->count; i++) widest = fmax(widest, tick_needs(UNA_TICK_TEXT(ticks, i), 1e4));
    return widest;
}

static double widest_tick_name(const una_axis *axis, double most)
{
    double widest = 0;
    for (size_t i = 0; i < axis->name_count; i++) widest = fmax(widest, tick_needs(axis->names[i], most));
    return widest;
}

static una_ticks choose_ticks(const una_axis *axis, size_t most)
{
    if (axis->names) return (una_ticks){ .step = 1, .first = 1, .count = axis->name_count };
    if (axis->log) return una_ticks_choose_log(axis->low, axis->high, most);
    if (axis->date) return una_ticks_choose_date(axis->date, axis->low, axis->high, most);
    return una_ticks_choose(axis->low, axis->high, most);
}

/* The ticks of the upright axis, and the room that their labels take. */
static double upright_ticks(view *v, const una_panel *panel, double width)
{
    const double share = 0.4;                            /* of the panel */
    v->y_ticks = choose_ticks(&v->y, (size_t)fmax(5, v->height / 34));
    return panel->y.names ? widest_tick_name(&v->y, share * width) : widest_tick(&v->y_ticks);
}

/* The least distance of two neighbours. */
static double tick_distance(const view *v)
{
    double least = INFINITY;
    for (size_t i = 1; i < v->x_ticks.count; i++)
        least = fmin(least, x_at(v, una_tick_value(&v->x_ticks, i)) - x_at(v, una_tick_value(&v->x_ticks, i - 1)));
    return least;
}

static void lying_ticks(view *v)
{
    size_t most = (size_t)fmax(2, v->width / 32);
    do {                                                         /* labels must not touch */
        v->x_ticks = choose_ticks(&v->x, most);
    } while (!v->x.names && widest_tick(&v->x_ticks) + 14 > tick_distance(v) && --most > 0);
    if (!v->x.names) return;

    double needs = v->slanted ? 12 / sin(slant) : 0;             /* from one slanted name to the next */
    while ((double)v->every * tick_distance(v) < needs && v->every < v->x.name_count) v->every++;
}

static double end_labels(const una_panel *panel)
{
    double widest = 0;
    for (size_t i = 0; i < panel->count; i++)
        if (panel->series[i].label) widest = fmax(widest, tick_needs(panel->series[i].label, 70) + 5);
    return widest;
}

/* Names along x that have no room side by side are written slanted, and take more below. */
static double foot_of(view *v, const una_panel *panel, double width)
{
    double usual = panel->x.label ? 36 : 20;
    v->every = 1;
    if (!panel->x.names) return usual;
    double widest = widest_tick_name(&v->x, longest_name);
    v->slanted = widest + 8 > 0.8 * width / (double)panel->x.name_count;
    return v->slanted ? usual + widest * sin(slant) : usual;
}

/* How far the label of the last tick would stand out beyond `right`. */
static double beyond(const view *v, double right)
{
    if (v->x.names || v->x_ticks.count == 0) return 0;
    size_t last = v->x_ticks.count - 1;
    double half = tick_needs(UNA_TICK_TEXT(&v->x_ticks, last), 1e4) / 2;
    return fmax(0, x_at(v, una_tick_value(&v->x_ticks, last)) + half - right);
}

static view lay_out(const una_panel *panel, const una_frame *frame)
{
    view v = {0};
    find_ranges(&v, panel);

    double head = panel->title ? 24 : 8, foot = foot_of(&v, panel, frame->width);
    double strip = panel->strip_count ? strip_height + strip_gap : 0, right = frame->left + frame->width;
    v.top = frame->top + head;
    v.base = frame->top + frame->height - foot;
    v.height = v.base - v.top - strip;

    v.left = frame->left + upright_ticks(&v, panel, frame->width) + (panel->y.label ? 27 : 11);
    v.width = right - v.left - fmax(9, end_labels(panel));
    lying_ticks(&v);
    double out = beyond(&v, right);
    if (out > 0) {
        v.width -= out + 1;
        lying_ticks(&v);
    }
    return v;
}

/* ---- axes ------------------------------------------------------------------------------------------ */

/* The label of an axis with its factor, cut to the length of the axis. */
static const char *full_label(char label[UNA_TEXT_ROOM], const char *name, const una_ticks *ticks, double length)
{
    const una_letters letters = una_letters_of(UNA_LABEL_SIZE, false, 0.5);
    const char *factor = una_ticks_factor((char[UNA_NUMBER_ROOM]){0}, ticks);
    una_text_fitted(&letters, label, name, length - una_text_width(&letters, factor));
    return strncat(label, factor, UNA_TEXT_ROOM - strlen(label) - 1);
}

static void axis_labels(una_canvas *canvas, const view *v, const una_panel *panel, double left)
{
    char label[UNA_TEXT_ROOM];
    una_letters letters = una_letters_of(UNA_LABEL_SIZE, false, 0.5);
    if (panel->x.label) {
        full_label(label, panel->x.label, &v->x_ticks, v->width);
        una_text_write(canvas, &letters, v->left + v->width / 2, v->base + 31, label, v->width + 40);
    }

    letters.turn = -quarter_turn;
    if (panel->y.label) {
        full_label(label, panel->y.label, &v->y_ticks, v->base - v->top);
        una_text_write(canvas, &letters, left + 10, v->top + v->height / 2, label, v->base - v->top + 40);
    }
}

/* A slanted name ends below its place, a little to the right: (3, 3) in its own, turned directions. */
static void lying_names(una_canvas *canvas, const view *v, double left)
{
    una_letters letters = una_letters_of(UNA_TICK_SIZE, false, v->slanted ? 1 : 0.5);
    letters.turn = v->slanted ? -slant : 0;
    double right = v->slanted ? 3 * (cos(slant) + sin(slant)) : 0;
    double down = v->slanted ? 3 * (cos(slant) - sin(slant)) : 0;
    for (size_t i = 0; i < v->x.name_count; i += v->every) {
        double x = x_at(v, (double)(i + 1)), y = v->base + (v->slanted ? 10 : 15);
        double room = v->slanted ? fmin(longest_name, (x - left) / cos(slant)) : longest_name;
        una_text_write(canvas, &letters, x + right, y + down, v->x.names[i], room);
    }
}

static void axis_lines(una_canvas *canvas, const view *v)
{
    const una_pen pen = { .rgb = una_ink_rgb(UNA_INK_AXIS), .opacity = 1, .width = UNA_HAIR };
    bool corner = v->base <= v->top + v->height;                 /* no strip between */
    una_canvas_segment(canvas, v->left, v->top, v->left, v->top + v->height);
    canvas->move(canvas, v->left - (corner ? UNA_HAIR / 2 : 0), v->base);
    canvas->line(canvas, v->left + v->width, v->base);

    for (size_t i = 0; i < v->x_ticks.count; i++) {
        double x = x_at(v, una_tick_value(&v->x_ticks, i));
        una_canvas_segment(canvas, x, v->base, x, v->base + 3.5);
    }
    for (size_t i = 0; i < v->y_ticks.count; i++) {
        double y = y_at(v, una_tick_value(&v->y_ticks, i));
        una_canvas_segment(canvas, v->left, y, v->left - 3.5, y);
    }
    canvas->stroke(canvas, &pen);
}

static void axes(una_canvas *canvas, const view *v, const una_panel *panel, double left)
{
    const una_letters below = una_letters_of(UNA_TICK_SIZE, false, 0.5);
    const una_letters beside = una_letters_of(UNA_TICK_SIZE, false, 1);
    axis_lines(canvas, v);
    if (panel->x.names) lying_names(canvas, v, left);
    for (size_t i = 0; i < v->x_ticks.count && !panel->x.names; i++)
        una_text_write(canvas, &below, x_at(v, una_tick_value(&v->x_ticks, i)), v->base + 15,
                       UNA_TICK_TEXT(&v->x_ticks, i), 1e4);
    for (size_t i = 0; i < v->y_ticks.count; i++)
        una_text_write(canvas, &beside, v->left - 6, y_at(v, una_tick_value(&v->y_ticks, i)) + 3.8,
                       panel->y.names ? panel->y.names[i] : UNA_TICK_TEXT(&v->y_ticks, i),
                       panel->y.names ? v->left - 10 - left : 1e4);
}

static void strip(una_canvas *canvas, const view *v, const una_panel *panel)
{
    const una_pen pen = { .rgb = una_ink_rgb(UNA_INK_PART), .opacity = 0.45 };
    if (panel->strip_count == 0) return;
    canvas->clip(canvas, v->left, v->base - strip_height, v->width, strip_height);
    canvas->move(canvas, x_at(v, panel->strip_x[0]), v->base);
    for (size_t i = 0; i < panel->strip_count; i++)
        canvas->line(canvas, x_at(v, panel->strip_x[i]), v->base - panel->strip_y[i] * (strip_height - 1));
    canvas->line(canvas, x_at(v, panel->strip_x[panel->strip_count - 1]), v->base);
    canvas->close(canvas);
    canvas->fill(canvas, &pen);
    canvas->unclip(canvas);
}

/* ---- series ---------------------------------------------------------------------------------------- */

static bool drawable(const una_series *s, size_t i)
{
    return isfinite(s->x[i]) && (!s->y || isfinite(s->y[i])) && (!s->y2 || isfinite(s->y2[i]));
}

/* A band is broken where a value is missing. */
static void draw_band(una_canvas *canvas, const view *v, const una_series *s, const una_pen *pen)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t from = i;
        while (i < s->count && drawable(s, i)) i++;
        if (i == from) continue;
        canvas->move(canvas, x_at(v, s->x[from]), y_at(v, s->y[from]));
        for (size_t k = from + 1; k < i; k++) canvas->line(canvas, x_at(v, s->x[k]), y_at(v, s->y[k]));
        for (size_t k = i; k > from; k--) canvas->line(canvas, x_at(v, s->x[k - 1]), y_at(v, s->y2[k - 1]));
        canvas->close(canvas);
    }
    canvas->fill(canvas, pen);
}

/* A line goes on across values that were not measured. */
static void draw_line(una_canvas *canvas, const view *v, const una_series *s, const una_pen *pen)
{
    bool begun = false;
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(s, i)) continue;
        double x = x_at(v, s->x[i]), y = y_at(v, s->y[i]);
        if (begun) canvas->line(canvas, x, y);
        else canvas->move(canvas, x, y);
        begun = true;
    }
    canvas->stroke(canvas, pen);
}

/* A stroke of no length with round ends: far fewer bytes than a circle. A tenth of a px is near enough. */
static void dot(una_canvas *canvas, double x, double y)
{
    x = round(10 * x) / 10, y = round(10 * y) / 10;
    una_canvas_segment(canvas, x, y, x, y);
}

/* In a few classes, those of the least shade first: what is known least lies on top. */
static void draw_shaded(una_canvas *canvas, const view *v, const una_series *s, una_pen pen)
{
    enum { CLASSES = 8 };
    pen.opacity = s->opacity > 0 ? s->opacity : 0.85;
    for (size_t k = 0; k < CLASSES; k++) {
        for (size_t i = 0; i < s->count; i++) {
            double shade = fmin(fmax(s->shade[i], 0), 1);
            if (!drawable(s, i) || (size_t)fmin(shade * CLASSES, CLASSES - 1) != k) continue;
            dot(canvas, x_at(v, s->x[i]), y_at(v, s->y[i]));
        }
        pen.rgb = una_ink_mixed(s->ink, (double)k / (CLASSES - 1));
        canvas->stroke(canvas, &pen);
    }
}

/* They go down in a few layers, so that crowding shows as darkness. */
static void draw_points(una_canvas *canvas, const view *v, const una_series *s, const una_pen *pen)
{
    enum { LAYERS = 6 };
    if (s->shade) {
        draw_shaded(canvas, v, s, *pen);
        return;
    }
    for (size_t layer = 0; layer < LAYERS; layer++) {
        for (size_t i = layer; i < s->count; i += LAYERS) {
            if (!drawable(s, i)) continue;
            double x = x_at(v, s->x[i]), y = y_at(v, s->y[i]);
            if (x < v->left - 2 || x > v->left + v->width + 2 || y < v->top - 2 || y > v->top + v->height + 2) continue;
            dot(canvas, x, y);
        }
        canvas->stroke(canvas, pen);
    }
}

static void draw_spans(una_canvas *canvas, const view *v, const una_series *s, const una_pen *pen)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(s, i)) continue;
        double y = y_at(v, s->y[i]), from = x_at(v, s->x[i]), to = x_at(v, s->y2[i]);
        una_canvas_segment(canvas, from, y, to, y);
        una_canvas_segment(canvas, from, y - 3, from, y + 3);
        una_canvas_segment(canvas, to, y - 3, to, y + 3);
    }
    canvas->stroke(canvas, pen);
}

static void draw_marks(una_canvas *canvas, const view *v, const una_series *s, const una_pen *pen)
{
    double foot = v->top + v->height;
    bool rug = s->shape == UNA_SHAPE_RUG;
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(s, i)) continue;
        double x = x_at(v, s->x[i]);
        una_canvas_segment(canvas, x, rug ? foot : y_at(v, s->y[i]), x, rug ? foot - 5 : y_at(v, s->y2[i]));
    }
    canvas->stroke(canvas, pen);
}

static void draw_bars(una_canvas *canvas, const view *v, const una_series *s, const una_pen *pen)
{
    const double half = 0.33;
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(s, i)) continue;
        double top = y_at(v, s->y[i] + half), zero = x_at(v, 0);
        una_canvas_rectangle(canvas, zero, top, x_at(v, s->x[i]) - zero, y_at(v, s->y[i] - half) - top);
    }
    canvas->fill(canvas, pen);
}

static void draw_diagonal(una_canvas *canvas, const view *v, const una_series *s, const una_pen *pen)
{
    (void)s;
    double low = fmax(v->x.low, v->y.low), high = fmin(v->x.high, v->y.high);
    if (!(low < high)) return;
    una_canvas_segment(canvas, x_at(v, low), y_at(v, low), x_at(v, high), y_at(v, high));
    canvas->stroke(canvas, pen);
}

static const struct { double size; void (*draw)(una_canvas *, const view *, const una_series *, const una_pen *); }
shapes[] = {
    [UNA_SHAPE_BAND]   = { 0.8, draw_band },  [UNA_SHAPE_LINE]     = { 1.5, draw_line },
    [UNA_SHAPE_DASHES] = { 1.2, draw_line },  [UNA_SHAPE_POINTS]   = { 3, draw_points },
    [UNA_SHAPE_RANGES] = { 0.8, draw_marks }, [UNA_SHAPE_RUG]      = { 0.8, draw_marks },
    [UNA_SHAPE_BARS]   = { 0.8, draw_bars },  [UNA_SHAPE_SPANS]    = { 0.8, draw_spans },
    [UNA_SHAPE_DIAGONAL] = { 0.8, draw_diagonal },
};

static void draw_series(una_canvas *canvas, const view *v, const una_series *s)
{
    const una_pen pen = { .rgb = una_ink_rgb(s->ink), .width = s->size > 0 ? s->size : shapes[s->shape].size,
        .opacity = s->opacity > 0 ? s->opacity : una_shape_opacity(s->shape),
        .round = s->shape == UNA_SHAPE_POINTS, .dashed = s->shape == UNA_SHAPE_DASHES };
    shapes[s->shape].draw(canvas, v, s, &pen);
}

typedef struct end { const una_series *of; double x, y; } end;
enum { MOST_ENDS = 8 };

/* Where the named lines end, from the top down: so their names keep the order of the lines. */
static size_t line_ends(end *ends, const view *v, const una_panel *panel)
{
    size_t count = 0;
    for (size_t i = 0; i < panel->count && count < MOST_ENDS; i++) {
        const una_series *s = &panel->series[i];
        size_t last = s->count, at = count;
        while (last > 0 && !drawable(s, last - 1)) last--;
        if (!s->label || last == 0) continue;

        double x = fmin(x_at(v, s->x[last - 1]), v->left + v->width) + 4, y = y_at(v, s->y[last - 1]);
        y = fmin(fmax(y, v->top + 3), v->top + v->height);
        for (; at > 0 && ends[at - 1].y > y; at--) ends[at] = ends[at - 1];
        ends[at] = (end){ s, x, y };
        count++;
    }
    return count;
}

/* Names of lines at their right ends, pushed down where they would touch the one above, and up from below the axis. */
static void name_lines(una_canvas *canvas, const view *v, const una_panel *panel)
{
    static const double apart = 11;
    end ends[MOST_ENDS];
    size_t count = line_ends(ends, v, panel);
    for (size_t i = 1; i < count; i++) ends[i].y = fmax(ends[i].y, ends[i - 1].y + apart);
    double lowest = v->top + v->height;
    for (size_t i = count; i-- > 0; lowest = ends[i].y - apart) ends[i].y = fmin(ends[i].y, lowest);

    una_letters letters = una_letters_of(UNA_TICK_SIZE, false, 0);
    for (size_t i = 0; i < count; i++) {
        letters.rgb = una_ink_rgb(ends[i].of->ink);
        una_text_write(canvas, &letters, ends[i].x, ends[i].y + 3.8, ends[i].of->label, 70);
    }
}

void una_panel_draw(una_canvas *canvas, const una_panel *panel, const una_frame *frame)
{
    const una_letters title = una_letters_of(UNA_TITLE_SIZE, true, 0);
    if (panel->axes) {
        una_panel_draw_axes(canvas, panel, frame);
        return;
    }
    view v = lay_out(panel, frame);
    strip(canvas, &v, panel);

    canvas->clip(canvas, v.left, v.top - 2, v.width + 2, v.height + 2);
    for (size_t i = 0; i < panel->count; i++) draw_series(canvas, &v, &panel->series[i]);
    canvas->unclip(canvas);

    axes(canvas, &v, panel, frame->left);
    axis_labels(canvas, &v, panel, frame->left);
    name_lines(canvas, &v, panel);
    if (panel->title) una_text_write(canvas, &title, v.left, frame->top + 12, panel->title, v.width);
}

/* Of many points some, spread evenly; they are wider than what is drawn, so that a hand finds them. */
void una_panel_tips(una_text *out, const una_panel *panel, const una_frame *frame)
{
    bool any = false;
    for (size_t i = 0; i < panel->count; i++) any = any || panel->series[i].tips;
    if (!any || panel->axes) return;
    view v = lay_out(panel, frame);
    una_text_add(out, "<g class=\"tips\">");
    for (size_t k = 0; k < panel->count; k++) {
        const una_series *s = &panel->series[k];
        size_t shown = s->count < UNA_MOST_TIPS ? s->count : UNA_MOST_TIPS;
        for (size_t n = 0; s->tips && n < shown; n++) {
            size_t i = n * s->count / shown;
            if (!drawable(s, i) || !s->tips[i]) continue;
            double x = x_at(&v, s->x[i]), y = y_at(&v, s->y[i]);
            if (x < v.left - 3 || x > v.left + v.width + 3 || y < v.top - 3 || y > v.top + v.height + 3) continue;
            una_text_add(out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\"><title>", (int)round(x), (int)round(y));
            una_html_escape(out, s->tips[i]);
            una_text_add(out, "</title></circle>");
        }
    }
    una_text_add(out, "</g>");
}

void una_key_draw(una_canvas *canvas, const una_key *key, double left, double middle, double width)
{
    const double at[] = { 0, 18 }, high[] = { 4, 4 }, low[] = { -4, -4 }, flat[] = { 0, 0 };
    view v = { .left = left, .top = middle - 4, .width = 18, .height = 8,
        .x = { .high = 18 }, .y = { .low = -4, .high = 4 } };
    const double dot[] = { 9 };
    bool lone = key->shape == UNA_SHAPE_POINTS || key->shape == UNA_SHAPE_RANGES || key->shape == UNA_SHAPE_RUG;

    una_series sample = { .shape = key->shape, .ink = key->ink, .x = lone ? dot : at, .y = flat };
    sample.count = lone ? 1 : 2;
    if (key->shape == UNA_SHAPE_BAND || key->shape == UNA_SHAPE_RANGES) sample.y = low, sample.y2 = high;
    if (key->shape == UNA_SHAPE_BARS)                    /* a bar begins at 0, which is nowhere here */
        sample.shape = UNA_SHAPE_BAND, sample.y = low, sample.y2 = high, sample.opacity = 1;
    if (key->shape == UNA_SHAPE_SPANS) sample.shape = UNA_SHAPE_LINE;
    if (key->shape == UNA_SHAPE_DIAGONAL) sample.shape = UNA_SHAPE_LINE, sample.size = 0.8;
    if (key->shape == UNA_SHAPE_RANGES) sample.size = 1.6, sample.opacity = 0.8;
    draw_series(canvas, &v, &sample);

    const una_letters letters = una_letters_of(UNA_TICK_SIZE, false, 0);
    una_text_write(canvas, &letters, left + 23, middle + 3.8, key->label, width - 28);
}
