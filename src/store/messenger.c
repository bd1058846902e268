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
#include "store/messenger.h"

#include <time.h>

/* Seconds. */
static const double poll_pause = 0.001, look_pause = 0.05, ask_again = 0.003, latest = 0.5;

typedef struct message_head {
    uint64_t wanted, spare, packets, departs;    /* spare: more keys, so that the next thread need not wait    */
    int64_t  state;                      /* una_queue_state */
    double   worked, waited;             /* since the last message */
} message_head;
typedef struct answer_head { int64_t state; uint64_t count; } answer_head;     /* the keys follow, if there are any */

struct una_messenger {
    una_queue *queue;
    una_run   child;
    pthread_t thread;
    int       present;                   /* rank 0: how many other ranks have not left                       */
    unsigned  in_vain;                   /* others: messages in a row that wanted more keys than came           */
    una_queue_state sent_state;          /* state in the last message                                        */
    double    asked;                     /* when the last message was sent                                   */
};

/* The caller holds the lock. Fits read the queue's cancel flag: an interruption of any rank raises it. */
static void pass_on_interruption(una_queue *queue)
{
    if (queue->caller_cancel && *queue->caller_cancel && queue->state != UNA_QUEUE_INTERRUPTED) {
        queue->state = UNA_QUEUE_INTERRUPTED;
        pthread_cond_broadcast(&queue->changed);
    }
    if (queue->state == UNA_QUEUE_INTERRUPTED) queue->cancel = 1;
}

static void take_queue_state(una_queue *queue, int64_t state)
{
    if (state == UNA_QUEUE_STOPPED || state == UNA_QUEUE_INTERRUPTED)
        una_queue_stop(queue, state == UNA_QUEUE_INTERRUPTED ? UNA_CANCELLED : UNA_OK);
}

/* ---- rank 0 -------------------------------------------------------------------------------------------------- */

static una_status damaged_message(int from, una_run *run)
{
    UNA_FAIL(run, UNA_E_IO, "what rank %d sent cannot be read; every rank needs the same una", from);
}

/* The packets behind the head, each in its own memory. */
static una_status unpack_packets(una_messenger *messenger, int from, const char *at, size_t left, uint64_t count)
{
    una_queue *queue = messenger->queue;
    una_packet_head h;
    for (uint64_t i = 0; i < count; i++, at += h.size, left -= (size_t)h.size) {
        if (left < sizeof h) return damaged_message(from, &messenger->child);
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        left -= sizeof h;
        if (h.size > left || h.key >= queue->sweep->plan->count) return damaged_message(from, &messenger->child);
        una_packet *packet = una_packet_new(h, at, &messenger->child);
        if (!packet) return UNA_E_MEMORY;
        pthread_mutex_lock(&queue->lock);
        una_queue_append(queue, packet);
        pthread_mutex_unlock(&queue->lock);
        queue->tally.done++;
    }
    return UNA_OK;
}

/* How many keys a rank gets; the caller holds the lock. Spare keys are given only while many are left: towards the end
 * they would sit on one rank while another is idle. */
static size_t granted_count(const una_queue *queue, uint64_t wanted, uint64_t spare)
{
    uint64_t left = queue->count - queue->first;
    uint64_t enough = wanted + spare + 2 * queue->ranks * (uint64_t)una_threads(queue->run);
    if (left >= enough) wanted += spare;
    return wanted < left ? (size_t)wanted : (size_t)left;
}

