/* SPDX-License-Identifier: MIT
 *
 * What is shown of a study, from plain arrays: whoever has a study fills these in (study_page.c does). All numbers are
 * in the user's own units. Everything is borrowed for the call.
 */
#pragma once

#include "una_study.h"

#include "bo/space.h"
#include "draw/figure.h"

typedef struct una_slice {               /* the model's prediction along one input, through the best trial          */
    size_t        count;                 /* 0: nothing                                                              */
    const double *at, *mean, *std;       /* [count], `at` ascending                                                 */
} una_slice;

typedef struct una_study_view {
    const char *title;                   /* the study's name                                                        */
    const char *model, *acquisition, *space, *seed;      /* texts; NULL: not shown                                  */
    bool        maximize;
    const una_dimension *inputs;
    size_t      input_count;
    const una_trial *trials;             /* by id                                                                   */
    size_t      trial_count;
    const una_trial *best;               /* one of them; NULL: nothing was told                                     */
    const una_slice *slices;             /* [input_count]; NULL: there are none                                     */
    const char *no_slices;               /* the sentence that says why there are none; NULL: nothing to say         */
} una_study_view;

enum { UNA_STUDY_ROWS = 20, UNA_STUDY_COLUMNS = 8, UNA_STUDY_SLICES = 24, UNA_STUDY_AXES = 12 };

/* The whole page, in page->arena (which also holds what is needed on the way); the charts alone. */
una_status una_study_view_page(una_text *page, const una_study_view *view);
una_status una_study_view_chart(una_text *bytes, const una_study_view *view, una_format format, una_run *run);

/* ---- the charts (study_charts.c) ------------------------------------------------------------------------------ */

typedef struct una_study_digest {        /* what charts and tables share                                            */
    size_t        told, failed, open;
    const size_t *order;                 /* [told] trials, the best first                                           */
    const double *told_id, *told_value;  /* [told] by id; values beyond `value` at its ends                         */
    una_axis      value;                 /* the range of values that is shown; low == high: nothing to go by        */
    size_t        beyond;                /* told values outside of it                                               */
    const size_t *varied;                /* [varied_count] inputs that are not fixed                                */
    size_t        varied_count;
    size_t        slice_count;           /* inputs with a slice                                                     */
} una_study_digest;

una_status una_study_digest_make(una_study_digest *digest, const una_study_view *view, una_arena *arena);
una_figure una_study_chart_progress(const una_study_view *view, const una_study_digest *digest, una_arena *arena);
/* Several panels where the inputs are many, each of which ends with the value. */
una_figure una_study_chart_parallel(const una_study_view *view, const una_study_digest *digest, una_arena *arena);
/* `most` of the inputs: in their order if that is all, else those along which the model's mean varies most. */
una_figure una_study_chart_slices(const una_study_view *view, const una_study_digest *digest, size_t most,
                                  una_arena *arena);
