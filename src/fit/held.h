/* SPDX-License-Identifier: MIT
 *
 * The rows of one training, in float: those that train and those that are held out, folds, and batches of the former.
 */
#ifndef UNA_HELD_H
#define UNA_HELD_H

#include "model/kind.h"

typedef struct una_held {
    float  *x, *target;                  /* [rows, inputs], [rows, outputs] or as a lesson says             */
    double *y;                           /* [rows, outputs]; NAN: a cell of several targets that is missing */
    float  *held_x;                      /* [held, inputs]                                                  */
    double *held_y;                      /* [held, outputs]                                                 */
    size_t  rows, held, inputs, outputs; /* outputs: 0 counts as 1                                          */
} una_held;

/* fold SIZE_MAX: all of problem->x trains and problem->valid is held out, and problem->shared is this very split, if
 * there is one; else that fold of problem->x is held out. Nobody writes to the rows. */
una_status una_held_split(una_held *held, const una_problem *problem, size_t fold, una_arena *arena);
/* All rows train, those of problem->valid last. */
una_status una_held_none(una_held *held, const una_problem *problem, una_arena *arena);
/* The problem without one fold, whose rows then stand as problem->valid: for members that are kinds of their own. */
una_status una_held_fold(una_problem *problem, size_t fold, una_arena *arena);
/* Leaves at most `most` rows, evenly chosen: copies in the arena. For looks and choices, which must stay cheap. */
una_status una_held_thin(float **x, double **y, size_t *rows, size_t inputs, size_t outputs, size_t most,
                         una_arena *arena);

typedef struct una_batches {             /* of an epoch: they differ in size by at most one row             */
    const float *all_x, *all_target;     /* [all, inputs], [all]                                            */
    size_t    all, inputs;
    size_t    count, most, step;         /* batches of an epoch, rows of the largest, steps taken           */
    uint32_t *order;                     /* [all]                                                           */
    float    *x, *target;                /* the batch at hand [rows, inputs], [rows]: the caller may change it */
    size_t    rows;
    uint64_t  seed, stream;
} una_batches;

/* batch 0 or >= rows: all rows every time. */
una_status una_batches_init(una_batches *batches, const float *x, const float *target, size_t rows, size_t inputs,
                            size_t batch, uint64_t seed, uint64_t stream, una_arena *arena);
void       una_batches_next(una_batches *batches);

static inline size_t una_held_outputs(const una_held *held)
{
    return held->outputs ? held->outputs : 1;
}

void    una_held_row(float *to, una_view x, size_t row);                 /* one row in float                */
double *una_held_copy(const double *values, size_t count, una_arena *arena);

#endif
