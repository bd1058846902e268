/* SPDX-License-Identifier: MIT
 *
 * A gap test while it is made, and what it keeps for its pictures. Inside src/gap only.
 */
#pragma once

#include "gap/hole.h"
#include "gap/conclusion.h"
#include "model/above.h"

typedef struct una_gap_rows {            /* out-of-fold predictions of some rows of the table                       */
    size_t        count;
    const size_t *row;                   /* [count]                                                                 */
    const double *with, *known;          /* [count] epistemic stds without the hole's rows, and with rows there     */
    const double *error, *error_known;   /* [count] predicted less observed, of the same                            */
    una_score     score;                 /* without the hole's rows                                                 */
} una_gap_rows;

typedef struct una_gap_view {            /* of one hole, of the first repeat                                        */
    una_hole     hole;
    una_gap_rows inside, outside;
} una_gap_view;

typedef struct una_gap_result {
    una_gap       gap;                   /* first, so that a pointer to it is one to all                            */
    una_arena    *keep;
    una_dataset  *table;                 /* the rows that could be used                                             */
    una_gap_view *view;                  /* [holes]                                                                 */
    una_gap_hole *hole;                  /* [holes] what gap.hole shows                                             */
} una_gap_result;

/* ---- while it is made -------------------------------------------------------------------------------------------- */

typedef struct una_gap_known {           /* of one repeat: out-of-fold predictions of all rows of the table        */
    uint32_t *order;                     /* [rows] order in which rows are taken                                    */
    double   *mean, *std;                /* [rows]                                                                  */
} una_gap_known;

typedef struct una_gap_job {             /* one fit                                                                 */
    una_arena     keep;                  /* first: of its results                                                   */
    size_t        repeat, fold, hole;    /* hole SIZE_MAX: a fold of the fits that know all regions                 */
    una_gap_rows  inside, outside;
    double       *relevance;             /* [columns of the table]; NULL: the model has none                        */
} una_gap_job;

typedef struct una_gap_work {
    una_gap_result   *result;
    una_gap_settings  asked;
    una_fit_settings  fit;
    const una_dataset *table;
    const double     *y;
    double            least;             /* smaller errors are rounding                                             */
    size_t            target;            /* column                                                                  */
    bool             *is_input, *left_out;       /* [columns of the table]: a model sees it; left out by request    */
    size_t            columns, pairs;    /* holes along one column (or none, with a reason), and along two          */
    una_gap_known    *known;             /* [repeats]                                                               */
    una_gap_job      *jobs;
    size_t            job_count;
    una_tally         tally;
} una_gap_work;

/* Cuts hole number `at`, along column a, or along a and b unless b is SIZE_MAX (gap.c). */
una_status una_gap_cut(una_gap_work *work, size_t at, size_t a, size_t b, una_run *run);
/* Cuts holes along the pairs that matter most, by the results of the fits along columns (pairs.c). */
una_status una_gap_cut_pairs(una_gap_work *work, una_run *run);
/* All fits: along columns, then along the pairs that are cut in between (fits.c). */
una_status una_gap_fit_all(una_gap_work *work, una_run *run);
