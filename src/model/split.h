/* SPDX-License-Identifier: MIT
 *
 * Which rows train and which are held out. Rows with equal inputs always stand on the same side: a model that remembers
 * one of them would otherwise be judged by what it remembers.
 */
#ifndef UNA_MODEL_SPLIT_H
#define UNA_MODEL_SPLIT_H

#include "data/copies.h"
#include "model/kind.h"

enum { UNA_FOLDS = 5 };
/* Below so many rows folds in turn, from there on one share is held out; the second where folds cost nothing. */
enum { UNA_FOLD_ROWS = 1000, UNA_KEPT_FOLD_ROWS = 100000 };

/* The copies of x that a split keeps together, in run->scratch. None of them are, and each row is a group of its own
 * (`copied` still says how many have a copy), where that leaves too little to learn from: one group has more than half
 * of the rows, or few different inputs are repeated so often that to hold one out asks for what no other row shows. */
una_status una_split_copies(una_copies *copies, una_view x, una_run *run);
/* fold [rows] in run->scratch: groups in random order, each to the fold that is smallest. *folds: how many are wanted,
 * then how many there are. */
una_status una_fold_rows(unsigned char **fold, size_t *folds, const una_copies *copies, size_t rows, una_rng rng,
                         una_run *run);
/* order [rows] in run->scratch, random, the held-out rows first: whole groups, as many as *held rows have room for (one
 * at least). *held: how many rows are wanted, then how many there are. */
una_status una_hold_rows(uint32_t **order, size_t *held, const una_copies *copies, size_t rows, una_rng rng,
                         una_run *run);

/* Rows held out, or folds, as settings, kind and its options ask for; x and y of the problem are put in another order.
 * Says in the result what copies there are. */
una_status una_problem_split(una_problem *problem, const una_kind *kind, void *options,
                             const una_fit_settings *settings, una_fit_result *result, una_run *run);
/* The same for a problem of several targets, columns [problem->outputs]: the split is one for all of them. */
una_status una_problem_split_several(una_problem *problem, const una_columns *const *columns, const una_kind *kind,
                                     void *options, const una_fit_settings *settings, una_fit_result *result,
                                     una_run *run);

#endif
