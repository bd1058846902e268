/* SPDX-License-Identifier: MIT
 *
 * What the files of this room share while they gather a report.
 */
#ifndef UNA_GATHER_H
#define UNA_GATHER_H

#include "report/fit_report.h"

typedef struct gathering {
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
} gathering;

/* A table of rows put together from those of the report: row i is row base[i], but for the column `moved`, which has
 * number[i] or word[i], or what row from[i] has where `from` is given. */
typedef struct una_moved {
    size_t        count, moved;
    const size_t *base, *from;
    const double *number;
    const char *const *word;
} una_moved;
una_status una_moved_table(una_dataset **table, const gathering *g, const una_moved *moved);

/* Which inputs are moved and where (effects.c): report.effects and its like; then what a model says there. */
una_status una_effects_plan(gathering *g);
una_status una_effects_ask(una_report_model *to, const gathering *g, const una_model *model);
/* Why the least known rows are unsure (causes.c): report.causes. */
una_status una_causes_find(gathering *g, const una_model *model);

#endif
