/* SPDX-License-Identifier: MIT
 *
 * For una_suggest: which rows may be measured and where ignorance counts, as tables that hold a model's inputs and
 * nothing else.
 */
#ifndef UNA_ADVICE_H
#define UNA_ADVICE_H

#include "model/kind.h"

/* The rows `row` [count] of a table (NULL: the first ones) with the inputs of the model alone. Words are the model's
 * own; the table has been predicted, so it has all that is needed. Free it. */
una_status una_advice_inputs(una_dataset **table, const una_model *model, const una_dataset *from, const size_t *row,
                             size_t count, una_run *run);

/* At most `most` rows of `from`, in random order, as above. */
una_status una_advice_region(una_dataset **region, const una_model *model, const una_dataset *from, size_t most,
                             una_run *run);

/* Quasi-random points inside the ranges of the columns of `data`, rounded to what can be measured: a thousandth of the
 * range or less, whole numbers where all are. data NULL: centre and scale as the model knows them. */
una_status una_advice_points(una_dataset **points, const una_model *model, const una_dataset *data, size_t count,
                             una_run *run);

/* row [*count] of `pool` that promise most: greedily by the sample covariance of functions drawn from the posterior, of
 * which
 *   sum_j cov(j, c)^2/(var_c + noise_c)
 * is what measuring c takes from the variances over the region. *count comes in as how many are wanted. */
una_status una_advice_screen(size_t *row, size_t *count, const una_model *model, const una_dataset *pool,
                             const una_dataset *region, una_run *run);

#endif
