/* SPDX-License-Identifier: MIT
 *
 * The catalogue of published data sets: what una_bench.h tells of them, and how their files are made of public
 * originals.
 */
#pragma once

#include "base/base.h"
#include "una_bench.h"

/* How a line of an original becomes one of ours: its first cells, as many as we have columns; or with the target,
 * which comes first, moved to the end; or with a first letter M, F or I written as three columns of 0 and 1. */
typedef enum una_line_form { UNA_LINE_PLAIN, UNA_LINE_TARGET_FIRST, UNA_LINE_SEX_FIRST } una_line_form;

/* set.source is the address of the original of uci/NAME.csv; where there is no head, of a folder that has the files
 * themselves. */
typedef struct una_recipe {
    size_t        width;                 /* cells in a line of it                                                 */
    una_line_form form;
    const char   *head;                  /* first line of ours; NULL: the files are taken as they are              */
    const char   *gaps;                  /* address of the folder with index_train_K.txt and index_test_K.txt, the gap
                                            along input K; NULL: no split file                                    */
} una_recipe;

typedef struct una_known_set { una_data_set set; una_recipe recipe; } una_known_set;

/* NULL behind the last. */
const una_known_set *una_known_set_at(size_t set);
/* NULL: there is none of that name. */
const una_known_set *una_known_set_named(const char *name);
