/* SPDX-License-Identifier: MIT
 *
 * Targets that were learnt by their logarithm, in their own units. Kinds know nothing of it: they see log y,
 * standardised, and this stands between them and the user. With log y = f(x) + noise of variance n, and
 * f ~ N(mu_m, v_m) in part m of weight w_m,
 *   mean           E y          = sum_m w_m a_m,          a_m = exp(mu_m + (v_m + n) / 2)
 *   std_epistemic  Var E[y | f] = sum_m w_m (a_m^2 (exp(v_m) - 1) + (a_m - E y)^2)
 *   std_noise      E Var[y | f] = sum_m w_m a_m^2 exp(v_m) (exp(n) - 1)
 * the last two squared, which add up to Var y. Quantiles are the exponentials of those of log y.
 */
#ifndef UNA_MODEL_LOGGED_H
#define UNA_MODEL_LOGGED_H

#include "model/kind.h"

typedef struct una_logged { double mean, std_epistemic, std_noise; } una_logged;

/* Row r of a block whose first row is `from`, for the sentence. UNA_E_NUMERIC where it is beyond all numbers. */
una_status una_logged_row(una_logged *y, const una_columns *columns, const una_predictive *p, size_t r, size_t from,
                          una_run *run);
/* una_target_value, checked: what is too large is UNA_E_NUMERIC, and no answer is below the smallest number above 0. */
una_status una_logged_value(double *y, const una_columns *columns, double standard, size_t row, una_run *run);
/* Functions f [count, rows] at encoded rows x, standardised, in the user's units, in place: of a logarithm E[y | f]. Of
 * other targets they are only scaled. */
una_status una_functions_in_units(const una_model *model, const double *x, size_t rows, size_t count, double *f,
                                  una_run *run);
/* Slopes of mean and std_epistemic at x [inputs], encoded, which comes back as it was, by each input as it is encoded:
 * by differences, since those of the noise are in it. */
una_status una_logged_slope(const una_model *model, double *x, double *dmean, double *dstd, una_run *run);
/* Log-likelihoods of a fit are those of log y: those of y, by the rows by which it was judged. */
una_status una_logged_log_lik(una_model *model, const una_problem *problem, una_run *run);

#endif
