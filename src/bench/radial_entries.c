/* SPDX-License-Identifier: MIT
 *
 * Who takes part in the Radial Uncertainty Benchmark, and with which options: those that all share, the ranges that the
 * search draws from, and what it chose on each data set (`una bench radial --tune yes`; its page has this table).
 */
#include "bench/radial.h"

#include <string.h>

const una_radial_entry una_radial_entries[] = {
    { "gp", "GP", "gp(kernel=matern32, ard=no, noise=constant, restarts=10)", NULL, { NULL }, "restarts=2", false, false },
    { "luna", "LUNA", "luna", NULL, { NULL }, "members=3", true, false },
    { NULL, NULL, NULL, NULL, { NULL }, NULL, false, false }
};

const una_radial_entry *una_radial_entry_find(const char *name)
{
    for (const una_radial_entry *e = una_radial_entries; e->name; e++)
        if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

size_t una_radial_tuned(const una_radial_set *set)
{
    if (!set->shell) return set->inputs == 2 ? 3 : 4;
    return set->inputs < 3 ? set->inputs - 1 : 2;
}

const char *una_radial_spec(const una_radial_entry *entry, const char *options, const char *more, una_arena *arena)
{
    const char *part[] = { options, more };
    una_text text = una_text_in(arena);
    size_t length = strlen(entry->base);
    bool open = entry->base[length - 1] == ')', any = false;
    una_text_add(&text, "%.*s", (int)(open ? length - 1 : length), entry->base);
    for (size_t i = 0; i < 2; i++) {
        if (!part[i] || !*part[i]) continue;
        una_text_add(&text, "%s%s", open || any ? ", " : "(", part[i]);
        any = true;
    }
    una_text_add(&text, "%s", open || any ? ")" : "");
    return text.at;
}
