/* SPDX-License-Identifier: MIT
 *
 * For tests that draw. PDF and PNG need Cairo, which is loaded by name: where it is not installed, what is about them
 * is left out. Fontconfig keeps what it once read, and nobody but its own FcFini may give it back.
 */
#ifndef UNA_TEST_DRAWS_H
#define UNA_TEST_DRAWS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Says so where it is not. */
static inline bool has_cairo(void)
{
    bool found = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != NULL;
    if (!found) puts("skipped: PDF and PNG, for libcairo.so.2 is not installed");
    return found;
}

/* So that leak checkers see only our own leaks. */
static inline void forget_cairo(void)
{
    void *cairo = dlopen("libcairo.so.2", RTLD_NOW | RTLD_NOLOAD), *found;
    void (*reset)(void) = NULL;
    if (cairo && (found = dlsym(cairo, "cairo_debug_reset_static_data"))) memcpy(&reset, &found, sizeof reset);
    if (reset) reset();
}

__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

#endif
