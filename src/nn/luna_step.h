/* SPDX-License-Identifier: MIT
 *
 * A step of training feature networks, for the loop of opt/descent: batches, probes, perturbations, annealing, loss and
 * gradient, and the controller of the diversity. Without diversity it is the plain step of any multi-layer perceptron.
 */
#pragma once

#include "nn/net.h"
#include "opt/descent.h"

#define UNA_PROBES "data|between|beyond"
#define UNA_DIRECTION_KINDS "inputs|unit"
typedef enum una_probes { UNA_PROBES_DATA, UNA_PROBES_BETWEEN, UNA_PROBES_BEYOND } una_probes;

typedef struct una_training_settings {   /* how a network is trained; every number explicit                 */
    una_descent descent;                 /* the way down                                                    */
    size_t batch;                        /* 0 or >= rows: all rows every step, as gd always does            */
    double fit_weight;                   /* on sum r^2 of one head: 1/(2 sigma^2); divided by M here        */
    double penalty;                      /* gamma, per data set: scaled n/N on a batch of n                 */
    uint64_t seed, stream;               /* stream: restart, fold ... : its own random numbers              */
    /* LUNA's part: */
    double head_relief;                  /* share of the penalty that heads are spared                      */
    double diversity;                    /* lambda; 0: no probes                                            */
    size_t diversity_every;              /* slopes are compared in every k-th step, with k times the weight;
                                            0 or 1: in each                                                 */
    bool   steer;                        /* diversity moves so that mean cos^2 reaches target_cos2          */
    double target_cos2;
    int    schedule;                     /* annealing of the diversity                                      */
    int    probes;
    bool   per_point, exact;
    double perturbation_std;
    size_t directions;                   /* 0: every input; else that many a step                           */
    bool   unit_directions;              /* random unit vectors instead of inputs                           */
    size_t targets;                      /* > 1: the heads stand target by target, each has as many         */
    const double *target_scale;          /* [targets] they are multiplied by: sigma over each one's own; NULL: 1 */
    bool   jacobian;                     /* of several targets: slopes of a head are one vector over all    */
} una_training_settings;

static inline bool una_compares_slopes(const una_training_settings *how, size_t step)
{
    return how->diversity_every < 2 || step % how->diversity_every == 0;
}

static inline double una_slopes_count(const una_training_settings *how)
{
    return how->diversity_every < 2 ? 1 : (double)how->diversity_every;
}

typedef struct una_inputs {              /* what inputs are: numbers are perturbed, a category is taken whole */
    size_t count;
    const size_t *group;                 /* [count] category group, SIZE_MAX for a number; NULL: all numbers */
} una_inputs;

/* The controller of a diversity that is steered: lambda moves by at most 1 % a step towards the target, slower when
 * near. */
double una_steer_diversity(double lambda, double mean_cos2, double target_cos2);

#define UNA_IN_BOTH "nn/luna_step_calls.h"
#include "kern/both.h"
