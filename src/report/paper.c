/* SPDX-License-Identifier: MIT
 *
 * Drawing on paper: text, axes, series, keys. Axes are two thin lines with outward ticks; there is no grid and no
 * box. Text is cut with an ellipsis where it does not fit, so that a hostile column name cannot spoil the layout.
 */
#include "report/paper.h"

#include "report/number.h"

#include <string.h>

#define PI 3.14159265358979323846

enum { TEXT_ROOM = 256 };
static const double tick_size = 10.5, label_size = 11, title_size = 11.5, hair = 0.75, far_away = 1e5;
static const double strip_height = 17, strip_gap = 4;

typedef struct rgb { double r, g, b; const char *name; } rgb;

static const rgb inks[UNA_INK_COUNT] = {
    [UNA_INK_MODEL]     = { 0.078, 0.267, 0.518, "#144484" },
    [UNA_INK_IGNORANCE] = { 0.835, 0.369, 0.000, "#d55e00" },
    [UNA_INK_NOISE]     = { 0.435, 0.549, 0.686, "#6f8caf" },
    [UNA_INK_DATA]      = { 0.180, 0.192, 0.212, "#2e3136" },
    [UNA_INK_PART]      = { 0.560, 0.570, 0.590, "#8f9196" },
    [UNA_INK_SECOND]    = { 0.000, 0.541, 0.451, "#008a73" },
    [UNA_INK_THIRD]     = { 0.722, 0.361, 0.580, "#b85c94" },
    [UNA_INK_FOURTH]    = { 0.750, 0.560, 0.000, "#bf8f00" },
};
static const rgb text_ink = { 0.16, 0.16, 0.18, "" }, axis_ink = { 0.38, 0.38, 0.40, "" };

const char *una_ink_name(una_ink ink)
{
    return inks[ink].name;
}

double una_shape_opacity(una_shape shape)
{
    switch (shape) {
    case UNA_SHAPE_BAND:   return 0.28;
    case UNA_SHAPE_POINTS: return 0.65;
    case UNA_SHAPE_RANGES: return 0.35;
    case UNA_SHAPE_RUG:    return 0.5;
    case UNA_SHAPE_BARS:   return 0.75;
    default:               return 1;
    }
}

static void use(const una_paper *paper, const rgb *ink, double opacity)
{
    cairo_set_source_rgba(paper->cr, ink->r, ink->g, ink->b, opacity);
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void set_font(const una_paper *paper, double size, bool bold)
{
    cairo_select_font_face(paper->cr, paper->family, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(paper->cr, size);
}

static double advance(const una_paper *paper, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(paper->cr, text, &extents);
    return extents.x_advance;
}

static bool has_glyph(cairo_t *cr, const char *text)
{
    cairo_glyph_t *glyphs = NULL;
    int count = 0;
    if (cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(cr), 0, 0, text, -1, &glyphs, &count, NULL, NULL, NULL)
        != CAIRO_STATUS_SUCCESS) return false;
    bool found = count > 0 && glyphs[0].index != 0;
    cairo_glyph_free(glyphs);
    return found;
}

/* Helvetica or what the machine has in its place. Where that is the wide DejaVu Sans, its condensed cut suits
 * small charts better; metrics tell, since Cairo does not say which file it took. */
una_paper una_paper_on(cairo_t *cr)
{
    una_paper paper = { .cr = cr, .family = "Helvetica" };
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);

    static const char sample[] = "Hamburgefonstiv 0123456789";
    set_font(&paper, 100, false);
    double usual = advance(&paper, sample);
    paper.family = "DejaVu Sans";
    set_font(&paper, 100, false);
    bool wide = fabs(advance(&paper, sample) - usual) < 1e-6;
    paper.family = wide ? "DejaVu Sans Condensed" : "Helvetica";
    set_font(&paper, 100, false);

    paper.thin_space = has_glyph(cr, UNA_THIN_SPACE);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    return paper;
}

