/* SPDX-License-Identifier: MIT
 *
 * Rows of an update that occurred before: among the rows of the model, where its kind keeps them, or earlier in the
 * same table. Updating twice with one file counts its rows twice; the model cannot refuse that, since equal
 * observations are possible, but it warns.
 */
#pragma once

#include "model/kind.h"

typedef struct una_repeated_rows {
    una_arena *arena;            /* of the sums                                                     */
    uint64_t  *sum;              /* [room] of rows so far; 0: free                                  */
    size_t     count, room;
    const una_dataset *data;     /* the table of the next rows                                      */
    const size_t *kept;          /* [rows] their places in it                                       */
    size_t     rows;             /* rows compared so far                                            */
    size_t     known, first_known;       /* rows that the model has, and the number of the first in its file */
    size_t     twice, first_twice;       /* rows that occurred earlier in the table                 */
} una_repeated_rows;

/* To be called before the model takes in these rows of repeats->data: x [rows, inputs] encoded, y [rows, targets]. */
una_status una_repeated_rows_find(una_repeated_rows *repeats, const una_model *model, const double *x, const double *y,
                                  size_t rows, una_run *run);
/* Warnings, after the last row. */
void       una_repeated_rows_warn(const una_repeated_rows *repeats, const char *origin, una_run *run);
