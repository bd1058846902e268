/* SPDX-License-Identifier: MIT
 *
 * The report on fitted models, from plain arrays: whoever has a model and a table fills these in (src/report/report.c
 * does). All numbers are in the user's own units. Everything is borrowed for the call.
 */
#pragma once

#include "draw/html.h"
#include "draw/marks.h"

typedef struct una_report_column {       /* a column that the model uses                            */
    const char        *name;
    const double      *number;           /* [rows], NAN = missing; NULL for a text column           */
    const char *const *word;             /* [rows] of a text column, NULL = missing                 */
    una_date_writer   *date;             /* of days; NULL: they are numbers                         */
} una_report_column;

typedef struct una_report_model {
    const char         *title;
    const una_fit_info *info;
    const una_verdict    *verdict;       /* NULL: none                                              */
    const una_importance *importance;    /* inputs are the report's columns; NULL: not asked for, or not to be had */
    const char *no_importance;           /* why not, as a sentence; NULL: not asked for             */
    const una_report_predictions *held_out;     /* of rows that it had not seen then; NULL: nothing        */
    una_report_predictions given;        /* of the rows of the report                               */
    const double *effect_mean, *effect_std;      /* [places of all effects]: mean over the real rows of what is
                                            predicted, and of its epistemic std; NULL: no effects   */
    /* For one numeric input, on the line; NULL otherwise. */
    const double *sweep_std;             /* [grid] epistemic std                                    */
    const double *line_mean, *line_lower, *line_upper;           /* [grid]                          */
    const double *parts;                 /* [part_count, grid]: members, auxiliary regressors      */
    size_t        part_count;
} una_report_model;

typedef struct una_report_images {       /* what rows name, and the model sees instead of columns   */
    size_t height, width, channels;
    const double *const *numbers;        /* [rows] [height, width, channels]; NULL where none is at hand */
} una_report_images;

typedef struct una_report_effect {       /* one input, moved in real rows that otherwise stay as they are */
    size_t        column, count, first;  /* places, and where the models' arrays begin with it      */
    const double *at;                    /* [count] ascending; of levels 1, 2 ...                   */
    const char *const *level;            /* [count] their names; NULL: a line of numbers            */
    const double *value;                 /* [count] of levels that are numbers; NULL: words         */
    const size_t *level_rows;            /* [count] rows that have each                             */
} una_report_effect;

typedef struct una_report_cause {        /* why one of the least known rows is unsure               */
    size_t      row;                     /* of the report                                           */
    size_t      column;                  /* SIZE_MAX: no single one                                 */
    double      drop;                    /* of its epistemic std, as a share, if only that input were usual */
    const char *why;                     /* its value, and where the data lie                       */
} una_report_cause;

typedef struct una_report {
    const char   *heading, *story;       /* NULL: a heading is made up, no story (una_report_settings) */
    const char   *target;
    bool          one_of_several;        /* its spec fits this target alone (una_report_html sets it) */
    size_t        rows;
    const double *y;                     /* [rows]                                                  */
    const size_t *row_number;            /* [rows], counted from 1 in the file they come from       */
    size_t        left_out;              /* rows of that table without the values needed            */
    const una_report_column *columns;    /* inputs, in the order of the table                       */
    size_t        column_count;
    size_t        grid;                  /* of the line, where the only input is numeric; else 0    */
    const double *sweep_at;              /* [grid] ascending                                        */
    const double *truth;                 /* [grid] the true function; NULL: nobody knows it         */
    const una_report_effect *effects;    /* of inputs that are not the same in every row, those that matter first */
    size_t        effect_count, effect_rows;     /* effect_rows: real rows that were moved          */
    const una_report_cause *causes;      /* of the rows that the subject knows least about, those first */
    size_t        cause_count;
    const una_report_model *models;      /* the first is the subject                                */
    size_t        model_count;
    const una_report_images *images;     /* NULL: models see the columns. Else the only column names them, and nothing
                                            is moved: no line and no effects                        */
} una_report;

enum { UNA_MOST_EFFECTS = 12, UNA_MOST_LEVELS = 20, UNA_FEW_VALUES = 10, UNA_MOST_PARTS = 60, UNA_LEAST_KNOWN = 10,
       UNA_TABLE_COLUMNS = 3, UNA_TIP_COLUMNS = 8, UNA_MOST_BARS = 12, UNA_MOST_RESIDUALS = 6,
       UNA_MOST_IGNORANCE_PANELS = 6, UNA_MOST_PICTURES = 12, UNA_NAME_ROOM = 72 };

/* The whole page, in page->arena (which also holds what is needed on the way): a report, or those on several targets,
 * one behind the other. */
