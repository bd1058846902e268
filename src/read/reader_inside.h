/* SPDX-License-Identifier: MIT
 *
 * A reader from the inside, for reader.c and reader_forms.c.
 */
#pragma once

#include "data/build.h"
#include "read/csv.h"
#include "read/npy.h"
#include "read/reader.h"

typedef struct infinity { size_t line; const char *text; } infinity;     /* the first of a column; line 0: none */

struct una_reader {
    una_run     *run;
    una_arena    arena;          /* owns what follows                                               */
    una_csv     *csv;            /* one of the two                                                  */
    una_npy     *npy;
    const char  *path;
    const char **names;          /* [columns] as in the file                                        */
    size_t       columns;
    size_t      *from;           /* [table_columns] column of the file                              */
    const char **table_names;
    bool        *is_text;        /* [table_columns]                                                 */
    bool        *unwanted;       /* [columns]                                                       */
    double      *values;         /* [columns] of one row, where all wanted columns are numbers      */
    una_point_watch   *watch;          /* [columns] plain numbers, for points that may be thousands marks */
    size_t      *first_word;     /* [table_columns] row of the file that made it text               */
    infinity    *infinite;       /* [table_columns], where the types were not given                 */
    una_cell_counts *study;       /* [table_columns] of columns of words; where types were given, of numbers */
    una_cell_format    *form;           /* [table_columns] where types were given: how numbers are written */
    una_wanted  *wanted;         /* [table_columns] where types were given                          */
    bool        *stays;          /* [table_columns] words, because somebody said so                 */
    bool         studied;        /* types were given, and the forms have been looked for            */
    size_t       settled;        /* how often points were settled by looking into the file          */
    bool         commas;         /* decimal commas: a number with a point may have it for thousands */
    size_t       table_columns, row;     /* row: of the file, next to be read                       */
    size_t       part, parts;    /* rows that are kept: row % parts == part                         */
    bool         typed;          /* the types were given                                            */
    bool         keeping;
    una_arena    kept_arena;     /* of the last chunk                                               */
    const char ***kept;          /* [kept_rows][columns]                                            */
    size_t       kept_rows, kept_room;
};

/* What columns prove about the whole file: numbers that make sense with one decimal mark alone, days above 12. */
typedef struct una_cell_format_proof { bool points, commas, days_first, months_first; } una_cell_format_proof;
/* Adds what this column proves, if it holds numbers or dates. */
void una_cell_format_prove(una_cell_format_proof *proof, const una_cell_counts *study);
/* The mark or order that some columns need and none contradicts; 0: there is none. */
char una_proved_decimal(const una_cell_format_proof *proof);
char una_proved_order(const una_cell_format_proof *proof);

/* study [count]: empty counts, with what a person says of marks and dates. */
void          una_reader_begin_studies(una_reader *reader, una_cell_counts *study, size_t count);
/* Hints from the file as a whole, for columns that leave the format open. */
void          una_reader_give_hints(una_reader *reader, const una_cell_format_proof *proof);
/* Whether 1.234 means thousands where the rest of the file has decimal commas. */
bool          una_reader_points_follow(const una_reader *reader);
una_cell_kind una_reader_cell_kind(const una_reader *reader, const una_cell *cell, double *value);
/* Looks through the whole file, then goes back to the row that is read next or, with in_row, is being read. */
una_status    una_reader_study(una_reader *reader, bool in_row);
/* Watches a plain number of the table for points that may be thousands marks; and settles them. */
void          una_reader_watch(una_reader *reader, size_t column, const una_cell *cell);
una_status    una_reader_settle_points(una_reader *reader);
