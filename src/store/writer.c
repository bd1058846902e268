/* SPDX-License-Identifier: MIT
 *
 * The writer of a store: one thread that claims keys before they are asked for, several in one transaction, and writes
 * the rows that were put back, all of them in another. So no fit waits for the disk. When only keys of other processes
 * are left, the writer checks them again and again, and takes over those whose owner has died.
 */
#include "store/writer.h"

#include "store/packet.h"

/* After PATIENCE checks a note says which process is waited for. The writer keeps keys available: one for each thread,
 * SPARE with ranks, and up to MOST_AHEAD times as many where fits are short. */
enum { PATIENCE = 10, SPARE = 3, MOST_AHEAD = 4 };
static const double again_seconds = 0.05;

typedef enum key_state { FREE, HELD, OURS, DONE } key_state;     /* HELD: claimed by another process                */

struct una_writer {
    una_queue     *queue;
    una_run        child;
    pthread_t      thread;
    unsigned char *at;                   /* [plan] state of each key                                                */
    size_t         count, left, next;    /* keys without a row; the first that may be free                          */
    size_t         ahead;                /* how many keys are kept available                                        */
    size_t         tries;
    double         again;                /* when keys of other processes are checked again                          */
};

static const una_row_key *key_at(const una_writer *writer, size_t key)
{
    return &writer->queue->sweep->plan->keys[key];
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

static una_status store_all(una_writer *writer, const una_packet *packets, size_t *rows_in)
{
    una_run *run = &writer->child;
    una_text bytes = una_text_in(&run->scratch);
    una_row *rows;
    for (const una_packet *p = packets; p; p = p->next) una_text_bytes(&bytes, p->bytes, (size_t)p->head.size);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_packet_unpack(&rows, rows_in, bytes.at, bytes.length, &run->scratch, run));
    return una_store_put(writer->queue->sweep->store, rows, *rows_in, true, NULL, run);
}

static una_status store_packets(una_writer *writer, una_packet *packets)
{
    una_queue *queue = writer->queue;
    size_t keys = 0, rows = 0;
    una_status status = store_all(writer, packets, &rows);
    for (const una_packet *p = packets; p && status == UNA_OK; p = p->next, keys++) writer->at[p->head.key] = DONE;
    una_packets_free(packets, &writer->child);
    UNA_TRY(status);
    writer->left -= keys;
    writer->tries = 0;
    pthread_mutex_lock(&queue->lock);
    queue->sweep->made += keys;
    queue->sweep->extra += rows - keys;
    pthread_mutex_unlock(&queue->lock);
    return UNA_OK;
}

/* ---- keys out ------------------------------------------------------------------------------------------------ */

/* The row may have been written between the listing and the claim. */
static una_status note_claimed_key(una_writer *writer, size_t key, bool granted, size_t *ready, size_t *count)
{
    const una_sweep *sweep = writer->queue->sweep;
    bool done = false;
    if (granted || writer->at[key] == HELD)
        UNA_TRY(una_sweep_has_row(&done, sweep, key_at(writer, key), &writer->child));
    if (granted && done) UNA_TRY(una_store_drop(sweep->store, key_at(writer, key), &writer->child));
    writer->at[key] = (unsigned char)(granted ? OURS : HELD);
    if (done) writer->at[key] = DONE;
    if (writer->at[key] == OURS) ready[(*count)++] = key;
    if (done) writer->left--;
    if (done) writer->queue->tally.done++;
    return UNA_OK;
}

static una_status claim_keys(una_writer *writer, const size_t *list, size_t count, size_t *ready, size_t *ready_count)
{
    una_run *run = &writer->child;
    UNA_NEW(&run->scratch, const una_row_key *, keys, count);
    UNA_NEW(&run->scratch, bool, granted, count);
    for (size_t i = 0; i < count; i++) keys[i] = key_at(writer, list[i]);
    UNA_TRY(una_store_claim_all(granted, writer->queue->sweep->store, keys, count, run));
    for (size_t i = 0; i < count; i++)
        UNA_SCOPED(run, note_claimed_key(writer, list[i], granted[i], ready, ready_count));
    return UNA_OK;
}

/* Up to `wanted` keys that were free when last checked; with `held`, keys that other processes have claimed. */
static size_t choose_keys(una_writer *writer, size_t *list, size_t wanted, bool held)
{
    size_t count = 0;
    for (size_t i = held ? 0 : writer->next; i < writer->count && count < wanted; i++) {
        size_t key = writer->queue->todo[i];
        if (writer->at[key] == (held ? HELD : FREE)) list[count++] = key;
        if (!held) writer->next = i + 1;
    }
    return count;
}

static una_status make_ready(una_writer *writer, size_t wanted, bool held)
{
    una_queue *queue = writer->queue;
    size_t most = held ? writer->count : wanted, ready_count = 0;
    UNA_NEW(&writer->child.scratch, size_t, list, most);
    UNA_NEW(&writer->child.scratch, size_t, ready, most);
    size_t count = choose_keys(writer, list, most, held);
    if (count > 0) UNA_TRY(claim_keys(writer, list, count, ready, &ready_count));
    if (ready_count > 0) writer->tries = 0;

    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < ready_count; i++) queue->available[queue->last++] = ready[i];
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return UNA_OK;
}