una_status una_report_html(una_text *page, const una_report *reports, size_t count, una_run *run);
/* The main chart alone: the function for one numeric input, else predictions and effects (of images: what is left if
 * the least known are left out). */
una_status una_report_chart(una_text *bytes, const una_report *report, una_format format, una_run *run);
/* The format named by the ending of a path, in any case; UNA_E_USAGE names the three, UNA_E_IO what it needs and is not
 * installed. */
una_status una_format_of(una_format *format, const char *path, una_run *run);
/* Writes a file whole or not at all: of any bytes; of a figure, in the format that its path names; of a page, which
 * ends here. */
una_status una_report_save(const char *path, const una_text *bytes, una_run *run);
una_status una_figure_save(const una_figure *figure, const char *path, una_run *run);
una_status una_html_save(una_html *html, const char *path, una_run *run);
/* A public call that writes one file: `how` has an arena of its own, and the run no older message. */
typedef una_status una_saver(const void *what, const char *path, una_arena *arena, una_run *run);
una_status una_save_alone(una_saver *how, const void *what, const char *path, una_run *run);

/* A name of any length, cut for a sentence or the head of a table; a name written from right to left does not turn the
 * text around it. Returns buffer. */
const char *una_report_name(char buffer[UNA_NAME_ROOM], const char *name);
#define UNA_NAMED(name) una_report_name((char[UNA_NAME_ROOM]){0}, (name))        /* for as long as its block */

/* ---- sections of the page, each with its heading; one without content adds nothing (answer_page.c) --- */

/* Sentence, findings, warnings, and suspicious rows as a table. */
void una_report_verdict(una_html *html, const una_report *report);
void una_report_importance(una_html *html, const una_report *report);
void una_report_effects(una_html *html, const una_report *report);
void una_report_residuals(una_html *html, const una_report *report);
/* Below a heading of the caller's. */
void una_report_ignorance(una_html *html, const una_report *report);
void una_report_least_known_table(una_html *html, const una_report *report);

/* ---- the charts (fit_charts.c, answer_charts.c) ----------------------------------------------- */

bool       una_report_is_line(const una_report *report);
una_figure una_chart_function(const una_report *report, una_arena *arena);
/* Of held-out rows, or of all rows for models without any. */
una_figure una_chart_predicted(const una_report *report, una_arena *arena);
/* Of models with held-out rows; no panel where there is none. */
una_figure una_chart_calibration(const una_report *report, una_arena *arena);
/* The epistemic std along the line. */
una_figure una_chart_ignorance(const una_report *report, una_arena *arena);
/* The predictions of held-out rows, or those of the rows of the report. */
const una_report_predictions *una_report_judged(const una_report_model *model);
/* Tooltips of all rows; NULL without memory. */
const char *const *una_report_tips(const una_report *report, una_arena *arena);
/* Columns, ordered by how much they matter to the subject; [columns], NULL without memory. */
const size_t *una_report_order(const una_report *report, una_arena *arena);
/* *shown of the inputs: the loss by shuffling each, and their relevance. No panel where it was not measured. */
una_figure una_chart_importance(const una_report *report, size_t *shown, una_arena *arena);
una_figure una_chart_effects(const una_report *report, una_arena *arena);
/* The subject's epistemic std at the same places, of the inputs along which it varies most; no panel where it is 0. */
una_figure una_chart_ignorance_by_input(const una_report *report, una_arena *arena);
/* By the prediction, and by inputs; no panel without held-out rows. */
una_figure una_chart_residuals(const una_report *report, una_arena *arena);
/* Real rows by two inputs, those of largest ignorance in orange; no panel where no two inputs are numeric. */
una_figure una_chart_map(const una_report *report, una_arena *arena);
/* How often each input is the cause. No panel where none is. */
una_figure una_chart_causes(const una_report *report, una_arena *arena);
una_ink    una_model_ink(size_t model);
/* No panel where nothing was measured. */
una_figure una_chart_training(const una_report *report, una_arena *arena);

/* Indices of all rows, those with the largest epistemic std of the subject first; [rows], NULL without memory. */
size_t *una_report_least_known(const una_report *report, una_arena *arena);
/* The same, ordered by how far a row lies outside of what the subject expects: |y - mean|/std. */
size_t *una_report_surprises(const una_report *report, una_arena *arena);
/* Whether the ignorance of the subject differs between rows. */
bool una_report_has_ignorance(const una_report *report);
/* The error of the rows that each model knows best, by how many rows these are. */
una_figure una_chart_risk(const una_report *report, una_arena *arena);
