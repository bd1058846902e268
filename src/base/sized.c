/* SPDX-License-Identifier: MIT
 *
 * Structs of a caller that may have been compiled with an older or a newer una.h: new fields are only ever added at the
 * end, and the first field is the size of the struct as the caller knows it.
 */
#include "base/base.h"

enum { MOST_ADDED = 4096 };              /* a size further beyond ours is no size: the field was never set */

static size_t struct_size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

una_status una_struct_check(const void *given, size_t size, const char *name, una_run *run)
{
    size_t its = struct_size_of(given);
    if (its >= sizeof its && its <= size + MOST_ADDED) return UNA_OK;

    if (!run) return UNA_E_USAGE;
    UNA_FAIL(run, UNA_E_USAGE, "the size in a %s is %zu: begin with %s s = UNA_INIT(%s), or set .size = sizeof(%s)",
             name, its, name, name, name);
}

una_status una_struct_take(void *to, const void *given, size_t size, const char *name, una_run *run)
{
    memset(to, 0, size);
    if (given) {
        UNA_TRY(una_struct_check(given, size, name, run));
        size_t its = struct_size_of(given);

        for (size_t i = size; i < its; i++) {
            if (((const unsigned char *)given)[i] == 0) continue;
            if (!run) return UNA_E_USAGE;
            UNA_FAIL(run, UNA_E_USAGE, "a %s sets something that una " UNA_VERSION " does not know; install a newer "
                     "una, or leave its last fields 0", name);
        }
        memcpy(to, given, its < size ? its : size);
    }

    memcpy(to, &size, sizeof size);
    return UNA_OK;
}

void una_struct_give(void *to, const void *from, size_t size)
{
    size_t its = struct_size_of(to), known = its < size ? its : size, head = sizeof its;
    if (its <= head) return;

    memcpy((unsigned char *)to + head, (const unsigned char *)from + head, known - head);
    if (its > known) memset((unsigned char *)to + known, 0, its - known);
}

una_status una_texts_check(const char *const *list, size_t count, const char *what, una_run *run)
{
    for (size_t i = 0; i < count; i++)
        if (!list || !list[i])
            UNA_FAIL(run, UNA_E_USAGE, "%zu texts of `%s` were announced, and number %zu is not there", count, what,
                     i + 1);
    return UNA_OK;
}

una_status una_fit_settings_check(const una_fit_settings *s, una_run *run)
{
    if (s->missing != UNA_MISSING_ERROR && s->missing != UNA_MISSING_DROP && s->missing != UNA_MISSING_MEAN)
        UNA_FAIL(run, UNA_E_USAGE, "what to do about missing cells is %d, which means nothing: UNA_MISSING_ERROR (0), "
                 "UNA_MISSING_DROP (1) and UNA_MISSING_MEAN (2) do", (int)s->missing);
    if (!(s->valid_fraction >= 0 && s->valid_fraction < 1))
        UNA_FAIL(run, UNA_E_USAGE, "the share of rows to hold out is %g; it must be at least 0 and below 1",
                 s->valid_fraction);
    UNA_TRY(una_texts_check(s->set, s->set_count, "set", run));
    UNA_TRY(una_texts_check(s->drop, s->drop_count, "drop", run));
    return una_texts_check(s->only, s->only_count, "only", run);
}
