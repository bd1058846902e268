/* SPDX-License-Identifier: MIT
 *
 * Synthetic rows whose true function is known, and the scores of a model on them: is the truth inside the band of its
 * ignorance?
 */
#pragma once

#include "score/score.h"

typedef struct una_truth {
    size_t  rows, inputs;
    double *x;                           /* [rows, inputs]                                                  */
    double *f, *noise;                   /* [rows] the function, and the std of its noise                   */
    double *y;                           /* [rows] with noise                                               */
    double *scale;                       /* [rows] of the noise: its std without its heavy tail; NULL: noise */
    bool   *odd;                         /* [rows] y is an outlier; NULL: none is                           */
    const char *const *names;            /* [inputs + 1] of the columns, y last; NULL: x1 ... xD, or x where there is
                                            one, and y                                                      */
    const char *group;                   /* column whose equal cells stay together in a fit (--group); NULL: none */
} una_truth;

typedef struct una_truth_scores {
    double inside;                       /* share of the rows whose f is within mean +- 1.96 std_epistemic  */
    double z2;                           /* mean of ((mean - f) / std_epistemic)^2; NAN where a std is 0    */
    double error;                        /* root mean square of mean - f                                    */
    double std_epistemic;                /* mean                                                            */
    double coverage_95, log_lik, rmse;   /* of y, as una_model_score has them                               */
    double noise_ratio;                  /* predicted noise std over the true one, both root mean square    */
    double noise_error;                  /* mean of |predicted / true noise std - 1|                        */
    double noise_range;                  /* largest over smallest predicted noise std                       */
    double scale_ratio;                  /* predicted scale of the noise over the true one, root mean squares */
    double clean_coverage;               /* share of the rows that are no outliers in their 95 % band; NAN: there are no
                                            outliers                                                        */
    double loud_coverage;                /* of the third of the rows with the largest noise; NAN: all are alike */
} una_truth_scores;

/* Mean and standard deviation around it (over n) of some numbers. */
void       una_moments(double *mean, double *std, const double *value, size_t count);

una_status una_truth_new(una_truth *truth, size_t rows, size_t inputs, una_arena *arena);
/* y from f and noise. */
void       una_truth_add_noise(una_truth *truth, una_rng *rng);
/* As a table. */
una_status una_truth_table(una_dataset **data, const una_truth *truth, una_run *run);    /* held (experiment.h) */
/* A model of y, held too. */
una_status una_truth_fit(una_model **model, const char *spec, const una_truth *truth, una_run *run);
una_status una_truth_score(una_truth_scores *scores, const una_model *model, const una_truth *truth, una_run *run);
