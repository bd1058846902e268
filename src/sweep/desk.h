/* SPDX-License-Identifier: MIT
 *
 * The desk of a sweep: threads that fit come for a key and bring back rows, and wait for neither disk nor network.
 * Behind it stand, on rank 0, the keeper, who claims keys and stores rows, and where there are several ranks on each of
 * them a clerk: those of the others ask rank 0's for keys and send it rows. A clerk is the only thread of its process
 * that talks to other ranks meanwhile.
 */
#ifndef UNA_DESK_H
#define UNA_DESK_H

#include "base/clock.h"
#include "base/ranks.h"
#include "sweep/worker.h"

#include <pthread.h>

/* OVER: every key has its row. STOPPED: something failed, and no key is given out any more; INTERRUPTED: and what is
 * under way stops too. */
typedef enum una_desk_state { UNA_DESK_OPEN, UNA_DESK_OVER, UNA_DESK_STOPPED, UNA_DESK_INTERRUPTED } una_desk_state;

typedef struct una_parcel {              /* rows of one key's work, in memory of its own                    */
    struct una_parcel *next;
    size_t key, size;                    /* index in the plan; of the bytes, una_parcel_open                */
    char   bytes[];
} una_parcel;

typedef struct una_desk {
    una_sweep      *sweep;
    una_run        *run;
    size_t          count;               /* keys without a row when it began                                */
    una_tally      *tally;
    pthread_mutex_t lock;                /* of all that follows                                             */
    pthread_cond_t  news;                /* something has changed                                           */
    una_desk_state  state;
    size_t         *stock, first, last;  /* keys to be had: stock[first .. last - 1]                        */
    size_t          waiting;             /* threads here that want a key                                    */
    size_t         *unmet, ranks;        /* [ranks] keys that other ranks wanted last and did not get       */
    una_parcel     *finished, **end;     /* what was brought back, in order                                 */
    bool            closed;              /* nobody will come any more: who stands behind may go             */
    size_t          made, beside;        /* rows that were stored                                           */
    double          worked, waited;
    una_status      status;              /* what went wrong behind the desk                                 */
    bool            alone;               /* the other ranks can no more be spoken with                      */
    char            message[sizeof((una_run *)0)->message];
    volatile int    cancel;              /* what fits look at, where there are several ranks                */
    const volatile int *outer;           /* what they would look at                                         */
} una_desk;

una_status una_desk_open(una_desk *desk, una_sweep *sweep, size_t count, una_tally *tally, una_arena *arena,
                         una_run *run);
void       una_desk_free(una_desk *desk);

/* For threads that fit. *key SIZE_MAX: there is no more to do. */
una_status una_desk_take(size_t *key, una_desk *desk, una_run *run);
una_status una_desk_bring(una_desk *desk, size_t key, const una_row *rows, size_t count, double seconds, una_run *run);
/* Closes the hatch: nothing is given out any more. */
void       una_desk_stop(una_desk *desk, una_status status);

/* For those behind it. */
void        una_desk_fail(una_desk *desk, una_status status, const char *message);
void        una_desk_add(una_desk *desk, una_parcel *parcel);            /* with the lock                          */
una_parcel *una_desk_parcel(size_t key, size_t size, una_run *run);      /* NULL: no memory                        */
void        una_desk_wait(una_desk *desk, long microseconds);            /* for news; with the lock                */
/* A run for a thread of one's own: allocator, callbacks and cancelling of another. */
void        una_desk_aside(una_run *aside, una_run *run);
void        una_desk_aside_free(una_run *aside);

/* keeper.c: todo [count] keys without a row. It ends once the desk is closed and empty. */
typedef struct una_keeper una_keeper;
una_status una_keeper_start(una_keeper **keeper, una_desk *desk, const size_t *todo, una_arena *arena);
void       una_keeper_join(una_keeper *keeper);          /* NULL is harmless */
/* Whether the store has the row of a key, with all that is measured. */
una_status una_sweep_done(bool *done, const una_sweep *sweep, const una_row_key *key, una_run *run);

/* clerk.c: on rank 0 it ends when all others have left, on the others once the desk is closed and empty. */
typedef struct una_clerk una_clerk;
una_status una_clerk_start(una_clerk **clerk, una_desk *desk, una_arena *arena);
void       una_clerk_join(una_clerk *clerk);             /* NULL is harmless */

#endif
