/* SPDX-License-Identifier: MIT
 *
 * Building a table row by row when nobody knows how many rows will come: cells go into blocks of rows in working
 * memory, and are gathered once into columns.
 */
#pragma once

#include "data/table.h"

/* An empty table; names are copied, all columns are numbers at first. */
una_status una_table_new(una_dataset **data, const char *origin, const char *const *names, size_t columns,
                         una_run *run);
/* The end of a call that makes a table: after a failure there is none. */
una_status una_table_give(una_dataset **data, una_status status);
/* Allocates the cells of data->rows rows in one piece: of words where is_text of a column is set, else of numbers. */
una_status una_table_cells(una_dataset *data);

/* One more in data->notes, or in data->doubts; the text is copied. The array is as large as the next power of two. */
una_status una_table_add_note(una_dataset *data, una_table_notes *to, una_table_note note);
/* One more in data->notes: a sentence on a column, or on the file (SIZE_MAX). */
una_status una_table_add_sentence(una_dataset *data, size_t column, const char *format, ...) UNA_PRINTF(3, 4);
/* Copies notes and doubts of another table, and the formats of columns of the same name. */
una_status una_table_copy_notes(una_dataset *to, const una_dataset *from);

/* ---- one copy of each word ------------------------------------------------------------------------ */

typedef struct una_words {
    una_arena   *keep, *work;    /* the words; the hash table                                       */
    una_hash_key key;
    const char **slot;
    size_t       slots, count;   /* slots: a power of two                                           */
    char        *slab;
    size_t       slab_left;
} una_words;

una_words   una_words_in(una_arena *keep, una_arena *work);
/* The one copy of these bytes; NULL only without memory (sticky in keep or work). */
const char *una_words_get(una_words *words, const char *at, size_t length);

/* ---- words of a table by number -------------------------------------------------------------------- */

typedef struct una_numbering {   /* of words that share one pointer where they are equal, as they come */
    una_arena   *work;
    uint64_t     factor;
    const char **slot;
    uint32_t    *number;         /* from 1                                                          */
    size_t       slots, count;
    unsigned     shift;          /* slots: 1 << (64 - shift)                                        */
} una_numbering;

una_numbering una_numbering_in(una_arena *work);
/* Its number; a new word gets the next number, counted in `count`. 0: the word is NULL; or there is no memory, sticky
 * in work. */
uint32_t      una_number_of(una_numbering *numbering, const char *word);

/* ---- rows ------------------------------------------------------------------------------------------- */

typedef union una_build_cell { double number; const char *word; size_t line; } una_build_cell;
typedef struct una_build_block una_build_block;
typedef struct una_build {
    una_dataset     *data;
    una_arena       *work;
    una_words        words;
    una_build_block *first, *last;
    una_build_cell  *spare;                  /* of blocks to come                                      */
    size_t           spares, blocks;
    size_t           block_rows, row;        /* row: within the last block, of the row begun last      */
} una_build;

una_build  una_build_begin(una_dataset *data, size_t most_rows, una_arena *work);
una_status una_build_row(una_build *build, size_t line);         /* begins the next row              */
void       una_build_number(una_build *build, size_t column, double value);
void       una_build_word(una_build *build, size_t column, const char *at, size_t length);   /* at NULL: missing */
/* A whole row at once: column c is values[from[c]]. */
una_status una_build_numbers(una_build *build, size_t line, const double *values, const size_t *from);
/* Fills the table's columns, by is_text of each, and its lines if with_lines. */
una_status una_build_end(una_build *build, bool with_lines);
