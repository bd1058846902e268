/* SPDX-License-Identifier: MIT
 *
 * Two targets of one input: what the files of the experiment share. Data sets are named in keys as people read them:
 * one of three laws, and whether the targets were fitted at once or each by itself,
 *   "related, together"   "related, apart"   "independent, together" ...   "noise, apart"
 */
#pragma once

#include "bench/experiment.h"

enum { UNA_TARGETS_TRAIN = 100, UNA_TARGETS_TEST = 400, UNA_TARGETS_POINTS = 41 };
/* related: b is seen everywhere, a nowhere in the gap, and a = 2 b + something smooth; independent: both seen
 * everywhere, b much smoother than a; noise: both seen everywhere and alike in their roughness, their noise with a
 * correlation of 0.8. */
typedef enum una_targets_law { UNA_RELATED, UNA_INDEPENDENT, UNA_CORRELATED, UNA_TARGETS_LAWS } una_targets_law;

/* Measures: their places in rows and tables. */
#define UNA_TARGETS_LIST(X)                                                                                          \
    X(UNA_TARGETS_LOG_LIK_A, "log_lik_a", "log-lik a", "nats", "of fresh rows, outside the gap if there is one", 1)  \
    X(UNA_TARGETS_LOG_LIK_B, "log_lik_b", "log-lik b", "nats", "of the same rows", 1)                                \
    X(UNA_TARGETS_JOINT, "joint_log_lik", "joint log-lik", "nats", "of both targets of these rows at once; "         \
      "apart: the sum", 1)                                                                                           \
    X(UNA_TARGETS_GAP_LOG_LIK_A, "gap_log_lik_a", "gap log-lik a", "nats", "of fresh rows with |x| < 1.5", 1)        \
    X(UNA_TARGETS_GAP_LOG_LIK_B, "gap_log_lik_b", NULL, "nats", "of the same rows", 1)                               \
    X(UNA_TARGETS_GAP_STD_A, "gap_std_a", "gap std a", "y", "mean epistemic std of a there", 0)                      \
    X(UNA_TARGETS_GAP_STD_B, "gap_std_b", NULL, "y", "of b", 0)                                                      \
    X(UNA_TARGETS_GAP_RMSE_A, "gap_rmse_a", NULL, "y", "error of a there", -1)                                       \
    X(UNA_TARGETS_GAP_INSIDE_A, "gap_inside_a", NULL, "share", "of these rows whose true a is in the 95 % band "     \
      "of ignorance", 0)                                                                                             \
    X(UNA_TARGETS_CORRELATION, "correlation", NULL, NULL, "of the noise, as the model has it; apart: 0", 0)
enum { UNA_TARGETS_LIST(UNA_PLACE) UNA_TARGETS_CURVE_MEAN,
       UNA_TARGETS_CURVE_STD = UNA_TARGETS_CURVE_MEAN + UNA_TARGETS_POINTS,
       UNA_TARGETS_MEASURES = UNA_TARGETS_CURVE_STD + UNA_TARGETS_POINTS };      /* seconds come behind     */

extern const char  *const una_targets_laws[UNA_TARGETS_LAWS + 1];    /* names, as they begin the name of data   */

/* The two functions of a law at x. */
void una_targets_functions(double *a, double *b, una_targets_law law, double x);
/* Rows to fit (x, a, b, the cells of a missing where it is not seen), and fresh ones: inside the gap; outside it, or
 * everywhere if there is none. Scratch holds them. */
typedef struct una_targets_rows { una_dataset *train, *outside, *gap; } una_targets_rows;
una_status una_targets_rows_make(una_targets_rows *rows, una_targets_law law, uint64_t seed, una_run *run);

/* What the name of data says; UNA_TARGETS_LAWS: it is none. */
una_targets_law una_targets_law_of(const char *data);
bool            una_targets_is_joint(const char *data);
double          una_targets_point(size_t point);                 /* x of a point of the curve               */

/* Models for both targets, which scratch holds: one for each, or parts of a whole one, which else is NULL. */
typedef struct una_targets_fit {
    una_model       *whole;
    const una_model *part[2];
} una_targets_fit;
una_status una_targets_fit_make(una_targets_fit *fit, const una_row_key *key, const una_targets_rows *rows,
                                una_run *run);
/* Measures of a fit but for the curve: value [UNA_TARGETS_MEASURES]. */
una_status una_targets_measure(double *value, const una_targets_fit *fit, una_targets_law law,
                               const una_targets_rows *rows, una_run *run);
