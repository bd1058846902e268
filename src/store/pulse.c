/* SPDX-License-Identifier: MIT
 *
 * See pulse.h.
 */
#include "store/pulse.h"

void una_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &clock);
    pthread_condattr_destroy(&clock);
}

void una_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds)
{
    double until = una_clock() + seconds;
    struct timespec time = { .tv_sec = (time_t)until };
    time.tv_nsec = (long)(1e9 * (until - (double)time.tv_sec));
    pthread_cond_timedwait(condition, lock, &time);
}

static void *pulse_thread(void *context)
{
    una_pulse *p = context;
    double next = una_clock() + p->every;
    pthread_mutex_lock(&p->lock);
    while (!p->ended) {
        double left = next - una_clock();
        if (left > 0) {
            una_condition_wait(&p->stop, &p->lock, left);
            continue;
        }
        pthread_mutex_unlock(&p->lock);
        p->beat(p->context);
        next = una_clock() + p->every;
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void una_pulse_begin(una_pulse *p)
{
    p->ended = false;
    pthread_mutex_init(&p->lock, NULL);
    una_condition_init(&p->stop);
    p->started = una_thread_start(&p->thread, pulse_thread, p) == 0;
}

void una_pulse_end(una_pulse *p)
{
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_signal(&p->stop);
    pthread_mutex_unlock(&p->lock);
    if (p->started) pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->stop);
    pthread_mutex_destroy(&p->lock);
}
