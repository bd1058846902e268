/* SPDX-License-Identifier: MIT
 *
 * How the queues of several ranks work as one. The messenger of a rank other than 0 sends a message whenever a thread
 * wants a key or has put rows back, and otherwise from time to time: how many keys the rank wants, its state, and the
 * rows. Each message gets one answer: as many keys as are available, and the state of the sweep. So a rank that is
 * sending never has to receive at the same time.
 *
 * The last message says that the rank leaves. It is answered when all ranks have left, so that nothing a rank sends
 * afterwards is mistaken for a message.
 */
#include "sweep/queue.h"

#include "base/thread.h"

#include <string.h>
#include <time.h>

enum { POLL_US = 1000, LOOK_US = 50000, ASK_AGAIN_US = 3000, LATEST_US = 500000 };

typedef struct message_head {
    uint64_t wanted, spare, packets, leaves;     /* spare: more keys, so that the next thread need not wait    */
    int64_t  state;                      /* una_queue_state */
    double   worked, waited;             /* since the last message */
} message_head;
typedef struct packet_head { uint64_t key, size; } packet_head;
typedef struct answer_head { int64_t state; uint64_t count; } answer_head;     /* the keys follow, if there are any */

struct una_messenger {
    una_queue *queue;
    una_run   child;
    pthread_t thread;
    int       present;                   /* rank 0: how many other ranks have not left                       */
    unsigned  in_vain;                   /* others: letters in a row that wanted more keys than came           */
    una_queue_state sent_state;          /* state in the last message                                        */
    double    asked;                     /* when the last message was sent                                   */
};

static void sleep_us(long microseconds)
{
    struct timespec time = { .tv_nsec = microseconds * 1000 };
    nanosleep(&time, NULL);
}

/* The caller holds the lock. Fits read the queue's cancel flag: an interruption of any rank raises it. */
static void pass_on_interruption(una_queue *d)
{
    if (d->outer && *d->outer && d->state != UNA_QUEUE_INTERRUPTED) {
        d->state = UNA_QUEUE_INTERRUPTED;
        pthread_cond_broadcast(&d->news);
    }
    if (d->state == UNA_QUEUE_INTERRUPTED) d->cancel = 1;
}

static void take_queue_state(una_queue *d, int64_t state)
{
    if (state == UNA_QUEUE_STOPPED || state == UNA_QUEUE_INTERRUPTED)
        una_queue_stop(d, state == UNA_QUEUE_INTERRUPTED ? UNA_CANCELLED : UNA_OK);
}

/* ---- rank 0 -------------------------------------------------------------------------------------------------- */

static una_status damaged_message(int from, una_run *run)
{
    UNA_FAIL(run, UNA_E_IO, "what rank %d sent cannot be read; every rank needs the same una", from);
}

/* The packets behind the head, each in its own memory. */
static una_status unpack_packets(una_messenger *c, int from, const char *at, size_t left, uint64_t count)
{
    una_queue *d = c->queue;
    for (uint64_t i = 0; i < count; i++) {
        packet_head h;
        if (left < sizeof h) return damaged_message(from, &c->child);
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        left -= sizeof h;
        if (h.size > left || h.key >= d->sweep->plan->count) return damaged_message(from, &c->child);
        una_packet *packet = una_packet_new((size_t)h.key, (size_t)h.size, &c->child);
        if (!packet) return UNA_E_MEMORY;
        memcpy(packet->bytes, at, (size_t)h.size);
        at += h.size;
        left -= (size_t)h.size;
        pthread_mutex_lock(&d->lock);
        una_queue_append(d, packet);
        pthread_mutex_unlock(&d->lock);
        d->tally->done++;
    }
    return UNA_OK;
}

/* How many keys a rank gets; the caller holds the lock. Spare keys are given only while many are left: towards the end
 * they would sit on one rank while another is idle. */
static size_t granted_count(const una_queue *d, uint64_t wanted, uint64_t spare)
{
    uint64_t left = d->count - d->first, enough = wanted + spare + 2 * d->ranks * (uint64_t)una_threads(d->run);
    if (left >= enough) wanted += spare;
    return wanted < left ? (size_t)wanted : (size_t)left;
}

