/* SPDX-License-Identifier: MIT
 *
 * Numbers, dates and times as people and spreadsheets write them. A cell is taken apart once: blanks around it, a mark
 * before the number, the number, a mark behind it. What a comma or a point means cannot be seen from 1,234 or 1.234
 * alone: such cells count as either, and the others of the column (or of the file, or the person) decide.
 */
#include "data/cell_format.h"

#include "base/calendar.h"

#include <strings.h>

typedef struct piece { const char *at, *end; } piece;

/* ---- characters ------------------------------------------------------------------------------------------ */

static size_t bytes_if(piece p, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(p.end - p.at) >= n && memcmp(p.at, text, n) == 0 ? n : 0;
}

/* Bytes of the blank that p begins with: a blank, tab, no-break, narrow no-break or thin blank; 0: none. */
static size_t blank_at(piece p)
{
    if (p.at == p.end) return 0;
    if (*p.at == ' ' || *p.at == '\t' || *p.at == '\xA0') return 1;          /* the last is Latin-1 */
    if (*p.at == '\xC2') return bytes_if(p, "\xC2\xA0");
    size_t n = *p.at == '\xE2' ? bytes_if(p, "\xE2\x80\xAF") : 0;
    return n || *p.at != '\xE2' ? n : bytes_if(p, "\xE2\x80\x89");
}

static bool skip_cell_blanks(piece *p)
{
    const char *from = p->at;
    for (size_t n; (n = blank_at(*p)) > 0;) p->at += n;
    return p->at > from;
}

static piece trimmed_piece(const char *at, size_t length)
{
    piece p = { at, at + length };
    skip_cell_blanks(&p);
    for (size_t n = 1; n > 0;) {
        size_t left = (size_t)(p.end - p.at);
        /* A lone A0 behind C2 is the end of that one. */
        bool half = left > 1 && p.end[-1] == '\xA0' && p.end[-2] == '\xC2';
        for (n = half ? 2 : 1; n <= 3 && n <= left && blank_at((piece){ p.end - n, p.end }) != n;) n++;
        if (n > 3 || n > left) n = 0;
        p.end -= n;
    }
    return p;
}

/* Bytes of the minus or plus at p, 0: none. Word processors make a minus or an en dash of it. */
static size_t minus_or_plus_at(piece p, bool *negative)
{
    if (p.at == p.end) return 0;
    *negative = *p.at != '+';
    if (*p.at == '-' || *p.at == '+') return 1;
    size_t n = bytes_if(p, "\xE2\x88\x92");
    return n ? n : bytes_if(p, "\xE2\x80\x93");
}

/* The text between the quotes of ="5", which people write for spreadsheets so that they keep a cell as it is. */
static piece unwrap_formula(piece p)
{
    if (p.end - p.at < 3 || p.at[0] != '=' || p.at[1] != '"' || p.end[-1] != '"') return p;
    return trimmed_piece(p.at + 2, (size_t)(p.end - p.at) - 3);
}

/* ---- the number itself -------------------------------------------------------------------------------- */

/* Bytes of a thousands mark at p, and which: the mark that is not the decimal one, ' ' or '\''. */
static size_t group_at(piece p, char decimal, char *mark)
{
    if (p.at == p.end) return 0;
    size_t n = blank_at(p);
    *mark = ' ';
    if (n) return n;
    *mark = *p.at == '\xE2' ? '\'' : *p.at;
    if (*p.at == '\'' || *p.at == (decimal == '.' ? ',' : '.')) return 1;
    return bytes_if(p, "\xE2\x80\x99");
}

static size_t digits_at(piece p)
{
    size_t n = 0;
    while (p.at + n < p.end && UNA_IS_DIGIT(p.at[n])) n++;
    return n;
}

typedef struct number { double value; bool grouped; } number;
enum { NUMBER_ROOM = 64 };

static bool add_digits(char text[NUMBER_ROOM], size_t *length, piece *p, size_t count)
{
    if (*length + count + 8 > NUMBER_ROOM) return false;
    memcpy(text + *length, p->at, count);
    *length += count;
    p->at += count;
    return true;
}

