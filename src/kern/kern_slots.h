/* SPDX-License-Identifier: MIT
 *
 * Included by kern.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_factor) { const real *at; size_t row, col; } REAL(una_factor);     /* element (i, p) stands at
                                                                                              i row + p col          */
typedef struct REAL(una_product) { real *at; size_t stride; bool add; } REAL(una_product); /* add: to what is there  */

static inline REAL(una_factor) REAL(una_factor_of)(const real *at, size_t row, size_t col)
{
    return (REAL(una_factor)){ at, row, col };
}

static inline REAL(una_product) REAL(una_product_at)(real *at, size_t stride, bool add)
{
    return (REAL(una_product)){ at, stride, add };
}

/* ---- slopes: through activations and back, and the similarity of heads whose slopes they are --------------------- */

typedef struct REAL(una_slope_rows) {
    una_slope_shape shape;
    const real *z, *h, *d, *dd;          /* [points, width] before and after the activation, its derivatives; dd:
                                            tangents alone                                                  */
    const real *u;                       /* [points or 1, directions, width] before the activation          */
    size_t      u_point;                 /* the step of u from point to point; 0: shared                    */
    const real *delta;                   /* [points, directions]; secants alone                             */
    real       *s, *e;                   /* after it, and act' at the far ends (secants)                    */
    real       *dz;                      /* back: what the slopes add to the gradient at z [points, width]  */
} REAL(una_slope_rows);

typedef struct REAL(una_slopes_kernels) {
    /* Secant slopes: s = (act(z + delta u) - act(z))/delta, e = act'(z + delta u). */
    void (*secant)(una_activation act, const REAL(una_slope_rows) *rows);
    /* Its derivative: given g = dP/ds, dz += g (e - act'(z))/delta summed over directions, g becomes dP/du = g e. */
    void (*secant_back)(const REAL(una_slope_rows) *rows, real *g);

    /* Exact slopes: s = act'(z) u;  dz += g act''(z) u, g becomes g act'(z). */
    void (*tangent)(const REAL(una_slope_rows) *rows);
    void (*tangent_back)(const REAL(una_slope_rows) *rows, real *g);

    /* P = sum_{i<j} S_ij^2/(q_i q_j) for S [heads, stride], q its diagonal, and K = scale dP/dS-like as in
     * diversity_real.c; inverse [heads] is work. Heads with q = 0 take no part. */
    double (*similarity)(size_t heads, size_t stride, const real *s, double scale, real *k, double *inverse);
} REAL(una_slopes_kernels);

/* ---- fans: the slopes of one point along all directions, a row of `lanes` = UNA_PADDED(directions) for each unit of a
 * list, padding zero ----------------------------------------------------------------------------------------------- */

typedef struct REAL(una_fans) { const uint16_t *list; const real *at; } REAL(una_fans);    /* units and their fans   */

typedef struct REAL(una_fan_layer) {     /* a layer at one probe                                            */
    size_t lanes, units;
    const real *step, *inverse;          /* delta and 1/delta [lanes], padding zero                         */
    const real *z;                       /* [units]                                                         */
    uint16_t   *list;                    /* units that are on somewhere                                     */
    real       *e;                       /* a fan for each that bends: 1 where it ends on                   */
} REAL(una_fan_layer);

typedef struct REAL(una_fans_kernels) {
    /* C = (M, from the units of `in` to those of `out`) A: c_j = sum_k m(in_k, out_j) a_k. */
    void (*product)(size_t lanes, REAL(una_fans) in, REAL(una_factor) m, const uint16_t *out, real *c);
    /* C [.., n] (rows_i, columns_j) += a_i . b_j; columns are below n. `lower`: as in gram. flat [n + 1, lanes] is work,
     * all zero at first; the first lanes stay so. */
    void (*outer)(size_t directions, REAL(una_fans) rows, REAL(una_fans) columns, size_t n, bool lower, real *flat,
                  real *c);
    /* sum [unit, lanes] += a_i for the units of a list. */
    void (*add)(size_t lanes, REAL(una_fans) fans, real *sum);
    /* step = delta and inverse = 1/delta [lanes], padding zero; returns the longest step. */
    real (*steps)(size_t directions, size_t lanes, const real *delta, real *step, real *inverse);
    /* Units that may be on somewhere: z + longest reach > 0. */
    void (*candidates)(size_t units, const real *z, const real *reach, real longest, uint16_t *list);
    /* s = (relu(z + step u) - relu(z)) inverse of the candidates among the units, u a fan of each (by_unit: of each unit
     * there is). Those that are on somewhere are listed. Those that cross the kink on some step are said to bend: their
     * e is 1 where they end on, the s of the others is u. s has room for one fan more than there are candidates. */
    void (*relu)(const REAL(una_fan_layer) *layer, const uint16_t *candidates, const real *u, bool by_unit, real *s);
    /* Its derivative: given g = dP/ds of the listed units, dz [unit] += g (e - relu'(z)) inverse summed
     * over lanes, g becomes g e. */
    void (*relu_back)(const REAL(una_fan_layer) *layer, real *g, real *dz);
} REAL(una_fans_kernels);