/* Valid UTF-8 that fits into `width`; the font must be set. */
static const char *fitted(const una_paper *paper, char buffer[TEXT_ROOM], const char *text, double width)
{
    una_utf8_clean(buffer, TEXT_ROOM - 4, text);
    for (char *s = buffer; !paper->thin_space && (s = strstr(s, UNA_THIN_SPACE));) {
        *s = ' ';
        memmove(s + 1, s + 3, strlen(s + 3) + 1);
    }

    size_t length = strlen(buffer);
    bool cut = strlen(text) > length + 8;
    while (length > 0 && (cut || advance(paper, buffer) > width)) {
        do length--; while (length > 0 && ((unsigned char)buffer[length] & 0xC0) == 0x80);
        memcpy(buffer + length, "\xE2\x80\xA6", 4);              /* an ellipsis */
        cut = false;
    }
    return buffer;
}

/* share: 0 begins at x, 0.5 is centred, 1 ends at x. */
static void write_text(const una_paper *paper, double x, double y, double share, const char *text, double width)
{
    char buffer[TEXT_ROOM];
    fitted(paper, buffer, text, width);
    cairo_move_to(paper->cr, x - share * advance(paper, buffer), y);
    cairo_show_text(paper->cr, buffer);
}

/* ---- layout ---------------------------------------------------------------------------------------- */

typedef struct view {            /* from numbers to places on the paper */
    const una_paper *paper;
    double left, top, width, height;             /* of the plot itself                            */
    double base;                                 /* y of the x axis: below the strip, if any      */
    double x0, x1, y0, y1;
    una_ticks x_ticks, y_ticks;
} view;

static double within(double at)
{
    return at < -far_away ? -far_away : at > far_away ? far_away : at;
}

static double x_at(const view *v, double x)
{
    return within(v->left + (x - v->x0) / (v->x1 - v->x0) * v->width);
}

static double y_at(const view *v, double y)
{
    return within(v->top + v->height - (y - v->y0) / (v->y1 - v->y0) * v->height);
}

/* The range of an axis: as told, or the series' with a little air; never empty. */
static void settle(const una_axis *axis, double low, double high, double *from, double *to)
{
    if (axis->high > axis->low) {
        *from = axis->low;
        *to = axis->high;
        return;
    }
    if (!(low <= high)) low = 0, high = 1;
    double least = fmax(1e-9 * fmax(fabs(low), fabs(high)), 1e-280);
    double air = high - low > least ? 0.04 * (high - low) : fmax(0.5 * fabs(high), 0.5);
    *from = low - air;
    *to = high + air;
}

static void find_ranges(view *v, const una_panel *panel)
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (size_t i = 0; i < panel->count; i++) {
        const una_series *s = &panel->series[i];
        una_range_add(&x0, &x1, s->x, s->count);
        if (s->y) una_range_add(&y0, &y1, s->y, s->count);
        if (s->y2) una_range_add(&y0, &y1, s->y2, s->count);
    }
    settle(&panel->x, x0, x1, &v->x0, &v->x1);
    settle(&panel->y, y0, y1, &v->y0, &v->y1);
}

static double widest_tick(const una_paper *paper, const una_ticks *ticks)
{
    char number[UNA_NUMBER_ROOM], buffer[TEXT_ROOM];
    double widest = 0;
    for (size_t i = 0; i < ticks->count; i++)
        widest = fmax(widest, advance(paper, fitted(paper, buffer, una_tick_text(number, ticks, i), 1e4)));
    return widest;
}

/* The ticks of the upright axis, and the room that their labels take. */
static double upright_ticks(view *v, const una_panel *panel, double width)
{
    const double widest_name = 0.4;                      /* of the panel */
    char buffer[TEXT_ROOM];
    double widest = 0;
    if (!panel->y.names) {
        v->y_ticks = una_ticks_choose(v->y0, v->y1, (size_t)fmax(5, v->height / 34));
        return widest_tick(v->paper, &v->y_ticks);
    }

    v->y_ticks = (una_ticks){ .step = 1, .first = 1, .count = panel->y.name_count };
    for (size_t i = 0; i < panel->y.name_count; i++)
        widest = fmax(widest, advance(v->paper, fitted(v->paper, buffer, panel->y.names[i], widest_name * width)));
    return widest;
}

static double end_labels(const una_paper *paper, const una_panel *panel)
{
    char buffer[TEXT_ROOM];
    double widest = 0;
    for (size_t i = 0; i < panel->count; i++)
        if (panel->series[i].label)
            widest = fmax(widest, advance(paper, fitted(paper, buffer, panel->series[i].label, 70)) + 5);
    return widest;
}

