/* SPDX-License-Identifier: MIT
 *
 * Rows that are written out in an option's text, where a file would be too much: a grid over the inputs, a small table.
 */
#ifndef UNA_WRITTEN_H
#define UNA_WRITTEN_H

#include "data/columns.h"

enum { UNA_MOST_WRITTEN = 20000 };       /* rows */

/* "x1=-4:4:17, x2=0:10:3": every combination of 17 values of x1 from -4 to 4 and 3 of x2, in the data's own units;
 * inputs that are not named stand at their mean. x [*rows, input_count] standardised, from scratch. `owner` begins
 * messages: "tuna: grid". */
una_status una_written_grid(double **x, size_t *rows, const char *text, const una_columns *columns, const char *owner,
                            una_run *run);
/* "x,low,high; -1,-20,20; 1,-20,20": names of the columns, then rows of numbers. */
una_status una_written_table(una_dataset **data, const char *text, const char *owner, una_run *run);

#endif
