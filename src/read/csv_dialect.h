/* SPDX-License-Identifier: MIT
 *
 * Detects from the first bytes of a file its delimiter and decimal mark, where its header begins, and whether it is
 * text at all.
 */
#pragma once

#include "base/base.h"

enum { UNA_DIALECT_SAMPLE = 1 << 16 };       /* bytes that are looked at                                */

typedef struct una_csv_dialect {
    char   delimiter;
    char   decimal;              /* that some numbers need and none contradicts; 0: none such; not sought with commas */
    bool   found;                /* the delimiter is not the usual one                              */
    bool   latin;                /* some bytes are no UTF-8                                         */
    size_t skip, lines;          /* comments and sep=; before the header: bytes, lines              */
    size_t comments;             /* lines of these                                                  */
} una_csv_dialect;

/* usual: the delimiter by the name of the file; a file whose lines all have the same number of cells with it, at least
 * two, has it. given: 0, or the delimiter whatever the file holds. fixed: usual is not doubted. whole: the bytes are
 * all of the file. */
una_csv_dialect una_csv_dialect_detect(const char *bytes, size_t size, bool whole, char usual, bool fixed, char given);
/* "an Excel workbook; save it as CSV" and the like; NULL: it may be text. */
const char *una_describe_binary(const char *bytes, size_t size);
const char *una_delimiter_name(char delimiter);                          /* "semicolons"             */
