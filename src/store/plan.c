/* SPDX-License-Identifier: MIT
 *
 * The list of keys that a study wants, each once, with a hash table beside it: a search may plan a million.
 */
#include "store/worker.h"

#include "base/hash.h"

/* Not una_row_key_hash, which has no secret key: specs may come from an untrusted file. */
static uint64_t hash_of(const una_plan *plan, const una_row_key *key)
{
    una_hash_key own = una_hash_key_of(plan->arena->run);
    una_hash h = una_hash_begin(own);
    una_hash_add(&h, una_hash_text(own, key->study));
    una_hash_add(&h, una_hash_text(own, key->data));
    una_hash_add(&h, una_hash_text(own, key->spec));
    una_hash_add(&h, key->split);
    una_hash_add(&h, key->seed);
    una_hash_add(&h, key->results);
    return una_hash_end(h);
}

/* The slot of a key: where it is, or would be. There is always an empty one. */
static size_t slot_of(const una_plan *plan, const una_row_key *key)
{
    size_t slot = (size_t)hash_of(plan, key) & (plan->slot_count - 1);
    while (plan->slot[slot] && !una_row_key_same(&plan->keys[plan->slot[slot] - 1], key))
        slot = (slot + 1) & (plan->slot_count - 1);
    return slot;
}

/* The old arrays stay in the arena: as much again as the new ones, all of them together. */
static bool plan_make_room(una_plan *plan)
{
    if (plan->count < plan->room) return true;
    size_t room = plan->room;
    una_row_key *keys = una_arena_grow(plan->arena, plan->keys, plan->count, &room, sizeof *keys);
    size_t *slot = UNA_GET(plan->arena, size_t, 2 * room);               /* a power of two */
    if (!keys || !slot) return false;
    plan->keys = keys;
    plan->room = room;
    plan->slot = slot;
    plan->slot_count = 2 * room;
    for (size_t i = 0; i < plan->count; i++) slot[slot_of(plan, &keys[i])] = i + 1;
    return true;
}

size_t una_plan_find(const una_plan *plan, const una_row_key *key)
{
    size_t found = plan->slot_count ? plan->slot[slot_of(plan, key)] : 0;
    return found ? found - 1 : SIZE_MAX;
}

void una_plan_add(una_plan *plan, una_row_key key)
{
    if (una_plan_find(plan, &key) != SIZE_MAX || !plan_make_room(plan)) return;
    plan->slot[slot_of(plan, &key)] = plan->count + 1;
    plan->keys[plan->count++] = key;
}
