/* SPDX-License-Identifier: MIT
 *
 * Tables in memory: what a file holds before any model sees it. A una_dataset owns its columns.
 */
#pragma once

#include "data/cell_format.h"
#include "data/names.h"

typedef struct una_table_column {
    const char  *name;
    bool         is_text;
    double      *number;         /* [rows]; NAN = missing (infinities were refused)                 */
    const char **word;           /* [rows]; NULL = missing; equal words share one pointer within one table */
    size_t       first_word;     /* row of the first cell that made the column text                 */
    una_cell_format     form;           /* how its numbers were written; kind UNA_CELLS_PLAIN: as numbers   */
} una_table_column;

typedef struct una_table_note {  /* on how a file was written                                       */
    size_t      column;          /* that it is about; SIZE_MAX: the file as a whole                 */
    unsigned    way;             /* 0: text is a sentence; else the end of one that begins with the columns, and which
                                    all columns with a note of this way share                       */
    const char *text;
} una_table_note;
typedef struct una_table_notes { una_table_note *at; size_t count; } una_table_notes;

typedef struct una_table_source {        /* of rows: a file or an array                             */
    const char *origin;                  /* path or "array"                                         */
    const char *unit;                    /* what `line` counts there: "line" or "row"               */
    size_t      rows;                    /* that it has                                             */
} una_table_source;

struct una_dataset {
    una_arena         arena;     /* owns everything below                                           */
    una_run           *run;      /* allocator it came from                                          */
    const char       *origin;    /* path or "array", for messages; of a joined table both           */
    size_t            rows, columns;
    una_table_column *column;
    una_names         names;     /* of the columns                                                  */
    size_t           *line;      /* [rows] line in the file where the row begins, or number of the row
                                    (from 1) in the array it was taken from; NULL when that is row + 1 */
    const char       *unit;      /* what `line` counts: "line" or "row"                             */
    size_t           *number;    /* [rows] of a table of chosen rows: which row of its file each is, from 1; NULL:
                                    `line` where that counts rows, else first_row + row * row_step + 1 */
    size_t            first_row, row_step;       /* of a chunk, or of a rank's part                 */
    size_t            all_rows;  /* of the file, where only some of them are here; 0: these are all */
    const una_table_source *source;      /* [sources] of a joined table; NULL: it has one           */
    const uint32_t   *from;      /* [rows] which of them                                            */
    size_t            sources;
    struct una_images *images;   /* that its rows name (images.h); NULL: they name none             */
    size_t            image_column;      /* by the numbers of this column                           */
    una_table_notes   notes, doubts;     /* doubts: where the file may have been misread: warnings   */
};

static inline bool una_table_is_missing(const una_table_column *column, size_t row)
{
    return column->is_text ? !column->word[row] : isnan(column->number[row]);
}

/* Position of a column by name, or SIZE_MAX; of several with that name the first. */
size_t     una_table_find(const una_dataset *data, const char *name);
/* Like find, but the failure names the column, the file and the nearest name. */
una_status una_table_need(size_t *column, const una_dataset *data, const char *name, una_run *run);
/* Removes the columns with out[column] from a table that has no other user. */
una_status una_table_drop(una_dataset *own, const bool *out);
/* The source of a row, also after rows were left out or tables were joined. Its number is that in the file or array,
 * from 1, without the header. */
una_table_source una_table_source_of(const una_dataset *data, size_t row);
size_t     una_table_number(const una_dataset *data, size_t row);
/* Line in the text file, from 1; 0: the row comes from no text. */
size_t     una_table_line(const una_dataset *data, size_t row);
/* "line 17", or "row 16" without lines; of a joined table "measurements.csv, line 17". */
void       una_table_row(una_text *text, const una_dataset *data, size_t row);
/* "measurements.csv, line 17, column 'age'" (or "row 16" without lines). */
void       una_table_place(una_text *text, const una_dataset *data, size_t row, size_t column);
const char *una_table_place_in(una_arena *arena, const una_dataset *data, size_t row, size_t column);

/* While a model predicts rows of a table, sentences call them "measurements.csv, line 17" (una_row_name). kept: the row
 * in the table of each, as una_columns_encode gives it; NULL: they are all of its rows. */
typedef struct una_table_row_namer {
    una_row_namer        named; /* first                                                           */
    const una_dataset    *data;
    const size_t         *kept;
    const una_row_namer *before;
    size_t                first_before;
} una_table_row_namer;
void       una_table_name_rows(una_table_row_namer *asked, const una_dataset *data, const size_t *kept, una_run *run);
void       una_table_name_rows_end(const una_table_row_namer *asked, una_run *run);

/* The function of the made-up data set "squiggle", without noise (synthetic.c). */
double     una_squiggle(double x);

typedef struct una_wanted {      /* a column and its type, as a model knows it                      */
    const char *name;
    bool        is_text;
    una_cell_format_kind form;    /* UNA_CELLS_DATE, UNA_CELLS_TIME: its cells must be such; else numbers in any form */
    const char *unit;            /* the one it must have, if any; "": the model knows none; NULL: whatever it is   */
    bool        any_format;        /* its cells may also be dates or times, which no model knows      */
} una_wanted;
