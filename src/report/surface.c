/* SPDX-License-Identifier: MIT
 *
 * From a figure to bytes through Cairo: SVG, PDF, PNG, and <svg> elements inside a page. Cairo's SVG defines glyphs
 * as symbols with ids; several charts on one page need a prefix each. The number in Cairo's id="surfaceN" counts
 * the surfaces of the process and is taken out, and the PDF gets a fixed date: same figure, same bytes.
 */
#include "report/html.h"
#include "report/paper.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <string.h>

enum { KEY_HEIGHT = 18, KEY_WIDTH = 143, GAP = 16 };
static const double png_scale = 2.5, px_to_pt = 0.75;
static const double least_width = 360;                  /* a phone's: small panels may grow to it */

cairo_status_t una_paper_into_text(void *closure, const unsigned char *bytes, unsigned int length)
{
    una_text *text = closure;
    una_text_bytes(text, (const char *)bytes, length);
    return text->arena->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

typedef struct sheet { double width, height, key_rows; size_t per_row; } sheet;

/* Places of panels one after the other: from left to right, then in a new row. */
typedef struct place { size_t column, span; double top, bottom; } place;

static double width_of(const una_figure *figure, size_t span)
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
    if (!same_row) next.column = 0;
    next.top = same_row ? last.top : last.span > 0 ? last.bottom + GAP : 0;
    next.bottom = fmax(same_row ? last.bottom : 0, next.top + height_of(figure, panel));
    return next;
}

static sheet measure(const una_figure *figure)
{
    place at = {0};
    size_t columns = 0;
    for (size_t i = 0; i < figure->panel_count; i++) {
        at = next_place(figure, figure->panels[i], at);
        if (at.column + at.span > columns) columns = at.column + at.span;
    }

    sheet s = { .width = width_of(figure, columns) };
    s.per_row = s.width > 2 * KEY_WIDTH ? (size_t)(s.width / KEY_WIDTH) : 1;
    s.key_rows = ceil((double)figure->key_count / (double)s.per_row);
    s.height = s.key_rows * KEY_HEIGHT + (s.key_rows > 0 ? 8 : 0) + at.bottom;
    return s;
}

static void draw_all(cairo_t *cr, const una_figure *figure, const sheet *s)
{
    una_paper paper = una_paper_on(cr);
    for (size_t i = 0; i < figure->key_count; i++)
        una_paper_key(&paper, &figure->keys[i], 4 + (double)(i % s->per_row) * KEY_WIDTH,
                      10 + (double)(i / s->per_row) * KEY_HEIGHT, KEY_WIDTH);
    double top = s->key_rows * KEY_HEIGHT + (s->key_rows > 0 ? 8 : 0);
    place at = {0};
    for (size_t i = 0; i < figure->panel_count; i++) {
        at = next_place(figure, figure->panels[i], at);
        una_paper_panel(&paper, figure->panels[i], (double)at.column * (figure->panel_width + GAP), top + at.top,
                        width_of(figure, at.span), height_of(figure, figure->panels[i]));
    }
}

/* What Cairo says about context and surface, as ours. */
static una_status verdict(cairo_t *cr, cairo_surface_t *surface, const una_arena *arena, una_run *run)
{
    cairo_status_t status = cairo_status(cr);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    UNA_TRY(una_arena_check(arena));
    if (status == CAIRO_STATUS_SUCCESS) return UNA_OK;
    UNA_FAIL(run, status == CAIRO_STATUS_NO_MEMORY ? UNA_E_MEMORY : UNA_E_NUMERIC,
             "a chart could not be drawn: Cairo says '%s'", cairo_status_to_string(status));
}

