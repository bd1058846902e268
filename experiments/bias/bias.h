/* SPDX-License-Identifier: MIT
 *
 * Sampling bias in faces: what the files of the experiment share. Two studies, named in keys as people read them:
 *   "sex"   trained on men; asked about other men and about women
 *   "age"   trained on people below 30 and above 40; asked about others like them and about those between
 */
#ifndef UNA_BIAS_H
#define UNA_BIAS_H

#include "bench/experiment.h"

enum { UNA_BIAS_RISKS = 9, UNA_BIAS_FACES = 12 };
enum { UNA_BIAS_TRAIN, UNA_BIAS_IN, UNA_BIAS_OUT, UNA_BIAS_GROUPS };     /* groups of rows                  */
enum { UNA_BIAS_ROWS,                                                    /* of each group                   */
       UNA_BIAS_MAE = UNA_BIAS_ROWS + UNA_BIAS_GROUPS, UNA_BIAS_STD = UNA_BIAS_MAE + UNA_BIAS_GROUPS,
       UNA_BIAS_INCREASE_IN = UNA_BIAS_STD + UNA_BIAS_GROUPS, UNA_BIAS_INCREASE_OUT,
       UNA_BIAS_EXCESS, UNA_BIAS_EXCESS_LOW, UNA_BIAS_EXCESS_HIGH, UNA_BIAS_AUROC, UNA_BIAS_AUROC_LOW,
       UNA_BIAS_AUROC_HIGH, UNA_BIAS_LOG_LIK_IN, UNA_BIAS_LOG_LIK_OUT, UNA_BIAS_COVERAGE_IN, UNA_BIAS_COVERAGE_OUT,
       UNA_BIAS_NOISE, UNA_BIAS_COS2, UNA_BIAS_RISK, UNA_BIAS_RISK_ALL = UNA_BIAS_RISK + UNA_BIAS_RISKS,
       UNA_BIAS_SURE, UNA_BIAS_UNSURE = UNA_BIAS_SURE + UNA_BIAS_FACES,
       UNA_BIAS_CONCEPT_IN = UNA_BIAS_UNSURE + UNA_BIAS_FACES, UNA_BIAS_CONCEPT_OUT, UNA_BIAS_CONCEPT_AUROC,
       UNA_BIAS_CONCEPT_LOW, UNA_BIAS_CONCEPT_HIGH,
       UNA_BIAS_FOUND_IN, UNA_BIAS_FOUND_OUT, UNA_BIAS_FOUND_EXCESS,     /* where a face was found; then as EXCESS */
       UNA_BIAS_FOUND_AUROC = UNA_BIAS_FOUND_EXCESS + UNA_BIAS_AUROC - UNA_BIAS_EXCESS,
       UNA_BIAS_MEASURES = UNA_BIAS_FOUND_AUROC + 3 };

/* What all fits share. */
typedef struct una_bias_data { una_dataset *faces; } una_bias_data;

typedef struct una_bias_thesis {         /* what it prints of a study; NAN: nothing                         */
    const char *data;
    double mae[UNA_BIAS_GROUPS], increase_in, increase_out;
    size_t rows[UNA_BIAS_GROUPS];
} una_bias_thesis;
extern const una_bias_thesis una_bias_published[2];

typedef struct una_bias_rows { una_dataset *group[UNA_BIAS_GROUPS]; } una_bias_rows;
/* Of a study, by the seed; quick: some of them. What was made is freed also after a failure. */
una_status una_bias_rows_make(una_bias_rows *rows, const una_dataset *faces, const char *data, uint64_t seed,
                              bool quick, una_run *run);
void       una_bias_rows_free(una_bias_rows *rows);

/* 95 % interval of 100 (mean b/mean a - 1) and of the AUROC of b against a, by 1000 bootstrap samples of the rows. */
typedef struct una_bias_interval { double excess_low, excess_high, auroc_low, auroc_high; } una_bias_interval;
una_status una_bias_bootstrap(una_bias_interval *interval, const double *a, size_t a_count, const double *b,
                              size_t b_count, una_run *run);

/* Pictures of the surest and the least sure of a study, where the faces are at hand. */
una_status una_bias_faces(una_page *page, const una_findings *findings, const char *data, const una_asked *asked,
                          una_run *run);
extern const una_claim una_bias_claims[];
una_status una_bias_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run);

#endif
