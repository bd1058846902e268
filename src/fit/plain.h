/* SPDX-License-Identifier: MIT
 *
 * Trainings of a network that is judged by its own errors, for cross-fitting: the plain network `nn`, and those that
 * show how large the noise is.
 */
#ifndef UNA_PLAIN_H
#define UNA_PLAIN_H

#include "fit/crossfit.h"

typedef struct una_plain_trial {
    una_trial base;
    double    square;                    /* sum of squared errors of `judged` rows: those held out, if any  */
    size_t    judged;
} una_plain_trial;

/* For una_crossfit; they need no context. */
una_status una_plain_finish(void *context, void *trial, una_run *run);
una_status una_plain_judge(void *context, const void *const *trial, size_t count, const una_question *question,
                           una_answer *answer, una_run *run);
double     una_plain_log_lik(double square, size_t rows, double noise_var);      /* sum log N(e; 0, s2)     */

#endif
