/* SPDX-License-Identifier: MIT
 *
 * Mixtures of Gaussians in one variable, every part with the same weight: what ensembles and samplers predict.
 *   F(t) = (1/M) sum_m Phi((t - mean_m) / std_m)
 */
#ifndef UNA_MIXTURE_H
#define UNA_MIXTURE_H

#include "base/base.h"

/* mean, var [parts], parts >= 1, every var positive. */
double una_mixture_cdf(double t, const double *mean, const double *var, size_t parts);
double una_mixture_log_pdf(double t, const double *mean, const double *var, size_t parts);
double una_mixture_log_pdf_even(double t, const double *mean, double var, size_t parts);   /* one var for all parts */
/* t with F(t) = p, 0 < p < 1, to 1e-12 of |t| plus the narrowest part's std. */
double una_mixture_quantile(double p, const double *mean, const double *var, size_t parts);

#endif
