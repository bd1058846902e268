/* SPDX-License-Identifier: MIT
 *
 * What a model makes of the ignorance that its state knows, for all kinds alike:
 *   variance = spread^2 (variance of the state) + extra,
 * spread: one factor for all rows (of a stack, models/auto.c), for which draws and the parts of a mixture are drawn
 * towards its mean; extra: at words that were in no training row (new_words.h), and beyond the rows (beyond.h).
 */
#pragma once

#include "model/kind.h"

/* Whether there may be any extra variance. */
bool       una_widens(const una_model *model);
/* extra [rows] of x, standardised; 0 for most rows. */
una_status una_widen_extra(double *extra, const una_model *model, una_view x, una_run *run);
/* Applied to what a kind predicts for these rows, parts included; to functions f [draws, rows] that a kind drew from its
 * posterior, where the extra is one number for all rows of a draw (stream: draws of other targets get other numbers); to
 * value and slopes at one point; to the function as a mixture. */
una_status una_widen(una_predictive *p, const una_model *model, una_view x, una_run *run);
una_status una_widen_draws(double *f, size_t draws, const una_model *model, una_view x, uint64_t stream, una_run *run);
void       una_widen_slope(una_slope *at, const una_model *model, const double *x);
void       una_widen_parts(const una_gaussians *g, const una_model *model, una_view x);
