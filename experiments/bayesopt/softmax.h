/* SPDX-License-Identifier: MIT
 *
 * Softmax regression by plain stochastic gradient descent, as the benchmark library HPOlib 1.5 does it on MNIST: of a
 * batch B the loss
 *   1/|B| sum_B -log p(label | m x / (1 - dropout)) + l2 sum W^2,   p = softmax(W'x + b), m a mask of the inputs,
 * W from N(0, 1/inputs), b from 0, all full batches of every epoch in a new order.
 */
#pragma once

#include "kern/kern.h"

typedef struct una_sparse_rows {         /* rows of bytes, of which only those that are not 0 are kept               */
    size_t               rows, columns;  /* at most 65536 columns                                                    */
    size_t               longest;        /* numbers of one row                                                       */
    const size_t        *first;          /* [rows + 1] where a row begins                                            */
    const uint16_t      *index;          /* column                                                                   */
    const unsigned char *value;
    const unsigned char *label;          /* [rows]                                                                   */
} una_sparse_rows;

/* From bytes [rows, columns]. */
una_status una_sparse_rows_of(una_sparse_rows *sparse, const unsigned char *bytes, const unsigned char *label,
                              size_t rows, size_t columns, una_arena *arena);

enum { UNA_SOFTMAX_CLASSES = 10, UNA_SOFTMAX_WIDTH = 16 };       /* labels are 0 ... 9; columns of W              */

typedef struct una_softmax_settings {
    double   rate, l2, dropout;          /* dropout < 1                                                              */
    size_t   batch, epochs;
    uint64_t seed;
} una_softmax_settings;

typedef struct una_softmax {
    float *w, *b;                        /* [columns, UNA_SOFTMAX_WIDTH], [UNA_SOFTMAX_WIDTH]                        */
    float *w_slope, *b_slope;            /* the same; of the mean of the losses of a batch, without l2               */
} una_softmax;

/* At its random beginning; slopes are 0. */
una_status una_softmax_new(una_softmax *model, size_t columns, uint64_t seed, una_arena *arena);
/* After training on rows 0 ... train - 1: the percentage of wrong labels among the `asked` rows behind these, as far as
 * they fill whole batches. */
una_status una_softmax_error(double *percent, const una_sparse_rows *rows, size_t train, size_t asked,
                             const una_softmax_settings *settings, una_run *run);

/* ---- loops over rows of few numbers, for one set of instructions: softmax_loops.c ---- */

typedef struct una_sparse_row { uint16_t *index; float *value; size_t count; } una_sparse_row;

typedef struct una_sparse_kernels {
    /* out [UNA_SOFTMAX_WIDTH] += sum_i value_i w[index_i], w [., UNA_SOFTMAX_WIDTH]; in a fixed order. */
    void (*combine)(const una_sparse_row *row, const float *w, float *out);
    /* g[index_i] += value_i d for d [UNA_SOFTMAX_WIDTH]; no index stands twice. */
    void (*spread)(const una_sparse_row *row, const float *d, float *g);
    /* w = shrink w - rate g, and g = 0; n is a multiple of UNA_PAD. */
    void (*step)(size_t n, float shrink, float rate, float *w, float *g);
} una_sparse_kernels;

extern const una_sparse_kernels una_sparse_kernels_generic_f32, una_sparse_kernels_avx2_f32,
    una_sparse_kernels_avx512_f32;
/* Those of the same set. */
const una_sparse_kernels *una_sparse_kernels_of(const una_kernels_f32 *set);

/* What all rows are taken with: the kernels, and room for the numbers of one that are left after dropout, in scratch. */
typedef struct una_softmax_work {
    const una_kernels_f32    *kern;
    const una_sparse_kernels *sparse;
    una_sparse_row            row;
} una_softmax_work;

una_status una_softmax_begin(una_softmax_work *work, const una_sparse_rows *rows, una_run *run);
/* Adds to the slopes those of the batch rows[order[0 ...]]; returns the mean loss. epoch: which masks. */
double     una_softmax_slopes(una_softmax *model, const una_sparse_rows *rows, const uint32_t *order,
                              const una_softmax_settings *settings, uint64_t epoch, una_softmax_work *work);
