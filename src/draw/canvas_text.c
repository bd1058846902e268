/* SPDX-License-Identifier: MIT
 *
 * Inks and letters: the colours of everything, how wide texts are, and text that is cut with an ellipsis where it does
 * not fit, so that a hostile column name cannot spoil the layout.
 *
 * Charts are shown in Helvetica, Arial or what a machine has in their place. The widths below are made of those in the
 * files (hmtx) of Liberation Sans 2.1, which is as wide as Helvetica and Arial, and DejaVu Sans Condensed 2.37: the
 * larger one, and of bold letters, which have room beside them, the mean. Usual texts are 4 % narrower in the first,
 * 1 % in the second and 2 % wider in Noto Sans; bold ones are 4 % narrower, 4 % wider and 1 % wider.
 */
#include "draw/canvas.h"

#include "draw/number.h"

/* ---- inks ------------------------------------------------------------------------------------------ */

static const una_rgb inks[UNA_INK_COUNT] = {
    [UNA_INK_MODEL]     = { 0.078, 0.267, 0.518 },
    [UNA_INK_IGNORANCE] = { 0.835, 0.369, 0.000 },
    [UNA_INK_NOISE]     = { 0.435, 0.549, 0.686 },
    [UNA_INK_DATA]      = { 0.180, 0.192, 0.212 },
    [UNA_INK_PART]      = { 0.560, 0.570, 0.590 },
    [UNA_INK_SECOND]    = { 0.000, 0.541, 0.451 },
    [UNA_INK_THIRD]     = { 0.722, 0.361, 0.580 },
    [UNA_INK_FOURTH]    = { 0.750, 0.560, 0.000 },
    [UNA_INK_AXIS]      = { 0.380, 0.380, 0.400 },
    [UNA_INK_TEXT]      = { 0.160, 0.160, 0.180 },
};

una_rgb una_ink_rgb(una_ink ink)
{
    return inks[ink];
}

una_rgb una_ink_mixed(una_ink ink, double share)
{
    const una_rgb *from = &inks[UNA_INK_PART], *to = &inks[ink];
    return (una_rgb){ from->red + share * (to->red - from->red), from->green + share * (to->green - from->green),
                        from->blue + share * (to->blue - from->blue) };
}

const char *una_rgb_name(char name[8], una_rgb rgb)
{
    const double parts[] = { rgb.red, rgb.green, rgb.blue };
    name[0] = '#';
    for (int i = 0; i < 3; i++) {
        unsigned part = (unsigned)lround(255 * fmin(fmax(parts[i], 0), 1));
        name[1 + 2 * i] = "0123456789abcdef"[part >> 4];
        name[2 + 2 * i] = "0123456789abcdef"[part & 15];
    }
    name[7] = 0;
    return name;
}

double una_shape_opacity(una_shape shape)
{
    static const double thin[UNA_SHAPE_DIAGONAL + 1] = { [UNA_SHAPE_BAND] = 0.28, [UNA_SHAPE_POINTS] = 0.65,
        [UNA_SHAPE_RANGES] = 0.35, [UNA_SHAPE_RUG] = 0.5, [UNA_SHAPE_BARS] = 0.75 };
    return thin[shape] > 0 ? thin[shape] : 1;
}

una_letters una_letters_of(double size, bool bold, double share)
{
    return (una_letters){ .rgb = inks[UNA_INK_TEXT], .size = size, .bold = bold, .share = share };
}

/* ---- widths ---------------------------------------------------------------------------------------- */

/* In thousandths of the size, from the blank to the tilde. */
static const uint16_t widths[2][95] = { {
    286, 360, 414, 754, 572, 889, 702, 247, 351, 351, 450, 754, 286, 333, 286, 303,     /* blank to / */
    572, 572, 572, 572, 572, 572, 572, 572, 572, 572, 303, 303, 754, 754, 754, 556,     /* 0 to ? */
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,    /* @ to O */
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 616, 351, 303, 351, 754, 556,     /* P to _ */
    450, 556, 571, 500, 571, 556, 316, 571, 570, 250, 250, 521, 250, 876, 570, 556,     /* ` to o */
    571, 571, 370, 500, 353, 570, 532, 736, 532, 532, 500, 572, 303, 572, 754 },        /* p to ~ */
{   296, 372, 472, 655, 591, 895, 754, 256, 372, 372, 430, 669, 310, 354, 310, 304,
    591, 591, 591, 591, 591, 591, 591, 591, 591, 591, 346, 346, 669, 669, 669, 566,
    938, 709, 704, 691, 734, 641, 613, 758, 738, 306, 445, 710, 592, 864, 738, 772,
    663, 772, 708, 658, 612, 726, 682, 968, 680, 659, 632, 372, 304, 372, 669, 503,
    392, 582, 628, 544, 628, 583, 362, 628, 626, 293, 293, 577, 293, 914, 626, 614,
    628, 628, 416, 546, 382, 626, 571, 804, 568, 571, 512, 515, 304, 515, 669 } };

