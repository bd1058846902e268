/* SPDX-License-Identifier: MIT
 *
 * The training loop: batches, probes, perturbations, annealing, optimiser, looks at held-out rows. One loop for every
 * network that una trains; nothing is allocated in it.
 */
#ifndef UNA_TRAIN_H
#define UNA_TRAIN_H

#include "nn/net.h"

#define UNA_OPTIMISERS "adam|sgd|gd"
#define UNA_PROBES "data|between"
#define UNA_DIRECTION_KINDS "inputs|unit"
typedef enum una_optimiser { UNA_ADAM, UNA_SGD, UNA_GD } una_optimiser;
typedef enum una_probes { UNA_PROBES_DATA, UNA_PROBES_BETWEEN } una_probes;

typedef struct una_training {            /* how to train; every number explicit                             */
    size_t steps, batch;                 /* batch 0 or >= rows: all rows every step                         */
    int    optimiser, rate_schedule;
    double rate, momentum;
    double fit_weight;                   /* on sum r^2 of one head: 1/(2 sigma^2); divided by M here        */
    double penalty;                      /* gamma, per data set: scaled n/N on a batch of n                 */
    double head_relief;                  /* share of it that heads are spared                               */
    double diversity;                    /* lambda; 0: no probes                                            */
    bool   steer;                        /* diversity moves so that mean cos^2 reaches target_cos2          */
    double target_cos2;
    int    schedule;                     /* annealing of the diversity                                      */
    int    probes;
    bool   per_point, exact;
    double perturbation_std;
    size_t directions;                   /* 0: every input; else that many a step                           */
    bool   unit_directions;              /* random unit vectors instead of inputs                           */
    size_t look_every, patience;         /* steps between looks (>= 1); looks without a better one (0: never) */
    double look_from;                    /* share of the steps before which a look cannot be the best       */
    uint64_t seed, stream;               /* stream: restart, fold ... : its own random numbers              */
} una_training;

typedef struct una_inputs {              /* what inputs are: numbers are perturbed, a category is taken whole */
    size_t count;
    const size_t *group;                 /* [count] category group, SIZE_MAX for a number; NULL: all numbers */
} una_inputs;

typedef struct una_trained {             /* what came of it                                                 */
    double  mean_cos2;                   /* mean over the last looks' interval, NAN without probes          */
    double  diversity;                   /* last lambda, where it was steered                               */
    double  best_look;                   /* score of the parameters that were kept; NAN without looks       */
    size_t  best_step, steps;
    size_t  pieces;                      /* of a step, for threads to share: by the size of the problem alone */
    size_t  looks;                       /* entries of the curve                                            */
    double *step, *loss, *look, *cos2;   /* [looks], in the arena of the call                               */
} una_trained;

#define UNA_IN_BOTH "nn/train_calls.h"
#include "kern/both.h"

#endif
