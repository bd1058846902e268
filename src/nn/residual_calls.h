/* SPDX-License-Identifier: MIT
 *
 * Included by residual.h once with `real` float and once with double: no guard on purpose.
 */
/* Random Fourier features of h [rows, padded(width)]: S ~ N(0, 1/lengthscale^2) [width, padded(features)], p ~ U(0, 2
 * pi) [padded(features)], stored a quarter turn on: cosines are taken as sines. */
typedef struct REAL(una_fourier) {
    size_t width, features;
    const real *s, *p;
    const REAL(una_kernels) *kernels;
} REAL(una_fourier);

/* The padding is left alone. */
void REAL(una_fourier_draw)(size_t width, size_t features, double lengthscale, una_rng *rng, real *s, real *p);
/* phi [rows, padded(features)] = sqrt(2/features) cos(h S + p) and d, its derivative by h S. z [rows, padded(features)]
 * is work. */
void REAL(una_fourier_of)(const REAL(una_fourier) *map, size_t rows, const real *h, real *z, real *phi, real *d);
