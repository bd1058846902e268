/* SPDX-License-Identifier: MIT
 *
 * Included by residual.h once with `real` float and once with double: no guard on purpose.
 */
/* frozen [net->frozen]: A ~ N(0, 1/width), which keeps lengths on average, S ~ N(0, 1/lengthscale^2), p ~ U(0, 2 pi);
 * parameters: W ~ N(0, 1/(4 width)), the rest zero. p is stored a quarter turn on: cosines are taken as sines. */
void REAL(una_residual_initialise)(const una_residual *net, double lengthscale, una_rng *rng, real *frozen,
                                   real *parameters);

typedef struct REAL(una_residual_work) REAL(una_residual_work);
/* For batches of at most `rows` rows (forward passes may have more). */
una_status REAL(una_residual_work_new)(REAL(una_residual_work) **work, const una_residual *net, const real *frozen,
                                       size_t rows, const REAL(una_kernels) *kernels, una_arena *arena);

/* fit_weight sum (t - f)^2 + penalty |parameters|^2 and its gradient for x [rows, inputs], t [rows]. */
void REAL(una_residual_gradient)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                                 const real *t, size_t rows, double fit_weight, double penalty, real *gradient,
                                 una_losses *losses, REAL(una_residual_work) *work);
/* phi [rows, stride] (columns beyond the features untouched), f [rows]; either may be NULL. A row's bits do not depend
 * on its neighbours. */
void REAL(una_residual_forward)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                                size_t rows, double *phi, size_t stride, double *f, REAL(una_residual_work) *work);
/* The last layer, before the Fourier features: h [rows, stride], `width` columns of it. */
void REAL(una_residual_last)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                             size_t rows, double *h, size_t stride, REAL(una_residual_work) *work);
/* At one point: h [width] (may be NULL) and its slopes j [inputs, width]. */
void REAL(una_residual_last_slopes)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                                    double *h, double *j, REAL(una_residual_work) *work);
/* At one point: phi [features] (may be NULL) and its slopes j [inputs, features]. */
void REAL(una_residual_slopes)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                               double *phi, double *j, REAL(una_residual_work) *work);
/* S ~ N(0, 1/lengthscale^2) [width, padded(features)] and p, stored a quarter turn on. The padding is left alone. */
void REAL(una_fourier_draw)(size_t width, size_t features, double lengthscale, una_rng *rng, real *s, real *p);
/* phi [rows, padded(features)] = sqrt(2/features) cos(h S + p) and d, its derivative by h S, for h [rows,
 * padded(width)]; p as stored. z [rows, padded(features)] is work. */
void REAL(una_fourier)(size_t rows, size_t width, size_t features, const real *h, const real *s, const real *p,
                       real *z, real *phi, real *d, const REAL(una_kernels) *kernels);
