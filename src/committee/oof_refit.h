/* SPDX-License-Identifier: MIT
 *
 * Strictly out-of-fold predictions of a committee. Scales of the inputs (relevance) are learnt from all rows, so
 * members with scaled inputs predict their left-out rows a little too well, even where the target is pure noise. For
 * reports each fold is therefore predicted by one refit, whose scale is learnt without the fold.
 */
#ifndef UNA_OOF_REFIT_H
#define UNA_OOF_REFIT_H

#include "committee/member_fits.h"

/* Folds that get a refit: all for few rows, fewer for many; 1 without folds. */
size_t una_oof_refit_folds(const una_problem *problem);

/* Fills in result->oof of each target, where the caller asks for it, by refits if need be. */
una_status una_report_oof(una_committee *c);

#endif
