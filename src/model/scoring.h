/* SPDX-License-Identifier: MIT
 *
 * Scores of a model's predictions, Gaussians and mixtures alike.
 */
#pragma once

#include "model/kind.h"
#include "score/score.h"

/* x [rows, inputs] encoded, y [rows] in its own units. below [rows] (may be NULL): the predicted probability
 * of less than y. */
una_status una_score_encoded(una_score_sums *sums, double *below, const una_model *model, const double *x,
                             const double *y, size_t rows, una_run *run);
/* All rows of a table; below [rows of the table] or NULL. */
una_status una_score_table(una_score *score, double *below, const una_model *model, const una_dataset *data,
                           una_run *run);
