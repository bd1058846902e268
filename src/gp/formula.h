/* SPDX-License-Identifier: MIT
 *
 * A formula as a flat program in postfix order, shared by its parser and its evaluation.
 */
#pragma once

#include "gp/kernel.h"

enum { UNA_FORMULA_DEPTH = 64, UNA_FORMULA_PARAMETERS = 64 };

typedef enum una_formula_code {
    UNA_FORMULA_NUMBER, UNA_FORMULA_INPUT, UNA_FORMULA_PARAMETER, UNA_FORMULA_CALL, UNA_FORMULA_NEGATE, UNA_FORMULA_JOIN
} una_formula_code;

typedef struct una_formula_op {
    una_formula_code code;
    double           number;                   /* of NUMBER                                             */
    size_t           index;                    /* of INPUT: into input; of PARAMETER: into parameter    */
    double         (*call)(double);            /* of CALL                                               */
    char             sign;                     /* of JOIN: + - * / ^, < for min, > for max              */
} una_formula_op;

typedef enum una_formula_law {
    UNA_LAW_NONE, UNA_LAW_FIXED, UNA_LAW_NORMAL, UNA_LAW_UNIFORM, UNA_LAW_LOGNORMAL
} una_formula_law;

typedef struct una_formula_parameter {
    const char     *name;
    size_t          at;                        /* where the function uses it first                      */
    una_formula_law law;                       /* NONE until defined                                    */
    double          first, second;             /* number; mean, std; low, high; mu, sigma               */
} una_formula_parameter;

typedef struct una_formula_input {
    const char *name;
    size_t      column;
    double      centre, scale;                 /* user's value = x scale + centre                       */
} una_formula_input;

struct una_formula {
    const char            *text;
    una_formula_op        *op;        size_t op_count, op_room;
    una_formula_input     *input;     size_t input_count;      /* those that the function uses          */
    una_formula_parameter  parameter[UNA_FORMULA_PARAMETERS];
    size_t                 parameter_count;
    size_t                 order[UNA_FORMULA_PARAMETERS];      /* parameters in order of definition     */
    size_t                 defined;
};

/* Runs some of its operations on rows of x, at most UNA_FORMULA_BLOCK; out [rows]. */
enum { UNA_FORMULA_BLOCK = 64 };
typedef struct una_formula_part { const una_formula_op *op; size_t count; } una_formula_part;
void una_formula_run(const una_formula *formula, una_formula_part part, const double *parameter, una_view x,
                     double *out);
