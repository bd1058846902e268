/* SPDX-License-Identifier: MIT
 *
 * Targets that were learnt by their logarithm, in their own units. Kinds see only log y, standardised; this file
 * converts their answers for the user. With log y = f(x) + noise of variance n, and f ~ N(mu_m, v_m) in part m of
 * weight w_m,
 *   mean           E y          = sum_m w_m a_m,          a_m = exp(mu_m + (v_m + n) / 2)
 *   std_epistemic  Var E[y | f] = sum_m w_m (a_m^2 (exp(v_m) - 1) + (a_m - E y)^2)
 *   std_noise      E Var[y | f] = sum_m w_m a_m^2 exp(v_m) (exp(n) - 1)
 * the last two squared; they add up to Var y. Quantiles are the exponentials of those of log y.
 */
#pragma once

#include "model/kind.h"

typedef struct una_row_answer { double mean, std_epistemic, std_noise, std; } una_row_answer;

/* Row r of a block in the user's units, whether the logarithm was learnt or the target itself. `from`: the first row of
 * the block, for messages. UNA_E_NUMERIC where y is too large for a double, though its logarithm is not. */
una_status una_answer_row(una_row_answer *y, const una_columns *columns, const una_predictive *p, size_t r, size_t from,
                          una_run *run);
/* una_target_value, checked: UNA_E_NUMERIC if it is too large; no answer is below the smallest number above 0. */
una_status una_log_target_value(double *y, const una_columns *columns, double standard, size_t row, una_run *run);
/* Converts functions f [count, rows] at encoded rows x, standardised, to the user's units in place: of a logarithm E[y
 * | f]. Those of other targets are only scaled. */
una_status una_functions_in_units(const una_model *model, const double *x, size_t rows, size_t count, double *f,
                                  una_run *run);
/* Slopes of mean and std_epistemic with respect to each encoded input at x [inputs], which is unchanged on return: by
 * differences, since they contain those of the noise. */
una_status una_log_target_slope(const una_model *model, double *x, double *dmean, double *dstd, una_run *run);
/* A fit's log-likelihoods are those of log y: converts them to those of y, by the validation rows. */
una_status una_log_target_log_lik(una_model *model, const una_problem *problem, una_run *run);
