/* SPDX-License-Identifier: MIT
 *
 * What the two files of SNGP share: sngp_fit.c trains the residual network, sngp.c predicts.
 */
#ifndef UNA_SNGP_H
#define UNA_SNGP_H

#include "models/basis.h"
#include "nn/residual.h"

enum { UNA_SNGP_EXACT, UNA_SNGP_LAPLACE };

typedef struct una_sngp_options {
    una_basis_options basis;             /* features: the random ones                                       */
    double bound, lengthscale, covariance_momentum;
    int    head;
} una_sngp_options;

typedef struct una_sngp {
    una_residual net;
    float   *frozen, *parameters;
    bool     laplace;                    /* the mean is that of the trained head                            */
    una_head head;                       /* on [phi, 1]                                                     */
} una_sngp;

una_status una_sngp_fit(void *state, void *options, const una_problem *problem, una_fit_result *result, una_arena *keep,
                        una_run *run);
/* phi [rows, features + 1] with the one, into memory of the caller's. */
una_status una_sngp_phi(const una_sngp *m, una_view x, double *phi, una_run *run);
/* Adds rows to the statistics. */
una_status una_sngp_absorb(const una_sngp *m, una_view x, const double *y, una_stats *stats, una_run *run);
/* The trained head's weights in place of the posterior's mean. */
void una_sngp_take_trained(una_sngp *m);

#endif