/* ---- a ReLU layer of one input: seen from the layer above it, it is a broken line: each unit has a bend, at -b/w, and
 * between two bends z = x slope_k + offset_k, k the number of bends below x. Tables of this and of its gradient stand
 * for the products of both layers, at a cost that does not grow with the points ------------------------------------- */

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

typedef struct REAL(una_line_steps) {    /* from points x along the line                                    */
    size_t points;
    const real *x, *delta;               /* [points]                                                        */
    real way;                            /* 1 or -1                                                         */
    const uint16_t *place;               /* bends below each point                                          */
    uint16_t *far;                       /* and below the ends, which `slopes` finds                        */
} REAL(una_line_steps);

typedef struct REAL(una_line_kernels) {
    /* Sorts the bends and fills the tables; `bias` [width] is that of the layer above. */
    void (*make)(const REAL(una_line) *line, const real *bias);
    /* The layer above at rows x [rows]: z, h = relu(z), d = relu'(z) [rows, width]; place = bends below each. */
    void (*rows)(const REAL(una_line) *line, size_t rows, const real *x, uint16_t *place, real *z, real *h,
                 real *d);
    /* u [points, width] = (z(x + way delta) - z(x))/delta. */
    void (*slopes)(const REAL(una_line) *line, const REAL(una_line_steps) *steps, real *u);
    /* Given g = dP/du, adds to the tables' gradient, and for bends on the way to that of the parameters. */
    void (*slopes_back)(const REAL(una_line) *line, const REAL(una_line_steps) *steps, const real *g,
                        const REAL(una_line_gradient) *to);
    /* Given g = dL/dz, adds to the tables' gradient. */
    void (*rows_back)(const REAL(una_line) *line, size_t rows, const real *x, const uint16_t *place, const real *g,
                      const REAL(una_line_gradient) *to);
    /* From the gradient of the tables to that of the parameters. */
    void (*finish)(const REAL(una_line) *line, const REAL(una_line_gradient) *to);
} REAL(una_line_kernels);

/* ---- pairs of points --------------------------------------------------------------------------------------------- */

typedef struct REAL(una_pair_rows) {     /* a point and n others, coordinate by coordinate                  */
    size_t n, count;                     /* n: a multiple of UNA_PAD; count of the coordinates              */
    const real *a, *b;                   /* a_d = a[d a_step], b_dj = b[d b_stride + j]                     */
    size_t a_step, b_stride;
} REAL(una_pair_rows);

typedef struct REAL(una_pairs_kernels) {
    /* b = outer exp(inner a) for any inner a, exp to about 1 ulp in double; below -700 (float: -87) it is 0. n is a
     * multiple of UNA_PAD. */
    void (*exp)(size_t n, real inner, const real *a, real outer, real *b);
    /* out [n] = sum_d (a_d - b_dj)^2. */
    void (*distances)(const REAL(una_pair_rows) *pairs, real *out);
    /* sum_d [UNA_PAD] += w_j (a_d - b_dj)^2, j taken in turn by the UNA_PAD places of sum_d = sum + d*UNA_PAD. */
    void (*weighted_distances)(const REAL(una_pair_rows) *pairs, const real *w, real *sum);
} REAL(una_pairs_kernels);

/* ---- densities that are sampled, where a gradient is asked for thousands of times: a small network in one pass, and
 * the heads of a larger one integrated out ------------------------------------------------------------------------- */

typedef struct REAL(una_shallow) {       /* a network of one hidden layer and one head                      */
    una_activation act;
    size_t inputs, width;
    const real *w, *b, *v;               /* [inputs, width], [width], [width] (v zero in the padding)       */
    real c;
} REAL(una_shallow);
typedef struct REAL(una_shallow_gradient) { real *w, *b, *v, *c; } REAL(una_shallow_gradient);

typedef struct REAL(una_density_kernels) {
    /* In one pass: with h = act(w'x + b), f = v'h + c for each row, adds the gradient of weight sum (f - y)^2 and returns
     * it. x [rows, inputs], y [rows]; work [2 UNA_SHALLOW_ROWS, width]. Rows are summed in order. */
    double (*shallow)(const REAL(una_shallow) *at, size_t rows, const real *x, const real *y, double weight,
                      const REAL(una_shallow_gradient) *gradient, real *work);

    /* Sweeps the first `count` rows of a symmetric matrix a [n, stride], of which the lower part is read and written
     * (what stands above the diagonal is lost): [A, b; b', c] becomes [-A^-1, .; b'A^-1, c - b'A^-1 b] (Goodnight, A
     * tutorial on the sweep operator, 1979). stride is a multiple of UNA_PAD, column [stride] is work, zero from n on.
     * Returns log|A|, NAN if A is not positive definite. */
    double (*sweep)(size_t n, size_t count, size_t stride, real *a, real *column);
} REAL(una_density_kernels);