/* Logs one key that is waited for and its owner. No owner: it has become free. */
static una_status log_waiting(una_writer *writer)
{
    una_run *run = &writer->child;
    una_owner owner;
    size_t i = 0;
    while (i < writer->count && writer->at[writer->queue->todo[i]] != HELD) i++;
    if (i == writer->count) return UNA_OK;
    const una_row_key *key = key_at(writer, writer->queue->todo[i]);
    UNA_TRY(una_store_owner(&owner, writer->queue->sweep->store, key, run));
    if (owner.process == 0) return UNA_OK;

    una_text text = una_text_in(&run->scratch);
    una_row_key_describe(&text, key);
    una_log(run, UNA_LOG_NOTE, "waiting for %s, which process %ld on host %s has claimed; where that process is dead, "
            "this run takes over within two minutes; where it hangs, end it", text.at ? text.at : key->spec,
            owner.process, owner.host);
    return UNA_OK;
}

static una_status check_held_keys(una_writer *writer)
{
    writer->again = una_clock() + again_seconds;
    UNA_TRY(make_ready(writer, 0, true));
    return ++writer->tries == PATIENCE ? log_waiting(writer) : UNA_OK;
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
static bool find_work(una_writer *writer, work *w)
{
    una_queue *queue = writer->queue;
    size_t ready = queue->last - queue->first, wanted = wanted_keys(queue);
    bool open = queue->state == UNA_QUEUE_OPEN, any = writer->next < writer->count;
    *w = (work){ .packets = una_queue_finished(queue) };
    w->end = queue->closed && !w->packets;
    if (open && any && ready < wanted + writer->ahead) w->claims = wanted + writer->ahead - ready;
    if (open && !any && writer->left > 0 && wanted > ready) w->again = una_clock() >= writer->again;
    return w->packets || w->claims || w->again || w->end;
}

static una_status do_work(una_writer *writer, const work *w)
{
    una_status ready = w->claims ? make_ready(writer, w->claims, false) : UNA_OK;     /* a thread may be waiting */
    una_status stored = w->packets ? store_packets(writer, w->packets) : UNA_OK;
    UNA_TRY(ready);
    UNA_TRY(stored);
    return w->again ? check_held_keys(writer) : UNA_OK;
}

static void give_back_claims(una_writer *writer)
{
    const una_queue *queue = writer->queue;
    for (size_t i = 0; i < writer->count; i++)
        if (writer->at[queue->todo[i]] == OURS)
            (void)una_store_drop(queue->sweep->store, key_at(writer, queue->todo[i]), &writer->child);
}

static void *writer_thread(void *context)
{
    una_writer *writer = context;
    una_queue *queue = writer->queue;
    size_t most = writer->ahead * MOST_AHEAD;
    for (bool begun = false;; begun = true) {
        work w;
        pthread_mutex_lock(&queue->lock);
        if (writer->left == 0 && queue->state == UNA_QUEUE_OPEN) {
            queue->state = UNA_QUEUE_DONE;
            pthread_cond_broadcast(&queue->changed);
        }
        bool starved = begun && writer->next < writer->count && wanted_keys(queue) > queue->last - queue->first;
        if (starved && writer->ahead < most) writer->ahead *= 2;
        while (!find_work(writer, &w)) una_condition_wait(&queue->changed, &queue->lock, again_seconds);
        pthread_mutex_unlock(&queue->lock);
        if (w.end) break;
        una_mark mark = una_arena_mark(&writer->child.scratch);
        una_status status = do_work(writer, &w);
        una_arena_release(&writer->child.scratch, mark);
        if (status != UNA_OK) una_queue_fail(queue, status, writer->child.message);
    }
    give_back_claims(writer);
    una_queue_child_run_free(&writer->child);
    return NULL;
}

una_status una_writer_start(una_writer **out, una_queue *queue)
{
    *out = NULL;
    UNA_NEW(queue->arena, una_writer, writer, 1);
    UNA_NEW(queue->arena, unsigned char, at, queue->sweep->plan->count);
    size_t threads = (size_t)una_threads(queue->run) * queue->ranks;
    size_t ahead = queue->ranks > 1 ? SPARE * threads : threads;         /* a single process leaves keys to others */
    *writer = (una_writer){ .queue = queue, .at = at, .count = queue->count, .left = queue->count,
                            .ahead = ahead < queue->count ? ahead : queue->count };
    if (writer->ahead == 0) writer->ahead = 1;
    una_queue_child_run(&writer->child, queue->run);
    if (una_thread_start(&writer->thread, writer_thread, writer) != 0)
        UNA_FAIL(queue->run, UNA_E_MEMORY, "no thread could be started for the store of results");
    *out = writer;
    return UNA_OK;
}

void una_writer_join(una_writer *writer)
{
    if (writer) pthread_join(writer->thread, NULL);
}
