/* SPDX-License-Identifier: MIT
 *
 * What the two files of the ensemble share: ensemble_fit.c trains members and chooses the noise, ensemble.c uses them.
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

extern const una_kind una_nn, una_ensemble;

una_status una_ensemble_fit(void *state, void *options, const una_problem *problem, una_fit_result *result,
                            una_arena *keep, una_run *run);
/* Of a member. The first has the ensemble's own: an ensemble of one is its member. */
uint64_t una_ensemble_seed(uint64_t seed, size_t member);
/* A copy of a member's state in `arena`, by way of its own file format: every kind can be copied like this. */
una_status una_ensemble_copy(void **copy, const una_kind *kind, void *state, size_t inputs, una_arena *arena,
                             una_run *run);

#endif
