/* SPDX-License-Identifier: MIT
 *
 * Sampling bias in faces: what the files of the experiment share. Two studies, named in keys as people read them:
 *   "sex"   trained on men; asked about other men and about women
 *   "age"   trained on people below 30 and above 40; asked about others like them and about those between
 */
#pragma once

#include "bench/experiment.h"

enum { UNA_BIAS_RISKS = 9, UNA_BIAS_FACES = 12 };
enum { UNA_BIAS_TRAIN, UNA_BIAS_IN, UNA_BIAS_OUT, UNA_BIAS_GROUPS };     /* groups of rows                  */
#define UNA_BIAS_AT(X, n)                                                                                            \
    X(UNA_BIAS_RISK_##n, "risk_" #n "0", NULL, "years",                                                              \
      "mean absolute error at the " #n "0 % of those asked that are surest", -1)
#define UNA_BIAS_ITEM(X, which, word, n) X(UNA_BIAS_##which##_##n, word #n, NULL, "", "number of its image", 0)
#define UNA_BIAS_ITEMS(X, which, word)                                                                               \
    UNA_BIAS_ITEM(X, which, word, 1) UNA_BIAS_ITEM(X, which, word, 2) UNA_BIAS_ITEM(X, which, word, 3)               \
    UNA_BIAS_ITEM(X, which, word, 4) UNA_BIAS_ITEM(X, which, word, 5) UNA_BIAS_ITEM(X, which, word, 6)               \
    UNA_BIAS_ITEM(X, which, word, 7) UNA_BIAS_ITEM(X, which, word, 8) UNA_BIAS_ITEM(X, which, word, 9)               \
    UNA_BIAS_ITEM(X, which, word, 10) UNA_BIAS_ITEM(X, which, word, 11) UNA_BIAS_ITEM(X, which, word, 12)
/* Measures: their places in rows and tables. Those of each group stand one behind the other, the ends of an interval
 * behind its measure; where a face was found, all as without that condition. */
#define UNA_BIAS_LIST(X)                                                                                             \
    X(UNA_BIAS_ROWS, "rows_train", NULL, "", "rows that train", 0)                                                     \
    X(UNA_BIAS_ROWS_IN, "rows_in", NULL, "", "others like them", 0)                                                    \
    X(UNA_BIAS_ROWS_OUT, "rows_out", NULL, "", "those who were left out", 0)                                           \
    X(UNA_BIAS_MAE, "mae_train", NULL, "years", "mean absolute error at rows that trained", -1)                      \
    X(UNA_BIAS_MAE_IN, "mae_in", "error, like", "years", "at others like them", -1)                                  \
    X(UNA_BIAS_MAE_OUT, "mae_out", "error, left out", "years", "at those who were left out", -1)                     \
    X(UNA_BIAS_STD, "std_train", NULL, "years", "mean epistemic std at rows that trained", 0)                        \
    X(UNA_BIAS_STD_IN, "std_in", NULL, "years", "at others like them", 0)                                            \
    X(UNA_BIAS_STD_OUT, "std_out", NULL, "years", "at those who were left out", 0)                                   \
    X(UNA_BIAS_INCREASE_IN, "increase_in", "increase, like", "%", "of std_in over std_train", 0)                     \
    X(UNA_BIAS_INCREASE_OUT, "increase_out", "increase, left out", "%", "of std_out over std_train", 0)              \
    X(UNA_BIAS_EXCESS, "excess", "excess", "%", "of std_out over std_in", 1)                                         \
    X(UNA_BIAS_EXCESS_LOW, "excess_low", NULL, "%", "its 95 % bootstrap interval", 0)                                \
    X(UNA_BIAS_EXCESS_HIGH, "excess_high", NULL, "%", "its 95 % bootstrap interval", 0)                              \
    X(UNA_BIAS_AUROC, "auroc", "AUROC", "share", "how often one who was left out has the larger epistemic std", 1)   \
    X(UNA_BIAS_AUROC_LOW, "auroc_low", NULL, "share", "its 95 % bootstrap interval", 0)                              \
    X(UNA_BIAS_AUROC_HIGH, "auroc_high", NULL, "share", "its 95 % bootstrap interval", 0)                            \
    X(UNA_BIAS_LOG_LIK_IN, "log_lik_in", NULL, "nats", "at others like them", 1)                                     \
    X(UNA_BIAS_LOG_LIK_OUT, "log_lik_out", NULL, "nats", "at those who were left out", 1)                            \
    X(UNA_BIAS_COVERAGE_IN, "coverage_95_in", NULL, "share", "of others like them in their 95 % band", 0)            \
    X(UNA_BIAS_COVERAGE_OUT, "coverage_95_out", NULL, "share", "of those left out in their 95 % band", 0)            \
    X(UNA_BIAS_NOISE, "noise_std", NULL, "years", "noise of the fit", 0)                                             \
    X(UNA_BIAS_COS2, "mean_cos2", NULL, "", "similarity of the heads", 0)                                              \
    UNA_BIAS_AT(X, 1) UNA_BIAS_AT(X, 2) UNA_BIAS_AT(X, 3) UNA_BIAS_AT(X, 4) UNA_BIAS_AT(X, 5) UNA_BIAS_AT(X, 6)      \
    UNA_BIAS_AT(X, 7) UNA_BIAS_AT(X, 8) UNA_BIAS_AT(X, 9)                                                            \
    X(UNA_BIAS_RISK_ALL, "risk_100", NULL, "years", "at all of them", -1)                                            \
    UNA_BIAS_ITEMS(X, SURE, "sure_") UNA_BIAS_ITEMS(X, UNSURE, "unsure_")                                            \
    X(UNA_BIAS_CONCEPT_IN, "concept_in", NULL, "share", "of ignorance that lies along what tells those left out "    \
      "from others (una explain), in others like the trained", 0)                                                    \
    X(UNA_BIAS_CONCEPT_OUT, "concept_out", NULL, "share", "the same in those who were left out", 0)                  \
    X(UNA_BIAS_CONCEPT_AUROC, "concept_auroc", "AUROC, concept", "share", "how often one who was left out has "      \
      "more ignorance along it", 1)                                                                                  \
    X(UNA_BIAS_CONCEPT_LOW, "concept_auroc_low", NULL, "share", "its 95 % bootstrap interval", 0)                    \
    X(UNA_BIAS_CONCEPT_HIGH, "concept_auroc_high", NULL, "share", "its 95 % bootstrap interval", 0)                  \
    X(UNA_BIAS_FOUND_IN, "found_in", NULL, "share", "of others like them in whose picture a face was found", 0)      \
    X(UNA_BIAS_FOUND_OUT, "found_out", NULL, "share", "the same of those who were left out", 0)                      \
    X(UNA_BIAS_FOUND_EXCESS, "excess_found", NULL, "%", "excess among these alone", 1)                               \
    X(UNA_BIAS_FOUND_EXCESS_LOW, "excess_found_low", NULL, "%", "its 95 % bootstrap interval", 0)                    \
    X(UNA_BIAS_FOUND_EXCESS_HIGH, "excess_found_high", NULL, "%", "its 95 % bootstrap interval", 0)                  \
    X(UNA_BIAS_FOUND_AUROC, "auroc_found", NULL, "share", "auroc among these alone", 1)                              \
    X(UNA_BIAS_FOUND_AUROC_LOW, "auroc_found_low", NULL, "share", "its 95 % bootstrap interval", 0)                  \
    X(UNA_BIAS_FOUND_AUROC_HIGH, "auroc_found_high", NULL, "share", "its 95 % bootstrap interval", 0)
enum { UNA_BIAS_LIST(UNA_PLACE) UNA_BIAS_MEASURES, UNA_BIAS_RISK = UNA_BIAS_RISK_1, UNA_BIAS_SURE = UNA_BIAS_SURE_1,
       UNA_BIAS_UNSURE = UNA_BIAS_UNSURE_1 };

/* What all fits share. */
typedef struct una_bias_data { una_dataset *faces; } una_bias_data;

typedef struct una_bias_thesis {         /* what it prints of a study; NAN: nothing                         */
    const char *data;
    double mae[UNA_BIAS_GROUPS], increase_in, increase_out;
    size_t rows[UNA_BIAS_GROUPS];
} una_bias_thesis;
extern const una_bias_thesis una_bias_published[2];

typedef struct una_bias_rows { una_dataset *group[UNA_BIAS_GROUPS]; } una_bias_rows;
/* Of a study, by the seed; quick: some of them. Scratch holds them. */
una_status una_bias_rows_make(una_bias_rows *rows, const una_dataset *faces, const char *data, uint64_t seed,
                              bool quick, una_run *run);

/* 95 % interval of 100 (mean b/mean a - 1) and of the AUROC of b against a, by 1000 bootstrap samples of the rows. */
typedef struct una_bias_interval { double excess_low, excess_high, auroc_low, auroc_high; } una_bias_interval;
una_status una_bias_bootstrap(una_bias_interval *interval, const double *a, size_t a_count, const double *b,
                              size_t b_count, una_run *run);

/* The concept "was left out", as every second row of both groups shows it, at the other rows: UNA_BIAS_CONCEPT_IN and what
 * follows go to `value`; for a model without a linear head nothing. in, out: tables of one origin, two rows each at
 * least. */
una_status una_bias_concept(double *value, const una_model *model, const una_dataset *in, const una_dataset *out,
                            una_run *run);

/* Pictures of the surest and the least sure of a study, where the faces are at hand. */
una_status una_bias_faces(una_page *page, const char *data);
extern const una_claim una_bias_claims[];
una_status una_bias_page(una_page *page);
