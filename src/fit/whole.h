/* SPDX-License-Identifier: MIT
 *
 * Kinds whose features have not seen the target (gp, linear, tuna): one posterior of all rows, foretold by itself
 * without each fold.
 */
#ifndef UNA_WHOLE_H
#define UNA_WHOLE_H

#include "fit/members.h"

/* All rows teach the posterior; where its own answers for rows left out show it, with a noise that varies. A given
 * noise_std that varies is the last to be used: the shape is learnt as if it were not given. A kind with `search` then
 * has more than the noise chosen under the shape, as far as rows left out are likelier with it. */
una_status una_fit_whole(una_members *members, const una_kind *one, void *options, const una_problem *problem,
                         una_fit_result *result, una_arena *keep, una_run *run);

#endif