/* 1,23,456 as in India: groups of two behind the first digits, and one of three that ends them. */
static bool add_pairs(char text[NUMBER_ROOM], size_t *length, piece *p, bool *grouped)
{
    piece last = *p;
    while (last.at < last.end && *last.at == ',' && digits_at((piece){ last.at + 1, last.end }) == 2) last.at += 3;
    bool three = last.at < last.end && *last.at == ',' && digits_at((piece){ last.at + 1, last.end }) == 3;
    *grouped = last.at != p->at && three;
    for (size_t n = 2; *grouped && n == 2;) {
        p->at++;
        n = digits_at(*p);
        if (!add_digits(text, length, p, n)) return false;
    }
    return true;
}

/* Groups of three behind the first digits. */
static bool add_groups(char text[NUMBER_ROOM], size_t *length, piece *p, char decimal, bool *grouped)
{
    char mark, first = 0;
    for (size_t n; (n = group_at(*p, decimal, &mark)) > 0 && (!first || mark == first); first = mark) {
        piece next = { p->at + n, p->end };
        if (digits_at(next) != 3) break;
        p->at = next.at;
        if (!add_digits(text, length, p, 3)) return false;
    }
    *grouped = first != 0;
    return true;
}

/* A number, perhaps with thousands marks, as short as people write numbers. */
static bool read_short(piece p, char decimal, number *out)
{
    char text[NUMBER_ROOM];
    size_t length = 0, whole = digits_at(p), part = 0;
    bool leading = whole > 0 && *p.at == '0';
    out->grouped = false;
    if (!add_digits(text, &length, &p, whole)) return false;
    if (whole > 0 && whole <= 3 && !leading && !add_groups(text, &length, &p, decimal, &out->grouped)) return false;
    if (whole > 0 && whole <= 2 && !leading && !out->grouped && decimal == '.' &&
        !add_pairs(text, &length, &p, &out->grouped)) return false;

    if (p.at < p.end && *p.at == decimal) {
        p.at++;
        part = digits_at(p);
        text[length++] = '.';
        if (part == 0 && !(whole > 0 && p.at == p.end && decimal == '.')) return false;        /* 5. is a number */
        if (!add_digits(text, &length, &p, part)) return false;
    }
    if (whole + part == 0) return false;
    if (p.at < p.end && (*p.at == 'e' || *p.at == 'E')) {
        size_t rest = (size_t)(p.end - p.at);
        if (rest > 6 || length + rest >= NUMBER_ROOM) return false;
        memcpy(text + length, p.at, rest);
        length += rest;
        p.at = p.end;
    }
    return p.at == p.end && una_parse_number(text, length, &out->value);
}

/* ---- marks and units ------------------------------------------------------------------------------------ */

/* Bytes of the currency mark at p. */
static size_t currency_at(piece p)
{
    static const char *const marks[] = { "$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5", "US$", "USD", "EUR", "GBP", "CHF",
                                         "JPY", "\xA3", "\x80", "\xE2\x82\xB9", "INR" };
    size_t n = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !n; i++) n = bytes_if(p, marks[i]);
    return n;
}

/* A unit begins with no digit, and has letters, %, / and the like; m2 and s^2 have a digit, 0x10 is no unit. */
static bool is_unit(piece p)
{
    size_t length = (size_t)(p.end - p.at);
    if (length == 0 || length >= UNA_UNIT_ROOM || strchr("/^*0123456789", *p.at)) return false;
    for (const char *c = p.at; c < p.end; c++) {
        bool power = UNA_IS_DIGIT(*c) && (c[-1] == '^' || (c + 1 == p.end && (*c == '2' || *c == '3')));
        if (!power && !UNA_IS_LETTER(*c) && (!*c || !strchr("%/^*$", *c)) && (unsigned char)*c < 0x80) return false;
    }
    return true;
}

typedef struct written {
    piece body, unit;
    bool  negative;
    bool  unusual;               /* the sign is, by itself or by its place                          */
} written;

