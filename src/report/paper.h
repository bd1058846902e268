/* SPDX-License-Identifier: MIT
 *
 * Paper: what a panel is drawn on. Inside src/report only.
 */
#ifndef UNA_PAPER_H
#define UNA_PAPER_H

#include "report/figure.h"

#include <cairo.h>

typedef struct una_paper {
    cairo_t    *cr;
    const char *family;          /* of all text                                                    */
    bool        thin_space;      /* the family has U+202F                                          */
} una_paper;

/* Chooses the family and the pens' defaults; one user unit is one px. */
una_paper una_paper_on(cairo_t *cr);
void una_paper_panel(const una_paper *paper, const una_panel *panel, double left, double top, double width,
                     double height);
void una_paper_key(const una_paper *paper, const una_key *key, double left, double middle, double width);

/* "#rrggbb" of an ink, for swatches in HTML; the usual opacity of a shape. */
const char *una_ink_name(una_ink ink);
double una_shape_opacity(una_shape shape);

#endif
