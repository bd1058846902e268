/* SPDX-License-Identifier: MIT
 *
 * Before anything is added up, all ranks say in one short sum how they are and what they are about to do: so a rank
 * that gives up is met by the others.
 */
#include "base/company.h"

#include <string.h>

enum { THE_END = 1, DOUBLES = 2, FLOATS = 3, KINDS = 4, FEW = 8 };

size_t una_company_count(const una_run *run)
{
    return run->company ? (size_t)una_rank_count(run) : 1;
}

size_t una_company_rank(const una_run *run)
{
    return run->company ? (size_t)una_rank(run) : 0;
}

static una_status keep(una_status status, una_run *run)
{
    una_company *c = run->company;
    if (c->status != UNA_OK || status == UNA_OK) return status;
    c->status = status;
    memcpy(c->message, run->message, sizeof c->message);
    return status;
}

una_status una_company_check(una_run *run)
{
    const una_company *c = run->company;
    if (!c || c->status == UNA_OK) return UNA_OK;
    return una_fail(run, c->status, "%s", c->message);
}

/* Whether all are well and about to do the same, `what`. (sum w)^2 = count sum w^2 only if all w are equal, of whole
 * numbers so small that both are exact. A few numbers are added up along with it. */
static una_status meet(una_status mine, size_t kind, void *few, size_t count, una_run *run)
{
    double what = (double)((count * KINDS + kind) % (1 << 20)), ranks = (double)una_company_count(run);
    double said[3 + FEW] = { mine != UNA_OK, what, what * what };
    bool with = kind == DOUBLES && count <= FEW && mine == UNA_OK;
    if (with) memcpy(said + 3, few, count * sizeof *said);
    UNA_TRY(una_ranks_sum(said, 3 + FEW, run));
    if (with) memcpy(few, said + 3, count * sizeof *said);
    if (said[0] == ranks) return una_ranks_follow(mine, run);            /* nobody in particular */
    if (said[0] > 0) return una_ranks_agree(mine, run);
    if (said[1] * said[1] == ranks * said[2]) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the ranks do not do the same: give all of them the same columns, model, options, seed "
             "and build of una");
}

una_status una_company_tell(una_status mine, una_run *run)
{
    una_company *c = run->company;
    if (!c || mine == UNA_OK) return mine;
    if (c->status == UNA_OK) keep(meet(mine, THE_END, NULL, 0, run), run);
    return una_company_check(run);
}

/* All say that they are well (or not: `mine`) before they add up. Alone there is nothing to do, and after a failure
 * nothing is done any more. */
static una_status sum(una_status mine, size_t kind, void *values, size_t count, una_run *run)
{
    if (!run->company) return mine;
    UNA_TRY(una_company_check(run));
    una_status status = meet(mine, kind, values, count, run);
    if (status == UNA_OK && !(kind == DOUBLES && count <= FEW))
        status = kind == DOUBLES ? una_ranks_sum(values, count, run) : una_ranks_sum_f32(values, count, run);
    return keep(status, run);
}

una_status una_company_sum_f64(double *values, size_t count, una_run *run)
{
    return sum(UNA_OK, DOUBLES, values, count, run);
}

una_status una_company_sum_f32(float *values, size_t count, una_run *run)
{
    return sum(UNA_OK, FLOATS, values, count, run);
}

size_t una_company_sum_size(size_t value, una_run *run)
{
    double sum = (double)value;                          /* exact to 2^53 */
    return una_company_sum_f64(&sum, 1, run) == UNA_OK ? (size_t)sum : value;
}

bool una_company_any(bool value, una_run *run)
{
    return una_company_sum_size(value, run) > 0;
}

/* ---- what each has: sums in which everybody else has zeros ----------------------------------------------------- */

static una_status each(double **all, double mine, una_arena *arena, una_run *run)
{
    size_t ranks = una_company_count(run);
    *all = UNA_GET(arena, double, ranks);
    una_status status = una_arena_check(arena);
    if (status == UNA_OK) (*all)[una_company_rank(run)] = mine;
    return sum(status, DOUBLES, *all, ranks, run);
}

una_status una_company_each(size_t *all, size_t mine, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    double *value;
    una_status status = each(&value, (double)mine, &run->scratch, run);
    for (size_t r = 0; status == UNA_OK && r < una_company_count(run); r++) all[r] = (size_t)value[r];
    una_arena_release(&run->scratch, mark);
    return status;
}

double una_company_most(double value, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    double *all, most = value;
    una_status status = run->company ? each(&all, value, &run->scratch, run) : UNA_OK;
    for (size_t r = 0; run->company && status == UNA_OK && r < una_company_count(run); r++) most = fmax(most, all[r]);
    una_arena_release(&run->scratch, mark);
    return most;
}

/* Bytes as floats: few are sent. */
una_status una_company_gather(unsigned char **all, size_t *size, const void *mine, size_t mine_size, una_arena *arena,
                              una_run *run)
{
    size_t rank = una_company_rank(run), before = 0;
    double *sizes;
    UNA_TRY(each(&sizes, (double)mine_size, arena, run));
    *size = 0;
    for (size_t r = 0; r < una_company_count(run); r++) {
        if (r < rank) before += (size_t)sizes[r];
        *size += (size_t)sizes[r];
    }

    *all = UNA_GET(arena, unsigned char, *size);
    una_mark mark = una_arena_mark(arena);
    float *sent = UNA_GET(arena, float, *size);
    una_status status = una_arena_check(arena);
    for (size_t i = 0; status == UNA_OK && i < mine_size; i++)
        sent[before + i] = (float)((const unsigned char *)mine)[i];
    status = sum(status, FLOATS, sent, *size, run);
    for (size_t i = 0; status == UNA_OK && i < *size; i++) (*all)[i] = (unsigned char)sent[i];
    una_arena_release(arena, mark);
    return status;
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */

void una_company_enter(una_company *c, una_run *run)
{
    c->status = UNA_OK;
    if (!run->company && una_rank_count(run) > 1) run->company = c;
}

una_status una_company_leave(una_company *c, una_status status, una_run *run)
{
    if (run->company != c) return status;
    if (c->status == UNA_OK) keep(meet(status, THE_END, NULL, 0, run), run);
    una_status all = una_company_check(run);
    run->company = NULL;
    return all != UNA_OK ? all : status;
}