static view lay_out(const una_paper *paper, const una_panel *panel, double left, double top, double width,
                    double height)
{
    view v = { .paper = paper };
    find_ranges(&v, panel);
    set_font(paper, tick_size, false);

    double head = panel->title ? 24 : 8, foot = panel->x.label ? 36 : 20;
    double strip = panel->strip_count ? strip_height + strip_gap : 0;
    v.top = top + head;
    v.base = top + height - foot;
    v.height = v.base - v.top - strip;

    v.left = left + upright_ticks(&v, panel, width) + (panel->y.label ? 27 : 11);
    v.width = left + width - v.left - fmax(9, end_labels(paper, panel));

    size_t most = (size_t)fmax(2, v.width / 32);
    do {                                                         /* labels must not touch */
        v.x_ticks = una_ticks_choose(v.x0, v.x1, most);
    } while (widest_tick(paper, &v.x_ticks) + 14 > v.width * v.x_ticks.step / (v.x1 - v.x0) && --most > 0);
    return v;
}

/* ---- axes ------------------------------------------------------------------------------------------ */

static void axis_labels(const view *v, const una_panel *panel, double left)
{
    const una_paper *paper = v->paper;
    char factor[UNA_NUMBER_ROOM], label[TEXT_ROOM];
    set_font(paper, label_size, false);

    if (panel->x.label) {
        una_ticks_factor(factor, &v->x_ticks);
        fitted(paper, label, panel->x.label, v->width - advance(paper, factor));
        strncat(label, factor, sizeof label - strlen(label) - 1);
        write_text(paper, v->left + v->width / 2, v->base + 31, 0.5, label, v->width + 40);
    }

    if (panel->y.label) {
        una_ticks_factor(factor, &v->y_ticks);
        fitted(paper, label, panel->y.label, v->base - v->top - advance(paper, factor));
        strncat(label, factor, sizeof label - strlen(label) - 1);
        cairo_save(paper->cr);
        cairo_translate(paper->cr, left + 10, v->top + v->height / 2);
        cairo_rotate(paper->cr, -PI / 2);
        write_text(paper, 0, 0, 0.5, label, v->base - v->top + 40);
        cairo_restore(paper->cr);
    }
}

static void axes(const view *v, const una_panel *panel, double left)
{
    cairo_t *cr = v->paper->cr;
    char number[UNA_NUMBER_ROOM];

    use(v->paper, &axis_ink, 1);
    cairo_set_line_width(cr, hair);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_move_to(cr, v->left, v->top);
    cairo_line_to(cr, v->left, v->top + v->height);
    cairo_move_to(cr, v->left, v->base);
    cairo_line_to(cr, v->left + v->width, v->base);
    if (v->base <= v->top + v->height) {                         /* no strip between: one corner */
        cairo_move_to(cr, v->left - hair / 2, v->base);
        cairo_line_to(cr, v->left, v->base);
    }

    for (size_t i = 0; i < v->x_ticks.count; i++) {
        cairo_move_to(cr, x_at(v, una_tick_value(&v->x_ticks, i)), v->base);
        cairo_rel_line_to(cr, 0, 3.5);
    }
    for (size_t i = 0; i < v->y_ticks.count; i++) {
        cairo_move_to(cr, v->left, y_at(v, una_tick_value(&v->y_ticks, i)));
        cairo_rel_line_to(cr, -3.5, 0);
    }
    cairo_stroke(cr);

    use(v->paper, &text_ink, 1);
    set_font(v->paper, tick_size, false);
    for (size_t i = 0; i < v->x_ticks.count; i++)
        write_text(v->paper, x_at(v, una_tick_value(&v->x_ticks, i)), v->base + 15, 0.5,
                   una_tick_text(number, &v->x_ticks, i), 1e4);
    for (size_t i = 0; i < v->y_ticks.count; i++)
        write_text(v->paper, v->left - 6, y_at(v, una_tick_value(&v->y_ticks, i)) + 3.8, 1,
                   panel->y.names ? panel->y.names[i] : una_tick_text(number, &v->y_ticks, i),
                   panel->y.names ? v->left - 10 - left : 1e4);
}

