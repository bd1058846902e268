/* SPDX-License-Identifier: MIT
 *
 * Single charts of a model, from plain arrays (src/report/plot.c fills them in). In the user's own units; borrowed.
 */
#pragma once

#include "draw/figure.h"

typedef struct una_plot_rows {           /* predictions for real rows; arrays [count]                          */
    const char   *title, *target;
    size_t        count;
    const double *y, *mean, *std_epistemic, *lower, *upper;      /* y may be NULL: not known                   */
    const double *below;                 /* predicted probability of less than y                              */
    bool          dots;                  /* y is shown along an input that is the only one                     */
    const double *x;                     /* an input; of levels beside the place among names, from 1; NULL: none */
} una_plot_rows;

typedef struct una_plot_line {           /* what the model says as one input moves                            */
    const char   *input;
    size_t        count;
    const double *at, *mean, *std, *lower, *upper;               /* [count]; std: epistemic                    */
    const char *const *names;            /* [count] of levels, at 1, 2 ...; NULL: numbers                     */
    una_date_writer *date;               /* of numbers that are dates; NULL: they are not                     */
    bool          levels;                /* words, or few values: nothing lies between them                   */
    const double *lines;                 /* [line_count, count] of single rows; NULL: none                    */
    size_t        line_count;
    const double *relevance;             /* [count] where the names are those of inputs                       */
} una_plot_line;

/* residuals: by rows->x where there is one, along the line's input, else by the prediction. importance: inputs by their
 * share of the squares of line->relevance, the largest at the top; at most forty. */
typedef una_figure una_plot_drawer(const una_plot_line *line, const una_plot_rows *rows, una_arena *arena);
una_plot_drawer una_plot_bands, una_plot_effect, una_plot_observed, una_plot_calibration, una_plot_residuals,
    una_plot_ignorance, una_plot_importance;
