/* SPDX-License-Identifier: MIT
 *
 * A plan is the list of keys that a study wants; the worker makes those that the store does not have, whole fits in
 * parallel on the task pool. Several processes may work on one plan: each takes what no other has claimed, and in the
 * end waits for the rows that others are still making.
 *
 * Ranks do so as one: all plan alike and call together, rank 0 has the store and gives out keys one by one, and rows
 * come to it as they are made. In the end every rank has all rows of the plan in a store of its own, so that what
 * follows goes alike on all of them. The others' stores are in memory (una_sweep_store).
 */
#ifndef UNA_WORKER_H
#define UNA_WORKER_H

#include "sweep/store.h"

typedef struct una_plan {                /* grows in an arena                                               */
    una_arena *arena;
    una_row_key   *keys;
    size_t     count, room;
    size_t    *slot, slot_count;         /* by hash: 1 + index of a key, or 0                               */
} una_plan;

/* Texts are borrowed. A key that is there already is not added again. The arena's failure is sticky. */
void una_plan_add(una_plan *plan, una_row_key key);
size_t una_plan_find(const una_plan *plan, const una_row_key *key);      /* its index; SIZE_MAX: it is not there */

typedef struct una_outcome {             /* what making one row gives                                       */
    una_arena  *arena;                   /* for options; lasts until the row is stored                      */
    double     *value;                   /* [measures], NAN until set                                       */
    const char *options;
    double      seconds;
    const una_row *beside;               /* [beside_count] rows of other keys that came of the same work: stored too */
    size_t      beside_count;
} una_outcome;

/* Makes one row. `run` has the key's seed and is the task's own; everything else may be shared with other tasks. */
typedef una_status una_make_row(void *context, const una_row_key *key, una_outcome *outcome, una_run *run);

typedef struct una_sweep {
    una_store         *store;
    const una_plan    *plan;
    const char *const *measures;         /* a row that lacks one of these is made anew                      */
    size_t             measure_count;
    una_make_row      *make;
    void              *context;
    long               renew_ms;         /* between two signs of life of its claims; 0: 20 s                */
    const una_ranks   *ranks;            /* who works on it together; NULL: this process alone. Those of the run are
                                            not looked at: a run hides them from all but its sweeps          */
    size_t             made, beside;     /* out: rows made by this call, and beside them; of all ranks       */
    double             worked, waited;   /* out: seconds that fits took, and that who made them waited for a key   */
} una_sweep;

/* The keys of the plan that have no whole row, with ranks in the store of rank 0: their indices, todo [plan]. */
una_status una_sweep_missing(size_t *todo, size_t *count, const una_sweep *sweep, una_run *run);
/* Until every key of the plan has its row. Where only keys in other hands are left, a note in the log says whose. After
 * a failure or a cancel, what was finished is in the store. */
una_status una_sweep_run(una_sweep *sweep, una_run *run);

/* For ranks, NULL: alone. The store of a sweep: rank 0 has the one at `path`, the others one in memory. Where it cannot
 * be opened, rank 0 alone hears of it (una_sweep_agree tells the others). */
una_status una_sweep_store(una_store **store, const char *path, const una_ranks *ranks, una_run *run);
/* What rank 0 has of a study goes to all stores. */
una_status una_sweep_share(una_store *store, const char *study, const una_ranks *ranks, una_run *run);
/* How it went with each rank becomes how it went (una_ranks_agree). */
una_status una_sweep_agree(una_status status, const una_ranks *ranks, una_run *run);
static inline bool una_sweep_writes(const una_ranks *ranks) { return !ranks || ranks->rank == 0; }

#endif
