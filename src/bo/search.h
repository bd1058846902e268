/* SPDX-License-Identifier: MIT
 *
 * Which point to try next: a pure function of the space, the settings and the history. The model is trained on the
 * first so many told trials (a schedule that grows with their number: seldom), takes the others in by its exact update,
 * and believes its own mean at points that are open; the acquisition's highest place is the answer. What was trained is
 * kept from call to call, and gives the same bits as training again.
 */
#ifndef UNA_SEARCH_H
#define UNA_SEARCH_H

#include "bo/acquisition.h"
#include "bo/space.h"
#include "una_study.h"

typedef struct una_search_settings {
    const una_space *space;
    const char      *model, *acquisition;        /* specs; una_search_model, una_acquisition_check made them        */
    bool             maximize;
    uint64_t         seed;
    size_t           initial;                    /* > 0                                                             */
} una_search_settings;

typedef struct una_history {                     /* trials in the order of their ids                                */
    size_t                 count;
    const double          *point;                /* [count, space->count]                                           */
    const double          *value;                /* [count]; NAN unless told                                        */
    const una_trial_state *state;                /* [count]                                                         */
} una_history;

typedef struct una_search una_search;

/* Specs and space are borrowed. */
una_status una_search_new(una_search **search, const una_search_settings *settings, una_run *run);
void       una_search_free(una_search *search);  /* NULL is harmless                                                */

typedef struct una_proposal {
    double expected, doubt;                      /* what the model foretells there, in the user's units; NAN: nothing */
    double gain;                                 /* the acquisition's value; NAN                                    */
    bool   trained;                              /* by this call                                                    */
} una_proposal;

/* point [space->count]. UNA_E_INPUT: no point can be found that keeps the constraints, or all of a finite space has
 * been tried. */
una_status una_search_next(una_search *search, const una_history *history, double *point, una_proposal *proposal,
                           una_run *run);
/* The surrogate's mean and std (of the function) at points [rows, space->count], in the user's units. UNA_E_INPUT: too
 * little was told. */
una_status una_search_foretell(una_search *search, const una_history *history, const double *point, size_t rows,
                               double *mean, double *std, una_run *run);
/* The acquisition's value there [rows], on its own scale (logarithms of log_ei): what una_search_next climbs.
 * UNA_E_USAGE: it asks no model. */
una_status una_search_gain(una_search *search, const una_history *history, const double *point, size_t rows,
                           double *gain, una_run *run);
/* What a model's name stands for: "luna" becomes a spec with options that suit optimisation; a spec with options of its
 * own keeps them, and gets the others. NULL: the default. Checked. The text lives in `arena`. */
una_status una_search_model(const char **spec, const char *given, una_arena *arena, una_run *run);

#endif
