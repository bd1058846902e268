/* SPDX-License-Identifier: MIT
 *
 * The specs that the search tries. See radial_draw.h.
 */
#include "radial/radial_draw.h"

#include "select/option_space.h"

enum { SEARCH_SEED = 1000 };

una_status una_radial_draw(const char **spec, unsigned *results, const char *base, const char *text, uint64_t index,
                           una_arena *arena, una_run *run)
{
    una_option_space space;
    UNA_TRY(una_option_space_parse(&space, text, base, arena, run));
    UNA_NEW(arena, const char *, value, space.count);
    una_rng rng = una_rng_at(SEARCH_SEED, UNA_FOR_SEARCH, index);
    uint64_t combinations = una_option_space_combinations(&space); /* 0: infinitely many */
    if (combinations) una_option_space_at(value, &space, index % combinations);
    else una_option_space_draw(value, &space, &rng, arena);
    UNA_TRY(una_arena_check(arena));
    return una_option_space_spec(spec, results, &space, value, arena, run);
}
