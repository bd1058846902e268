/* SPDX-License-Identifier: MIT
 *
 * Scores on predictions only: no model marks its own homework. Sums add up over chunks.
 */
#ifndef UNA_SCORE_H
#define UNA_SCORE_H

#include "base/base.h"

#define UNA_CALIBRATION_LEVELS 99

typedef struct una_score_sums {
    size_t rows, begun;                         /* begun: those before the arrays at hand, which sentences count */
    double square, log_lik, crps, std_epistemic, std_noise;
    size_t inside_50, inside_90, inside_95;
    size_t below[UNA_CALIBRATION_LEVELS];       /* rows with F(y) <= p, p = 0.01 .. 0.99 */
} una_score_sums;

/* std^2 = std_epistemic^2 + std_noise^2. A non-finite or non-positive std is UNA_E_NUMERIC and names the row. */
una_status una_score_add(una_score_sums *sums, const double *y, const double *mean, const double *std_epistemic,
                         const double *std_noise, size_t rows, una_run *run);
/* Predictions that are mixtures of Gaussians: part_mean, part_var [rows, parts], noise included; part_weight [parts],
 * the same for all rows, of which only the ratios count; NULL: equal. The standard deviations are only averaged. A
 * refused call leaves the sums as they were. */
una_status una_score_add_mixture(una_score_sums *sums, const double *y, const double *part_mean, const double *part_var,
                                 const double *part_weight, size_t parts, const double *std_epistemic,
                                 const double *std_noise, size_t rows, una_run *run);
/* The same for mixtures of lognormals: part_mean, part_var are those of log y, all else is that of y itself. */
una_status una_score_add_lognormals(una_score_sums *sums, const double *y, const double *part_mean,
                                    const double *part_var, const double *part_weight, size_t parts,
                                    const double *std_epistemic, const double *std_noise, size_t rows, una_run *run);
una_status una_crps_lognormals(double *crps, double y, const double *mean, const double *var, const double *weight,
                               size_t parts, una_run *run);
/* One row's CRPS; mean, var, weight [parts]. */
una_status una_crps_mixture(double *crps, double y, const double *mean, const double *var, const double *weight,
                            size_t parts, una_run *run);
una_status una_score_finish(una_score *score, const una_score_sums *sums, una_run *run);

/* How often one of `inside` is larger than one of `outside`; a draw counts half. Of epistemic stds: how well they tell
 * rows where there was no data from others. */
double una_auroc(const double *inside, size_t inside_count, const double *outside, size_t outside_count);

#endif
