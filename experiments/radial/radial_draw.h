/* SPDX-License-Identifier: MIT
 *
 * The specs that the search of the Radial Uncertainty Benchmark tries.
 */
#ifndef UNA_RADIAL_DRAW_H
#define UNA_RADIAL_DRAW_H

#include "base/base.h"

/* Number `index` of the random specs around `base` from the option space `over` (select/option_space.h): always the
 * same. */
una_status una_radial_draw(const char **spec, unsigned *results, const char *base, const char *over, uint64_t index,
                           una_arena *arena, una_run *run);

#endif
