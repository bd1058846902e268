/* SPDX-License-Identifier: MIT
 *
 * What the first bytes of a file tell: what stands between its cells, which decimal mark its numbers have, where its
 * header begins, and whether it is text at all.
 */
#ifndef UNA_SNIFF_H
#define UNA_SNIFF_H

#include "base/base.h"

enum { UNA_SNIFF_MOST = 1 << 16 };       /* bytes that are looked at                                */

typedef struct una_sniff {
    char   delimiter;
    char   decimal;              /* that some numbers need and none contradicts; 0: none such; not sought with commas */
    bool   found;                /* the delimiter is not the usual one                              */
    bool   latin;                /* some bytes are no UTF-8                                         */
    size_t skip, lines;          /* comments and sep=; before the header: bytes, lines              */
    size_t comments;             /* lines of these                                                  */
} una_sniff;

/* usual: the delimiter that the name of the file asks for. A file whose lines all have the same number of cells by it,
 * two at least, has it. given: 0, or the delimiter whatever the file says. fixed: usual is not doubted. whole: the
 * bytes are all of the file. */
una_sniff una_sniff_text(const char *bytes, size_t size, bool whole, char usual, bool fixed, char given);
/* "an Excel workbook; save it as CSV" and the like; NULL: it may be text. */
const char *una_sniff_binary(const char *bytes, size_t size);
const char *una_delimiter_name(char delimiter);                          /* "semicolons"             */

#endif
