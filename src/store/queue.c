/* SPDX-License-Identifier: MIT
 *
 * What threads that fit call, and what the writer and the messenger share.
 */
#include "store/queue.h"

#include "store/packet.h"

static const double look_seconds = 0.05; /* how often a waiting thread checks for an interruption */

una_status una_queue_open(una_queue *queue)
{
    const una_sweep *sweep = queue->sweep;
    queue->tally = una_tally_of("fits", sweep->plan->count - queue->count, sweep->plan->count);
    queue->ranks = sweep->ranks ? (size_t)sweep->ranks->count : 1;
    queue->caller_cancel = queue->run->settings.cancel;
    queue->state = queue->count > 0 ? UNA_QUEUE_OPEN : UNA_QUEUE_DONE;
    queue->end = &queue->finished;
    queue->available = UNA_GET(queue->arena, size_t, queue->count);
    queue->shortfall = UNA_GET(queue->arena, size_t, queue->ranks);
    pthread_mutex_init(&queue->lock, NULL);
    una_condition_init(&queue->changed);
    return una_arena_check(queue->arena);
}

void una_queue_free(una_queue *queue)
{
    una_packets_free(queue->finished, queue->run);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}

una_status una_helper_start(una_helper *helper, una_queue *queue, void *(*body)(void *helper), const char *purpose)
{
    una_run *run = queue->run;
    helper->queue = queue;
    helper->child = (una_run){ .parent = run, .settings = run->settings };
    helper->child.settings.ranks = queue->sweep->ranks;
    una_arena_init(&helper->child.scratch, &helper->child);
    una_arena_init(&helper->child.texts, &helper->child);
    if (una_thread_start(&helper->thread, body, helper) == 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_MEMORY, "no thread could be started %s", purpose);
}

void una_helper_join(una_helper *helper)
{
    if (!helper) return;
    pthread_join(helper->thread, NULL);
    una_arena_free(&helper->child.scratch);
    una_arena_free(&helper->child.texts);
}

/* ---- keys ---------------------------------------------------------------------------------------------------- */

una_status una_queue_take(size_t *key, una_queue *queue, una_run *run)
{
    una_status status = una_tick(run, "fitting", 0, NAN);
    double begun = una_clock();
    *key = SIZE_MAX;
    pthread_mutex_lock(&queue->lock);
    queue->waiting++;
    while (status == UNA_OK && queue->state == UNA_QUEUE_OPEN && queue->first == queue->last) {
        pthread_cond_broadcast(&queue->changed);
        una_condition_wait(&queue->changed, &queue->lock, look_seconds);
        pthread_mutex_unlock(&queue->lock);
        if (una_cancelled(run)) status = una_fail(run, UNA_CANCELLED, "interrupted while waiting for a fit to make");
        pthread_mutex_lock(&queue->lock);
    }
    queue->waiting--;
    if (status == UNA_OK && queue->state == UNA_QUEUE_OPEN) {
        *key = queue->available[queue->first++];
        queue->sweep->waited += una_clock() - begun;
    }
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return status;
}

void una_queue_stop(una_queue *queue, una_status status)
{
    una_queue_state state = status == UNA_CANCELLED ? UNA_QUEUE_INTERRUPTED : UNA_QUEUE_STOPPED;
    pthread_mutex_lock(&queue->lock);
    if (queue->state < state) queue->state = state;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void una_queue_fail(una_queue *queue, una_status status, const char *message)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->status == UNA_OK) {
        queue->status = status;
        snprintf(queue->message, sizeof queue->message, "%s", message);
    }
    pthread_mutex_unlock(&queue->lock);
    una_queue_stop(queue, status);
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

una_packet *una_packet_new(una_packet_head head, const char *bytes, una_run *run)
{
    una_packet *packet = una_allocate(run, sizeof *packet + (size_t)head.size);
    if (!packet) return NULL;
    *packet = (una_packet){ .head = head };
    memcpy(packet->bytes, bytes, (size_t)head.size);
    return packet;
}

void una_packets_free(una_packet *first, una_run *run)
{
    for (una_packet *next; first; first = next) {
        next = first->next;
        una_release(run, first);
    }
}

una_packet *una_queue_finished(una_queue *queue)
{
    una_packet *first = queue->finished;
    queue->finished = NULL;
    queue->end = &queue->finished;
    return first;
}

void una_queue_append(una_queue *queue, una_packet *packet)
{
    packet->next = NULL;
    *queue->end = packet;
    queue->end = &packet->next;
    pthread_cond_broadcast(&queue->changed);
}

una_status una_queue_put(una_queue *queue, size_t key, const una_row *rows, size_t count, double seconds, una_run *run)
{
    una_text bytes = una_text_in(&run->scratch);
    for (size_t i = 0; i < count; i++) una_packet_pack(&bytes, &rows[i]);
    UNA_TRY(una_arena_check(&run->scratch));
    una_packet *packet = una_packet_new((una_packet_head){ key, bytes.length }, bytes.at, run);
    if (!packet) return UNA_E_MEMORY;
    pthread_mutex_lock(&queue->lock);
    queue->sweep->worked += seconds;
    queue->tally.done++;
    una_queue_append(queue, packet);
    pthread_mutex_unlock(&queue->lock);
    return UNA_OK;
}
