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
    una_verdict    **verdict;     /* [models] to be freed                                             */
    una_importance  *importance;  /* of the subject, to be freed                                      */
    double      (*truth)(double x, void *context);    /* NULL: nobody knows it                        */
    void         *context;
    una_arena    *arena;
    una_run      *run;
} report_builder;

/* A table made from rows of the report: row i is row base[i] but for the column `moved`, which has number[i] or
 * word[i], or the value of row from[i] where `from` is given. */
typedef struct una_changed_rows {
    size_t        count, moved;
    const size_t *base, *from;
    const double *number;
    const char *const *word;
} una_changed_rows;
/* What the model predicts for them. */
una_status una_changed_rows_ask(una_prediction *out, const report_builder *g, const una_model *model,
                                const una_changed_rows *rows);

/* Rows of a table that have the target (a column; SIZE_MAX: not needed) and, unless the model fills them in, all inputs
 * (place [inputs]); how many. */
size_t una_complete_rows(size_t *kept, const una_dataset *data, const size_t *place, size_t inputs, size_t target,
                         bool fills);

/* Chooses which inputs move and where (effects.c): report.effects and its like; then predicts there. */
una_status una_effects_plan(report_builder *g);
una_status una_effects_ask(una_report_model *to, const report_builder *g, const una_model *model);
/* Finds out why the least known rows are uncertain (causes.c): report.causes. */
una_status una_causes_find(report_builder *g, const una_model *model);
