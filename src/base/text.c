/* SPDX-License-Identifier: MIT
 *
 * Growing text in an arena, JSON strings, numbers out and in, and the nearest of some names.
 *
 * Numbers never follow the locale, not even those in sentences, which models remember. The shortest text that reads
 * back: a decimal of at most 15 digits survives the way into a double and back, so where one reads back, %.15g (which
 * drops trailing zeros) is it.
 * Reading: w 10^e is exact in one operation when w <= 2^53 and |e| <= 22 (Clinger, How to read floating point numbers
 * accurately, 1990); otherwise the C library reads the digits without their point, which no locale can change.
 */
#include "base/base.h"

#include <float.h>
#include <langinfo.h>
#include <locale.h>

/* ---- formats, whatever the locale ------------------------------------------------------------------- */

int una_write_textv(char *to, size_t room, const char *format, va_list arguments)
{
    const char *radix = nl_langinfo(RADIXCHAR);
    if (radix[0] == '.' && radix[1] == 0) return vsnprintf(to, room, format, arguments);

    /* The host program speaks another language: for this thread and this sentence it speaks none. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    int length = vsnprintf(to, room, format, arguments);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return length;
}

int una_write_text(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = una_write_textv(to, room, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- growing text ---------------------------------------------------------------------------------- */

una_text una_text_in(una_arena *arena)
{
    static const char empty[1];              /* never written: room 0 makes the first addition move away */
    return (una_text){ .arena = arena, .at = (char *)empty };
}

static bool make_text_room(una_text *text, size_t more)
{
    if (more < text->room && text->length < text->room - more) return true;
    if (more > SIZE_MAX / 4 - text->length) more = SIZE_MAX / 4;     /* refused by the arena, with a message */
    size_t room = 2 * (text->length + more + 64);
    char *at = una_arena_get(text->arena, room, 1);
    if (!at) return false;
    memcpy(at, text->at, text->length);
    text->at = at;
    text->room = room;
    return true;
}

void una_text_bytes(una_text *text, const char *bytes, size_t length)
{
    if (!make_text_room(text, length)) return;
    memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = 0;
}

void una_text_add(una_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = una_write_textv(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0 && make_text_room(text, (size_t)length)) {
        una_write_textv(text->at + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

const char *una_list_separator(size_t index, size_t count)
{
    if (index == 0) return "";
    return index + 1 < count ? ", " : " and ";
}

size_t una_utf8_length(const char *at)
{
    const unsigned char *s = (const unsigned char *)at;
    if (s[0] < 0x80) return 1;
    size_t length = 0;
    if (s[0] >= 0xC2 && s[0] < 0xE0) length = 2;
    else if ((s[0] & 0xF0) == 0xE0) length = 3;
    else if (s[0] >= 0xF0 && s[0] < 0xF5) length = 4;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (length == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F))) return 0;
    if (length == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))) return 0;
    return length;
}

void una_text_json(una_text *text, const char *string)
{
    una_text_bytes(text, "\"", 1);

    for (const unsigned char *s = (const unsigned char *)string; *s;) {
        size_t length = una_utf8_length((const char *)s);
        if (length == 0) {
            una_text_bytes(text, "\\ufffd", 6);
            s++;
        } else {
            if (*s == '"' || *s == '\\') una_text_add(text, "\\%c", *s);
            else if (*s < 0x20) una_text_add(text, "\\u%04x", (unsigned)*s);
            else una_text_bytes(text, (const char *)s, length);
            s += length;
        }
    }

    una_text_bytes(text, "\"", 1);
}

/* ---- numbers out ------------------------------------------------------------------------------------- */

