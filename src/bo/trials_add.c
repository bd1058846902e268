/* SPDX-License-Identifier: MIT
 *
 * The ledger of a study: trials that were made elsewhere.
 */
#include "bo/ledger.h"

#include <stdlib.h>
#include <string.h>

typedef struct adding {
    una_ledger              *ledger;
    const una_ledger_trials *more;
    bool                     passed;
    bool                    *there;      /* [more->count]                                                   */
    size_t                   added;
} adding;

static int by_content(const void *a, const void *b)
{
    const una_ledger_trial *x = *(const una_ledger_trial *const *)a, *y = *(const una_ledger_trial *const *)b;
    int order = strcmp(x->x, y->x);
    if (order != 0) return order;
    if (x->state != y->state) return x->state < y->state ? -1 : 1;
    if (x->state != UNA_TRIAL_TOLD || x->value == y->value) return 0;
    return x->value < y->value ? -1 : 1;
}

static const una_ledger_trial **sorted(const una_ledger_trials *list, una_run *run)
{
    const una_ledger_trial **order = UNA_GET(&run->scratch, const una_ledger_trial *, list->count);
    if (!order) return NULL;
    for (size_t i = 0; i < list->count; i++) order[i] = &list->at[i];
    qsort(order, list->count, sizeof *order, by_content);
    return order;
}

/* Both in order, one for one: three equal rows where two are there already are one more. */
static una_status mark_present(adding *a, una_run *run)
{
    una_ledger_trials all;
    UNA_TRY(una_ledger_read(&all, a->ledger, &run->scratch, run));
    const una_ledger_trial **here = sorted(a->more, run), **there = sorted(&all, run);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0, k = 0; i < a->more->count && k < all.count;) {
        int order = by_content(&here[i], &there[k]);
        if (order == 0) a->there[here[i] - a->more->at] = true;
        i += order <= 0;
        k += order >= 0;
    }
    return UNA_OK;
}

static una_status insert_added(una_ledger *l, const una_ledger_trial *trial, int64_t id, una_run *run)
{
    const una_cell given[] = { una_words(l->study), una_whole(id), una_words(una_ledger_state_word(trial->state)),
        una_words(trial->x), una_real(trial->state == UNA_TRIAL_TOLD ? trial->value : NAN), una_words(trial->note),
        una_whole((int64_t)una_ledger_now()), una_words(l->token) };
    return una_database_do(NULL, l->db, "INSERT INTO study_trial (study, id, state, x, value, attempts, note, asked, "
                           "told, expected, doubt, host, process, start, handle, since, lease_until, token) VALUES "
                           "($1, $2, $3, $4, $5, 0, $6, 0, $7, NULL, NULL, '', 0, '', '', 0, 0, $8)", given, 8, run);
}

static una_status write_added(una_database *db, void *context, una_run *run)
{
    adding *a = context;
    int64_t id = 0;
    (void)db;
    UNA_TRY(una_ledger_count_given(&a->added, a->ledger, run));
    if (a->added > 0) return UNA_OK;             /* written before the server was lost */

    memset(a->there, 0, a->more->count * sizeof *a->there);
    if (a->passed) UNA_TRY(mark_present(a, run));
    UNA_TRY(una_ledger_next_id(&id, a->ledger, run));
    for (size_t i = 0; i < a->more->count; i++) {
        if (i % 256 == 255) UNA_TRY(una_go_on(run, "writing trials"));   /* a few are written all the same */
        if (a->there[i]) continue;
        UNA_TRY(insert_added(a->ledger, &a->more->at[i], id + (int64_t)a->added, run));
        a->added++;
    }
    return UNA_OK;
}

una_status una_ledger_add(size_t *added, una_ledger *l, const una_ledger_trials *more, bool passed, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    adding a = { .ledger = l, .more = more, .passed = passed, .there = UNA_GET(&run->scratch, bool, more->count) };
    una_status status = una_arena_check(&run->scratch);
    una_ledger_next_token(l);
    if (status == UNA_OK) status = una_database_transact(l->db, write_added, &a, run);
    una_arena_release(&run->scratch, mark);
    if (added) *added = status == UNA_OK ? a.added : 0;
    return status;
}
