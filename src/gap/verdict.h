/* SPDX-License-Identifier: MIT
 *
 * What is said of a hole: from numbers to a verdict, from a verdict to a sentence. Nothing here knows models or data.
 */
#ifndef UNA_GAP_VERDICT_H
#define UNA_GAP_VERDICT_H

#include "base/base.h"
#include "una_bench.h"

/* A row gets a clearly wider band where its ignorance is this many times what it would be with rows around, and this
 * many times what other rows, which are nowhere near the hole, get by chance: trainings differ by some percent. */
extern const double UNA_GAP_CLEARLY;

/* Of predictions that belong together. inside [rows]: of rows in the hole; outside [others]: of other rows that were
 * not trained on. `with`: by the model that lacks the hole's rows, `known`: by those that have rows there. */
typedef struct una_gap_pairs {
    size_t        rows, others;
    const double *with, *known;                  /* [rows] epistemic stds                                           */
    const double *error, *error_known;           /* [rows] predicted less observed                                  */
    const double *with_outside, *known_outside;  /* [others] epistemic stds                                         */
    double        least;                         /* errors below it are rounding: they count as this                */
} una_gap_pairs;

/* Fills wider, spread, error (with its interval), auroc, increase, rmse_inside and rmse_known of the hole. */
una_status una_gap_measure(una_gap_hole *hole, const una_gap_pairs *pairs, una_run *run);

/* noticed, matters and kind of a hole from its numbers. */
void una_gap_judge(una_gap_hole *hole);
/* Its sentence. */
void una_gap_say(una_text *text, const una_gap_hole *hole);
/* The answer for all of them. */
void una_gap_answer(una_text *text, const una_gap_hole *hole, size_t columns, size_t pairs);

#endif
