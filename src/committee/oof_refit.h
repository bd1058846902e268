/* SPDX-License-Identifier: MIT
 *
 * Strictly out-of-fold predictions of a committee. Scales of the inputs (relevance) are learnt from all rows, so
 * members with scaled inputs predict their left-out rows a little too well, even where the target is pure noise. For
 * reports each fold is therefore predicted by one refit, whose scale is learnt without the fold.
 */
#ifndef UNA_OOF_REFIT_H
#define UNA_OOF_REFIT_H

#include "committee/committee_choices.h"

/* Folds that get a refit: all for few rows, fewer for many; 1 without folds. */
size_t una_oof_refit_folds(const una_problem *problem);

/* Reports the out-of-fold predictions of one target's committee, with by's noise and prior variance, if the result asks
 * for them. */
una_status una_oof_refit_run(const una_committee *committee, const una_oof *oof, const una_committee_choice *by,
                             una_fit_result *result, una_run *run);

#endif
