/* SPDX-License-Identifier: MIT
 *
 * Panels and keys on canvas. Inside src/report only.
 */
#pragma once

#include "draw/canvas.h"

typedef struct una_frame { double left, top, width, height; } una_frame;         /* in px */

void una_panel_draw(una_canvas *canvas, const una_panel *panel, const una_frame *frame);
/* Where points with tips lie on it, as <circle>s with a <title> that are seen by the pointer alone. */
void una_panel_tips(una_text *out, const una_panel *panel, const una_frame *frame);
void una_key_draw(una_canvas *canvas, const una_key *key, double left, double middle, double width);
/* A panel with axes side by side (axes.c). */
void una_panel_draw_axes(una_canvas *canvas, const una_panel *panel, const una_frame *frame);
