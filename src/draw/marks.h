/* SPDX-License-Identifier: MIT
 *
 * What charts of rows and of functions have in common: orders, bands, bars of single rows, calibration, lying bars, and
 * ranges. All series live in the arena of their panel; nothing is drawn without memory, or without a panel.
 */
#pragma once

#include "draw/figure.h"

#define UNA_TWO_SIDED 1.959964           /* standard deviations on both sides hold 95 %                     */
enum { UNA_FEW_ROWS = 300, UNA_LEVELS = 101, UNA_HALF_WIDTH = 352, UNA_THIRD_WIDTH = 232 };   /* of panels, in px */

typedef struct una_layers { const double *at, *lower, *low, *high, *upper; size_t count; } una_layers;   /* [count] */
/* Ignorance from low to high, and noise beside it: bands of a line, or bars of levels. */
void una_panel_layers(una_panel *panel, const una_layers *layers, bool levels);

/* From 1.96 standard deviations below the mean to as many above it, at each x; and what they span. */
void una_panel_doubt(una_panel *panel, una_look look, const double *x, const double *mean, const double *std,
                     size_t count);
void una_range_add_doubt(double *low, double *high, const double *mean, const double *std, size_t count);

typedef struct una_report_predictions {  /* what was said of some rows                                      */
    size_t        rows;
    const size_t *row;                   /* [rows] of the report; NULL: all of them                         */
    const double *y, *mean, *std, *std_epistemic, *lower, *upper;        /* [rows]; bounds of 95 %          */
    const double *below;                 /* [rows] predicted probability of less than y; NULL: by mean and std */
    size_t        folds;                 /* 0: one part of the rows was held out                            */
} una_report_predictions;
/* Upright bars of the band and of ignorance within it, less [rows] (NULL: 0): of all rows of a small table, else of
 * `some` that are spread evenly over x, then with their means as `dots`. */
void una_panel_row_bars(una_panel *panel, const una_report_predictions *of, const double *x, const double *less,
                        size_t some, bool dots);

/* The diagonal with the range around it that chance leaves of so many rows. Gives the probabilities 0, 0.01 ... 1,
 * [UNA_LEVELS]; NULL without memory. */
const double *una_panel_chances(una_panel *panel, size_t rows);
/* The share of the numbers, NANs apart, that are at most p[k] + slack; [UNA_LEVELS], NULL without memory. */
const double *una_shares_below(const double *value, size_t count, const double *p, double slack, una_arena *arena);

/* The range of names at 1, 2 ... */
void una_axis_name(una_axis *axis, const char *const *names, size_t count);
/* A panel of lying bars with names, the first at the top; names [count] are from the bottom up. */
una_panel *una_figure_lying_bars(una_figure *figure, const char *label, const double *share, const char **names,
                                 size_t count, una_ink ink);

/* Bands may leave the paper: half the data's range above and below is enough to see that they do. */
una_axis una_axis_of_bands(double low, double high, double data_low, double data_high, double share);
/* Gives every panel the same ranges; NULL: as it is. */
void una_figure_share(una_figure *figure, const una_axis *x, const una_axis *y);
