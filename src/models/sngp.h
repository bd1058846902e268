/* SPDX-License-Identifier: MIT
 *
 * What the files of SNGP share: sngp_fit.c trains the residual network, sngp.c predicts, sngp_gp.c is the head that is
 * an exact Gaussian process.
 */
#ifndef UNA_SNGP_H
#define UNA_SNGP_H

#include "fit/basis.h"
#include "models/gp.h"
#include "nn/residual.h"

enum { UNA_SNGP_EXACT, UNA_SNGP_LAPLACE, UNA_SNGP_GP };

typedef struct una_sngp_options {
    una_basis_options basis;             /* features: the random ones                                       */
    double bound, lengthscale, covariance_momentum;
    int    head;
} una_sngp_options;

typedef struct una_sngp {
    una_residual net;
    float   *frozen, *parameters;
    int      posterior;                  /* UNA_SNGP_EXACT, ...; LAPLACE: the mean is that of the trained head */
    una_head head;                       /* EXACT, LAPLACE: on [phi, 1]                                     */
    una_gp   gp;                         /* GP: on the last layer h                                         */
} una_sngp;

una_status una_sngp_fit(void *state, void *options, const una_problem *problem, una_fit_result *result, una_arena *keep,
                        una_run *run);
/* What the head is made of: [phi, 1], or h for the Gaussian process. m->posterior says which. */
una_feature_map una_sngp_map(const una_sngp *m);
/* The trained head's weights in place of the posterior's mean. */
void una_sngp_take_trained(una_sngp *m);

/* ---- the Gaussian process on h (sngp_gp.c) ---- */
/* Refuses what will not fit, before it is taken: `matrices` of rows^2 doubles. */
una_status una_sngp_gp_memory(size_t rows, double matrices, una_run *run);
/* Rows h [rows, width] and y under prior_var rbf(lengthscale), factored with the jitter it needs. */
una_status una_sngp_gp_solve(una_gp *gp, size_t width, double prior_var, double lengthscale, double noise_var,
                             const double *h, const double *y, size_t rows, una_arena *keep, una_run *run);
una_status una_sngp_gp_predict(const una_sngp *m, una_view x, una_predictive *out, una_run *run);
una_status una_sngp_gp_observe(una_sngp *m, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run);
una_status una_sngp_gp_draw(const una_sngp *m, una_view x, size_t draws, bool prior, double *f, una_run *run);
una_status una_sngp_gp_slope(const una_sngp *m, const double *x, double *dmean, double *dvar, una_run *run);
una_status una_sngp_gp_exchange(una_sngp *m, una_archive *ar);

#endif