/* Takes a sign and the blanks behind it; also (5) and 5- of book-keeping, which are negative. */
static bool take_cell_sign(piece *p, written *w)
{
    bool negative = true;
    size_t length = (size_t)(p->end - p->at), before = minus_or_plus_at(*p, &negative), behind = 0;
    if (length > 1 && p->end[-1] == '-') behind = 1;
    else if (length > 3 && memcmp(p->end - 3, "\xE2\x88\x92", 3) == 0) behind = 3;
    bool brackets = length > 2 && *p->at == '(' && p->end[-1] == ')';
    if (!before && !brackets && !(behind && UNA_IS_DIGIT(*(p->end - behind - 1)))) return false;

    p->at += before;
    w->unusual = !before || skip_cell_blanks(p) || before > 1;
    if (!before && brackets) *p = trimmed_piece(p->at + 1, length - 2);
    else if (!before) p->end -= behind;
    w->negative = negative;
    return true;
}

/* The number ends with its last digit that has no letter of a unit before it. */
static const char *end_of_body(piece p)
{
    const char *digit = p.at;
    for (const char *end = p.at; end < p.end; end++) {
        const char *power = end + 1 + (end + 1 < p.end && (end[1] == '-' || end[1] == '+'));
        bool exponent = (*end == 'e' || *end == 'E') && power < p.end && UNA_IS_DIGIT(*power);
        if (UNA_IS_DIGIT(*end)) digit = end + 1;
        else if (exponent) continue;
        else if (UNA_IS_LETTER(*end) || strchr("%$", *end) || currency_at((piece){ end, p.end })) break;
        else if ((unsigned char)*end >= 0x80) {
            char kind;
            size_t inside = group_at((piece){ end, p.end }, '.', &kind);
            if (!inside) break;
            end += inside - 1;
        }
    }
    return digit;
}

/* Takes -$ 1,234.5, ($5) or 1.234,5 kg apart; false: it does not look like a number. */
static bool take_number_apart(piece p, written *w)
{
    *w = (written){ .unit = { p.at, p.at } };
    bool sign = take_cell_sign(&p, w);
    size_t mark = currency_at(p);
    if (mark) {
        w->unit = (piece){ p.at, p.at + mark };
        p.at += mark;
        skip_cell_blanks(&p);
        if (!sign) take_cell_sign(&p, w);
    }
    if (p.at == p.end || !(UNA_IS_DIGIT(*p.at) || ((*p.at == '.' || *p.at == ',') && p.at + 1 < p.end))) return false;

    w->body = (piece){ p.at, end_of_body(p) };
    piece rest = { w->body.end, p.end };
    skip_cell_blanks(&rest);
    if (rest.at == rest.end) return true;
    if (mark || !is_unit(rest)) return false;
    w->unit = rest;
    return true;
}

/* The number, if all of its body is one with this decimal mark: as short as people write them, or of any number of
 * digits, as programs do. */
static bool read_with(const written *w, char decimal, number *out)
{
    piece p = w->body;
    size_t length = (size_t)(p.end - p.at);
    if (!read_short(p, decimal, out)) {
        out->grouped = false;
        if (decimal == ',' && memchr(p.at, '.', length)) return false;
        if (!una_parse_number(p.at, length, &out->value)) return false;
    }
    if (w->negative) out->value = -out->value;
    return true;
}

static void keep_text(char *to, size_t room, piece p)
{
    size_t length = (size_t)(p.end - p.at) < room - 1 ? (size_t)(p.end - p.at) : room - 1;
    memcpy(to, p.at, length);
    to[length] = 0;
}

static void keep_first(char to[UNA_SEEN_ROOM], bool is_one, piece p)
{
    if (is_one && !to[0]) keep_text(to, UNA_SEEN_ROOM, p);
}

static bool is_text(const char *text, piece p)
{
    return strlen(text) == (size_t)(p.end - p.at) && memcmp(text, p.at, (size_t)(p.end - p.at)) == 0;
}

int una_cell_decimal_mark(const char *at, size_t length)
{
    written w;
    number a, b;
    if (!take_number_apart(unwrap_formula(trimmed_piece(at, length)), &w)) return 0;
    bool point = read_with(&w, '.', &a), comma = read_with(&w, ',', &b);
    return (int)comma - (int)point;
}

/* ---- dates and times ------------------------------------------------------------------------------------- */

typedef struct moment {
    bool   date, time;
    bool   first_two;            /* a and b are day and month in either order; else year, month, day    */
    int    a, b, year;
    double seconds;              /* of the day, without the offset to UTC                           */
} moment;

