/* SPDX-License-Identifier: MIT
 *
 * Numbers, dates and cells as files have them. The first byte says which:
 *   0  a text read as a number, against the grammar and strtod; the fast reader of CSV against that
 *   1  doubles written, and read again by strtod
 *   2  cells of a column (between line feeds): their common form, and every cell under it; days of the calendar
 *   3  the first bytes of a file: delimiter, decimal mark, header
 */
#include "base/calendar.h"
#include "data/cell_format.h"
#include "read/csv.h"
#include "read/column_formats.h"
#include "read/csv_dialect.h"
#include "read/reader_inside.h"
#include "fuzz.h"

/* ---- reading ---------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* As base.h says it: blanks, sign, digits with or without a point, exponent, blanks; and nothing else. */
static bool is_number(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (at < end && (*at == '+' || *at == '-')) at++;
    size_t digits = 0;
    for (; at < end && is_digit(*at); at++) digits++;
    if (at < end && *at == '.')
        for (at++; at < end && is_digit(*at); at++) digits++;
    if (digits == 0) return false;
    if (at == end) return true;
    if (*at != 'e' && *at != 'E') return false;
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (at == end) return false;
    while (at < end && is_digit(*at)) at++;
    return at == end;
}

static void check_text(const char *text, size_t length)
{
    double value = 0;
    bool read = una_parse_number(text, length, &value);
    FUZZ_CHECK(read == is_number(text, text + length), "'%s' is read: %d", text, (int)read);
    if (!read) return;
    double truth = strtod(text, NULL);
    fuzz_same(&value, &truth, 1, text);
}

/* The fast way may leave a number to the slow one, and otherwise says the same. */
static void check_fast(const char *text, size_t length)
{
    char *padded = malloc(length + 9);
    FUZZ_CHECK(padded, "no memory");
    memcpy(padded, text, length);
    memset(padded + length, '\n', 9);
    const char *at = padded;
    double value, slow = 0;
    if (una_number_at(&at, &value)) {
        FUZZ_CHECK(at > padded && at <= padded + length, "it goes on %td bytes", at - padded);
        FUZZ_CHECK(una_parse_number(padded, (size_t)(at - padded), &slow), "'%s': only the fast way reads it", text);
        fuzz_same(&value, &slow, 1, text);
    } else {
        FUZZ_CHECK(at == padded, "it read nothing and goes on");
    }
    free(padded);
}

static void read_text(fuzz_bytes bytes)
{
    size_t length = bytes.left;
    char *text = malloc(length + 1);
    FUZZ_CHECK(text, "no memory");
    for (size_t i = 0; i < length; i++) text[i] = (char)bytes.at[i];
    text[length] = 0;
    check_text(text, length);
    check_fast(text, length);
    free(text);
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static double last_digit(const char *text)       /* what one unit of it counts, of a text of una's */
{
    const char *power = strchr(text, 'e'), *point = strchr(text, '.'), *end = power ? power : text + strlen(text);
    double exponent = power ? strtod(power + 1, NULL) : 0;
    if (point) exponent -= (double)(end - point - 1);
    else
        while (end > text + 1 && end[-1] == '0') end--, exponent++;
    return pow(10, exponent);
}

static size_t significant(const char *text)
{
    size_t count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (!is_digit(*text) || (count == 0 && *text == '0')) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

/* Rounded to the digits asked for: half a unit of the last place away at most, and no more digits. */
static void check_digits(double value, int digits)
{
    char text[32];
    una_number_digits(text, value, digits);
    double back = strtod(text, NULL);
    FUZZ_CHECK(strlen(text) < sizeof text && significant(text) <= (size_t)digits, "%s has not %d digits", text, digits);
    double first = value == 0 ? 0 : floor(log10(fabs(value)) + 1e-12);
    double unit = fmax(pow(10, first - digits + 1), last_digit(text));
    FUZZ_CHECK(isinf(back) || fabs(back - value) <= 0.51 * unit + 1e-15 * fabs(value) + 4.95e-324,
               "%.17g with %d digits is %s", value, digits, text);
}

static void write_doubles(fuzz_bytes bytes)
{
    fuzz_world world;
    if (!fuzz_begin(&world, (fuzz_limits){0})) return;
    una_text text = una_text_in(&world.run->scratch);
    una_text_bytes(&text, "[", 1);
    for (size_t i = 0; bytes.left >= 8 && i < 17; i++) {
        double value = fuzz_double(&bytes), back;
        char number[32];
        una_number_text(number, value);
        if (isnan(value)) {
            FUZZ_CHECK(strcmp(number, "nan") == 0, "%s", number);
        } else {
            back = strtod(number, NULL);
            fuzz_same(&value, &back, 1, number);
        }
        if (isfinite(value)) check_digits(value, 1 + (int)(i % 17));
        if (i) una_text_bytes(&text, ", ", 2);
        una_text_number(&text, value);
    }
    una_text_bytes(&text, "]", 1);
    FUZZ_CHECK(una_arena_check(&world.run->scratch) == UNA_OK, "no memory");
    fuzz_json(text.at, text.length, "numbers");
    fuzz_end(&world);
}

/* ---- forms and days --------------------------------------------------------------------------------- */

typedef void on_cell(void *context, const char *at, size_t length);

static void each_cell(fuzz_bytes bytes, on_cell *cell, void *context)
{
    const char *at = (const char *)bytes.at, *end = at + bytes.left;
    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at)), *stop = feed ? feed : end;
        if (stop > at) cell(context, at, (size_t)(stop - at));
        at = feed ? feed + 1 : end;
    }
}

