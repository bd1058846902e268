/* SPDX-License-Identifier: MIT
 *
 * SHA-256: sums by which published files are known. Source: FIPS 180-4, section 6.2.
 */
#ifndef UNA_SHA256_H
#define UNA_SHA256_H

#include <stddef.h>

enum { UNA_SHA256_TEXT = 65 };           /* room for the sum as text: 64 letters and the end */

/* The sum of `size` bytes in small hexadecimal letters. */
void una_sha256(char text[UNA_SHA256_TEXT], const void *bytes, size_t size);

#endif
