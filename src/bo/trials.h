/* SPDX-License-Identifier: MIT
 *
 * The ledger of a study: its settings and trials in a database, and who has which trial in hand.
 *
 * A trial is open, told or failed; it never leaves the last two. An open one is *held*, or else offered again to whoever
 * asks next, lowest number first. There are two ways of holding it:
 *   by lease      lease_until is a time: held until then, whatever becomes of the process that asked. (A time further
 *                 off than the study's lease and two minutes is a clock that went wrong, and counts as over.)
 *   by process    lease_until is 0: held while its owner lives as owner.h has it, so in this place until that process
 *                 ends and elsewhere until two minutes have passed without a sign of life.
 * Whoever is told something takes it, whoever held the trial: a value is data. Only the first counts.
 *
 * Points are chosen by one asker at a time, who has the *turn*: a row with an owner who lives as above. The search works
 * outside of any transaction, so nobody who tells has to wait for it; signs of life go out from a thread meanwhile. What
 * was found is written only if the turn is still ours, in the transaction that gives it back. Every ask has a token of
 * its own, stored with what it was given: a transaction that runs twice, because a server was lost behind it, finds what
 * it has written and leaves it at that.
 *
 * One file holds one study, named "study"; a server holds many, by the name behind # in the address.
 */
#ifndef UNA_TRIALS_H
#define UNA_TRIALS_H

#include "sweep/database.h"
#include "sweep/owner.h"
#include "una_study.h"

enum { UNA_LEDGER_FORMAT = 1, UNA_LEDGER_PULSE = 20 /* seconds between signs of life */ };

typedef struct una_ledger una_ledger;

typedef struct una_ledger_facts {        /* what a study is, for ever                                              */
    const char *space, *model, *acquisition;
    bool        maximize;
    uint64_t    seed;
    size_t      initial;
    double      lease;
} una_ledger_facts;

typedef struct una_ledger_trial {        /* x is JSON in the space's words                                         */
    uint64_t        id;
    una_trial_state state;
    const char     *x, *note;
    double          value, expected, doubt;
    unsigned        attempts;
    int64_t         asked, told;
} una_ledger_trial;

typedef struct una_ledger_trials { una_ledger_trial *at; size_t count; } una_ledger_trials;

/* Texts of facts live as long as the ledger. _make: UNA_E_INPUT if there is one already. */
una_status una_ledger_make(una_ledger **ledger, const char *where, const una_ledger_facts *facts, una_run *run);
una_status una_ledger_open(una_ledger **ledger, const char *where, una_run *run);
void       una_ledger_close(una_ledger *ledger);         /* gives back what this process holds; NULL is harmless     */
const una_ledger_facts *una_ledger_facts_of(const una_ledger *ledger);
const char *una_ledger_name(const una_ledger *ledger);   /* the path, or the address without its password          */

/* All trials by id, in `arena`. */
una_status una_ledger_read(una_ledger_trials *all, una_ledger *ledger, una_arena *arena, una_run *run);

/* How new ones are chosen, given all so far: x, expected and doubt of the first `count` of `found`. *chosen: how many
 * there are; where it fails, those that were found before. */
typedef una_status una_chooser(void *context, const una_ledger_trials *all, una_ledger_trial *found, size_t count,
                               size_t *chosen, una_arena *arena, una_run *run);
/* Trials to carry out: first those that nobody holds any more, then new ones. Fewer than `count` where there are no more
 * points, but at least one. by_process: see above. */
una_status una_ledger_ask(una_ledger_trials *given, una_ledger *ledger, size_t count, bool by_process,
                          una_chooser *choose, void *context, una_arena *arena, una_run *run);
/* After an ask that failed, also behind una_ledger_ask: what it was given is given back, as if it had not been. Returns
 * `status`. */
una_status una_ledger_give_up(una_ledger *ledger, una_status status, una_run *run);
/* state told (value finite) or failed (why). Again the same is no error. */
una_status una_ledger_tell(una_ledger *ledger, uint64_t id, una_trial_state state, double value, const char *note,
                           una_run *run);
/* Gives it back. only_ours: if this ledger holds it, and otherwise nothing is done. */
una_status una_ledger_drop(una_ledger *ledger, uint64_t id, bool only_ours, una_run *run);
/* Those of `id` that this ledger was given and are still open and its own; UNA_E_INPUT names the first that is not. */
una_status una_ledger_renew(una_ledger *ledger, const uint64_t *id, size_t count, una_run *run);
/* A sign of life for the turn and the trials that are held by this process. */
una_status una_ledger_pulse(una_ledger *ledger, una_run *run);
/* Trials made elsewhere: x, state, value, note. passed: those that are there already, same x, state and value (one for
 * one), are passed over and not counted in *added. */
una_status una_ledger_add(size_t *added, una_ledger *ledger, const una_ledger_trials *more, bool passed, una_run *run);

#endif
