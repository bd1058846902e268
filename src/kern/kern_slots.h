/* SPDX-License-Identifier: MIT
 *
 * Included by kern.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_shallow) { const real *w, *b, *v; real c; } REAL(una_shallow);
typedef struct REAL(una_shallow_gradient) { real *w, *b, *v, *c; } REAL(una_shallow_gradient);

/* A ReLU layer of one input, seen from the layer above it, is a broken line: each unit has a bend, at -b/w, and between
 * two bends z = x slope_k + offset_k, k the number of bends below x. Tables of this and of its gradient stand for the
 * products of both layers, at a cost that does not grow with the points. */
typedef struct REAL(una_line) {
    size_t units, width;                 /* of the layer; columns of the one above, padded                  */
    const real *w, *b, *above;           /* [units] each; weights of the layer above [units, width]         */
    real *bend;                          /* [units] ascending, infinite for units without one               */
    uint16_t *unit;                      /* [units] whose they are; equal ones by number. At first any order */
    real *slope, *offset;                /* [units + 2, width]; the last is work                            */
} REAL(una_line);

typedef struct REAL(una_line_gradient) {
    real *slope, *offset;                /* [units + 2, width] of the tables, zero at first                 */
    real *w, *b, *above, *bias;          /* of the parameters; added to                                     */
} REAL(una_line_gradient);

