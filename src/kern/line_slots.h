/* SPDX-License-Identifier: MIT
 *
 * Included by line.h once with `real` float and once with double: no guard on purpose.
 */
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

struct REAL(una_line_kernels) {
    /* Sorts the bends and fills the tables; `bias` [width] is that of the layer above. */
    void (*make)(const REAL(una_line) *line, const real *bias);
    /* The layer above at rows x [rows]: z, h = relu(z), d = relu'(z) [rows, width]; place = bends below each. */
    void (*rows)(const REAL(una_line) *line, size_t rows, const real *x, uint16_t *place, real *z, real *h,
                 real *d);
    /* u [points, width] = (z(x + way delta) - z(x))/delta, `way` 1 or -1; far = bends below the ends. */
    void (*slopes)(const REAL(una_line) *line, size_t points, const real *x, const uint16_t *place,
                   const real *delta, real way, uint16_t *far, real *u);
    /* Given g = dP/du, adds to the tables' gradient, and for bends on the way to that of the parameters. */
    void (*slopes_back)(const REAL(una_line) *line, size_t points, const real *x, const uint16_t *place,
                        const uint16_t *far, const real *delta, real way, const real *g,
                        const REAL(una_line_gradient) *to);
    /* Given g = dL/dz, adds to the tables' gradient. */
    void (*rows_back)(const REAL(una_line) *line, size_t rows, const real *x, const uint16_t *place, const real *g,
                      const REAL(una_line_gradient) *to);
    /* From the gradient of the tables to that of the parameters. */
    void (*finish)(const REAL(una_line) *line, const REAL(una_line_gradient) *to);
};
