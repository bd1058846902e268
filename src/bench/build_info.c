/* SPDX-License-Identifier: MIT
 *
 * What this libuna_bench was built with: shown by `una --version`.
 */
#include "una_bench.h"

#ifdef UNA_HAS_libsvm
#include <libsvm/svm.h>
#define WORD_OF(number) WORD(number)
#define WORD(number) #number
#define SVM_WORDS "LIBSVM " WORD_OF(LIBSVM_VERSION)
#else
#define SVM_WORDS "none"
#endif

#ifdef UNA_HAS_libcurl
#define CURL_WORDS "libcurl " UNA_CURL_VERSION
#else
#define CURL_WORDS "none"
#endif

const char *una_bench_build_info(void)
{
    return "svm      " SVM_WORDS "\n"
           "get      " CURL_WORDS "\n";
}
