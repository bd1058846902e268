/* SPDX-License-Identifier: MIT
 *
 * The one training loop, for everything that has parameters, a loss and a gradient. A step:
 *   gradient -> optimiser at the rate of the schedule -> after_step
 * Every validate_every steps the parameters are scored on rows that do not train, and the best ones are kept.
 * The loop knows neither networks nor data: a una_trainable gives the gradient (nn/luna_step.h for feature networks,
 * whoever else trains for its own). Nothing is allocated in it, and denormal numbers are flushed to zero while it runs.
 * Source of Adam: Kingma and Ba 2015 (beta 0.9 and 0.999, epsilon 1e-8).
 */
#pragma once

#include "kern/kern.h"

#define UNA_OPTIMISERS "adam|sgd|gd"
typedef enum una_optimiser { UNA_ADAM, UNA_SGD, UNA_GD } una_optimiser;  /* gd: sgd whose steps see all rows */

typedef struct una_descent {             /* how to go down; every number explicit                           */
    size_t steps, stop;                  /* stop: end after so many steps of a schedule made for `steps`; 0: run all */
    int    optimiser, rate_schedule;     /* una_optimiser; of opt/schedule.h                                */
    double rate, momentum;               /* momentum: of sgd and gd                                         */
    size_t validate_every;               /* steps between validations (>= 1)                                */
    size_t patience;                     /* validations without improvement before it stops; 0: never       */
    double validate_from;                /* share of the steps before which no validation can be the best   */
    const char *stage;                   /* "training luna": what progress and interruption call it         */
} una_descent;

typedef struct una_losses {              /* of one step                                                     */
    double fit, penalty, diverse;        /* (weight) sum r^2; gamma |Psi|^2; P = sum_{i<j} cos^2            */
    double mean_cos2, total;             /* total: what is minimised, and the curve shows                   */
} una_losses;

typedef struct una_trained {             /* what a descent reports                                          */
    double  mean_cos2;                   /* mean since the last validation; NAN without probes              */
    double  best_validation;             /* score of the parameters that were kept; NAN without validations */
    size_t  best_step, steps;
    size_t  validations;                 /* entries of the curve                                            */
    double *step, *loss, *validation, *cos2;     /* [validations], in the arena of the call                 */
} una_trained;

#define UNA_IN_BOTH "opt/descent_calls.h"
#include "kern/both.h"
