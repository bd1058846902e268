/* SPDX-License-Identifier: MIT
 *
 * Uncertainty by hand: what its two files share.
 */
#pragma once

#include "bench/experiment.h"

enum { UNA_PSEUDO_ROWS = 100, UNA_PSEUDO_POINTS = 7, UNA_PSEUDO_MOST = 16 };     /* MOST: spreads */
/* Measures: their places in rows and tables. */
#define UNA_PSEUDO_LIST(X)                                                                                           \
    X(UNA_PSEUDO_SPREAD, "spread", NULL, "y", "distance between the heads' targets; nan: no pseudo-data", 0)         \
    X(UNA_PSEUDO_GAP_STD, "gap_std", "gap std", "y", "mean epistemic std on 61 points of [-1.5, 1.5]", 0)            \
    X(UNA_PSEUDO_CENTRE_STD, "centre_std", "centre std", "y", "epistemic std at x = 0", 0)                           \
    X(UNA_PSEUDO_DATA_STD, "data_std", "data std", "y", "mean epistemic std at the training rows", 0)                \
    X(UNA_PSEUDO_RMSE, "rmse", "RMSE", "y", "error at the training rows", -1)
enum { UNA_PSEUDO_LIST(UNA_PLACE) UNA_PSEUDO_MEASURES };            /* seconds come behind */

double una_pseudo_point(size_t i);       /* where the pseudo points are                                     */
/* The distance between the two heads' targets that a key's data names; NAN: there is no pseudo-data. */
double una_pseudo_spread(const una_row_key *key);
/* Fits a key to its rows; scratch holds both. */
una_status una_pseudo_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run);

typedef struct una_pseudo_list {         /* groups of the first tuna that was asked for, spreads rising     */
    size_t           count;
    double           spread[UNA_PSEUDO_MOST];
    const una_group *group[UNA_PSEUDO_MOST];
} una_pseudo_list;

void una_pseudo_groups(una_pseudo_list *list, const una_findings *findings);

una_status una_pseudo_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run);
