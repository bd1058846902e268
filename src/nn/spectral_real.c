/* SPDX-License-Identifier: MIT
 *
 * Power iteration of spectral.h; sums in double whatever the matrix is.
 */
#include "nn/spectral.h"

#include <string.h>

#include "kern/real.h"

#define SPECTRAL REAL(una_spectral)

/* Scales to unit length and returns the length; zero stays zero. */
static double normalise(double *vector, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++) square += vector[i] * vector[i];
    double length = sqrt(square);
    for (size_t i = 0; length > 0 && i < n; i++) vector[i] /= length;
    return length;
}

void REAL(una_spectral_init)(SPECTRAL *s, size_t rows, size_t cols, size_t stride, una_rng *rng, una_arena *arena)
{
    *s = (SPECTRAL){ rows, cols, stride, UNA_GET(arena, double, rows), UNA_GET(arena, double, cols) };
    if (!s->u || !s->v) return;
    for (size_t i = 0; i < rows; i++) s->u[i] = una_rng_normal(rng);
    normalise(s->u, rows);
}

double REAL(una_spectral_step)(SPECTRAL *s, const real *w)
{
    memset(s->v, 0, s->cols * sizeof *s->v);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->cols; j++) s->v[j] += s->u[i] * (double)w[i * s->stride + j];
    if (normalise(s->v, s->cols) == 0) return 0;         /* W = 0: u must not be lost */
    for (size_t i = 0; i < s->rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->cols; j++) sum += (double)w[i * s->stride + j] * s->v[j];
        s->u[i] = sum;
    }
    return normalise(s->u, s->rows);
}

double REAL(una_spectral_norm)(SPECTRAL *s, const real *w)
{
    enum { MOST = 10000, STILL = 3 };
    double sigma = 0;
    for (int i = 0, still = 0; i < MOST && still < STILL; i++) {
        double now = REAL(una_spectral_step)(s, w);
        still = now <= sigma * (1 + 1e-14) ? still + 1 : 0;
        sigma = now;
    }
    return sigma;
}

void REAL(una_spectral_bound)(const SPECTRAL *s, double sigma, double c, real *w)
{
    if (!(sigma > c)) return;
    real factor = (real)(c / sigma);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->cols; j++) w[i * s->stride + j] *= factor;
}
