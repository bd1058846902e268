/* SPDX-License-Identifier: MIT
 *
 * How answers change with the number of rows: what the files of the experiment share. A table has rows that may train
 * and rows that test. The test rows are always the same; a fit has the first n training rows of an order that its seed
 * shuffles, so that the rows of a size are among those of every larger one. Data sets in keys are a table and a size,
 * "kin8nm 1000#1a2b3c4d", with a sum of the rows that train and test.
 *
 * Test rows are dealt into PARTS. Each part has its own log-likelihood and error in a row, so that two fits can be
 * compared rows against rows, and not only mean against mean (scale_steps.c).
 */
#pragma once

#include "bench/claims.h"
#include "bench/truth.h"

enum { UNA_SCALE_PARTS = 20 };

/* Measures: their places in rows and tables; behind them log-likelihood and error of each part. */
#define UNA_SCALE_LIST(X)                                                                                            \
    X(UNA_SCALE_ROWS, "rows", NULL, "rows", "training rows", 0)                                                      \
    X(UNA_SCALE_TEST_ROWS, "test_rows", NULL, "rows", "test rows", 0)                                                \
    X(UNA_SCALE_LOG_LIK, "log_lik", "log-lik", "nats", "mean log-likelihood of the test rows", 1)                    \
    X(UNA_SCALE_RMSE, "rmse", "RMSE", "y", "error at the test rows", -1)                                             \
    X(UNA_SCALE_COVERAGE, "coverage_95", "cover 95", "share", "of the test rows in the 95 % band", 0)                \
    X(UNA_SCALE_INSIDE, "inside", "inside", "share", "known functions: test rows whose function is within the mean " \
      "+- 1.96 epistemic std", 0)                                                                                    \
    X(UNA_SCALE_ERROR, "error", NULL, "y", "known functions: error of the mean against the function", -1)            \
    X(UNA_SCALE_EPISTEMIC, "mean_std_epistemic", NULL, "y", "mean epistemic std at the test rows", 0)                \
    X(UNA_SCALE_NOISE, "mean_std_noise", NULL, "y", "mean std of the noise at the test rows", 0)
enum { UNA_SCALE_LIST(UNA_PLACE) UNA_SCALE_LOG_LIK_PART, UNA_SCALE_RMSE_PART = UNA_SCALE_LOG_LIK_PART + UNA_SCALE_PARTS,
       UNA_SCALE_MEASURES = UNA_SCALE_RMSE_PART + UNA_SCALE_PARTS };     /* seconds come behind             */

typedef struct una_scale_options {
    const char *data, *sets, *target, *sizes;
    double      seeds, split, test, rows;
    int         valid;                   /* test rows are a tenth of those that would train                 */
} una_scale_options;

/* ---- tables and sizes (scale_tables.c) ------------------------------------------------------------------------- */

typedef struct una_scale_table {
    const char  *name, *sum;             /* "kin8nm", "#1a2b3c4d"                                           */
    una_dataset *all;
    const char  *target;                 /* NULL: the last column                                           */
    size_t      *train, *test, train_count, test_count;
    una_truth    known;                  /* of all rows, where the function is known; else no rows          */
} una_scale_table;

enum { UNA_SCALE_MOST_TABLES = 32 };
typedef struct una_scale_tables { una_scale_table table[UNA_SCALE_MOST_TABLES]; size_t count; } una_scale_tables;

/* Reads and makes all that were asked for; una_result_free ends them, also after a failure. */
una_status una_scale_tables_new(una_scale_tables **tables, const una_asked *asked, una_run *run);

enum { UNA_SCALE_MOST_SIZES = 64 };
typedef struct una_scale_sizes { size_t rows[UNA_SCALE_MOST_SIZES], count; } una_scale_sizes;
/* Sizes of a table with so many training rows, ascending, each once, from a text such as "250-,all". Those above `most`
 * are left out. */
una_status una_scale_sizes_of(una_scale_sizes *sizes, const char *text, size_t most, una_run *run);

/* "kin8nm 1000#1a2b3c4d"; and back: NULL if it is none of the tables. */
const char *una_scale_data(const una_scale_table *table, size_t rows, una_arena *arena);
const una_scale_table *una_scale_table_of(size_t *rows, const una_scale_tables *tables, const char *data);
/* Rows of the table: the first `rows` of those that train, in the order of a seed; in scratch. */
una_status una_scale_subset(size_t **subset, const una_scale_table *table, size_t rows, uint64_t seed, una_run *run);
/* The known function at the test rows; in scratch. */
una_status una_scale_truth(una_truth *truth, const una_scale_table *table, una_run *run);

/* ---- from one size to the next, and from model to model (scale_steps.c) ------------------------------------------ */

/* The mean of cells [seeds, parts], and its standard error, where both seeds and parts are samples:
 *   cell = mean + seed + part + rest,   error^2 = var seed / seeds + var part / parts + var rest / (seeds parts),
 * the variances estimated by analysis of variance, none of them below 0. One seed: that of the parts. */
void una_scale_crossed(double *mean, double *error, const double *cell, size_t seeds, size_t parts);

/* A measure of one group less that of another, over the seeds that both have and the parts of the test rows; NAN where
 * a seed has no number. measure: UNA_SCALE_LOG_LIK or UNA_SCALE_RMSE. */
typedef struct una_scale_change { double mean, error; } una_scale_change;
una_status una_scale_compare(una_scale_change *change, const una_group *more, const una_group *less, size_t measure,
                             una_run *run);
/* The same model on the next larger and the next smaller size; another model's group on the same data. NULL: none. */
const una_group *una_scale_larger(const una_group *group);
const una_group *una_scale_smaller(const una_group *group);
const una_group *una_scale_other(const una_group *group, const char *spec);
size_t           una_scale_rows(const una_group *group);
/* The table of a group, without its size: a length of its data. */
size_t           una_scale_name(const char *data);
bool             una_scale_same_table(const una_group *a, const una_group *b);

/* More than this may not be lost, in nats a row, beyond two standard errors. */
extern const double una_scale_slack;
static inline double una_scale_allowed(const una_scale_change *change)
{
    return una_scale_slack + 2 * change->error;
}

una_status una_scale_claims(const una_claim **claims, const una_asked *asked, una_run *run);
una_status una_scale_page(una_page *page);
