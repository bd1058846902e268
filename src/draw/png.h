/* SPDX-License-Identifier: MIT
 *
 * Pictures as PNG (ISO/IEC 15948), packed by zlib: grey or red, green and blue, eight bits each.
 */
#pragma once

#include "base/base.h"

typedef struct una_png {
    size_t height, width, channels;                      /* 1 or 3                                     */
    void (*row)(unsigned char *to, const void *from, size_t y);      /* writes [width, channels]       */
    const void *from;
} una_png;

/* Adds the bytes of the whole file to `out`; without memory UNA_E_MEMORY. */
una_status una_png_add(una_text *out, const una_png *png, una_run *run);
