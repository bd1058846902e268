/* SPDX-License-Identifier: MIT
 *
 * The squiggle's transfer: what its files share. Data sets are named in keys as people read them:
 *   "squiggle, 40 features"   features trained outside the gap, a new posterior inside
 *   "squiggle"                the same for models whose features are not counted (gp, linear)
 *   "squiggle, too little", "squiggle, about right", "squiggle, too much"
 *                             no transfer: three processes of the rows outside, with kernels of our choice
 */
#pragma once

#include "bench/experiment.h"

enum { UNA_TRANSFER_TRAIN = 80, UNA_TRANSFER_HELD = 10, UNA_TRANSFER_GAP_TRAIN = 80, UNA_TRANSFER_GAP_TEST = 400 };
enum { UNA_TRANSFER_ALPHAS = 3, UNA_TRANSFER_BANDS = 3 };
/* Measures: their places in rows and tables. */
#define UNA_TRANSFER_LIST(X)                                                                                         \
    X(UNA_TRANSFER_KNOWN, "log_lik", "noise known", "nats", "of gap test rows; the noise is the true one, the "      \
      "prior variance chosen by validation rows outside", 1)                                                         \
    X(UNA_TRANSFER_EVIDENCE, "log_lik_evidence", "by evidence", "nats", "of gap test rows; noise and prior "         \
      "variance by evidence of the gap's training rows", 1)                                                          \
    X(UNA_TRANSFER_ALPHA, "prior_var", NULL, NULL, "of log_lik: 0.1, 1 or 10", 0)                                    \
    X(UNA_TRANSFER_FIRST_ALPHA, "log_lik_0.1", NULL, "nats", "as log_lik, with the prior variance 0.1", 1)           \
    X(UNA_TRANSFER_ALPHA_1, "log_lik_1", NULL, "nats", "with the prior variance 1", 1)                               \
    X(UNA_TRANSFER_ALPHA_10, "log_lik_10", NULL, "nats", "with the prior variance 10", 1)                            \
    X(UNA_TRANSFER_VALID, "valid_log_lik", NULL, "nats", "of validation rows outside, by which it was chosen", 1)    \
    X(UNA_TRANSFER_EVIDENCE_ALPHA, "prior_var_evidence", NULL, NULL, "of log_lik_evidence", 0)                       \
    X(UNA_TRANSFER_EVIDENCE_NOISE, "noise_evidence", NULL, "y", "noise std of log_lik_evidence", 0)                  \
    X(UNA_TRANSFER_RMSE, "rmse_evidence", NULL, "y", "error at gap test rows", -1)                                   \
    X(UNA_TRANSFER_OUTSIDE, "outside_log_lik", NULL, "nats", "of test rows outside, before anything is learnt "      \
      "anew", 1)                                                                                                     \
    X(UNA_TRANSFER_BEFORE, "before_log_lik", NULL, "nats", "of gap test rows, before anything is learnt anew", 1)    \
    X(UNA_TRANSFER_BEFORE_STD, "before_std", NULL, "y", "mean epistemic std there and then", 0)                      \
    X(UNA_TRANSFER_BEFORE_COVERAGE, "before_coverage_95", NULL, "share", "of the rows in their 95 % band", 0)        \
    X(UNA_TRANSFER_COS2, "mean_cos2", NULL, NULL, "similarity of the heads", 0)                                      \
    X(UNA_TRANSFER_FRESH, "fresh_log_lik", NULL, "nats", "of gap test rows, fitted to the gap's training rows "      \
      "as if there were no others: gp and linear", 1)
enum { UNA_TRANSFER_LIST(UNA_PLACE) UNA_TRANSFER_MEASURES };     /* seconds come behind                             */

extern const double una_transfer_noise;                          /* the true one, its std                   */
extern const char  *const una_transfer_alphas[UNA_TRANSFER_ALPHAS];

typedef struct una_transfer_band { const char *name, *data, *spec; } una_transfer_band;
extern const una_transfer_band una_transfer_bands[UNA_TRANSFER_BANDS];   /* too little, about right, too much */

typedef struct una_transfer_rows {
    una_dataset *train, *valid, *test;           /* outside the gap                                         */
    una_dataset *gap_train, *gap_test;           /* inside                                                  */
} una_transfer_rows;

/* All by the seed; scratch holds them. */
una_status una_transfer_rows_make(una_transfer_rows *rows, uint64_t seed, una_run *run);

/* The number of features in the name of data; 0: they are not counted. */
size_t     una_transfer_features(const char *data);
/* Fits a key to the rows outside the gap; scratch holds the model. */
una_status una_transfer_fit(una_model **model, const una_row_key *key, const una_transfer_rows *rows, una_run *run);

/* Log-likelihood gained when the features double: least squares over the numbers of features, of the fits of a spec
 * with one seed. NAN with fewer than two. */
double     una_transfer_slope(const una_findings *findings, const char *spec, uint64_t seed, size_t measure);
/* The group of a spec with so many features; 0: the most there are. NULL: none. */
const una_group *una_transfer_group(const una_findings *findings, const char *spec, size_t features);

extern const una_claim una_transfer_claims[];
una_status una_transfer_find(const una_group **group, una_judging *j, const char *name);
una_status una_transfer_page(una_page *page);
