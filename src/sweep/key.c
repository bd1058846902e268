/* SPDX-License-Identifier: MIT
 *
 * Keys: compared, written, and their specs brought into one form.
 */
#include "sweep/key.h"

#include "model/kind.h"

#include <inttypes.h>
#include <string.h>

bool una_row_key_same(const una_row_key *a, const una_row_key *b)
{
    return a->split == b->split && a->seed == b->seed && a->results == b->results && strcmp(a->spec, b->spec) == 0 &&
           strcmp(a->data, b->data) == 0 && strcmp(a->study, b->study) == 0;
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t una_row_key_hash(const una_row_key *key)
{
    char numbers[96];
    int length = snprintf(numbers, sizeof numbers, "%" PRIu64 " %" PRIu64 " %u", key->split, key->seed, key->results);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    hash = mix(hash, key->study, strlen(key->study) + 1);        /* with the zero: texts do not run together */
    hash = mix(hash, key->data, strlen(key->data) + 1);
    hash = mix(hash, key->spec, strlen(key->spec) + 1);
    return mix(hash, numbers, (size_t)length);
}

void una_row_key_describe(una_text *text, const una_row_key *key)
{
    una_text_add(text, "%.*s on %s, split %" PRIu64 ", seed %" PRIu64, (int)strcspn(key->spec, "("), key->spec,
                 key->data, key->split, key->seed);
}

/* ---- specs --------------------------------------------------------------------------------------------------- */

static void write_spec(una_text *text, const una_spec *spec)
{
    una_text_add(text, "%s", spec->name);
    for (size_t i = 0; i < spec->count; i++) {
        una_text_add(text, "%s%s=", i ? ", " : "(", spec->items[i].key);
        una_spec_value(text, spec->items[i].value);
    }
    if (spec->count) una_text_add(text, ")");
}

/* How often the numbers of the kind and of those inside it have changed. */
static una_status add_changes(unsigned *changes, const una_kind *kind, const una_spec *spec, int depth,
                              una_arena *arena, una_run *run)
{
    enum { DEEPEST = 4 };
    void *options = una_arena_get(arena, 1, kind->options_size);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_options_default(options, kind->options, run));
    UNA_TRY(una_options_apply(options, kind->options, kind->name, spec, arena, run));
    *changes += kind->results;

    for (const una_option *o = kind->options; kind->inner && depth < DEEPEST && o->name; o++) {
        if (strcmp(o->name, kind->inner) != 0) continue;
        una_spec inside;
        UNA_TRY(una_spec_parse(&inside, *(const char *const *)(const void *)((const char *)options + o->offset), arena,
                               run));
        UNA_TRY(una_kind_need(&kind, inside.name, run));
        return add_changes(changes, kind, &inside, depth + 1, arena, run);
    }
    return UNA_OK;
}

una_status una_row_key_spec(const char **spec, const char **kind, unsigned *results, const char *text, una_arena *arena,
                        una_run *run)
{
    una_spec parsed;
    const una_kind *found;
    unsigned changes = 0;
    UNA_TRY(una_spec_parse(&parsed, text, arena, run));
    UNA_TRY(una_kind_need(&found, parsed.name, run));
    UNA_TRY(add_changes(&changes, found, &parsed, 0, arena, run));

    una_text canonical = una_text_in(arena);
    write_spec(&canonical, &parsed);
    *spec = canonical.at;
    *results = 1 + changes;
    if (kind) *kind = found->name;
    return una_arena_check(arena);
}
