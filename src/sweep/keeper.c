/* SPDX-License-Identifier: MIT
 *
 * The keeper of a store: one thread that claims keys ahead of those who want them, several in one transaction, and
 * stores what was brought back, all of it in one more. What a disk takes for that is not waited for by any fit. When
 * nothing is left but keys in other processes' hands, it looks at them again and again, and takes over what an owner
 * that died has left.
 */
#include "sweep/desk.h"

#include "base/thread.h"
#include "sweep/parcel.h"

#include <string.h>

/* PATIENCE rounds of waiting before a note says for whom. Keys that lie ready: for ranks SPARE for each thread, and
 * MOST_AHEAD times as many where fits are short. */
enum { AGAIN_US = 50000, PATIENCE = 10, SPARE = 3, MOST_AHEAD = 4 };

typedef enum place { FREE, HELD, OURS, DONE } place;             /* HELD: by another process                        */

struct una_keeper {
    una_desk      *desk;
    una_run        aside;
    pthread_t      thread;
    const size_t  *todo;                 /* [count]                                                                 */
    unsigned char *at;                   /* [plan] place of a key                                                   */
    size_t         count, left, next;    /* without a row; the first that may be free                               */
    size_t         ahead;                /* how many keys lie ready, if there are so many                           */
    size_t         rounds;
    double         again;                /* when held ones are looked at again                                      */
};

static const una_row_key *key_at(const una_keeper *k, size_t key)
{
    return &k->desk->sweep->plan->keys[key];
}

una_status una_sweep_done(bool *done, const una_sweep *sweep, const una_row_key *key, una_run *run)
{
    una_row row = {0};
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_store_find(done, &row, sweep->store, key, &run->scratch, run);
    for (size_t i = 0; *done && i < sweep->measure_count; i++)
        *done = una_row_find(&row, sweep->measures[i]) != SIZE_MAX;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- rows in ------------------------------------------------------------------------------------------------- */

static una_status store_all(una_keeper *k, const una_parcel *parcels, size_t *rows_in)
{
    una_run *run = &k->aside;
    una_text bytes = una_text_in(&run->scratch);
    una_row *rows;
    for (const una_parcel *p = parcels; p; p = p->next) una_text_bytes(&bytes, p->bytes, p->size);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_parcel_open(&rows, rows_in, bytes.at, bytes.length, &run->scratch, run));
    return una_store_put(k->desk->sweep->store, rows, *rows_in, true, NULL, NULL, run);
}

static una_status store_parcels(una_keeper *k, una_parcel *parcels)
{
    una_desk *d = k->desk;
    size_t keys = 0, rows = 0;
    una_mark mark = una_arena_mark(&k->aside.scratch);
    una_status status = store_all(k, parcels, &rows);
    una_arena_release(&k->aside.scratch, mark);
    for (una_parcel *p = parcels, *next; p; p = next, keys++) {
        next = p->next;
        if (status == UNA_OK) k->at[p->key] = DONE;
        una_release(&k->aside, p);
    }
    UNA_TRY(status);
    k->left -= keys;
    k->rounds = 0;
    pthread_mutex_lock(&d->lock);
    d->made += keys;
    d->beside += rows - keys;
    pthread_mutex_unlock(&d->lock);
    return UNA_OK;
}

/* ---- keys out ------------------------------------------------------------------------------------------------ */

/* Its row may have come between the list and the claim. */
static una_status sort_claimed(una_keeper *k, size_t key, bool granted, size_t *ready, size_t *count)
{
    const una_sweep *sweep = k->desk->sweep;
    bool done = false;
    if (granted || k->at[key] == HELD) UNA_TRY(una_sweep_done(&done, sweep, key_at(k, key), &k->aside));
    if (granted && done) UNA_TRY(una_store_drop(sweep->store, key_at(k, key), &k->aside));
    k->at[key] = (unsigned char)(done ? DONE : granted ? OURS : HELD);
    if (k->at[key] == OURS) ready[(*count)++] = key;
    if (done) k->left--;
    if (done) k->desk->tally->done++;
    return UNA_OK;
}

static una_status claim_keys(una_keeper *k, const size_t *list, size_t count, size_t *ready, size_t *ready_count)
{
    una_run *run = &k->aside;
    const una_row_key **keys = UNA_GET(&run->scratch, const una_row_key *, count);
    bool *granted = UNA_GET(&run->scratch, bool, count);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < count; i++) keys[i] = key_at(k, list[i]);
    UNA_TRY(una_store_claim_all(granted, k->desk->sweep->store, keys, count, run));
    for (size_t i = 0; i < count; i++) UNA_TRY(sort_claimed(k, list[i], granted[i], ready, ready_count));
    return UNA_OK;
}

/* Up to `wanted` keys that nobody had when last looked at; or, where there are none, of those that others hold. */
static size_t choose(una_keeper *k, size_t *list, size_t wanted, bool held)
{
    size_t count = 0;
    for (size_t i = held ? 0 : k->next; i < k->count && count < wanted; i++) {
        if (k->at[k->todo[i]] == (held ? HELD : FREE)) list[count++] = k->todo[i];
        if (!held) k->next = i + 1;
    }
    return count;
}

