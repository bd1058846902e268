/* SPDX-License-Identifier: MIT
 *
 * States of members: copies, more rows, files. See members.h.
 */
#include "committee/members.h"

enum { DEEPEST = 3 };                    /* mixtures within mixtures                                        */

/* ---- more rows -------------------------------------------------------------------------------------------- */

/* Rows count by the shape of the noise. */
static una_status weigh_by_shape(double *weight, const una_members *all, una_view x, una_run *run)
{
    if (!all->noise) return UNA_OK;
    UNA_NEW(&run->scratch, double, shape, x.rows);
    una_noise_shape(all->noise, x, shape);
    for (size_t r = 0; r < x.rows; r++) weight[r] /= shape[r];
    return UNA_OK;
}

/* And under heavy tails by how far they are from what is predicted of them. */
static una_status weigh_by_error(double *weight, const una_members *all, const una_problem *more, una_run *run)
{
    size_t rows = more->x.rows;
    una_predictive p = {0};
    if (!all->tails) return UNA_OK;
    UNA_TRY(una_predictive_new(&p, rows, &run->scratch));
    UNA_TRY(una_members_predict(all, more->x, &p, run));
    for (size_t r = 0; r < rows; r++)
        weight[r] *= una_tails_row_weight(all->tails, pow(more->y[r] - p.mean[r], 2), p.var_model[r], p.var_noise[r]);
    return UNA_OK;
}

static una_status weigh_new_rows(una_problem *more, const una_members *all, una_run *run)
{
    if (!all->noise && !all->tails) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, weight, more->x.rows);
    for (size_t r = 0; r < more->x.rows; r++) weight[r] = more->weight ? more->weight[r] : 1;
    UNA_TRY(weigh_by_error(weight, all, more, run));
    UNA_TRY(weigh_by_shape(weight, all, more->x, run));
    more->weight = weight;
    return UNA_OK;
}

static una_status observe_one(const una_member *member, const una_problem *more, una_fit_result *result,
                              una_arena *keep, una_run *run)
{
    una_problem own = *more;
    UNA_TRY(una_scaled(&own.x, more->x, member->scale, run));
    return member->calls->observe(member->state, &own, result, keep, run);
}

/* *done: how many members have the rows. */
static una_status observe_each(const una_members *all, const una_problem *more, size_t *done, una_fit_result *result,
                               una_arena *keep, una_run *run)
{
    una_shares share;
    double evidence = 0;
    UNA_TRY(una_members_shares(&share, all, run));
    for (; *done < all->count; ++*done) {
        una_fit_result own = { .log_evidence = NAN };
        UNA_SCOPED(run, observe_one(&all->at[*done], more, &own, keep, run));
        evidence += share.of[*done] * own.log_evidence / share.sum;
    }
    result->log_evidence = evidence;
    return UNA_OK;
}

/* All or none: copies are made first, and replace members that already have the rows if a later one fails. A member
 * that fails is unchanged, so the last one needs no copy. */
static una_status observe_all(una_members *all, const una_problem *more, una_fit_result *result, una_arena *keep,
                              una_run *run)
{
    una_arena copies;
    size_t copied = all->count - 1, done = 0;
    una_arena_init(&copies, run);
    void **copy = UNA_GET(&run->scratch, void *, copied);
    una_status status = una_arena_check(&run->scratch);
    for (size_t m = 0; status == UNA_OK && m < copied; m++) {
        una_member *one = &all->at[m];
        status = una_state_copy(&copy[m], &(una_learnt){ one->kind, one->calls, one->state, all->inputs }, &copies, run);
    }

    una_mark before = una_arena_mark(keep);
    if (status == UNA_OK) status = observe_each(all, more, &done, result, keep, run);
    if (status != UNA_OK && done > 0) {
        una_arena_release(keep, before);
        for (size_t m = 0; m < done; m++) all->at[m].state = copy[m];
        una_arena_join(keep, &copies);
    }
    una_arena_free(&copies);
    return status;
}

