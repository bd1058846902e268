/* SPDX-License-Identifier: MIT
 *
 * State that the files of this room share while they build a report.
 */
#pragma once

#include "draw/fit_report.h"

typedef struct report_builder {
    una_report    report;
    una_dataset  *table;          /* the rows that are complete                                       */
    const size_t *kept;           /* [rows of the report] which of the table that was given they are   */
    const double **numbers;       /* [rows] of images, where rows name some: those of report.images   */
    double      (*truth)(double x, void *context);    /* NULL: nobody knows it                        */
    void         *context;
    una_arena    *arena;
    una_run      *run;
} report_builder;

/* Rows of a table as they are but for one column, which has each of some values in turn: row i * places + k is rows[i]
 * with value k. */
typedef struct una_changed_rows {
    const una_report_column *columns;
    size_t        column_count, moved;   /* moved: which of them                                      */
    const size_t *rows;                  /* [count] of the columns                                    */
    size_t        count, places;
    const double *number;                /* [places] or, of a text column,                            */
    const char *const *word;
} una_changed_rows;
/* What the model predicts for them; working memory is the run's scratch. */
una_status una_changed_rows_ask(una_prediction *out, const una_model *model, const una_changed_rows *rows,
                                una_run *run);

/* Columns of a table by position [count]. */
una_status una_report_columns(una_report_column **columns, const una_dataset *table, const size_t *place, size_t count,
                              una_arena *arena);
/* A value of a column, and how many rows have it. */
typedef struct una_distinct { const char *word; double value; size_t rows; } una_distinct;
/* The different values of a column, in order, without those that are missing. */
una_status una_distinct_of(una_distinct **list, size_t *count, const una_report_column *column, size_t rows,
                         una_arena *arena);
/* Which of them row `row` has; NULL: none. */
const una_distinct *una_distinct_find(const una_distinct *list, size_t count, const una_report_column *column, size_t row);

/* Rows of a table that have the target (a column; SIZE_MAX: not needed) and, unless the model fills them in, all inputs
 * (place [inputs]); how many. */
size_t una_complete_rows(size_t *kept, const una_dataset *data, const size_t *place, size_t inputs, size_t target,
                         bool fills);

/* Chooses which inputs move and where (effects.c): report.effects and its like; then predicts there. */
una_status una_effects_plan(report_builder *g);
una_status una_effects_ask(una_report_model *to, const report_builder *g, const una_model *model);
/* Finds out why the least known rows are uncertain (causes.c): report.causes. */
una_status una_causes_find(report_builder *g, const una_model *model);
