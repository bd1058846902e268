/* SPDX-License-Identifier: MIT
 *
 * The writer of a store: one thread that claims keys before they are asked for, several in one transaction, and writes
 * the rows that were put back, all of them in another. So no fit waits for the disk. When only keys of other processes
 * are left, the writer checks them again and again, and takes over those whose owner has died.
 */
#include "sweep/queue.h"

#include "base/thread.h"
#include "sweep/packet.h"

#include <string.h>

/* After PATIENCE checks a note says which process is waited for. The writer keeps keys available: one for each thread,
 * SPARE with ranks, and up to MOST_AHEAD times as many where fits are short. */
enum { AGAIN_US = 50000, PATIENCE = 10, SPARE = 3, MOST_AHEAD = 4 };

typedef enum key_state { FREE, HELD, OURS, DONE } key_state;     /* HELD: claimed by another process                */

struct una_writer {
    una_queue     *queue;
    una_run        child;
    pthread_t      thread;
    const size_t  *todo;                 /* [count]                                                                 */
    unsigned char *at;                   /* [plan] state of each key                                                */
    size_t         count, left, next;    /* keys without a row; the first that may be free                          */
    size_t         ahead;                /* how many keys are kept available                                        */
    size_t         tries;
    double         again;                /* when keys of other processes are checked again                          */
};

static const una_row_key *key_at(const una_writer *k, size_t key)
{
    return &k->queue->sweep->plan->keys[key];
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

static una_status store_all(una_writer *k, const una_packet *packets, size_t *rows_in)
{
    una_run *run = &k->child;
    una_text bytes = una_text_in(&run->scratch);
    una_row *rows;
    for (const una_packet *p = packets; p; p = p->next) una_text_bytes(&bytes, p->bytes, p->size);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_packet_unpack(&rows, rows_in, bytes.at, bytes.length, &run->scratch, run));
    return una_store_put(k->queue->sweep->store, rows, *rows_in, true, NULL, NULL, run);
}

static una_status store_packets(una_writer *k, una_packet *packets)
{
    una_queue *d = k->queue;
    size_t keys = 0, rows = 0;
    una_mark mark = una_arena_mark(&k->child.scratch);
    una_status status = store_all(k, packets, &rows);
    una_arena_release(&k->child.scratch, mark);
    for (una_packet *p = packets, *next; p; p = next, keys++) {
        next = p->next;
        if (status == UNA_OK) k->at[p->key] = DONE;
        una_release(&k->child, p);
    }
    UNA_TRY(status);
    k->left -= keys;
    k->tries = 0;
    pthread_mutex_lock(&d->lock);
    d->made += keys;
    d->extra += rows - keys;
    pthread_mutex_unlock(&d->lock);
    return UNA_OK;
}

/* ---- keys out ------------------------------------------------------------------------------------------------ */

/* The row may have been written between the listing and the claim. */
static una_status sort_claimed_key(una_writer *k, size_t key, bool granted, size_t *ready, size_t *count)
{
    const una_sweep *sweep = k->queue->sweep;
    bool done = false;
    if (granted || k->at[key] == HELD) UNA_TRY(una_sweep_done(&done, sweep, key_at(k, key), &k->child));
    if (granted && done) UNA_TRY(una_store_drop(sweep->store, key_at(k, key), &k->child));
    k->at[key] = (unsigned char)(granted ? OURS : HELD);
    if (done) k->at[key] = DONE;
    if (k->at[key] == OURS) ready[(*count)++] = key;
    if (done) k->left--;
    if (done) k->queue->tally->done++;
    return UNA_OK;
}

static una_status claim_keys(una_writer *k, const size_t *list, size_t count, size_t *ready, size_t *ready_count)
{
    una_run *run = &k->child;
    const una_row_key **keys = UNA_GET(&run->scratch, const una_row_key *, count);
    bool *granted = UNA_GET(&run->scratch, bool, count);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < count; i++) keys[i] = key_at(k, list[i]);
    UNA_TRY(una_store_claim_all(granted, k->queue->sweep->store, keys, count, run));
    for (size_t i = 0; i < count; i++) UNA_TRY(sort_claimed_key(k, list[i], granted[i], ready, ready_count));
    return UNA_OK;
}

/* Up to `wanted` keys that were free when last checked; with `held`, keys that other processes have claimed. */
static size_t choose_keys(una_writer *k, size_t *list, size_t wanted, bool held)
{
    size_t count = 0;
    for (size_t i = held ? 0 : k->next; i < k->count && count < wanted; i++) {
        if (k->at[k->todo[i]] == (held ? HELD : FREE)) list[count++] = k->todo[i];
        if (!held) k->next = i + 1;
    }
    return count;
}

