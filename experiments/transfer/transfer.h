/* SPDX-License-Identifier: MIT
 *
 * The squiggle's transfer: what its files share. Data sets are named in keys as people read them:
 *   "squiggle, 40 features"   features trained outside the gap, a new posterior inside
 *   "squiggle"                the same for models whose features are not counted (gp, linear)
 *   "squiggle, too little", "squiggle, about right", "squiggle, too much"
 *                             no transfer: three processes of the rows outside, with kernels of our choice
 */
#ifndef UNA_TRANSFER_H
#define UNA_TRANSFER_H

#include "bench/experiment.h"

enum { UNA_TRANSFER_TRAIN = 80, UNA_TRANSFER_HELD = 10, UNA_TRANSFER_GAP_TRAIN = 80, UNA_TRANSFER_GAP_TEST = 400 };
enum { UNA_TRANSFER_ALPHAS = 3, UNA_TRANSFER_BANDS = 3 };
enum { UNA_TRANSFER_KNOWN, UNA_TRANSFER_EVIDENCE, UNA_TRANSFER_ALPHA,
       UNA_TRANSFER_FIRST_ALPHA, UNA_TRANSFER_VALID = UNA_TRANSFER_FIRST_ALPHA + UNA_TRANSFER_ALPHAS,
       UNA_TRANSFER_EVIDENCE_ALPHA, UNA_TRANSFER_EVIDENCE_NOISE, UNA_TRANSFER_RMSE, UNA_TRANSFER_OUTSIDE,
       UNA_TRANSFER_BEFORE, UNA_TRANSFER_BEFORE_STD, UNA_TRANSFER_BEFORE_COVERAGE, UNA_TRANSFER_COS2,
       UNA_TRANSFER_FRESH, UNA_TRANSFER_MEASURES };     /* seconds come behind                             */

extern const double una_transfer_noise;                          /* the true one, its std                   */
extern const char  *const una_transfer_alphas[UNA_TRANSFER_ALPHAS];

typedef struct una_transfer_band { const char *name, *data, *spec; } una_transfer_band;
extern const una_transfer_band una_transfer_bands[UNA_TRANSFER_BANDS];   /* too little, about right, too much */

typedef struct una_transfer_rows {
    una_dataset *train, *valid, *test;           /* outside the gap                                         */
    una_dataset *gap_train, *gap_test;           /* inside                                                  */
} una_transfer_rows;

/* All by the seed. What was made is freed also after a failure. */
una_status una_transfer_rows_make(una_transfer_rows *rows, uint64_t seed, una_run *run);
void       una_transfer_rows_free(una_transfer_rows *rows);

/* The number of features in the name of data; 0: they are not counted. */
size_t     una_transfer_features(const char *data);
/* Fits a key to the rows outside the gap. */
una_status una_transfer_fit(una_model **model, const una_row_key *key, const una_transfer_rows *rows, una_run *run);

/* Log-likelihood gained when the features double: least squares over the numbers of features, of the fits of a spec
 * with one seed. NAN with fewer than two. */
double     una_transfer_slope(const una_findings *findings, const char *spec, uint64_t seed, size_t measure);
/* The group of a spec with so many features; 0: the most there are. NULL: none. */
const una_group *una_transfer_group(const una_findings *findings, const char *spec, size_t features);

extern const una_claim una_transfer_claims[];
una_status una_transfer_find(const una_group **group, una_judging *j, const char *name);
una_status una_transfer_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run);

#endif
