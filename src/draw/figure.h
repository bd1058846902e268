/* SPDX-License-Identifier: MIT
 *
 * Figures for print and screen: panels in a grid, thin axes, a few shapes, colours that colour-blind readers can
 * tell apart. Deep blue is what the model says, orange is what it does not know, greys are data and noise.
 *
 * A figure only collects; it borrows the arrays it is given, which must outlive the drawing. Everything else lives
 * in its arena, whose sticky failure is checked when the figure is drawn. Values that are not finite are skipped.
 * The drawing depends on nothing but what was collected: same figure, same bytes (of PDF and PNG with the same fonts).
 */
#pragma once

#include "base/base.h"

#define UNA_MOST_POINTS 3000     /* longer series are thinned evenly, so that files stay small */
#define UNA_MOST_LINES  400      /* and so are bundles                                         */
#define UNA_MOST_TIPS   400      /* of a series, spread evenly                                 */

typedef enum una_ink {
    UNA_INK_MODEL, UNA_INK_IGNORANCE, UNA_INK_NOISE, UNA_INK_DATA, UNA_INK_PART, UNA_INK_SECOND, UNA_INK_THIRD,
    UNA_INK_FOURTH, UNA_INK_AXIS, UNA_INK_TEXT, UNA_INK_COUNT
} una_ink;

typedef enum una_shape {
    UNA_SHAPE_BAND,              /* filled between y and y2                                        */
    UNA_SHAPE_LINE,
    UNA_SHAPE_DASHES,
    UNA_SHAPE_POINTS,
    UNA_SHAPE_RANGES,            /* an upright line from y to y2 at each x                          */
    UNA_SHAPE_RUG,               /* a small mark on the axis at each x                              */
    UNA_SHAPE_BARS,              /* a lying bar from 0 to x at each y                               */
    UNA_SHAPE_SPANS,             /* a lying line from x to y2 at each y                             */
    UNA_SHAPE_DIAGONAL           /* y = x across the panel; no arrays                               */
} una_shape;

typedef struct una_series {
    una_shape     shape;
    una_ink       ink;
    const double *x, *y, *y2;    /* [count]; y NULL for rugs; y2 for bands and ranges               */
    size_t        count;
    double        size;          /* width of lines, diameter of points; 0 = usual                   */
    double        opacity;       /* 0 = usual                                                       */
    const char   *label;         /* written at the right end of a line; NULL = none                 */
    const double *shade;         /* [count] of points, 0 (as UNA_INK_PART) to 1 (the ink); NULL: 1  */
    const char *const *tips;     /* [count] of points on a page: shown under the pointer; NULL: none */
} una_series;

typedef struct una_look {        /* of a series                                                         */
    una_shape shape;
    una_ink   ink;
    double    size, opacity;     /* 0 = usual                                                           */
} una_look;

typedef struct una_axis {
    const char *label;
    double      low, high;       /* the range shown; low == high takes it from the series           */
    const char *const *names;    /* words at 1, 2 ... in place of numbers; NULL: none               */
    size_t      name_count;
    bool        log;             /* shown by logarithms; what is not above 0 is outside             */
    una_date_writer *date;       /* of days, which are written so; NULL: numbers                    */
} una_axis;

typedef struct una_bundle {      /* lines across axes that stand side by side                       */
    una_ink       ink;
    const double *at;            /* [count, axes]; a line is broken where a value is not finite     */
    size_t        count;
    double        size, opacity; /* 0 = usual                                                       */
} una_bundle;

typedef struct una_panel {
    una_arena  *arena;
    const char *title;
    una_axis    x, y;
    una_series *series;
    size_t      count, room;             /* here and below: of which so many, in memory for so many   */
    double     *strip_x, *strip_y;       /* density of the data, drawn between the plot and its axis */
    size_t      strip_count;
    size_t      span;                    /* of the grid's columns; 0 = 1                            */
    double      height;                  /* 0 = the figure's                                        */
    const una_axis *axes;                /* NULL: x and y; else parallel coordinates, with bundles only */
    size_t      axis_count;
    una_bundle *bundles;
    size_t      bundle_count, bundle_room;
} una_panel;

typedef struct una_key { una_shape shape; una_ink ink; const char *label; } una_key;

enum { UNA_MOST_PANELS = 64 };

typedef struct una_figure {
    una_arena *arena;
    size_t     columns;
    double     panel_width, panel_height;                /* in px of 1/96 inch                      */
    una_panel *panels[UNA_MOST_PANELS];
    size_t     panel_count;
    una_key   *keys;
    size_t     key_count, key_room;
} una_figure;

una_figure una_figure_in(una_arena *arena, size_t columns, double panel_width, double panel_height);
/* NULL without memory or room; the calls below accept that. Labels may be NULL. */
una_panel *una_figure_panel(una_figure *figure, const char *title, const char *x_label, const char *y_label);
void una_figure_key(una_figure *figure, una_shape shape, una_ink ink, const char *label);
void una_panel_add(una_panel *panel, una_series series);
/* The same, for what most series are: y at each x, or from `low` to `high` at each x (of spans: from x to `high` at each
 * y, which is `low`). A label is written at the right end of the series that was added last. */
void una_panel_plot(una_panel *panel, una_look look, const double *x, const double *y, size_t count);
void una_panel_between(una_panel *panel, una_look look, const double *x, const double *low, const double *high,
                       size_t count);
void una_panel_label(una_panel *panel, const char *label);
/* A straight line from one place to another, and a filled field. */
void una_panel_segment(una_panel *panel, una_look look, double from_x, double from_y, double to_x, double to_y);
void una_panel_field(una_panel *panel, una_look look, una_axis x, una_axis y);
/* What both axes show. Nothing without a panel. */
void una_panel_show(una_panel *panel, double left, double right, double bottom, double top);
/* Upright axes side by side, each with its own range, for lines that cross all of them: parallel coordinates. Values
 * beyond a range are drawn at its end. `axes` is borrowed. */
una_panel *una_figure_axes(una_figure *figure, const char *title, const una_axis *axes, size_t count);
void una_panel_bundle(una_panel *panel, una_bundle bundle);      /* the last is on top */
/* Where between the ends of its axis (0 and 1) a value is; NAN for NAN. */
double una_axis_place(const una_axis *axis, double value);
/* A range and a share of it more on both sides; (0, 0), which the series decide, where there is none. */
una_axis una_axis_around(double low, double high, double share);
/* The density of `values` along x, as a grey strip under the plot. */
void una_panel_strip(una_panel *panel, const double *values, size_t count);
/* Widens [*low, *high] to the finite ones of `values`; start with INFINITY, -INFINITY. */
void una_range_add(double *low, double *high, const double *values, size_t count);
/* From the least finite one to the largest; 0 where there is none. */
double una_reach_of(const double *values, size_t count);
/* The value below which a share of the finite values lies; `values` is put in order. NAN if there is none. */
double una_quantile(double *values, size_t count, double share);

typedef enum una_format { UNA_FORMAT_SVG, UNA_FORMAT_PDF, UNA_FORMAT_PNG } una_format;

/* Adds the bytes of a whole file. */
una_status una_figure_draw(una_text *out, const una_figure *figure, una_format format, una_run *run);
/* Adds one panel as an <svg> element for an HTML page. `id` begins every id inside and must be unique on the page;
 * title and description are escaped here. */
void una_figure_inline(una_text *out, const una_figure *figure, size_t panel, const char *id, const char *title,
                       const char *description);
