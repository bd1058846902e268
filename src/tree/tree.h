/* SPDX-License-Identifier: MIT
 *
 * Boosted regression trees: f(x) = base + sum_t rate f_t(x), each tree fitted to what the trees before it leave,
 *   r_i = y_i - f(x_i),  a leaf's value  sum r / (n + penalty),
 * split where sum_left^2/(n_left + penalty) + sum_right^2/(n_right + penalty) grows most. Splits are found on codes: each
 * number is one of at most 254 ranges of the training rows, a word is itself, and 0 is what is missing or unknown, which
 * goes to the side that suits the training rows better.
 * Source: Friedman, Greedy function approximation: a gradient boosting machine, 2001; Chen and Guestrin, XGBoost: a
 * scalable tree boosting system, 2016, for penalty and missing cells; Fisher 1958 for words in the order of their means.
 */
#pragma once

#include "data/columns.h"

enum { UNA_TREE_CODES = 256 };           /* of one column                                                    */

typedef struct una_tree_column {         /* what a split asks for: a number, or the words of a column        */
    size_t  input;                       /* the first of its inputs                                          */
    size_t  words;                       /* levels of a text column, whose inputs follow each other; 0: a number */
    size_t  missing;                     /* the input that is 1 where the number was missing; SIZE_MAX: none */
    size_t  edges;
    double *edge;                        /* [edges] of a number, ascending: its code is 1 + edges below it   */
} una_tree_column;

typedef struct una_tree_coding { una_tree_column *column; size_t columns; } una_tree_coding;

typedef struct una_tree_rows {           /* rows as codes                                                    */
    size_t rows;
    unsigned char *code;                 /* [columns, rows]                                                  */
    const double *y;                     /* [rows]                                                           */
} una_tree_rows;

typedef struct una_tree_node {
    uint32_t left;                       /* the right child follows it; 0: a leaf                            */
    uint16_t column;
    unsigned char last;                  /* of a number: codes up to this one go left                        */
    bool     missing_left;               /* where code 0 goes                                                */
    union {
        double value;                    /* of a leaf, times the rate                                        */
        const uint64_t *words;           /* [4] a bit for each code that goes left; NULL: a number           */
    };
} una_tree_node;

typedef struct una_tree { una_tree_node *node; size_t nodes; } una_tree;

typedef struct una_trees {
    una_tree_coding coding;
    double    base;
    una_tree *tree;
    size_t    count;
    double   *gain;                      /* [columns] by the splits that ask for each                        */
} una_trees;

typedef struct una_tree_settings {
    size_t   most, patience;             /* trees; rounds without a better error of the judging rows, 0: do not stop */
    size_t   depth, least_rows;          /* of a leaf                                                        */
    double   rate, penalty;
    double   row_share, column_share;    /* drawn anew for each tree                                         */
    uint64_t seed, stream;
    const char *stage;                   /* for the progress                                                 */
} una_tree_settings;

/* Columns and edges from the training rows: all values are ranges of their own where there are few, else ranges hold
 * about as many rows each. */
una_status una_tree_coding_learn(una_tree_coding *coding, const una_columns *columns, una_view x, una_arena *keep,
                                 una_run *run);
/* code [columns] of one row. */
void       una_tree_code(const una_tree_coding *coding, const double *x, unsigned char *code);
/* y stays the caller's. */
una_status una_tree_rows_take(una_tree_rows *rows, const una_tree_coding *coding, una_view x, const double *y,
                              una_arena *arena, una_run *run);

/* Trains on `train`, with trees->coding; of the trees those are kept after which `judge` (NULL: none) is predicted best.
 * error [1]: its mean squared error then. */
una_status una_trees_grow(una_trees *trees, const una_tree_rows *train, const una_tree_rows *judge,
                          const una_tree_settings *how, double *error, una_arena *keep, una_run *run);

/* The value of one tree for a row's codes, and of all. */
double     una_tree_value(const una_tree *tree, const unsigned char *code);
double     una_trees_value(const una_trees *trees, const unsigned char *code);
/* Saves, or loads and checks; inputs of the columns are below ar->inputs. */
una_status una_trees_exchange(una_trees *trees, una_archive *ar);
