/* SPDX-License-Identifier: MIT
 *
 * From a figure to bytes: where its keys and panels stand on canvas, and the file around them; <svg> elements inside a
 * page, whose ids each begin with a prefix.
 */
#include "draw/cairo_canvas.h"
#include "draw/html.h"
#include "draw/svg.h"

enum { KEY_HEIGHT = 18, KEY_WIDTH = 143, GAP = 16 };
static const double least_width = 360;                  /* a phone's: small panels may grow to it */

typedef struct figure_layout { double width, height, top; size_t per_row; } figure_layout;        /* top: of panels */

/* Places of panels one after the other: from left to right, then in a new row. */
typedef struct place { size_t column, span; double top, bottom; } place;

static double width_of_span(const una_figure *figure, size_t span)
{
    return (double)span * (figure->panel_width + GAP) - GAP;
}

static double height_of(const una_figure *figure, const una_panel *panel)
{
    return panel->height > 0 ? panel->height : figure->panel_height;
}

static place next_place(const una_figure *figure, const una_panel *panel, place last)
{
    place next = { .column = last.column + last.span, .span = panel->span > 0 ? panel->span : 1 };
    if (next.span > figure->columns) next.span = figure->columns;
    bool same_row = last.span > 0 && next.column + next.span <= figure->columns;
    next.top = last.top;
    if (!same_row) {
        next.column = 0;
        next.top = last.span > 0 ? last.bottom + GAP : 0;
    }
    next.bottom = fmax(same_row ? last.bottom : 0, next.top + height_of(figure, panel));
    return next;
}

static figure_layout lay_out_figure(const una_figure *figure)
{
    place at = {0};
    size_t columns = 0;
    for (size_t i = 0; i < figure->panel_count; i++) {
        at = next_place(figure, figure->panels[i], at);
        if (at.column + at.span > columns) columns = at.column + at.span;
    }

    figure_layout s = { .width = width_of_span(figure, columns) };
    s.per_row = s.width > 2 * KEY_WIDTH ? (size_t)(s.width / KEY_WIDTH) : 1;
    s.top = figure->key_count ? 8 + KEY_HEIGHT * ceil((double)figure->key_count / (double)s.per_row) : 0;
    s.height = s.top + at.bottom;
    return s;
}

static void draw_figure(una_canvas *canvas, const una_figure *figure, const figure_layout *s)
{
    for (size_t i = 0; i < figure->key_count; i++)
        una_key_draw(canvas, &figure->keys[i], 4 + (double)(i % s->per_row) * KEY_WIDTH,
                     10 + (double)(i / s->per_row) * KEY_HEIGHT, KEY_WIDTH);
    place at = {0};
    for (size_t i = 0; i < figure->panel_count; i++) {
        at = next_place(figure, figure->panels[i], at);
        const una_frame frame = { (double)at.column * (figure->panel_width + GAP), s->top + at.top,
                                  width_of_span(figure, at.span), height_of(figure, figure->panels[i]) };
        una_panel_draw(canvas, figure->panels[i], &frame);
    }
}

static una_status draw_svg(una_text *out, const una_figure *figure, const figure_layout *s)
{
    una_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                 "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" " UNA_SVG_DEFAULTS ">\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", s->width, s->height, s->width, s->height);
    una_svg svg = una_svg_on(out, "");
    draw_figure(&svg.canvas, figure, s);
    una_svg_end(&svg);
    una_text_add(out, "</svg>\n");
    return una_arena_check(out->arena);
}

una_status una_figure_draw(una_text *out, const una_figure *figure, una_format format, una_run *run)
{
    UNA_TRY(una_arena_check(figure->arena));
    if (figure->panel_count == 0) UNA_FAIL(run, UNA_E_USAGE, "there is nothing to draw: the figure has no panel");
    figure_layout s = lay_out_figure(figure);
    if (format == UNA_FORMAT_SVG) return draw_svg(out, figure, &s);
    una_canvas *canvas;
    UNA_TRY(una_cairo_on(&canvas, out, s.width, s.height, format, run));
    draw_figure(canvas, figure, &s);
    return una_cairo_end(canvas, run);
}

void una_figure_inline(una_text *out, const una_figure *figure, size_t panel, const char *id, const char *title,
                       const char *description)
{
    if (panel >= figure->panel_count) return;
    size_t span = figure->panels[panel]->span > 0 ? figure->panels[panel]->span : 1;
    una_figure alone = una_figure_in(figure->arena, span, figure->panel_width, figure->panel_height);
    alone.panels[alone.panel_count++] = figure->panels[panel];
    figure_layout s = lay_out_figure(&alone);

    una_text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                 "style=\"max-width:%.0fpx\" role=\"img\" aria-labelledby=\"%st %sd\" " UNA_SVG_DEFAULTS ">",
                 s.width, s.height, fmax(s.width, least_width), id, id);
    una_text_add(out, "<title id=\"%st\">", id);
    una_html_escape(out, title);
    una_text_add(out, "</title><desc id=\"%sd\">", id);
    una_html_escape(out, description);
    una_text_add(out, "</desc>\n");

    una_svg svg = una_svg_on(out, id);
    draw_figure(&svg.canvas, &alone, &s);
    una_svg_end(&svg);
    const una_frame all = { .width = s.width, .height = s.height };
    una_panel_tips(out, alone.panels[0], &all);
    una_text_add(out, "</svg>\n");
}
