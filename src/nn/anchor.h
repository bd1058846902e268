/* SPDX-License-Identifier: MIT
 *
 * The penalty of an anchored network: it keeps the parameters near a draw from their prior instead of near zero.
 *   weight |theta - anchor|^2,  weight = sigma_eps^2/(sigma_prior^2 N)
 * Source: Pearce, Leibfried and Brintrup, Uncertainty in neural networks: approximately Bayesian ensembling, 2020.
 */
#pragma once

#include "nn/body.h"

/* Every weight and bias of a body's matrices that are trained ~ N(0, variance), the padding zero. */
void una_anchor_draw_f32(una_matrix_of *of, const void *shape, double variance, una_rng *rng, float *parameters);
void una_anchor_draw_f64(una_matrix_of *of, const void *shape, double variance, una_rng *rng, double *parameters);
/* Adds the penalty's gradient and returns the penalty. */
double una_anchor_add_f32(size_t count, double weight, const float *parameters, const float *anchor, float *gradient);
double una_anchor_add_f64(size_t count, double weight, const double *parameters, const double *anchor,
                          double *gradient);
