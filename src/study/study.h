/* SPDX-License-Identifier: MIT
 *
 * What the files of a study share: the trial store, the parsed space, and the search, which is made at the first ask.
 */
#pragma once

#include "bo/search.h"
#include "study/trial_store.h"

struct una_study {
    una_run    *run;                     /* whose memory is used                                            */
    una_arena   keep;
    una_trial_store *store;
    una_space  *space;
    una_search *search;                  /* NULL until the first ask                                        */
    const char *seed, *lease;            /* as texts                                                        */
};

/* First in every public call. */
una_status una_study_enter(una_run *run);
/* As una_study_ask, but this process holds the trials for as long as it lives. */
una_status una_study_hold(una_trials **trials, una_study *study, size_t count, una_run *run);
