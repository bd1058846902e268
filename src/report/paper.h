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
    bool        raised;          /* and all raised digits                                          */
} una_paper;

/* Chooses the family and the pens' defaults; one user unit is one px. */
una_paper una_paper_on(cairo_t *cr);
void una_paper_panel(const una_paper *paper, const una_panel *panel, double left, double top, double width,
                     double height);
/* Where points with tips lie on it, as <circle>s with a <title> that are seen by the pointer alone. */
void una_paper_tips(una_text *out, const una_paper *paper, const una_panel *panel, double left, double top,
                    double width, double height);
void una_paper_key(const una_paper *paper, const una_key *key, double left, double middle, double width);
/* A panel with axes side by side (axes.c). */
void una_paper_axes(const una_paper *paper, const una_panel *panel, double left, double top, double width,
                    double height);

/* Cairo's writing into a una_text, which is the closure (surface.c). */
cairo_status_t una_paper_into_text(void *closure, const unsigned char *bytes, unsigned int length);
/* "#rrggbb" of an ink, for swatches in HTML; the usual opacity of a shape. */
const char *una_ink_name(una_ink ink);
double una_shape_opacity(una_shape shape);

/* ---- letters.c -------------------------------------------------------------------------------------- */

enum { UNA_TEXT_ROOM = 256 };
#define UNA_TICK_SIZE  10.5      /* of letters, in px */
#define UNA_LABEL_SIZE 11.0
#define UNA_TITLE_SIZE 11.5
#define UNA_HAIR       0.75      /* the width of an axis */

void una_paper_ink(const una_paper *paper, una_ink ink, double opacity);
/* Between UNA_INK_PART (share 0) and the ink (1). */
void una_paper_mixed_ink(const una_paper *paper, una_ink ink, double share, double opacity);
void una_paper_text_ink(const una_paper *paper);
void una_paper_axis_ink(const una_paper *paper);
void una_paper_font(const una_paper *paper, double size, bool bold);
/* The font must be set: how wide a valid text is; of any text what fits into `width`, and how much of that it needs;
 * writing it, share 0 begins at x, 0.5 is centred, 1 ends at x. */
double una_paper_width(const una_paper *paper, const char *text);
const char *una_paper_fitted(const una_paper *paper, char buffer[UNA_TEXT_ROOM], const char *text, double width);
double una_paper_needs(const una_paper *paper, const char *text, double width);
void una_paper_write(const una_paper *paper, double x, double y, double share, const char *text, double width);

#endif
