/* SPDX-License-Identifier: MIT
 *
 * Maps of channels: the contract is in kern_slots.h.
 */
#include "kern/sets.h"

/* Sums of so many numbers, of so many channels, are taken in `real`, and those of all in double. */
enum { RUN = 64, WIDE = 64 };

/* sum += sum of g, cross += sum of g (x - centre). Behind a normalisation g is zero where y is (NULL: nowhere); centre
 * NULL: zero. Always inlined, so that each caller has the loops that it needs. */
static inline void gather_moments(una_map_shape map, const real *y, const real *x, const real *restrict centre, real *g,
                                  REAL(una_moments) to)
{
    const size_t n = map.n, c = map.channels;
    for (size_t from = 0; from < n; from += RUN)
        for (size_t j = 0; j < c; j += WIDE) {
            size_t rows = UNA_MIN(RUN, n - from), wide = UNA_MIN(WIDE, c - j);
            real s[WIDE] = {0}, q[WIDE] = {0};
            for (size_t i = 0; i < rows; i++) {
                size_t at = (from + i) * c + j;
                const real *restrict xi = x + at, *yi = y ? y + at : NULL;
                real *restrict gi = g + at;
                for (size_t k = 0; yi && k < wide; k++) gi[k] = yi[k] > 0 ? gi[k] : 0;
                for (size_t k = 0; k < wide; k++) {
                    s[k] += gi[k];
                    q[k] += gi[k] * (centre ? xi[k] - centre[j + k] : xi[k]);
                }
            }
            for (size_t k = 0; k < wide; k++) {
                to.sum[j + k] += (double)s[k];
                to.cross[j + k] += (double)q[k];
            }
        }
}

static void channel_moments(una_map_shape map, const real *x, REAL(una_moments) to)
{
    gather_moments(map, NULL, x, NULL, (real *)x, to);
}

static void back_moments(una_map_shape map, const real *y, const real *x, const real *centre, real *g,
                         REAL(una_moments) to)
{
    gather_moments(map, y, x, centre, g, to);
}

static void normalise_channels(una_map_shape map, const real *x, const REAL(una_norm) *norm, const real *skip,
                               bool rectify, real *y)
{
    const size_t n = map.n, c = map.channels;
    const real *restrict scale = norm->scale, *restrict shift = norm->shift;
    const real floor = rectify ? 0 : -(real)INFINITY;
    for (size_t i = 0; i < n; i++) {
        const real *at = x + i * c, *by = skip ? skip + i * c : NULL;
        real *to = y + i * c;
        if (by)
            for (size_t j = 0; j < c; j++) {
                real v = scale[j] * at[j] + shift[j] + by[j];
                to[j] = v > floor ? v : floor;
            }
        else
            for (size_t j = 0; j < c; j++) {
                real v = scale[j] * at[j] + shift[j];
                to[j] = v > floor ? v : floor;
            }
    }
}

static void back_normalise(una_map_shape map, const real *g, const real *x, const REAL(una_norm) *norm, real *dx)
{
    const size_t n = map.n, c = map.channels;
    const real *restrict p = norm->p, *restrict q = norm->q, *restrict r = norm->r;
    for (size_t i = 0; i < n; i++) {
        const real *gi = g + i * c;
        real *to = dx + i * c;
        if (x)
            for (size_t j = 0; j < c; j++) to[j] = p[j] * gi[j] + q[j] * x[i * c + j] + r[j];
        else
            for (size_t j = 0; j < c; j++) to[j] = p[j] * gi[j];
    }
}

/* ---- windows ---------------------------------------------------------------------------------------------------- */

/* Columns of the kernel that lie on the map, for a window whose first column is `left` places from the map's. */
typedef struct span { size_t from, to; } span;
static inline span on_map(const una_windows *at, size_t place, size_t size)
{
    size_t start = place * at->stride;
    span s = { start < at->pad ? at->pad - start : 0, UNA_MIN(at->kernel, size + at->pad - start) };
    if (s.to < s.from) s.to = s.from;
    return s;
}

