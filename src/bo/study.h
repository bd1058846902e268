/* SPDX-License-Identifier: MIT
 *
 * The inside of a study, for the files that make it up: the ledger that keeps it, the space as it is parsed, and the
 * search, which is made when somebody first asks.
 */
#ifndef UNA_STUDY_INSIDE_H
#define UNA_STUDY_INSIDE_H

#include "bo/search.h"
#include "bo/trials.h"

struct una_study {
    una_run    *run;                     /* whose memory it is                                              */
    una_arena   keep;
    una_ledger *ledger;
    una_space  *space;
    una_search *search;                  /* NULL until it is needed                                         */
    const char *seed, *lease;            /* as texts                                                        */
};

/* First in every public call. */
una_status una_enter(una_run *run);
/* As una_study_ask, the trials held by this process: while it lives, no longer and no shorter. */
una_status una_hold(una_trials **trials, una_study *study, size_t count, una_run *run);

#endif
