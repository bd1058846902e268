/* SPDX-License-Identifier: MIT
 *
 * The registry: one line per experiment, whose struct is una_experiment_NAME. Program and tests find experiments
 * here and nowhere else.
 */
#include "bench/experiment.h"

#define EXPERIMENTS(X)  \
    X(cubic)            \
    X(uci)              \
    X(gap)              \
    X(split)            \
    X(scale)            \
    X(bayesopt)         \
    X(radial)           \
    X(transfer)         \
    X(knowledge)        \
    X(pseudo)           \
    X(studies)          \
    X(targets)          \
    X(bias)

#define DECLARED(name) extern const una_experiment una_experiment_##name;
#define LISTED(name) &una_experiment_##name,

EXPERIMENTS(DECLARED)
const una_experiment *const una_experiments[] = { EXPERIMENTS(LISTED) NULL };
