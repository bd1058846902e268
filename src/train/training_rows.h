/* SPDX-License-Identifier: MIT
 *
 * The rows of one training, in float: those that train and those that validate, folds.
 */
#pragma once

#include "model/kind.h"

typedef struct una_training_rows {
    float  *x, *target;                  /* [rows, inputs], [rows, outputs] or as a job says                */
    double *y;                           /* [rows, outputs]; NAN: a cell of several targets that is missing */
    float  *valid_x;                     /* [valid_rows, inputs]                                            */
    double *valid_y;                     /* [valid_rows, outputs]                                           */
    size_t  rows, valid_rows, inputs, outputs;
} una_training_rows;

/* fold SIZE_MAX: all of problem->x trains and problem->valid_x validates; problem->shared is this split, if it is set.
 * Otherwise that fold of problem->x validates. Nobody writes to the rows. */
una_status una_training_rows_split(una_training_rows *rows, const una_problem *problem, size_t fold,
                                   una_arena *arena);
/* All rows train, those of problem->valid_x last. */
una_status una_training_rows_all(una_training_rows *rows, const una_problem *problem, una_arena *arena);
/* Leaves at most so many rows (x and y) and validation rows, evenly spaced: copies in the arena. For validation, which
 * must stay cheap. */
una_status una_training_rows_thin(una_training_rows *rows, size_t most, size_t most_valid, una_arena *arena);

void    una_row_to_floats(float *to, una_view x, size_t row);            /* one row in float                */
double *una_copy_numbers(const double *values, size_t count, una_arena *arena);
una_curve una_copy_curve(una_curve curve, una_arena *arena);
