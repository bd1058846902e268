/* SPDX-License-Identifier: MIT
 *
 * The list of keys that a study wants.
 */
#include "sweep/worker.h"

#include <string.h>

void una_plan_add(una_plan *plan, una_row_key key)
{
    for (size_t i = 0; i < plan->count; i++)
        if (una_row_key_same(&plan->keys[i], &key)) return;
    if (plan->count == plan->room) {
        size_t room = plan->room ? 2 * plan->room : 64;
        una_row_key *keys = UNA_GET(plan->arena, una_row_key, room);
        if (!keys) return;
        if (plan->count > 0) memcpy(keys, plan->keys, plan->count * sizeof *keys);
        plan->keys = keys;
        plan->room = room;
    }
    plan->keys[plan->count++] = key;
}
