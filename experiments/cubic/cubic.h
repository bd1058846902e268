/* SPDX-License-Identifier: MIT
 *
 * The cubic gap: what its files share with each other and with the studies, which ask the same of other specs.
 */
#pragma once

#include "bench/experiment.h"

enum { UNA_CUBIC_ROWS = 100 };

/* Measures: their places in rows and tables. */
#define UNA_CUBIC_LIST(X)                                                                                            \
    X(UNA_CUBIC_GAP_STD, "gap_std", "gap std", "y", "mean epistemic std on 61 points of [-1.5, 1.5]", 0)             \
    X(UNA_CUBIC_DATA_STD, "data_std", "data std", "y", "mean epistemic std at the training rows", 0)                 \
    X(UNA_CUBIC_RMSE, "rmse", "RMSE", "y", "error at the training rows", -1)                                         \
    X(UNA_CUBIC_CENTRE_STD, "centre_std", NULL, "y", "epistemic std at x = 0", 0)                                    \
    X(UNA_CUBIC_RIPPLE, "ripple", NULL, "share", "largest drop before the top of the std in the gap, or rise "       \
      "after it, as a share of the top", -1)                                                                         \
    X(UNA_CUBIC_GAP_INSIDE, "gap_inside", "gap inside", "share", "of the 61 points whose x^3 is in the 95 % "        \
      "band of ignorance", 0)                                                                                        \
    X(UNA_CUBIC_GAP_LOG_LIK, "gap_log_lik", NULL, "nats", "mean log-likelihood of fresh rows at the 61 points", 1)   \
    X(UNA_CUBIC_BEYOND_STD, "beyond_std", "beyond std", "y", "mean epistemic std on 61 points of [-6, -4] and "      \
      "61 of [4, 6]", 0)                                                                                             \
    X(UNA_CUBIC_BEYOND_INSIDE, "beyond_inside", "beyond inside", "share", "of these points, as gap_inside", 0)       \
    X(UNA_CUBIC_BEYOND_LOG_LIK, "beyond_log_lik", NULL, "nats", "of fresh rows at these points", 1)
enum { UNA_CUBIC_LIST(UNA_PLACE) UNA_CUBIC_MEASURES };           /* seconds come behind */

/* 0 for a curve with one rise and one fall; else the largest drop before or rise after its top, as a share of it. */
double una_cubic_ripple(const double *std, size_t count);

/* Fits a key to its rows; scratch holds both. */
una_status una_cubic_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run);
/* Its first measures, up to the ripple: in the gap and at the rows. */
una_status una_cubic_measure_gap(double *value, const una_model *model, const una_dataset *data, una_run *run);
/* All measures of the fitted model, value [UNA_CUBIC_MEASURES]; fresh rows are those of the seed. */
una_status una_cubic_measure(double *value, const una_model *model, const una_dataset *data, uint64_t seed,
                             una_run *run);
/* Keeps the model of a key in OUT, where una_cubic_functions looks for it: cubic-nlm-1a2b3c4d5e6f7a8b.una. */
una_status una_cubic_keep(const una_model *model, const una_measuring *m);

typedef struct una_cubic_panel { const una_row *fit; const char *title; bool heads; } una_cubic_panel;
/* The functions of these fits, of one seed, each a small picture with the same axes. A model that was not kept (rows
 * may come from a CSV file), or is not the one that its row speaks of, is fitted again by una_cubic_fit. heads: also
 * the auxiliary regressors or members of the model. `name`: of the figure's files. */
una_status una_cubic_functions(una_page *page, const char *name, const una_cubic_panel *panels, size_t count,
                               const char *caption);

extern const una_claim una_cubic_claims[];
