/* SPDX-License-Identifier: MIT
 *
 * The writer of a store: one thread that claims keys before they are asked for, several in one transaction, and writes
 * the rows that were put back, all of them in another. So no fit waits for the disk. When only keys of other processes
 * are left, the writer checks them again and again, and takes over those whose owner has died.
 */
#include "store/queue.h"

#include "store/packet.h"

/* After PATIENCE checks a note says which process is waited for. The writer keeps keys available: one for each thread,
 * SPARE with ranks, and up to MOST_AHEAD times as many where fits are short. */
enum { PATIENCE = 10, SPARE = 3, MOST_AHEAD = 4 };
static const double again_seconds = 0.05;

typedef enum key_state { FREE, HELD, OURS, DONE } key_state;     /* HELD: claimed by another process                */

typedef struct writer {
    una_helper     self;
    unsigned char *at;                   /* [plan] state of each key                                                */
    size_t         count, left, next;    /* keys without a row; the first that may be free                          */
    size_t         ahead;                /* how many keys are kept available                                        */
    size_t         tries;
    double         again;                /* when keys of other processes are checked again                          */
} writer;

static const una_row_key *key_at(const writer *w, size_t key)
{
    return &w->self.queue->sweep->plan->keys[key];
}

una_status una_sweep_has_row(bool *done, const una_sweep *sweep, const una_row_key *key, una_run *run)
{
    una_row row = {0};
    UNA_TRY(una_store_find(done, &row, sweep->store, key, &run->scratch, run));
    for (size_t i = 0; *done && i < sweep->measure_count; i++)
        *done = una_row_find(&row, sweep->measures[i]) != SIZE_MAX;
    return UNA_OK;
}

/* ---- rows in ------------------------------------------------------------------------------------------------- */

static una_status store_all(writer *w, const una_packet *packets, size_t *rows_in)
{
    una_run *run = &w->self.child;
    una_text bytes = una_text_in(&run->scratch);
    una_row *rows;
    for (const una_packet *p = packets; p; p = p->next) una_text_bytes(&bytes, p->bytes, (size_t)p->head.size);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_packet_unpack(&rows, rows_in, bytes.at, bytes.length, &run->scratch, run));
    return una_store_put(w->self.queue->sweep->store, rows, *rows_in, true, NULL, run);
}

static una_status store_packets(writer *w, una_packet *packets)
{
    una_queue *queue = w->self.queue;
    size_t keys = 0, rows = 0;
    una_status status = store_all(w, packets, &rows);
    for (const una_packet *p = packets; p && status == UNA_OK; p = p->next, keys++) w->at[p->head.key] = DONE;
    una_packets_free(packets, &w->self.child);
    UNA_TRY(status);
    w->left -= keys;
    w->tries = 0;
    pthread_mutex_lock(&queue->lock);
    queue->sweep->made += keys;
    queue->sweep->extra += rows - keys;
    pthread_mutex_unlock(&queue->lock);
    return UNA_OK;
}

/* ---- keys out ------------------------------------------------------------------------------------------------ */

/* The row may have been written between the listing and the claim. */
static una_status note_claimed_key(writer *w, size_t key, bool granted, size_t *ready, size_t *count)
{
    const una_sweep *sweep = w->self.queue->sweep;
    bool done = false;
    if (granted || w->at[key] == HELD)
        UNA_TRY(una_sweep_has_row(&done, sweep, key_at(w, key), &w->self.child));
    if (granted && done) UNA_TRY(una_store_drop(sweep->store, key_at(w, key), &w->self.child));
    w->at[key] = (unsigned char)(granted ? OURS : HELD);
    if (done) w->at[key] = DONE;
    if (w->at[key] == OURS) ready[(*count)++] = key;
    if (done) w->left--;
    if (done) w->self.queue->tally.done++;
    return UNA_OK;
}

static una_status claim_keys(writer *w, const size_t *list, size_t count, size_t *ready, size_t *ready_count)
{
    una_run *run = &w->self.child;
    UNA_NEW(&run->scratch, const una_row_key *, keys, count);
    UNA_NEW(&run->scratch, bool, granted, count);
    for (size_t i = 0; i < count; i++) keys[i] = key_at(w, list[i]);
    UNA_TRY(una_store_claim_all(granted, w->self.queue->sweep->store, keys, count, run));
    for (size_t i = 0; i < count; i++)
        UNA_SCOPED(run, note_claimed_key(w, list[i], granted[i], ready, ready_count));
    return UNA_OK;
}

/* Up to `wanted` keys that were free when last checked; with `held`, keys that other processes have claimed. */
static size_t choose_keys(writer *w, size_t *list, size_t wanted, bool held)
{
    size_t count = 0;
    for (size_t i = held ? 0 : w->next; i < w->count && count < wanted; i++) {
        size_t key = w->self.queue->todo[i];
        if (w->at[key] == (held ? HELD : FREE)) list[count++] = key;
        if (!held) w->next = i + 1;
    }
    return count;
}

