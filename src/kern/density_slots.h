/* SPDX-License-Identifier: MIT
 *
 * Included by density.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_shallow) { const real *w, *b, *v; real c; } REAL(una_shallow);
typedef struct REAL(una_shallow_gradient) { real *w, *b, *v, *c; } REAL(una_shallow_gradient);

struct REAL(una_density_kernels) {
    /* A network of one hidden layer and one head, in one pass: with h = act(w'x + b), f = v'h + c for each row, adds
     * the gradient of weight sum (f - y)^2 to dw, db, dv, dc and returns it. x [rows, inputs], y [rows]; w, dw [inputs,
     * width], b, db, v, dv [width] (v zero in the padding); work [2 UNA_SHALLOW_ROWS, width].
     * Rows are summed in order. */
    double (*shallow)(una_activation act, size_t rows, size_t inputs, size_t width, const real *x, const real *y,
                      double weight, REAL(una_shallow) at, REAL(una_shallow_gradient) gradient, real *work);

    /* Sweeps the first `count` rows of a symmetric matrix a [n, stride], of which the lower part is read and written
     * (what stands above the diagonal is lost): [A, b; b', c] becomes [-A^-1, .; b'A^-1, c - b'A^-1 b] (Goodnight, A
     * tutorial on the sweep operator, 1979). stride is a multiple of UNA_PAD, column [stride] is work, zero from n on.
     * Returns log|A|, NAN if A is not positive definite. */
    double (*sweep)(size_t n, size_t count, size_t stride, real *a, real *column);
};
