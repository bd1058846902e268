/* SPDX-License-Identifier: MIT
 *
 * Numbers and words as a typesetter wants them: true minus signs, thin spaces between thousands, powers of ten
 * with raised digits, and axis ticks at 1, 2 or 5 times a power of ten. All texts are UTF-8.
 */
#pragma once

#include "base/base.h"

#define UNA_NUMBER_ROOM 96
#define UNA_THIN_SPACE "\xE2\x80\xAF"           /* U+202F, which does not break lines */

/* A sentence made in an arena, whose sticky failure the caller checks: without memory it is "". */
const char *una_phrase(una_arena *arena, const char *format, ...) UNA_PRINTF(2, 3);

/* "-1234567.5" with one decimal becomes "−1 234 567.5". Non-finite numbers become an en dash. Returns buffer. */
const char *una_number_plain(char buffer[UNA_NUMBER_ROOM], double value, int decimals);
/* `digits` significant ones; "1.23×10⁻⁷" where a plain number would be long. Returns buffer. */
const char *una_number_short(char buffer[UNA_NUMBER_ROOM], double value, int digits);
/* The same without zeros at the end of decimals, for sentences: "0.5", "2×10⁷", "10⁷". */
const char *una_number_brief(char buffer[UNA_NUMBER_ROOM], double value, int digits);
/* The same, or what it is as a date, if such are written (NULL: they are not). */
const char *una_number_or_date(char buffer[UNA_NUMBER_ROOM], una_date_writer *date, double value, int digits);

typedef struct una_ticks {
    double step;
    double first;                /* a whole multiple of step                                      */
    size_t count;
    int    exponent;             /* labels are values / 10^exponent; 0 mostly                      */
    int    decimals;             /* of the labels                                                  */
    int    in_decade;            /* 0 mostly. On a logarithmic axis 1 or 3: first and step count 1, 10, 100 ... or 1,
                                    2, 5, 10, 20 ..., of which the number 0 is 1                    */
    bool   powers;               /* those are labelled as powers of ten                             */
    una_date_writer *date;       /* of days, that are written so; NULL: of numbers                  */
} una_ticks;

/* With so many decimals; negative: so many digits that count. */
const char *una_number_in_places(char buffer[UNA_NUMBER_ROOM], double value, int decimals);
/* The same in a buffer that lasts as long as the block in which they stand. */
#define UNA_PLAIN(value, decimals)       una_number_plain((char[UNA_NUMBER_ROOM]){0}, (value), (decimals))
#define UNA_COUNTED(count)               UNA_PLAIN((double)(count), 0)
#define UNA_FEW_DIGITS(value, digits)    una_number_short((char[UNA_NUMBER_ROOM]){0}, (value), (digits))
#define UNA_IN_PLACES(value, decimals)   una_number_in_places((char[UNA_NUMBER_ROOM]){0}, (value), (decimals))
#define UNA_BRIEF(value, digits)         una_number_brief((char[UNA_NUMBER_ROOM]){0}, (value), (digits))
#define UNA_DATED(date, value, digits)   una_number_or_date((char[UNA_NUMBER_ROOM]){0}, (date), (value), (digits))

/* At most about `most` ticks within [low, high]; low < high, both within 1e300. */
una_ticks   una_ticks_choose(double low, double high, size_t most);
/* For a logarithmic axis, 0 < low < high: powers of ten, with 2 and 5 times them where there is room, or plain ticks on
 * less than a decade. */
una_ticks   una_ticks_choose_log(double low, double high, size_t most);
/* For days, or parts of one: whole days, hours or minutes. */
una_ticks   una_ticks_choose_date(una_date_writer *date, double low, double high, size_t most);
double      una_tick_value(const una_ticks *ticks, size_t tick);
const char *una_tick_text(char buffer[UNA_NUMBER_ROOM], const una_ticks *ticks, size_t tick);
#define UNA_TICK_TEXT(ticks, tick) una_tick_text((char[UNA_NUMBER_ROOM]){0}, (ticks), (tick))
/* " (×10⁶)" for an axis label, "" where labels are plain. */
const char *una_ticks_factor(char buffer[UNA_NUMBER_ROOM], const una_ticks *ticks);

/* The raised sign or digit at `at` as a plain one, 0 if there is none; its bytes go to *length. */
char una_lowered_digit(const char *at, size_t *length);
/* Whether some of it is written from right to left, or turns the text after it. */
bool una_utf8_is_right_to_left(const char *text);
/* Copies what fits, in whole characters: bad bytes become U+FFFD, control characters blanks, and marks
 * of direction are left out. Returns to. */
const char *una_utf8_clean(char *to, size_t room, const char *from);
