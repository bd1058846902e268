/* SPDX-License-Identifier: MIT
 *
 * Rows that nearly agree in every column, as if a row had been copied and disturbed a little. Distances are the largest
 * over the columns, in their spreads.
 *
 * In dense data neighbours are near too, so how near is no proof. Copies show by a jump: seen from a row, its copies
 * lie within `d` and the next row only beyond many times `d`. Where rows lie at random in k dimensions, the next
 * distance is r times as large as the one before with probability r^-k or less. So rows count as near copies where
 *   half of the rows see a jump of 5 within 0.03 of the spread (by chance one in four does, if k = 1), or
 *   a tenth of them a jump of 30 (by chance one in thirty),
 * and more where few rows look: two, or four, standard errors, since both rows of a pair see the same jump.
 * Rows are then linked up to a distance between the two edges of the jump.
 */
#pragma once

#include "data/copies.h"

typedef struct una_near_copies {
    size_t groups, copied;               /* rows that differ; rows that are near copies of another: 0, none are */
} una_near_copies;

typedef struct una_near_rows {           /* columns have spread 1                                           */
    una_view x;
    const double *y;                     /* [x.rows, outputs] further columns, NAN: any value; NULL: none   */
    size_t   outputs;
} una_near_rows;

/* label [rows]: the first row of those that are linked, equal ones among them; each row its own where there are no near
 * copies. */
una_status una_near_copies_find(una_near_copies *found, uint32_t *label, const una_near_rows *of, una_run *run);