una_status una_members_observe(void *members, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    una_members *all = members;
    una_problem own = *more;
    for (size_t m = 0; m < all->count; m++)
        if (!all->at[m].kind->observe)
            UNA_FAIL(run, UNA_E_USAGE, "%s has no exact update: fit it again on all rows (una update --with OLD.csv "
                     "does that)", all->at[m].kind->name);

    UNA_TRY(weigh_new_rows(&own, all, run));
    return all->count == 1 ? observe_one(&all->at[0], &own, result, keep, run)
                           : observe_all(all, &own, result, keep, run);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static una_status exchange_member_scale(una_member *member, una_archive *ar)
{
    bool scaled = member->scale;
    UNA_TRY(una_archive_flag(ar, "member.scaled", &scaled));
    if (!scaled) return UNA_OK;
    UNA_TRY(una_archive_f64s(ar, "member.scale", &member->scale, ar->inputs));
    for (size_t d = 0; d < ar->inputs; d++)
        if (!(member->scale[d] > 0)) return una_archive_refuse(ar, "member.scale", "holds one that is not positive");
    return UNA_OK;
}

static una_status exchange_state(una_member *member, una_archive *ar)
{
    if (ar->loading) {
        UNA_NEW_BYTES_AT(ar->arena, member->state, member->calls->state_size);
    }
    return una_kind_exchange(member->kind, member->calls, member->state, ar);
}

static una_status take_members(una_members *members, size_t count, una_archive *ar)
{
    UNA_TRY(una_archive_expect(ar, "members", count, UNA_LEAST_MEMBER));
    *members = (una_members){ .count = count, .inputs = ar->inputs };
    UNA_NEW_AT(ar->arena, members->at, count);
    for (size_t m = 0; m < count; m++) members->at[m].kind = members->at[m].calls = ar->kind;
    return UNA_OK;
}

/* A file from before there were members: one state. */
static una_status load_one(una_members *members, una_archive *ar)
{
    UNA_TRY(take_members(members, 1, ar));
    members->at[0].weight = 1;
    return exchange_state(&members->at[0], ar);
}

static una_status exchange_members(una_members *members, una_archive *ar)
{
    size_t count = members->count;
    double sum = 0;
    UNA_TRY(una_archive_size(ar, "members", &count, 1, UNA_MOST_MEMBERS));
    if (ar->loading) UNA_TRY(take_members(members, count, ar));

    for (size_t m = 0; m < members->count; m++) {
        una_member *member = &members->at[m];
        if (!ar->kind) UNA_TRY(una_kind_exchange_name(&member->kind, "member.kind", ar));
        if (ar->loading && !ar->kind) member->calls = una_calls(member->kind);
        UNA_TRY(una_archive_f64(ar, "member.weight", &member->weight));
        if (!(member->weight > 0)) return una_archive_refuse(ar, "member.weight", "is not positive");
        UNA_TRY(exchange_member_scale(member, ar));
        UNA_TRY(exchange_state(member, ar));
        sum += member->weight;
    }

    return fabs(sum - 1) <= 1e-9 ? UNA_OK : una_archive_refuse(ar, "member.weight", "does not add up to 1");
}

static una_status exchange_noise_var(una_members *members, una_archive *ar)
{
    UNA_TRY(una_archive_f64(ar, "members.noise_var", &members->noise_var));
    if (!(members->noise_var >= 0)) return una_archive_refuse(ar, "members.noise_var", "is negative");
    UNA_TRY(una_noise_exchange(&members->noise, ar));
    if (members->noise && !(members->noise_var > 0))
        return una_archive_refuse(ar, "members.noise_var", "is 0, though the noise has a shape");
    return UNA_OK;
}

una_status una_tails_new(const una_tails **tails, double freedom, una_arena *keep)
{
    *tails = NULL;
    if (isinf(freedom)) return UNA_OK;
    UNA_NEW(keep, una_tails, made, 1);
    una_tails_make(made, freedom);
    *tails = made;
    return UNA_OK;
}

/* Only where there are heavy tails. */
static una_status exchange_tails(una_members *members, una_archive *ar)
{
    double freedom = members->tails ? members->tails->freedom : HUGE_VAL;
    if (ar->loading ? !una_archive_next_is(ar, "members.freedom") : !members->tails) return UNA_OK;
    UNA_TRY(una_archive_f64(ar, "members.freedom", &freedom));
    if (!una_tails_are(freedom)) return una_archive_refuse(ar, "members.freedom", "is out of range");
    if (!(members->noise_var > 0))
        return una_archive_refuse(ar, "members.noise_var", "is 0, though the noise has heavy tails");
    return ar->loading ? una_tails_new(&members->tails, freedom, ar->arena) : UNA_OK;
}

una_status una_members_exchange(void *state, una_archive *ar)
{
    una_members *members = state;
    if (ar->depth >= DEEPEST) return una_archive_refuse(ar, "members", "holds a mixture more than three deep");
    ar->depth++;
    bool old = ar->loading && ar->kind && !una_archive_next_is(ar, "members");
    una_status status = old ? load_one(members, ar) : exchange_members(members, ar);
    if (status == UNA_OK && !old) status = exchange_noise_var(members, ar);
    if (status == UNA_OK && !old) status = exchange_tails(members, ar);
    ar->depth--;
    return status;
}
