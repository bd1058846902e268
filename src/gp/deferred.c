/* SPDX-License-Identifier: MIT
 *
 * Memory that is taken when it is first needed. See deferred.h.
 */
#include "gp/deferred.h"

void una_deferred_drop(una_deferred *d)
{
    una_release(d->owner, d->block);
    d->block = d->at = NULL;
}

static void end_deferred(void *what)
{
    una_deferred *d = what;
    una_deferred_drop(d);
    pthread_mutex_destroy(&d->lock);
}

una_status una_deferred_init(una_deferred *d, una_arena *keep)
{
    d->owner = una_run_root(keep->run);
    d->block = d->at = NULL;
    pthread_mutex_init(&d->lock, NULL);
    return una_arena_at_end(keep, end_deferred, d);
}

una_status una_deferred_enter(una_deferred *d, const char *stage, una_run *run)
{
    const long wait = 20000000;          /* nanoseconds */
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += (until.tv_nsec + wait) / 1000000000;
        until.tv_nsec = (until.tv_nsec + wait) % 1000000000;
        if (pthread_mutex_timedlock(&d->lock, &until) == 0) return UNA_OK;
        UNA_TRY(una_tick(run, stage, 0, NAN));
    }
}

void una_deferred_leave(una_deferred *d)
{
    pthread_mutex_unlock(&d->lock);
}

una_status una_deferred_take(una_deferred *d, size_t size, una_run *run)
{
    enum { ALIGN = 64 };
    d->block = una_allocate_for(d->owner, size + ALIGN, run);
    if (!d->block) return UNA_E_MEMORY;
    d->at = (void *)(((uintptr_t)d->block + ALIGN - 1) / ALIGN * ALIGN);
    memset(d->at, 0, size);
    return UNA_OK;
}
