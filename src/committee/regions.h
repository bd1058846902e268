/* SPDX-License-Identifier: MIT
 *
 * Regions of the data to leave out whole: bands are checked where it matters, away from the rows that train. A region
 * is a slab: the rows of middle rank along an input that matters, or along a random direction.
 */
#pragma once

#include "model/kind.h"

/* At most `most` regions of the problem's rows; scale [inputs]: how much each input matters, NULL: all alike. inside
 * [count, rows], in the run's scratch: 1 or 0 for each region; fewer may be found (*count, 0 too). Every region leaves
 * at least half of the rows outside. */
una_status una_regions_cut(unsigned char **inside, size_t *count, size_t most, const una_problem *problem,
                           const double *scale, una_run *run);
/* Those of a fit: three of them, with one input six. shared (may be NULL) holds them where another kind of a stack has
 * been asked about them; else it gets them. */
una_status una_regions_of_fit(unsigned char **inside, size_t *count, const una_problem *problem, const double *scale,
                              una_region_predictions *shared, una_run *run);
