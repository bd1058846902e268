/* SPDX-License-Identifier: MIT
 *
 * Included by fans.h once with `real` float and once with double: no guard on purpose.
 */
struct REAL(una_fans_kernels) {
    /* C = (M, from the units of `in` to those of `out`) A: c_j = sum_k m[in_k in_step + out_j out_step] a_k. */
    void (*product)(size_t lanes, const uint16_t *in, const real *a, const real *m, size_t in_step, size_t out_step,
                    const uint16_t *out, real *c);
    /* C [.., c_stride] (rows_i, columns_j) += a_i . b_j; columns are below n. `lower`: as in gram. flat [n + 1, lanes]
     * is work, all zero at first; the first lanes stay so. */
    void (*outer)(size_t directions, size_t lanes, const uint16_t *rows, const real *a, const uint16_t *columns,
                  const real *b, size_t n, bool lower, real *flat, real *c, size_t c_stride);
    /* sum [unit, lanes] += a_i for the units of a list. */
    void (*add)(size_t lanes, const uint16_t *list, const real *a, real *sum);
    /* step = delta and inverse = 1/delta [lanes], padding zero; returns the longest step. */
    real (*steps)(size_t directions, size_t lanes, const real *delta, real *step, real *inverse);
    /* Units that may be on somewhere: z + longest reach > 0. */
    void (*candidates)(size_t units, const real *z, const real *reach, real longest, uint16_t *list);
    /* s = (relu(z + step u) - relu(z)) inverse of the candidates among `units`, u a fan of each (by_unit: of each unit
     * there is). Those that are on somewhere are listed. Those that cross the kink on some step are said to bend: their
     * e is 1 where they end on, the s of the others is u. s has room for one fan more than there are candidates. */
    void (*relu)(size_t lanes, size_t units, const real *step, const real *inverse, const real *z,
                 const uint16_t *candidates, const real *u, bool by_unit, uint16_t *list, real *s, real *e);
    /* Its derivative: given g = dP/ds of the listed units, dz [unit] += g (e - relu'(z)) inverse summed
     * over lanes, g becomes g e. */
    void (*relu_back)(size_t lanes, size_t units, const real *inverse, const real *z, const uint16_t *list,
                      const real *e, real *g, real *dz);
};
