/* SPDX-License-Identifier: MIT
 *
 * Included by channels.h once with `real` float and once with double: no guard on purpose.
 */
struct REAL(una_channels_kernels) {
    /* sum [c] += sum of x, square [c] += sum of x^2, for x [n, c]. */
    void (*moments)(size_t n, size_t c, const real *x, double *sum, double *square);
    /* y = scale x + shift (each [c]), plus skip [n, c] unless NULL, and then max(0, y) if rectify. y may be x. */
    void (*normalise)(size_t n, size_t c, const real *x, const real *scale, const real *shift, const real *skip,
                      bool rectify, real *y);
    /* g = 0 where y <= 0 (y NULL: nowhere); then sum [c] += sum of g, cross [c] += sum of g (x - centre). */
    void (*back_moments)(size_t n, size_t c, const real *y, const real *x, const real *centre, real *g, double *sum,
                         double *cross);
    /* dx = p g + q x + r (each [c]); q NULL: dx = p g. dx may be g. */
    void (*back_normalise)(size_t n, size_t c, const real *g, const real *x, const real *p, const real *q,
                           const real *r, real *dx);

    /* Windows of one map as rows of u [places, stride]: kernel x kernel x channels numbers each, 0 beyond the edge and
     * up to the stride. back: adds rows of u to the map's places. */
    void (*unfold)(const una_windows *at, const real *map, real *u, size_t stride);
    void (*fold)(const una_windows *at, const real *u, size_t stride, real *map);

    /* The largest number of every window of one map, and which of its places has it; back: the map's whole gradient. */
    void (*pool)(const una_windows *at, const real *map, real *most, unsigned char *which);
    void (*pool_back)(const una_windows *at, const real *g, const unsigned char *which, real *map);
    /* phi [c] = mean of x [n, c]; back: dx [n, c] = dphi/n. */
    void (*mean)(size_t n, size_t c, const real *x, real *phi);
    void (*mean_back)(size_t n, size_t c, const real *dphi, real *dx);
};
