/* SPDX-License-Identifier: MIT
 *
 * Questions about the registry: which models there are, which options they take.
 */
#include "model/kind.h"

#include <string.h>

const una_kind *una_kind_find(const char *name)
{
    for (size_t i = 0; una_kinds[i]; i++)
        if (strcmp(una_kinds[i]->name, name) == 0) return una_kinds[i];
    return NULL;
}

una_status una_kind_need(const una_kind **kind, const char *name, una_run *run)
{
    *kind = una_kind_find(name);
    if (*kind) return UNA_OK;
    const char *names[64];
    size_t count = 0;
    una_text list = una_text_in(&run->scratch);
    for (; count < 64 && una_kinds[count]; count++) {
        names[count] = una_kinds[count]->name;
        una_text_add(&list, "%s%s", count ? ", " : "", names[count]);
    }
    const char *near = una_nearest(name, names, count);
    UNA_FAIL(run, UNA_E_USAGE, "there is no model '%s'%s%s%s The models are %s", name, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : ".", list.at);
}

size_t una_kind_count(void)
{
    size_t count = 0;
    while (una_kinds[count]) count++;
    return count;
}

const char *una_kind_name(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->name : NULL; }
const char *una_kind_summary(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->summary : NULL; }
const char *una_kind_source(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->source : NULL; }
const char *una_kind_preset(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->thesis : NULL; }
unsigned una_kind_results(size_t kind) { return kind < una_kind_count() ? 1 + una_kinds[kind]->results : 0; }
int una_kind_updates(size_t kind) { return kind < una_kind_count() && una_kinds[kind]->observe; }

size_t una_kind_option_count(size_t kind)
{
    size_t count = 0;
    while (kind < una_kind_count() && una_kinds[kind]->options[count].name) count++;
    return count;
}

una_status una_kind_option(una_option_info *info, size_t kind, size_t option, una_run *run)
{
    if (option >= una_kind_option_count(kind))
        UNA_FAIL(run, UNA_E_USAGE, "there is no option %zu of model %zu", option, kind);
    una_option_describe(info, &una_kinds[kind]->options[option], &run->scratch);
    return una_arena_check(&run->scratch);
}
