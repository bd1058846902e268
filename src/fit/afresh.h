/* SPDX-License-Identifier: MIT
 *
 * What a committee says of rows that nothing of it has seen. Scales of the inputs (relevance) were learnt by all rows,
 * those that a training leaves out too, so that rounds with scaled inputs foretell even pure noise better than chance.
 * In their place speaks, for each fold, one training on the other rows, with a scale that was learnt by these alone.
 */
#ifndef UNA_AFRESH_H
#define UNA_AFRESH_H

#include "fit/seats_choose.h"

/* Folds that are left out one by one where all must be learnt anew: fewer of many rows; without folds 1. */
size_t una_afresh_folds(const una_problem *problem);

/* What the committee of one target said of its folds, with by's noise and prior variance, is told to the result, if
 * that asks for it. */
una_status una_afresh_tell(const una_committee *committee, const una_said *said, const una_chosen *by,
                           una_fit_result *result, una_run *run);

#endif
