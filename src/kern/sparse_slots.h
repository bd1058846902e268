/* SPDX-License-Identifier: MIT
 *
 * Included by sparse.h once with `real` float and once with double: no guard on purpose.
 */
struct REAL(una_sparse_kernels) {
    /* out [UNA_SPARSE_WIDTH] += sum_i value_i w[index_i], w [., UNA_SPARSE_WIDTH]; in a fixed order. */
    void (*combine)(size_t count, const uint16_t *index, const real *value, const real *w, real *out);
    /* g[index_i] += value_i d for d [UNA_SPARSE_WIDTH]; no index stands twice. */
    void (*spread)(size_t count, const uint16_t *index, const real *value, const real *d, real *g);
    /* w = shrink w - rate g, and g = 0; n is a multiple of UNA_PAD. */
    void (*step)(size_t n, real shrink, real rate, real *w, real *g);
};
