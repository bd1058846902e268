/* SPDX-License-Identifier: MIT
 *
 * See library.h.
 */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

una_status una_library_load(void *calls, const una_library *library, una_run *run)
{
    void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        UNA_FAIL(run, UNA_E_IO, "%s need the library %s, which cannot be loaded: install it (Debian: %s) and try again",
                 library->purpose, library->soname, library->package);

    const char *missing = NULL;
    for (size_t i = 0; i < library->count && !missing; i++) {
        void *found = dlsym(handle, library->symbols[i].name);
        memcpy((char *)calls + library->symbols[i].at, &found, sizeof found);
        if (!found) missing = library->symbols[i].name;
    }
    dlclose(handle);
    if (missing)
        UNA_FAIL(run, UNA_E_IO, "%s need the library %s, and the one that is installed has no '%s': install a newer one "
                 "(Debian: %s)", library->purpose, library->soname, missing, library->package);
    return UNA_OK;
}
