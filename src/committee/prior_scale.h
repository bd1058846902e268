/* SPDX-License-Identifier: MIT
 *
 * The prior scale of a committee: the prior variance, which alone decides how wide bands are away from the data.
 * Further trainings leave out whole regions, whose rows then choose it (regions.h).
 */
#ifndef UNA_PRIOR_SCALE_H
#define UNA_PRIOR_SCALE_H

#include "committee/member_fits.h"

/* Whether it is to be chosen, and there are rows for that. */
bool una_prior_scale_is_wanted(const una_kind *single, void *options, const una_problem *problem);
/* The prior variance of each target; prior_var, member_oof and result [targets of the committee], at the members'
 * noise; member_oof: out-of-fold predictions of the members, made again for each prior variance that is tried. 1 where
 * the rows have no regions. The trainings without regions are common to all targets. */
una_status una_prior_var_choose(double *prior_var, una_committee *members, una_oof *member_oof,
                                una_fit_result *const *result, una_run *run);

#endif
