/* SPDX-License-Identifier: MIT
 *
 * What the thesis prints in its tables of the UCI sets, and what others have published since: numbers that are not
 * ours, to be set beside ours.
 */
#pragma once

#include "published/published.h"

typedef struct una_printed { double mean, sd; } una_printed;             /* NAN: the thesis prints nothing there */

/* The first two are over the six sets; the others over the six gaps, most of them with two numbers in a cell: of the
 * rows outside and of those inside the gap. */
typedef enum una_thesis_table {
    UNA_THESIS_RMSE, UNA_THESIS_LOG_LIK, UNA_THESIS_GAP_RMSE, UNA_THESIS_GAP_LOG_LIK, UNA_THESIS_GAP_INCREASE,
    UNA_THESIS_GAP_EPISTEMIC, UNA_THESIS_TABLES
} una_thesis_table;

enum { UNA_THESIS_COLUMNS = 6 };
typedef struct una_thesis_column { const char *title, *data; } una_thesis_column;
extern const una_thesis_column una_thesis_sets[UNA_THESIS_COLUMNS], una_thesis_gaps[UNA_THESIS_COLUMNS];

/* Which column a data text is of (with or without a sum behind it); UNA_THESIS_COLUMNS: none. */
size_t una_thesis_find(const una_thesis_column *columns, const char *data);
/* part 0: outside the gap, and where there is no gap; 1: inside. */
una_printed una_thesis_printed(una_thesis_table table, size_t method, size_t column, size_t part);
/* The thesis's own rule: the mean increase of the epistemic std is above its standard deviation. UNA_CANNOT_TELL where
 * there is no deviation, as of one split. */
int una_thesis_detects(una_printed increase);

/* Log-likelihoods of others on the standard splits, in nats per row; columns as una_thesis_sets. The first is the best
 * of all that we have seen, whoever's; its sources are one for each column. */
typedef struct una_peer {
    const char *title, *source[UNA_THESIS_COLUMNS];
    double      log_lik[UNA_THESIS_COLUMNS];
} una_peer;
enum { UNA_PEERS = 3 };
extern const una_peer una_peers[UNA_PEERS];
