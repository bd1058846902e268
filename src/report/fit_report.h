/* SPDX-License-Identifier: MIT
 *
 * The report on fitted models, from plain arrays: whoever has a model and a table fills these in (src/show/report.c
 * does). All numbers are in the user's own units. Everything is borrowed for the call.
 */
#ifndef UNA_FIT_REPORT_H
#define UNA_FIT_REPORT_H

#include "report/figure.h"

typedef struct una_report_column {       /* a column that the model uses                            */
    const char        *name;
    const double      *number;           /* [rows], NAN = missing; NULL for a text column           */
    const char *const *word;             /* [rows] of a text column, NULL = missing                 */
} una_report_column;

typedef struct una_report_model {
    const char         *title;
    const una_fit_info *info;
    una_score           score;           /* on the rows of the report                               */
    const double *mean, *std, *std_epistemic, *lower, *upper;    /* [rows]; bounds of 95 %          */
    const double *below;                 /* [rows] predicted probability of less than y; NULL: by mean and std */
    const double *sweep_std;             /* [sweeps, grid] epistemic std along each sweep           */
    /* For one numeric input, along sweep 0; NULL otherwise. */
    const double *line_mean, *line_lower, *line_upper;           /* [grid]                          */
    const double *parts;                 /* [part_count, grid]: members, auxiliary regressors      */
    size_t        part_count;
} una_report_model;

typedef struct una_report_images {       /* what rows name, and the model sees instead of columns   */
    size_t height, width, channels;
    const double *const *numbers;        /* [rows] [height, width, channels]; NULL where none is at hand */
} una_report_images;

typedef struct una_report {
    const char   *heading, *story;       /* NULL: a heading is made up, no story                    */
    const char   *target;
    bool          one_of_several;        /* its spec fits this target alone (una_report_html_several sets it) */
    size_t        rows;
    const double *y;                     /* [rows]                                                  */
    const size_t *row_number;            /* [rows], counted from 1 in the table that was given      */
    size_t        left_out;              /* rows of that table without the values needed            */
    const una_report_column *columns;    /* inputs, in the order of the table                       */
    size_t        column_count;
    size_t        grid, sweep_count;     /* numeric inputs moved one at a time                      */
    const size_t *sweep_column;          /* [sweeps] index into columns                             */
    const double *sweep_at;              /* [sweeps, grid] ascending                                */
    const una_report_model *models;      /* the first is the subject                                */
    size_t        model_count;
    const una_report_images *images;     /* NULL: models see the columns. Else the only column names them, and nothing
                                            is moved: no sweeps                                     */
} una_report;

enum { UNA_MOST_SWEEPS = 12, UNA_MOST_PARTS = 60, UNA_LEAST_KNOWN = 10, UNA_TABLE_COLUMNS = 8, UNA_MOST_BARS = 12,
       UNA_MOST_PICTURES = 12 };

/* The whole page, in page->arena (which also holds what is needed on the way). */
una_status una_report_html(una_text *page, const una_report *report, una_run *run);
/* Reports on several targets, one behind the other on one page. */
una_status una_report_html_several(una_text *page, const una_report *reports, size_t count, una_run *run);
/* The main chart alone: the function for one numeric input, else predictions and ignorance (of images: what is left if
 * the least known are left out). */
una_status una_report_chart(una_text *bytes, const una_report *report, una_format format, una_run *run);
/* The format named by the ending of a path, in any case; UNA_E_USAGE names the three. */
una_status una_format_of(una_format *format, const char *path, una_run *run);
/* Writes a file whole or not at all. */
una_status una_report_save(const char *path, const una_text *bytes, una_run *run);

/* ---- the charts (fit_charts.c) ---------------------------------------------------------------- */

bool       una_report_is_line(const una_report *report);
una_figure una_chart_function(const una_report *report, una_arena *arena);
una_figure una_chart_predicted(const una_report *report, una_arena *arena);
una_figure una_chart_calibration(const una_report *report, una_arena *arena);
/* *shown of the sweeps, those along which the subject's epistemic std varies most. */
una_figure una_chart_ignorance(const una_report *report, size_t *shown, una_arena *arena);
/* *shown of the inputs, those of the largest share first; no panel where relevance was not looked for. */
una_figure una_chart_relevance(const una_report *report, size_t *shown, una_arena *arena);
/* No panel where nothing was measured. */
una_figure una_chart_training(const una_report *report, una_arena *arena);

/* Indices of all rows, that with the subject's largest epistemic std first; [rows], NULL without memory. */
size_t *una_report_least_known(const una_report *report, una_arena *arena);
/* The same, that first which lies farthest outside of what the subject expects: |y - mean|/std. */
size_t *una_report_surprises(const una_report *report, una_arena *arena);
/* Whether the subject has any ignorance to tell rows apart by. */
bool una_report_has_doubts(const una_report *report);
/* The error of those rows that each model knows best, by how many they are. */
una_figure una_chart_risk(const una_report *report, una_arena *arena);

#endif
