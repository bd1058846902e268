/* SPDX-License-Identifier: MIT
 *
 * Models of one input side by side: a panel each, with mean, bands and rows, all on the same axes. And a panel where
 * the true function is known.
 */
#pragma once

#include "draw/figure.h"

enum { UNA_LINE_GRID = 193 };

typedef struct una_lines {
    const char *input, *target;          /* of the axes                                                     */
    double      from, to;                /* where they are drawn                                            */
    const double *x, *y;                 /* [rows] the data; must outlive the figure                        */
    size_t      rows;
} una_lines;

typedef struct una_trace {
    const char *title;
    double     *mean, *std, *lower, *upper;          /* [UNA_LINE_GRID]                                     */
    double     *parts;                               /* [part_count, UNA_LINE_GRID] heads or members        */
    size_t      part_count;
} una_trace;

double     una_lines_at(const una_lines *lines, size_t i);       /* the i-th place of the grid              */
una_status una_trace_new(una_trace *line, const char *title, una_arena *arena);
/* The model's predictions on the grid. */
una_status una_trace_fill(una_trace *line, const una_lines *lines, const una_model *model, una_run *run);
/* Its auxiliary regressors or members besides; the chart shows so many of them as can be told apart. */
una_status una_trace_heads(una_trace *line, const una_lines *lines, const una_model *model, una_arena *arena,
                           una_run *run);
/* Panels in the order of the lines, titled. */
una_status una_lines_draw(una_figure *figure, const una_lines *lines, const una_trace *line, size_t count,
                          una_arena *arena);

typedef struct una_known_curve {         /* a model of a function that is known; all outlive the figure     */
    const double *x, *mean, *std, *truth;            /* [count] std: epistemic                              */
    size_t        count;
    const una_dataset *rows;             /* x and y are its first columns                                   */
} una_known_curve;

/* Mean, 95 % band of ignorance, the truth dashed, rows; ranges of the axes are the caller's. */
una_status una_known_curve_draw(una_panel *panel, const una_known_curve *known, una_arena *arena);
/* The names of these in the key below the figure. */
void       una_known_curve_keys(una_figure *figure, const char *mean, const char *truth, const char *rows);
