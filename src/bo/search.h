/* SPDX-License-Identifier: MIT
 *
 * Which point to try next: a pure function of the space, the settings and the history. The model is trained on some
 * first told trials (a schedule that grows with their number, so that training is rare), takes in the others by its
 * exact update, and takes its own mean for the values of open points; the point where the acquisition is highest is
 * the answer. Trained models are kept from call to call and give the same bits as training again.
 */
#pragma once

#include "bo/acquisition.h"
#include "bo/space.h"
#include "una_study.h"

typedef struct una_search_settings {
    const una_space *space;
    const char      *model, *acquisition;        /* specs, made by una_search_model and una_acquisition_check       */
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
    double expected, doubt;                      /* the model's prediction there, in the user's units; NAN: none      */
    double gain;                                 /* the acquisition's value; NAN                                    */
    bool   trained;                              /* by this call                                                    */
} una_proposal;

/* point [space->count]. UNA_E_INPUT: no point that satisfies the constraints was found, or a finite space is
 * exhausted. */
una_status una_search_next(una_search *search, const una_history *history, double *point, una_proposal *proposal,
                           una_run *run);
/* The surrogate's mean and epistemic std at points [rows, space->count], in the user's units. UNA_E_INPUT: too few told
 * trials. */
una_status una_search_predict(una_search *search, const una_history *history, const double *point, size_t rows,
                              double *mean, double *std, una_run *run);
/* The acquisition's value [rows] at these points, on its own scale (logarithms for log_ei), which una_search_next
 * maximises. UNA_E_USAGE: the acquisition uses no model. */
una_status una_search_gain(una_search *search, const una_history *history, const double *point, size_t rows,
                           double *gain, una_run *run);
/* The checked spec of a model for a search: "luna" gets options that suit optimisation; options that are given stay.
 * NULL: the default model. The text lives in `arena`. */
una_status una_search_model(const char **spec, const char *given, una_arena *arena, una_run *run);
