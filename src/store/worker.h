/* SPDX-License-Identifier: MIT
 *
 * A plan is the list of keys that a study wants. The worker makes the rows that the store lacks, whole fits in
 * parallel on the task pool. Several processes may work on one plan: each takes keys that no other has claimed, and in
 * the end waits for the rows that others are still making.
 *
 * Ranks work as one: all have the same plan and call together; rank 0 has the store and gives out keys one by one, and
 * rows come to it as they are made. In the end every rank has all rows of the plan in a store of its own, in memory
 * for ranks other than 0 (una_sweep_store), so that all ranks go on alike.
 */
#pragma once

#include "store/store.h"

typedef struct una_plan {                /* grows in an arena                                               */
    una_arena *arena;
    una_row_key   *keys;
    size_t     count, room;
    size_t    *slot, slot_count;         /* by hash: 1 + index of a key, or 0                               */
} una_plan;

/* Texts are borrowed. A key that is there already is not added again. The arena's failure is sticky. */
void una_plan_add(una_plan *plan, una_row_key key);
size_t una_plan_find(const una_plan *plan, const una_row_key *key);      /* its index; SIZE_MAX: it is not there */

typedef struct una_outcome {             /* the result of making one row                                    */
    una_arena  *arena;                   /* for options; lasts until the row is stored                      */
    double     *value;                   /* [measures], NAN until set                                       */
    const char *options;
    double      seconds;
    const una_row *extra;                /* [extra_count] rows of other keys from the same work; stored too          */
    size_t      extra_count;
} una_outcome;

/* Makes one row. `run` has the key's seed and is the task's own; everything else may be shared with other tasks. */
typedef una_status una_make_row(void *context, const una_row_key *key, una_outcome *outcome, una_run *run);

typedef struct una_sweep {
    una_store         *store;
    const una_plan    *plan;
    const char *const *measures;         /* a row that lacks one of these is made again                     */
    size_t             measure_count;
    una_make_row      *make;
    void              *context;
    long               renew_ms;         /* interval between renewals of its claims; 0: 20 s                */
    const una_ranks   *ranks;            /* ranks that share the work; NULL: this process alone. The ranks of the run
                                            are not used here */
    size_t             made, extra;      /* out: rows and extra rows made by this call, on all ranks         */
    double             worked, waited;   /* out: seconds spent in fits, and in waiting for a key                   */
} una_sweep;

/* Indices of the keys of the plan without a complete row, todo [plan]; with ranks, in the store of rank 0. */
una_status una_sweep_missing(size_t *todo, size_t *count, const una_sweep *sweep, una_run *run);
/* Runs until every key of the plan has its row. Where only keys of other processes are left, a note in the log says
 * whose. After a failure or a cancel, finished rows are in the store. */
una_status una_sweep_run(una_sweep *sweep, una_run *run);

/* The store of a sweep: rank 0 opens the one at `path`, other ranks one in memory. ranks NULL: this process alone. Only
 * rank 0 gets the error if it cannot be opened (una_sweep_agree passes it on). */
una_status una_sweep_store(una_store **store, const char *path, const una_ranks *ranks, una_run *run);
/* Copies the rows of a study from rank 0 to the stores of all ranks. */
una_status una_sweep_share(una_store *store, const char *study, const una_ranks *ranks, una_run *run);
/* One status for all ranks (una_ranks_agree). */
una_status una_sweep_agree(una_status status, const una_ranks *ranks, una_run *run);
static inline bool una_sweep_writes(const una_ranks *ranks) { return !ranks || ranks->rank == 0; }