static una_status make_ready(writer *w, size_t wanted, bool held)
{
    una_queue *queue = w->self.queue;
    size_t most = held ? w->count : wanted, ready_count = 0;
    UNA_NEW(&w->self.child.scratch, size_t, list, most);
    UNA_NEW(&w->self.child.scratch, size_t, ready, most);
    size_t count = choose_keys(w, list, most, held);
    if (count > 0) UNA_TRY(claim_keys(w, list, count, ready, &ready_count));
    if (ready_count > 0) w->tries = 0;

    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < ready_count; i++) queue->available[queue->last++] = ready[i];
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return UNA_OK;
}

/* Logs one key that is waited for and its owner. No owner: it has become free. */
static una_status log_waiting(writer *w)
{
    una_run *run = &w->self.child;
    una_owner_name owner;
    bool held;
    size_t i = 0;
    while (i < w->count && w->at[w->self.queue->todo[i]] != HELD) i++;
    if (i == w->count) return UNA_OK;
    const una_row_key *key = key_at(w, w->self.queue->todo[i]);
    UNA_TRY(una_store_owner(&held, &owner, w->self.queue->sweep->store, key, run));
    if (!held) return UNA_OK;

    una_log(run, UNA_LOG_NOTE, "waiting for %s, which process %ld on host %.*s has claimed; where that process is dead, "
            "this run takes over within two minutes; where it hangs, end it", una_row_key_describe(key, &run->scratch),
            owner.process, (int)strcspn(owner.host, "/"), owner.host);
    return UNA_OK;
}

static una_status check_held_keys(writer *w)
{
    w->again = una_clock() + again_seconds;
    UNA_TRY(make_ready(w, 0, true));
    return ++w->tries == PATIENCE ? log_waiting(w) : UNA_OK;
}

/* ---- the thread ---------------------------------------------------------------------------------------------- */

typedef struct work { una_packet *packets; size_t claims; bool again, end; } work;

static size_t wanted_keys(const una_queue *queue)
{
    size_t sum = queue->waiting;
    for (size_t i = 0; i < queue->ranks; i++) sum += queue->shortfall[i];
    return sum;
}

/* What there is to do; the caller holds the lock. */
static bool find_work(writer *w, work *task)
{
    una_queue *queue = w->self.queue;
    size_t ready = queue->last - queue->first, wanted = wanted_keys(queue);
    bool open = queue->state == UNA_QUEUE_OPEN, any = w->next < w->count;
    *task = (work){ .packets = una_queue_finished(queue) };
    task->end = queue->closed && !task->packets;
    if (open && any && ready < wanted + w->ahead) task->claims = wanted + w->ahead - ready;
    if (open && !any && w->left > 0 && wanted > ready) task->again = una_clock() >= w->again;
    return task->packets || task->claims || task->again || task->end;
}

static una_status do_work(writer *w, const work *task)
{
    una_status ready = task->claims ? make_ready(w, task->claims, false) : UNA_OK;     /* a thread may be waiting */
    una_status stored = task->packets ? store_packets(w, task->packets) : UNA_OK;
    UNA_TRY(ready);
    UNA_TRY(stored);
    return task->again ? check_held_keys(w) : UNA_OK;
}

static void give_back_claims(writer *w)
{
    const una_queue *queue = w->self.queue;
    for (size_t i = 0; i < w->count; i++)
        if (w->at[queue->todo[i]] == OURS)
            (void)una_store_drop(queue->sweep->store, key_at(w, queue->todo[i]), &w->self.child);
}

static void *writer_thread(void *context)
{
    writer *w = context;
    una_queue *queue = w->self.queue;
    una_run *run = &w->self.child;
    size_t most = w->ahead * MOST_AHEAD;
    for (bool begun = false;; begun = true) {
        work task;
        pthread_mutex_lock(&queue->lock);
        if (w->left == 0 && queue->state == UNA_QUEUE_OPEN) {
            queue->state = UNA_QUEUE_DONE;
            pthread_cond_broadcast(&queue->changed);
        }
        bool starved = begun && w->next < w->count && wanted_keys(queue) > queue->last - queue->first;
        if (starved && w->ahead < most) w->ahead *= 2;
        while (!find_work(w, &task)) una_condition_wait(&queue->changed, &queue->lock, again_seconds);
        pthread_mutex_unlock(&queue->lock);
        if (task.end) break;
        una_status status;
        UNA_SCOPED_CALL(status, run, do_work(w, &task));
        if (status != UNA_OK) una_queue_fail(queue, status, run->message);
    }
    give_back_claims(w);
    return NULL;
}

una_status una_writer_start(una_helper **out, una_queue *queue)
{
    UNA_NEW(queue->arena, writer, w, 1);
    UNA_NEW_AT(queue->arena, w->at, queue->sweep->plan->count);
    size_t threads = (size_t)una_threads(queue->run) * queue->ranks;
    w->count = w->left = queue->count;
    size_t ahead = queue->ranks > 1 ? SPARE * threads : threads;         /* a single process leaves keys to others */
    w->ahead = UNA_MAX(UNA_MIN(ahead, queue->count), 1);
    UNA_TRY(una_helper_start(&w->self, queue, writer_thread, "for the store of results"));
    *out = &w->self;
    return UNA_OK;
}
