/* SPDX-License-Identifier: MIT
 *
 * What the Gaussian process model shares with the Gaussian process head of sngp and the priors of tuna.
 */
#ifndef UNA_MODELS_GP_H
#define UNA_MODELS_GP_H

#include "gp/gp.h"
#include "model/kind.h"

/* Names and units of the columns, as kernels and formulas want them; from scratch. */
una_status una_gp_inputs(una_kernel_inputs *inputs, bool own_units, const una_columns *columns, una_run *run);
/* Mean log-likelihood and rmse of rows x [rows, inputs] under a solved process. */
una_status una_gp_judge(const una_gp *gp, const double *x, const double *y, size_t rows, double *log_lik, double *rmse,
                        una_run *run);
/* Saves, or loads, checks and solves again. The columns of x are ar->inputs. */
una_status una_gp_exchange(una_gp *gp, una_archive *ar);
/* f [draws, rows] from posterior or prior, by the run's seed. */
una_status una_gp_functions(const una_gp *gp, una_view x, size_t draws, bool prior, double *f, una_run *run);

#endif