typedef struct REAL(una_kernels) {
    const char *name;

    /* C [m, n] = A B, or += if add. A(i, p) = a[i*a_row + p*a_col] (so A may be read transposed), B [k, b_stride],
     * C [m, c_stride]; n is a multiple of UNA_PAD. Each c is summed over p in order: the same bits in any block. */
    void (*product)(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b,
                    size_t b_stride, real *c, size_t c_stride, bool add);

    /* C [n, n] += A'A for A [rows, a_stride], on and below the diagonal (above it may or may not be updated). */
    void (*gram)(size_t rows, size_t n, const real *a, size_t a_stride, real *c, size_t c_stride);

    /* Fans: the slopes of one point along all directions, a row of `lanes` = UNA_PADDED(directions) for each unit of a
     * list (UNA_LISTED below), padding zero. C = (M, from the units of `in` to those of `out`) A:
     * c_j = sum_k m[in_k in_step + out_j out_step] a_k. */
    void (*fan_product)(size_t lanes, const uint16_t *in, const real *a, const real *m, size_t in_step, size_t out_step,
                        const uint16_t *out, real *c);
    /* C [.., c_stride] (rows_i, columns_j) += a_i . b_j; columns are below n. `lower`: as in gram. flat [n + 1, lanes]
     * is work, all zero at first; the first lanes stay so. */
    void (*fan_outer)(size_t directions, size_t lanes, const uint16_t *rows, const real *a, const uint16_t *columns,
                      const real *b, size_t n, bool lower, real *flat, real *c, size_t c_stride);
    /* sum [unit, lanes] += a_i for the units of a list. */
    void (*fan_add)(size_t lanes, const uint16_t *list, const real *a, real *sum);
    /* step = delta and inverse = 1/delta [lanes], padding zero; returns the longest step. */
    real (*fan_steps)(size_t directions, size_t lanes, const real *delta, real *step, real *inverse);
    /* Units that may be on somewhere: z + longest reach > 0. */
    void (*fan_candidates)(size_t units, const real *z, const real *reach, real longest, uint16_t *list);
    /* s = (relu(z + step u) - relu(z)) inverse of the candidates among `units`, u a fan of each (by_unit: of each unit
     * there is). Those that are on somewhere are listed. Those that cross the kink on some step are said to bend: their
     * e is 1 where they end on, the s of the others is u. s has room for one fan more than there are candidates. */
    void (*fan_relu)(size_t lanes, size_t units, const real *step, const real *inverse, const real *z,
                     const uint16_t *candidates, const real *u, bool by_unit, uint16_t *list, real *s, real *e);
    /* Its derivative: given g = dP/ds of the listed units, dz [unit] += g (e - relu'(z)) inverse summed
     * over lanes, g becomes g e. */
    void (*fan_relu_back)(size_t lanes, size_t units, const real *inverse, const real *z, const uint16_t *list,
                          const real *e, real *g, real *dz);

    /* Sorts the bends and fills the tables; `bias` [width] is that of the layer above. */
    void (*line_make)(const REAL(una_line) *line, const real *bias);
    /* The layer above at rows x [rows]: z, h = relu(z), d = relu'(z) [rows, width]; place = bends below each. */
    void (*line_rows)(const REAL(una_line) *line, size_t rows, const real *x, uint16_t *place, real *z, real *h,
                      real *d);
    /* u [points, width] = (z(x + way delta) - z(x))/delta, `way` 1 or -1; far = bends below the ends. */
    void (*line_slopes)(const REAL(una_line) *line, size_t points, const real *x, const uint16_t *place,
                        const real *delta, real way, uint16_t *far, real *u);
    /* Given g = dP/du, adds to the tables' gradient, and for bends on the way to that of the parameters. */
    void (*line_slopes_back)(const REAL(una_line) *line, size_t points, const real *x, const uint16_t *place,
                             const uint16_t *far, const real *delta, real way, const real *g,
                             const REAL(una_line_gradient) *to);
    /* Given g = dL/dz, adds to the tables' gradient. */
    void (*line_rows_back)(const REAL(una_line) *line, size_t rows, const real *x, const uint16_t *place, const real *g,
                           const REAL(una_line_gradient) *to);
    /* From the gradient of the tables to that of the parameters. */
    void (*line_finish)(const REAL(una_line) *line, const REAL(una_line_gradient) *to);

    /* z += bias (per row), h = act(z), d = act'(z), dd = act''(z) if not NULL; [rows, width] contiguous. */
    void (*activate)(una_activation act, size_t rows, size_t width, const real *bias, real *z, real *h, real *d,
                     real *dd);

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
    /* f [rows, stride] becomes 2 weight (f - t), t [rows, t_stride] per head, or [rows] for all (t_stride 0); columns
     * from `heads` on become 0, stride is UNA_PADDED(heads). Returns weight sum (f - t)^2. */
    double (*residual)(size_t rows, size_t heads, size_t stride, double weight, const real *t, size_t t_stride,
                       real *f);

    /* A network of one hidden layer and one head, in one pass: with h = act(w'x + b), f = v'h + c for each row, adds
     * the gradient of weight sum (f - y)^2 to dw, db, dv, dc and returns it. x [rows, inputs], y [rows]; w, dw [inputs,
     * width], b, db, v, dv [width] (v zero in the padding); work [2 UNA_SHALLOW_ROWS, width].
     * Rows are summed in order. */
    double (*shallow)(una_activation act, size_t rows, size_t inputs, size_t width, const real *x, const real *y,
                      double weight, REAL(una_shallow) at, REAL(una_shallow_gradient) gradient, real *work);

    void (*multiply)(size_t n, const real *a, real *b);                          /* b *= a                        */
    void (*add)(size_t n, const real *a, real *b);                               /* b += a                        */
    void (*scale)(size_t n, real factor, const real *a, real *b);                /* b = factor a                  */
    void (*add_rows)(size_t rows, size_t width, const real *a, real *sum);       /* sum [width] += column sums    */
    void (*transpose)(size_t rows, size_t columns, const real *a, size_t a_stride, real *t, size_t t_stride);
    double (*ridge)(size_t n, real factor, const real *a, real *b);    /* b = factor a; sum of a^2, in double */

    /* b = outer exp(inner a) for any inner a, exp to about 1 ulp in double; below -700 (float: -87) it is 0. n is a
     * multiple of UNA_PAD. */
    void (*exp)(size_t n, real inner, const real *a, real outer, real *b);
    /* out [n] = sum_d (a_d - b_dj)^2, a_d = a[d*a_step], b_d = b + d*b_stride; n is a multiple of UNA_PAD. */
    void (*distances)(size_t n, size_t count, const real *a, size_t a_step, const real *b, size_t b_stride, real *out);
    /* sum_d [UNA_PAD] += w_j (a_d - b_dj)^2, j taken in turn by the UNA_PAD places of sum_d = sum + d*UNA_PAD. */
    void (*weighted_distances)(size_t n, size_t count, const real *w, const real *a, size_t a_step, const real *b,
                               size_t b_stride, real *sum);

    /* Sweeps the first `count` rows of a symmetric matrix a [n, stride], of which the lower part is read and written
     * (what stands above the diagonal is lost): [A, b; b', c] becomes [-A^-1, .; b'A^-1, c - b'A^-1 b] (Goodnight, A
     * tutorial on the sweep operator, 1979). stride is a multiple of UNA_PAD, column [stride] is work, zero from n on.
     * Returns log|A|, NAN if A is not positive definite. */
    double (*sweep)(size_t n, size_t count, size_t stride, real *a, real *column);

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
