/* SPDX-License-Identifier: MIT
 *
 * Included by dropout.h once with `real` float and once with double: no guard on purpose.
 */
/* Loss fit_weight sum (t - f)^2 + penalty sum of squared weights (biases are free), and its gradient, for given masks:
 * mask[l] [rows, padded(size[l + 1])] of hidden layer l; inputs are masked by the caller. The work as for plain
 * rows. */
void REAL(una_dropout_gradient)(const una_net *net, const real *parameters, const REAL(una_batch) *batch,
                                const REAL(una_objective) *objective, real *const *mask, real *gradient,
                                una_losses *losses, REAL(una_work) *work);