static una_status make_ready(una_keeper *k, size_t wanted, bool held)
{
    una_desk *d = k->desk;
    size_t most = held ? k->count : wanted, ready_count = 0;
    una_mark mark = una_arena_mark(&k->aside.scratch);
    size_t *list = UNA_GET(&k->aside.scratch, size_t, most), *ready = UNA_GET(&k->aside.scratch, size_t, most);
    una_status status = una_arena_check(&k->aside.scratch);
    size_t count = status == UNA_OK ? choose(k, list, most, held) : 0;
    if (count > 0) status = claim_keys(k, list, count, ready, &ready_count);
    if (ready_count > 0) k->rounds = 0;

    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < ready_count; i++) d->stock[d->last++] = ready[i];
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    una_arena_release(&k->aside.scratch, mark);
    return status;
}

/* The key that is waited for and who has it. Nobody may: then it is free by now. */
static una_status tell_waiting(una_keeper *k)
{
    una_run *run = &k->aside;
    una_owner owner;
    size_t i = 0;
    while (i < k->count && k->at[k->todo[i]] != HELD) i++;
    if (i == k->count) return UNA_OK;
    const una_row_key *key = key_at(k, k->todo[i]);
    UNA_TRY(una_store_owner(&owner, k->desk->sweep->store, key, run));
    if (owner.process == 0) return UNA_OK;

    una_mark mark = una_arena_mark(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    una_row_key_describe(&text, key);
    una_log(run, UNA_LOG_NOTE, "waiting for %s, which process %ld on host %s has claimed; where that process is dead, "
            "this run takes over within two minutes; where it hangs, end it", text.at ? text.at : key->spec,
            owner.process, owner.host);
    una_arena_release(&run->scratch, mark);
    return UNA_OK;
}

static una_status look_again(una_keeper *k)
{
    k->again = una_clock() + 1e-6 * AGAIN_US;
    UNA_TRY(make_ready(k, 0, true));
    return ++k->rounds == PATIENCE ? tell_waiting(k) : UNA_OK;
}

/* ---- the thread ---------------------------------------------------------------------------------------------- */

typedef struct work { una_parcel *parcels; size_t claims; bool again, end; } work;

static size_t demand(const una_desk *d)
{
    size_t sum = d->waiting;
    for (size_t i = 0; i < d->ranks; i++) sum += d->unmet[i];
    return sum;
}

/* With the lock: what there is to do. Threads that wait while there are free keys make it look further ahead. */
static bool find_work(una_keeper *k, work *w)
{
    una_desk *d = k->desk;
    size_t ready = d->last - d->first, wanted = demand(d);
    bool open = d->state == UNA_DESK_OPEN, any = k->next < k->count;
    *w = (work){ .parcels = d->finished, .end = d->closed && !d->finished };
    d->finished = NULL;
    d->end = &d->finished;
    if (open && any && ready < wanted + k->ahead) w->claims = wanted + k->ahead - ready;
    if (open && !any && k->left > 0 && wanted > ready) w->again = una_clock() >= k->again;
    return w->parcels || w->claims || w->again || w->end;
}

static una_status do_work(una_keeper *k, const work *w)
{
    una_status status = UNA_OK;
    if (w->claims) status = make_ready(k, w->claims, false);     /* first, for somebody may wait */
    if (w->parcels) {
        una_status stored = store_parcels(k, w->parcels);
        if (status == UNA_OK) status = stored;
    }
    return status == UNA_OK && w->again ? look_again(k) : status;
}

static void give_back_claims(una_keeper *k)
{
    const una_sweep *sweep = k->desk->sweep;
    for (size_t i = 0; i < k->count; i++)
        if (k->at[k->todo[i]] == OURS) (void)una_store_drop(sweep->store, key_at(k, k->todo[i]), &k->aside);
}

static void *keep(void *context)
{
    una_keeper *k = context;
    una_desk *d = k->desk;
    size_t most = k->ahead * MOST_AHEAD;
    for (bool begun = false;; begun = true) {
        work w;
        pthread_mutex_lock(&d->lock);
        if (k->left == 0 && d->state == UNA_DESK_OPEN) {
            d->state = UNA_DESK_OVER;
            pthread_cond_broadcast(&d->news);
        }
        bool starved = begun && k->next < k->count && demand(d) > d->last - d->first;
        if (starved && k->ahead < most) k->ahead *= 2;
        while (!find_work(k, &w)) una_desk_wait(d, AGAIN_US);
        pthread_mutex_unlock(&d->lock);
        if (w.end) break;
        una_status status = do_work(k, &w);
        if (status != UNA_OK) una_desk_fail(d, status, k->aside.message);
    }
    give_back_claims(k);
    una_desk_aside_free(&k->aside);
    return NULL;
}

una_status una_keeper_start(una_keeper **out, una_desk *desk, const size_t *todo, una_arena *arena)
{
    una_keeper *k = UNA_GET(arena, una_keeper, 1);
    unsigned char *at = UNA_GET(arena, unsigned char, desk->sweep->plan->count);
    *out = NULL;
    UNA_TRY(una_arena_check(arena));
    size_t threads = (size_t)una_threads(desk->run) * desk->ranks;
    size_t ahead = desk->ranks > 1 ? SPARE * threads : threads;          /* a process leaves something to others */
    *k = (una_keeper){ .desk = desk, .todo = todo, .at = at, .count = desk->count, .left = desk->count,
                       .ahead = ahead < desk->count ? ahead : desk->count };
    if (k->ahead == 0) k->ahead = 1;
    una_desk_aside(&k->aside, desk->run);
    if (una_thread_start(&k->thread, keep, k) != 0)
        UNA_FAIL(desk->run, UNA_E_MEMORY, "no thread could be started for the store of results");
    *out = k;
    return UNA_OK;
}

void una_keeper_join(una_keeper *k)
{
    if (k) pthread_join(k->thread, NULL);
}
