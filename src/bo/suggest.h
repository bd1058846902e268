/* SPDX-License-Identifier: MIT
 *
 * For una_suggest: the rows that may be measured, and the rows where ignorance counts, as tables with only the inputs
 * of a model. Tables last as long as the scratch memory.
 */
#ifndef UNA_SUGGEST_H
#define UNA_SUGGEST_H

#include "model/kind.h"

/* The rows `row` [count] of a table (NULL: the first ones) with only the inputs of the model, in the model's own words.
 * The table must be one that the model can predict. */
una_status una_suggest_inputs(una_dataset **table, const una_model *model, const una_dataset *from, const size_t *row,
                              size_t count, una_run *run);

/* At most `most` rows of `from`, in random order, as above. */
una_status una_suggest_region(una_dataset **region, const una_model *model, const una_dataset *from, size_t most,
                              una_run *run);

/* Quasi-random points inside the ranges of the columns of `data`, rounded to what can be measured: a thousandth of the
 * range or less, whole numbers where all are. data NULL: centre and scale as the model knows them. */
una_status una_suggest_points(una_dataset **points, const una_model *model, const una_dataset *data, size_t count,
                              una_run *run);

/* The most promising rows of `pool`, row [*count]: greedily by the sample covariance of functions drawn from the
 * posterior; sum_j cov(j, c)^2/(var_c + noise_c) is what measuring row c takes from the variances over the region.
 * *count: in, how many are wanted. */
una_status una_suggest_screen(size_t *row, size_t *count, const una_model *model, const una_dataset *pool,
                              const una_dataset *region, una_run *run);

#endif
