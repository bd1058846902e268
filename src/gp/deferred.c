/* SPDX-License-Identifier: MIT
 *
 * Memory that is taken when it is first needed. See deferred.h.
 */
#include "gp/deferred.h"

#include <stdatomic.h>

void una_deferred_drop(una_deferred *d)
{
    una_release(d->owner, d->block);
    d->block = d->at = NULL;
    atomic_fetch_sub(&d->owner->unearned, d->charged);
    d->charged = 0;
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
    d->charged = 0;
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

bool una_deferred_charge(una_deferred *d, double size, double file_bytes)
{
    double over = fmax(0, size - UNA_FILE_TIMES * file_bytes);
    if (d->owner->memory_chosen || over == 0) return true;
    if (!(over <= UNA_UNEARNED)) return false;
    uint64_t charge = (uint64_t)over;
    if (atomic_fetch_add(&d->owner->unearned, charge) + charge > UNA_UNEARNED) {
        atomic_fetch_sub(&d->owner->unearned, charge);
        return false;
    }
    d->charged += charge;
    return true;
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
