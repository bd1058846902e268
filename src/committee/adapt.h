/* SPDX-License-Identifier: MIT
 *
 * Updates that set the scale of the noise again, and the weights of a stack. The new rows come in up to eight pieces,
 * each predicted before the model takes it in. From the second half of them (by then the function has followed, if it
 * can) comes the factor c of the noise's variance that makes the errors likeliest, e ~ N(0, v + c s), and with it the
 * weights. A factor below 1 comes from the rows alone where v < s. Old rows count as many as they are: the new factor is
 * (n_old + n_new c)/(n_old + n_new), and weights are mixed alike. But where c contradicts the old rows, |log c| > log
 * 1.15^2 + 3 sqrt(2/rows), the new rows decide alone.
 */
#pragma once

#include "committee/members.h"

/* One factor for the whole mixture: for a committee, whose members have one noise. */
una_status una_members_adapt(void *members, const una_adapting *how, una_fit_result *result, una_arena *keep,
                             una_run *run);
/* A factor for each member, and new weights: for a stack of fitted models. */
una_status una_stack_adapt(void *members, const una_adapting *how, una_fit_result *result, una_arena *keep,
                           una_run *run);
