/* SPDX-License-Identifier: MIT
 *
 * Trainings of a feature network under a linear head, for cross-fitting: one per restart or fold, each judged by the
 * likelihood of rows it did not see, given the posterior of those it did.
 */
#ifndef UNA_TRIALS_H
#define UNA_TRIALS_H

#include "fit/basis.h"
#include "fit/crossfit.h"

typedef struct una_basis_trial {
    una_trial base;
    float    *parameters;
    double   *held_phi, *held_y;         /* features of its held-out rows                                   */
    una_stats stats;                     /* posterior statistics of its training rows                       */
} una_basis_trial;

typedef struct una_basis_lesson {        /* context of both calls                                           */
    const una_net *net;
    const una_basis_options *options;
    const una_basis_plan *plan;
    const size_t *group;
    double train_noise_var, prior_var;   /* inside the objective; prior_var: of marginal likelihood         */
} una_basis_lesson;

una_status una_basis_trials(void *lesson, const una_round *round, void *trials, una_run *run);
una_status una_basis_judge(void *lesson, const void *const *trial, size_t count, const una_question *question,
                           una_answer *answer, una_run *run);

#endif
