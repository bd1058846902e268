/* SPDX-License-Identifier: MIT
 *
 * Structs of a caller's, who may have been compiled with an older or a newer una.h: fields are only ever added at the
 * end, and the first one is the size of the struct as the caller knows it.
 */
#include "base/base.h"

#include <string.h>

enum { MOST_ADDED = 4096 };              /* a size further beyond ours is no size: the field was never set */

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

una_status una_struct_check(const void *given, size_t size, const char *name, una_run *run)
{
    size_t its = size_of(given);
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
        size_t its = size_of(given);

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
    size_t its = size_of(to), known = its < size ? its : size, head = sizeof its;
    if (its <= head) return;

    memcpy((unsigned char *)to + head, (const unsigned char *)from + head, known - head);
    if (its > known) memset((unsigned char *)to + known, 0, its - known);
}
