/* SPDX-License-Identifier: MIT
 *
 * Scores of a model's predictions, Gaussians and mixtures alike.
 */
#pragma once

#include "model/kind.h"
#include "score/score.h"

/* Rows x and y [rows] as they are encoded; y is in its own units on return. below [rows] (may be NULL): the predicted
 * probability of less than y. */
una_status una_score_encoded(una_score_sums *sums, double *below, const una_model *model, una_view x, double *y,
                             una_run *run);
