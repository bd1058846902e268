/* SPDX-License-Identifier: MIT
 *
 * Parallel coordinates: an upright axis for each column of a table, and a line across all of them for each of its rows.
 * Names stand above, in two steps where they have no room side by side; the ends of an axis bear their numbers, an axis
 * of words bears these.
 */
#include "draw/canvas.h"

#include "draw/number.h"

static const double line_height = 13, edge = 26;         /* edge: from the outer axes to the rim, for centred letters */

typedef struct stand {           /* where the axes stand */
    const una_panel *panel;
    double left, top, width, height;             /* first axis, upper end; to the last axis, lower end */
    double slot;                                 /* from axis to axis                                  */
    bool   in_steps;                             /* names of every other axis stand higher             */
} stand;

static double axis_x(const stand *s, size_t axis)
{
    return s->left + (double)axis * s->slot;
}

static double place_y(const stand *s, size_t axis, double value)
{
    double place = una_axis_place(&s->panel->axes[axis], value);
    if (place < 0) place = 0;
    else if (place > 1) place = 1;
    return s->top + (1 - place) * s->height;
}

static const char *name_of(const una_axis *axis)
{
    return axis->label ? axis->label : "";
}

static stand set_up_axes(const una_panel *panel, const una_frame *frame)
{
    const una_letters words = una_letters_of(UNA_TICK_SIZE, false, 0), names = una_letters_of(UNA_LABEL_SIZE, true, 0);
    stand s = { .panel = panel };
    size_t count = panel->axis_count;
    const una_axis *last = &panel->axes[count - 1];
    double right = edge;                                 /* words stand to the right of their axis */
    for (size_t i = 0; last->names && i < last->name_count; i++)
        right = fmax(right, 6 + una_text_needs(&words, last->names[i], 70));

    s.left = frame->left + (count > 1 ? edge : frame->width / 2);
    s.width = count > 1 ? frame->width - edge - right : 0;
    s.slot = count > 1 ? s.width / (double)(count - 1) : frame->width;
    for (size_t i = 0; i < count; i++)
        s.in_steps = s.in_steps || una_text_needs(&names, name_of(&panel->axes[i]), 1e4) > s.slot - 8;

    double head = (panel->title ? 24 : 4) + line_height * (s.in_steps ? 3 : 2);
    s.top = frame->top + head;
    s.height = frame->height - head - line_height - 5;
    return s;
}

/* A row is a broken line; one that is alone between gaps is a dot on its axis. */
static void draw_row(una_canvas *canvas, const stand *s, const double *row)
{
    bool down = false;
    for (size_t i = 0; i < s->panel->axis_count; i++) {
        if (!isfinite(row[i])) {
            down = false;
            continue;
        }
        double x = axis_x(s, i), y = place_y(s, i, row[i]);
        if (!down) canvas->move(canvas, x, y);
        canvas->line(canvas, x, y);
        down = true;
    }
}

/* In a few layers, so that crowding shows as darkness and files stay small. */
static void draw_bundle(una_canvas *canvas, const stand *s, const una_bundle *bundle)
{
    enum { LAYERS = 8 };
    const una_pen pen = { .rgb = una_ink_rgb(bundle->ink), .opacity = bundle->opacity > 0 ? bundle->opacity : 1,
        .width = bundle->size > 0 ? bundle->size : 1, .round = true };
    for (size_t layer = 0; layer < LAYERS; layer++) {
        for (size_t i = layer; i < bundle->count; i += LAYERS)
            draw_row(canvas, s, bundle->at + i * s->panel->axis_count);
        canvas->stroke(canvas, &pen);
    }
}

/* Words to the right of their axis, on a light ground; where there are many, some. */
static void write_axis_words(una_canvas *canvas, const stand *s, size_t at)
{
    const una_letters letters = una_letters_of(UNA_TICK_SIZE, false, 0);
    const una_pen ground = { .rgb = { 1, 1, 1 }, .opacity = 0.75 };
    const una_axis *axis = &s->panel->axes[at];
    double room = at + 1 < s->panel->axis_count ? s->slot - 12 : 70, x = axis_x(s, at) + 5;
    size_t every = 1;
    while (place_y(s, at, 1) - place_y(s, at, 1 + (double)every) < line_height && every < axis->name_count) every++;

    for (size_t i = 0; i < axis->name_count; i += every) {
        double y = place_y(s, at, (double)(i + 1)), width = una_text_needs(&letters, axis->names[i], room);
        una_canvas_rectangle(canvas, x - 1.5, y - 6.5, width + 3, line_height);
    }
    canvas->fill(canvas, &ground);
    for (size_t i = 0; i < axis->name_count; i += every)
        una_text_write(canvas, &letters, x, place_y(s, at, (double)(i + 1)) + 3.8, axis->names[i], room);
}

static void draw_axis(una_canvas *canvas, const stand *s, size_t at)
{
    const una_pen pen = { .rgb = una_ink_rgb(UNA_INK_AXIS), .opacity = 1, .width = UNA_HAIR };
    const una_axis *axis = &s->panel->axes[at];
    double x = axis_x(s, at), foot = s->top + s->height;
    canvas->move(canvas, x, s->top);
    canvas->line(canvas, x, foot);
    for (size_t i = 0; axis->names && i < axis->name_count; i++) {
        double y = place_y(s, at, (double)(i + 1));
        una_canvas_segment(canvas, x - 2.5, y, x + 2.5, y);
    }
    canvas->stroke(canvas, &pen);

    if (axis->names) {
        write_axis_words(canvas, s, at);
        return;
    }
    const una_letters letters = una_letters_of(UNA_TICK_SIZE, false, 0.5);
    una_text_write(canvas, &letters, x, s->top - 5, UNA_BRIEF(axis->high, 4), s->slot);
    una_text_write(canvas, &letters, x, foot + line_height, UNA_BRIEF(axis->low, 4), s->slot);
}

/* Long names of the outer axes begin and end at the rim. */
static void write_names(una_canvas *canvas, const stand *s)
{
    size_t count = s->panel->axis_count;
    for (size_t i = 0; i < count; i++) {
        una_letters letters = una_letters_of(UNA_LABEL_SIZE, true, 0.5);
        double up = line_height + 6 + (s->in_steps && i % 2 == 0 ? line_height : 0);
        double room = (s->in_steps ? 2 : 1) * s->slot - 8, x = axis_x(s, i);
        bool beyond = count > 1 && una_text_needs(&letters, name_of(&s->panel->axes[i]), room) > 2 * edge;
        if (beyond && i == 0) letters.share = 0, x -= edge;
        if (beyond && i + 1 == count) letters.share = 1, x += edge;
        una_text_write(canvas, &letters, x, s->top - up, name_of(&s->panel->axes[i]), room);
    }
}

void una_panel_draw_axes(una_canvas *canvas, const una_panel *panel, const una_frame *frame)
{
    const una_letters title = una_letters_of(UNA_TITLE_SIZE, true, 0);
    if (panel->axis_count == 0) return;
    stand s = set_up_axes(panel, frame);
    for (size_t i = 0; i < panel->bundle_count; i++) draw_bundle(canvas, &s, &panel->bundles[i]);
    for (size_t i = 0; i < panel->axis_count; i++) draw_axis(canvas, &s, i);
    write_names(canvas, &s);
    if (panel->title) una_text_write(canvas, &title, frame->left, frame->top + 12, panel->title, frame->width);
}
