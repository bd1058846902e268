/* SPDX-License-Identifier: MIT
 *
 * An update may fail (sums beyond a double, a precision that cannot be factored): the new posterior is made beside the
 * old one and copied over it at the end.
 */
#include "infer/head.h"

/* What solving changes, in the memory that `to` has. */
static void copy_head(una_head *to, const una_head *from)
{
    const una_head place = *to;
    size_t k = from->stats.features;
    *to = *from;
    to->stats.gram = memcpy(place.stats.gram, from->stats.gram, k * k * sizeof(double));
    to->stats.moment = memcpy(place.stats.moment, from->stats.moment, k * sizeof(double));
    to->chol = memcpy(place.chol, from->chol, k * k * sizeof(double));
    to->whiten = memcpy(place.whiten, from->whiten, k * UNA_PADDED(k + 1) * sizeof(double));
    to->mean = memcpy(place.mean, from->mean, k * sizeof(double));
}

static una_status solve_with(una_head *head, const una_stats *more, una_run *run)
{
    una_head next;
    UNA_TRY(una_head_init(&next, head->stats.features, &run->scratch));
    copy_head(&next, head);
    una_stats_merge(&next.stats, more);
    UNA_TRY(una_head_solve(&next, run));
    copy_head(head, &next);
    return UNA_OK;
}

una_status una_head_observe(una_head *head, const una_stats *more, una_run *run)
{
    if (head->sure)
        UNA_FAIL(run, UNA_E_USAGE, "this model is one function drawn from a posterior, and rows cannot change it: "
                 "update the model that it was drawn from");
    UNA_SCOPED(run, solve_with(head, more, run));
    return UNA_OK;
}
