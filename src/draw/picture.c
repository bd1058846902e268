/* SPDX-License-Identifier: MIT
 *
 * Images of data on a page: see picture.h. Small ones are enlarged by whole pixels, not smoothed: one sees what the
 * model sees.
 */
#include "draw/picture.h"

#include "draw/png.h"

typedef struct tones { double black, white; } tones;

static tones tones_of(const una_picture *pictures, size_t count)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < count; i++)
        una_range_add(&low, &high, pictures[i].numbers,
                      pictures[i].height * pictures[i].width * pictures[i].channels);
    if (high <= 1) return (tones){ low, 1 };
    return (tones){ low, fmax(high, 255) };
}

static unsigned char grey_tone(double number, tones t)
{
    double share = (number - t.black) / (t.white - t.black);
    return share > 0 ? (unsigned char)(255 * fmin(share, 1) + 0.5) : 0;          /* NAN is black */
}

typedef struct toned { const una_picture *picture; tones tones; } toned;

static void picture_row(unsigned char *to, const void *from, size_t y)
{
    const toned *of = from;
    const una_picture *p = of->picture;
    size_t shown = p->channels >= 3 ? 3 : 1;
    for (size_t x = 0; x < p->width; x++)
        for (size_t k = 0; k < shown; k++)
            *to++ = grey_tone(p->numbers[(y * p->width + x) * p->channels + k], of->tones);
}

static void add_base64(una_text *to, const char *bytes, size_t count)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0; i < count; i += 3) {
        size_t have = count - i < 3 ? count - i : 3;
        uint32_t three = (uint32_t)at[i] << 16 | (have > 1 ? (uint32_t)at[i + 1] << 8 : 0) | (have > 2 ? at[i + 2] : 0);
        char four[4];
        for (size_t k = 0; k < 4; k++) four[k] = k <= have ? letters[three >> (18 - 6 * k) & 63] : '=';
        una_text_bytes(to, four, 4);
    }
}

static una_status add_picture(una_html *html, const una_picture *p, tones t, una_run *run)
{
    const toned of = { p, t };
    const una_png drawn = { .height = p->height, .width = p->width, .channels = p->channels >= 3 ? 3 : 1,
        .row = picture_row, .from = &of };
    una_text png = una_text_in(html->text.arena);
    UNA_TRY(una_png_add(&png, &drawn, run));
    una_text_add(&html->text, "<div><img alt=\"");
    una_html_escape(&html->text, p->words);
    una_text_add(&html->text, "\" src=\"data:image/png;base64,");
    add_base64(&html->text, png.at, png.length);
    una_text_add(&html->text, "\"/>");
    una_html_escape(&html->text, p->words);
    una_text_add(&html->text, "</div>\n");
    return UNA_OK;
}

una_status una_html_pictures(una_html *html, const una_picture *pictures, size_t count, const char *lead,
                             const char *caption, una_run *run)
{
    tones t = tones_of(pictures, count);
    una_text_add(&html->text, "<figure>\n<div class=\"pictures\">\n");
    for (size_t i = 0; i < count; i++) UNA_TRY(add_picture(html, &pictures[i], t, run));
    una_text_add(&html->text, "</div>\n");
    una_html_figure_end(html, lead, caption);
    return una_arena_check(html->text.arena);
}
