/* SPDX-License-Identifier: MIT
 *
 * What follows from what the seats of a committee have said of rows that they had not seen.
 */
#ifndef UNA_SEATS_CHOOSE_H
#define UNA_SEATS_CHOOSE_H

#include "fit/seats.h"

typedef struct una_chosen { double noise_var, prior_var; una_noise *noise; } una_chosen;

/* Weights of the rounds (in said), noise and its shape, prior variance of each target: out, said, options, result
 * [targets of the committee]. alike: every row has every target, so that the weights are those of all. */
una_status una_seats_choose(una_chosen *out, una_said *said, una_committee *committee, void *const *options, bool alike,
                            una_fit_result *const *result, una_arena *keep, una_run *run);
/* Then what several targets have in common: perhaps a head, which changes what was chosen, and how their noises go
 * together. The result is told which. */
una_status una_seats_compare(una_together *together, una_chosen *by, una_said *said, una_committee *committee,
                             bool complete, void *const *options, una_fit_result *result, una_run *run);

#endif
