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
} una_plot_line;

/* rows->y as dots if `dots`: where the input that moves is the only one. */
una_figure una_plot_bands(const una_plot_line *line, const una_plot_rows *rows, bool dots, una_arena *arena);
una_figure una_plot_effect(const una_plot_line *line, const una_plot_rows *rows, una_arena *arena);
una_figure una_plot_observed(const una_plot_rows *rows, una_arena *arena);
una_figure una_plot_calibration(const una_plot_rows *rows, una_arena *arena);
/* By rows->x where there is one, along the line's input, else by the prediction. */
una_figure una_plot_residuals(const una_plot_rows *rows, const una_plot_line *line, una_arena *arena);
una_figure una_plot_ignorance(const una_plot_rows *rows, const una_plot_line *line, una_arena *arena);
/* Inputs by their share of the squares of `relevance` [count], the largest at the top; at most forty. */
una_figure una_plot_importance(const char *title, const char *const *names, const double *relevance, size_t count,
                               una_arena *arena);
