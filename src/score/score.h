/* SPDX-License-Identifier: MIT
 *
 * Scores on predictions only: no model marks its own homework. Sums add up over chunks.
 */
#pragma once

#include "base/base.h"

#define UNA_CALIBRATION_LEVELS 99

typedef struct una_score_sums {
    size_t rows, begun;                         /* begun: those before the arrays at hand, which sentences count */
    double square, log_lik, crps, std_epistemic, std_noise;
    size_t inside_50, inside_90, inside_95;
    size_t below[UNA_CALIBRATION_LEVELS];       /* rows with F(y) <= p, p = 0.01 .. 0.99 */
} una_score_sums;

typedef struct una_mixture {               /* a mixture of Gaussians                                          */
    const double *mean, *var, *weight;   /* [count]; of weights only the ratios count; NULL: equal          */
    size_t count;
    bool   log_target;                   /* they are those of log y, and all else is that of y itself       */
} una_mixture;

typedef struct una_scored_rows {
    const double *y, *std_epistemic, *std_noise;         /* [rows]                                          */
    size_t        rows;
    const double *mean;                  /* [rows], unless predictions are mixtures                         */
    una_mixture     parts;                 /* mean, var [rows, count], noise included; weight [count]         */
} una_scored_rows;

/* Gaussians with std^2 = std_epistemic^2 + std_noise^2. A non-finite or non-positive std is UNA_E_NUMERIC and names the
 * row. */
una_status una_score_add(una_score_sums *sums, const una_scored_rows *rows, una_run *run);
/* Mixtures. The standard deviations are only averaged. A refused call leaves the sums as they were. */
una_status una_score_add_mixture(una_score_sums *sums, const una_scored_rows *rows, una_run *run);
/* One row's CRPS. */
una_status una_crps(double *crps, double y, const una_mixture *parts, una_run *run);
/* Half the expected distance of two draws from a mixture of many parts (spread.c), to some 1e-10 of itself, in work that
 * grows as the parts do. Infinite where the parts are farther apart than numbers reach. */
una_status una_half_spread(double *half, const una_mixture *parts, una_run *run);
una_status una_score_finish(una_score *score, const una_score_sums *sums, una_run *run);

/* How often one of `inside` is larger than one of `outside`; a draw counts half. Of epistemic stds: how well they tell
 * rows where there was no data from others. */
double una_auroc(const double *inside, size_t inside_count, const double *outside, size_t outside_count);
