/* SPDX-License-Identifier: MIT
 *
 * Images of data on a page, each as a PNG inside of it, with a few words below.
 */
#pragma once

#include "draw/html.h"

typedef struct una_picture {
    size_t height, width, channels;      /* three or more: red, green and blue come first; else grey comes first */
    const double *numbers;               /* [height, width, channels]                                       */
    const char *words;                   /* lines with \n between them                                      */
} una_picture;

/* Side by side in rows, and a caption. All have the same black and white: 0, or the least number where it is negative;
 * 1 or 255, whichever is the first that no number is above, or the largest number. */
una_status una_html_pictures(una_html *html, const una_picture *pictures, size_t count, const char *lead,
                             const char *caption, una_run *run);
