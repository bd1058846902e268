/* SPDX-License-Identifier: MIT
 *
 * For una_suggest: the rows that may be measured, and the rows where ignorance counts, as tables with only the inputs
 * of a model. Tables last as long as the scratch memory.
 */
#pragma once

#include "model/kind.h"

typedef struct una_survey {              /* in scratch memory                                                        */
    const una_model   *model;
    const una_dataset *pool;             /* the caller's, or `points`                                                */
    una_dataset       *points, *region, *listed;
    size_t            *row;              /* [count] the listed rows of the pool                                      */
    size_t            *order;            /* [left] of the listed rows, most promising first                          */
    double            *gain;             /* [count] variance that the row removed when last evaluated                */
    double            *mean, *std;       /* [count] the current prediction there                                     */
    double            *after;            /* [count] mean variance with it                                            */
    size_t             count, left;
    una_model         *now;              /* with all that was chosen so far                                          */
    void              *bytes;            /* the same, to make copies of                                              */
    size_t             size;
    double             before;           /* mean variance by now                                                     */
    una_run           *run;
} una_survey;

/* The rows `row` [count] of a table (NULL: the first ones) with only the inputs of the model, in the model's own words.
 * The table must be one that the model can predict. */
una_status una_suggest_inputs(una_dataset **table, const una_survey *s, const una_dataset *from, const size_t *row,
                              size_t count);
/* s->region: at most `most` rows of `from`, in random order. */
una_status una_suggest_region(una_survey *s, const una_dataset *from, size_t most);
/* s->points: quasi-random points inside the ranges of the columns of `data`, rounded to what can be measured: a
 * thousandth of the range or less, whole numbers where all are. data NULL: centre and scale as the model knows them. */
una_status una_suggest_points(una_survey *s, const una_dataset *data, size_t count);
/* s->row: the most promising rows of the pool, greedily by the sample covariance of functions drawn from the posterior;
 * sum_j cov(j, c)^2/(var_c + noise_c) is what measuring row c takes from the variances over the region. *count: in, how
 * many are wanted. */
una_status una_suggest_screen(una_survey *s, size_t *count);
