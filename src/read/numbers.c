/* SPDX-License-Identifier: MIT
 *
 * The fast way through a record that holds numbers only: cells are read where they stand, without being cut out first.
 * Digits are taken eight at a time: a word of eight bytes minus '0' in each; the first byte above 9 ends the run; the
 * bytes before it are moved to the end of the word, and three multiplications add them up by tens, hundreds and ten
 * thousands. Whatever is out of the ordinary (quotes, words, more than 19 digits, a record beyond the buffer) is left
 * to the slow way in csv.c, which knows every rule and every sentence.
 */
#include "read/csv.h"

enum { MOST_DIGITS = 19 };               /* any so many fit a word */

/* The digits at `at`, at most eight, appended to *word; how many they were. Eight bytes must be readable. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && defined(__GNUC__)
static inline size_t take_eight_digits(const char *at, uint64_t *word)
{
    static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    uint64_t v;
    memcpy(&v, at, sizeof v);
    v ^= UINT64_C(0x3030303030303030);
    uint64_t other = (v | (v + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
    size_t count = other ? (size_t)__builtin_ctzll(other) / 8 : 8;
    if (count == 0) return 0;

    v <<= 64 - 8 * count;
    v = 10 * v + (v >> 8);
    v = ((v & UINT64_C(0xFF000000FF)) * UINT64_C(0xF424000000064)
         + (v >> 16 & UINT64_C(0xFF000000FF)) * UINT64_C(0x271000000001)) >> 32;
    *word = *word * power[count] + (uint32_t)v;
    return count;
}
#else
static inline size_t take_eight_digits(const char *at, uint64_t *word)
{
    size_t count = 0;
    for (; count < 8 && at[count] >= '0' && at[count] <= '9'; count++) *word = 10 * *word + (uint64_t)(at[count] - '0');
    return count;
}
#endif

/* All digits at `at`; false if there are too many for a word. */
static inline bool take_run(const char **at, uint64_t *word, size_t *count)
{
    size_t now;
    do {
        now = take_eight_digits(*at, word);
        *at += now;
        *count += now;
    } while (now == 8 && *count <= MOST_DIGITS);
    return *count <= MOST_DIGITS;
}

/* "e-05" and the like; a short one. */
static inline bool take_exponent(const char **at, int *exponent)
{
    const char *p = *at + 1;
    bool down = *p == '-';
    p += down || *p == '+';
    int size = 0, digits = 0;
    for (; *p >= '0' && *p <= '9' && digits < 4; digits++) size = 10 * size + (*p++ - '0');
    if (digits == 0 || digits == 4) return false;
    *exponent += down ? -size : size;
    *at = p;
    return true;
}

/* decimals: digits behind the point; -1: there is none. */
static inline bool read_number(const char **from, double *value, int *decimals)
{
    static const double power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                                    1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *at = *from;
    bool negative = *at == '-';
    at += negative;
    uint64_t word = 0;
    size_t count = 0;
    if (!take_run(&at, &word, &count)) return false;

    int exponent = 0;
    size_t seen = count;
    *decimals = -1;
    if (*at == '.') {
        const char *first = ++at;
        count = word ? count : 0;                        /* zeros in front take no room */
        if (!take_run(&at, &word, &count)) return false;
        *decimals = (int)(at - first);
        exponent = -*decimals;
        seen += (size_t)(at - first);
    }
    if (seen == 0 || ((*at | 0x20) == 'e' && !take_exponent(&at, &exponent))) return false;

    double size = (double)word;
    if (word > UINT64_C(1) << 53 || exponent < -22 || exponent > 22) {
        if (word != 0 && !una_decimal_value(&size, word, exponent)) return false;
    } else if (exponent < 0) size /= power[-exponent];
    else if (exponent > 0) size *= power[exponent];

    uint64_t bits;                                       /* a branch on the sign would be guessed wrong half the time */
    memcpy(&bits, &size, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(value, &bits, sizeof bits);
    *from = at;
    return true;
}

bool una_number_at(const char **from, double *value)
{
    int decimals;
    return read_number(from, value, &decimals);
}

/* A cell that the slow way should look at: 1.234 may be thousands, and tells nothing new once there was one. */
static bool is_news(una_point_watch watch, int decimals, double value)
{
    return watch == UNA_WATCH_POINTS || decimals != 3 || !(fabs(value) >= 1 && fabs(value) < 1000);
}

bool una_csv_numbers(una_csv *csv, double *values, const bool *unwanted, const una_point_watch *watch)
{
    int decimals;
    const char *at = csv->buffer + csv->start, *end = csv->buffer + csv->end;
    const char delimiter = csv->dialect.delimiter;

    for (size_t c = 0; c < csv->columns; c++) {
        if (unwanted[c]) {
            if (*at == '"') return false;
            while (*at != delimiter && *at != '\n' && *at != '\r' && *at != 0) at++;
        } else if (*at == delimiter && c + 1 < csv->columns) {
            values[c] = NAN;
        } else if (!read_number(&at, &values[c], &decimals)) {
            return false;
        } else if (watch[c] != UNA_WATCH_NOTHING && decimals >= 0 && is_news(watch[c], decimals, values[c])) {
            return false;
        }
        if (c + 1 < csv->columns && *at++ != delimiter) return false;
    }

    if (*at == '\r') at++;
    if (*at != '\n' || at >= end) return false;          /* the line feed behind the last byte is not the record's */
    csv->start = (size_t)(at + 1 - csv->buffer);
    csv->record_line = csv->line++;
    return true;
}
