/* SPDX-License-Identifier: MIT
 *
 * The options of ensembles, for ensemble.c and its tests. The state is a una_members.
 */
#pragma once

#include "committee/members.h"

enum { UNA_ENSEMBLE_PLAIN, UNA_ENSEMBLE_BOOTSTRAP, UNA_ENSEMBLE_ANCHORED };

typedef struct una_ensemble_options {
    int    style, units;
    double members, epochs, noise_std;
    const char *of;                      /* a spec                                                          */
    double anchor_noise_var, anchor_prior_var, anchor_init_var;
} una_ensemble_options;

extern const una_kind una_kind_ensemble;