static una_status answer_message(una_messenger *c, int from, uint64_t wanted, uint64_t spare)
{
    una_queue *d = c->queue;
    if (wanted > d->count) wanted = d->count;
    if (spare > d->count) spare = d->count;
    uint64_t *keys = UNA_GET(&c->child.scratch, uint64_t, (size_t)(wanted + spare));
    UNA_TRY(una_arena_check(&c->child.scratch));

    answer_head h = { .count = 0 };
    pthread_mutex_lock(&d->lock);
    size_t most = granted_count(d, wanted, spare);
    h.state = d->state;
    while (d->state == UNA_QUEUE_OPEN && h.count < most && d->first < d->last)
        keys[h.count++] = d->available[d->first++];
    d->shortfall[from] = d->state == UNA_QUEUE_OPEN && wanted > h.count ? (size_t)(wanted - h.count) : 0;
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    UNA_TRY(una_ranks_send(from, &h, sizeof h, &c->child));
    return una_ranks_send(from, keys, (size_t)h.count * sizeof *keys, &c->child);
}

static una_status take_message(una_messenger *c, int from, size_t size)
{
    una_queue *d = c->queue;
    message_head h;
    char *bytes = UNA_GET(&c->child.scratch, char, size);
    UNA_TRY(una_arena_check(&c->child.scratch));
    UNA_TRY(una_ranks_receive(from, bytes, size, &c->child));
    if (size < sizeof h) return damaged_message(from, &c->child);
    memcpy(&h, bytes, sizeof h);
    UNA_TRY(unpack_packets(c, from, bytes + sizeof h, size - sizeof h, h.packets));
    take_queue_state(d, h.state);
    pthread_mutex_lock(&d->lock);
    d->worked += h.worked;
    d->waited += h.waited;
    pthread_mutex_unlock(&d->lock);
    if (!h.leaves) return answer_message(c, from, h.wanted, h.spare);
    c->present--;
    return UNA_OK;
}

static una_status serve_ranks(una_messenger *c)
{
    while (c->present > 0) {
        int from;
        size_t size;
        pthread_mutex_lock(&c->queue->lock);
        pass_on_interruption(c->queue);
        pthread_mutex_unlock(&c->queue->lock);
        UNA_TRY(una_ranks_arrived(&from, &size, &c->child));
        if (from < 0) {
            sleep_us(POLL_US);
            continue;
        }
        una_mark mark = una_arena_mark(&c->child.scratch);
        una_status status = take_message(c, from, size);
        una_arena_release(&c->child.scratch, mark);
        UNA_TRY(status);
    }
    for (int r = 1; r < c->queue->sweep->ranks->count; r++) UNA_TRY(answer_message(c, r, 0, 0));
    return UNA_OK;
}

/* ---- the other ranks ----------------------------------------------------------------------------------------- */

/* How long to wait before asking again, where there were too few keys: longer each time. */
static long pause_of(const una_messenger *c)
{
    long pause = ASK_AGAIN_US;
    if (c->in_vain == 0) return 0;
    for (unsigned i = 1; i < c->in_vain && pause < LOOK_US; i++) pause *= 2;
    return pause < LOOK_US ? pause : LOOK_US;
}

/* The caller holds the lock. */
static bool must_send_message(const una_messenger *c)
{
    const una_queue *d = c->queue;
    double since = 1e6 * (una_clock() - c->asked);
    bool wants = d->state == UNA_QUEUE_OPEN && d->waiting > d->last - d->first;
    return d->finished || d->closed || d->state != c->sent_state || (wants && since >= (double)pause_of(c)) ||
           since > LATEST_US;
}

/* The caller holds the lock. The packets now belong to the messenger. */
static message_head begin_message(una_messenger *c, una_packet **packets, size_t *size)
{
    una_queue *d = c->queue;
    message_head h = { .leaves = d->closed, .state = d->state, .worked = d->worked, .waited = d->waited };
    size_t ready = d->last - d->first, threads = (size_t)una_threads(d->run);
    if (d->state == UNA_QUEUE_OPEN && d->waiting > ready) h.wanted = d->waiting - ready;
    if (d->state == UNA_QUEUE_OPEN && d->waiting + threads > ready) h.spare = d->waiting + threads - ready - h.wanted;
    *packets = d->finished;
    *size = sizeof h;
    for (const una_packet *p = *packets; p; p = p->next, h.packets++) *size += sizeof(packet_head) + p->size;
    d->finished = NULL;
    d->end = &d->finished;
    d->worked = d->waited = 0;
    return h;
}

