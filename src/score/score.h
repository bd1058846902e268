/* SPDX-License-Identifier: MIT
 *
 * Scores on predictions only: no model marks its own homework. Sums add up over chunks.
 */
#ifndef UNA_SCORE_H
#define UNA_SCORE_H

#include "base/base.h"

#define UNA_CALIBRATION_LEVELS 99

typedef struct una_score_sums {
    size_t rows;
    double square, log_lik, crps, std_epistemic, std_noise;
    size_t inside_50, inside_90, inside_95;
    size_t below[UNA_CALIBRATION_LEVELS];       /* rows with Phi(z) <= p, p = 0.01 .. 0.99 */
} una_score_sums;

/* std^2 = std_epistemic^2 + std_noise^2. A non-finite or non-positive std is UNA_E_NUMERIC and names the row. */
una_status una_score_add(una_score_sums *sums, const double *y, const double *mean, const double *std_epistemic,
                         const double *std_noise, size_t rows, una_run *run);
una_status una_score_finish(una_score *score, const una_score_sums *sums, una_run *run);

#endif
