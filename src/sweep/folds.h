/* SPDX-License-Identifier: MIT
 *
 * Folds of a table for comparisons: which rows train, which test, the same for every model.
 *
 *   k-fold     every row is tested once in each repeat. Rows of a group, and rows with equal inputs, stay in one fold
 *              (the latter as model/split.h has it: not where that leaves too little to learn from); folds are as equal
 *              in size as these allow, the largest groups being placed first, in random order where they are equal
 *   by time    rows in the order of a column, cut into one block more than there are folds; fold k is tested on block
 *              k + 1 and trained on all blocks before it, so the first block is never tested. Rows of one time stand in
 *              one block. Where there are groups, too, rows of those that are tested do not train
 *
 * They depend on the table, on what is asked for and on the seed, and on nothing else.
 */
#ifndef UNA_FOLDS_H
#define UNA_FOLDS_H

#include "data/table.h"

typedef struct una_fold_settings {
    const char *target;                  /* no input; NULL: the last column                                         */
    const char *group, *time;            /* columns, or NULL                                                        */
    size_t      folds, repeats;          /* 0: 5, 1                                                                 */
    uint64_t    seed;
} una_fold_settings;

typedef struct una_folds {
    size_t    rows, folds, repeats;      /* folds: as many as there can be, at most as many as were asked for       */
    size_t    target, group, time;       /* columns; SIZE_MAX: none                                                 */
    uint32_t *part;                      /* [repeats, rows] fold in which a row is tested; by time the block        */
    uint32_t *group_of;                  /* [rows] its group, from 0; NULL: there are none                          */
    size_t    groups;                    /* of the column                                                           */
    size_t    together;                  /* rows that stand in one fold with a row of equal inputs                  */
} una_folds;

/* All in `arena`. What it must do otherwise than asked (fewer folds) is logged as a note. */
una_status una_folds_make(una_folds *folds, const una_dataset *data, const una_fold_settings *settings,
                          una_arena *arena, una_run *run);
static inline size_t una_folds_count(const una_folds *folds) { return folds->folds * folds->repeats; }
/* Rows of one of them, 0 ... una_folds_count - 1, repeat by repeat: train, test [rows], ascending. */
una_status una_folds_split(size_t *train, size_t *train_count, size_t *test, size_t *test_count,
                           const una_folds *folds, size_t index, una_run *run);
/* The same as tables, without columns that no model may see: that of the groups, for a group that is tested was never
 * seen, and a time in words. */
una_status una_folds_tables(una_dataset **train, una_dataset **test, const una_folds *folds, size_t index,
                            const una_dataset *data, una_run *run);
/* The first text column with a word that some part lacks for training and is tested on; SIZE_MAX: there is none. */
una_status una_folds_new_word(size_t *column, const una_folds *folds, const una_dataset *data, una_run *run);

#endif