/* Beyond ASCII: from one code point to the next entry's. What no entry is about is 650 wide, a usual letter. */
static const struct { uint32_t from; uint16_t width; } ranges[] = {
    { 0x80, 560 }, { 0xB0, 450 }, { 0xB1, 754 }, { 0xB2, 370 }, { 0xB4, 560 }, { 0xB9, 370 }, { 0xBA, 560 },
    { 0xD7, 754 }, { 0xD8, 600 }, { 0xF7, 754 }, { 0xF8, 600 }, { 0x250, 600 }, { 0x300, 0 }, { 0x370, 640 },
    { 0x530, 650 }, { 0x1100, 1000 }, { 0x1160, 650 }, { 0x2000, 500 }, { 0x2009, 200 }, { 0x200B, 0 },
    { 0x2010, 556 }, { 0x2014, 1000 }, { 0x2016, 450 }, { 0x2026, 1000 }, { 0x2027, 350 }, { 0x202F, 200 },
    { 0x2030, 650 }, { 0x2070, 440 }, { 0x20A0, 650 }, { 0x2190, 1000 }, { 0x2200, 754 }, { 0x2300, 650 },
    { 0x2E80, 1000 }, { 0xA4D0, 650 }, { 0xAC00, 1000 }, { 0xD7B0, 650 }, { 0xF900, 1000 }, { 0xFB00, 650 },
    { 0xFE00, 0 }, { 0xFE10, 1000 }, { 0xFE70, 650 }, { 0xFF00, 1000 }, { 0xFF61, 650 }, { 0x1F000, 1000 },
    { 0xE0000, 0 } };

/* The code point at `at`, where valid UTF-8 begins; its bytes go to *length. */
static uint32_t code_point(const char *at, size_t *length)
{
    static const unsigned char first[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    *length = una_utf8_length(at);
    if (*length == 0) *length = 1;
    uint32_t code = (unsigned char)at[0] & first[*length];
    for (size_t i = 1; i < *length; i++) code = code << 6 | ((unsigned char)at[i] & 0x3F);
    return code;
}

/* The plain letter below an accent of Latin-1, for others themselves. */
static uint32_t without_accent(uint32_t code)
{
    static const char plain[] = "AAAAAA CEEEEIIII NOOOOO  UUUUY  aaaaaa ceeeeiiii nooooo  uuuuy y";
    if (code < 0xC0 || code > 0xFF || plain[code - 0xC0] == ' ') return code;
    return (unsigned char)plain[code - 0xC0];
}

double una_text_width(const una_letters *letters, const char *text)
{
    size_t count = sizeof ranges / sizeof *ranges, length;
    uint64_t sum = 0;
    for (const char *s = text; *s; s += length) {
        uint32_t code = without_accent(code_point(s, &length));
        if (code >= 0x20 && code < 0x7F) {
            sum += widths[letters->bold][code - 0x20];
            continue;
        }
        size_t at = 0;
        while (at + 1 < count && ranges[at + 1].from <= code) at++;
        sum += code < ranges[0].from ? 0 : ranges[at].width;
    }
    return (double)sum * letters->size / 1000;
}

/* ---- text ------------------------------------------------------------------------------------------ */

void una_powers_lower(char *text)
{
    size_t length = 0;
    char *to = text;
    for (const char *from = text; *from;) {
        bool power = from[0] == '1' && from[1] == '0' && una_lowered_digit(from + 2, &length);
        if (!power) {
            *to++ = *from++;
            continue;
        }
        bool times = to - text > 2 && memcmp(to - 2, "\xC3\x97", 2) == 0 && to[-3] >= '0' && to[-3] <= '9';
        if (times) to -= 2;
        else *to++ = '1';
        *to++ = 'e';
        from += 2;
        for (char digit; (digit = una_lowered_digit(from, &length)); from += length) *to++ = digit;
    }
    *to = 0;
}

const char *una_text_fitted(const una_letters *letters, char buffer[UNA_TEXT_ROOM], const char *text, double width)
{
    una_utf8_clean(buffer, UNA_TEXT_ROOM - 4, text);
    size_t length = strlen(buffer);
    bool cut = strlen(text) > length + 8;
    while (length > 0 && (cut || una_text_width(letters, buffer) > width)) {
        do length--; while (length > 0 && ((unsigned char)buffer[length] & 0xC0) == 0x80);
        memcpy(buffer + length, "\xE2\x80\xA6", 4);              /* an ellipsis */
        cut = false;
    }
    return buffer;
}

double una_text_needs(const una_letters *letters, const char *text, double width)
{
    char buffer[UNA_TEXT_ROOM];
    return una_text_width(letters, una_text_fitted(letters, buffer, text, width));
}

void una_text_write(una_canvas *canvas, const una_letters *letters, double x, double y, const char *text, double width)
{
    char buffer[UNA_TEXT_ROOM];
    una_text_fitted(letters, buffer, text, width);
    if (*buffer) canvas->text(canvas, letters, x, y, buffer);
}

void una_canvas_segment(una_canvas *canvas, double from_x, double from_y, double to_x, double to_y)
{
    canvas->move(canvas, from_x, from_y);
    canvas->line(canvas, to_x, to_y);
}

void una_canvas_rectangle(una_canvas *canvas, double x, double y, double width, double height)
{
    canvas->move(canvas, x, y);
    canvas->line(canvas, x + width, y);
    canvas->line(canvas, x + width, y + height);
    canvas->line(canvas, x, y + height);
    canvas->close(canvas);
}
