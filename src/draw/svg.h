/* SPDX-License-Identifier: MIT
 *
 * Paper whose drawings become SVG, element by element: same drawing, same bytes. Places have two decimals at most,
 * paths are relative, texts are real ones in the fonts of whoever looks.
 */
#pragma once

#include "draw/canvas.h"

typedef struct una_svg_place { long x, y; } una_svg_place;       /* in hundredths of a px */

typedef struct una_svg {
    una_canvas   canvas;          /* first: its calls get a pointer to it                           */
    una_text   *out;
    const char *prefix;          /* of ids, which must be unique on a page                         */
    size_t      clips;           /* so far                                                         */
    una_svg_place goal, at, begun;       /* of the last move; of the pen; where its piece of the path began */
    char        command;         /* the last one of the open path; 0: none is open                 */
    bool        lifted;          /* the pen is not yet at its goal                                 */
    bool        bare, dotted;    /* the piece has no line yet; or only lines without length        */
    una_letters letters;         /* of the open group of texts; size 0: none                       */
} una_svg;

/* Attributes of the <svg> around all: fonts, as on the page, and what holds where an element does not say otherwise. */
#define UNA_SVG_DEFAULTS "font-family=\"Helvetica Neue,Helvetica,Arial,Liberation Sans,Noto Sans," \
    "DejaVu Sans Condensed,sans-serif\" fill=\"none\" stroke-linejoin=\"round\""

/* Elements go to the end of `out`; its arena knows whether there was memory for all of them. */
una_svg una_svg_on(una_text *out, const char *prefix);
void    una_svg_end(una_svg *svg);