/* An unsigned number of `least` to `most` digits, with no digit behind it. */
static bool take_small_number(piece *p, size_t least, size_t most, int *value)
{
    size_t n = digits_at(*p);
    if (n < least || n > most) return false;
    *value = 0;
    for (size_t i = 0; i < n; i++) *value = 10 * *value + (p->at[i] - '0');
    p->at += n;
    return true;
}

static bool take_char(piece *p, char c)
{
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static bool take_cell_word(piece *p, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || strncasecmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

/* Mar, Mar., March, Sept. */
static bool take_month(piece *p, int *month)
{
    static const char *const names[] = { "january", "february", "march", "april", "may", "june", "july", "august",
                                         "september", "october", "november", "december" };
    size_t n = 0;
    while (p->at + n < p->end && UNA_IS_LETTER(p->at[n])) n++;
    for (int m = 0; m < 12; m++) {
        bool sept = m == 8 && n == 4;
        if (n < 3 || (n != 3 && !sept && n != strlen(names[m])) || strncasecmp(p->at, names[m], n) != 0) continue;
        p->at += n;
        take_char(p, '.');
        *month = m + 1;
        return true;
    }
    return false;
}

/* Two digits are 1969 to 2068. */
static bool take_year(piece *p, bool may_be_short, int *year)
{
    size_t n = digits_at(*p);
    if (n != 4 && !(n == 2 && may_be_short)) return false;
    take_small_number(p, n, n, year);
    if (n == 2) *year += *year < 69 ? 2000 : 1900;
    return true;
}

/* The mark between the numbers of a date. */
static bool take_date_mark(piece *p, char *mark)
{
    if (p->at == p->end || !strchr("-/.", *p->at)) return false;
    *mark = *p->at++;
    return true;
}

/* 2024-03-01, 2024/3/1, 2024-03 */
static bool take_year_first(piece *p, moment *m)
{
    piece q = *p;
    char mark;
    if (!take_year(&q, false, &m->year) || !take_date_mark(&q, &mark)) return false;
    if (!take_small_number(&q, 1, 2, &m->a)) return false;
    bool month_alone = mark == '-' && q.at - p->at == 7;
    m->b = 1;
    if (take_char(&q, mark) ? !take_small_number(&q, 1, 2, &m->b) : !month_alone) return false;
    *p = q;
    return true;
}

/* 3/1/2024, 01.03.2024, 3-1-2024; with points the day is always first. */
static bool take_year_last(piece *p, moment *m)
{
    piece q = *p;
    char mark;
    int first, second;
    if (!take_small_number(&q, 1, 2, &first) || !take_date_mark(&q, &mark)) return false;
    if (!take_small_number(&q, 1, 2, &second) || !take_char(&q, mark)) return false;
    bool two_and_two = q.at - p->at == 6, point = mark == '.';
    if (!take_year(&q, mark == '/' || (point && two_and_two), &m->year)) return false;
    m->first_two = !point;
    m->a = point ? second : first;
    m->b = point ? first : second;
    *p = q;
    return true;
}

/* 1 Mar 2024, 1. March 2024, 01-Mar-24, Mar 1, 2024 */
static bool take_named_month(piece *p, moment *m)
{
    piece q = *p;
    bool month_first = take_month(&q, &m->a), dash = false, comma;
    if (month_first && !skip_cell_blanks(&q)) return false;
    if (!take_small_number(&q, 1, 2, &m->b)) return false;
    if (!month_first) {
        take_char(&q, '.');
        dash = take_char(&q, '-');
        if ((!dash && !skip_cell_blanks(&q)) || !take_month(&q, &m->a)) return false;
    }
    comma = take_char(&q, ',');
    if (dash ? !take_char(&q, '-') : !skip_cell_blanks(&q) && !(comma && month_first)) return false;
    if (!take_year(&q, dash, &m->year)) return false;
    *p = q;
    return true;
}

static bool take_half(piece *p, int *hour)
{
    piece q = *p;
    skip_cell_blanks(&q);
    bool evening = take_cell_word(&q, "pm") || take_cell_word(&q, "p.m.");
    if (!evening && !take_cell_word(&q, "am") && !take_cell_word(&q, "a.m.")) return true;
    *p = q;
    bool good = *hour >= 1 && *hour <= 12;
    *hour = *hour % 12 + (evening ? 12 : 0);
    return good;
}

/* Z, +02:00, +0200, -05 */
static bool take_offset(piece *p, double *seconds)
{
    int hour = 0, minute = 0, sign;
    if (take_char(p, 'Z') || take_char(p, 'z') || take_cell_word(p, " UTC")) return true;
    if (p->at == p->end || (*p->at != '+' && *p->at != '-')) return true;
    sign = *p->at++ == '-' ? -1 : 1;
    if (take_small_number(p, 4, 4, &minute)) {
        hour = minute / 100;
        minute %= 100;
    } else if (!take_small_number(p, 2, 2, &hour)) return false;
    else if (take_char(p, ':') && !take_small_number(p, 2, 2, &minute)) return false;
    if (hour > 14 || minute > 59) return false;
    *seconds -= sign * (hour * 3600.0 + minute * 60.0);
    return true;
}

/* 12:30, 12:30:15.5, 1:30 PM */
static bool take_time(piece *p, moment *m)
{
    int hour, minute, second = 0;
    double part = 0, power = 1;
    if (!take_small_number(p, 1, 2, &hour) || !take_char(p, ':') || !take_small_number(p, 2, 2, &minute)) return false;
    if (take_char(p, ':')) {
        if (!take_small_number(p, 2, 2, &second)) return false;
        if (take_char(p, '.') || take_char(p, ',')) {
            size_t n = digits_at(*p);
            if (n == 0 || n > 15) return false;
            for (; n > 0; n--) part = 10 * part + (*p->at++ - '0'), power *= 10;
            part /= power;
        }
    }
    if (!take_half(p, &hour) || hour > 23 || minute > 59 || second > 60) return false;
    m->seconds = hour * 3600.0 + minute * 60.0 + second + part;
    m->time = true;
    return true;
}

static bool read_moment(piece p, moment *m)
{
    *m = (moment){0};
    if (p.end - p.at > 48 || p.at == p.end) return false;
    m->date = take_year_first(&p, m) || take_year_last(&p, m) || take_named_month(&p, m);
    if (!m->date) return take_time(&p, m) && p.at == p.end;
    if (p.at == p.end) return true;
    bool comma = take_char(&p, ',');
    if (!skip_cell_blanks(&p) && (comma || !(take_char(&p, 'T') || take_char(&p, 't')))) return false;
    return take_time(&p, m) && take_offset(&p, &m->seconds) && p.at == p.end;
}

/* Days since 1970-01-01; of a time alone, the part of a day. False: no such day. */
static bool moment_value(const moment *m, char order, double *value)
{
    double days = 0;
    bool day_first = m->first_two && order != 'm';
    if (m->date && !una_calendar_day(&days, m->year, day_first ? m->b : m->a, day_first ? m->a : m->b)) return false;
    *value = days + m->seconds / 86400;
    return true;
}

/* ---- missing ---------------------------------------------------------------------------------------------- */

bool una_cell_is_missing_mark(const char *at, size_t length)
{
    static const char *const marks[] = { "-", "--", "---", "\xE2\x80\x93", "\xE2\x80\x94", ".", "..", "...", "n/a",
                                         "n.a.", "none", "nil", "missing", "<na>", "(null)", "nat", "#n/a", "#n/a n/a",
                                         "#na", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "#nv",
                                         "#wert!", "na", "nan", "null", "?", "" };
    piece p = trimmed_piece(at, length);
    size_t n = (size_t)(p.end - p.at);
    bool found = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !found; i++)
        found = strlen(marks[i]) == n && strncasecmp(p.at, marks[i], n) == 0;
    return found;
}

/* ---- studies ----------------------------------------------------------------------------------------------- */

/* 20-29, <5, (x2), $ 3 to 4 */
static bool begins_as_number(piece p)
{
    bool negative;
    size_t n = 1;
    while (n > 0) {
        skip_cell_blanks(&p);
        if (p.at == p.end || UNA_IS_DIGIT(*p.at)) break;
        n = *p.at && strchr("([<>=~.\"'", *p.at) ? 1 : minus_or_plus_at(p, &negative);
        if (n == 0) n = currency_at(p);
        p.at += n;
    }
    return p.at < p.end && UNA_IS_DIGIT(*p.at);
}

/* Mon, Mon., Monday, with a comma perhaps */
static bool take_weekday(piece *p)
{
    size_t n = 0;
    while (p->at + n < p->end && UNA_IS_LETTER(p->at[n])) n++;
    bool whole = n > 5 && strncasecmp(p->at + n - 3, "day", 3) == 0, known = false;
    for (const char *day = "montuewedthufrisatsun"; *day && !known; day += 3)
        known = (n == 3 || whole) && strncasecmp(p->at, day, 3) == 0;
    if (!known) return false;
    p->at += n;
    take_char(p, '.');
    take_char(p, ',');
    return true;
}

/* Jan-24, January 2024, Mon, 01 Jan 2024, Q1 2024 */
static bool begins_as_date(piece p)
{
    int month;
    bool weekday = take_weekday(&p);
    skip_cell_blanks(&p);
    piece quarter = p;
    bool has_quarter = take_cell_word(&quarter, "q") && take_small_number(&quarter, 1, 1, &month) &&
                       quarter.at < quarter.end;
    if (has_quarter) p = quarter;
    else if (!take_month(&p, &month) && !weekday) return false;
    while (skip_cell_blanks(&p) || (p.at < p.end && *p.at && strchr("-/'", *p.at) && p.at++)) {}
    return p.at < p.end && UNA_IS_DIGIT(*p.at);
}

static void count_word_cell(una_cell_counts *s, piece p)
{
    bool digit = false;
    for (const char *c = p.at; c < p.end && !digit; c++) digit = UNA_IS_DIGIT(*c);
    bool near = digit && (begins_as_number(p) || begins_as_date(p));
    s->words++;
    s->near_words += near;
    keep_first(s->word, true, p);
    keep_first(s->near_word, near, p);
}

static void meet_moment(una_cell_counts *s, const moment *m, piece p)
{
    double value;
    bool day = moment_value(m, 'd', &value), month = moment_value(m, 'm', &value);
    if (!day && !month) {
        count_word_cell(s, p);
        return;
    }
    keep_first(s->seen, true, p);
    s->times += !m->date;
    s->dates += m->date;
    if (!m->first_two || m->a == m->b) return;
    s->day_first += day && !month;
    s->month_first += month && !day;
    s->either_first += day && month;
}

static bool meet_number(una_cell_counts *s, piece p)
{
    written w;
    number a = { 0, false }, b = { 0, false };
    piece inside = unwrap_formula(p);
    if (!take_number_apart(inside, &w)) return false;
    bool point = read_with(&w, '.', &a), comma = read_with(&w, ',', &b);
    if (!point && !comma) return false;
    a.grouped = a.grouped && point;
    b.grouped = b.grouped && comma;

    if (s->numbers++ == 0) keep_text(s->unit, sizeof s->unit, w.unit);
    if (!is_text(s->unit, w.unit)) {
        if (!s->units_differ) keep_text(s->other, sizeof s->other, p);
        s->units_differ = true;
        if (!s->unit[0]) keep_text(s->unit, sizeof s->unit, w.unit);
        else if (!s->other_unit[0]) keep_text(s->other_unit, sizeof s->other_unit, w.unit);
    }
    s->point += point && !comma;
    s->comma += comma && !point;
    bool either = point && comma && a.grouped != b.grouped;
    s->either_comma += either && a.grouped;
    s->either_point += either && b.grouped;
    bool wrapped = inside.at != p.at, plain = point && !a.grouped && w.unit.at == w.unit.end && !w.unusual && !wrapped;
    keep_first(s->point_group, a.grouped, p);
    keep_first(s->comma_group, b.grouped, p);
    keep_first(s->with_comma, comma && memchr(w.body.at, ',', (size_t)(w.body.end - w.body.at)), p);
    keep_first(s->sign, w.unusual, p);
    keep_first(s->wrapped, wrapped, p);
    keep_first(s->seen, !plain, p);
    return true;
}

void una_cell_counts_add(una_cell_counts *s, const char *at, size_t length)
{
    piece p = trimmed_piece(at, length);
    moment m;
    for (const char *c = at; c < p.at; c++) s->blanks |= (unsigned char)*c > 127;
    for (const char *c = p.end; c < at + length; c++) s->blanks |= (unsigned char)*c > 127;
    if (una_cell_is_missing_mark(p.at, (size_t)(p.end - p.at))) {
        s->missing++;
        keep_first(s->mark, true, p);
    } else if (read_moment(unwrap_formula(p), &m)) {
        meet_moment(s, &m, p);
    } else if (!meet_number(s, p)) {
        count_word_cell(s, p);
    }
}

/* 0: both marks are used for decimals. */
static char decimal_mark_of(const una_cell_counts *s)
{
    if (s->decimal) return s->decimal;
    if (s->point && s->comma) return 0;
    if (s->point || s->comma) return s->comma ? ',' : '.';
    char hint = s->seen[0] ? s->hint : s->plain_hint;
    return hint == ',' && s->either_point + s->either_comma > 0 ? ',' : '.';
}

una_format_decision una_cell_format_decide(una_cell_format *form, const una_cell_counts *s, bool strict)
{
    size_t like = s->numbers + s->dates + s->times, all = like + s->words;
    char mark = decimal_mark_of(s), order = s->order_hint ? s->order_hint : 'd';
    if (s->day_first || s->month_first) order = s->month_first ? 'm' : 'd';
    if (s->order) order = s->order;
    *form = (una_cell_format){ .decimal = mark ? mark : '.', .order = order };
    if (like == 0) return UNA_NO_FORMAT;
    form->kind = s->dates ? UNA_CELLS_DATE : UNA_CELLS_TIME;
    if (s->numbers) form->kind = UNA_CELLS_NUMBER;
    if (form->kind == UNA_CELLS_NUMBER) memcpy(form->unit, s->unit, sizeof form->unit);

    bool one_decimal = mark && !(mark == '.' && s->comma) && !(mark == ',' && s->point);
    bool one_order = s->day_first == 0 || s->month_first == 0;
    if (s->order) one_order = s->order == 'd' ? s->month_first == 0 : s->day_first == 0;
    bool numbers = s->numbers == all && !s->units_differ && one_decimal;
    bool moments = (s->dates == all && one_order) || s->times == all;
    if (numbers || moments || !strict) return UNA_ONE_FORMAT;
    *form = (una_cell_format){0};
    return 2 * like >= all ? UNA_MIXED_FORMATS : UNA_NO_FORMAT;
}

/* ---- cells ------------------------------------------------------------------------------------------------ */

una_cell_kind una_cell_format_value(double *value, const una_cell_format *form, const char *at, size_t length)
{
    piece p = trimmed_piece(at, length), inside = unwrap_formula(p);
    moment m;
    written w;
    number n;
    if (una_cell_is_missing_mark(p.at, (size_t)(p.end - p.at))) return UNA_CELL_MISSING;
    if (form->kind == UNA_CELLS_NUMBER) {
        if (!take_number_apart(inside, &w) || !read_with(&w, form->decimal, &n)) return UNA_CELL_WORD;
        if (w.unit.at < w.unit.end && !is_text(form->unit, w.unit)) return UNA_CELL_WORD;
        *value = n.value;
        return isfinite(n.value) ? UNA_CELL_NUMBER : UNA_CELL_INFINITE;
    }
    if (!read_moment(inside, &m) || m.date != (form->kind == UNA_CELLS_DATE)) return UNA_CELL_WORD;
    return moment_value(&m, form->order, value) ? UNA_CELL_NUMBER : UNA_CELL_WORD;
}

bool una_cell_format_matches(const una_cell_format *form, const char *at, size_t length)
{
    double value;
    written w;
    una_cell_kind kind = una_cell_format_value(&value, form, at, length);
    if (kind == UNA_CELL_WORD || kind == UNA_CELL_MISSING || form->kind != UNA_CELLS_NUMBER)
        return kind != UNA_CELL_WORD;
    return take_number_apart(unwrap_formula(trimmed_piece(at, length)), &w) && is_text(form->unit, w.unit);
}
