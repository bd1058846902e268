/* SPDX-License-Identifier: MIT
 *
 * Rounds over the plan: what has no row and no living owner is claimed, made and stored. When the rest is in other
 * hands, the worker waits for it, and takes over what an owner that died has left.
 */
#include "sweep/worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS = 50, RENEW_MS = 20000, PATIENCE = 20 };      /* rounds of waiting before a note says for whom */

typedef struct shift {
    una_sweep    *sweep;
    const size_t *todo;                  /* [count] indices of keys                                         */
    una_tally    *tally;
    atomic_size_t made, held;            /* held: somebody else is at it                                    */
} shift;

static bool is_whole(const una_sweep *sweep, const una_row *row)
{
    for (size_t i = 0; i < sweep->measure_count; i++)
        if (una_row_find(row, sweep->measures[i]) == SIZE_MAX) return false;
    return true;
}

static una_status is_done(bool *done, const una_sweep *sweep, const una_row_key *key, una_run *run)
{
    una_row row = {0};
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_store_find(done, &row, sweep->store, key, &run->scratch, run);
    *done = *done && is_whole(sweep, &row);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- one key ------------------------------------------------------------------------------------------------- */

static una_status explain(const una_row_key *key, una_status status, una_run *run)
{
    char why[sizeof run->message];
    if (status == UNA_CANCELLED) return status;
    una_mark mark = una_arena_mark(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    una_row_key_describe(&text, key);
    memcpy(why, run->message, sizeof why);
    status = una_fail(run, status, "%.200s: %.800s", text.at ? text.at : key->spec, why);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status make_row(const una_sweep *sweep, const una_row_key *key, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    una_outcome outcome = { .arena = &arena, .value = UNA_GET(&arena, double, sweep->measure_count),
                            .options = key->spec };      /* where the experiment knows no better */
    una_status status = una_arena_check(&arena);
    for (size_t i = 0; i < sweep->measure_count && status == UNA_OK; i++) outcome.value[i] = NAN;

    run->settings.seed = key->seed;
    if (status == UNA_OK) status = sweep->make(sweep->context, key, &outcome, run);
    if (status == UNA_OK) {
        una_row row = { .key = *key, .measure = sweep->measures, .value = outcome.value,
            .count = sweep->measure_count, .options = outcome.options, .kernels = una_run_kernels(run),
            .commit = una_build_commit(), .seconds = outcome.seconds };
        status = una_store_put(sweep->store, &row, 1, true, NULL, NULL, run);
    }
    una_arena_free(&arena);
    return status;
}

static una_status one_key(void *context, size_t index, una_run *run)
{
    shift *s = context;
    una_sweep *sweep = s->sweep;
    const una_row_key *key = &sweep->plan->keys[s->todo[index]];
    bool granted, done = false;
    UNA_TRY(una_tick(run, "fitting", 0, NAN));
    UNA_TRY(una_store_claim(&granted, sweep->store, key, run));
    if (!granted) {
        atomic_fetch_add(&s->held, 1);
        return UNA_OK;
    }

    /* Its row may have come between the list and the claim. */
    una_status status = is_done(&done, sweep, key, run);
    if (status == UNA_OK && !done) status = make_row(sweep, key, run);
    if (status == UNA_OK && !done) {
        atomic_fetch_add(&s->made, 1);
        atomic_fetch_add(&s->tally->done, 1);
        return UNA_OK;
    }
    if (status != UNA_OK) status = explain(key, status, run);
    char why[sizeof run->message];
    memcpy(why, run->message, sizeof why);
    una_status dropped = una_store_drop(sweep->store, key, run);
    if (status != UNA_OK) memcpy(run->message, why, sizeof why);
    return status != UNA_OK ? status : dropped;
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

una_status una_sweep_missing(size_t *todo, size_t *count, const una_sweep *sweep, una_run *run)
{
    *count = 0;
    for (size_t i = 0; i < sweep->plan->count; i++) {
        bool done;
        UNA_TRY(is_done(&done, sweep, &sweep->plan->keys[i], run));
        if (!done) todo[(*count)++] = i;
    }
    return UNA_OK;
}

/* The key that is waited for and who has it. Nobody may: then it is free by now. */
static una_status tell_waiting(const una_sweep *sweep, const una_row_key *key, una_run *run)
{
    una_owner owner;
    UNA_TRY(una_store_owner(&owner, sweep->store, key, run));
    if (owner.process == 0) return UNA_OK;

    una_mark mark = una_arena_mark(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    una_row_key_describe(&text, key);
    una_log(run, UNA_LOG_NOTE, "waiting for %s, which process %ld on host %s has claimed; where that process is dead, "
            "this run takes over within two minutes; where it hangs, end it", text.at ? text.at : key->spec,
            owner.process, owner.host);
    una_arena_release(&run->scratch, mark);
    return UNA_OK;
}

/* All that is left is in other hands. */
static una_status wait_a_little(size_t *rounds, const una_sweep *sweep, const una_row_key *key, una_run *run)
{
    struct timespec time = { .tv_nsec = WAIT_MS * 1000000L };
    nanosleep(&time, NULL);
    return ++*rounds == PATIENCE ? tell_waiting(sweep, key, run) : UNA_OK;
}

static una_status one_shift(una_sweep *sweep, const size_t *todo, size_t count, una_tally *tally, size_t *rounds,
                            una_run *run)
{
    shift s = { .sweep = sweep, .todo = todo, .tally = tally };
    double from = run->progress_from, all = (double)sweep->plan->count;
    run->progress_from = from + (run->progress_to - from) * (1 - (double)count / all);
    una_status status = una_pool(run, count, one_key, &s);
    run->progress_from = from;
    sweep->made += s.made;
    if (status == UNA_OK && s.made == 0 && s.held > 0)
        status = wait_a_little(rounds, sweep, &sweep->plan->keys[todo[0]], run);
    return status;
}

static una_status work_through(una_sweep *sweep, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    size_t *todo = UNA_GET(&arena, size_t, sweep->plan->count), count = 0, rounds = 0;
    una_status status = una_arena_check(&arena);
    sweep->made = 0;

    if (status == UNA_OK) status = una_sweep_missing(todo, &count, sweep, run);
    una_tally tally = una_tally_of("fits", sweep->plan->count - count, sweep->plan->count);
    const una_tally *outer = run->tally;
    run->tally = &tally;
    while (status == UNA_OK && count > 0) {
        status = one_shift(sweep, todo, count, &tally, &rounds, run);
        if (status == UNA_OK) status = una_sweep_missing(todo, &count, sweep, run);
        if (status == UNA_OK) tally.done = sweep->plan->count - count;       /* with what others have made */
    }
    run->tally = outer;
    una_arena_free(&arena);
    return status;
}

/* ---- signs of life ------------------------------------------------------------------------------------------- */

typedef struct pulse {                   /* a thread beside the fits: one of them may last for hours        */
    una_store      *store;
    long            every_ms;
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  stop;
    bool            stopped;
} pulse;

static void *beat(void *context)
{
    pulse *p = context;
    int code = 0;
    pthread_mutex_lock(&p->lock);
    while (!p->stopped) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += p->every_ms / 1000;
        until.tv_nsec += p->every_ms % 1000 * 1000000L;
        if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;

        do code = pthread_cond_timedwait(&p->stop, &p->lock, &until);
        while (code == 0 && !p->stopped);
        if (!p->stopped) una_store_renew(p->store);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

una_status una_sweep_run(una_sweep *sweep, una_run *run)
{
    pulse p = { .store = sweep->store, .every_ms = sweep->renew_ms ? sweep->renew_ms : RENEW_MS,
                .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&p.stop, &clock);

    /* Without the thread a long fit may be made twice, by another machine: time is lost and nothing else. */
    bool beats = pthread_create(&p.thread, NULL, beat, &p) == 0;
    una_status status = work_through(sweep, run);
    pthread_mutex_lock(&p.lock);
    p.stopped = true;
    pthread_cond_signal(&p.stop);
    pthread_mutex_unlock(&p.lock);
    if (beats) pthread_join(p.thread, NULL);

    pthread_cond_destroy(&p.stop);
    pthread_condattr_destroy(&clock);
    pthread_mutex_destroy(&p.lock);
    return status;
}
