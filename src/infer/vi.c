/* SPDX-License-Identifier: MIT
 *
 * The negative evidence bound of vi.h and its reparameterised gradient.
 */
#include "infer/vi.h"

double una_softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

double una_softplus_inverse(double s)
{
    return s + log(-expm1(-s));                  /* log(e^s - 1), which would overflow for large s */
}

double una_vi_kl(const una_vi *q)
{
    double kl = 0, a = q->prior_var, half_log = 0.5 * log(a);
    for (size_t i = 0; i < q->count; i++) {
        double s = una_softplus(q->rho[i]), mu = q->mu[i];
        kl += (s * s + mu * mu) / (2 * a) - 0.5 - log(s) + half_log;
        if (!q->dmu) continue;
        q->dmu[i] = mu / a;
        q->drho[i] = (s / a - 1 / s) * (1 / (1 + exp(-q->rho[i])));        /* s'(rho) */
    }
    return kl;
}

una_status una_vi_loss(const una_vi *q, const double *eps, size_t samples, const una_vi_target *target,
                       una_vi_terms *terms, double *work, una_run *run)
{
    size_t count = q->count;
    double *s = work, *theta = work + count, *gradient = work + 2 * count, share = 1 / (double)samples;
    terms->kl = una_vi_kl(q);
    terms->log_lik = 0;
    for (size_t i = 0; i < count; i++) s[i] = una_softplus(q->rho[i]);

    for (size_t k = 0; k < samples; k++, eps += count) {
        double log_lik;
        for (size_t i = 0; i < count; i++) theta[i] = q->mu[i] + s[i] * eps[i];
        UNA_TRY(target->likelihood(target->context, theta, &log_lik, gradient, run));
        terms->log_lik += share * log_lik;
        for (size_t i = 0; i < count; i++) {
            q->dmu[i] -= share * gradient[i];
            q->drho[i] -= share * gradient[i] * eps[i] * -expm1(-s[i]);  /* s'(rho) = 1 - e^-s */
        }
    }

    terms->loss = terms->kl - terms->log_lik;
    return UNA_OK;
}