static una_status send_message(una_messenger *c, const message_head *h, const una_packet *packets, size_t size)
{
    char *bytes = UNA_GET(&c->child.scratch, char, size), *at = bytes;
    UNA_TRY(una_arena_check(&c->child.scratch));
    memcpy(at, h, sizeof *h);
    at += sizeof *h;
    for (const una_packet *p = packets; p; p = p->next) {
        packet_head one = { p->key, p->size };
        memcpy(at, &one, sizeof one);
        memcpy(at + sizeof one, p->bytes, p->size);
        at += sizeof one + p->size;
    }
    return una_ranks_send(0, bytes, size, &c->child);
}

static una_status take_answer(una_messenger *c, uint64_t wanted)
{
    una_queue *d = c->queue;
    answer_head h;
    UNA_TRY(una_ranks_receive(0, &h, sizeof h, &c->child));
    if (h.count > d->count - d->last) return damaged_message(0, &c->child);
    uint64_t *keys = UNA_GET(&c->child.scratch, uint64_t, (size_t)h.count);
    UNA_TRY(una_arena_check(&c->child.scratch));
    UNA_TRY(una_ranks_receive(0, keys, (size_t)h.count * sizeof *keys, &c->child));

    take_queue_state(d, h.state);
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < h.count; i++) d->available[d->last++] = (size_t)keys[i];
    if (h.state == UNA_QUEUE_DONE && d->state == UNA_QUEUE_OPEN) d->state = UNA_QUEUE_DONE;
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    c->in_vain = h.count < wanted ? c->in_vain + 1 : 0;
    return UNA_OK;
}

static una_status exchange_once(una_messenger *c, bool *left)
{
    una_queue *d = c->queue;
    una_packet *packets;
    size_t size;
    pthread_mutex_lock(&d->lock);
    for (pass_on_interruption(d); !must_send_message(c); pass_on_interruption(d))
        una_queue_wait(d, d->waiting > 0 && c->in_vain > 0 ? pause_of(c) : LOOK_US);
    message_head h = begin_message(c, &packets, &size);
    c->sent_state = d->state;
    pthread_mutex_unlock(&d->lock);
    *left = h.leaves;
    c->asked = una_clock();

    una_mark mark = una_arena_mark(&c->child.scratch);
    una_status status = send_message(c, &h, packets, size);
    for (una_packet *next; packets; packets = next) {
        next = packets->next;
        una_release(&c->child, packets);
    }
    if (status == UNA_OK) status = take_answer(c, h.wanted);
    una_arena_release(&c->child.scratch, mark);
    return status;
}

static una_status exchange_messages(una_messenger *c)
{
    for (bool left = false; !left;) UNA_TRY(exchange_once(c, &left));
    return UNA_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------------- */

static void *messenger_thread(void *context)
{
    una_messenger *c = context;
    una_status status = c->queue->sweep->ranks->rank == 0 ? serve_ranks(c) : exchange_messages(c);
    if (status != UNA_OK) {
        una_queue_fail(c->queue, status, c->child.message);
        c->queue->alone = true;                          /* read once this thread has ended */
    }
    una_queue_child_run_free(&c->child);
    return NULL;
}

una_status una_messenger_start(una_messenger **out, una_queue *queue, una_arena *arena)
{
    una_messenger *c = UNA_GET(arena, una_messenger, 1);
    *out = NULL;
    UNA_TRY(una_arena_check(arena));
    *c = (una_messenger){ .queue = queue, .present = queue->sweep->ranks->count - 1, .asked = una_clock() };
    una_queue_child_run(&c->child, queue->run);
    c->child.settings.ranks = queue->sweep->ranks;
    if (una_thread_start(&c->thread, messenger_thread, c) != 0)
        UNA_FAIL(queue->run, UNA_E_MEMORY, "no thread could be started to speak with the other ranks");
    *out = c;
    return UNA_OK;
}

void una_messenger_join(una_messenger *c)
{
    if (c) pthread_join(c->thread, NULL);
}
