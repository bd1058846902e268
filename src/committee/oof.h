/* SPDX-License-Identifier: MIT
 *
 * Out-of-fold predictions of several repeats of trainings, and what follows from them: weights (stacking) and noise.
 */
#pragma once

#include "committee/members.h"

typedef struct una_oof {
    size_t  rows, repeats;
    double *mean, *var;                  /* [repeats, rows] without noise; NAN where there is no prediction */
    const double *y;                     /* [rows]                                                          */
    double *shape;                       /* [rows] of the noise; NULL: 1                                    */
    const una_tails *tails;              /* of the noise, whose variance is meant where a noise_var is asked for; NULL:
                                            Gaussian */
    double *weight;                      /* [repeats] stacking weights, adding up to 1                      */
    size_t *stratum;                     /* [repeats] repeats of one stratum share one weight: those with scaled
                                            inputs, and those without */
    size_t  strata;
    bool    repeats_are_sample;          /* the final mixture has more trainings than predict a row         */
    bool    shape_per_fold;              /* learn the shape without each fold of the rows, too              */
} una_oof;

/* No predictions yet, all weights equal, every repeat a stratum of its own. */
una_status una_oof_init(una_oof *oof, size_t repeats, size_t rows, const double *y, una_arena *arena);
size_t     una_oof_predicted_rows(const una_oof *oof);   /* that have predictions                           */

/* Mean and variance of the mixture at a row, without noise; false: there is no prediction. */
bool   una_oof_moments(const una_oof *oof, size_t row, double *mean, double *var);
/* Expected squared error of the final mixture's mean at a row, which may be below 0, and its variance without noise;
 * false: there is no prediction. */
bool   una_oof_square(const una_oof *oof, size_t row, double *square, double *var);
/* log density of y under the mixture; NAN: there is no prediction. */
double una_oof_log_lik(const una_oof *oof, size_t row, double noise_var);
/* Log-likelihood per row at a given noise, as in una_oof_noise; z2 (may be NULL): expected squared error over variance,
 * 1 where the variance is right. */
double una_oof_mean_log_lik(una_oof *oof, double noise_var, double *z2);
/* The noise variance that suits the mixture best. Where the repeats are the whole mixture (repeats_are_sample is
 * false), one standard error of its logarithm is added, because few rows determine it poorly. */
double una_oof_noise(una_oof *oof);
/* Stacking, for oof [targets] of the same rows, which get the same weights: those that maximise the likelihood of all
 * targets, each with its noise. */
una_status una_oof_weigh(una_oof *const *oof, size_t targets, const double *noise_var, una_run *run);

/* The shape of the noise over the inputs, into oof->shape too; NULL where left-out rows do not show any, unless there
 * must be one. The rows are those of the folds, or the held-out ones. */
una_status una_oof_noise_shape(una_noise **noise, una_oof *oof, const una_problem *problem, bool required,
                               una_arena *keep, una_run *run);
/* Sets oof->shape again: at each row, the shape learnt from the other folds. */
una_status una_oof_noise_shape_without(una_oof *oof, const una_noise *noise, const una_problem *problem, una_run *run);
/* The result's scores of out-of-fold rows. */
void una_oof_score(const una_oof *oof, double noise_var, una_fit_result *result);
/* Whether the caller asks for predictions of each row (result->oof); and the predictions. */
bool una_oof_wanted(const una_fit_result *result);
void una_oof_report(const una_oof *oof, double noise_var, size_t folds, una_fit_result *result);

/* Rows that are predicted by several kinds or repeats. */
typedef struct una_stack_rows {
    const double *log_lik;               /* [count of these, rows]                                          */
    const double *times;                 /* [rows] how often each row counts; NULL: once                    */
    size_t        rows;
} una_stack_rows;
/* Weights [count] that maximise sum over rows of times log sum_k w_k exp(log_lik_k): expectation maximisation from equal
 * weights; equal_rows: as if so many more rows favoured equal weights. */
void una_stack(double *weight, size_t count, const una_stack_rows *of, double equal_rows);
