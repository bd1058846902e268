/* SPDX-License-Identifier: MIT
 *
 * The registry: one line per experiment. Program and tests learn of experiments here and nowhere else.
 */
#include "bench/experiment.h"

extern const una_experiment una_experiment_cubic;
extern const una_experiment una_experiment_uci;
extern const una_experiment una_experiment_gap;

const una_experiment *const una_experiments[] = {
    &una_experiment_cubic,
    &una_experiment_uci,
    &una_experiment_gap,
    NULL
};
