/* SPDX-License-Identifier: MIT
 *
 * Mixtures of Gaussians in one variable: what ensembles and samplers predict.
 *   F(t) = sum_m w_m Phi((t - mean_m) / std_m) / sum_m w_m
 * Only the ratios of the weights count; those that are all 1 give the bits of no weights.
 */
#pragma once

#include "base/base.h"

/* Of part m; 1 where there are no weights. */
static inline double una_part_weight(const double *weight, size_t m)
{
    return weight ? weight[m] : 1;
}

/* mean, var, weight [parts], parts >= 1, every var and weight positive; weight NULL: all the same. */
double una_mixture_cdf(double t, const double *mean, const double *var, const double *weight, size_t parts);
double una_mixture_log_pdf(double t, const double *mean, const double *var, const double *weight, size_t parts);
double una_mixture_log_pdf_even(double t, const double *mean, double var, size_t parts);   /* no weights, one var */
/* t with F(t) = p, 0 < p < 1, to 1e-12 of |t| plus the narrowest part's std. */
double una_mixture_quantile(double p, const double *mean, const double *var, const double *weight, size_t parts);
/* Their sum; the number of parts where weight is NULL. */
double una_mixture_weights(const double *weight, size_t parts);
