/* SPDX-License-Identifier: MIT
 *
 * An update may fail (sums beyond a double, a precision that cannot be factored): the new posterior is made beside the
 * old one and copied over it at the end.
 */
#include "infer/head.h"

static void copy_head(una_head *to, const una_head *from)
{
    size_t k = from->stats.features;
    memcpy(to->stats.gram, from->stats.gram, k * k * sizeof(double));
    memcpy(to->stats.moment, from->stats.moment, k * sizeof(double));
    memcpy(to->chol, from->chol, k * k * sizeof(double));
    memcpy(to->whiten, from->whiten, k * UNA_PADDED(k + 1) * sizeof(double));
    memcpy(to->mean, from->mean, k * sizeof(double));
    to->stats.square = from->stats.square;
    to->stats.rows = from->stats.rows;
    to->stats.log_count = from->stats.log_count;
    to->noise_var = from->noise_var;
    to->prior_var = from->prior_var;
    to->log_evidence = from->log_evidence;
}

una_status una_head_observe(una_head *head, const una_stats *more, una_run *run)
{
    if (head->sure)
        UNA_FAIL(run, UNA_E_USAGE, "this model is one function drawn from a posterior, and rows cannot change it: "
                 "update the model that it was drawn from");
    una_mark mark = una_arena_mark(&run->scratch);
    una_head next;
    una_head_init(&next, head->stats.features, &run->scratch);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) {
        copy_head(&next, head);
        una_stats_merge(&next.stats, more);
        status = una_head_solve(&next, run);
    }
    if (status == UNA_OK) copy_head(head, &next);
    una_arena_release(&run->scratch, mark);
    return status;
}
