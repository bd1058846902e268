/* SPDX-License-Identifier: MIT
 *
 * Concept whitening of a Bayesian linear head (infer/head.h). p = [phi, 1] of a row is written in white coordinates z =
 * D p, which are then rotated towards concepts: some axes for each. The variance splits into parts, exactly:
 *   p = sum_j z_j a_j + rest,   p'V p = sum_j z_j a_j'V p + rest'V p.
 * White by the posterior: V^-1 = Phi'Phi/s2 + I/alpha is I in these coordinates (the covariance of the rows in the
 * head, with the prior as its ridge), so the weights are independent with equal variance along all axes, and a part is
 * z_j^2. White by the rows: their covariance is I; directions in which rows hardly differ are dropped and belong to the
 * rest, and parts may be negative. The average row has z = 0.
 *
 * The rotation. E_j: the positive part of the second moments of z in rows of concept j minus those in rows without it.
 * Axes R_j for each concept, all orthonormal, maximise
 *   sum_j trace R_j E_j R_j':
 * concepts carry as much as possible of the variance that their rows have and others lack. By alternation: the rotation
 * nearest to R_j E_j (orthogonal Procrustes), again and again; the sum never falls.
 *
 * Chen, Bei and Rudin, Concept whitening for interpretable image recognition, 2020, have axes that follow the means of
 * concepts; second moments, several axes and the posterior are una's own (docs/use/EXPLAIN.md).
 */
#pragma once

#include "infer/head.h"

typedef struct una_white {
    size_t  columns, axes;               /* K of p, and the number of coordinates                           */
    double *dual, *primal;               /* [axes, K]: D, and the a_j                                       */
    double *centre;                      /* [K] mean of p over the rows in the head                         */
} una_white;

/* how: UNA_WHITE_POSTERIOR or UNA_WHITE_ROWS of una.h. */
una_status una_white_of(una_white *white, const una_head *head, int how, una_arena *arena, una_run *run);

typedef struct una_axes {
    size_t  columns, concepts, each;     /* K of p; axes of each concept                                    */
    double *turn;                        /* R [concepts each, white axes], orthonormal rows                 */
    double *dual, *primal;               /* [concepts each, K] of these axes                                */
} una_axes;

/* excess [concepts, K, K]: second moments of p around the centre of white, in rows of each concept minus those of
 * others. concepts * each <= white->axes. */
una_status una_axes_of(una_axes *axes, const una_white *white, const double *excess, size_t concepts, size_t each,
                       una_arena *arena, una_run *run);
/* Adds weight times the parts of the variance at one p to part [concepts + 1], the last is the rest; mean [the same]
 * gets the parts of the head's mean, which is linear in the coordinates. A head without covariance has no variance. */
una_status una_axes_split(const una_axes *axes, const una_head *head, const double *p, double weight, double *part,
                          double *mean, una_run *run);
