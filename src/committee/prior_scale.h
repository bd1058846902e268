/* SPDX-License-Identifier: MIT
 *
 * The prior scale of a committee: the prior variance, which alone decides how wide bands are away from the data.
 * Further trainings leave out whole regions, whose rows then choose it (regions.h).
 */
#ifndef UNA_PRIOR_SCALE_H
#define UNA_PRIOR_SCALE_H

#include "committee/member_fits.h"

/* Whether regions choose it: an automatic prior variance, of a head that can be relearnt, and enough rows, not too many. */
bool una_prior_scale_is_wanted(const una_committee *members);
/* The prior variance of each target: as given, or by regions. */
una_status una_choose_prior_scale(una_committee *members);

#endif
