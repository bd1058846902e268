/* SPDX-License-Identifier: MIT
 *
 * What learns columns from a table (columns.c), and its part for words (levels.c).
 */
#pragma once

#include "data/columns.h"

typedef struct una_level { const char *word; size_t count; } una_level;

typedef struct una_learner {
    una_learning from;
    const una_dataset *data;
    size_t     *target;          /* [targets] their columns                                         */
    bool       *out;             /* [data->columns] left out by request                             */
    bool       *used;            /* [data->columns] inputs so far; false for targets                */
    bool       *asked;           /* [data->columns] targets                                         */
    size_t     *at;              /* [sources] columns of the table                                  */
    size_t     *row;             /* [rows] rows in use                                              */
    size_t      rows;
    bool        whole;           /* all rows of the table are here                                  */
    una_level  *level;           /* [data->rows + 2] working room, or more: levels of all rows      */
    una_notes  *notes;
    una_arena  *arena;
    una_run    *run;
} una_learner;

/* Refuses a target that is no column of numbers. */
una_status  una_learner_check_target(const una_learner *l, size_t target);
/* Fills l->level with the sorted words of the rows in use. Of too many words only their number matters. */
una_status  una_learner_words(size_t *count, una_learner *l, const una_table_column *column);
/* Whether the rows in use have more than one level. */
una_status  una_learner_words_vary(bool *vary, una_learner *l, const una_table_column *column);
/* The levels of a column of words. */
una_status  una_learner_text(una_source *source, una_learner *l, size_t c);
