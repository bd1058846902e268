/* SPDX-License-Identifier: MIT
 *
 * What people write into flags and files besides: search spaces over options ("width=25|50, rate=1e-4:1e-1:log4"),
 * files of concepts, files of splits. The first byte bounds memory, the second says which. Every spec of a search space
 * is one; rows of splits are there, each once; Jansson takes no more than was estimated.
 */
#include "fuzz.h"
#include "select/option_space.h"

enum { ROWS = 12 };

static void check_spec(const una_option_space *space, const char *const *value, fuzz_world *w)
{
    const char *spec = NULL, *again = NULL;
    unsigned results = 0;
    if (FUZZ_EXPLAIN(una_option_space_spec(&spec, &results, space, value, &w->run->scratch, w->run), w) != UNA_OK) return;
    una_status status = FUZZ_EXPLAIN(una_spec_text(&again, spec, w->run), w);
    FUZZ_CHECK(status == UNA_OK || w->starved, "%s is no spec: %s", spec, una_run_message(w->run));
    if (status == UNA_OK) FUZZ_CHECK(strcmp(spec, again) == 0, "%s is written as %s", spec, again);
}

static void check_over(const char *text, const char *model, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    una_option_space space;
    if (FUZZ_EXPLAIN(una_option_space_parse(&space, text, &model, 1, arena, w->run), w) != UNA_OK) return;
    FUZZ_CHECK(space.count > 0, "a space without axes");
    const char **value = UNA_GET(arena, const char *, space.count);
    if (una_arena_check(arena) != UNA_OK) return;
    uint64_t all = una_option_space_combinations(&space);
    una_status grid = FUZZ_EXPLAIN(una_option_space_check_grid(&space, w->run), w);
    FUZZ_CHECK((grid == UNA_OK) == (all > 0 && all <= UNA_MOST_FITS), "%llu combinations", (unsigned long long)all);
    for (uint64_t i = 0; i < 3 && i < all; i++) {
        una_option_space_at(value, &space, i == 2 ? all - 1 : i);
        for (size_t a = 0; a < space.count; a++) FUZZ_CHECK(value[a], "axis %zu has no value", a);
        check_spec(&space, value, w);
    }
    una_rng rng = una_rng_at(1, UNA_FOR_SEARCH, 0);
    una_option_space_draw(value, &space, &rng, arena);
    if (una_arena_check(arena) == UNA_OK) check_spec(&space, value, w);
}

static void check_overs(const char *text, const char *model, fuzz_world *w)
{
    const char *models[] = { model, "linear" };
    una_option_space spaces[2];
    if (FUZZ_EXPLAIN(una_option_space_parse(spaces, text, models, 2, &w->run->scratch, w->run), w) != UNA_OK)
        return;
    FUZZ_CHECK(spaces[0].count + spaces[1].count > 0, "spaces without axes");
}

static void check_concepts(fuzz_bytes bytes, fuzz_world *w)
{
    una_concepts *concepts = NULL;
    const char *path = fuzz_file("concepts", bytes.at, bytes.left);
    fuzz_jansson_from();
    una_status status = FUZZ_EXPLAIN(una_concepts_read(&concepts, path, w->run), w);
    fuzz_jansson(bytes.at, bytes.left, "concepts");
    if (status != UNA_OK) return;
    FUZZ_CHECK(concepts->count > 0, "a file without concepts");
    for (size_t i = 0; i < concepts->count; i++) {
        const una_concept *c = &concepts->at[i];
        FUZZ_CHECK(c->name && *c->name && (c->where != NULL) != (c->rows != NULL), "concept %zu", i);
    }
    una_concepts_free(concepts);
}

static void check_split(fuzz_bytes bytes, fuzz_world *w)
{
    una_split split = UNA_INIT(una_split);
    uint8_t which = fuzz_first(&bytes);
    const char *path = fuzz_file("splits.json", bytes.at, bytes.left), *group = which & 1 ? "gap" : "standard";
    fuzz_jansson_from();
    una_status status = FUZZ_EXPLAIN(una_split_read(&split, path, group, which >> 1 & 1, ROWS, w->run), w);
    fuzz_jansson(bytes.at, bytes.left, "splits");
    if (status == UNA_OK) {
        bool seen[ROWS] = {0};
        FUZZ_CHECK(split.train_count > 0 && split.test_count > 0, "an empty part");
        for (size_t i = 0; i < split.train_count + split.test_count; i++) {
            size_t row = i < split.train_count ? split.train[i] : split.test[i - split.train_count];
            FUZZ_CHECK(row < ROWS && !seen[row], "row %zu", row);
            seen[row] = true;
        }
        una_split_free(&split, w->run);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t memory = fuzz_first(&bytes), how = fuzz_first(&bytes);
    if (!fuzz_begin(&world, (fuzz_limits){ .allocations = fuzz_allocations(memory) })) return 0;
    if (how % 8 == 6) check_concepts(bytes, &world);
    else if (how % 8 == 7) check_split(bytes, &world);
    else {
        char *model = fuzz_text(&bytes), *space = fuzz_text(&bytes);
        if (how & 1) check_overs(space, model, &world);
        else check_over(space, model, &world);
        free(space);
        free(model);
    }
    fuzz_end(&world);
    return 0;
}
