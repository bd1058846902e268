/* SPDX-License-Identifier: MIT
 *
 * Records of CSV as they are written, by one rule for every file: whoever reads them, una itself or any reader that
 * follows RFC 4180, has the same cells byte by byte. A cell stands between quotes only where it would be read as
 * something else without them: with a comma, a quote, a line end or a tab in it; with a blank at an end; as the first
 * of its record with a # or a byte-order mark in front; as the only one of its record where it is empty or holds
 * another delimiter. Words that look like numbers or missing cells need none: una reads them alike with quotes and
 * without.
 */
#pragma once

#include "base/base.h"

typedef struct una_record {
    una_text *text;              /* where it is added                                               */
    size_t    begin, cells;
    bool      quoted;            /* the first cell is                                               */
} una_record;

una_record una_record_begin(una_text *text);
/* NULL: a missing cell, which is empty. */
void       una_record_words(una_record *record, const char *words);
/* Adds a cell between quotes, whatever is in it. */
void       una_record_quoted(una_record *record, const char *words);
/* Of a file where the cell has no quotes: blanks at its ends mean nothing to una, and are kept if nothing else asks for
 * quotes. */
void       una_record_loose(una_record *record, const char *words);
/* The shortest digits that read back the same; NaN: a missing cell. */
void       una_record_number(una_record *record, double value);
void       una_record_count(una_record *record, uint64_t value);
/* Digits, or other bytes that never need quotes. */
void       una_record_bytes(una_record *record, const char *bytes, size_t length);
/* The line end. */
void       una_record_end(una_record *record);