static una_status make_ready(una_writer *k, size_t wanted, bool held)
{
    una_queue *d = k->queue;
    size_t most = held ? k->count : wanted, ready_count = 0;
    una_mark mark = una_arena_mark(&k->child.scratch);
    size_t *list = UNA_GET(&k->child.scratch, size_t, most), *ready = UNA_GET(&k->child.scratch, size_t, most);
    una_status status = una_arena_check(&k->child.scratch);
    size_t count = status == UNA_OK ? choose_keys(k, list, most, held) : 0;
    if (count > 0) status = claim_keys(k, list, count, ready, &ready_count);
    if (ready_count > 0) k->tries = 0;

    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < ready_count; i++) d->available[d->last++] = ready[i];
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    una_arena_release(&k->child.scratch, mark);
    return status;
}

/* Logs one key that is waited for and its owner. No owner: it has become free. */
static una_status log_waiting(una_writer *k)
{
    una_run *run = &k->child;
    una_owner owner;
    size_t i = 0;
    while (i < k->count && k->at[k->todo[i]] != HELD) i++;
    if (i == k->count) return UNA_OK;
    const una_row_key *key = key_at(k, k->todo[i]);
    UNA_TRY(una_store_owner(&owner, k->queue->sweep->store, key, run));
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

static una_status check_held_keys(una_writer *k)
{
    k->again = una_clock() + 1e-6 * AGAIN_US;
    UNA_TRY(make_ready(k, 0, true));
    return ++k->tries == PATIENCE ? log_waiting(k) : UNA_OK;
}

/* ---- the thread ---------------------------------------------------------------------------------------------- */

typedef struct work { una_packet *packets; size_t claims; bool again, end; } work;

static size_t wanted_keys(const una_queue *d)
{
    size_t sum = d->waiting;
    for (size_t i = 0; i < d->ranks; i++) sum += d->shortfall[i];
    return sum;
}

/* What there is to do; the caller holds the lock. */
static bool find_work(una_writer *k, work *w)
{
    una_queue *d = k->queue;
    size_t ready = d->last - d->first, wanted = wanted_keys(d);
    bool open = d->state == UNA_QUEUE_OPEN, any = k->next < k->count;
    *w = (work){ .packets = d->finished, .end = d->closed && !d->finished };
    d->finished = NULL;
    d->end = &d->finished;
    if (open && any && ready < wanted + k->ahead) w->claims = wanted + k->ahead - ready;
    if (open && !any && k->left > 0 && wanted > ready) w->again = una_clock() >= k->again;
    return w->packets || w->claims || w->again || w->end;
}

static una_status do_work(una_writer *k, const work *w)
{
    una_status status = UNA_OK;
    if (w->claims) status = make_ready(k, w->claims, false);     /* first, because a thread may be waiting */
    if (w->packets) {
        una_status stored = store_packets(k, w->packets);
        if (status == UNA_OK) status = stored;
    }
    return status == UNA_OK && w->again ? check_held_keys(k) : status;
}

static void give_back_claims(una_writer *k)
{
    const una_sweep *sweep = k->queue->sweep;
    for (size_t i = 0; i < k->count; i++)
        if (k->at[k->todo[i]] == OURS) (void)una_store_drop(sweep->store, key_at(k, k->todo[i]), &k->child);
}

static void *writer_thread(void *context)
{
    una_writer *k = context;
    una_queue *d = k->queue;
    size_t most = k->ahead * MOST_AHEAD;
    for (bool begun = false;; begun = true) {
        work w;
        pthread_mutex_lock(&d->lock);
        if (k->left == 0 && d->state == UNA_QUEUE_OPEN) {
            d->state = UNA_QUEUE_DONE;
            pthread_cond_broadcast(&d->news);
        }
        bool starved = begun && k->next < k->count && wanted_keys(d) > d->last - d->first;
        if (starved && k->ahead < most) k->ahead *= 2;
        while (!find_work(k, &w)) una_queue_wait(d, AGAIN_US);
        pthread_mutex_unlock(&d->lock);
        if (w.end) break;
        una_status status = do_work(k, &w);
        if (status != UNA_OK) una_queue_fail(d, status, k->child.message);
    }
    give_back_claims(k);
    una_queue_child_run_free(&k->child);
    return NULL;
}

una_status una_writer_start(una_writer **out, una_queue *queue, const size_t *todo, una_arena *arena)
{
    una_writer *k = UNA_GET(arena, una_writer, 1);
    unsigned char *at = UNA_GET(arena, unsigned char, queue->sweep->plan->count);
    *out = NULL;
    UNA_TRY(una_arena_check(arena));
    size_t threads = (size_t)una_threads(queue->run) * queue->ranks;
    size_t ahead = queue->ranks > 1 ? SPARE * threads : threads;         /* a single process leaves keys to others */
    *k = (una_writer){ .queue = queue, .todo = todo, .at = at, .count = queue->count, .left = queue->count,
                       .ahead = ahead < queue->count ? ahead : queue->count };
    if (k->ahead == 0) k->ahead = 1;
    una_queue_child_run(&k->child, queue->run);
    if (una_thread_start(&k->thread, writer_thread, k) != 0)
        UNA_FAIL(queue->run, UNA_E_MEMORY, "no thread could be started for the store of results");
    *out = k;
    return UNA_OK;
}

void una_writer_join(una_writer *k)
{
    if (k) pthread_join(k->thread, NULL);
}