static void strip(const view *v, const una_panel *panel)
{
    if (panel->strip_count == 0) return;
    cairo_t *cr = v->paper->cr;
    cairo_save(cr);
    cairo_rectangle(cr, v->left, v->base - strip_height, v->width, strip_height);
    cairo_clip(cr);

    cairo_move_to(cr, x_at(v, panel->strip_x[0]), v->base);
    for (size_t i = 0; i < panel->strip_count; i++)
        cairo_line_to(cr, x_at(v, panel->strip_x[i]), v->base - panel->strip_y[i] * (strip_height - 1));
    cairo_line_to(cr, x_at(v, panel->strip_x[panel->strip_count - 1]), v->base);
    cairo_close_path(cr);

    use(v->paper, &inks[UNA_INK_PART], 0.45);
    cairo_fill(cr);
    cairo_restore(cr);
}

/* ---- series ---------------------------------------------------------------------------------------- */

static double size_of(const una_series *s)
{
    if (s->size > 0) return s->size;
    switch (s->shape) {
    case UNA_SHAPE_POINTS: return 3;
    case UNA_SHAPE_LINE:   return 1.5;
    case UNA_SHAPE_DASHES: return 1.2;
    default:               return 0.8;
    }
}

static bool drawable(const una_series *s, size_t i)
{
    return isfinite(s->x[i]) && (!s->y || isfinite(s->y[i])) && (!s->y2 || isfinite(s->y2[i]));
}

/* A band is broken where a value is missing. */
static void draw_band(const view *v, const una_series *s)
{
    cairo_t *cr = v->paper->cr;
    cairo_new_path(cr);
    for (size_t i = 0; i < s->count;) {
        size_t from = i;
        while (i < s->count && drawable(s, i)) i++;
        for (size_t k = from; k < i; k++) cairo_line_to(cr, x_at(v, s->x[k]), y_at(v, s->y[k]));
        for (size_t k = i; k > from; k--) cairo_line_to(cr, x_at(v, s->x[k - 1]), y_at(v, s->y2[k - 1]));
        if (i > from) cairo_close_path(cr);
        cairo_new_sub_path(cr);
        if (i < s->count) i++;
    }
    cairo_fill(cr);
}

/* A line goes on across values that were not measured. */
static void draw_line(const view *v, const una_series *s)
{
    static const double dashes[] = { 4, 3 };
    cairo_t *cr = v->paper->cr;
    cairo_new_path(cr);
    for (size_t i = 0; i < s->count; i++)
        if (drawable(s, i)) cairo_line_to(cr, x_at(v, s->x[i]), y_at(v, s->y[i]));
    if (s->shape == UNA_SHAPE_DASHES) cairo_set_dash(cr, dashes, 2, 0);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* Dots are strokes of no length with round ends: a tenth of the bytes of circles. They go down in a few layers,
 * so that crowding shows as darkness. */
static void draw_points(const view *v, const una_series *s)
{
    enum { LAYERS = 6 };
    cairo_t *cr = v->paper->cr;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);

    for (size_t layer = 0; layer < LAYERS; layer++) {
        for (size_t i = layer; i < s->count; i += LAYERS) {
            if (!drawable(s, i)) continue;
            double x = x_at(v, s->x[i]), y = y_at(v, s->y[i]);
            if (x < v->left - 2 || x > v->left + v->width + 2 || y < v->top - 2 || y > v->top + v->height + 2) continue;
            cairo_move_to(cr, x, y);
            cairo_line_to(cr, x, y);
        }
        cairo_stroke(cr);
    }
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

static void draw_marks(const view *v, const una_series *s)
{
    cairo_t *cr = v->paper->cr;
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(s, i)) continue;
        double foot = v->top + v->height;
        cairo_move_to(cr, x_at(v, s->x[i]), s->shape == UNA_SHAPE_RUG ? foot : y_at(v, s->y[i]));
        cairo_line_to(cr, x_at(v, s->x[i]), s->shape == UNA_SHAPE_RUG ? foot - 5 : y_at(v, s->y2[i]));
    }
    cairo_stroke(cr);
}

static void draw_bars(const view *v, const una_series *s)
{
    const double half = 0.33;
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(s, i)) continue;
        double top = y_at(v, s->y[i] + half), zero = x_at(v, 0);
        cairo_rectangle(v->paper->cr, zero, top, x_at(v, s->x[i]) - zero, y_at(v, s->y[i] - half) - top);
    }
    cairo_fill(v->paper->cr);
}

