/* SPDX-License-Identifier: MIT
 *
 * See names.h.
 */
#include "data/names.h"

#include "base/hash.h"

enum { FEW = 16 };

/* Where the name is, or would be. */
static size_t slot_of_name(const una_names *n, const char *name)
{
    size_t i = (size_t)una_hash_text(n->key, name) & (n->slots - 1);
    while (n->slot[i] && strcmp(n->name[n->slot[i] - 1], name) != 0) i = (i + 1) & (n->slots - 1);
    return i;
}

una_status una_names_index(una_names *n, const char *const *name, size_t count, una_arena *arena)
{
    *n = (una_names){ .name = name, .count = count, .key = una_hash_key_of(arena->run) };
    if (count <= FEW) return UNA_OK;
    for (n->slots = 2 * FEW; n->slots < 2 * count;) n->slots *= 2;
    UNA_NEW_AT(arena, n->slot, n->slots);
    for (size_t i = 0; i < count; i++) {
        size_t slot = slot_of_name(n, name[i]);
        n->repeated += n->slot[slot] != 0;
        if (!n->slot[slot]) n->slot[slot] = i + 1;
    }
    return UNA_OK;
}

size_t una_names_find(const una_names *n, const char *name)
{
    if (n->slot) return n->slot[slot_of_name(n, name)] - 1;           /* 0 - 1 is SIZE_MAX */
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->name[i], name) == 0) return i;
    return SIZE_MAX;
}

static una_status no_such_column(const una_names *n, const char *origin, const char *name, una_run *run)
{
    enum { SHOWN = 12 };
    una_text list = una_text_in(&run->scratch);
    for (size_t i = 0; i < n->count && i < SHOWN; i++) una_text_add(&list, "%s%.40s", i ? ", " : "", n->name[i]);
    if (n->count > SHOWN) una_text_add(&list, " and %zu more", n->count - SHOWN);
    UNA_TRY(una_arena_check(&run->scratch));

    const char *near = una_nearest(name, n->name, n->count);
    UNA_FAIL(run, UNA_E_INPUT, "%.200s has no column '%.60s'%s%.60s%s; its columns are: %s", origin, name,
             near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", list.at);
}

una_status una_names_need(size_t *position, const una_names *n, const char *origin, const char *name, una_run *run)
{
    *position = una_names_find(n, name);
    if (*position == SIZE_MAX) UNA_SCOPED(run, no_such_column(n, origin, name, run));
    return UNA_OK;
}

/* ---- names that stand twice ------------------------------------------------------------------------------- */

typedef struct named { const char *name; size_t at; } named;

static int compare_named(const void *a, const void *b)
{
    const named *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->at > right->at) - (left->at < right->at);
}

/* Sorts only where there are duplicates, because sorting takes time. */
una_status una_names_repeated(size_t *first, size_t *second, const char *const *name, size_t count, una_run *run)
{
    una_names n;
    *first = *second = 0;
    UNA_TRY(una_names_index(&n, name, count, &run->scratch));
    if (n.slot && !n.repeated) return UNA_OK;
    UNA_NEW(&run->scratch, named, sorted, count);
    for (size_t i = 0; i < count; i++) sorted[i] = (named){ name[i], i };
    if (count) qsort(sorted, count, sizeof *sorted, compare_named);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1].name, sorted[i].name) != 0) continue;
        *first = sorted[i - 1].at;
        *second = sorted[i].at;
        break;
    }
    return UNA_OK;
}
