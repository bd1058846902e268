/* SPDX-License-Identifier: MIT
 *
 * Specs and options: "name(key=value, ...)". The first byte bounds memory, the rest is the text. What was parsed prints
 * and parses again to the same, for every level; the one way of writing a spec is its own; the options that a spec, a
 * preset and a list set print as text and JSON, and the text sets them again.
 */
#include "fuzz.h"
#include "model/kind.h"

/* name(key=value, ...) again */
static void print_spec(una_text *text, const una_spec *spec)
{
    una_text_add(text, "%s", spec->name);
    if (*spec->name && spec->count) una_text_bytes(text, "(", 1);
    for (size_t i = 0; i < spec->count; i++) {
        una_text_add(text, "%s%s=", i ? ", " : "", spec->items[i].key);
        una_spec_value(text, spec->items[i].value);
    }
    if (*spec->name && spec->count) una_text_bytes(text, ")", 1);
}

static void check_same(const una_spec *a, const una_spec *b, const char *text)
{
    FUZZ_CHECK(strcmp(a->name, b->name) == 0 && a->count == b->count, "%s: another spec", text);
    for (size_t i = 0; i < a->count; i++)
        FUZZ_CHECK(strcmp(a->items[i].key, b->items[i].key) == 0 && strcmp(a->items[i].value, b->items[i].value) == 0,
                   "%s: item %zu is %s=%s and was %s=%s", text, i, b->items[i].key, b->items[i].value, a->items[i].key,
                   a->items[i].value);
}

/* Options of a kind as this spec sets them: their text sets the same, their JSON is some. */
static void check_options(const una_kind *kind, const una_spec *spec, bool preset, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    void *options = una_arena_get(arena, 1, kind->options_size), *again = una_arena_get(arena, 1, kind->options_size);
    una_text text = una_text_in(arena), second = una_text_in(arena), json = una_text_in(arena);
    una_spec part;
    if (una_arena_check(arena) != UNA_OK || FUZZ_EXPLAIN(una_options_default(options, kind->options, w->run), w) ||
        FUZZ_EXPLAIN(una_options_default(again, kind->options, w->run), w)) return;
    if (preset) {
        if (FUZZ_EXPLAIN(una_spec_parse_items(&part, kind->thesis, arena, w->run), w)) return;
        una_status status = FUZZ_EXPLAIN(una_kind_set(options, kind, &part, arena, w->run), w);
        FUZZ_CHECK(status != UNA_E_USAGE, "%s: its own preset is refused: %s", kind->name, una_run_message(w->run));
        if (status != UNA_OK) return;
    }
    if (FUZZ_EXPLAIN(una_kind_set(options, kind, spec, arena, w->run), w)) return;

    una_options_text(&text, options, kind->options, kind->name);
    una_options_json(&json, options, kind->options);
    if (una_arena_check(arena) != UNA_OK) return;
    fuzz_json(json.at, json.length, "options");
    una_status status = FUZZ_EXPLAIN(una_spec_parse(&part, text.at, arena, w->run), w);
    if (status == UNA_OK) status = FUZZ_EXPLAIN(una_kind_set(again, kind, &part, arena, w->run), w);
    FUZZ_CHECK(status != UNA_E_USAGE, "%s is printed, and refused: %s", text.at, una_run_message(w->run));
    una_options_text(&second, again, kind->options, kind->name);
    if (status == UNA_OK && una_arena_check(arena) == UNA_OK)
        FUZZ_CHECK(strcmp(text.at, second.at) == 0, "%s becomes %s", text.at, second.at);
}

/* What a value was parsed from may be a spec itself, or a list of items. */
static void check_text(const char *source, bool items, int depth, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    una_spec spec, again;
    una_status status = items ? FUZZ_EXPLAIN(una_spec_parse_items(&spec, source, arena, w->run), w)
                              : FUZZ_EXPLAIN(una_spec_parse(&spec, source, arena, w->run), w);
    if (status != UNA_OK) return;
    una_text text = una_text_in(arena);
    print_spec(&text, &spec);
    if (una_arena_check(arena) != UNA_OK) return;
    status = items ? FUZZ_EXPLAIN(una_spec_parse_items(&again, text.at, arena, w->run), w)
                   : FUZZ_EXPLAIN(una_spec_parse(&again, text.at, arena, w->run), w);
    FUZZ_CHECK(status != UNA_E_USAGE, "'%s' is printed as '%s', and that is refused: %s", source, text.at,
               una_run_message(w->run));
    if (status != UNA_OK) return;
    check_same(&spec, &again, text.at);

    const una_kind *kind = una_kind_find(items ? "luna" : spec.name);
    if (kind && depth == 0) check_options(kind, &spec, items, w);
    for (size_t i = 0; depth < 3 && i < spec.count && i < 4; i++) check_text(spec.items[i].value, false, depth + 1, w);
}

static void check_canonical(const char *source, fuzz_world *w)
{
    unsigned results = 0, same = 0;
    const char *text = NULL, *again = NULL;
    if (FUZZ_EXPLAIN(una_spec_check(source, &results, w->run), w)) return;
    if (FUZZ_EXPLAIN(una_spec_text(&text, source, w->run), w)) return;
    una_status status = FUZZ_EXPLAIN(una_spec_text(&again, text, w->run), w);
    FUZZ_CHECK(status != UNA_E_USAGE, "'%s' is written as '%s', and that is refused", source, text);
    if (status != UNA_OK || FUZZ_EXPLAIN(una_spec_check(text, &same, w->run), w)) return;
    FUZZ_CHECK(strcmp(text, again) == 0, "'%s' is written as '%s', and that as '%s'", source, text, again);
    FUZZ_CHECK(results == same, "'%s' has results %u, and '%s' %u", source, results, text, same);
}

static void check_help(size_t kind, fuzz_world *w)
{
    for (size_t i = 0; i < una_kind_option_count(kind); i++) {
        una_option_info info = UNA_INIT(una_option_info);
        if (FUZZ_EXPLAIN(una_kind_option(&info, kind, i, w->run), w)) return;
        FUZZ_CHECK(*info.name && *info.type && *info.range && *info.help, "an option without a word of help");
    }
    una_option_info info = UNA_INIT(una_option_info);
    FUZZ_CHECK(FUZZ_EXPLAIN(una_kind_option(&info, kind, 999, w->run), w) == UNA_E_USAGE, "there is a thousandth option");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_first(&bytes);
    if (!fuzz_begin(&world, (fuzz_limits){ .allocations = fuzz_allocations(how) })) return 0;
    char *text = fuzz_text(&bytes);
    FUZZ_CHECK(text, "no memory");

    una_mark mark = una_arena_mark(&world.run->scratch);
    check_text(text, how & 1, 0, &world);
    una_arena_release(&world.run->scratch, mark);
    check_canonical(text, &world);
    if (how % 64 == 2) check_help(una_kind_count() ? size % una_kind_count() : 0, &world);

    free(text);
    fuzz_end(&world);
    return 0;
}
