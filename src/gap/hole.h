/* SPDX-License-Identifier: MIT
 *
 * Holes in a table: which rows are left out so that along one column, or along two at once, nothing is known of a
 * stretch in the middle. No row that stays lies inside the closed range of a hole: rows of equal value go together.
 */
#pragma once

#include "data/table.h"

/* A hole below LEAST_ROWS rows, or below a twentieth of the table, says nothing of the model; with more than half of
 * the rows in it the rest is no longer the same table. */
enum { UNA_HOLE_LEAST_ROWS = 10, UNA_HOLE_LEAST_PART = 20, UNA_HOLE_MOST_PART = 2 };

typedef struct una_hole {
    size_t      column[2], columns;      /* of the table; one column, or two                                        */
    const char *level;                   /* the word whose rows are left out; NULL: numbers                         */
    double      low[2], high[2];         /* closed ranges of the columns; along a text column NAN                   */
    una_cell_format_kind form[2];        /* UNA_CELLS_DATE, UNA_CELLS_TIME: these are days                          */
    bool       *inside;                  /* [rows of the table]                                                     */
    size_t      count;                   /* rows inside                                                             */
    una_arena  *keep;                    /* where all this lies                                                     */
    const char *why_not;                 /* the reason why there is no hole; NULL: there is one                     */
} una_hole;

/* Along a column of numbers a: about the middle third of its rows, between values that stay on both sides. Of a column
 * of words: one word. Rows whose cell is missing stay. With b, unless it is SIZE_MAX, another column of numbers: a box
 * around both medians with about 15 % of the rows. */
una_status una_hole_cut(una_hole *hole, const una_dataset *data, size_t a, size_t b, una_arena *keep, una_run *run);
/* "28", "from 3 to 7", "from 3 to 7 and from 0 to 1.5", "steel". */
void       una_hole_where(una_text *text, const una_hole *hole);
