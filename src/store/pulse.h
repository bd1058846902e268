/* SPDX-License-Identifier: MIT
 *
 * A thread beside long work that gives a sign of life every so often; and conditions that are waited for a while, on a
 * clock that only goes forward.
 */
#pragma once

#include "base/base.h"
#include "base/thread.h"

void una_condition_init(pthread_cond_t *condition);
/* Until it is signalled, or for so long; it may be earlier. The caller holds the lock. */
void una_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds);

typedef struct una_pulse {
    void          (*beat)(void *context);
    void           *context;
    double          every;               /* seconds from one beat to the next, and to the first             */
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  stop;
    bool            started, ended;
} una_pulse;

/* beat, context and every are set. Without a thread there is no beat. */
void una_pulse_begin(una_pulse *pulse);
void una_pulse_end(una_pulse *pulse);    /* waits for a beat that is under way */
