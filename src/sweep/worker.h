/* SPDX-License-Identifier: MIT
 *
 * A plan is the list of keys that a study wants; the worker makes those that the store does not have, whole fits in
 * parallel on the task pool. Several processes may work on one plan: each takes what no other has claimed, and in the
 * end waits for the rows that others are still making.
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
    size_t             made;             /* out: rows made by this call                                     */
} una_sweep;

/* The keys of the plan that have no whole row: their indices, todo [plan]. */
una_status una_sweep_missing(size_t *todo, size_t *count, const una_sweep *sweep, una_run *run);
/* Until every key of the plan has its row. Where only keys in other hands are left, a note in the log says whose. After
 * a failure or a cancel, what was finished is in the store. */
una_status una_sweep_run(una_sweep *sweep, una_run *run);

#endif
