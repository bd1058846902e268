/* SPDX-License-Identifier: MIT
 *
 * Which kernel set: the best that this machine can run, or the one asked for by name.
 */
#include "kern/sets.h"


static bool runs_here(const char *name)
{
#if defined(UNA_HAS_avx512)
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
#if defined(UNA_HAS_avx2)
    if (strcmp(name, "avx2") == 0) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(name, "generic") == 0;
}

static const REAL(una_kernels) *const sets[] = {     /* best first */
#ifdef UNA_HAS_avx512
    &REAL(una_kernels_avx512),
#endif
#ifdef UNA_HAS_avx2
    &REAL(una_kernels_avx2),
#endif
    &REAL(una_kernels_generic),
};

const REAL(una_kernels) *REAL(una_kernels_named)(const char *name)
{
    bool any = !name || strcmp(name, "auto") == 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if ((any || strcmp(name, sets[i]->name) == 0) && runs_here(sets[i]->name)) return sets[i];
    return NULL;
}
