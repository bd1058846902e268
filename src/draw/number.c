/* SPDX-License-Identifier: MIT
 *
 * Typeset numbers and ticks.
 *   step = s 10^k, the smallest s in {1, 2, 5, 10} with (high - low) / step <= most
 */
#include "draw/number.h"

#define MINUS "\xE2\x88\x92"

const char *una_phrase(una_arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t length = (size_t)una_write_textv(NULL, 0, format, arguments);
    char *at = UNA_GET(arena, char, length + 1);
    if (at) una_write_textv(at, length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return at ? at : "";
}

static size_t put_bytes(char *buffer, size_t at, const char *bytes, size_t length)
{
    if (at + length >= UNA_NUMBER_ROOM) return at;
    memcpy(buffer + at, bytes, length);
    buffer[at + length] = 0;
    return at + length;
}

/* Digits before the point, from the start of an unsigned number. */
static size_t whole_digits(const char *digits)
{
    size_t count = 0;
    while (digits[count] >= '0' && digits[count] <= '9') count++;
    return count;
}

const char *una_number_plain(char buffer[UNA_NUMBER_ROOM], double value, int decimals)
{
    char ascii[64];
    buffer[0] = 0;
    int length = una_write_text(ascii, sizeof ascii, "%.*f", decimals, fabs(value));
    if (!isfinite(value) || length < 0 || (size_t)length >= sizeof ascii) {
        put_bytes(buffer, 0, isfinite(value) ? "large" : "\xE2\x80\x93", isfinite(value) ? 5 : 3);
        return buffer;
    }

    bool zero = strspn(ascii, "0.") == (size_t)length;          /* no "−0.0" */
    size_t at = value < 0 && !zero ? put_bytes(buffer, 0, MINUS, 3) : 0;
    size_t whole = whole_digits(ascii);
    for (size_t i = 0; i < (size_t)length; i++) {
        bool group = i > 0 && i < whole && (whole - i) % 3 == 0 && whole > 4;
        if (group) at = put_bytes(buffer, at, UNA_THIN_SPACE, 3);
        at = put_bytes(buffer, at, ascii + i, 1);
    }
    return buffer;
}

static const char plain_digits[] = "0123456789-";
static const char *const raised_digits[] = { "\xE2\x81\xB0", "\xC2\xB9", "\xC2\xB2", "\xC2\xB3", "\xE2\x81\xB4",
    "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9", "\xE2\x81\xBB" };

char una_lowered_digit(const char *at, size_t *length)
{
    for (size_t i = 0; plain_digits[i]; i++) {
        *length = strlen(raised_digits[i]);
        if (strncmp(at, raised_digits[i], *length) == 0) return plain_digits[i];
    }
    return 0;
}

static size_t put_power(char *buffer, size_t at, int exponent)
{
    char ascii[16];
    snprintf(ascii, sizeof ascii, "%d", exponent);
    at = put_bytes(buffer, at, "\xC3\x97" "10", 4);
    for (const char *s = ascii; *s; s++) {
        const char *digit = raised_digits[strchr(plain_digits, *s) - plain_digits];
        at = put_bytes(buffer, at, digit, strlen(digit));
    }
    return at;
}

const char *una_number_short(char buffer[UNA_NUMBER_ROOM], double value, int digits)
{
    if (!isfinite(value) || value == 0) return una_number_plain(buffer, value, 0);
    char ascii[40];
    una_write_text(ascii, sizeof ascii, "%.*e", digits - 1, value);      /* rounds before the exponent is read */
    int exponent = 0;
    sscanf(strchr(ascii, 'e') + 1, "%d", &exponent);
    if (exponent < 7 && exponent >= -4)
        return una_number_plain(buffer, value, digits - 1 > exponent ? digits - 1 - exponent : 0);
    una_number_plain(buffer, value / pow(10, exponent), digits - 1);
    put_power(buffer, strlen(buffer), exponent);
    return buffer;
}

const char *una_number_in_places(char buffer[UNA_NUMBER_ROOM], double value, int decimals)
{
    return decimals < 0 ? una_number_short(buffer, value, -decimals) : una_number_plain(buffer, value, decimals);
}

const char *una_number_brief(char buffer[UNA_NUMBER_ROOM], double value, int digits)
{
    una_number_short(buffer, value, digits);
    char *point = strchr(buffer, '.');
    if (!point) return buffer;                           /* digits is 1, or the number whole */
    char *end = point + 1 + strspn(point + 1, "0123456789"), *last = end;
    while (last[-1] == '0') last--;
    if (last[-1] == '.') last--;
    memmove(last, end, strlen(end) + 1);
    if (strncmp(buffer, "1\xC3\x97", 3) == 0) memmove(buffer, buffer + 3, UNA_NUMBER_ROOM - 3);
    return buffer;
}

const char *una_number_or_date(char buffer[UNA_NUMBER_ROOM], una_date_writer *date, double value, int digits)
{
    const char *text = date ? date(buffer, value) : NULL;
    return text ? text : una_number_brief(buffer, value, digits);
}

static una_ticks ticks_by(double step, double low, double high)
{
    double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
    return (una_ticks){ .step = step, .first = first * step, .count = last >= first ? (size_t)(last - first) + 1 : 0 };
}

una_ticks una_ticks_choose(double low, double high, size_t most)
{
    double raw = (high - low) / (double)(most > 0 ? most : 1);
    double power = pow(10, floor(log10(raw)));
    double step = 10 * power;
    for (int i = 2; i >= 0; i--) {
        static const double nice[] = { 1, 2, 5 };
        if (nice[i] * power >= raw * (1 - 1e-9)) step = nice[i] * power;
    }

    if (!(step > 0 && isfinite(step))) return (una_ticks){ .step = 1, .first = low };    /* no way, or beyond numbers */
    una_ticks ticks = ticks_by(step, low, high);
    double largest = floor(log10(fmax(fabs(low), fabs(high))) + 1e-9);
    if (largest >= 6 || largest <= -4) ticks.exponent = (int)(3 * floor(largest / 3));
    double finest = floor(log10(step) + 1e-9) - ticks.exponent;
    ticks.decimals = finest < 0 ? (int)fmin(-finest, 12) : 0;
    return ticks;
}

/* The tick number `index` of those with `in_decade` to a decade. */
static double log_tick(int in_decade, double index)
{
    static const double of_three[] = { 1, 2, 5 };
    double decade = floor(index / in_decade);
    return of_three[(size_t)(index - in_decade * decade)] * pow(10, decade);
}

una_ticks una_ticks_choose_log(double low, double high, size_t most)
{
    double from = log10(low), to = log10(high), decades = to - from;
    if (most == 0) most = 1;
    una_ticks ticks = { .in_decade = 3.0 * decades <= (double)most ? 3 : 1, .step = 1 };
    if (ticks.in_decade == 1) ticks.step = fmax(1, ceil(decades / (double)most));

    double first = floor(from) * ticks.in_decade, last = first - ticks.step;
    while (log_tick(ticks.in_decade, first) < low * (1 - 1e-9) || fmod(first, ticks.step) != 0) first++;
    for (last = first - ticks.step; log_tick(ticks.in_decade, last + ticks.step) <= high * (1 + 1e-9);)
        last += ticks.step;
    ticks.first = first;
    ticks.count = (size_t)((last - first) / ticks.step) + 1;
    if (last <= first && decades < 1) return una_ticks_choose(low, high, most);  /* one would not tell the scale */

    ticks.powers = log_tick(ticks.in_decade, first) < 0.99e-3 || log_tick(ticks.in_decade, last) > 1.01e4;
    return ticks;
}

una_ticks una_ticks_choose_date(una_date_writer *date, double low, double high, size_t most)
{
    static const double minutes[] = { 720, 360, 180, 120, 60, 30, 15, 10, 5, 2, 1 }, in_a_day = 24 * 60;
    double step = fmax(una_ticks_choose(low, high, most).step, 1), room = (double)(most > 0 ? most : 1);
    for (size_t i = 0; i < sizeof minutes / sizeof *minutes; i++)
        if (room * minutes[i] >= in_a_day * (high - low)) step = minutes[i] / in_a_day;
    una_ticks ticks = ticks_by(step, low, high);
    ticks.date = date;
    return ticks;
}

double una_tick_value(const una_ticks *ticks, size_t tick)
{
    if (ticks->in_decade > 0) return log_tick(ticks->in_decade, ticks->first + (double)tick * ticks->step);
    return (round(ticks->first / ticks->step) + (double)tick) * ticks->step;
}

static const char *power_text(char buffer[UNA_NUMBER_ROOM], const una_ticks *ticks, double value)
{
    int exponent = (int)floor(log10(value) + 1e-9);
    double times = round(value / pow(10, exponent));
    if (!ticks->powers) return una_number_plain(buffer, value, exponent < 0 ? -exponent : 0);
    size_t at = 0;
    buffer[0] = 0;
    if (times > 1) {
        una_number_plain(buffer, times, 0);
        at = strlen(buffer);
    }
    put_power(buffer, at, exponent);
    if (times <= 1) memmove(buffer, buffer + 2, strlen(buffer + 2) + 1);         /* without the sign of times */
    return buffer;
}

const char *una_tick_text(char buffer[UNA_NUMBER_ROOM], const una_ticks *ticks, size_t tick)
{
    double value = una_tick_value(ticks, tick);
    if (ticks->date) return una_number_or_date(buffer, ticks->date, value, 6);
    if (ticks->in_decade > 0) return power_text(buffer, ticks, value);
    return una_number_plain(buffer, value / pow(10, ticks->exponent), ticks->decimals);
}

const char *una_ticks_factor(char buffer[UNA_NUMBER_ROOM], const una_ticks *ticks)
{
    buffer[0] = 0;
    if (ticks->exponent == 0) return buffer;
    size_t at = put_bytes(buffer, 0, " (", 2);
    at = put_power(buffer, at, ticks->exponent);
    put_bytes(buffer, at, ")", 1);
    return buffer;
}

/* Marks that embed, override or isolate what follows: U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069, U+061C. */
static bool is_direction(const char *at, size_t length)
{
    const unsigned char *b = (const unsigned char *)at;
    if (length == 2) return b[0] == 0xD8 && b[1] == 0x9C;
    if (length != 3 || b[0] != 0xE2) return false;
    return (b[1] == 0x80 && ((b[2] >= 0xAA && b[2] <= 0xAE) || b[2] == 0x8E || b[2] == 0x8F))
        || (b[1] == 0x81 && b[2] >= 0xA6 && b[2] <= 0xA9);
}

bool una_utf8_is_right_to_left(const char *text)
{
    for (const char *s = text; *s;) {
        size_t length = una_utf8_length(s);
        unsigned char a = (unsigned char)s[0], b = length > 1 ? (unsigned char)s[1] : 0;
        bool two = length == 2 && ((a == 0xD6 && b >= 0x90) || (a >= 0xD7 && a <= 0xDF));
        bool three = length == 3 && ((a == 0xE0 && b >= 0xA0 && b <= 0xA3) || (a == 0xEF && b >= 0xAC && b <= 0xBB));
        if (two || three || is_direction(s, length)) return true;
        s += length ? length : 1;
    }
    return false;
}

/* U+FFFE and U+FFFF, which no XML may hold. */
static bool is_no_character(const char *at, size_t length)
{
    return length == 3 && memcmp(at, "\xEF\xBF", 2) == 0 && (unsigned char)at[2] >= 0xBE;
}

const char *una_utf8_clean(char *to, size_t room, const char *from)
{
    size_t at = 0;
    for (const char *s = from; *s;) {
        size_t length = una_utf8_length(s), step = length ? length : 1;
        const char *piece = (unsigned char)*s < 0x20 || *s == 0x7F ? " " : s;
        if (length == 0 || is_no_character(s, length)) piece = "\xEF\xBF\xBD";
        size_t size = length == 0 ? 3 : length;
        if (is_direction(s, length)) {
            s += step;
            continue;
        }
        if (at + size >= room) break;
        memcpy(to + at, piece, size);
        at += size;
        s += step;
    }
    to[at] = 0;
    return to;
}