/* What printf's %g makes of digits [count] with a point after the first, times 10^power. */
static char *lay_out_digits(char *to, const char *digits, int count, int power)
{
    bool with_power = power < -4 || power >= (count < 15 ? 15 : count);
    int whole = with_power ? 1 : power + 1;                      /* digits before the point */
    if (whole <= 0) {
        memcpy(to, "0.000", (size_t)(2 - whole));
        to += 2 - whole;
        memcpy(to, digits, (size_t)count);
        return to + count;
    }

    int given = whole < count ? whole : count;
    memcpy(to, digits, (size_t)given);
    memset(to + given, '0', (size_t)(whole - given));
    to += whole;
    if (count > whole) {
        *to++ = '.';
        memcpy(to, digits + whole, (size_t)(count - whole));
        to += count - whole;
    }

    if (!with_power) return to;
    int size = power < 0 ? -power : power;
    *to++ = 'e';
    *to++ = power < 0 ? '-' : '+';
    *to++ = (char)('0' + size / 10);                             /* two digits: the size is ordinary */
    *to++ = (char)('0' + size % 10);
    return to;
}

/* Rounds half up at the last digit that is kept. */
static void round_digits(uint64_t *digits, int *exponent, int most)
{
    int count = 0, last = 0;
    for (uint64_t rest = *digits; rest; rest /= 10) count++;
    for (; count > most; count--, ++*exponent) {
        last = (int)(*digits % 10);
        *digits /= 10;
    }
    if (last >= 5) ++*digits;
}

static bool ordinary_number_text(char buffer[32], double value, int most)
{
    uint64_t digits;
    int exponent;
    char text[24], *end = text + sizeof text, *at = end;
    if (!una_decimal_shortest(fabs(value), &digits, &exponent)) return false;

    round_digits(&digits, &exponent, most);
    for (; digits % 10 == 0; digits /= 10) exponent++;
    for (; digits >= 10; digits /= 100) {                        /* two at a time, from the last */
        unsigned pair = (unsigned)(digits % 100);
        *--at = (char)('0' + pair % 10);
        *--at = (char)('0' + pair / 10);
    }
    if (digits > 0) *--at = (char)('0' + digits);

    int count = (int)(end - at);
    *buffer = '-';
    *lay_out_digits(buffer + (value < 0), at, count, exponent + count - 1) = 0;
    return true;
}

const char *una_number_text(char buffer[32], double value)
{
    if (!isfinite(value)) {
        const char *infinity = value > 0 ? "inf" : "-inf";
        snprintf(buffer, 32, "%s", isnan(value) ? "nan" : infinity);
        return buffer;
    }
    if (ordinary_number_text(buffer, value, 17)) return buffer;

    /* Below DBL_MIN doubles have fewer digits, and fewer than 15 may do. */
    int digits = fabs(value) < DBL_MIN && value != 0 ? 1 : 15;
    for (; digits <= 17; digits++) {
        double back;
        una_write_text(buffer, 32, "%.*g", digits, value);
        if (una_parse_number(buffer, strlen(buffer), &back) && back == value) break;
    }
    return buffer;
}

const char *una_number_digits(char buffer[32], double value, int digits)
{
    double kept;
    if (digits >= 17 || !isfinite(value)) return una_number_text(buffer, value);
    if (ordinary_number_text(buffer, value, digits)) return buffer;
    una_write_text(buffer, 32, "%.*e", digits - 1, value);
    return una_parse_number(buffer, strlen(buffer), &kept) ? una_number_text(buffer, kept) : buffer;
}

void una_text_number(una_text *text, double value)
{
    char buffer[32];
    const char *number = isfinite(value) ? una_number_text(buffer, value) : "null";
    una_text_bytes(text, number, strlen(number));
}

/* ---- numbers in -------------------------------------------------------------------------------------- */

/* More digits than any tie between two doubles needs; a last 1 stands for whatever nonzero digits follow. */
enum { MOST_DIGITS = 800 };

typedef struct decimal {         /* (-1)^negative * digits * 10^exponent */
    bool     negative, tail;     /* tail: a nonzero digit was left out   */
    uint64_t word;               /* the first 19 digits                  */
    size_t   count;              /* significant digits kept              */
    int64_t  exponent;
    char     digits[MOST_DIGITS + 32];
} decimal;

static void take_digit(decimal *number, char digit, bool fraction)
{
    if (number->count == 0 && digit == '0') {
        number->exponent -= fraction;
    } else if (number->count < MOST_DIGITS) {
        if (number->count < 19) number->word = 10 * number->word + (uint64_t)(digit - '0');
        number->digits[number->count++] = digit;
        number->exponent -= fraction;
    } else {
        number->tail |= digit != '0';
        number->exponent += !fraction;
    }
}

