/* SPDX-License-Identifier: MIT
 *
 * What threads that fit call, and what the writer and the messenger share.
 */
#include "sweep/queue.h"

#include "sweep/packet.h"

#include <string.h>
#include <time.h>

enum { LOOK_US = 50000 };                /* how often a waiting thread checks for an interruption */

una_status una_queue_open(una_queue *d, una_sweep *sweep, size_t count, una_tally *tally, una_arena *arena,
                          una_run *run)
{
    pthread_condattr_t clock;
    *d = (una_queue){ .sweep = sweep, .run = run, .count = count, .tally = tally, .ranks = 1,
                     .outer = run->settings.cancel };
    if (sweep->ranks) d->ranks = (size_t)sweep->ranks->count;
    d->state = count > 0 ? UNA_QUEUE_OPEN : UNA_QUEUE_DONE;
    d->end = &d->finished;
    d->available = UNA_GET(arena, size_t, count);
    d->shortfall = UNA_GET(arena, size_t, d->ranks);
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&d->news, &clock);
    pthread_condattr_destroy(&clock);
    return una_arena_check(arena);
}

void una_queue_free(una_queue *d)
{
    for (una_packet *p = d->finished, *next; p; p = next) {
        next = p->next;
        una_release(d->run, p);
    }
    pthread_cond_destroy(&d->news);
    pthread_mutex_destroy(&d->lock);
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

void una_queue_wait(una_queue *d, long microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += microseconds % 1000000 * 1000;
    until.tv_sec += microseconds / 1000000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&d->news, &d->lock, &until);
}

/* ---- keys ---------------------------------------------------------------------------------------------------- */

una_status una_queue_take(size_t *key, una_queue *d, una_run *run)
{
    una_status status = una_tick(run, "fitting", 0, NAN);
    double begun = una_clock();
    *key = SIZE_MAX;
    pthread_mutex_lock(&d->lock);
    d->waiting++;
    while (status == UNA_OK && d->state == UNA_QUEUE_OPEN && d->first == d->last) {
        pthread_cond_broadcast(&d->news);
        una_queue_wait(d, LOOK_US);
        pthread_mutex_unlock(&d->lock);
        if (una_cancelled(run)) status = una_fail(run, UNA_CANCELLED, "interrupted while waiting for a fit to make");
        pthread_mutex_lock(&d->lock);
    }
    d->waiting--;
    if (status == UNA_OK && d->state == UNA_QUEUE_OPEN) {
        *key = d->available[d->first++];
        d->waited += una_clock() - begun;
    }
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    return status;
}

void una_queue_stop(una_queue *d, una_status status)
{
    una_queue_state state = status == UNA_CANCELLED ? UNA_QUEUE_INTERRUPTED : UNA_QUEUE_STOPPED;
    pthread_mutex_lock(&d->lock);
    if (d->state < state) d->state = state;
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
}

void una_queue_fail(una_queue *d, una_status status, const char *message)
{
    pthread_mutex_lock(&d->lock);
    if (d->status == UNA_OK) {
        d->status = status;
        snprintf(d->message, sizeof d->message, "%s", message);
    }
    pthread_mutex_unlock(&d->lock);
    una_queue_stop(d, status);
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

una_packet *una_packet_new(size_t key, size_t size, una_run *run)
{
    una_packet *packet = una_allocate(run, sizeof *packet + size);
    if (!packet) return NULL;
    *packet = (una_packet){ .key = key, .size = size };
    return packet;
}

void una_queue_append(una_queue *d, una_packet *packet)
{
    packet->next = NULL;
    *d->end = packet;
    d->end = &packet->next;
    pthread_cond_broadcast(&d->news);
}

una_status una_queue_put(una_queue *d, size_t key, const una_row *rows, size_t count, double seconds, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_text bytes = una_text_in(&run->scratch);
    for (size_t i = 0; i < count; i++) una_packet_pack(&bytes, &rows[i]);
    una_status status = una_arena_check(&run->scratch);
    una_packet *packet = status == UNA_OK ? una_packet_new(key, bytes.length, run) : NULL;
    if (packet) {
        memcpy(packet->bytes, bytes.at, bytes.length);
        pthread_mutex_lock(&d->lock);
        d->worked += seconds;
        d->tally->done++;
        una_queue_append(d, packet);
        pthread_mutex_unlock(&d->lock);
    } else {
        status = UNA_E_MEMORY;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}
