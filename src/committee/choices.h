/* SPDX-License-Identifier: MIT
 *
 * What the out-of-fold predictions of a committee decide, for each target: weights of the repeats, noise and its shape,
 * one head for several targets; and the posteriors in which that ends.
 */
#ifndef UNA_CHOICES_H
#define UNA_CHOICES_H

#include "committee/member_fits.h"

/* Room for the members' out-of-fold predictions, and what they predicted, of one target. */
una_status una_oof_of_members(una_committee *c);
/* Weights of the repeats, of each target, or the same for all of them; and a first noise. */
una_status una_choose_weights(una_committee *c);
/* With the prior variance: noise and shape; then what several targets have in common, notes in the result say which. */
una_status una_choose_noise(una_committee *c);
/* Scores, and all members with the posterior of all rows (keep_members.c). */
una_status una_finish_posteriors(una_committee *c);

#endif
