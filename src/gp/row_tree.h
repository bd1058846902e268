/* SPDX-License-Identifier: MIT
 *
 * The nearest of many rows, exactly: a k-d tree. Its leaves hold UNA_TILE rows each, coordinate by coordinate, so that
 * one call of the kernel set compares a question with all rows of a leaf.
 * Source: Friedman, Bentley and Finkel, An algorithm for finding best matches in logarithmic expected time, 1977.
 */
#pragma once

#include "gp/kernel.h"
#include "kern/kern.h"
#include "la/la.h"

/* Where rows are near each other: coordinate d is input[d] over length[d]. */
typedef struct una_metric {
    size_t        count;
    const size_t *input;                 /* NULL: d itself                                                    */
    const double *length;                /* NULL: 1                                                           */
} una_metric;

/* The lengths of the one leaf of a kernel that has lengths, where covariances depend on nothing else but the place;
 * the inputs as they are, for any other kernel. */
una_metric una_kernel_metric(const una_kernel *kernel, size_t inputs);
double     una_metric_at(const una_metric *metric, const double *x, size_t d);

typedef struct una_row_tree {
    size_t    rows, count, leaves;
    size_t    stride;                    /* leaves UNA_TILE                                                   */
    double   *at;                        /* [count, stride] coordinates of the rows, in the order of the tree */
    double   *low, *high;                /* [2 leaves - 1, count] the box of each node; a left child follows its
                                            parent                                                            */
    uint32_t *row;                       /* [stride] which row stands at each place                           */
} una_row_tree;

typedef struct una_neighbour { double square; size_t row; } una_neighbour;   /* squared distance                  */

size_t     una_row_tree_bytes(size_t rows, size_t count);
/* In memory of so many bytes, aligned to 64. */
una_status una_row_tree_build(una_row_tree *tree, void *memory, const una_metric *metric, una_view x, una_run *run);

/* The `most` nearest so far, a heap whose first is the farthest; among equals the later row is the farther. */
typedef struct una_neighbours { una_neighbour *at; size_t count, most; } una_neighbours;
void una_neighbours_add(una_neighbours *heap, double square, size_t row);
/* Adds the rows of the tree that are nearest to a question with these coordinates [count]. */
void una_row_tree_nearest(const una_row_tree *tree, const double *question, una_neighbours *heap,
                      const una_kernels_f64 *kernels);
void una_neighbours_by_row(const una_neighbours *heap);

/* `most` of the rows, ascending, spread over the inputs as they are: the middle row of each cell of a k-d tree with so
 * many leaves. From scratch. */
una_status una_spread_rows(uint32_t **rows, size_t most, const una_metric *metric, una_view x, una_run *run);
