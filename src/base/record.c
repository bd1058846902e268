/* SPDX-License-Identifier: MIT
 *
 * The one writer of CSV: see record.h.
 */
#include "base/record.h"

#include <inttypes.h>

static bool is_cell_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The length of the cell, and whether it holds a character that ends a cell, begins quotes or is another delimiter that
 * una knows. */
static size_t measure_cell(const char *words, bool *marked)
{
    size_t length = 0;
    bool found = false;
    for (char c; (c = words[length]); length++)
        found = found || (c <= ',' && (c == ',' || c == '"' || c == '\n' || c == '\r' || c == '\t'));
    *marked = found;
    return length;
}

static bool begins_apart(const char *words)      /* a comment, or what editors put before a text */
{
    return *words == '#' || strncmp(words, "\xEF\xBB\xBF", 3) == 0;
}

static void begin_cell(una_record *r, bool quoted)
{
    if (r->cells++ > 0) una_text_bytes(r->text, ",", 1);
    else r->quoted = quoted;
}

static void add_quoted_cell(una_record *r, const char *words, size_t length)
{
    begin_cell(r, true);
    una_text_bytes(r->text, "\"", 1);
    for (const char *quote; (quote = memchr(words, '"', length));) {
        size_t before = (size_t)(quote - words) + 1;
        una_text_bytes(r->text, words, before);
        una_text_bytes(r->text, "\"", 1);
        words += before;
        length -= before;
    }
    una_text_bytes(r->text, words, length);
    una_text_bytes(r->text, "\"", 1);
}

una_record una_record_begin(una_text *text)
{
    return (una_record){ .text = text, .begin = text->length };
}

void una_record_bytes(una_record *r, const char *bytes, size_t length)
{
    begin_cell(r, false);
    una_text_bytes(r->text, bytes, length);
}

void una_record_quoted(una_record *r, const char *words)
{
    add_quoted_cell(r, words, strlen(words));
}

void una_record_words(una_record *r, const char *words)
{
    bool marked = false;
    size_t length = words ? measure_cell(words, &marked) : 0;
    bool blanks = length > 0 && (is_cell_blank(words[0]) || is_cell_blank(words[length - 1]));
    if (length > 0 && (blanks || marked || (r->cells == 0 && begins_apart(words)))) add_quoted_cell(r, words, length);
    else una_record_bytes(r, words ? words : "", length);
}

void una_record_loose(una_record *r, const char *words)
{
    bool marked;
    size_t length = measure_cell(words, &marked), from = 0, to = length;
    if (!marked && (r->cells > 0 || !begins_apart(words))) {
        una_record_bytes(r, words, length);
        return;
    }
    while (from < to && is_cell_blank(words[from])) from++;
    while (to > from && is_cell_blank(words[to - 1])) to--;
    add_quoted_cell(r, words + from, to - from);
}

void una_record_number(una_record *r, double value)
{
    char number[32] = "";
    if (!isnan(value)) una_number_text(number, value);
    una_record_bytes(r, number, strlen(number));
}

void una_record_count(una_record *r, uint64_t value)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    una_record_bytes(r, digits, (size_t)length);
}

/* Alone, an empty line would be no record, and a line with another delimiter in it would be read as several cells. */
void una_record_end(una_record *r)
{
    una_text *text = r->text;
    size_t length = text->length - r->begin;
    const char *cell = text->at + r->begin;
    bool misread = length == 0 || memchr(cell, ';', length) || memchr(cell, '|', length);
    if (r->cells == 1 && !r->quoted && misread) {
        una_text_bytes(text, "\"\"", 2);
        if (!text->arena->failed) {
            memmove(text->at + r->begin + 1, text->at + r->begin, length);
            text->at[r->begin] = '"';
        }
    }
    una_text_bytes(text, "\n", 1);
}
