/* SPDX-License-Identifier: MIT
 *
 * Covariances of many pairs of rows at once, with exact derivatives: by the logarithms of the kernel's parameters and
 * by the inputs. Coordinates are scaled once per leaf (x/length, pi x/period, slope (x - centre)) and stored column by
 * column, so that a row meets up to UNA_TILE others in loops without gaps.
 */
#pragma once

#include "gp/program.h"
#include "kern/kern.h"
#include "la/la.h"

typedef struct una_side {                /* rows as the leaves see them                                      */
    double *at;                          /* [kernel->input_count, stride]                                    */
    size_t  rows, stride;                /* stride: a multiple of UNA_TILE; what is beyond the rows is zero  */
} una_side;

typedef struct una_pairs {
    const una_kernel      *kernel;
    const una_kernels_f64 *kernels;
    const bool            *common;       /* [op_count] lengths move together; NULL: none do                  */
    double                *value;        /* [op_count, UNA_TILE] the tape: of every operation                */
    double                *slope;        /* [op_count, UNA_TILE] c of each leaf, dk/dlog length_d = c u_d^2  */
    double                *back;         /* [op_count, UNA_TILE] derivative of the sum by each value         */
} una_pairs;

/* Room for so many rows, without any; and the rows of x, in place of those that are there. */
una_status una_side_room(una_side *side, const una_kernel *kernel, size_t rows, una_arena *arena);
void       una_side_fill(una_side *side, const una_kernel *kernel, una_view x);
una_status una_side_make(una_side *side, const una_kernel *kernel, una_view x, una_arena *arena);
una_status una_pairs_init(una_pairs *pairs, const una_kernel *kernel, una_arena *arena, const una_run *run);

/* Row i of a with rows j of b in [first, first + width), width a multiple of UNA_PAD and at most UNA_TILE. */
typedef struct una_pair_tile {
    const una_side *a;
    size_t          i;
    const una_side *b;
    size_t          first, width;
} una_pair_tile;

/* out [width] = k(a_i, b_j); NULL: into the tape, with slopes. */
void una_pairs_values(una_pairs *pairs, una_pair_tile tile, double *out);
/* sum [parameter_count, UNA_PAD] += d/dlog parameter of sum_j weight_j k(a_i, b_j). */
void una_pairs_gradient(una_pairs *pairs, una_pair_tile tile, const double *weight, double *sum);
/* slope [inputs] += d/da_i of sum_j weight_j k(a_i, b_j), by the columns of x. */
void una_pairs_slope(una_pairs *pairs, una_pair_tile tile, const double *weight, double *slope);
