/* SPDX-License-Identifier: MIT
 *
 * How far two laws of functions are apart, both seen at the same points.
 */
#ifndef UNA_DISTANCE_H
#define UNA_DISTANCE_H

#include "base/base.h"

/* Energy distance of two samples of vectors, a [na, size] and b [nb, size], two or more each:
 * 2 E|X - Y| - E|X - X'| - E|Y - Y'|, pairs of a vector with itself left out, so that without a difference it is 0 on
 * average (and may come out below 0). Lengths are per coordinate, |v| = sqrt(mean of v_i^2), so that it does not grow
 * with the number of points.
 * Source: Szekely and Rizzo, Energy statistics, 2013. */
double     una_energy_distance(const double *a, size_t na, const double *b, size_t nb, size_t size);
/* KL(N(0, p) || N(0, q)) in nats, for covariances p and q [size, size] that have Cholesky factors. */
una_status una_gaussian_kl(double *kl, const double *p, const double *q, size_t size, una_run *run);
/* cov [size, size] of a sample f [count, size] around 0. */
void       una_second_moment(double *cov, const double *f, size_t count, size_t size);

#endif
