/* SPDX-License-Identifier: MIT
 *
 * What the fits of several targets share: the cells that a target has, and the covariance of the targets' errors.
 */
#pragma once

#include "infer/head.h"
#include "model/several.h"

/* Whether every row has every target. */
bool       una_problem_complete(const una_problem *problem);

/* ---- features and cells of the rows that have a target ----------------------------------------------------------- */

typedef struct una_cells {
    const double *phi, *y;               /* [rows, features], [rows]: of the target picked last             */
    size_t  rows, features, outputs;
    size_t *row;                         /* [rows] which they are; NULL with one target                     */
    double *own_phi, *own_y;
} una_cells;

/* Room for `most` rows; with one target there is nothing to pick. */
una_status una_cells_take(una_cells *cells, size_t most, size_t features, size_t outputs, una_arena *arena);
/* Of phi [rows, features] and y [rows, outputs], NAN where a cell is missing. */
void       una_cells_pick(una_cells *cells, const double *phi, const double *y, size_t rows, size_t target);

typedef struct una_cell_scores {         /* of targets, each with the noise that suits its validation cells */
    size_t targets;
    double last, sum, cells;             /* log-likelihood: mean of the target before, sum of all           */
} una_cell_scores;

/* Adds a target's, under the posterior of these sums with prior variance 1. Without cells it does not count. */
una_status una_cell_scores_add(una_cell_scores *scores, const una_stats *stats, const una_cells *valid, una_run *run);
/* Mean over the cells; 0 where there are none. */
double     una_cell_scores_mean(const una_cell_scores *scores);

/* ---- errors of several targets ----------------------------------------------------------------------------------- */

typedef struct una_errors {              /* sums over rows that both targets have; each [targets, targets]  */
    size_t  targets;
    double *product, *square;            /* e_t e_s; e_t^2                                                  */
    double *rows;
} una_errors;

una_status una_errors_take(una_errors *errors, size_t targets, una_arena *arena);
void       una_errors_add(una_errors *errors, const double *error);      /* [targets]; NAN: missing     */
/* noise [targets, targets]: noise_var [targets] on the diagonal, beside it covariances by the correlation of the
 * errors, shrunk a little towards 0 as if there were one more row without any. Positive definite; NAN where no row has
 * both. */
una_status una_errors_noise(double *noise, const una_errors *errors, const double *noise_var, una_run *run);

/* ---- one linear head for all targets ----------------------------------------------------------------------------- */

/* The weights of targets with one ratio r of prior to noise variance are matrix normal: with noise S their covariance
 * is S x (I/r + Phi'Phi)^-1, before and after any rows. The common ratio is the geometric mean. Where the targets' own
 * ratios differ by more than this factor, it would distort the bands too much: with two targets, twice or half the
 * standard deviation. */
#define UNA_MOST_RATIO 16.0
/* Sets prior_var [targets] to the common ratio times the noises; false: the ratios differ too much, nothing was
 * changed. */
bool una_one_ratio(double *prior_var, const double *noise_var, size_t targets);
/* Adds a note that says whether the targets share a head, or why not. */
void una_note_heads(una_notes *notes, bool joint, bool complete, bool varies);
