/* SPDX-License-Identifier: MIT
 *
 * What a verdict is made of: the case (a model with its held-out rows), and the files that look for findings. See
 * docs/methods/VERDICT.md for what is reported when, and why the thresholds are what they are.
 */
#pragma once

#include "model/kind.h"

typedef struct una_case {
    const una_model    *model;
    const una_dataset  *data;
    const una_held_out *held;
    const una_columns  *columns;
    char                target[64];      /* its name, cut where it is long: for messages                    */
    bool                images;          /* inputs are not examined one by one                              */
    double             *x, *y;           /* [rows, input_count] as the model sees them, NULL for images; [rows] */
    double              centre, scale;   /* (target - centre) / scale is y, also where the model sees its logarithm */
    size_t             *kept, rows;      /* [rows] their places in the table                                */
    size_t             *at;              /* [held->rows] which of these rows the held-out ones are          */
    size_t             *team, teams;     /* [held->rows] from 0: rows with equal inputs form a team, because they
                                            carry no new information */
    size_t              copies;          /* rows whose inputs and target stand in an earlier row as well    */
    unsigned char      *fold;            /* [rows] folds of the reference; without folds 0: held out, 1: not */
    size_t              folds;
    double             *line;            /* [held->rows] out-of-fold predictions of linear regression; NULL: none */
    una_verdict        *verdict;         /* its numbers are set before findings are sought                  */
    una_arena          *keep;            /* of the verdict                                                  */
    una_finding        *findings;
    una_suspect        *suspects;
    size_t              finding_count, suspect_count, finding_room, suspect_room;
    bool               *predicted;       /* [rows] whether the target was predicted well by the row's other columns */
    bool               *listed;          /* [rows of the table] in the present column: among the suspects */
    bool               *aside;           /* [rows] suspicious ones that hold most of the spread or of the squared
                                            errors; NULL: there are none */
    double             *line_aside;      /* [held->rows] as line, of regressions without them               */
    size_t              rows_aside;
    double              rest_mean;       /* of the target without them                                      */
    struct { double share; const char *column; size_t row; } blame;  /* how much they hold of the spread of which
                                            column (NULL: of the squared errors), and the row of the table that
                                            holds most */
} una_case;

/* Adds a finding, in the verdict's memory; column may be NULL. */
void una_case_find(una_case *c, una_finding_kind kind, const char *column, const char *format, ...) UNA_PRINTF(4, 5);
/* A number with so many significant digits, as short as it can be written. */
const char *una_short(char buffer[32], double value, int digits);
#define UNA_ROUNDED(value, digits) una_short((char[32]){0}, (value), (digits))   /* for as long as its block */
/* "63", in percent; more digits near 100, never rounded up to it. */
const char *una_percent(char buffer[32], double share);
#define UNA_PERCENT(share) una_percent((char[32]){0}, (share))
/* The same as una_short, or as a date where the column (NULL: none of the table) has such. */
const char *una_cell_text(char buffer[32], const una_table_column *column, double value, int digits);
#define UNA_CELL_TEXT(column, value, digits) una_cell_text((char[32]){0}, (column), (value), (digits))

/* mean [held->rows]: linear regression (prior by evidence, as in the model `linear`) predicts y [rows] without each
 * fold, or without the held-out rows. *known false: there are too many inputs, or images. */
una_status una_reference(double *mean, bool *known, const una_case *c, const double *y, una_run *run);

/* 19 of 20 new values should lie within +- error of the answer, or, if the model has learnt log y, within a factor of
 * the median it answers (else 0). aside [rows]: rows that are not looked at; NULL: none. */
typedef struct una_reach { double error, factor; } una_reach;
una_status una_case_reach(una_reach *reach, const una_case *c, const bool *aside, una_run *run);

/* Whether suspicious rows hold most of what the figures are made of; then c->aside and the verdict's figures without
 * them are set. To be called after una_find_suspects. */
una_status una_case_set_aside(una_case *c, una_run *run);
/* "line 18, strength = 4510" */
void una_case_name_suspect(una_text *text, const una_case *c, const una_suspect *suspect);
/* "One row looks wrong and holds 97 % of the spread of strength: line 18, strength = 4510. " */
void una_case_say_aside(una_text *text, const una_case *c);

/* The verdict's importance of each column. To be called where something was learnt. */
una_status una_case_importance(una_case *c, una_run *run);

/* Each adds its findings: target.c, leaks.c, suspects.c, groups.c. */
una_status una_find_target(una_case *c, una_run *run);
una_status una_find_leaks(una_case *c, una_run *run);
una_status una_find_suspects(una_case *c, una_run *run);
una_status una_find_groups(una_case *c, una_run *run);
