/* SPDX-License-Identifier: MIT
 *
 * Inks and letters: the colours of everything, and text that is cut with an ellipsis where it does not fit, so that a
 * hostile column name cannot spoil the layout.
 */
#include "report/paper.h"

#include "report/number.h"

#include <string.h>

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

void una_paper_ink(const una_paper *paper, una_ink ink, double opacity)
{
    use(paper, &inks[ink], opacity);
}

void una_paper_mixed_ink(const una_paper *paper, una_ink ink, double share, double opacity)
{
    const rgb *from = &inks[UNA_INK_PART], *to = &inks[ink];
    rgb mixed = { from->r + share * (to->r - from->r), from->g + share * (to->g - from->g),
                  from->b + share * (to->b - from->b), "" };
    use(paper, &mixed, opacity);
}

void una_paper_text_ink(const una_paper *paper)
{
    use(paper, &text_ink, 1);
}

void una_paper_axis_ink(const una_paper *paper)
{
    use(paper, &axis_ink, 1);
}

/* ---- text ------------------------------------------------------------------------------------------ */

void una_paper_font(const una_paper *paper, double size, bool bold)
{
    cairo_select_font_face(paper->cr, paper->family, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(paper->cr, size);
}

double una_paper_width(const una_paper *paper, const char *text)
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
    una_paper_font(&paper, 100, false);
    double usual = una_paper_width(&paper, sample);
    paper.family = "DejaVu Sans";
    una_paper_font(&paper, 100, false);
    bool wide = fabs(una_paper_width(&paper, sample) - usual) < 1e-6;
    paper.family = wide ? "DejaVu Sans Condensed" : "Helvetica";
    una_paper_font(&paper, 100, false);

    paper.thin_space = has_glyph(cr, UNA_THIN_SPACE);
    paper.raised = has_glyph(cr, "\xE2\x81\xBB") && has_glyph(cr, "\xE2\x81\xB4");
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    return paper;
}

/* The raised sign or digit at `at` as a plain one, 0 if there is none; its bytes go to *length. */
static char lowered(const char *at, size_t *length)
{
    static const char *const raised[] = { "\xE2\x81\xB0", "\xC2\xB9", "\xC2\xB2", "\xC2\xB3", "\xE2\x81\xB4",
        "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9", "\xE2\x81\xBB" };
    for (size_t i = 0; i < 11; i++) {
        *length = strlen(raised[i]);
        if (strncmp(at, raised[i], *length) == 0) return "0123456789-"[i];
    }
    return 0;
}

/* Powers of ten for a family without raised digits: 10^-5 becomes 1e-5, 2 times it 2e-5. Never longer than before. */
static void lower_powers(char *text)
{
    size_t length = 0;
    char *to = text;
    for (const char *from = text; *from;) {
        bool power = from[0] == '1' && from[1] == '0' && lowered(from + 2, &length);
        if (!power) {
            *to++ = *from++;
            continue;
        }
        bool times = to - text > 2 && memcmp(to - 2, "\xC3\x97", 2) == 0 && to[-3] >= '0' && to[-3] <= '9';
        if (times) to -= 2;
        else *to++ = '1';
        *to++ = 'e';
        from += 2;
        for (char digit; (digit = lowered(from, &length)); from += length) *to++ = digit;
    }
    *to = 0;
}

const char *una_paper_fitted(const una_paper *paper, char buffer[UNA_TEXT_ROOM], const char *text, double width)
{
    una_utf8_clean(buffer, UNA_TEXT_ROOM - 4, text);
    for (char *s = buffer; !paper->thin_space && (s = strstr(s, UNA_THIN_SPACE));) {
        *s = ' ';
        memmove(s + 1, s + 3, strlen(s + 3) + 1);
    }
    if (!paper->raised) lower_powers(buffer);

    size_t length = strlen(buffer);
    bool cut = strlen(text) > length + 8;
    while (length > 0 && (cut || una_paper_width(paper, buffer) > width)) {
        do length--; while (length > 0 && ((unsigned char)buffer[length] & 0xC0) == 0x80);
        memcpy(buffer + length, "\xE2\x80\xA6", 4);              /* an ellipsis */
        cut = false;
    }
    return buffer;
}

double una_paper_needs(const una_paper *paper, const char *text, double width)
{
    char buffer[UNA_TEXT_ROOM];
    return una_paper_width(paper, una_paper_fitted(paper, buffer, text, width));
}

void una_paper_write(const una_paper *paper, double x, double y, double share, const char *text, double width)
{
    char buffer[UNA_TEXT_ROOM];
    una_paper_fitted(paper, buffer, text, width);
    cairo_move_to(paper->cr, x - share * una_paper_width(paper, buffer), y);
    cairo_show_text(paper->cr, buffer);
}
