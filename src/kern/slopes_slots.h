/* SPDX-License-Identifier: MIT
 *
 * Included by slopes.h once with `real` float and once with double: no guard on purpose.
 */
struct REAL(una_slopes_kernels) {
    /* Secant slopes: s = (act(z + delta u) - act(z))/delta, e = act'(z + delta u). z, h [points, width]; delta
     * [points, directions]; u [points or 1, directions, width] with u_point the step from point to point (0:
     * shared). */
    void (*secant)(una_activation act, una_slope_shape shape, const real *z, const real *h, const real *d,
                   const real *u, size_t u_point, const real *delta, real *s, real *e);
    /* Its derivative: given g = dP/ds, dz += g (e - act'(z))/delta summed over directions, g becomes dP/du = g e. */
    void (*secant_back)(una_slope_shape shape, const real *d, const real *e, const real *delta, real *g, real *dz);

    /* Exact slopes: s = act'(z) u;  dz += g act''(z) u, g becomes g act'(z). */
    void (*tangent)(una_slope_shape shape, const real *d, const real *u, size_t u_point, real *s);
    void (*tangent_back)(una_slope_shape shape, const real *d, const real *dd, const real *u, size_t u_point, real *g,
                         real *dz);

    /* P = sum_{i<j} S_ij^2/(q_i q_j) for S [heads, stride], q its diagonal, and K = scale dP/dS-like as in
     * diversity_real.c; inverse [heads] is work. Heads with q = 0 take no part. */
    double (*similarity)(size_t heads, size_t stride, const real *s, double scale, real *k, double *inverse);
};
