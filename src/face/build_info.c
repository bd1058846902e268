/* SPDX-License-Identifier: MIT
 *
 * What this libuna was built with: shown by `una --version`.
 */
#include "una.h"

#include <jansson.h>
#include <zlib.h>

#ifdef UNA_HAS_dnnl
#include <dnnl_version.h>
#define WORDS_OF(number) #number
#define WORDS(number) WORDS_OF(number)
#define IMAGES "oneDNN " WORDS(DNNL_VERSION_MAJOR) "." WORDS(DNNL_VERSION_MINOR) "." WORDS(DNNL_VERSION_PATCH)
#else
#define IMAGES "by windows and products (oneDNN was not there)"
#endif

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
           "gzip     zlib " ZLIB_VERSION "\n"
           "images   " IMAGES "\n";
}
