/* SPDX-License-Identifier: MIT
 *
 * Cross-fitting, written once for every kind that trains: whatever is chosen is chosen by rows that did not train.
 *   folds      (small data) every fold in turn is left out, and judged by what was trained without it; then all rows
 *              train, on the same way, and end where the folds were best: at the median of their steps;
 *   held out   (otherwise) rows kept aside judge the trainings, of which the best is kept, or all as one mixture.
 * Noise maximises the likelihood of those rows, one standard error up; the prior variance is the largest that costs
 * them little. A kind says how to train, what its trainings say of rows they did not see, and what is kept of them.
 */
#ifndef UNA_CROSSFIT_H
#define UNA_CROSSFIT_H

#include "fit/lesson.h"

typedef struct una_round {               /* trainings that run together                                     */
    const una_problem *problem;
    size_t   count, folds;               /* folds > 0: training i leaves out fold i % folds                 */
    bool     all_rows;                   /* held-out rows train as well: they have judged already           */
    size_t   steps;                      /* after which it ends; 0: as the options say                      */
    uint64_t stream;                     /* random numbers of the first training; those of the others follow */
} una_round;

size_t una_round_fold(const una_round *round, size_t index);     /* left out by that training; SIZE_MAX: none */

typedef struct una_question {            /* what would they say, if this were so?                           */
    double noise_var, prior_var;
    size_t target;                       /* of several: which                                               */
    bool   evidence;                     /* of the held-out rows alone, instead of their likelihood given the others */
} una_question;

typedef struct una_answer {              /* sums over held-out rows                                         */
    double loss, square;                 /* minus log-likelihood (or evidence); squared errors of the mean  */
    size_t rows;
} una_answer;

typedef struct una_target_verdict {      /* on one of several targets: chosen as the fit's own would be     */
    double noise_var, prior_var;
    una_fit_result *result;              /* gets the scores                                                 */
} una_target_verdict;

enum { UNA_MIXTURE_GRID = 24 };          /* for una_crossfit.grid: a mixture's likelihood may have several hills */

typedef struct una_crossfit {
    void  *context;                      /* of the calls                                                    */
    size_t trial_size;                   /* of a struct that begins with una_trial                          */
    const una_lesson *lesson;            /* of all trainings, but for rows, steps, seed and stream          */
    /* What judging needs of a training, into its arena. NULL: nothing. */
    una_status (*finish)(void *context, void *trial, una_run *run);
    /* Instead of lesson and finish: trains round->count trials, zeroed, with una_jobs_run. */
    una_status (*train)(void *context, const una_round *round, void *trials, una_run *run);
    /* Adds what `count` trials, all judged by the same rows, say of them: one, or the parts of a mixture. */
    una_status (*judge)(void *context, const void *const *trial, size_t count, const una_question *question,
                        una_answer *answer, una_run *run);
    /* After all was chosen, for trials judged by the same rows: how the errors of several targets go together. NULL:
     * nobody asks. */
    una_status (*compare)(void *context, const void *const *trial, const una_target_verdict *verdict, una_run *run);
    una_status (*keep)(void *context, const void *const *trial, size_t count, una_fit_result *result,
                       una_arena *keep, una_run *run);
    size_t restarts;                     /* trainings on all rows                                           */
    bool   mixture;                      /* they are kept as one mixture; else the best is                  */
    size_t scouts;                       /* trainings without each fold; 0 counts as 1                      */
    bool   folds_for_noise;              /* and for nothing else: with a given noise there are none         */
    bool   retrains;                     /* held-out rows that join must train; no posterior takes them in  */
    bool   shares_rows;                  /* with `train`: trainings without folds use una_held_split        */
    bool   unjudged;                     /* train once, choose nothing                                      */
    bool   by_evidence;                  /* choose the noise by it                                          */
    int    grid;                         /* points that look for the hill of the noise; 0: it has one       */
    double tolerance;                    /* of the logarithm of the noise; 0 counts as 1e-6                 */
    double least_noise_var;              /* that is looked at; 0 counts as 1e-8                             */
    double most_noise_var;               /* with the standard error; 0: no limit                            */
    uint64_t stream;
    double noise_var, prior_var;         /* given, or UNA_AUTO: chosen; still so at the end if nothing judged */
    size_t targets;                      /* several: `verdict` [targets] holds the noise and prior of each; 0: one,
                                            above                                                           */
    una_target_verdict *verdict;
    bool   one_prior;                    /* an automatic prior variance is chosen once for all of them      */
} una_crossfit;

/* Folds or held-out rows, then the final trainings. Fills in noise, prior, and the result's scores and steps. */
una_status una_crossfit_run(una_crossfit *fit, const una_problem *problem, una_fit_result *result, una_arena *keep,
                            una_run *run);
/* The judging alone: nothing is kept. Without folds and held-out rows nothing is trained either. */
una_status una_crossfit_judge(una_crossfit *fit, const una_problem *problem, una_fit_result *result, una_run *run);

#endif