static cairo_surface_t *open_surface(una_text *out, const sheet *s, una_format format)
{
    if (format == UNA_FORMAT_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(s->width * png_scale),
                                          (int)(s->height * png_scale));
    if (format == UNA_FORMAT_SVG) {
        cairo_surface_t *surface = cairo_svg_surface_create_for_stream(una_paper_into_text, out, s->width, s->height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        return surface;
    }
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(una_paper_into_text, out, s->width * px_to_pt,
                                                                   s->height * px_to_pt);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return surface;
}

static una_status paint(una_text *out, const una_figure *figure, const sheet *s, una_format format, bool white,
                        una_run *run)
{
    cairo_surface_t *surface = open_surface(out, s, format);
    cairo_t *cr = cairo_create(surface);
    double scale = format == UNA_FORMAT_PNG ? png_scale : format == UNA_FORMAT_PDF ? px_to_pt : 1;

    if (white) {
        cairo_set_source_rgb(cr, 1, 1, 1);
        cairo_paint(cr);
    }
    cairo_scale(cr, scale, scale);
    draw_all(cr, figure, s);
    cairo_surface_flush(surface);

    if (format == UNA_FORMAT_PNG && cairo_status(cr) == CAIRO_STATUS_SUCCESS)
        cairo_surface_write_to_png_stream(surface, una_paper_into_text, out);
    else
        cairo_surface_finish(surface);

    una_status status = verdict(cr, surface, out->arena, run);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return status;
}

static bool begins(const char *at, const char *with)
{
    return strncmp(at, with, strlen(with)) == 0;
}

/* Cairo writes six decimals; a thousandth of a px is more than any eye sees, and makes pages a third smaller. Returns
 * how many digits after the point at `at` are too many, from *kept on. */
static size_t spare_digits(const char *at, size_t *kept)
{
    size_t digits = 0;
    while (at[1 + digits] >= '0' && at[1 + digits] <= '9') digits++;
    *kept = digits < 3 ? digits : 3;
    return digits - *kept;
}

/* Copies Cairo's SVG with `prefix` before every id and reference, without ids that count surfaces and without decimals
 * that nobody sees. */
static void add_prefixed(una_text *out, const char *svg, const char *prefix)
{
    static const char *const before[] = { "id=\"", "href=\"#", "url(#" };
    const char *from = svg;
    for (const char *at = svg; *at; at++) {
        if (begins(at, " id=\"surface")) {
            una_text_bytes(out, from, (size_t)(at - from));
            const char *end = strchr(at + 5, '"');
            if (!end) return;
            from = end + 1;
            at = end;
            continue;
        }

        size_t kept = 0, spare = *at == '.' ? spare_digits(at, &kept) : 0;
        if (spare > 0) {
            una_text_bytes(out, from, (size_t)(at + 1 + kept - from));
            from = at + 1 + kept + spare;
            at = from - 1;
            continue;
        }

        for (size_t k = 0; k < 3; k++) {
            if (!begins(at, before[k])) continue;
            at += strlen(before[k]);
            una_text_bytes(out, from, (size_t)(at - from));
            una_text_bytes(out, prefix, strlen(prefix));
            from = at--;
            break;
        }
    }

    una_text_bytes(out, from, strlen(from));
}

una_status una_figure_draw(una_text *out, const una_figure *figure, una_format format, una_run *run)
{
    UNA_TRY(una_arena_check(figure->arena));
    if (figure->panel_count == 0) UNA_FAIL(run, UNA_E_USAGE, "there is nothing to draw: the figure has no panel");
    sheet s = measure(figure);
    if (format != UNA_FORMAT_SVG) return paint(out, figure, &s, format, format == UNA_FORMAT_PNG, run);
    una_text raw = una_text_in(out->arena);
    UNA_TRY(paint(&raw, figure, &s, format, true, run));
    add_prefixed(out, raw.at, "");
    return una_arena_check(out->arena);
}

/* What the pointer finds above the only panel of a figure. Places are measured on a surface of no size. */
static void add_tips(una_text *out, const una_figure *figure, const sheet *s)
{
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cr = cairo_create(surface);
    una_paper paper = una_paper_on(cr);
    una_paper_tips(out, &paper, figure->panels[0], 0, 0, s->width, s->height);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
}

una_status una_figure_inline(una_text *out, const una_figure *figure, size_t panel, const char *id,
                             const char *title, const char *description, una_run *run)
{
    UNA_TRY(una_arena_check(figure->arena));
    if (panel >= figure->panel_count) UNA_FAIL(run, UNA_E_USAGE, "the figure has no panel %zu", panel + 1);

    size_t span = figure->panels[panel]->span > 0 ? figure->panels[panel]->span : 1;
    una_figure alone = una_figure_in(figure->arena, span, figure->panel_width, figure->panel_height);
    alone.panels[alone.panel_count++] = figure->panels[panel];
    sheet s = measure(&alone);
    una_text raw = una_text_in(out->arena);
    UNA_TRY(paint(&raw, &alone, &s, UNA_FORMAT_SVG, false, run));

    const char *body = strstr(raw.at, "<svg");
    body = body ? strchr(body, '>') : NULL;
    if (!body) UNA_FAIL(run, UNA_E_NUMERIC, "a chart could not be drawn: Cairo's SVG has no <svg> element");

    una_text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
                 "viewBox=\"0 0 %.0f %.0f\" style=\"max-width:%.0fpx\" role=\"img\" aria-labelledby=\"%st %sd\">",
                 s.width, s.height, fmax(s.width, least_width), id, id);
    una_text_add(out, "<title id=\"%st\">", id);
    una_html_escape(out, title);
    una_text_add(out, "</title><desc id=\"%sd\">", id);
    una_html_escape(out, description);
    una_text_add(out, "</desc>");
    una_text drawn = una_text_in(out->arena);
    add_prefixed(&drawn, body + 1, id);
    UNA_TRY(una_arena_check(out->arena));
    const char *end = strstr(drawn.at, "</svg>");
    if (!end) UNA_FAIL(run, UNA_E_NUMERIC, "a chart could not be drawn: Cairo's SVG has no end");
    una_text_bytes(out, drawn.at, (size_t)(end - drawn.at));
    add_tips(out, &alone, &s);
    una_text_add(out, "%s", end);
    return una_arena_check(out->arena);
}