/* sign, digits, point and exponent of [at, end), all of it. */
static bool read_decimal(decimal *number, const char *at, const char *end)
{
    if (at < end && (*at == '-' || *at == '+')) number->negative = *at++ == '-';

    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++) take_digit(number, *at, false);
    size_t seen = (size_t)(at - start);
    if (at < end && *at == '.') {
        start = ++at;
        for (; at < end && *at >= '0' && *at <= '9'; at++) take_digit(number, *at, true);
        seen += (size_t)(at - start);
    }
    if (seen == 0) return false;

    if (at == end) return true;
    if (*at != 'e' && *at != 'E') return false;
    at++;
    bool down = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return false;

    int64_t power = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (power < INT64_MAX / 100) power = 10 * power + (*at - '0');   /* beyond that all is 0 or infinite */
    number->exponent += down ? -power : power;
    return at == end;
}

bool una_parse_number(const char *from, size_t length, double *value)
{
    static const double power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                                    1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *end = from + length;
    while (from < end && (*from == ' ' || *from == '\t')) from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t')) end--;

    decimal number;
    number.negative = number.tail = false;   /* the digits need no clearing, and this is called for every cell */
    number.word = 0;
    number.count = 0;
    number.exponent = 0;
    if (!read_decimal(&number, from, end)) return false;

    double size;
    if (number.count == 0) size = 0;
    else if (number.count <= 19 && number.word <= UINT64_C(1) << 53 && number.exponent >= -22 && number.exponent <= 22)
        size = number.exponent < 0 ? (double)number.word / power[-number.exponent]
                                   : (double)number.word * power[number.exponent];
    else {
        int exponent = number.exponent < -99999 ? -99999 : (int)fmin((double)number.exponent, 99999);
        if (number.count > 19 || !una_decimal_value(&size, number.word, exponent)) {
            if (number.tail) number.digits[number.count++] = '1';
            snprintf(number.digits + number.count, sizeof number.digits - number.count, "e%d", exponent - number.tail);
            size = strtod(number.digits, NULL);
        }
    }

    *value = number.negative ? -size : size;
    return true;
}

/* ---- did you mean ------------------------------------------------------------------------------------ */

enum { LONGEST_NAME = 64 };

static char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Edit distance: letters changed, added, left out or swapped with a neighbour to get from a to b, in any case. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_NAME + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) above[j] = before[j] = j;

    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = lower_case(a[i - 1]) == lower_case(b[j - 1]);
            size_t least = above[j - 1] + !same;
            if (above[j] + 1 < least) least = above[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
                lower_case(a[i - 2]) == lower_case(b[j - 1]);
            if (swapped && before[j - 2] + 1 < least) least = before[j - 2] + 1;
            row[j] = least;
        }

        size_t *kept = before;
        before = above;
        above = row;
        row = kept;
    }
    return above[b_length];
}

static bool begins_without_case(const char *name, const char *wrong, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (lower_case(name[i]) != lower_case(wrong[i])) return false;     /* a shorter name ends here, with its 0 */
    return true;
}

size_t una_find_text(const char *word, const char *const *list, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(word, list[i]) != 0) i++;
    return i;
}

const char *una_nearest(const char *wrong, const char *const *names, size_t count)
{
    size_t length = strlen(wrong);
    if (length == 0 || length > LONGEST_NAME) return NULL;

    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && begins_without_case(names[i], wrong, length)) return names[i];
    for (size_t i = 0; i < count && length >= 3; i++)
        if (begins_without_case(names[i], wrong, length)) return names[i];

    size_t least = UNA_MIN(UNA_MIN((length + 2) / 3 + 1, 4), length);    /* one letter in three, at most three or all */
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_length = strlen(names[i]);
        if (name_length > LONGEST_NAME) continue;
        size_t distance = edit_distance(wrong, length, names[i], name_length);
        if (distance < least) {
            least = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