static void check_days(double days)
{
    int year, month, day, weekday = una_calendar_weekday(days);
    FUZZ_CHECK(weekday >= 0 && weekday <= 6, "day %.17g is weekday %d", days, weekday);
    for (int part = 0; part < UNA_PARTS; part++) {
        const char *name = una_calendar_part_name((una_calendar_part)part);
        double phase = una_calendar_phase((una_calendar_part)part, days);
        FUZZ_CHECK(phase >= 0 && phase < 1, "%s of %.17g: %g", name, days, phase);
        FUZZ_CHECK(isnan(una_calendar_phase((una_calendar_part)part, NAN)), "%s of no moment", name);
    }
    una_calendar_date(days, &year, &month, &day);
    double back;
    if (fabs(days) < 1e6 && una_calendar_day(&back, year, month, day))
        FUZZ_CHECK(back == floor(days), "day %.17g is %d-%d-%d, which is day %.17g", days, year, month, day, back);
}

static void meet(void *study, const char *at, size_t length)
{
    una_cell_counts_add(study, at, length);
    int sense = una_cell_decimal_mark(at, length);
    FUZZ_CHECK(sense >= -1 && sense <= 1, "sense %d", sense);
}

typedef struct decided { una_cell_format form; bool strict; } decided;

/* Where all cells have the form, each has a value. */
static void value(void *context, const char *at, size_t length)
{
    decided *d = context;
    double v = NAN;
    una_cell_kind kind = una_cell_format_value(&v, &d->form, at, length);
    bool agrees = una_cell_format_matches(&d->form, at, length);
    FUZZ_CHECK(kind != UNA_CELL_NUMBER || isfinite(v), "'%.*s' is %g", (int)length, at, v);
    FUZZ_CHECK(kind != UNA_CELL_INFINITE || isinf(v), "'%.*s' is %g", (int)length, at, v);
    FUZZ_CHECK(!d->strict || kind != UNA_CELL_WORD, "'%.*s' does not have the form that all have", (int)length, at);
    FUZZ_CHECK(!d->strict || agrees, "'%.*s' is not written like all others", (int)length, at);
    FUZZ_CHECK((kind == UNA_CELL_MISSING) == una_cell_is_missing_mark(at, length) || length == 0 ||
               at[length - 1] <= ' ' ||
               *at <= ' ' || (unsigned char)*at >= 0x80 || (unsigned char)at[length - 1] >= 0x80,
               "'%.*s' is missing, and is not", (int)length, at);
    if (kind == UNA_CELL_NUMBER) check_days(v);
}

static void meet_cells(fuzz_bytes bytes)
{
    uint8_t how = fuzz_first(&bytes);
    static const char decimals[] = { 0, '.', ',', 0 }, orders[] = { 0, 'd', 'm', 0 };
    una_cell_counts study = { .decimal = decimals[how & 3], .order = orders[how >> 2 & 3],
                              .hint = decimals[how >> 4 & 3], .plain_hint = decimals[how >> 4 & 3],
                              .order_hint = orders[how >> 6 & 3] };
    each_cell(bytes, meet, &study);

    decided d;
    una_format_decision found = una_cell_format_decide(&d.form, &study, true);
    d.strict = found == UNA_ONE_FORMAT;
    if (d.strict) each_cell(bytes, value, &d);
    una_cell_format_decide(&d.form, &study, false);
    d.strict = false;
    each_cell(bytes, value, &d);

    una_cell_format_proof proof = {0};
    una_cell_format_prove(&proof, &study);
    char mark = una_proved_decimal(&proof), order = una_proved_order(&proof);
    FUZZ_CHECK(!mark || mark == '.' || mark == ',', "decimal mark %d", mark);
    FUZZ_CHECK(!order || order == 'd' || order == 'm', "order %d", order);

    fuzz_world world;
    if (found != UNA_MIXED_FORMATS || !fuzz_begin(&world, (fuzz_limits){0})) return;
    una_text why = una_text_in(&world.run->scratch);
    una_cell_format_conflict(&why, &study);
    FUZZ_CHECK(why.length > 0, "no form, and no word why");
    fuzz_end(&world);
}

/* ---- sniffing ---------------------------------------------------------------------------------------- */

static void detect_dialect(fuzz_bytes bytes)
{
    uint8_t how = fuzz_first(&bytes);
    static const char given[] = ",;\t|";
    char *text = malloc(bytes.left ? bytes.left : 1);
    FUZZ_CHECK(text, "no memory");
    memcpy(text, bytes.at, bytes.left);
    const char *binary = una_describe_binary(text, bytes.left);
    FUZZ_CHECK(!binary || *binary, "a file of no sort");
    una_csv_dialect s = una_csv_dialect_detect(text, bytes.left, how & 1, how & 2 ? '\t' : ',', how & 4,
                                               how & 8 ? given[how >> 4 & 3] : 0);
    FUZZ_CHECK(s.delimiter && strchr(given, s.delimiter), "delimiter %d", s.delimiter);
    FUZZ_CHECK(!(how & 8) || s.delimiter == given[how >> 4 & 3], "not the delimiter that was given");
    FUZZ_CHECK(!s.decimal || s.decimal == '.' || s.decimal == ',', "decimal mark %d", s.decimal);
    FUZZ_CHECK(s.skip <= bytes.left && s.lines <= s.skip && s.comments <= s.lines, 
               "%zu bytes skipped of %zu, %zu lines", s.skip, bytes.left, s.lines);
    FUZZ_CHECK(*una_delimiter_name(s.delimiter), "no name");
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    switch (fuzz_first(&bytes) % 4) {
    case 0: read_text(bytes); break;
    case 1: write_doubles(bytes); break;
    case 2: meet_cells(bytes); break;
    default: detect_dialect(bytes);
    }
    return 0;
}
