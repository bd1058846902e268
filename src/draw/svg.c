/* SPDX-License-Identifier: MIT
 *
 * See svg.h. A path is written while it is drawn, and then its pen: the order of attributes says nothing. Neighbours in
 * the same letters share a group.
 */
#include "draw/svg.h"

#include "draw/html.h"

static const double grain = 100, farthest = 1e9;         /* places in a px; the farthest place */

static una_svg *svg_of(una_canvas *canvas)
{
    return (una_svg *)(void *)canvas;
}

/* ---- numbers --------------------------------------------------------------------------------------- */

static long place(double px)
{
    if (isnan(px)) return 0;
    return lround(fmin(fmax(grain * px, -farthest), farthest));
}

/* With no more digits than needed: 1.5, .25, -3. */
static void add_place(una_text *out, long at)
{
    unsigned long size = (unsigned long)(at < 0 ? -at : at), whole = size / 100, part = size % 100;
    if (at < 0) una_text_bytes(out, "-", 1);
    if (whole > 0 || part == 0) una_text_add(out, "%lu", whole);
    if (part % 10 > 0) una_text_add(out, ".%02lu", part);
    else if (part > 0) una_text_add(out, ".%lu", part / 10);
}

static void add_attribute(una_text *out, const char *name, double value)
{
    una_text_add(out, " %s=\"", name);
    una_text_number(out, round(1000 * value) / 1000);
    una_text_bytes(out, "\"", 1);
}

/* ---- paths ----------------------------------------------------------------------------------------- */

static void end_letters(una_svg *svg)
{
    if (svg->letters.size > 0) una_text_add(svg->out, "</g>\n");
    svg->letters.size = 0;
}

/* A command and its numbers; without its letter where the one before was the same. */
static void add_command(una_svg *svg, char command, const long *numbers, int count)
{
    bool again = svg->command == command;
    if (!again) una_text_bytes(svg->out, &command, 1);
    for (int i = 0; i < count; i++) {
        if ((again || i > 0) && numbers[i] >= 0) una_text_bytes(svg->out, " ", 1);
        add_place(svg->out, numbers[i]);
    }
    svg->command = command;
}

/* Lines without length are written where a piece has no other: round pens make dots of them. */
static void end_piece(una_svg *svg)
{
    const long nowhere = 0;
    if (svg->dotted) add_command(svg, 'h', &nowhere, 1);
    svg->dotted = false;
}

static void svg_move(una_canvas *canvas, double x, double y)
{
    una_svg *svg = svg_of(canvas);
    end_piece(svg);
    svg->goal = (una_svg_place){ place(x), place(y) };
    svg->lifted = true;
}

/* Moves are written once a line begins there. */
static void put_down(una_svg *svg)
{
    const long by[] = { svg->goal.x - svg->at.x, svg->goal.y - svg->at.y };
    if (svg->command == 0) {
        end_letters(svg);
        una_text_add(svg->out, "<path d=\"");
        add_command(svg, 'M', &svg->goal.x, 1);
        if (svg->goal.y >= 0) una_text_bytes(svg->out, " ", 1);
        add_place(svg->out, svg->goal.y);
    } else {
        add_command(svg, 'm', by, 2);
    }
    svg->at = svg->begun = svg->goal;
    svg->lifted = false;
    svg->bare = true;
}

static void svg_line(una_canvas *canvas, double x, double y)
{
    una_svg *svg = svg_of(canvas);
    if (svg->lifted) put_down(svg);
    const una_svg_place to = { place(x), place(y) };
    const long by[] = { to.x - svg->at.x, to.y - svg->at.y };
    if (by[0] == 0 && by[1] == 0) {
        svg->dotted = svg->bare;
        return;
    }
    if (by[1] == 0) add_command(svg, 'h', &by[0], 1);
    else if (by[0] == 0) add_command(svg, 'v', &by[1], 1);
    else add_command(svg, 'l', by, 2);
    svg->at = to;
    svg->bare = svg->dotted = false;
}

static void svg_close(una_canvas *canvas)
{
    una_svg *svg = svg_of(canvas);
    end_piece(svg);
    if (svg->lifted || svg->command == 0) return;
    add_command(svg, 'z', NULL, 0);
    svg->at = svg->begun;
}

