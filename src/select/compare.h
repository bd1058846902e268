/* SPDX-License-Identifier: MIT
 *
 * A comparison while it is made, and what it keeps for its pictures. Inside src/select only.
 */
#pragma once

#include "select/folds.h"
#include "select/kept.h"
#include "una_study.h"

enum { UNA_COMPARED_LOG_LIK, UNA_COMPARED_RMSE, UNA_COMPARED_CRPS, UNA_COMPARED_COVERAGE, UNA_COMPARED_COUNT };
extern const char *const una_compared_measures[UNA_COMPARED_COUNT];      /* as the store has them                   */

typedef struct una_comparison {
    una_compared         compared;       /* first, so that a pointer to it is one to all                            */
    una_kept_rows        kept;
    una_compare_settings asked;
    una_fit_settings     fit;            /* without `set`, `drop` and `only`                                         */
    const una_dataset   *data;           /* the rows that are compared on                                           */
    una_dataset         *own;            /* where they are fewer than were given                                    */
    una_folds            folds;
    const char         **spec;           /* [count] canonical; "mean" among them                                    */
    unsigned            *results;        /* [count]                                                                 */
    size_t               count;
    const char          *study, *name;   /* of keys: the settings that change numbers; the table                    */
    double               share;          /* mean over folds of test rows by training rows                           */
} una_comparison;

/* One of the four numbers of a model. */
const una_compared_number *una_compared_number_of(const una_compared_model *model, size_t measure);

/* compare_sums.c: value [models, measures and seconds, folds] of the rows; the models in order, their differences and
 * the sentence. */
una_status una_compare_sum_up(una_comparison *c, const double *value);
