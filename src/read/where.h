/* SPDX-License-Identifier: MIT
 *
 * Conditions on the rows of a table: "sex == 1 and not missing(age)". A text is read once, without a table, into a flat
 * program in postfix order; that then runs on the rows of any table that has its columns.
 *
 * A comparison in which a cell is missing is false, and so is one whose arithmetic gives no number (a division by
 * zero); `not` of it is then true. missing(column) asks for such cells.
 */
#pragma once

#include "base/lexer.h"
#include "data/table.h"

enum { UNA_WHERE_DEPTH = 64, UNA_WHERE_STACK = 6 * (UNA_WHERE_DEPTH + 1) };  /* brackets in brackets; values waiting */

typedef enum una_where_code {
    UNA_WHERE_NUMBER, UNA_WHERE_COLUMN,                                  /* push a value                     */
    UNA_WHERE_MISSING, UNA_WHERE_WORDS, UNA_WHERE_OTHER_WORD,            /* push a truth, 1 or 0             */
    UNA_WHERE_NEGATE, UNA_WHERE_NOT, UNA_WHERE_NUMBERS,                  /* change the top                   */
    UNA_WHERE_ADD, UNA_WHERE_SUBTRACT, UNA_WHERE_MULTIPLY, UNA_WHERE_DIVIDE,     /* take two, push one       */
    UNA_WHERE_EQUAL, UNA_WHERE_UNEQUAL, UNA_WHERE_BELOW, UNA_WHERE_AT_MOST, UNA_WHERE_ABOVE, UNA_WHERE_AT_LEAST,
    UNA_WHERE_AND, UNA_WHERE_OR
} una_where_code;

typedef struct una_where_op {
    una_where_code code;
    size_t         column;       /* of COLUMN, MISSING, WORDS, OTHER_WORD                                    */
    size_t         first, count; /* of WORDS, OTHER_WORD and NUMBERS: the list they look in                  */
    double         number;       /* of NUMBER                                                                */
} una_where_op;

typedef enum una_where_holds { UNA_HOLDS_ANY, UNA_HOLDS_NUMBERS, UNA_HOLDS_WORDS } una_where_holds;

typedef struct una_where_column {
    const char     *name;
    una_where_holds holds;       /* what the condition takes it for; ANY: it only asks for missing cells     */
    size_t          at;          /* where in the text that is                                                */
} una_where_column;

typedef struct una_where {
    const char       *text;
    una_where_op     *op;
    size_t            op_count;
    una_where_column *column;    /* each that is named, once                                                 */
    size_t            columns;
    const char      **word;      /* of all lists                                                             */
    double           *number;
    size_t            words, numbers;
} una_where;

/* Reads the text, into the arena. UNA_E_USAGE with the place and a remedy where it is no condition. */
una_status una_where_parse(una_where **where, const char *text, una_arena *arena, una_run *run);
/* match [rows of data]: the rows for which the condition is true. UNA_E_INPUT: the table has no such column, or a
 * column of words where numbers are compared, or the other way round; a column without any value fits both. */
una_status una_where_match(bool *match, const una_where *where, const una_dataset *data, una_run *run);
/* Whether all its columns are among names [count], those of `origin`: UNA_E_INPUT and a sentence if not. */
una_status una_where_need(const una_where *where, const char *const *names, size_t count, const char *origin,
                          una_run *run);
/* Columns to read: wanted [*count], then the other columns of the condition, of the types that it compares them as
 * (any: words, where the file can hold them). *count grows. NULL only without memory. */
una_wanted *una_where_wanted(const una_where *where, const una_wanted *wanted, size_t *count, bool can_hold_words,
                             una_arena *arena);
/* Fails with the sentence behind its place in the condition, as UNA_E_INPUT. */
una_status una_where_refuse(const una_where *where, size_t at, const char *sentence, una_run *run);
/* Fails because none of `rows` rows is left: UNA_E_INPUT. */
una_status una_where_none(const una_where *where, size_t rows, const char *origin, una_run *run);
/* Logs how many of the rows are left. */
void       una_where_log(const una_where *where, size_t left, size_t rows, const char *origin, una_run *run);
