/* SPDX-License-Identifier: MIT
 *
 * The specs that the search tries. See radial_draw.h.
 */
#include "bench/radial_draw.h"

#include "sweep/over.h"

enum { SEARCH_SEED = 1000 };

una_status una_radial_draw(const char **spec, unsigned *results, const char *base, const char *text, uint64_t index,
                           una_arena *arena, una_run *run)
{
    una_over over;
    UNA_TRY(una_over_parse(&over, text, base, arena, run));
    const char **value = UNA_GET(arena, const char *, over.count);
    UNA_TRY(una_arena_check(arena));
    una_rng rng = una_rng_at(SEARCH_SEED, UNA_FOR_SEARCH, index);
    uint64_t combinations = una_over_combinations(&over);        /* 0: without end */
    if (combinations) una_over_at(value, &over, index % combinations);
    else una_over_draw(value, &over, &rng, arena);
    UNA_TRY(una_arena_check(arena));
    return una_over_spec(spec, results, &over, value, arena, run);
}
