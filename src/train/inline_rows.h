/* SPDX-License-Identifier: MIT
 *
 * Inline rows: rows inside an option's text, for what is too small for a file: a grid over the inputs, a small table.
 */
#pragma once

#include "data/columns.h"

enum { UNA_MOST_INLINE_ROWS = 20000 };   /* rows */

/* "x1=-4:4:17, x2=0:10:3": every combination of 17 values of x1 from -4 to 4 and 3 of x2, in the data's own units;
 * inputs that are not named stand at their mean. x [*rows, input_count] standardised, from scratch. `owner` begins
 * messages: "tuna: grid". */
una_status una_inline_grid(double **x, size_t *rows, const char *text, const una_columns *columns, const char *owner,
                           una_run *run);
/* "x,low,high; -1,-20,20; 1,-20,20": names of the columns, then rows of numbers. */
una_status una_inline_table(una_dataset **data, const char *text, const char *owner, una_run *run);
