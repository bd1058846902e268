/* SPDX-License-Identifier: MIT
 *
 * Paper: what charts are drawn on. A chart moves a point, draws lines from it, and strokes or fills the path; it writes
 * texts and may draw inside a rectangle only. There are two kinds of canvas: SVG, which una writes itself (svg.h), and
 * Cairo's for PDF and PNG (cairo_canvas.h). A drawing is the same on both: widths of texts are from a table (canvas_text.c),
 * not from the fonts of this machine. Inside src/draw only.
 */
#pragma once

#include "draw/figure.h"

typedef struct una_rgb { double red, green, blue; } una_rgb;         /* 0 to 1 */

typedef struct una_pen {
    una_rgb   rgb;
    double    opacity;
    double    width;             /* of strokes, in px                                              */
    bool      round;             /* ends of lines; a line without length is then a dot             */
    bool      dashed;
} una_pen;

typedef struct una_letters {
    una_rgb   rgb;
    double    size;              /* in px                                                          */
    bool      bold;
    double    share;             /* of the text to the left of its place: 0, 0.5 or 1               */
    double    turn;              /* about its place, clockwise, in radians                         */
} una_letters;

typedef struct una_canvas una_canvas;
struct una_canvas {
    void (*move)(una_canvas *canvas, double x, double y);
    void (*line)(una_canvas *canvas, double x, double y);
    void (*close)(una_canvas *canvas);                    /* back to where the last move went; then comes a move */
    /* What was drawn since the last of these two. Without a line: nothing. */
    void (*stroke)(una_canvas *canvas, const una_pen *pen);
    void (*fill)(una_canvas *canvas, const una_pen *pen);
    /* Valid UTF-8. */
    void (*text)(una_canvas *canvas, const una_letters *letters, double x, double y, const char *text);
    void (*clip)(una_canvas *canvas, double left, double top, double width, double height);   /* one at a time */
    void (*unclip)(una_canvas *canvas);
};

/* ---- canvas_text.c: inks and text ---------------------------------------------------------------------------- */

enum { UNA_TEXT_ROOM = 256 };
#define UNA_TICK_SIZE  10.5      /* of letters, in px */
#define UNA_LABEL_SIZE 11.0
#define UNA_TITLE_SIZE 11.5
#define UNA_HAIR       0.75      /* the width of an axis */

una_rgb una_ink_rgb(una_ink ink);
/* Between UNA_INK_PART (share 0) and the ink (1). */
una_rgb una_ink_mixed(una_ink ink, double share);
/* "#rrggbb" */
const char *una_rgb_name(char name[8], una_rgb rgb);
/* The usual opacity of a shape. */
double una_shape_opacity(una_shape shape);
/* Upright, in the ink of text, and as `share` says. */
una_letters una_letters_of(double size, bool bold, double share);

/* How wide a valid text is; of any text what fits into `width`, and how much of that it needs; writing it. */
double una_text_width(const una_letters *letters, const char *text);
const char *una_text_fitted(const una_letters *letters, char buffer[UNA_TEXT_ROOM], const char *text, double width);
double una_text_needs(const una_letters *letters, const char *text, double width);
void una_text_write(una_canvas *canvas, const una_letters *letters, double x, double y, const char *text, double width);

/* For a font without raised digits: 10^-5 becomes 1e-5, 2 times it 2e-5. Never longer than before. */
void una_powers_lower(char *text);

void una_canvas_segment(una_canvas *canvas, double from_x, double from_y, double to_x, double to_y);
void una_canvas_rectangle(una_canvas *canvas, double x, double y, double width, double height);

/* ---- panel.c, parallel_axes.c: panels and keys ------------------------------------------------------------------ */

typedef struct una_frame { double left, top, width, height; } una_frame;         /* in px */

void una_panel_draw(una_canvas *canvas, const una_panel *panel, const una_frame *frame);
/* Where points with tips lie on it, as <circle>s with a <title> that are seen by the pointer alone. */
void una_panel_tips(una_text *out, const una_panel *panel, const una_frame *frame);
void una_key_draw(una_canvas *canvas, const una_key *key, double left, double middle, double width);
/* A panel with axes side by side (parallel_axes.c). */
void una_panel_draw_axes(una_canvas *canvas, const una_panel *panel, const una_frame *frame);
