/* SPDX-License-Identifier: MIT
 *
 * The scale of ignorance of a committee: the prior variance, which decides away from the data, by regions that further
 * trainings left out whole (regions.h).
 */
#ifndef UNA_IGNORANCE_H
#define UNA_IGNORANCE_H

#include "fit/seats.h"

/* It is to be found, and there are rows for it. */
bool una_ignorance_is_sought(const una_kind *one, void *options, const una_problem *problem);
/* Of each target, prior_var, within and result [targets of the committee], by the noise of its members; within: the
 * rows of which the members speak, said anew for each prior variance that is tried. 1 where the rows have no regions.
 * The trainings without regions are those of all targets. */
una_status una_ignorance_choose(double *prior_var, una_committee *members, una_said *within,
                                una_fit_result *const *result, una_run *run);

#endif
