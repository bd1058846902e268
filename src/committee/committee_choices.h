/* SPDX-License-Identifier: MIT
 *
 * What the out-of-fold predictions of a committee decide: weights, noise, prior variance, and one head for several
 * targets.
 */
#ifndef UNA_COMMITTEE_CHOICES_H
#define UNA_COMMITTEE_CHOICES_H

#include "committee/member_fits.h"

typedef struct una_committee_choice { double noise_var, prior_var; una_noise *noise; } una_committee_choice;

/* Weights of the repeats (in oof), noise and its shape, prior variance of each target: out, oof, options, result
 * [targets of the committee]. share_weights: every row has every target, so all targets share the weights. */
una_status una_committee_choose(una_committee_choice *out, una_oof *oof, una_committee *committee, void *const *options,
                                bool share_weights, una_fit_result *const *result, una_arena *keep, una_run *run);
/* Then what several targets have in common: one head where that is possible, which changes their choices, and the
 * covariance of their noise. Notes in the result say which. */
una_status una_committee_choose_coupling(una_target_coupling *coupling, una_committee_choice *by, una_oof *oof,
                                         una_committee *committee, bool complete, void *const *options,
                                         una_fit_result *result, una_run *run);

#endif
