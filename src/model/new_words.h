/* SPDX-License-Identifier: MIT
 *
 * Words that were in no training row. Their input was 0 in all rows, so a kind's answer for them is arbitrary: the
 * prior (linear, gp), first weights (networks), nothing at all (mcd). All we know of such a word is that it may be like
 * any known one. So the variance of the function there is at least
 *   max_k var(x_k) + 1/K sum_k (mean(x_k) - mean(x))^2,      x_k: the row with the k-th known word in its place,
 * for every kind alike; at least that of any known word.
 */
#pragma once

#include "model/kind.h"

/* Whether any input stands for new words. */
bool       una_new_words_any(const una_columns *columns);
/* extra [rows] of x: what the kind's variance lacks to this minimum, standardised; 0 for all other rows. */
una_status una_new_words_extra(double *extra, const una_model *model, una_view x, una_run *run);
/* Adds it to what a kind predicts for these rows, parts of a mixture included. */
una_status una_new_words_widen(una_predictive *p, const una_model *model, una_view x, una_run *run);
/* Adds it to functions f [draws, rows] that a kind drew from its posterior: one number for all such rows of a draw.
 * stream: draws of other targets get other numbers. */
una_status una_new_words_draw(double *f, size_t draws, const una_model *model, una_view x, uint64_t stream,
                              una_run *run);