static una_status answer_message(una_messenger *messenger, int from, uint64_t wanted, uint64_t spare)
{
    una_queue *queue = messenger->queue;
    if (wanted > queue->count) wanted = queue->count;
    if (spare > queue->count) spare = queue->count;
    UNA_NEW(&messenger->child.scratch, uint64_t, keys, (size_t)(wanted + spare));

    answer_head h = { .count = 0 };
    pthread_mutex_lock(&queue->lock);
    size_t most = granted_count(queue, wanted, spare);
    h.state = queue->state;
    while (queue->state == UNA_QUEUE_OPEN && h.count < most && queue->first < queue->last)
        keys[h.count++] = queue->available[queue->first++];
    queue->shortfall[from] = queue->state == UNA_QUEUE_OPEN && wanted > h.count ? (size_t)(wanted - h.count) : 0;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    UNA_TRY(una_ranks_send(from, &h, sizeof h, &messenger->child));
    return una_ranks_send(from, keys, (size_t)h.count * sizeof *keys, &messenger->child);
}

static una_status take_message(una_messenger *messenger, int from, size_t size)
{
    una_queue *queue = messenger->queue;
    message_head h;
    UNA_NEW(&messenger->child.scratch, char, bytes, size);
    UNA_TRY(una_ranks_receive(from, bytes, size, &messenger->child));
    if (size < sizeof h) return damaged_message(from, &messenger->child);
    memcpy(&h, bytes, sizeof h);
    UNA_TRY(unpack_packets(messenger, from, bytes + sizeof h, size - sizeof h, h.packets));
    take_queue_state(queue, h.state);
    pthread_mutex_lock(&queue->lock);
    queue->sweep->worked += h.worked;
    queue->sweep->waited += h.waited;
    pthread_mutex_unlock(&queue->lock);
    if (!h.departs) return answer_message(messenger, from, h.wanted, h.spare);
    messenger->present--;
    return UNA_OK;
}

static una_status serve_ranks(una_messenger *messenger)
{
    const struct timespec pause = { .tv_nsec = (long)(1e9 * poll_pause) };
    while (messenger->present > 0) {
        int from;
        size_t size;
        pthread_mutex_lock(&messenger->queue->lock);
        pass_on_interruption(messenger->queue);
        pthread_mutex_unlock(&messenger->queue->lock);
        UNA_TRY(una_ranks_arrived(&from, &size, &messenger->child));
        if (from < 0) nanosleep(&pause, NULL);
        else UNA_SCOPED(&messenger->child, take_message(messenger, from, size));
    }
    for (int r = 1; r < messenger->queue->sweep->ranks->count; r++) UNA_TRY(answer_message(messenger, r, 0, 0));
    return UNA_OK;
}

/* ---- the other ranks ----------------------------------------------------------------------------------------- */

/* How long to wait before asking again, where there were too few keys: longer each time. */
static double pause_of(const una_messenger *messenger)
{
    double pause = ask_again;
    for (unsigned i = 1; i < messenger->in_vain && pause < look_pause; i++) pause *= 2;
    return messenger->in_vain == 0 ? 0 : fmin(pause, look_pause);
}

/* The caller holds the lock. */
static bool must_send_message(const una_messenger *messenger)
{
    const una_queue *queue = messenger->queue;
    double since = una_clock() - messenger->asked;
    bool wants = queue->state == UNA_QUEUE_OPEN && queue->waiting > queue->last - queue->first;
    return queue->finished || queue->closed || queue->state != messenger->sent_state ||
           (wants && since >= pause_of(messenger)) || since > latest;
}

/* The caller holds the lock. The packets now belong to the messenger. */
static message_head begin_message(una_messenger *messenger, una_packet **packets)
{
    una_queue *queue = messenger->queue;
    una_sweep *sweep = queue->sweep;
    message_head h = { .departs = queue->closed, .state = queue->state, .worked = sweep->worked,
                       .waited = sweep->waited };
    size_t ready = queue->last - queue->first, threads = (size_t)una_threads(queue->run);
    if (queue->state == UNA_QUEUE_OPEN && queue->waiting > ready) h.wanted = queue->waiting - ready;
    if (queue->state == UNA_QUEUE_OPEN && queue->waiting + threads > ready)
        h.spare = queue->waiting + threads - ready - h.wanted;
    *packets = una_queue_finished(queue);
    for (const una_packet *p = *packets; p; p = p->next) h.packets++;
    sweep->worked = sweep->waited = 0;
    messenger->sent_state = queue->state;
    return h;
}

