/* SPDX-License-Identifier: MIT
 *
 * The front of the desk, and what those behind it share.
 */
#include "sweep/desk.h"

#include "sweep/parcel.h"

#include <string.h>
#include <time.h>

enum { LOOK_US = 50000 };                /* how often who waits looks whether he was interrupted */

una_status una_desk_open(una_desk *d, una_sweep *sweep, size_t count, una_tally *tally, una_arena *arena, una_run *run)
{
    pthread_condattr_t clock;
    *d = (una_desk){ .sweep = sweep, .run = run, .count = count, .tally = tally, .ranks = 1,
                     .outer = run->settings.cancel };
    if (sweep->ranks) d->ranks = (size_t)sweep->ranks->count;
    d->state = count > 0 ? UNA_DESK_OPEN : UNA_DESK_OVER;
    d->end = &d->finished;
    d->stock = UNA_GET(arena, size_t, count);
    d->unmet = UNA_GET(arena, size_t, d->ranks);
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&d->news, &clock);
    pthread_condattr_destroy(&clock);
    return una_arena_check(arena);
}

void una_desk_free(una_desk *d)
{
    for (una_parcel *p = d->finished, *next; p; p = next) {
        next = p->next;
        una_release(d->run, p);
    }
    pthread_cond_destroy(&d->news);
    pthread_mutex_destroy(&d->lock);
}

void una_desk_aside(una_run *aside, una_run *run)
{
    *aside = (una_run){ .parent = run, .settings = run->settings };
    una_arena_init(&aside->scratch, aside);
    una_arena_init(&aside->texts, aside);
}

void una_desk_aside_free(una_run *aside)
{
    una_arena_free(&aside->scratch);
    una_arena_free(&aside->texts);
}

void una_desk_wait(una_desk *d, long microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += microseconds % 1000000 * 1000;
    until.tv_sec += microseconds / 1000000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&d->news, &d->lock, &until);
}

/* ---- keys ---------------------------------------------------------------------------------------------------- */

una_status una_desk_take(size_t *key, una_desk *d, una_run *run)
{
    una_status status = una_tick(run, "fitting", 0, NAN);
    double begun = una_clock();
    *key = SIZE_MAX;
    pthread_mutex_lock(&d->lock);
    d->waiting++;
    while (status == UNA_OK && d->state == UNA_DESK_OPEN && d->first == d->last) {
        pthread_cond_broadcast(&d->news);
        una_desk_wait(d, LOOK_US);
        pthread_mutex_unlock(&d->lock);
        if (una_cancelled(run)) status = una_fail(run, UNA_CANCELLED, "interrupted while waiting for a fit to make");
        pthread_mutex_lock(&d->lock);
    }
    d->waiting--;
    if (status == UNA_OK && d->state == UNA_DESK_OPEN) {
        *key = d->stock[d->first++];
        d->waited += una_clock() - begun;
    }
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    return status;
}

void una_desk_stop(una_desk *d, una_status status)
{
    una_desk_state state = status == UNA_CANCELLED ? UNA_DESK_INTERRUPTED : UNA_DESK_STOPPED;
    pthread_mutex_lock(&d->lock);
    if (d->state < state) d->state = state;
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
}

void una_desk_fail(una_desk *d, una_status status, const char *message)
{
    pthread_mutex_lock(&d->lock);
    if (d->status == UNA_OK) {
        d->status = status;
        snprintf(d->message, sizeof d->message, "%s", message);
    }
    pthread_mutex_unlock(&d->lock);
    una_desk_stop(d, status);
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

una_parcel *una_desk_parcel(size_t key, size_t size, una_run *run)
{
    una_parcel *parcel = una_allocate(run, sizeof *parcel + size);
    if (!parcel) return NULL;
    *parcel = (una_parcel){ .key = key, .size = size };
    return parcel;
}

void una_desk_add(una_desk *d, una_parcel *parcel)
{
    parcel->next = NULL;
    *d->end = parcel;
    d->end = &parcel->next;
    pthread_cond_broadcast(&d->news);
}

una_status una_desk_bring(una_desk *d, size_t key, const una_row *rows, size_t count, double seconds, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_text bytes = una_text_in(&run->scratch);
    for (size_t i = 0; i < count; i++) una_parcel_pack(&bytes, &rows[i]);
    una_status status = una_arena_check(&run->scratch);
    una_parcel *parcel = status == UNA_OK ? una_desk_parcel(key, bytes.length, run) : NULL;
    if (parcel) {
        memcpy(parcel->bytes, bytes.at, bytes.length);
        pthread_mutex_lock(&d->lock);
        d->worked += seconds;
        d->tally->done++;
        una_desk_add(d, parcel);
        pthread_mutex_unlock(&d->lock);
    } else {
        status = UNA_E_MEMORY;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}
