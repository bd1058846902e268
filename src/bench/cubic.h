/* SPDX-License-Identifier: MIT
 *
 * The cubic gap: what its files share.
 */
#ifndef UNA_CUBIC_H
#define UNA_CUBIC_H

#include "bench/experiment.h"

enum { UNA_CUBIC_ROWS = 100 };
enum { UNA_CUBIC_GAP_STD, UNA_CUBIC_DATA_STD, UNA_CUBIC_RMSE, UNA_CUBIC_CENTRE_STD, UNA_CUBIC_RIPPLE,
       UNA_CUBIC_GAP_INSIDE, UNA_CUBIC_GAP_LOG_LIK, UNA_CUBIC_BEYOND_STD, UNA_CUBIC_BEYOND_INSIDE,
       UNA_CUBIC_BEYOND_LOG_LIK, UNA_CUBIC_MEASURES };  /* seconds come behind */

/* 0 for a curve with one rise and one fall; else the largest drop before or rise after its top, as a share of it. */
double una_cubic_ripple(const double *std, size_t count);

/* Fits a key to its rows, which the caller frees with the model. */
una_status una_cubic_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run);
/* OUT/cubic-nlm-1a2b3c4d5e6f7a8b.una: where the page finds the model of a key. */
const char *una_cubic_model_path(const una_row_key *key, const una_asked *asked, una_arena *arena);

una_status una_cubic_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run);

extern const una_claim una_cubic_claims[];

#endif
