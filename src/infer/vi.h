/* SPDX-License-Identifier: MIT
 *
 * Mean-field variational inference: q(theta) = prod_i N(mu_i, s_i^2), s = softplus(rho), prior theta ~ N(0, a I).
 *   loss = -ELBO = KL(q | prior) - E_q log p(y | theta),
 *   KL = sum_i (s_i^2 + mu_i^2)/(2 a) - 1/2 - log s_i + log(a)/2.
 * The expectation is over theta = mu + s eps, so its gradient is that of log p with respect to theta: g for mu, and
 * g eps s'(rho) for rho (Kingma and Welling, Auto-encoding variational Bayes, 2014).
 * What theta is the parameter of is no concern of this file.
 */
#pragma once

#include "base/base.h"

double una_softplus(double x);                   /* log(1 + e^x)                                        */
double una_softplus_inverse(double s);           /* s > 0                                               */

typedef struct una_vi {
    size_t count;
    double prior_var;                            /* a                                                   */
    const double *mu, *rho;                      /* [count]                                             */
    double *dmu, *drho;                          /* gradient, overwritten; NULL: both                   */
} una_vi;

typedef struct una_vi_terms { double log_lik, kl, loss; } una_vi_terms;

typedef struct una_vi_target {
    /* log p(y | theta) and its gradient [count]. */
    una_status (*likelihood)(void *context, const double *theta, double *log_lik, double *gradient, una_run *run);
    void *context;
} una_vi_target;

double una_vi_kl(const una_vi *q);
/* Loss and gradient for eps [samples, count]; work holds 3 count numbers. */
una_status una_vi_loss(const una_vi *q, const double *eps, size_t samples, const una_vi_target *target,
                       una_vi_terms *terms, double *work, una_run *run);
