/* SPDX-License-Identifier: MIT
 *
 * What follows from the numbers of a hole: its kind, whether it was noticed and matters, and its sentence. Independent
 * of models and data.
 */
#pragma once

#include "base/base.h"
#include "una_bench.h"

/* A row has a clearly wider band if its ignorance is this many times what it would be with rows around it, and this
 * many times what rows far from the hole get by chance: trainings differ by some percent. */
extern const double UNA_GAP_CLEARLY;

/* Paired predictions, of rows in the hole [rows] and of other rows that were not trained on [others]. `with`: by the
 * model that lacks the rows of the hole; `known`: by models that have rows there. */
typedef struct una_gap_pairs {
    size_t        rows, others;
    const double *with, *known;                  /* [rows] epistemic stds                                           */
    const double *error, *error_known;           /* [rows] predicted less observed                                  */
    const double *with_outside, *known_outside;  /* [others] epistemic stds                                         */
    double        least;                         /* smaller errors are rounding and count as this                   */
} una_gap_pairs;

/* Fills wider, spread, error (with its interval), auroc, increase, rmse_inside and rmse_known of the hole. */
una_status una_gap_measure(una_gap_hole *hole, const una_gap_pairs *pairs, una_run *run);

/* Sets noticed, matters and kind of a hole from its numbers. */
void una_gap_classify(una_gap_hole *hole);
/* Its sentence. */
void una_gap_sentence(una_text *text, const una_gap_hole *hole);
/* The answer for all of them. */
void una_gap_answer(una_text *text, const una_gap_hole *hole, size_t columns, size_t pairs);
