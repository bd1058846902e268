/* SPDX-License-Identifier: MIT
 *
 * What a file does not hold and whoever asks first makes: the factor of an exact process, the search tree of one that
 * answers by nearest rows. Loading must not take more than the bytes of a file justify; so it is made within the limit
 * of the run that owns the model, once, and several threads may ask at the same time.
 */
#pragma once

#include "base/base.h"

#include <pthread.h>

typedef struct una_deferred {
    pthread_mutex_t lock;
    una_run *owner;                      /* whose memory it is: the run of the model                          */
    void    *block, *at;                 /* as it was allocated, NULL: not made yet; and aligned              */
    uint64_t charged;                    /* bytes of it that the file does not justify                        */
} una_deferred;

/* Ends with the memory of keep. */
una_status una_deferred_init(una_deferred *deferred, una_arena *keep);
/* Waits its turn; between the two it may be made, dropped and read. A thread that waits can be interrupted. */
una_status una_deferred_enter(una_deferred *deferred, const char *stage, una_run *run);
void       una_deferred_leave(una_deferred *deferred);
/* What a file makes una take beyond UNA_FILE_TIMES its bytes: of all files of a run UNA_UNEARNED bytes together, or as
 * much as its limit allows if the caller chose that. Takes them until they are dropped, or answers no. */
enum { UNA_FILE_TIMES = 64, UNA_UNEARNED = 512000000 };
bool       una_deferred_charge(una_deferred *deferred, double size, double file_bytes);
/* Zeroed memory of so many bytes, at deferred->at. */
una_status una_deferred_take(una_deferred *deferred, size_t size, una_run *run);
void       una_deferred_drop(una_deferred *deferred);
