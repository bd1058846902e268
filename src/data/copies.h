/* SPDX-License-Identifier: MIT
 *
 * Rows with equal inputs. If one of them trains and another is held out, the scores are too good: a model may remember
 * the row. So splits keep copies together, and experiments report test rows with a copy in the training rows apart.
 */
#pragma once

#include "base/base.h"

typedef struct una_copies {
    uint32_t *next;                      /* [rows] the next row with the same inputs, in a ring: a row without a copy is
                                            its own next                                                    */
    size_t    groups;                    /* different inputs                                                */
    size_t    copied;                    /* rows that have a copy                                           */
    size_t    largest;                   /* rows of the largest group                                       */
} una_copies;

/* Compares by value; all are finite. */
una_status una_copies_find(una_copies *copies, una_view x, una_arena *arena, una_run *run);
/* The same for rows that belong together by a label [rows], such as that of a group. */
una_status una_copies_of_labels(una_copies *copies, const uint32_t *label, size_t rows, una_arena *arena, una_run *run);

/* A forest of rows (Tarjan, Efficiency of a good but not linear set union algorithm, 1975): parent [rows], each row its
 * own at first; rows of a tree have one root, the first of them. */
uint32_t una_root_of(uint32_t *parent, uint32_t row);
void     una_unite_roots(uint32_t *parent, uint32_t a, uint32_t b);