/* Whether there is a path to end. */
static bool end_path(una_svg *svg)
{
    end_piece(svg);
    svg->lifted = false;
    if (svg->command == 0) return false;
    svg->command = 0;
    una_text_bytes(svg->out, "\"", 1);
    return true;
}

static void svg_stroke(una_canvas *canvas, const una_pen *pen)
{
    una_svg *svg = svg_of(canvas);
    char name[8];
    if (!end_path(svg)) return;
    una_text_add(svg->out, " stroke=\"%s\"", una_rgb_name(name, pen->rgb));
    if (pen->width != 1) add_attribute(svg->out, "stroke-width", pen->width);
    if (pen->opacity < 1) add_attribute(svg->out, "stroke-opacity", pen->opacity);
    if (pen->round) una_text_add(svg->out, " stroke-linecap=\"round\"");
    if (pen->dashed) una_text_add(svg->out, " stroke-dasharray=\"4 3\"");
    una_text_add(svg->out, "/>\n");
}

static void svg_fill(una_canvas *canvas, const una_pen *pen)
{
    una_svg *svg = svg_of(canvas);
    char name[8];
    if (!end_path(svg)) return;
    una_text_add(svg->out, " fill=\"%s\"", una_rgb_name(name, pen->rgb));
    if (pen->opacity < 1) add_attribute(svg->out, "fill-opacity", pen->opacity);
    una_text_add(svg->out, "/>\n");
}

/* ---- text and clips -------------------------------------------------------------------------------- */

static bool same_letters(const una_letters *a, const una_letters *b)
{
    return a->size == b->size && a->bold == b->bold && a->share == b->share && a->rgb.red == b->rgb.red
        && a->rgb.green == b->rgb.green && a->rgb.blue == b->rgb.blue;
}

static void begin_letters(una_svg *svg, const una_letters *letters)
{
    char name[8];
    una_text_add(svg->out, "<g fill=\"%s\"", una_rgb_name(name, letters->rgb));
    add_attribute(svg->out, "font-size", letters->size);
    if (letters->bold) una_text_add(svg->out, " font-weight=\"bold\"");
    if (letters->share > 0) una_text_add(svg->out, " text-anchor=\"%s\"", letters->share < 1 ? "middle" : "end");
    una_text_add(svg->out, ">\n");
    svg->letters = *letters;
}

static void svg_text(una_canvas *canvas, const una_letters *letters, double x, double y, const char *text)
{
    una_svg *svg = svg_of(canvas);
    una_text *out = svg->out;
    if (!same_letters(&svg->letters, letters)) {
        end_letters(svg);
        begin_letters(svg, letters);
    }

    una_text_add(out, letters->turn != 0 ? "<text transform=\"translate(" : "<text x=\"");
    add_place(out, place(x));
    una_text_add(out, letters->turn != 0 ? " " : "\" y=\"");
    add_place(out, place(y));
    if (letters->turn != 0) {
        una_text_add(out, ")rotate(");
        add_place(out, place(letters->turn * 180 / 3.14159265358979323846));
        una_text_add(out, ")");
    }
    una_text_add(out, "\">");
    una_html_escape(out, text);
    una_text_add(out, "</text>\n");
}

static void svg_clip(una_canvas *canvas, double left, double top, double width, double height)
{
    una_svg *svg = svg_of(canvas);
    end_letters(svg);
    una_text_add(svg->out, "<clipPath id=\"%sp%zu\">", svg->prefix, ++svg->clips);
    una_canvas_rectangle(canvas, left, top, width, height);
    end_path(svg);
    una_text_add(svg->out, "/></clipPath>\n<g clip-path=\"url(#%sp%zu)\">\n", svg->prefix, svg->clips);
}

static void svg_unclip(una_canvas *canvas)
{
    una_svg *svg = svg_of(canvas);
    end_letters(svg);
    una_text_add(svg->out, "</g>\n");
}

una_svg una_svg_on(una_text *out, const char *prefix)
{
    return (una_svg){ .out = out, .prefix = prefix,
                      .canvas = { .move = svg_move, .line = svg_line, .close = svg_close, .stroke = svg_stroke,
                                 .fill = svg_fill, .text = svg_text, .clip = svg_clip, .unclip = svg_unclip } };
}

void una_svg_end(una_svg *svg)
{
    end_letters(svg);
}
