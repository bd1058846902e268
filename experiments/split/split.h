/* SPDX-License-Identifier: MIT
 *
 * The split of doubt: what its files share. Data sets are named in keys as people read them:
 *   "d5 n600"         a function of five inputs among 5 or 20, 200, 600 or 2000 rows
 *   "line smooth 1"   a function of one input with a gap in its rows, one of five families, 1 to 4
 *   "varying"         noise whose std grows tenfold along the first of five inputs; "constant": its twin
 */
#pragma once

#include "bench/experiment.h"
#include "bench/truth.h"

/* Measures: their places in rows and tables. */
#define UNA_SPLIT_LIST(X)                                                                                            \
    X(UNA_SPLIT_INSIDE, "inside", "inside", "share", "of fresh points whose true function is in the 95 % band "      \
      "of ignorance", 0)                                                                                             \
    X(UNA_SPLIT_ERROR, "error", NULL, "y", "of the mean from the true function", -1)                                 \
    X(UNA_SPLIT_EPISTEMIC, "std_epistemic", NULL, "y", "mean epistemic std", 0)                                      \
    X(UNA_SPLIT_NOISE_RATIO, "noise_ratio", "noise", "share", "predicted noise std over the true one", 0)            \
    X(UNA_SPLIT_COVERAGE, "coverage_95", NULL, "share", "of fresh rows in the 95 % band of y", 0)                    \
    X(UNA_SPLIT_LOG_LIK, "log_lik", "log-lik", "nats", "of fresh rows, y in units of its std", 1)                    \
    X(UNA_SPLIT_GAP_INSIDE, "gap_inside", "in gap", "share", "as inside, in the gap of a line", 0)                   \
    X(UNA_SPLIT_GAP_LOG_LIK, "gap_log_lik", "gap log-lik", "nats", "as log_lik, in the gap of a line", 1)            \
    X(UNA_SPLIT_BEYOND_INSIDE, "beyond_inside", "beyond", "share", "as inside, on both sides of a line's rows", 0)   \
    X(UNA_SPLIT_BEYOND_LOG_LIK, "beyond_log_lik", NULL, "nats", "as log_lik, on both sides of a line's rows", 1)     \
    X(UNA_SPLIT_NOISE_ERROR, "noise_error", "noise error", "share", "mean relative error of the predicted noise "    \
      "std", -1)                                                                                                     \
    X(UNA_SPLIT_NOISE_RANGE, "noise_range", NULL, "share", "largest over smallest predicted noise std", 0)
enum { UNA_SPLIT_LIST(UNA_PLACE) UNA_SPLIT_MEASURES };

typedef struct una_split_set {           /* one data set, or several that are numbered from 1               */
    const char *name;
    size_t      count;                   /* 0: one, whose name has no number                                */
    size_t      inputs, rows;
    size_t      seeds;                   /* how many are usual; 0: only where it is asked for               */
    bool        quick;                   /* the quick run has it, or the first of it                        */
    bool        varies;                  /* its noise                                                       */
} una_split_set;
extern const una_split_set una_split_sets[];             /* ends with name == NULL                          */

/* The rows of a data set: those to fit, those to ask for, and of a line also those in its gap and beyond its range
 * (rows 0 elsewhere). All in the arena, all by the name and the seed. */
typedef struct una_split_rows { una_truth train, fresh, gap, beyond; } una_split_rows;
una_status una_split_rows_make(una_split_rows *rows, const char *data, uint64_t seed, una_arena *arena, una_run *run);

/* Whether a name is `begins` or goes on with another word behind it. */
bool   una_split_is_of(const char *name, size_t length, const char *begins, size_t begins_length);
