/* SPDX-License-Identifier: MIT
 *
 * Before each sum all ranks add up, in one short message, whether they have failed and which operation comes next. So a
 * rank that gives up is noticed by the others.
 */
#include "base/ranks.h"

enum { FEW = 8, WIDE = sizeof(double) };

size_t una_rank_group_count(const una_run *run)
{
    return run->rank_group ? (size_t)una_rank_count(run) : 1;
}

size_t una_rank_group_rank(const una_run *run)
{
    return run->rank_group ? (size_t)una_rank(run) : 0;
}

bool una_run_counts(const una_run *run)
{
    return !run || una_rank_group_rank(run) == 0;
}

static una_status keep_first_failure(una_status status, una_run *run)
{
    una_rank_group *group = run->rank_group;
    if (group->status != UNA_OK || status == UNA_OK) return status;
    group->status = status;
    memcpy(group->message, run->message, sizeof group->message);
    return status;
}

una_status una_run_sums_check(una_run *run)
{
    const una_rank_group *group = run->rank_group;
    if (!group || group->status == UNA_OK) return UNA_OK;
    return una_fail(run, group->status, "%s", group->message);
}

/* Agrees that no rank has failed and that all are about to do the same, `what`: to add up so many numbers of `width`
 * bytes, or with 0 to end. (sum w)^2 = count sum w^2 holds only if
 * all w are equal, for whole numbers so small that both sides are exact. A few numbers are added up in the same
 * message. */
static una_status agree_on_operation(una_status mine, void *few, size_t count, size_t width, una_run *run)
{
    double what = (double)((count * 2 * WIDE + width) % (1 << 20)), ranks = (double)una_rank_group_count(run);
    double sums[3 + FEW] = { mine != UNA_OK, what, what * what };
    bool with = width == WIDE && count <= FEW && mine == UNA_OK;
    if (with) memcpy(sums + 3, few, count * sizeof *sums);
    UNA_TRY(una_ranks_sum(sums, 3 + FEW, sizeof *sums, run));
    if (with) memcpy(few, sums + 3, count * sizeof *sums);
    if (sums[0] == ranks) return una_ranks_broadcast_status(mine, run);            /* nobody in particular */
    if (sums[0] > 0) return una_ranks_agree(mine, run);
    if (sums[1] * sums[1] == ranks * sums[2]) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the ranks do not do the same: give all of them the same columns, model, options, seed "
             "and build of una");
}

/* Agrees first (`mine`: this rank's own status), then adds up. A single rank has nothing to do, and after a failure no
 * more sums are made. */
static una_status sum_over_group(una_status mine, void *values, size_t count, size_t width, una_run *run)
{
    if (!run || !run->rank_group) return mine;
    UNA_TRY(una_run_sums_check(run));
    una_status status = agree_on_operation(mine, values, count, width, run);
    if (status == UNA_OK && !(width == WIDE && count <= FEW)) status = una_ranks_sum(values, count, width, run);
    return keep_first_failure(status, run);
}

una_status una_run_sum_f64(double *values, size_t count, una_run *run)
{
    return sum_over_group(UNA_OK, values, count, sizeof *values, run);
}

una_status una_run_sum_f32(float *values, size_t count, una_run *run)
{
    return sum_over_group(UNA_OK, values, count, sizeof *values, run);
}

size_t una_run_sum_size(size_t value, una_run *run)
{
    double sum = (double)value;                          /* exact to 2^53 */
    return una_run_sum_f64(&sum, 1, run) == UNA_OK ? (size_t)sum : value;
}

bool una_run_any(bool value, una_run *run)
{
    return una_run_sum_size(value, run) > 0;
}

/* ---- what each has: sums in which everybody else has zeros ----------------------------------------------------- */

static una_status gather_doubles(double **all, double mine, una_arena *arena, una_run *run)
{
    size_t ranks = una_rank_group_count(run);
    *all = UNA_GET(arena, double, ranks);
    una_status status = una_arena_check(arena);
    if (status == UNA_OK) (*all)[una_rank_group_rank(run)] = mine;
    return sum_over_group(status, *all, ranks, sizeof **all, run);
}

una_status una_rank_group_gather_sizes(size_t *all, size_t mine, una_run *run)
{
    double *value;
    UNA_TRY(gather_doubles(&value, (double)mine, &run->scratch, run));
    for (size_t r = 0; r < una_rank_group_count(run); r++) all[r] = (size_t)value[r];
    return UNA_OK;
}

double una_run_max(double value, una_run *run)
{
    double *all, most = value;
    if (!run->rank_group) return value;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = gather_doubles(&all, value, &run->scratch, run);
    for (size_t r = 0; status == UNA_OK && r < una_rank_group_count(run); r++) most = fmax(most, all[r]);
    una_arena_release(&run->scratch, mark);
    return most;
}

/* Sends bytes as floats: there are only a few. */
una_status una_run_gather_bytes(unsigned char **all, size_t *size, const void *mine, size_t mine_size,
                                una_arena *arena, una_run *run)
{
    size_t rank = una_rank_group_rank(run), before = 0;
    double *sizes;
    UNA_TRY(gather_doubles(&sizes, (double)mine_size, arena, run));
    *size = 0;
    for (size_t r = 0; r < una_rank_group_count(run); r++) {
        if (r < rank) before += (size_t)sizes[r];
        *size += (size_t)sizes[r];
    }

    *all = UNA_GET(arena, unsigned char, *size);
    una_mark mark = una_arena_mark(arena);
    float *sent = UNA_GET(arena, float, *size);
    una_status status = una_arena_check(arena);
    for (size_t i = 0; status == UNA_OK && i < mine_size; i++)
        sent[before + i] = (float)((const unsigned char *)mine)[i];
    status = sum_over_group(status, sent, *size, sizeof *sent, run);
    for (size_t i = 0; status == UNA_OK && i < *size; i++) (*all)[i] = (unsigned char)sent[i];
    una_arena_release(arena, mark);
    return status;
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */

void una_rank_group_enter(una_rank_group *group, una_run *run)
{
    group->status = UNA_OK;
    if (!run->rank_group && una_rank_count(run) > 1) run->rank_group = group;
}

una_status una_rank_group_leave(una_rank_group *group, una_status status, una_run *run)
{
    if (run->rank_group != group) return status;
    if (group->status == UNA_OK) keep_first_failure(agree_on_operation(status, NULL, 0, 0, run), run);
    una_status all = una_run_sums_check(run);
    run->rank_group = NULL;
    return all != UNA_OK ? all : status;
}
