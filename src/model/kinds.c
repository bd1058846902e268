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
int una_kind_updates(size_t kind) { return kind < una_kind_count() && una_kinds[kind]->observe; }

size_t una_kind_option_count(size_t kind)
{
    size_t count = 0;
    while (kind < una_kind_count() && una_kinds[kind]->options[count].name) count++;
    return count;
}

una_status una_kind_option(una_option_info *info, size_t kind, size_t option, una_run *run)
{
    una_option_info found;
    UNA_TRY(UNA_CHECK_SIZE(info, una_option_info, run));
    if (option >= una_kind_option_count(kind))
        UNA_FAIL(run, UNA_E_USAGE, "there is no option %zu of model %zu", option, kind);
    una_mark mark = una_arena_mark(&run->texts);
    una_option_describe(&found, &una_kinds[kind]->options[option], &run->texts);
    una_struct_give(info, &found, sizeof found);
    una_status status = una_arena_check(&run->texts);
    if (status != UNA_OK) una_arena_release(&run->texts, mark);
    return status;
}
