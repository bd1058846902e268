/* SPDX-License-Identifier: MIT
 *
 * Regions of the data to leave out whole: bands are checked where it matters, away from the rows that train. A region
 * is a slab: the rows of middle rank along an input that matters, or along a random direction.
 */
#pragma once

#include "model/kind.h"

/* At most `most` regions of the problem's rows, and those at the ends; scale [inputs]: how much each input matters, NULL:
 * all alike. In the run's scratch; fewer may be found (none, too). Every region leaves at least half of the rows
 * outside. */
una_status una_regions_cut(una_regions *regions, size_t most, const una_problem *problem, const double *scale,
                           una_run *run);
/* The input at whose ends they lie: the one that matters most. Of a problem with numeric inputs; else 0. */
una_status una_regions_input_of_ends(size_t *input, const una_problem *problem, const double *scale, una_run *run);
/* Those of a fit: three of them, with one input five. shared (may be NULL) holds them where another kind of a stack has
 * been asked about them; else it gets them. */
una_status una_regions_of_fit(una_regions *regions, const una_problem *problem, const double *scale,
                              una_region_predictions *shared, una_run *run);
/* Regions and ends, as one is left out after the other; the rows of the k-th, the ends being the last. */
static inline size_t una_regions_left_out(const una_regions *regions)
{
    return regions->count + (regions->ends != NULL);
}

static inline const unsigned char *una_regions_rows(const una_regions *regions, size_t k, size_t rows)
{
    return k < regions->count ? regions->inside + k * rows : regions->ends;
}
