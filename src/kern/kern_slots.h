/* SPDX-License-Identifier: MIT
 *
 * Included by kern.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_slopes_kernels) REAL(una_slopes_kernels);
typedef struct REAL(una_fans_kernels) REAL(una_fans_kernels);
typedef struct REAL(una_line_kernels) REAL(una_line_kernels);
typedef struct REAL(una_pairs_kernels) REAL(una_pairs_kernels);
typedef struct REAL(una_density_kernels) REAL(una_density_kernels);
typedef struct REAL(una_sparse_kernels) REAL(una_sparse_kernels);
typedef struct REAL(una_channels_kernels) REAL(una_channels_kernels);

typedef struct REAL(una_kernels) {
    const char *name;

    /* What one owner alone calls, in a table of its own beside its contract; of the same set. */
    const REAL(una_slopes_kernels) *slopes;      /* slopes.h:  nn/slopes_real.c, nn/diversity_real.c                */
    const REAL(una_fans_kernels) *fans;          /* fans.h:    nn/fans_real.c                                       */
    const REAL(una_line_kernels) *line;          /* line.h:    nn/line_real.c                                       */
    const REAL(una_pairs_kernels) *pairs;        /* pairs.h:   gp/pairs.c                                           */
    const REAL(una_density_kernels) *density;    /* density.h: densities that are sampled                           */
    const REAL(una_sparse_kernels) *sparse;      /* sparse.h:  bayesopt/softmax.c                                      */
    const REAL(una_channels_kernels) *channels;  /* channels.h: nn/conv_real.c, nn/conv_plain_real.c                */

    /* C [m, n] = A B, or += if add. A(i, p) = a[i*a_row + p*a_col] (so A may be read transposed), B [k, b_stride],
     * C [m, c_stride]; n is a multiple of UNA_PAD. Each c is summed over p in order: the same bits in any block. */
    void (*product)(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b,
                    size_t b_stride, real *c, size_t c_stride, bool add);

    /* C [n, n] += A'A for A [rows, a_stride], on and below the diagonal (above it may or may not be updated). */
    void (*gram)(size_t rows, size_t n, const real *a, size_t a_stride, real *c, size_t c_stride);

    /* z += bias (per row), h = act(z), d = act'(z), dd = act''(z) if not NULL; [rows, width] contiguous. */
    void (*activate)(una_activation act, size_t rows, size_t width, const real *bias, real *z, real *h, real *d,
                     real *dd);

    /* f [rows, stride] becomes 2 weight (f - t), t [rows, t_stride] per head, or [rows] for all (t_stride 0); columns
     * from `heads` on become 0, stride is UNA_PADDED(heads). Returns weight sum (f - t)^2. */
    double (*residual)(size_t rows, size_t heads, size_t stride, double weight, const real *t, size_t t_stride,
                       real *f);

    void (*multiply)(size_t n, const real *a, real *b);                          /* b *= a                        */
    void (*add)(size_t n, const real *a, real *b);                               /* b += a                        */
    void (*scale)(size_t n, real factor, const real *a, real *b);                /* b = factor a                  */
    void (*add_rows)(size_t rows, size_t width, const real *a, real *sum);       /* sum [width] += column sums    */
    void (*transpose)(size_t rows, size_t columns, const real *a, size_t a_stride, real *t, size_t t_stride);
    double (*ridge)(size_t n, real factor, const real *a, real *b);    /* b = factor a; sum of a^2, in double */

    /* n normals times std, none nearer to zero than least: Philox of (key, counter + i) through Box-Muller, four
     * numbers a block of words, sixteen blocks side by side, in float whatever `real` is.
     * The first n of more are the same. */
    void (*normals)(size_t n, const uint32_t key[2], const uint32_t counter[4], float std, float least, real *out);

    /* One Adam step over a contiguous block; c1, c2 = 1 - beta^t. */
    void (*adam)(size_t n, real *p, real *m, real *v, const real *g, real rate, real beta1, real beta2, real c1,
                 real c2);
    /* Momentum (0 = plain gradient descent): v = momentum v + g, p -= rate v. */
    void (*descend)(size_t n, real *p, real *v, const real *g, real rate, real momentum);
} REAL(una_kernels);

/* By name: "auto" (or NULL), "generic", "avx2", "avx512"; NULL if unknown or if this machine cannot run it. */
const REAL(una_kernels) *REAL(una_kernels_named)(const char *name);
