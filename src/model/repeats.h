/* SPDX-License-Identifier: MIT
 *
 * Rows of an update that have been there before: in the rows that the model rests on, where its kind keeps them, or
 * earlier in the same table. Whoever updates twice with one file counts its rows twice; the model cannot refuse, since
 * equal rows may be observed, but people are told.
 */
#ifndef UNA_REPEATS_H
#define UNA_REPEATS_H

#include "model/kind.h"

typedef struct una_repeats {
    una_arena *arena;            /* of the sums                                                     */
    uint64_t  *sum;              /* [room] of rows so far; 0: free                                  */
    size_t     count, room;
    const una_dataset *data;     /* in which the next rows stand                                    */
    const size_t *kept;          /* [rows] and where                                                */
    size_t     rows;             /* that were looked at                                             */
    size_t     known, first_known;       /* rows that the model has, and the first's number in its file */
    size_t     twice, first_twice;       /* rows that stood in the table before                     */
} una_repeats;

/* Before the model takes these rows of repeats->data: x [rows, inputs] encoded, y [rows, targets]. */
una_status una_repeats_look(una_repeats *repeats, const una_model *model, const double *x, const double *y, size_t rows,
                            una_run *run);
/* Warnings, after the last row. */
void       una_repeats_tell(const una_repeats *repeats, const char *origin, una_run *run);

#endif
