/* SPDX-License-Identifier: MIT
 *
 * See library.h.
 */
#include "base/library.h"

#include <dlfcn.h>

enum { HOW = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

/* The first symbol that it lacks, or NULL; calls may be NULL. */
static const char *look_up(void *calls, const una_library *library, void *handle)
{
    for (size_t i = 0; i < library->count; i++) {
        const una_symbol *symbol = &library->symbols[i];
        void *found = dlsym(handle, symbol->name);
        if (!found) return symbol->name;
        if (calls) memcpy((char *)calls + symbol->at, &found, sizeof found);
    }
    return NULL;
}

una_status una_library_load(void *calls, const una_library *library, una_run *run)
{
    void *handle = dlopen(library->soname, HOW);
    if (!handle)
        UNA_FAIL(run, UNA_E_IO, "%s need the library %s, which cannot be loaded: install it (Debian: %s) and try again",
                 library->purpose, library->soname, library->package);
    const char *missing = look_up(calls, library, handle);
    dlclose(handle);
    if (missing)
        UNA_FAIL(run, UNA_E_IO, "%s need the library %s, and the one that is installed has no '%s': install a newer "
                 "one (Debian: %s)", library->purpose, library->soname, missing, library->package);
    return UNA_OK;
}

bool una_library_is_there(const una_library *library)
{
    void *handle = dlopen(library->soname, HOW);
    bool whole = handle && !look_up(NULL, library, handle);
    if (handle) dlclose(handle);
    return whole;
}
