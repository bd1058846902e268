/* SPDX-License-Identifier: MIT
 *
 * The rows of one training, in float: those that train and those that are held out, and batches of the former. For models
 * that train a network of their own (nn, sngp).
 */
#ifndef UNA_HELD_H
#define UNA_HELD_H

#include "model/kind.h"

typedef struct una_held {
    float  *x, *target;                  /* [rows, inputs], [rows]                                          */
    double *y;                           /* [rows]                                                          */
    float  *held_x;                      /* [held, inputs]                                                  */
    double *held_y;
    size_t  rows, held, inputs;
} una_held;

/* fold SIZE_MAX: all of problem->x trains and problem->valid is held out; else that fold of problem->x is. */
una_status una_held_split(una_held *held, const una_problem *problem, size_t fold, una_arena *arena);

typedef struct una_batches {             /* of an epoch: they differ in size by at most one row             */
    const una_held *held;
    size_t    count, rows, *order;
    float    *x, *target;                /* the batch at hand [rows, inputs], [rows]                        */
    uint64_t  seed, stream;
} una_batches;

/* batch 0 or >= rows: all rows every time. */
una_status una_batches_init(una_batches *batches, const una_held *held, size_t batch, uint64_t seed, uint64_t stream,
                            una_arena *arena);
void       una_batches_next(una_batches *batches, size_t step);
size_t     una_batches_most(const una_batches *batches);

/* The log-likelihood of an error of mean square `square` at its own best noise: what training watches. */
double una_held_score(double square);
/* The noise variance that explains `rows` held-out errors of that mean square, one standard error of its logarithm up. */
double una_held_noise(double square, size_t rows);
/* Copies what training recorded into keep. */
una_status una_held_curve(una_fit_result *result, size_t looks, const double *step, const double *loss, const double *look,
                          una_arena *keep);

#endif
