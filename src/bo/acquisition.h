/* SPDX-License-Identifier: MIT
 *
 * Where to look next, when the least value is wanted: expected improvement on the best value so far,
 *   EI = E max(best - f, 0) = s h(z),  h(z) = z Phi(z) + phi(z),  z = (best - mean)/s,  f ~ N(mean, s^2),
 * and its logarithm, which still tells points apart where EI itself is too small for a double.
 * Source: Jones, Schonlau and Welch 1998; the logarithm as in Ament et al. 2023.
 */
#ifndef UNA_ACQUISITION_H
#define UNA_ACQUISITION_H

/* std is that of the function (epistemic), at least 0. Not negative. */
double una_expected_improvement(double mean, double std, double best);
/* log EI; -infinity only where EI is exactly zero (std 0 and nothing gained). */
double una_log_expected_improvement(double mean, double std, double best);
/* log h(z) to full relative precision of h for every finite z. */
double una_log_improvement(double z);

#endif
