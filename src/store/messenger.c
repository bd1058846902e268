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
#include "store/queue.h"

/* Seconds. */
static const double poll_pause = 0.001, look_pause = 0.05, ask_again = 0.003, latest = 0.5;

typedef struct message_head {
    uint64_t wanted, spare, packets, departs;    /* spare: more keys, so that the next thread need not wait    */
    int64_t  state;                      /* una_queue_state */
    double   worked, waited;             /* since the last message */
} message_head;
typedef struct answer_head { int64_t state; uint64_t count; } answer_head;     /* the keys follow, if there are any */

typedef struct messenger {
    una_helper self;
    int       present;                   /* rank 0: how many other ranks have not left                       */
    unsigned  in_vain;                   /* others: messages in a row that wanted more keys than came           */
    una_queue_state sent_state;          /* state in the last message                                        */
    double    asked;                     /* when the last message was sent                                   */
} messenger;

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
static una_status unpack_packets(messenger *m, int from, const char *at, size_t left, uint64_t count)
{
    una_queue *queue = m->self.queue;
    una_packet_head h;
    for (uint64_t i = 0; i < count; i++, at += h.size, left -= (size_t)h.size) {
        if (left < sizeof h) return damaged_message(from, &m->self.child);
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        left -= sizeof h;
        if (h.size > left || h.key >= queue->sweep->plan->count) return damaged_message(from, &m->self.child);
        una_packet *packet = una_packet_new(h, at, &m->self.child);
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

static una_status answer_message(messenger *m, int from, uint64_t wanted, uint64_t spare)
{
    una_queue *queue = m->self.queue;
    wanted = UNA_MIN(wanted, queue->count), spare = UNA_MIN(spare, queue->count);
    UNA_NEW(&m->self.child.scratch, uint64_t, keys, (size_t)(wanted + spare));

    answer_head h = { .count = 0 };
    pthread_mutex_lock(&queue->lock);
    size_t most = granted_count(queue, wanted, spare);
    h.state = queue->state;
    while (queue->state == UNA_QUEUE_OPEN && h.count < most && queue->first < queue->last)
        keys[h.count++] = queue->available[queue->first++];
    queue->shortfall[from] = queue->state == UNA_QUEUE_OPEN && wanted > h.count ? (size_t)(wanted - h.count) : 0;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    UNA_TRY(una_ranks_send(from, &h, sizeof h, &m->self.child));
    return una_ranks_send(from, keys, (size_t)h.count * sizeof *keys, &m->self.child);
}

static una_status take_message(messenger *m, int from, size_t size)
{
    una_queue *queue = m->self.queue;
    message_head h;
    UNA_NEW(&m->self.child.scratch, char, bytes, size);
    UNA_TRY(una_ranks_receive(from, bytes, size, &m->self.child));
    if (size < sizeof h) return damaged_message(from, &m->self.child);
    memcpy(&h, bytes, sizeof h);
    UNA_TRY(unpack_packets(m, from, bytes + sizeof h, size - sizeof h, h.packets));
    take_queue_state(queue, h.state);
    pthread_mutex_lock(&queue->lock);
    queue->sweep->worked += h.worked;
    queue->sweep->waited += h.waited;
    pthread_mutex_unlock(&queue->lock);
    if (!h.departs) return answer_message(m, from, h.wanted, h.spare);
    m->present--;
    return UNA_OK;
}

static una_status serve_ranks(messenger *m)
{
    const struct timespec pause = { .tv_nsec = (long)(1e9 * poll_pause) };
    while (m->present > 0) {
        int from;
        size_t size;
        pthread_mutex_lock(&m->self.queue->lock);
        pass_on_interruption(m->self.queue);
        pthread_mutex_unlock(&m->self.queue->lock);
        UNA_TRY(una_ranks_arrived(&from, &size, &m->self.child));
        if (from < 0) nanosleep(&pause, NULL);
        else UNA_SCOPED(&m->self.child, take_message(m, from, size));
    }
    for (int r = 1; r < m->self.queue->sweep->ranks->count; r++) UNA_TRY(answer_message(m, r, 0, 0));
    return UNA_OK;
}

/* ---- the other ranks ----------------------------------------------------------------------------------------- */

/* How long to wait before asking again, where there were too few keys: longer each time. */
static double pause_of(const messenger *m)
{
    double pause = ask_again;
    for (unsigned i = 1; i < m->in_vain && pause < look_pause; i++) pause *= 2;
    return m->in_vain == 0 ? 0 : fmin(pause, look_pause);
}

/* The caller holds the lock. */
static bool must_send_message(const messenger *m)
{
    const una_queue *queue = m->self.queue;
    double since = una_clock() - m->asked;
    bool wants = queue->state == UNA_QUEUE_OPEN && queue->waiting > queue->last - queue->first;
    return queue->finished || queue->closed || queue->state != m->sent_state ||
           (wants && since >= pause_of(m)) || since > latest;
}

/* The caller holds the lock. The packets now belong to the messenger. */
static message_head begin_message(messenger *m, una_packet **packets)
{
    una_queue *queue = m->self.queue;
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
    m->sent_state = queue->state;
    return h;
}

static una_status send_message(messenger *m, const message_head *h, const una_packet *packets)
{
    una_text bytes = una_text_in(&m->self.child.scratch);
    una_text_bytes(&bytes, (const char *)h, sizeof *h);
    for (const una_packet *p = packets; p; p = p->next) {
        una_text_bytes(&bytes, (const char *)&p->head, sizeof p->head);
        una_text_bytes(&bytes, p->bytes, (size_t)p->head.size);
    }
    UNA_TRY(una_arena_check(&m->self.child.scratch));
    return una_ranks_send(0, bytes.at, bytes.length, &m->self.child);
}

static una_status take_answer(messenger *m, uint64_t wanted)
{
    una_queue *queue = m->self.queue;
    answer_head h;
    UNA_TRY(una_ranks_receive(0, &h, sizeof h, &m->self.child));
    if (h.count > queue->count - queue->last) return damaged_message(0, &m->self.child);
    UNA_NEW(&m->self.child.scratch, uint64_t, keys, (size_t)h.count);
    UNA_TRY(una_ranks_receive(0, keys, (size_t)h.count * sizeof *keys, &m->self.child));

    take_queue_state(queue, h.state);
    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < h.count; i++) queue->available[queue->last++] = (size_t)keys[i];
    if (h.state == UNA_QUEUE_DONE && queue->state == UNA_QUEUE_OPEN) queue->state = UNA_QUEUE_DONE;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    m->in_vain = h.count < wanted ? m->in_vain + 1 : 0;
    return UNA_OK;
}

static una_status exchange_once(messenger *m, bool *left)
{
    una_queue *queue = m->self.queue;
    una_packet *packets;
    pthread_mutex_lock(&queue->lock);
    for (pass_on_interruption(queue); !must_send_message(m); pass_on_interruption(queue))
        una_condition_wait(&queue->changed, &queue->lock,
                           queue->waiting > 0 && m->in_vain > 0 ? pause_of(m) : look_pause);
    message_head h = begin_message(m, &packets);
    pthread_mutex_unlock(&queue->lock);
    *left = h.departs;
    m->asked = una_clock();

    una_status status = send_message(m, &h, packets);
    una_packets_free(packets, &m->self.child);
    UNA_TRY(status);
    return take_answer(m, h.wanted);
}

static una_status exchange_messages(messenger *m)
{
    for (bool left = false; !left;) UNA_SCOPED(&m->self.child, exchange_once(m, &left));
    return UNA_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------------- */

static void *messenger_thread(void *context)
{
    messenger *m = context;
    una_queue *queue = m->self.queue;
    una_status status = queue->sweep->ranks->rank == 0 ? serve_ranks(m) : exchange_messages(m);
    if (status != UNA_OK) {
        una_queue_fail(queue, status, m->self.child.message);
        queue->alone = true;                     /* read once this thread has ended */
    }
    return NULL;
}

una_status una_messenger_start(una_helper **out, una_queue *queue)
{
    UNA_NEW(queue->arena, messenger, m, 1);
    m->present = queue->sweep->ranks->count - 1;
    m->asked = una_clock();
    UNA_TRY(una_helper_start(&m->self, queue, messenger_thread, "to speak with the other ranks"));
    *out = &m->self;
    return UNA_OK;
}
