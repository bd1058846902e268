/* SPDX-License-Identifier: MIT
 *
 * Regions of the data to leave out whole: bands are checked where it matters, away from the rows that train. A region
 * is a slab: the rows of middle rank along an input that matters, or along a random direction.
 */
#pragma once

#include "model/kind.h"

typedef struct una_region_plan {
    size_t   most;                       /* regions                                                         */
    una_view x;
    const una_columns *columns;
    const double *scale;                 /* [inputs] how much each input matters; NULL: all alike           */
    uint64_t seed;
} una_region_plan;

/* inside [count, rows] 1 or 0 for each region; fewer than `most` may be found (*count, 0 too). Every region leaves at
 * least half of the rows outside. */
una_status una_regions_cut(unsigned char **inside, size_t *count, const una_region_plan *plan, una_arena *arena,
                           una_run *run);
