/* SPDX-License-Identifier: MIT
 *
 * The queue of a sweep. Threads that fit take a key from it and put rows back, and wait for neither disk nor network.
 *
 * On rank 0 a writer (writer.c) claims keys in the store and writes rows to it. Where there are several ranks, each of
 * them also has a messenger (messenger.c): the messengers of the other ranks ask rank 0's messenger for keys and send
 * it rows. While a sweep runs, only the messenger of a process talks to other ranks.
 */
#pragma once

#include "base/ranks.h"
#include "store/pulse.h"
#include "store/worker.h"

/* DONE: every key has its row. STOPPED: something failed, and no more keys are given out. INTERRUPTED: running fits
 * stop as well. */
typedef enum una_queue_state { UNA_QUEUE_OPEN, UNA_QUEUE_DONE, UNA_QUEUE_STOPPED,
    UNA_QUEUE_INTERRUPTED } una_queue_state;

typedef struct una_packet_head { uint64_t key, size; } una_packet_head;   /* index of the key in the plan; bytes     */
typedef struct una_packet {              /* the rows that one key gave, as bytes in their own memory        */
    struct una_packet *next;
    una_packet_head    head;
    char               bytes[];          /* see una_packet_unpack                                           */
} una_packet;

typedef struct una_queue {
    una_sweep      *sweep;
    una_run        *run;
    una_arena      *arena;
    const size_t   *todo;                /* [count] keys without a row at the start                         */
    size_t          count;
    una_tally       tally;
    pthread_mutex_t lock;                /* guards all that follows, and what the sweep counts              */
    pthread_cond_t  changed;             /* signalled when something of this has changed                   */
    una_queue_state state;
    size_t         *available, first, last; /* claimed keys: available[first .. last - 1]                   */
    size_t          waiting;             /* threads of this process that wait for a key                     */
    size_t         *shortfall, ranks;    /* [ranks] keys that each rank asked for and has not received      */
    una_packet     *finished, **end;     /* packets to be written, in order                                 */
    bool            closed;              /* no thread comes any more: writer and messenger may end          */
    una_status      status;              /* the first failure of the writer or the messenger                */
    bool            alone;               /* the other ranks can no longer be reached                        */
    char            message[UNA_MESSAGE_SIZE];
    volatile int    cancel;              /* the cancel flag that fits read, where there are several ranks   */
    const volatile int *caller_cancel;   /* the flag that they would read otherwise: the caller's           */
} una_queue;

/* Takes sweep, run, arena, todo and count from the struct, and sets the rest. */
una_status una_queue_open(una_queue *queue);
void       una_queue_free(una_queue *queue);

/* For threads that fit. *key is SIZE_MAX when there is nothing left to do. */
una_status una_queue_take(size_t *key, una_queue *queue, una_run *run);
una_status una_queue_put(una_queue *queue, size_t key, const una_row *rows, size_t count, double seconds, una_run *run);
/* No more keys are given out. */
void       una_queue_stop(una_queue *queue, una_status status);

/* For the writer and the messenger. */
void        una_queue_fail(una_queue *queue, una_status status, const char *message);
void        una_queue_append(una_queue *queue, una_packet *packet);      /* the caller holds the lock              */
una_packet *una_queue_finished(una_queue *queue);        /* all packets; the caller holds the lock, and frees them */
una_packet *una_packet_new(una_packet_head head, const char *bytes, una_run *run);       /* NULL: no memory        */
void        una_packets_free(una_packet *first, una_run *run);

/* A thread of the queue itself: the writer or the messenger, whose struct begins with it. */
typedef struct una_helper {
    una_queue *queue;
    una_run    child;                    /* with the allocator, callbacks and cancel flag of the queue's run     */
    pthread_t  thread;
} una_helper;

/* purpose: "for the store of results". */
una_status una_helper_start(una_helper *helper, una_queue *queue, void *(*body)(void *helper), const char *purpose);
void       una_helper_join(una_helper *helper);          /* NULL is harmless */

/* The writer of rank 0 (writer.c) ends once the queue is closed and empty. The messenger of each of several ranks
 * (messenger.c) ends on rank 0 when all other ranks have left, elsewhere once the queue is closed and empty. */
una_status una_writer_start(una_helper **writer, una_queue *queue);
una_status una_messenger_start(una_helper **messenger, una_queue *queue);

/* Whether the store has the row of a key with all measures. Its texts stay in run->scratch. */
una_status una_sweep_has_row(bool *done, const una_sweep *sweep, const una_row_key *key, una_run *run);
