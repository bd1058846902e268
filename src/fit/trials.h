/* SPDX-License-Identifier: MIT
 *
 * What basis_fit.c and trials.c share: trainings of one feature network, one per restart or fold.
 */
#ifndef UNA_TRIALS_H
#define UNA_TRIALS_H

#include "fit/basis.h"

typedef struct una_trial {                     /* one training of the pool: a restart, or a fold                  */
    una_arena   arena;                   /* its results; re-homed to the caller's run at the end            */
    float      *parameters;
    una_trained trained;
    double      valid_rmse, valid_log_lik;       /* of its held-out rows at its own best noise             */
    double     *held_phi, *held_y;       /* features of its held-out rows                                   */
    size_t      held_rows;
    una_stats   stats;                   /* posterior statistics of its training rows                       */
} una_trial;

typedef struct una_trials {
    const una_basis *basis;              /* net only                                                        */
    const una_basis_options *options;
    const una_basis_plan *plan;
    const una_problem *problem;
    const size_t *group;
    double train_noise_var, prior_var;
    size_t folds;                        /* 0: every job trains on all rows of problem->x                   */
    size_t steps;                        /* 0: as the options say; else as many as the folds needed         */
    bool   plain;                        /* a plain network first: no heads to diversify                    */
    uint64_t stream;
    const char *stage;
    una_trial *job;
} una_trials;

/* Runs `count` trials (all->job is taken from scratch); results stay until una_trials_free, also after a failure. */
una_status una_trials_run(una_trials *all, size_t count, una_run *run);
void       una_trials_free(una_trials *all, size_t count);

#endif
