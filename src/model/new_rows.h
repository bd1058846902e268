/* SPDX-License-Identifier: MIT
 *
 * What the rows of an update say about the model: it predicts them before it takes them in, and once more afterwards.
 * With error e, ignorance v (variance), noise s and A = 1.15^2, over n rows of different inputs, z = e/sqrt(A s + 4 v):
 * they contradict the model where
 *   mean z^2 > 1 + 3 r + 3.3 E(1)                r the mean share of 4 v in A s + 4 v, or
 *   mean (z - z')^2/2 > 1 + 3.3 E(1.42)          z' that of the nearest of these rows,
 * with E(c)^2 = c^2 max(var, 2)/n + max(var/mean^2, 2)/N, var the variance of what is averaged, and N the rows of the
 * fit, less two for each input and two. So noise that is 15 % too small and ignorance that is half of what it should be
 * are no contradiction; r stands for errors of the function, which neighbouring rows have in common. The second is for
 * the noise: it is what rows do not have in common with their neighbours. Rows of equal inputs count as one.
 */
#pragma once

#include "model/kind.h"

typedef struct una_new_rows una_new_rows;

/* For all targets of a model. adapts: the update sets the noise again, so larger noise is no reason for a warning. */
una_status una_new_rows_begin(una_new_rows **news, const una_model *model, bool adapts, una_arena *arena);
/* Before the model takes in the encoded rows x [rows, inputs], y [rows, targets] (NAN: missing), and after. What the
 * first call found must be in the run's scratch until the second. */
una_status una_new_rows_before(una_new_rows *news, const una_model *model, const double *x, const double *y,
                               size_t rows, una_run *run);
una_status una_new_rows_after(una_new_rows *news, const una_model *model, una_run *run);
/* Whether so many rows can contradict a model; with fewer, nothing fails once the model has them. */
bool       una_new_rows_say(size_t rows);
/* A note in the information of a model, in place of one that an earlier update left. */
una_status una_new_rows_note(una_model *model, const char *format, double now, double before);
/* After the last of `rows` rows: the record of updates in the information of the model and its targets, and warnings
 * there, which are logged too. A warning of an earlier update gives way to a new one. */
una_status una_new_rows_tell(const una_new_rows *news, una_model *model, size_t rows, una_run *run);
