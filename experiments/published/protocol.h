/* SPDX-License-Identifier: MIT
 *
 * The thesis's protocol on published splits: for every split a grid of trainings, a rule that chooses one of them by
 * rows that trained nothing, and the chosen one once more, for the test rows. Test rows are never asked before that.
 *
 *   noise     of gap: that which suits the validation rows best under an NLM (prior variance 0.1, penalty 1e-5), for
 *             all methods; of uci: set by hand for each set, and far too large (the thesis does not give it; it follows
 *             from its log-likelihoods and errors)
 *   search    one row per training; prior variances are swept in it, without training again
 *   the row   that stands in the tables: key and spec are those of the method, its options those that were chosen
 *
 * Rows of noise and search have the study "search(of=gap, preset=thesis ...)" and measures of their own. They stay in
 * the store and in no table.
 */
#pragma once

#include "published/published.h"

enum { UNA_PROTOCOL_GRIDS = 3, UNA_PROTOCOL_PRIORS = 5, UNA_PROTOCOL_STEPS = 60000 };

typedef struct una_protocol {            /* of one method                                                    */
    const char *base;                    /* options of all its trainings, besides those of --preset thesis    */
    const char *grid[UNA_PROTOCOL_GRIDS];        /* as una_option_space reads them: their union is trained    */
    const char *prior[UNA_PROTOCOL_PRIORS];      /* prior variances of each training; none: it has no such    */
    const char *rule;                    /* una_select's                                                     */
    const char *search;                  /* "members=5": for trainings of the search alone; NULL: as they are */
    double      epochs, batch;           /* of its trainings; epochs 0: it has none                          */
    bool        train_noise;             /* its objective has the noise                                      */
} una_protocol;

/* NULL: the thesis has no such method. */
const una_protocol *una_protocol_of(const char *spec, una_rows_group group);
/* What was done with less than the thesis has: for captions. */
extern const char una_protocol_reduced[];
/* The noise that the thesis must have set for a set of uci, in units of its target; NAN: it has no such set. */
double una_protocol_hand_noise(const char *data);

/* The hooks of both experiments. */
una_status una_protocol_prepare(una_plan *more, size_t number, const una_plan *wanted, const una_asked *asked,
                                una_run *run);
extern const char *const una_protocol_prepared[];        /* names of the measures of a search's rows                */
enum { UNA_SEARCH_RMSE, UNA_SEARCH_COS2, UNA_SEARCH_NOISE, UNA_SEARCH_STEPS, UNA_SEARCH_LOG_LIK,
       UNA_SEARCH_MEASURES = UNA_SEARCH_LOG_LIK + UNA_PROTOCOL_PRIORS };
una_status una_protocol_measure(const una_measuring *m, const una_portions *rows);

/* ---- between protocol.c and protocol_fit.c --------------------------------------------------------------------- */

/* Keys of what a row hangs on: of its noise, and of all trainings of its grid, in the plan's arena. */
una_status  una_protocol_noise_key(una_row_key *noise, const una_row_key *key, una_arena *arena, una_run *run);
una_status  una_protocol_searches(una_plan *searches, const una_row_key *key, const una_protocol *protocol,
                                  una_run *run);
bool        una_protocol_is_search(const una_row_key *key);
bool        una_protocol_is_noise(const una_row_key *key);

typedef struct una_protocol_choice {
    const char *spec;                    /* of the training                                                  */
    const char *prior;                   /* NULL: it has none                                                */
} una_protocol_choice;
/* By the rows of the search; spec NULL: no training of the grid gave numbers. */
una_status una_protocol_choose(una_protocol_choice *choice, const una_row_key *key, const una_protocol *protocol,
                               una_store *store, una_arena *arena, una_run *run);
/* In units of the target: by hand, or of the row of an NLM. */
una_status una_protocol_noise(double *noise, const una_row_key *key, una_rows_group group, una_store *store,
                              una_run *run);
