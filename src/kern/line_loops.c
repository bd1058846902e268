/* SPDX-License-Identifier: MIT
 *
 * Kernels for a ReLU layer of one input, which is a broken line: the contract is in kern_slots.h. Tables are built and
 * taken apart one unit at a time, in the order of the bends; a unit that is on nowhere among the points gets a gradient
 * of exactly zero. (At its bend itself a unit of negative slope counts as on.)
 */
#include "kern/sets.h"

#include "kern/eight.h"

#define LINE REAL(una_line)
#define STEPS REAL(una_line_steps)

#define EACH_EIGHT(j, width) for (size_t j = 0; j < (width); j += UNA_PAD)

/* to += by a */
static inline void line_add(size_t width, real by, const real *a, real *to)
{
    EACH_EIGHT(j, width) EIGHT(to, j) += by * EIGHT(a, j);
}

static inline real sum_of_eight(const eight *parts)
{
    const eight a = *parts;
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#if REAL_IS_FLOAT
typedef int32_t mask __attribute__((vector_size(UNA_PAD * sizeof(int32_t))));    /* of a comparison: true is -1 */
#else
typedef int64_t mask __attribute__((vector_size(UNA_PAD * sizeof(int64_t))));
#endif

/* Bends below each of n points, at most UNA_PAD of them. */
static inline void line_places(const LINE *line, size_t n, const real *x, uint16_t *place)
{
    eight at = {0};
    mask count = {0};
    for (size_t v = 0; v < n; v++) at[v] = x[v];
    for (size_t i = 0; i < line->units; i++) count -= (mask)(at > line->bend[i]);
    for (size_t v = 0; v < n; v++) place[v] = (uint16_t)count[v];
}

/* On below its bend; units without one stay as they are. */
static inline bool starts_on(const LINE *line, size_t unit)
{
    return line->w[unit] < 0 || (!(line->w[unit] > 0) && line->b[unit] > 0);
}

static void sort_bends(const LINE *line)
{
    real *restrict bend = line->bend;
    uint16_t *restrict unit = line->unit;

    for (size_t i = 0; i < line->units; i++) {
        const uint16_t now = unit[i];
        const real w = line->w[now], at = w < 0 || w > 0 ? -line->b[now] / w : (real)INFINITY;
        size_t place = i;
        for (; place > 0; place--) {
            bool after = bend[place - 1] > at || (bend[place - 1] >= at && unit[place - 1] > now);
            if (!after) break;
            bend[place] = bend[place - 1];
            unit[place] = unit[place - 1];
        }
        bend[place] = at;
        unit[place] = now;
    }
}

/* Row `to` of the tables becomes row `from` plus a unit if it is in. */
static inline void line_step(const LINE *line, size_t from, size_t to, size_t unit, bool in)
{
    size_t width = line->width;
    const real w = in ? line->w[unit] : 0, b = in ? line->b[unit] : 0, *above = line->above + unit * width;
    EACH_EIGHT(j, width) {
        EIGHT(line->slope, to * width + j) = EIGHT(line->slope, from * width + j) + w * EIGHT(above, j);
        EIGHT(line->offset, to * width + j) = EIGHT(line->offset, from * width + j) + b * EIGHT(above, j);
    }
}

/* Units that start off are added from below, the others from above: where nothing is on, the slope is exactly zero. */
static void line_make(const LINE *line, const real *bias)
{
    size_t width = line->width, sum = line->units + 1;           /* a row for the sum from above */
    sort_bends(line);
    memset(line->slope, 0, width * sizeof(real));
    memcpy(line->offset, bias, width * sizeof(real));
    memset(line->slope + sum * width, 0, width * sizeof(real));
    memset(line->offset + sum * width, 0, width * sizeof(real));
    for (size_t i = 0; i < line->units; i++) line_step(line, i, i + 1, line->unit[i], !starts_on(line, line->unit[i]));
    for (size_t i = line->units; i-- > 0;) {
        if (starts_on(line, line->unit[i])) line_step(line, sum, sum, line->unit[i], true);
        line_add(width, 1, line->slope + sum * width, line->slope + i * width);
        line_add(width, 1, line->offset + sum * width, line->offset + i * width);
    }
}

static void line_rows(const LINE *line, size_t rows, const real *x, uint16_t *place, real *z, real *h, real *d)
{
    const eight none = {0}, one = none + 1;
    size_t width = line->width;

    for (size_t r = 0; r < rows; r++) {
        const real at = x[r];
        if (r % UNA_PAD == 0) line_places(line, rows - r < UNA_PAD ? rows - r : UNA_PAD, x + r, place + r);
        const real *slope = line->slope + place[r] * width, *offset = line->offset + place[r] * width;
        EACH_EIGHT(j, width) {
            eight value = at * EIGHT(slope, j) + EIGHT(offset, j);
            mask on = (mask)(value > none);
            EIGHT(z, r * width + j) = value;
            EIGHT(h, r * width + j) = (eight)(on & (mask)value);
            EIGHT(d, r * width + j) = (eight)(on & (mask)one);
        }
    }
}

/* A step across a bend: the unit of it, the change of its slope along the step, and the derivatives of that change. */
typedef struct crossing { size_t unit; real change, by_w, by_b; } crossing;

static inline crossing line_cross(const LINE *line, size_t bend, bool upwards, real end, real inverse)
{
    size_t unit = line->unit[bend];
    real turn = upwards == (line->w[unit] > 0) ? inverse : -inverse;
    return (crossing){ unit, turn * (line->w[unit] * end + line->b[unit]), turn * end, turn };
}

static void line_slopes(const LINE *line, const STEPS *at, real *u)
{
    const size_t width = line->width, points = at->points;
    const uint16_t *place = at->place;
    const real *delta = at->delta, way = at->way;
    uint16_t *far = at->far;
    real far_end[UNA_PAD] = {0};

    for (size_t p = 0; p < points; p++, u += width) {
        if (p % UNA_PAD == 0) {
            size_t count = points - p < UNA_PAD ? points - p : UNA_PAD;
            for (size_t v = 0; v < count; v++) far_end[v] = at->x[p + v] + way * delta[p + v];
            line_places(line, count, far_end, far + p);
        }

        EACH_EIGHT(j, width) EIGHT(u, j) = way * EIGHT(line->slope, place[p] * width + j);
        const bool upwards = far[p] > place[p];
        for (size_t i = upwards ? place[p] : far[p], end = upwards ? far[p] : place[p]; i < end; i++) {
            crossing c = line_cross(line, i, upwards, far_end[p % UNA_PAD], 1 / delta[p]);
            line_add(width, c.change, line->above + c.unit * width, u);
        }
    }
}

static inline void line_cross_back(const LINE *line, const crossing *c, const real *g,
                                   const REAL(una_line_gradient) *to)
{
    size_t at = c->unit * line->width;
    eight sum = {0};
    EACH_EIGHT(j, line->width) {
        eight gj = EIGHT(g, j);
        sum += EIGHT(line->above, at + j) * gj;
        EIGHT(to->above, at + j) += c->change * gj;
    }
    real by = sum_of_eight(&sum);
    to->w[c->unit] += c->by_w * by;
    to->b[c->unit] += c->by_b * by;
}

static void line_slopes_back(const LINE *line, const STEPS *at, const real *g, const REAL(una_line_gradient) *to)
{
    const uint16_t *place = at->place, *far = at->far;
    const real *delta = at->delta;
    for (size_t p = 0; p < at->points; p++, g += line->width) {
        line_add(line->width, at->way, g, to->slope + place[p] * line->width);
        const bool upwards = far[p] > place[p];
        for (size_t i = upwards ? place[p] : far[p], end = upwards ? far[p] : place[p]; i < end; i++) {
            crossing c = line_cross(line, i, upwards, at->x[p] + at->way * delta[p], 1 / delta[p]);
            line_cross_back(line, &c, g, to);
        }
    }
}

static void line_rows_back(const LINE *line, size_t rows, const real *x, const uint16_t *place, const real *g,
                           const REAL(una_line_gradient) *to)
{
    size_t width = line->width;
    for (size_t r = 0; r < rows; r++) {
        const real at = x[r];
        real *slope = to->slope + place[r] * width, *offset = to->offset + place[r] * width;
        EACH_EIGHT(j, width) {
            EIGHT(slope, j) += at * EIGHT(g, r * width + j);
            EIGHT(offset, j) += EIGHT(g, r * width + j);
        }
    }
}

/* What a unit gets that is on where these sums are from. */
static inline void line_unit(const LINE *line, size_t unit, const real *slope, const real *offset,
                             const REAL(una_line_gradient) *to)
{
    size_t width = line->width;
    const real w = line->w[unit], b = line->b[unit], *above = line->above + unit * width;
    eight dw = {0}, db = {0};
    EACH_EIGHT(j, width) {
        dw += EIGHT(above, j) * EIGHT(slope, j);
        db += EIGHT(above, j) * EIGHT(offset, j);
        EIGHT(to->above, unit * width + j) += w * EIGHT(slope, j) + b * EIGHT(offset, j);
    }
    to->w[unit] += sum_of_eight(&dw);
    to->b[unit] += sum_of_eight(&db);
}

/* From below for units that start on, from above for the others: neither takes a difference of large sums. */
static void line_finish(const LINE *line, const REAL(una_line_gradient) *to)
{
    size_t width = line->width, units = line->units;
    real *slope = to->slope + (units + 1) * width, *offset = to->offset + (units + 1) * width;   /* the running sums */

    memset(slope, 0, width * sizeof(real));
    memset(offset, 0, width * sizeof(real));
    for (size_t i = 0; i < units; i++) {
        line_add(width, 1, to->slope + i * width, slope);
        line_add(width, 1, to->offset + i * width, offset);
        if (starts_on(line, line->unit[i])) line_unit(line, line->unit[i], slope, offset, to);
    }
    line_add(width, 1, offset, to->bias);
    line_add(width, 1, to->offset + units * width, to->bias);

    memset(slope, 0, width * sizeof(real));
    memset(offset, 0, width * sizeof(real));
    for (size_t i = units; i-- > 0;) {
        line_add(width, 1, to->slope + (i + 1) * width, slope);
        line_add(width, 1, to->offset + (i + 1) * width, offset);
        if (!starts_on(line, line->unit[i])) line_unit(line, line->unit[i], slope, offset, to);
    }
}

const REAL(una_line_kernels) SET(una_line_kernels) = {
    .make = line_make, .rows = line_rows, .slopes = line_slopes, .slopes_back = line_slopes_back,
    .rows_back = line_rows_back, .finish = line_finish
};
