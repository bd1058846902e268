/* SPDX-License-Identifier: MIT
 *
 * Folds of a table for comparisons: which rows train and which test, the same for every model.
 *
 *   k-fold     every row is tested once in each repeat. Rows of a group stay in one fold, and so do rows with equal
 *              inputs (as in model/validation_split.h: not where that leaves too little to learn from). Folds are as equal in size
 *              as that allows: the largest groups are placed first, groups of equal size in random order
 *   by time    rows in the order of a column, cut into one block more than there are folds; fold k is tested on block
 *              k + 1 and trained on all blocks before it, so the first block is never tested. Rows of one time are in
 *              one block. With groups, rows of tested groups do not train
 *
 * They depend only on the table, the settings and the seed.
 */
#pragma once

#include "data/selection.h"

typedef struct una_fold_settings {
    const char *target;                  /* not an input; NULL: the last column                                     */
    const char *group, *time;            /* columns, or NULL                                                        */
    size_t      folds, repeats;          /* 0: 5, 1                                                                 */
    uint64_t    seed;
    una_selection selection;             /* columns that the user excludes as inputs                                */
} una_fold_settings;

typedef struct una_folds {
    size_t    rows, folds, repeats;      /* folds: as asked for, or fewer where there cannot be more                */
    size_t    target, group, time;       /* columns; SIZE_MAX: none                                                 */
    bool     *out;                       /* [columns] not an input: excluded, the groups, or a time in words         */
    uint32_t *part;                      /* [repeats, rows] the fold that tests a row; by time its block            */
    uint32_t *group_of;                  /* [rows] group of each row, from 0; NULL: no groups                       */
    size_t    groups, largest;           /* number of groups; rows of the largest                                   */
    bool      keeps_group;               /* tables of folds keep that column, for fits that know of it              */
    size_t    tied_rows;                 /* rows that share a fold with a row of equal inputs                       */
} una_folds;

/* Results live in `arena`. Fewer folds than asked for are logged as a note. */
una_status una_folds_make(una_folds *folds, const una_dataset *data, const una_fold_settings *settings,
                          una_arena *arena, una_run *run);
static inline size_t una_folds_count(const una_folds *folds) { return folds->folds * folds->repeats; }
/* Rows that train and that test, ascending; lists in scratch, made where `train` is NULL. */
typedef struct una_fold { size_t *train, *test, train_count, test_count; } una_fold;
/* Rows of fold `index`, 0 ... una_folds_count - 1, repeat by repeat. */
una_status una_folds_split(una_fold *fold, const una_folds *folds, size_t index, una_run *run);
/* The same as tables, without the columns that no model may see: excluded columns, the groups (a tested group is always
 * a new one), and a time in words. They last as long as the scratch memory. */
una_status una_folds_tables(una_dataset **train, una_dataset **test, const una_folds *folds, size_t index,
                            const una_dataset *data, una_run *run);
/* The first text column with a word that is tested in some fold but missing from its training rows; SIZE_MAX: there is
 * none. */
una_status una_folds_new_word(size_t *column, const una_folds *folds, const una_dataset *data, una_run *run);
