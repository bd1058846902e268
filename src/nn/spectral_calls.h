/* SPDX-License-Identifier: MIT
 *
 * Included by spectral.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_spectral) {
    size_t rows, cols, stride;                   /* of W [rows, stride], cols of them used              */
    double *u, *v;                               /* [rows], [cols], unit length                         */
    double *gram, *next;                         /* of the shorter side; NULL: W is square              */
} REAL(una_spectral);

/* Random unit vectors; memory from the arena (check it). */
void   REAL(una_spectral_init)(REAL(una_spectral) *s, size_t rows, size_t cols, size_t stride, una_rng *rng,
                               una_arena *arena);
/* One iteration: an estimate of sigma from below. */
double REAL(una_spectral_step)(REAL(una_spectral) *s, const real *w);
/* Iterations until sigma stands still; where W is not square, on W'W or W W', whichever is smaller: convolutions have
 * many rows, and many iterations go into their last digits. */
double REAL(una_spectral_norm)(REAL(una_spectral) *s, const real *w);
/* W <- c W/sigma if sigma > c. */
void   REAL(una_spectral_bound)(const REAL(una_spectral) *s, double sigma, double c, real *w);