/* ---- maps of channels: batch normalisation there and back, windows of a map as rows of a matrix, pooling --------- */

typedef struct REAL(una_norm) {          /* of a normalisation, each [channels]                             */
    real *scale, *shift;                 /* y = scale x + shift                                             */
    real *mean;
    real *p, *q, *r;                     /* dx = p g + q x + r                                              */
} REAL(una_norm);

typedef struct REAL(una_moments) { double *sum, *cross; } REAL(una_moments);       /* each [channels], added to      */

typedef struct REAL(una_channels_kernels) {
    /* sum += sum of x, cross += sum of x^2, for x [n, channels]. */
    void (*moments)(una_map_shape map, const real *x, REAL(una_moments) to);
    /* y = scale x + shift, plus skip [n, channels] unless NULL, and then max(0, y) if rectify. y may be x. */
    void (*normalise)(una_map_shape map, const real *x, const REAL(una_norm) *norm, const real *skip, bool rectify,
                      real *y);
    /* g = 0 where y <= 0 (y NULL: nowhere); then sum += sum of g, cross += sum of g (x - centre), centre [channels]. */
    void (*back_moments)(una_map_shape map, const real *y, const real *x, const real *centre, real *g,
                         REAL(una_moments) to);
    /* dx = p g + q x + r; x NULL: dx = p g. dx may be g. */
    void (*back_normalise)(una_map_shape map, const real *g, const real *x, const REAL(una_norm) *norm, real *dx);

    /* Windows of one map as rows of u [places, stride]: kernel x kernel x channels numbers each, 0 beyond the edge and
     * up to the stride. back: adds rows of u to the map's places. */
    void (*unfold)(const una_windows *at, const real *map, real *u, size_t stride);
    void (*fold)(const una_windows *at, const real *u, size_t stride, real *map);

    /* The largest number of every window of one map, and which of its places has it; back: the map's whole gradient. */
    void (*pool)(const una_windows *at, const real *map, real *most, unsigned char *which);
    void (*pool_back)(const una_windows *at, const real *g, const unsigned char *which, real *map);
    /* phi [channels] = mean of x [n, channels]; back: dx [n, channels] = dphi/n. */
    void (*mean)(una_map_shape map, const real *x, real *phi);
    void (*mean_back)(una_map_shape map, const real *dphi, real *dx);
} REAL(una_channels_kernels);

/* ---- what several rooms call ------------------------------------------------------------------------------------- */

typedef struct REAL(una_activated) {     /* rows of a layer, each [rows, width]                             */
    real *z, *h, *d, *dd;                /* before and after the activation, its derivatives; dd may be NULL */
} REAL(una_activated);

typedef struct REAL(una_adam) { real rate, beta1, beta2, c1, c2; } REAL(una_adam);         /* c = 1 - beta^t         */

typedef struct REAL(una_kernels) {
    const char *name;
#define UNA_FAMILY_TABLE(family) const REAL(una_##family##_kernels) *family;
    UNA_KERNEL_FAMILIES(UNA_FAMILY_TABLE)
#undef UNA_FAMILY_TABLE

    /* C [m, n] = A B, or += if it says so, for A [m, k] and B [k, n], by UNA_ROWS and its like; B's rows are contiguous,
     * n is a multiple of UNA_PAD. Each c is summed over k in order: the same bits in any block. */
    void (*product)(size_t m, size_t n, size_t k, REAL(una_factor) a, REAL(una_factor) b, REAL(una_product) c);

    /* C [n, n] += A'A for A [rows, a_stride], on and below the diagonal (above it may or may not be updated). */
    void (*gram)(size_t rows, size_t n, const real *a, size_t a_stride, real *c, size_t c_stride);

    /* z += bias (per row), h = act(z), d = act'(z), dd = act''(z) if not NULL; [rows, width] contiguous. */
    void (*activate)(una_activation act, size_t rows, size_t width, const real *bias, REAL(una_activated) layer);

    /* f [rows, UNA_PADDED(heads)] becomes 2 weight (f - t), t [rows, t_stride] per head, or [rows] for all (t_stride 0);
     * columns from `heads` on become 0. Returns weight sum (f - t)^2. */
    double (*residual)(size_t rows, size_t heads, double weight, const real *t, size_t t_stride, real *f);

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

    /* One Adam step over a contiguous block. */
    void (*adam)(size_t n, real *p, real *m, real *v, const real *g, const REAL(una_adam) *how);
    /* Momentum (0 = plain gradient descent): v = momentum v + g, p -= rate v. */
    void (*descend)(size_t n, real *p, real *v, const real *g, real rate, real momentum);
} REAL(una_kernels);

/* By name: "auto" (or NULL), "generic", "avx2", "avx512"; NULL if unknown or if this machine cannot run it. */
const REAL(una_kernels) *REAL(una_kernels_named)(const char *name);
