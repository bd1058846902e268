/* SPDX-License-Identifier: MIT
 *
 * A gap test and what it keeps for its pictures. Inside src/gap only.
 */
#ifndef UNA_GAP_H
#define UNA_GAP_H

#include "gap/hole.h"
#include "gap/verdict.h"

typedef struct una_gap_rows {            /* what was foretold of some rows of the table that no fit had seen        */
    size_t        count;
    const size_t *row;                   /* [count]                                                                 */
    const double *with, *known;          /* [count] epistemic stds without the hole's rows, and with rows there     */
} una_gap_rows;

typedef struct una_gap_view {            /* of one hole, of the first repeat                                        */
    una_hole     hole;
    una_gap_rows inside, outside;
} una_gap_view;

typedef struct una_gap_result {
    una_gap       gap;                   /* first, so that a pointer to it is one to all                            */
    una_arena     keep;
    una_run      *run;
    una_dataset  *table;                 /* the rows that could be used                                             */
    una_gap_view *view;                  /* [holes]                                                                 */
    una_gap_hole *hole;                  /* [holes] what gap.hole shows                                             */
} una_gap_result;

#endif
