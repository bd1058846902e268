/* SPDX-License-Identifier: MIT
 *
 * What may be tried: inputs with a range, and inequalities between them. A point is one number per input (of a category
 * the number of its level, of a fixed one its value, or 0 for a word); models and maximisers see it encoded, once and
 * for all, as numbers in [0, 1]: reals and integers linearly or by their logarithm, a category as one column per level,
 * fixed inputs not at all.
 *
 *   {"x1": {"type": "real", "low": 0, "high": 1, "log": false}, "n": {"type": "integer", "low": 1, "high": 9},
 *    "kind": {"type": "category", "levels": ["a", "b"]}, "batch": {"type": "fixed", "value": 32},
 *    "constraints": ["x1 + n/10 <= 1"]}
 *
 * Constraints are inequalities between the inputs, in the user's units: "x1 + x2 <= 1", "n*size < 4096". Formulas are
 * those of gp/formula.h. A formula that has no value (log of a negative number) does not hold.
 */
#pragma once

#include "base/base.h"

typedef enum una_dimension_type {
    UNA_DIMENSION_REAL, UNA_DIMENSION_INTEGER, UNA_DIMENSION_CATEGORY, UNA_DIMENSION_FIXED
} una_dimension_type;

typedef struct una_dimension {
    const char        *name;
    una_dimension_type type;
    double             low, high;        /* of a category 0 and levels - 1; of a fixed one its value twice       */
    bool               log;
    const char *const *levels;           /* words of a category, or the one word of a fixed input; NULL: numbers */
    size_t             level_count;
    size_t             first, columns;   /* of the encoded point                                                 */
} una_dimension;

typedef struct una_constraint {          /* "left <= right" is right - left, which must not be negative           */
    const char         *text;
    struct una_formula *slack;           /* >= 0 where it holds                                                  */
    bool                strict;          /* > 0                                                                  */
} una_constraint;

typedef struct una_space {
    una_dimension  *dimension;
    size_t          count;               /* inputs                                                               */
    size_t          columns;             /* of an encoded point                                                  */
    una_constraint *constraint;
    size_t          constraint_count;
    const char     *json;                /* one way of writing it                                                */
} una_space;

/* origin: for messages. UNA_E_INPUT names the input and the remedy. All in `keep`. */
una_status una_space_parse(una_space **space, const char *json, const char *origin, una_arena *keep, una_run *run);
/* One more input, for which space->dimension has room; its columns are found here. UNA_E_INPUT: an impossible range. */
una_status una_space_add(una_space *space, una_dimension dimension, const char *origin, una_run *run);

void una_space_encode(const una_space *space, const double *point, double *u);
/* The valid point nearest to u [columns]: whole numbers, the highest level, ends of ranges. */
void una_space_decode(const una_space *space, const double *u, double *point);
/* A point of [0, 1]^(inputs), one number each, as a valid point: equal parts for whole numbers and levels. */
void una_space_place(const una_space *space, const double *unit, double *point);
bool una_space_allows(const una_space *space, const double *point);      /* keeps every constraint                */
/* Within ranges, whole where it must be, and allowed; UNA_E_INPUT says what is not. */
una_status una_space_check(const una_space *space, const double *point, una_run *run);

/* {"x1": 0.25, "kind": "a"} and back. */
void       una_space_write(una_text *text, const una_space *space, const double *point);
una_status una_space_read(double *point, const una_space *space, const char *json, una_run *run);
/* One value as people write it, and back. */
void       una_dimension_write(una_text *text, const una_dimension *dimension, double value);
una_status una_dimension_read(double *value, const una_dimension *dimension, const char *text, una_run *run);

/* Quasi-random points of [0, 1)^dimensions, one at a time: a lattice of generalised golden ratios moved by the seed. */
void una_quasi(double *unit, size_t dimensions, uint64_t index, uint64_t seed);
