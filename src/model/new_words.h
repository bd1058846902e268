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
/* Adds to extra [rows] what the kind's variance lacks to this minimum, standardised; 0 for all other rows. */
una_status una_new_words_extra(double *extra, const una_model *model, una_view x, una_run *run);
