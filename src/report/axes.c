/* SPDX-License-Identifier: MIT
 *
 * Parallel coordinates: an upright axis for each column of a table, and a line across all of them for each of its rows.
 * Names stand above, in two steps where they have no room side by side; the ends of an axis bear their numbers, an axis
 * of words bears these.
 */
#include "report/paper.h"

#include "report/number.h"

static const double line_height = 13, edge = 26;         /* edge: from the outer axes to the rim, for centred letters */

typedef struct stand {           /* where the axes stand */
    const una_paper *paper;
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
    place = place < 0 ? 0 : place > 1 ? 1 : place;
    return s->top + (1 - place) * s->height;
}

static const char *name_of(const una_axis *axis)
{
    return axis->label ? axis->label : "";
}

static stand set_up(const una_paper *paper, const una_panel *panel, double left, double top, double width,
                    double height)
{
    stand s = { .paper = paper, .panel = panel };
    size_t count = panel->axis_count;
    const una_axis *last = &panel->axes[count - 1];
    una_paper_font(paper, UNA_TICK_SIZE, false);
    double right = edge;                                 /* words stand to the right of their axis */
    for (size_t i = 0; last->names && i < last->name_count; i++)
        right = fmax(right, 6 + una_paper_needs(paper, last->names[i], 70));

    s.left = left + (count > 1 ? edge : width / 2);
    s.width = count > 1 ? width - edge - right : 0;
    s.slot = count > 1 ? s.width / (double)(count - 1) : width;

    una_paper_font(paper, UNA_LABEL_SIZE, true);
    for (size_t i = 0; i < count; i++)
        s.in_steps = s.in_steps || una_paper_needs(paper, name_of(&panel->axes[i]), 1e4) > s.slot - 8;
    double head = (panel->title ? 24 : 4) + line_height * (s.in_steps ? 3 : 2);
    s.top = top + head;
    s.height = height - head - line_height - 5;
    return s;
}

/* A row is a broken line; one that is alone between gaps is a dot on its axis. */
static void draw_row(const stand *s, const double *row)
{
    cairo_t *cr = s->paper->cr;
    bool down = false;
    for (size_t i = 0; i < s->panel->axis_count; i++) {
        if (!isfinite(row[i])) {
            down = false;
            continue;
        }
        double x = axis_x(s, i), y = place_y(s, i, row[i]);
        if (!down) cairo_move_to(cr, x, y);
        cairo_line_to(cr, x, y);
        down = true;
    }
}

/* In a few layers, so that crowding shows as darkness and files stay small. */
static void draw_bundle(const stand *s, const una_bundle *bundle)
{
    enum { LAYERS = 8 };
    cairo_t *cr = s->paper->cr;
    una_paper_ink(s->paper, bundle->ink, bundle->opacity > 0 ? bundle->opacity : 1);
    cairo_set_line_width(cr, bundle->size > 0 ? bundle->size : 1);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);

    for (size_t layer = 0; layer < LAYERS; layer++) {
        for (size_t i = layer; i < bundle->count; i += LAYERS) draw_row(s, bundle->at + i * s->panel->axis_count);
        cairo_stroke(cr);
    }
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

/* Words to the right of their axis, on a light ground; where there are many, some. */
static void write_words(const stand *s, size_t at)
{
    const una_axis *axis = &s->panel->axes[at];
    cairo_t *cr = s->paper->cr;
    double room = at + 1 < s->panel->axis_count ? s->slot - 12 : 70;
    size_t every = 1;
    while (place_y(s, at, 1) - place_y(s, at, 1 + (double)every) < line_height && every < axis->name_count) every++;

    for (size_t i = 0; i < axis->name_count; i += every) {
        double x = axis_x(s, at) + 5, y = place_y(s, at, (double)(i + 1));
        double width = una_paper_needs(s->paper, axis->names[i], room);
        cairo_set_source_rgba(cr, 1, 1, 1, 0.75);
        cairo_rectangle(cr, x - 1.5, y - 6.5, width + 3, line_height);
        cairo_fill(cr);
        una_paper_text_ink(s->paper);
        una_paper_write(s->paper, x, y + 3.8, 0, axis->names[i], room);
    }
}

static void draw_axis(const stand *s, size_t at)
{
    const una_axis *axis = &s->panel->axes[at];
    cairo_t *cr = s->paper->cr;
    double x = axis_x(s, at);
    char number[UNA_NUMBER_ROOM];
    una_paper_axis_ink(s->paper);
    cairo_set_line_width(cr, UNA_HAIR);
    cairo_move_to(cr, x, s->top);
    cairo_line_to(cr, x, s->top + s->height);
    for (size_t i = 0; axis->names && i < axis->name_count; i++) {
        cairo_move_to(cr, x - 2.5, place_y(s, at, (double)(i + 1)));
        cairo_rel_line_to(cr, 5, 0);
    }
    cairo_stroke(cr);

    una_paper_font(s->paper, UNA_TICK_SIZE, false);
    if (axis->names) {
        write_words(s, at);
        return;
    }
    una_paper_text_ink(s->paper);
    double foot = s->top + s->height + line_height;
    una_paper_write(s->paper, x, s->top - 5, 0.5, una_number_brief(number, axis->high, 4), s->slot);
    una_paper_write(s->paper, x, foot, 0.5, una_number_brief(number, axis->low, 4), s->slot);
}

static void write_names(const stand *s)
{
    una_paper_font(s->paper, UNA_LABEL_SIZE, true);
    una_paper_text_ink(s->paper);
    for (size_t i = 0; i < s->panel->axis_count; i++) {
        double up = line_height + 6 + (s->in_steps && i % 2 == 0 ? line_height : 0);
        double room = (s->in_steps ? 2 : 1) * s->slot - 8, x = axis_x(s, i);
        double half = una_paper_needs(s->paper, name_of(&s->panel->axes[i]), room) / 2;
        if (i == 0 && s->panel->axis_count > 1) x += fmax(0, half - edge);       /* not beyond the rim */
        if (i > 0 && i + 1 == s->panel->axis_count) x -= fmax(0, half - edge);
        una_paper_write(s->paper, x, s->top - up, 0.5, name_of(&s->panel->axes[i]), room);
    }
}

void una_paper_axes(const una_paper *paper, const una_panel *panel, double left, double top, double width,
                    double height)
{
    if (panel->axis_count == 0) return;
    stand s = set_up(paper, panel, left, top, width, height);
    for (size_t i = 0; i < panel->bundle_count; i++) draw_bundle(&s, &panel->bundles[i]);
    for (size_t i = 0; i < panel->axis_count; i++) draw_axis(&s, i);
    write_names(&s);

    if (panel->title) {
        una_paper_text_ink(paper);
        una_paper_font(paper, UNA_TITLE_SIZE, true);
        una_paper_write(paper, left, top + 12, 0, panel->title, width);
    }
}
