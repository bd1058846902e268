/* SPDX-License-Identifier: MIT
 *
 * How the cells of a column are written, where they are no plain numbers: with percent signs, currency marks, units,
 * thousands marks, decimal commas, as dates or as times of day. una_cell_counts counts all cells of a column and then
 * decides which format they have in common; with the format each cell has a value: the number without its marks, or
 * days since 1970-01-01.
 */
#pragma once

#include "base/base.h"

typedef enum una_cell_kind { UNA_CELL_NUMBER, UNA_CELL_MISSING, UNA_CELL_INFINITE, UNA_CELL_WORD } una_cell_kind;

typedef enum una_cell_format_kind {
    UNA_CELLS_PLAIN, UNA_CELLS_NUMBER, UNA_CELLS_DATE, UNA_CELLS_TIME,
    UNA_CELLS_COUNT              /* plain numbers that count the rows                               */
} una_cell_format_kind;
/* Whether they are dates or times of day. */
static inline bool una_is_moment(una_cell_format_kind kind)
{
    return kind == UNA_CELLS_DATE || kind == UNA_CELLS_TIME;
}

/* What writes them; NULL: they are neither. */
static inline una_date_writer *una_date_writer_of(una_cell_format_kind kind)
{
    if (kind == UNA_CELLS_DATE) return una_date_text;
    return kind == UNA_CELLS_TIME ? una_time_text : NULL;
}

enum { UNA_UNIT_ROOM = 16, UNA_SEEN_ROOM = 32 };

typedef struct una_cell_format {
    una_cell_format_kind kind;
    char decimal;                /* '.' or ','                                                      */
    char order;                  /* of 3/1/2024: 'd' or 'm'                                         */
    char unit[UNA_UNIT_ROOM];    /* "%", "$", "kg"; "": none                                        */
} una_cell_format;

typedef struct una_cell_counts {
    char   decimal, order;       /* given; 0: to be found                                           */
    char   hint;                 /* decimal mark of the file as a whole, where a cell could mean either */
    char   plain_hint;           /* the same where all cells look like plain numbers: 1.234         */
    bool   against;              /* such cells keep their points, and yet the file has decimal commas */
    char   order_hint;           /* of the dates of the file as a whole                             */
    size_t numbers, dates, times, words, missing;        /* cells that look so; missing: only as '-', '#N/A' ... */
    size_t point, comma;         /* numbers that make sense with this decimal mark alone            */
    size_t either_point, either_comma;                   /* 1.234 and 1,234                         */
    size_t near_words;           /* words that begin like a number or a date: 20-29, Jan-24         */
    size_t day_first, month_first, either_first;         /* dates such as 3/1/2024                  */
    bool   units_differ;
    bool   blanks;               /* no-break blanks around a cell, which a plain number has not     */
    char   unit[UNA_UNIT_ROOM];  /* the first                                                       */
    char   seen[UNA_SEEN_ROOM];  /* the first number that is not plain, date or time                */
    char   point_group[UNA_SEEN_ROOM], comma_group[UNA_SEEN_ROOM];       /* the first with thousands marks, if the
                                    decimal mark is a point, and if it is a comma                   */
    char   with_comma[UNA_SEEN_ROOM];    /* the first with a decimal comma, if it is one            */
    char   sign[UNA_SEEN_ROOM], wrapped[UNA_SEEN_ROOM];  /* the first such as (5) or 5-, and such as ="5"   */
    char   mark[UNA_SEEN_ROOM];  /* the first that counts as missing                                */
    char   word[UNA_SEEN_ROOM], near_word[UNA_SEEN_ROOM];        /* the first word                   */
    char   other[UNA_SEEN_ROOM]; /* the first number with another unit, or without                  */
    char   other_unit[UNA_UNIT_ROOM];                    /* the first unit besides `unit`           */
} una_cell_counts;

/* Counts one more cell; not for cells that una_cell_read calls missing. */
void una_cell_counts_add(una_cell_counts *study, const char *at, size_t length);

typedef enum una_format_decision {
    UNA_ONE_FORMAT,              /* all cells have it                                               */
    UNA_NO_FORMAT,             /* words, like any                                                 */
    UNA_MIXED_FORMATS              /* many look like numbers or dates, and yet there is no common form */
} una_format_decision;
/* strict: every cell must have the format, and all the same unit or none. Not strict, for a column that is known to
 * hold numbers or dates: the format of the cells that have one, whatever the others are. */
una_format_decision una_cell_format_decide(una_cell_format *form, const una_cell_counts *study, bool strict);

/* The value of a cell in a format; UNA_CELL_WORD: it does not have it. With a unit, cells may also be without. */
una_cell_kind una_cell_format_value(double *value, const una_cell_format *form, const char *at, size_t length);
/* Whether the cell has the format, with its unit. */
bool una_cell_format_matches(const una_cell_format *form, const char *at, size_t length);
/* '-', '#N/A', 'none' ...: missing in a column of numbers or dates. */
bool una_cell_is_missing_mark(const char *at, size_t length);

/* Makes sense as a number with a decimal comma alone (1) or with a decimal point alone (-1); else 0. To detect the
 * dialect. */
int  una_cell_decimal_mark(const char *at, size_t length);
