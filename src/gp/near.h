/* SPDX-License-Identifier: MIT
 *
 * A Gaussian process for any number of rows: the answer at x is that of the exact process of the m rows nearest to x,
 * in inputs over the kernel's lengths (nearest-neighbour conditioning). Memory grows with the rows, and an answer costs
 * m^3.
 *   N = the m nearest of the rows, ties by row number,  A = K_N + diag(s2/c) = L L',  w = A^-1 k_N
 *   mean w'y_N,  var k** - |L^-1 k_N|^2
 * Draws are joint. Up to UNA_MOST_GROUP questions of up to UNA_MOST_GROUP_ROWS rows are one group, of which all rows
 * tell something (near_group.c). Beyond, with the m nearest E of the questions before it, each question i is
 *   f_i = mean_i + w_i'(f - mean)_E + sqrt(var_i) z_i,
 * w_i and var_i from the rows N and the values E together, of which the latter have no noise. So means are those of the
 * predictions, whatever is asked together.
 * Source: Vecchia, Estimation and model identification for continuous spatial processes, 1988; Datta, Banerjee, Finley
 * and Gelfand, Hierarchical nearest-neighbor Gaussian process models for large geostatistical datasets, 2016.
 */
#pragma once

#include "gp/deferred.h"
#include "gp/gp.h"
#include "gp/pairs.h"
#include "gp/row_tree.h"

enum { UNA_MOST_NEIGHBOURS = 512, UNA_MOST_GROUP = 512, UNA_MOST_GROUP_ROWS = 10000 };

struct una_gp_near {
    una_deferred made;                   /* the memory of the tree                                            */
    una_row_tree     tree;
};

/* The tree of gp's rows, which whoever asks first makes. */
una_status una_near_defer(una_gp *gp, una_arena *keep);
una_status una_near_tree(const una_row_tree **tree, const una_gp *gp, una_run *run);

/* As the calls of gp.h without `near`, which hand on to these. */
una_status una_near_predict(const una_gp *gp, una_view x, double *mean, double *var, una_run *run);
una_status una_near_slope(const una_gp *gp, const double *x, double *mean, double *var, double *dmean, double *dvar,
                          una_run *run);
una_status una_near_draw(const una_gp *gp, una_view x, size_t draws, una_rng *rng, double *f, una_run *run);
/* The normals f [draws, rows] become the draws of a group of questions. */
una_status una_near_draw_group(const una_gp *gp, const una_row_tree *tree, una_view x, size_t draws, double *f,
                               una_run *run);

/* ---- the exact process of a few rows, one question at a time ----------------------------------------------------- */

typedef struct una_near_local {
    const una_gp    *gp;
    const una_row_tree  *tree;
    const una_kernels_f64 *kernels;
    una_pairs        pairs;
    una_neighbours heap;               /* whatever stands there is found                                    */
    size_t  rows, stride;
    double *question;                    /* coordinates of it                                                 */
    double *x, *y, *noise;               /* [room, inputs] [room] [room]                                      */
    una_side side, star;                 /* the rows and the question, as the kernel sees them                */
    double *l, *work;                    /* [room, stride], of the factor                                     */
    double *weight;                      /* [room] w                                                          */
    double  var;
} una_near_local;

/* With room for `room` rows, of which the nearest are found as many as gp says. */
una_status una_near_local_new(una_near_local *local, const una_gp *gp, const una_row_tree *tree, size_t room,
                              una_run *run);
/* Finds the rows nearest to x: into the heap, ordered by row; and adds those that stand there. */
void       una_near_local_find(una_near_local *local, const double *x);
void       una_near_local_add_found(una_near_local *local);
void       una_near_local_add(una_near_local *local, const double *x, double y, double noise);
/* Weights and variance at x from the rows that were added, which are then forgotten. */
una_status una_near_local_solve(una_near_local *local, const double *x, una_run *run);
