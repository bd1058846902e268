/* SPDX-License-Identifier: MIT
 *
 * The inside of the ledger, for the files that make it up.
 */
#ifndef UNA_LEDGER_INSIDE_H
#define UNA_LEDGER_INSIDE_H

#include "bo/trials.h"

enum { UNA_LEDGER_TOKEN = 512 };

struct una_ledger {
    una_run         *run;                /* whose memory it is                                              */
    una_arena        keep;
    una_database    *db;
    const char      *study, *name;       /* its name in the database; and for people                        */
    una_ledger_facts facts;
    una_owner_name   me;
    uint64_t         asks;               /* so far, for tokens                                              */
    int64_t          opened;             /* nanoseconds: tells two ledgers at one address apart             */
    char             token[UNA_LEDGER_TOKEN];  /* of the ask that is under way                                    */
    bool             holds;              /* something by process, to be given back at the end               */
};

#define UNA_LET_GO "host = '', process = 0, start = '', handle = '', since = 0, lease_until = 0"
/* With the owner as $3 to $6. */
#define UNA_IS_MINE "host = $3 AND process = $4 AND start = $5 AND handle = $6"

void        una_ledger_next_token(una_ledger *ledger);
const char *una_ledger_state_word(una_trial_state state);
double      una_ledger_number(const una_cell *cell);             /* NAN where there is none                         */

/* In a transaction: what has the present token, and the number of the next trial. */
una_status  una_ledger_count_given(size_t *count, una_ledger *ledger, una_run *run);
una_status  una_ledger_read_given(una_ledger_trials *given, una_ledger *ledger, una_arena *arena, una_run *run);
una_status  una_ledger_next_id(int64_t *id, una_ledger *ledger, una_run *run);

#endif
