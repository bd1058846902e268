/* SPDX-License-Identifier: MIT
 *
 * Included by pairs.h once with `real` float and once with double: no guard on purpose.
 */
struct REAL(una_pairs_kernels) {
    /* b = outer exp(inner a) for any inner a, exp to about 1 ulp in double; below -700 (float: -87) it is 0. n is a
     * multiple of UNA_PAD. */
    void (*exp)(size_t n, real inner, const real *a, real outer, real *b);
    /* out [n] = sum_d (a_d - b_dj)^2, a_d = a[d*a_step], b_d = b + d*b_stride; n is a multiple of UNA_PAD. */
    void (*distances)(size_t n, size_t count, const real *a, size_t a_step, const real *b, size_t b_stride, real *out);
    /* sum_d [UNA_PAD] += w_j (a_d - b_dj)^2, j taken in turn by the UNA_PAD places of sum_d = sum + d*UNA_PAD. */
    void (*weighted_distances)(size_t n, size_t count, const real *w, const real *a, size_t a_step, const real *b,
                               size_t b_stride, real *sum);
};
