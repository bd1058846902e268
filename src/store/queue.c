/* SPDX-License-Identifier: MIT
 *
 * What threads that fit call, and what the writer and the messenger share.
 */
#include "store/queue.h"

#include "store/packet.h"

#include <time.h>

enum { LOOK_US = 50000 };                /* how often a waiting thread checks for an interruption */

una_status una_queue_open(una_queue *queue, una_sweep *sweep, size_t count, una_tally *tally, una_arena *arena,
                          una_run *run)
{
    pthread_condattr_t clock;
    *queue = (una_queue){ .sweep = sweep, .run = run, .count = count, .tally = tally, .ranks = 1,
                     .caller_cancel = run->settings.cancel };
    if (sweep->ranks) queue->ranks = (size_t)sweep->ranks->count;
    queue->state = count > 0 ? UNA_QUEUE_OPEN : UNA_QUEUE_DONE;
    queue->end = &queue->finished;
    queue->available = UNA_GET(arena, size_t, count);
    queue->shortfall = UNA_GET(arena, size_t, queue->ranks);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->changed, &clock);
    pthread_condattr_destroy(&clock);
    return una_arena_check(arena);
}

void una_queue_free(una_queue *queue)
{
    for (una_packet *p = queue->finished, *next; p; p = next) {
        next = p->next;
        una_release(queue->run, p);
    }
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}

void una_queue_child_run(una_run *child, una_run *run)
{
    *child = (una_run){ .parent = run, .settings = run->settings };
    una_arena_init(&child->scratch, child);
    una_arena_init(&child->texts, child);
}

void una_queue_child_run_free(una_run *child)
{
    una_arena_free(&child->scratch);
    una_arena_free(&child->texts);
}

void una_queue_wait(una_queue *queue, long microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += microseconds % 1000000 * 1000;
    until.tv_sec += microseconds / 1000000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
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
        una_queue_wait(queue, LOOK_US);
        pthread_mutex_unlock(&queue->lock);
        if (una_cancelled(run)) status = una_fail(run, UNA_CANCELLED, "interrupted while waiting for a fit to make");
        pthread_mutex_lock(&queue->lock);
    }
    queue->waiting--;
    if (status == UNA_OK && queue->state == UNA_QUEUE_OPEN) {
        *key = queue->available[queue->first++];
        queue->waited += una_clock() - begun;
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

una_packet *una_packet_new(size_t key, size_t size, una_run *run)
{
    una_packet *packet = una_allocate(run, sizeof *packet + size);
    if (!packet) return NULL;
    *packet = (una_packet){ .key = key, .size = size };
    return packet;
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
    una_mark mark = una_arena_mark(&run->scratch);
    una_text bytes = una_text_in(&run->scratch);
    for (size_t i = 0; i < count; i++) una_packet_pack(&bytes, &rows[i]);
    una_status status = una_arena_check(&run->scratch);
    una_packet *packet = status == UNA_OK ? una_packet_new(key, bytes.length, run) : NULL;
    if (packet) {
        memcpy(packet->bytes, bytes.at, bytes.length);
        pthread_mutex_lock(&queue->lock);
        queue->worked += seconds;
        queue->tally->done++;
        una_queue_append(queue, packet);
        pthread_mutex_unlock(&queue->lock);
    } else {
        status = UNA_E_MEMORY;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}
