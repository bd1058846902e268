/* SPDX-License-Identifier: MIT
 *
 * What the files of the trial store share.
 */
#ifndef UNA_TRIAL_STORE_INSIDE_H
#define UNA_TRIAL_STORE_INSIDE_H

#include "study/trial_store.h"

enum { UNA_TRIAL_STORE_TOKEN = 512 };

struct una_trial_store {
    una_run         *run;                /* whose memory it is                                              */
    una_arena        keep;
    una_database    *db;
    const char      *study, *name;       /* its name in the database; its name for messages                 */
    una_trial_store_facts facts;
    una_owner_name   me;
    uint64_t         asks;               /* so far, for tokens                                              */
    int64_t          opened;             /* nanoseconds: distinguishes two stores at one address            */
    char             token[UNA_TRIAL_STORE_TOKEN]; /* of the current ask                                          */
    bool             holds;              /* it holds something by process, to be given back at the end      */
};

#define UNA_LET_GO "host = '', process = 0, start = '', handle = '', since = 0, lease_until = 0"
/* With the owner as $3 to $6. */
#define UNA_IS_MINE "host = $3 AND process = $4 AND start = $5 AND handle = $6"

void        una_trial_store_next_token(una_trial_store *store);

/* In a transaction: the trials with the current token, and the number of the next trial. */
una_status  una_trial_store_count_given(size_t *count, una_trial_store *store, una_run *run);
una_status  una_trial_store_read_given(una_stored_trials *given, una_trial_store *store, una_run *run);
una_status  una_trial_store_next_id(int64_t *id, una_trial_store *store, una_run *run);

#endif
