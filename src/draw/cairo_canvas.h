/* SPDX-License-Identifier: MIT
 *
 * Paper that becomes a PDF or a PNG, drawn by Cairo. The library is loaded by the first such drawing and not needed for
 * anything else, neither to run una nor to build it.
 */
#pragma once

#include "draw/canvas.h"

typedef struct una_cairo una_cairo;

/* Whether Cairo can be loaded: UNA_E_IO and a sentence that says what to install if not. */
una_status una_cairo_check(una_run *run);
/* Paper of so many px, for a PDF or, white and 2.5 times as large, for a PNG. It lives in the arena of `out`. */
una_status una_cairo_on(una_canvas **canvas, una_text *out, double width, double height, una_format format,
                        una_run *run);
/* Adds the bytes of the whole file to `out`. */
una_status una_cairo_end(una_canvas *canvas, una_run *run);
