/* SPDX-License-Identifier: MIT
 *
 * The trials of a study in a database: its settings, its trials, and who holds which trial.
 *
 * A trial is open, told or failed; told and failed are final. An open trial is *held*, or else offered to whoever asks
 * next, lowest number first. It is held in one of two ways:
 *   by lease      lease_until is a time: held until then, whatever happens to the process that asked. (A time further
 *                 in the future than the study's lease and two minutes comes from a wrong clock: it counts as over.)
 *   by process    lease_until is 0: held while its owner lives (owner.h): on this host until that process ends, on
 *                 another host until it has not renewed for two minutes.
 * Anybody may tell a result, whoever holds the trial: a value is data. Only the first result counts.
 *
 * One asker at a time chooses points: the one that has the *turn*, a row with an owner as above. The search runs
 * outside any transaction, so telling never waits for it; meanwhile a thread renews the turn. New points are written
 * only if the turn is still held, in the transaction that gives it back. Every ask has its own token, stored with the
 * trials it got: a transaction that runs twice, because the server was lost, finds what it has already written.
 *
 * A file holds one study, named "study"; a server holds many, by the name behind # in the address.
 */
#pragma once

#include "store/database.h"
#include "store/owner.h"
#include "una_study.h"

enum { UNA_TRIAL_STORE_FORMAT = 1, UNA_TRIAL_STORE_HEARTBEAT = 20 /* seconds between renewals */ };

typedef struct una_trial_store_facts {   /* settings that never change                                             */
    const char *space, *model, *acquisition;
    bool        maximize;
    uint64_t    seed;
    size_t      initial;
    double      lease;
} una_trial_store_facts;

typedef struct una_trial_store {
    una_run         *run;                /* whose memory it is                                              */
    una_arena        keep;
    una_database    *db;
    const char      *study, *name;       /* its name in the database; its name for messages                 */
    una_trial_store_facts facts;
    una_owner_name   me;
    uint64_t         asks;               /* so far, for tokens                                              */
    int64_t          opened;             /* nanoseconds: distinguishes two stores at one address            */
    char             token[512];         /* of the current ask                                              */
    bool             holds;              /* it holds something by process, to be given back at the end      */
} una_trial_store;

typedef struct una_stored_trial {        /* x is JSON, as the space writes it                                      */
    uint64_t        id;
    una_trial_state state;
    const char     *x, *note;
    double          value, expected, doubt;
    unsigned        attempts;
    int64_t         asked, told;
} una_stored_trial;

typedef struct una_stored_trials { una_stored_trial *at; size_t count; } una_stored_trials;

enum { UNA_TRIAL_STATES = 3 };
extern const char *const una_trial_state_words[UNA_TRIAL_STATES];        /* by una_trial_state                      */

/* Makes a study with these settings: UNA_E_INPUT if there is one already. facts NULL: there must be one. */
una_status una_trial_store_open(una_trial_store **store, const char *where, const una_trial_store_facts *facts,
                                una_run *run);
void       una_trial_store_close(una_trial_store *store); /* gives back what this process holds; NULL is harmless    */

/* All trials by id, in `arena`. */
una_status una_trial_store_read(una_stored_trials *all, una_trial_store *store, una_arena *arena, una_run *run);

/* Chooses new trials, given all so far: sets x, expected and doubt of the first `count` of `found`, with texts in
 * run->scratch. *chosen: their number, also where it fails. */
typedef una_status una_point_chooser(void *context, const una_stored_trials *all, una_stored_trial *found, size_t count,
                                     size_t *chosen, una_run *run);
typedef struct una_trial_request {
    size_t             count;
    bool               by_process;       /* see above                                                               */
    una_point_chooser *choose;
    void              *context;
} una_trial_request;
/* Trials to carry out, in run->scratch: first open ones that are not held, then new ones. Fewer than asked for where
 * there are no more points, but at least one. */
una_status una_trial_store_ask(una_stored_trials *given, una_trial_store *store, const una_trial_request *request,
                               una_run *run);
/* After a failed ask, also one that failed after una_trial_store_ask: its trials are given back. Returns `status`. */
una_status una_trial_store_give_up(una_trial_store *store, una_status status, una_run *run);
/* state: told (value finite) or failed (why). Telling the same again is no error. */
una_status una_trial_store_tell(una_trial_store *store, uint64_t id, una_trial_state state, double value,
                                const char *note, una_run *run);
/* Gives a trial back; only_ours: only if this store holds it. */
una_status una_trial_store_drop(una_trial_store *store, uint64_t id, bool only_ours, una_run *run);
/* Renews the leases of `id` [count]; UNA_E_INPUT names the first trial that is not open or not held by this store. */
una_status una_trial_store_renew(una_trial_store *store, const uint64_t *id, size_t count, una_run *run);
/* Renews the turn and the trials that this process holds. */
una_status una_trial_store_heartbeat(una_trial_store *store, una_run *run);
/* Adds trials made elsewhere: x, state, value, note. passed: trials that exist already with the same x, state and value
 * (one for one) are skipped and not counted in *added. */
una_status una_trial_store_add(size_t *added, una_trial_store *store, const una_stored_trials *more, bool passed,
                               una_run *run);

/* ---- for the files of the trial store ------------------------------------------------------------------------ */

#define UNA_LET_GO "host = '', process = 0, start = '', handle = '', since = 0, lease_until = 0"
/* With the owner as $3 to $6. */
#define UNA_IS_MINE "host = $3 AND process = $4 AND start = $5 AND handle = $6"

void        una_trial_store_next_token(una_trial_store *store);

/* In a transaction: a new trial, which gets the current token. until: the end of its lease. */
una_status  una_trial_store_insert(const una_trial_store *store, const una_stored_trial *trial,
                                   const una_owner_name *owner, double until, una_run *run);
/* In a transaction: the trials with the current token, and the number of the next trial. */
una_status  una_trial_store_count_given(size_t *count, una_trial_store *store, una_run *run);
una_status  una_trial_store_read_given(una_stored_trials *given, una_trial_store *store, una_run *run);
una_status  una_trial_store_next_id(int64_t *id, una_trial_store *store, una_run *run);
