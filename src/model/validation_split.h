/* SPDX-License-Identifier: MIT
 *
 * Which rows train and which validate. Rows with equal inputs always stand on the same side: otherwise a model that
 * memorises rows would be validated on rows that it knows.
 */
#pragma once

#include "data/copies.h"
#include "model/kind.h"

enum { UNA_FOLDS = 5 };
/* Below so many rows: folds in turn; from there on a held-out share. The second limit holds where folds cost
 * nothing. */
enum { UNA_FOLD_ROWS = 1000, UNA_KEPT_FOLD_ROWS = 100000 };

/* The rows of x that a split keeps together, in run->scratch: teams, or copies. Each row is a group of its own (`copied`
 * still says how many have a copy) where keeping copies together leaves too little to learn from: one group has more than
 * half of the rows, or few different inputs are repeated so often that each held-out one would be unlike any other row.
 * Few teams of correlated rows stay. */
una_status una_split_copies(una_copies *copies, const una_problem *problem, una_run *run);
/* fold [rows] in run->scratch: groups in random order, each to the smallest fold. *folds: how many are wanted, then how
 * many there are. */
una_status una_fold_rows(unsigned char **fold, size_t *folds, const una_copies *copies, size_t rows, una_rng rng,
                         una_run *run);
/* order [rows] in run->scratch, random, the held-out rows first: whole groups, as many as *held rows have room for (one
 * at least). *held: how many rows are wanted, then how many there are. */
una_status una_hold_rows(uint32_t **order, size_t *held, const una_copies *copies, size_t rows, una_rng rng,
                         una_run *run);

/* Folds of all rows of a problem, copies together. */
una_status una_problem_make_folds(una_problem *problem, const una_copies *copies, una_run *run);
/* Holds rows out, or makes folds, as settings, kind and its options ask for; reorders x and y of the problem. Adds
 * notes about copies to the result. One split for all targets. */
una_status una_problem_split(una_problem *problem, const una_kind *kind, void *options,
                             const una_fit_settings *settings, una_fit_result *result, una_run *run);

/* The problem without one fold, whose rows become valid_x and valid_y: for members that are kinds of their own. */
una_status una_problem_without_fold(una_problem *problem, size_t fold, una_arena *arena);
