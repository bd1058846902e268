/* SPDX-License-Identifier: MIT
 *
 * For tests that draw. Fontconfig keeps what it once read, and nobody but its own FcFini may give it back.
 */
#ifndef UNA_TEST_DRAWS_H
#define UNA_TEST_DRAWS_H

__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

#endif
