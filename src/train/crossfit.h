/* SPDX-License-Identifier: MIT
 *
 * Cross-fitting, written once for every kind that trains: whatever is chosen is chosen by rows that did not train. It
 * is selection by cross-validation, not the sample splitting of causal inference.
 *   folds      (below 1,000 rows; below 100,000 if several members are kept) every fold in turn is left out, and
 *              validates what was trained without it; then all rows train in the same way, for the median of the steps
 *              after which the folds were best;
 *   held out   (otherwise) held-out rows validate the trainings, of which the best is kept, or all as one mixture.
 * The noise maximises the likelihood of those rows, plus one standard error; the prior variance is the largest that
 * costs them little. A kind says how to train, how to evaluate validation rows, and what to keep.
 */
#pragma once

#include "train/training_job.h"

typedef struct una_training_plan {       /* trainings that run together                                     */
    const una_problem *problem;
    size_t   count, folds;               /* folds > 0: training i leaves out fold i % folds                 */
    bool     all_rows;                   /* held-out rows train as well: they have validated already        */
    size_t   steps;                      /* after which training ends; 0: as the options say                */
    uint64_t stream;                     /* random numbers of the first training; those of the others follow */
} una_training_plan;

/* The fold that a training leaves out; SIZE_MAX: none. */
size_t una_training_plan_fold(const una_training_plan *plan, size_t index);

typedef struct una_variances {           /* values to evaluate validation rows at                           */
    double noise_var, prior_var;
    size_t target;                       /* which, of several                                               */
    bool   evidence;                     /* of the validation rows alone, instead of their likelihood given the
                                            others */
} una_variances;

typedef struct una_valid_loss {          /* sums over validation rows                                       */
    double loss, square;                 /* minus log-likelihood (or evidence); squared errors of the mean  */
    size_t rows;
} una_valid_loss;

typedef struct una_target_choice {       /* for one target                                                  */
    double noise_var, prior_var;         /* given, or UNA_AUTO: chosen; still UNA_AUTO at the end without validation
                                            rows */
    una_fit_result *result;              /* gets the scores, and that of the first target the steps         */
} una_target_choice;

enum { UNA_MIXTURE_GRID = 24 };          /* for una_crossfit.grid: the likelihood of a mixture may have several
                                            maxima */

typedef struct una_crossfit {
    void  *context;                      /* for the calls below                                             */
    size_t job_size;                     /* of a struct that begins with una_trained_job                    */
    const una_training_job *job;         /* of all trainings, but for rows, steps, seed and stream          */
    /* Computes what evaluating a training needs, into its arena. NULL: nothing. */
    una_status (*finish)(void *context, void *training, una_run *run);
    /* Instead of job and finish: trains plan->count trainings, zeroed, with una_jobs_run. */
    una_status (*train)(void *context, const una_training_plan *plan, void *trainings, una_run *run);
    /* Adds the loss of `count` trainings with the same validation rows: one, or the parts of a mixture. */
    una_status (*evaluate)(void *context, const void *const *training, size_t count, const una_variances *variances,
                           una_valid_loss *sums, una_run *run);
    /* After all choices, for trainings with the same validation rows: the covariance of the errors of several targets.
     * NULL: not wanted. */
    una_status (*compare)(void *context, const void *const *training, const una_target_choice *chosen, una_run *run);
    una_status (*keep)(void *context, const void *const *training, size_t count, una_fit_result *result,
                       una_arena *keep, una_run *run);
    size_t restarts;                     /* final trainings on all rows                                     */
    bool   mixture;                      /* they are kept as one mixture; else the best is kept             */
    size_t trainings_per_fold;           /* trainings without each fold; 0 counts as 1                      */
    bool   folds_for_noise;              /* with a given noise no folds are trained                         */
    bool   retrains;                     /* held-out rows that join must train, because no posterior takes them in */
    bool   unvalidated;                  /* train once, choose nothing                                      */
    bool   by_evidence;                  /* choose the noise by evidence                                    */
    int    grid;                         /* points that search the noise's largest maximum; 0: there is only one */
    double tolerance;                    /* of the logarithm of the noise; 0 counts as 1e-6                 */
    double least_noise_var;              /* that is tried; 0 counts as 1e-8                                 */
    double most_noise_var;               /* after the standard error is added; 0: no limit                  */
    uint64_t stream;
    size_t targets;
    una_target_choice *chosen;           /* [targets]                                                       */
    bool   one_prior;                    /* an automatic prior variance is chosen once for all of them      */
} una_crossfit;

/* Folds or held-out rows, then the final trainings. Fills in what is chosen, and the results' scores and steps. */
una_status una_crossfit_run(const una_crossfit *fit, const una_problem *problem, una_arena *keep, una_run *run);
/* The choices alone: nothing is kept. Without folds and held-out rows nothing is trained either. */
una_status una_crossfit_choose(const una_crossfit *fit, const una_problem *problem, una_run *run);
