/* SPDX-License-Identifier: MIT
 *
 * The state of ensembles, for ensemble.c and its tests.
 */
#ifndef UNA_ENSEMBLE_H
#define UNA_ENSEMBLE_H

#include "model/kind.h"

enum { UNA_MOST_MEMBERS = 1000 };
enum { UNA_ENSEMBLE_PLAIN, UNA_ENSEMBLE_BOOTSTRAP, UNA_ENSEMBLE_ANCHORED };

typedef struct una_ensemble_options {
    int    style, units;
    double members, epochs, noise_std;
    const char *of;                      /* a spec                                                          */
    double anchor_noise_var, anchor_prior_var, anchor_init_var;
} una_ensemble_options;

typedef struct una_ensemble_state {
    const una_kind *kind;                /* of the members                                                  */
    size_t  members, inputs;
    void  **member;                      /* [members] their states                                          */
    double  noise_var;
} una_ensemble_state;

extern const una_kind una_ensemble;

#endif
