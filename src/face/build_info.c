/* SPDX-License-Identifier: MIT
 *
 * What this libuna was built with: shown by `una --version`.
 */
#include "una.h"

#include <jansson.h>
#include <zlib.h>

#if defined(UNA_HAS_avx512)
#define KERNEL_SETS "avx512 avx2 generic"
#elif defined(UNA_HAS_avx2)
#define KERNEL_SETS "avx2 generic"
#else
#define KERNEL_SETS "generic"
#endif

const char *una_build_info(void)
{
    return "kernels  " KERNEL_SETS "\n"
           "random   Random123 (Philox4x32-10)\n"
           "json     Jansson " JANSSON_VERSION "\n"
           "gzip     zlib " ZLIB_VERSION "\n";
}