static una_status send_message(una_messenger *messenger, const message_head *h, const una_packet *packets)
{
    una_text bytes = una_text_in(&messenger->child.scratch);
    una_text_bytes(&bytes, (const char *)h, sizeof *h);
    for (const una_packet *p = packets; p; p = p->next) {
        una_text_bytes(&bytes, (const char *)&p->head, sizeof p->head);
        una_text_bytes(&bytes, p->bytes, (size_t)p->head.size);
    }
    UNA_TRY(una_arena_check(&messenger->child.scratch));
    return una_ranks_send(0, bytes.at, bytes.length, &messenger->child);
}

static una_status take_answer(una_messenger *messenger, uint64_t wanted)
{
    una_queue *queue = messenger->queue;
    answer_head h;
    UNA_TRY(una_ranks_receive(0, &h, sizeof h, &messenger->child));
    if (h.count > queue->count - queue->last) return damaged_message(0, &messenger->child);
    UNA_NEW(&messenger->child.scratch, uint64_t, keys, (size_t)h.count);
    UNA_TRY(una_ranks_receive(0, keys, (size_t)h.count * sizeof *keys, &messenger->child));

    take_queue_state(queue, h.state);
    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < h.count; i++) queue->available[queue->last++] = (size_t)keys[i];
    if (h.state == UNA_QUEUE_DONE && queue->state == UNA_QUEUE_OPEN) queue->state = UNA_QUEUE_DONE;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    messenger->in_vain = h.count < wanted ? messenger->in_vain + 1 : 0;
    return UNA_OK;
}

static una_status exchange_once(una_messenger *messenger, bool *left)
{
    una_queue *queue = messenger->queue;
    una_packet *packets;
    pthread_mutex_lock(&queue->lock);
    for (pass_on_interruption(queue); !must_send_message(messenger); pass_on_interruption(queue))
        una_condition_wait(&queue->changed, &queue->lock,
                           queue->waiting > 0 && messenger->in_vain > 0 ? pause_of(messenger) : look_pause);
    message_head h = begin_message(messenger, &packets);
    pthread_mutex_unlock(&queue->lock);
    *left = h.departs;
    messenger->asked = una_clock();

    una_status status = send_message(messenger, &h, packets);
    una_packets_free(packets, &messenger->child);
    UNA_TRY(status);
    return take_answer(messenger, h.wanted);
}

static una_status exchange_messages(una_messenger *messenger)
{
    for (bool left = false; !left;) UNA_SCOPED(&messenger->child, exchange_once(messenger, &left));
    return UNA_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------------- */

static void *messenger_thread(void *context)
{
    una_messenger *messenger = context;
    bool serves = messenger->queue->sweep->ranks->rank == 0;
    una_status status = serves ? serve_ranks(messenger) : exchange_messages(messenger);
    if (status != UNA_OK) {
        una_queue_fail(messenger->queue, status, messenger->child.message);
        messenger->queue->alone = true;                  /* read once this thread has ended */
    }
    una_queue_child_run_free(&messenger->child);
    return NULL;
}

una_status una_messenger_start(una_messenger **out, una_queue *queue)
{
    *out = NULL;
    UNA_NEW(queue->arena, una_messenger, messenger, 1);
    *messenger = (una_messenger){ .queue = queue, .present = queue->sweep->ranks->count - 1, .asked = una_clock() };
    una_queue_child_run(&messenger->child, queue->run);
    messenger->child.settings.ranks = queue->sweep->ranks;
    if (una_thread_start(&messenger->thread, messenger_thread, messenger) != 0)
        UNA_FAIL(queue->run, UNA_E_MEMORY, "no thread could be started to speak with the other ranks");
    *out = messenger;
    return UNA_OK;
}

void una_messenger_join(una_messenger *messenger)
{
    if (messenger) pthread_join(messenger->thread, NULL);
}
