/* SPDX-License-Identifier: MIT
 *
 * For cross-fitting: trainings of a network without a posterior, evaluated by its errors: the plain network `nn`, and
 * networks that measure the noise.
 */
#pragma once

#include "train/crossfit.h"

typedef struct una_plain_training {
    una_trained_job base;
    double    square;                    /* sum of squared errors of `scored` rows: validation rows, if any */
    size_t    scored;
} una_plain_training;

/* For una_crossfit; they need no context. */
una_status una_plain_finish(void *context, void *training, una_run *run);
una_status una_plain_evaluate(void *context, const void *const *training, size_t count, const una_variances *variances,
                              una_valid_loss *sums, una_run *run);
double     una_plain_log_lik(double square, size_t rows, double noise_var);      /* sum log N(e; 0, s2)     */
