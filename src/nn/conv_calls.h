/* SPDX-License-Identifier: MIT
 *
 * Included by conv.h once with `real` float and once with double: no guard on purpose.
 */
/* How convolutions are computed: by windows and products (conv_plain_real.c, everywhere), or by oneDNN (conv_dnnl.c, in
 * float, where una was built with it and it is installed). The rows of a batch are cut into pieces, each with its own work buffers: several
 * pieces may run at the same time, and sums over them are made in their order. */
typedef struct REAL(una_conv_ops) REAL(una_conv_ops);
struct REAL(una_conv_ops) {
    /* Weights of convolution c as the other calls need them: first, whenever parameters have changed. */
    void (*weights)(REAL(una_conv_ops) *ops, size_t c, const real *parameters);
    /* Maps of the first `rows` rows; beyond them, up to the most that a piece has, maps may be written, too. */
    void (*forward)(REAL(una_conv_ops) *ops, size_t piece, size_t c, const real *in, real *out, size_t rows);
    void (*back)(REAL(una_conv_ops) *ops, size_t piece, size_t c, const real *dout, real *din, size_t rows);
    /* The gradient of the weights by this piece; dout is zero beyond `rows`. */
    void (*learn)(REAL(una_conv_ops) *ops, size_t piece, size_t c, const real *in, const real *dout, size_t rows);
    /* Its sum over all pieces, added where c has its weights. */
    void (*collect)(REAL(una_conv_ops) *ops, size_t c, real *gradient);
};

typedef struct REAL(una_conv_ops_size) {
    const una_conv *net;
    size_t pieces, rows;                 /* rows of the largest piece                                       */
    bool   learns;                       /* false: forward and back alone                                   */
    const REAL(una_kernels) *kernels;
} REAL(una_conv_ops_size);

/* Both live as long as the memory of the arena. */
una_status REAL(una_conv_plain_new)(REAL(una_conv_ops) **ops, const REAL(una_conv_ops_size) *size, una_arena *arena);
una_status REAL(una_conv_dnnl_new)(REAL(una_conv_ops) **ops, const REAL(una_conv_ops_size) *size, una_arena *arena);
