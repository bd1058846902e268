/* SPDX-License-Identifier: MIT
 *
 * What several rounds of trainings said of rows that they had not seen, and what follows from it: weights and noise.
 */
#ifndef UNA_SAID_H
#define UNA_SAID_H

#include "fit/members.h"

typedef struct una_said {
    size_t  rows, rounds;
    double *mean, *var;                  /* [rounds, rows] without noise; NAN where nothing was said        */
    const double *y;                     /* [rows]                                                          */
    double *shape;                       /* [rows] of the noise; NULL: 1                                    */
    double *weight;                      /* [rounds] add up to 1                                            */
    size_t *sort;                        /* [rounds] rounds of one sort differ by chance alone and weigh the same */
    size_t  sorts;
    bool    samples;                     /* the rounds stand for more trainings than speak of a row         */
    bool    apart;                       /* the shape is to be learnt without each part of the rows, too    */
} una_said;

/* Nothing said yet, all weights equal, every round a sort of its own. */
una_status una_said_init(una_said *said, size_t rounds, size_t rows, const double *y, una_arena *arena);
size_t     una_said_rows(const una_said *said);          /* of which something was said                     */

/* Mean and variance of the mixture at a row, without noise; false: nothing was said. */
bool   una_said_middle(const una_said *said, size_t row, double *mean, double *var);
/* log density of y under the mixture; NAN: nothing was said. */
double una_said_log_lik(const una_said *said, size_t row, double noise_var);
/* Log-likelihood per row at a given noise, as una_said_noise counts it; z2 (may be NULL): expected squared error over
 * variance, 1 where the variance is right. */
double una_said_fit(una_said *said, double noise_var, double *z2);
/* The noise variance that suits the mixture best; where the rounds are all there will be (samples is false), one
 * standard error of its logarithm up: few rows say little of it. */
double una_said_noise(una_said *said);
/* The weights that make y most likely (stacking), for that noise. */
una_status una_said_weigh(una_said *said, double noise_var, una_run *run);
/* The same weights for several targets, said [targets] of the same rows: those that make all of them most likely. */
una_status una_said_weigh_together(una_said *said, size_t targets, const double *noise_var, una_run *run);

/* The shape of the noise over the inputs of the rows, into said->shape too; NULL where left-out rows do not show any,
 * unless there must be one. The rows are those of the folds, or the ones held out. */
una_status una_said_shape(una_noise **noise, una_said *said, const una_problem *problem, bool must, una_arena *keep,
                          una_run *run);
/* said->shape anew: at each row the shape that its own part did not teach. */
una_status una_said_shape_apart(una_said *said, const una_noise *noise, const una_problem *problem, una_run *run);
/* The result's numbers of rows that were not seen. */
void una_said_score(const una_said *said, double noise_var, una_fit_result *result);
/* What was said of each row, for who asks the result for it. */
void una_said_tell(const una_said *said, double noise_var, size_t folds, una_fit_result *result);

/* Weights [count] that make sum over rows of log sum_k w_k exp(log_lik_k) largest, log_lik [count, rows]: expectation
 * maximisation from equal weights; `doubt` further rows speak for equal ones. */
void una_stack(double *weight, const double *log_lik, size_t count, size_t rows, double doubt);

#endif