static void draw_diagonal(const view *v)
{
    double low = fmax(v->x0, v->y0), high = fmin(v->x1, v->y1);
    if (!(low < high)) return;
    cairo_move_to(v->paper->cr, x_at(v, low), y_at(v, low));
    cairo_line_to(v->paper->cr, x_at(v, high), y_at(v, high));
    cairo_stroke(v->paper->cr);
}

static void draw_series(const view *v, const una_series *s)
{
    cairo_t *cr = v->paper->cr;
    use(v->paper, &inks[s->ink], s->opacity > 0 ? s->opacity : una_shape_opacity(s->shape));
    cairo_set_line_width(cr, size_of(s));
    switch (s->shape) {
    case UNA_SHAPE_BAND:     draw_band(v, s); break;
    case UNA_SHAPE_LINE:
    case UNA_SHAPE_DASHES:   draw_line(v, s); break;
    case UNA_SHAPE_POINTS:   draw_points(v, s); break;
    case UNA_SHAPE_RANGES:
    case UNA_SHAPE_RUG:      draw_marks(v, s); break;
    case UNA_SHAPE_BARS:     draw_bars(v, s); break;
    case UNA_SHAPE_DIAGONAL: draw_diagonal(v); break;
    }
}

/* Names of lines at their right ends, pushed down where they would touch the one before. */
static void name_lines(const view *v, const una_panel *panel)
{
    double taken[8];
    size_t count = 0;
    set_font(v->paper, tick_size, false);

    for (size_t i = 0; i < panel->count && count < 8; i++) {
        const una_series *s = &panel->series[i];
        size_t last = s->count;
        while (last > 0 && !drawable(s, last - 1)) last--;
        if (!s->label || last == 0) continue;

        double x = fmin(x_at(v, s->x[last - 1]), v->left + v->width) + 4, y = y_at(v, s->y[last - 1]);
        y = fmin(fmax(y, v->top + 3), v->top + v->height);
        for (size_t tries = 0; tries < 8; tries++)
            for (size_t k = 0; k < count; k++)
                if (fabs(taken[k] - y) < 11) y = taken[k] + 11;
        taken[count++] = y;
        use(v->paper, &inks[s->ink], 1);
        write_text(v->paper, x, y + 3.8, 0, s->label, 70);
    }
}

void una_paper_panel(const una_paper *paper, const una_panel *panel, double left, double top, double width,
                     double height)
{
    view v = lay_out(paper, panel, left, top, width, height);
    strip(&v, panel);

    cairo_save(paper->cr);
    cairo_rectangle(paper->cr, v.left, v.top - 2, v.width + 2, v.height + 2);
    cairo_clip(paper->cr);
    for (size_t i = 0; i < panel->count; i++) draw_series(&v, &panel->series[i]);
    cairo_restore(paper->cr);

    axes(&v, panel, left);
    axis_labels(&v, panel, left);
    name_lines(&v, panel);

    if (panel->title) {
        use(paper, &text_ink, 1);
        set_font(paper, title_size, true);
        write_text(paper, v.left, top + 12, 0, panel->title, v.width);
    }
}

void una_paper_key(const una_paper *paper, const una_key *key, double left, double middle, double width)
{
    const double at[] = { 0, 18 }, high[] = { 4, 4 }, low[] = { -4, -4 }, flat[] = { 0, 0 };
    view v = { .paper = paper, .left = left, .top = middle - 4, .width = 18, .height = 8, .x1 = 18, .y0 = -4, .y1 = 4 };
    const double dot[] = { 9 };
    bool lone = key->shape == UNA_SHAPE_POINTS || key->shape == UNA_SHAPE_RANGES || key->shape == UNA_SHAPE_RUG;

    una_series sample = { .shape = key->shape, .ink = key->ink, .x = lone ? dot : at, .y = flat };
    sample.count = lone ? 1 : 2;
    if (key->shape == UNA_SHAPE_BAND || key->shape == UNA_SHAPE_RANGES) sample.y = low, sample.y2 = high;
    if (key->shape == UNA_SHAPE_DIAGONAL) sample.shape = UNA_SHAPE_LINE, sample.size = 0.8;
    if (key->shape == UNA_SHAPE_RANGES) sample.size = 1.6, sample.opacity = 0.8;
    draw_series(&v, &sample);

    use(paper, &text_ink, 1);
    set_font(paper, tick_size, false);
    write_text(paper, left + 23, middle + 3.8, 0, key->label, width - 28);
}
