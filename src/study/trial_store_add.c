/* SPDX-License-Identifier: MIT
 *
 * The trial store of a study: adding trials that were made elsewhere.
 */
#include "study/trial_store.h"

typedef struct adding {
    una_trial_store         *store;
    const una_stored_trials *more;
    bool                     passed;
    bool                    *there;      /* [more->count]                                                   */
    size_t                   added;
    int64_t                  now;
} adding;

static int by_content(const void *a, const void *b)
{
    const una_stored_trial *x = *(const una_stored_trial *const *)a, *y = *(const una_stored_trial *const *)b;
    int order = strcmp(x->x, y->x);
    if (order != 0) return order;
    if (x->state != y->state) return x->state < y->state ? -1 : 1;
    if (x->state != UNA_TRIAL_TOLD || x->value == y->value) return 0;
    return x->value < y->value ? -1 : 1;
}

typedef const una_stored_trial *entry;

/* from [0, middle) and [middle, count), each in order, become to [0, count). */
static void merge_entries(entry *to, entry *from, size_t middle, size_t count)
{
    for (size_t i = 0, k = middle, n = 0; n < count; n++) {
        bool first = k == count || (i < middle && by_content(&from[i], &from[k]) <= 0);
        to[n] = from[first ? i++ : k++];
    }
}

/* Sorted in pieces: sorting a million takes a second, in which an interruption would go unnoticed. */
static una_status sort_entries(entry **out, const una_stored_trials *list, una_run *run)
{
    enum { PIECE = 1 << 16 };
    size_t count = list->count;
    entry *order = UNA_GET(&run->scratch, entry, count), *other = UNA_GET(&run->scratch, entry, count);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < count; i++) order[i] = &list->at[i];
    for (size_t from = 0; from < count; from += PIECE) {
        UNA_TRY(una_check_cancelled(run, "comparing trials"));
        qsort(order + from, UNA_MIN(count - from, PIECE), sizeof *order, by_content);
    }
    for (size_t width = PIECE; width < count; width *= 2) {
        for (size_t from = 0; from < count; from += 2 * width) {
            UNA_TRY(una_check_cancelled(run, "comparing trials"));
            merge_entries(other + from, order + from, UNA_MIN(count - from, width),
                          UNA_MIN(count - from, 2 * width));
        }
        entry *both = order;
        order = other;
        other = both;
    }
    *out = order;
    return UNA_OK;
}

/* Both in order, one for one: of three equal rows, where two exist already, one is new. */
static una_status mark_present(adding *a, una_run *run)
{
    una_stored_trials all;
    UNA_TRY(una_trial_store_read(&all, a->store, &run->scratch, run));
    entry *here, *there;
    UNA_TRY(sort_entries(&here, a->more, run));
    UNA_TRY(sort_entries(&there, &all, run));
    for (size_t i = 0, k = 0; i < a->more->count && k < all.count;) {
        int order = by_content(&here[i], &there[k]);
        if (order == 0) a->there[here[i] - a->more->at] = true;
        i += order <= 0;
        k += order >= 0;
    }
    return UNA_OK;
}

static una_status write_added(una_database *db, void *context, una_run *run)
{
    adding *a = context;
    int64_t id = 0;
    double now = 0;
    UNA_TRY(una_database_now(&now, db, run));
    a->now = (int64_t)now;
    UNA_TRY(una_trial_store_count_given(&a->added, a->store, run));
    if (a->added > 0) return UNA_OK;             /* written before the server was lost */

    memset(a->there, 0, a->more->count * sizeof *a->there);
    if (a->passed) UNA_TRY(mark_present(a, run));
    UNA_TRY(una_trial_store_next_id(&id, a->store, run));
    for (size_t i = 0; i < a->more->count; i++) {
        if (i % 256 == 255) UNA_TRY(una_check_cancelled(run, "writing trials"));   /* a few are written all the same */
        if (a->there[i]) continue;
        una_stored_trial trial = a->more->at[i];
        trial.id = (uint64_t)id + a->added;
        trial.attempts = 0;
        trial.asked = 0;
        trial.told = a->now;
        trial.expected = trial.doubt = NAN;
        if (trial.state != UNA_TRIAL_TOLD) trial.value = NAN;
        UNA_TRY(una_trial_store_insert(a->store, &trial, &(una_owner_name){0}, 0, run));
        a->added++;
    }
    return UNA_OK;
}

una_status una_trial_store_add(size_t *added, una_trial_store *l, const una_stored_trials *more, bool passed,
                               una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    adding a = { .store = l, .more = more, .passed = passed, .there = UNA_GET(&run->scratch, bool, more->count) };
    una_status status = una_arena_check(&run->scratch);
    una_trial_store_next_token(l);
    if (status == UNA_OK) status = una_database_transact(l->db, write_added, &a, run);
    una_arena_release(&run->scratch, mark);
    if (added) *added = status == UNA_OK ? a.added : 0;
    return status;
}