static void unfold_windows(const una_windows *at, const real *map, real *u, size_t stride)
{
    size_t c = at->in_channels, whole = at->kernel * at->kernel * c;
    for (size_t oy = 0; oy < at->out_height; oy++)
        for (size_t ox = 0; ox < at->out_width; ox++, u += stride) {
            span rows = on_map(at, oy, at->in_height), cols = on_map(at, ox, at->in_width);
            if (rows.to - rows.from < at->kernel || cols.to - cols.from < at->kernel || stride > whole)
                memset(u, 0, stride * sizeof *u);
            for (size_t ky = rows.from; ky < rows.to; ky++) {
                size_t y = oy * at->stride + ky - at->pad, x = ox * at->stride + cols.from - at->pad;
                memcpy(u + (ky * at->kernel + cols.from) * c, map + (y * at->in_width + x) * c,
                       (cols.to - cols.from) * c * sizeof *u);
            }
        }
}

static void fold_windows(const una_windows *at, const real *u, size_t stride, real *map)
{
    size_t c = at->in_channels;
    for (size_t oy = 0; oy < at->out_height; oy++)
        for (size_t ox = 0; ox < at->out_width; ox++, u += stride) {
            span rows = on_map(at, oy, at->in_height), cols = on_map(at, ox, at->in_width);
            for (size_t ky = rows.from; ky < rows.to; ky++) {
                size_t y = oy * at->stride + ky - at->pad, x = ox * at->stride + cols.from - at->pad;
                const real *restrict from = u + (ky * at->kernel + cols.from) * c;
                real *restrict to = map + (y * at->in_width + x) * c;
                for (size_t k = 0; k < (cols.to - cols.from) * c; k++) to[k] += from[k];
            }
        }
}

static void pool_windows(const una_windows *at, const real *map, real *most, unsigned char *which)
{
    size_t c = at->in_channels;
    for (size_t oy = 0; oy < at->out_height; oy++)
        for (size_t ox = 0; ox < at->out_width; ox++, most += c, which += c) {
            span rows = on_map(at, oy, at->in_height), cols = on_map(at, ox, at->in_width);
            for (size_t j = 0; j < c; j++) most[j] = -(real)INFINITY;
            for (size_t ky = rows.from; ky < rows.to; ky++)
                for (size_t kx = cols.from; kx < cols.to; kx++) {
                    size_t y = oy * at->stride + ky - at->pad, x = ox * at->stride + kx - at->pad;
                    const real *restrict from = map + (y * at->in_width + x) * c;
                    unsigned char place = (unsigned char)(ky * at->kernel + kx);
                    for (size_t j = 0; j < c; j++) {
                        which[j] = from[j] > most[j] ? place : which[j];
                        most[j] = from[j] > most[j] ? from[j] : most[j];
                    }
                }
        }
}

static void pool_back(const una_windows *at, const real *g, const unsigned char *which, real *map)
{
    size_t c = at->in_channels;
    memset(map, 0, at->in_height * at->in_width * c * sizeof *map);
    for (size_t oy = 0; oy < at->out_height; oy++)
        for (size_t ox = 0; ox < at->out_width; ox++, g += c, which += c)
            for (size_t j = 0; j < c; j++) {
                size_t y = oy * at->stride + which[j] / at->kernel - at->pad;
                size_t x = ox * at->stride + which[j] % at->kernel - at->pad;
                map[(y * at->in_width + x) * c + j] += g[j];
            }
}

static void mean_of_places(una_map_shape map, const real *x, real *phi)
{
    const size_t n = map.n, c = map.channels;
    const real share = 1 / (real)n;
    memset(phi, 0, c * sizeof *phi);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < c; j++) phi[j] += x[i * c + j];
    for (size_t j = 0; j < c; j++) phi[j] *= share;
}

static void mean_back(una_map_shape map, const real *dphi, real *dx)
{
    const size_t n = map.n, c = map.channels;
    const real share = 1 / (real)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < c; j++) dx[i * c + j] = share * dphi[j];
}

const REAL(una_channels_kernels) SET(una_channels_kernels) = {
    .moments = channel_moments, .normalise = normalise_channels, .back_moments = back_moments,
        .back_normalise = back_normalise,
    .unfold = unfold_windows, .fold = fold_windows, .pool = pool_windows, .pool_back = pool_back,
        .mean = mean_of_places, .mean_back = mean_back
};
