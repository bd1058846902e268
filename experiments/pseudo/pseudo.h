/* SPDX-License-Identifier: MIT
 *
 * Uncertainty by hand: what its two files share.
 */
#ifndef UNA_PSEUDO_H
#define UNA_PSEUDO_H

#include "bench/experiment.h"

enum { UNA_PSEUDO_ROWS = 100, UNA_PSEUDO_POINTS = 7, UNA_PSEUDO_MOST = 16 };     /* MOST: spreads */
enum { UNA_PSEUDO_SPREAD, UNA_PSEUDO_GAP_STD, UNA_PSEUDO_CENTRE_STD, UNA_PSEUDO_DATA_STD, UNA_PSEUDO_RMSE,
       UNA_PSEUDO_MEASURES };            /* seconds come behind */

double una_pseudo_point(size_t i);       /* where the pseudo points are                                     */
/* The distance between the two heads' targets that a key's data names; NAN: there is no pseudo-data. */
double una_pseudo_spread(const una_row_key *key);
/* Fits a key to its rows, which the caller frees with the model. */
una_status una_pseudo_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run);

typedef struct una_pseudo_list {         /* groups of the first tuna that was asked for, spreads rising     */
    size_t           count;
    double           spread[UNA_PSEUDO_MOST];
    const una_group *group[UNA_PSEUDO_MOST];
} una_pseudo_list;

void una_pseudo_groups(una_pseudo_list *list, const una_findings *findings);

una_status una_pseudo_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run);

#endif
