/* SPDX-License-Identifier: MIT
 *
 * What this libuna was built with, and what of it is here: shown by `una --version`.
 */
#include "una.h"

#include "nn/conv.h"

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
#define LINES "kernels  " KERNEL_SETS "\n" \
              "random   Random123 (Philox4x32-10)\n" \
              "json     Jansson " JANSSON_VERSION "\n" \
              "gzip     zlib " ZLIB_VERSION "\n" \
              "images   "
    switch (una_conv_way_here()) {
    case UNA_CONV_DNNL:         return LINES "oneDNN (libdnnl.so.2)\n";
    case UNA_CONV_DNNL_MISSING: return LINES "by una itself; oneDNN is faster (libdnnl.so.2; Debian: libdnnl2)\n";
    default:                    return LINES "by una itself; it was built without oneDNN\n";
    }
}
