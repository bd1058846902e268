/* SPDX-License-Identifier: MIT
 *
 * Power iteration of spectral.h; sums in double whatever the matrix is.
 */
#include "nn/spectral.h"

#include "kern/real.h"

#define SPECTRAL REAL(una_spectral)

/* Scales to unit length and returns the length; zero stays zero. */
static double normalise_vector(double *vector, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++) square += vector[i] * vector[i];
    double length = sqrt(square);
    for (size_t i = 0; length > 0 && i < n; i++) vector[i] /= length;
    return length;
}

void REAL(una_spectral_init)(SPECTRAL *s, size_t rows, size_t cols, size_t stride, una_rng *rng, una_arena *arena)
{
    size_t least = rows < cols ? rows : cols;
    *s = (SPECTRAL){ rows, cols, stride, UNA_GET(arena, double, rows), UNA_GET(arena, double, cols), NULL, NULL };
    if (rows != cols) s->gram = UNA_GET(arena, double, least * least), s->next = UNA_GET(arena, double, least);
    if (!s->u || !s->v) return;
    for (size_t i = 0; i < rows; i++) s->u[i] = una_rng_normal(rng);
    normalise_vector(s->u, rows);
}

double REAL(una_spectral_step)(SPECTRAL *s, const real *w)
{
    memset(s->v, 0, s->cols * sizeof *s->v);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->cols; j++) s->v[j] += s->u[i] * (double)w[i * s->stride + j];
    if (normalise_vector(s->v, s->cols) == 0) return 0;         /* W = 0: u must not be lost */
    for (size_t i = 0; i < s->rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->cols; j++) sum += (double)w[i * s->stride + j] * s->v[j];
        s->u[i] = sum;
    }
    return normalise_vector(s->u, s->rows);
}

/* The lower half of W'W, or of W W'; the other half is its mirror. */
static void take_gram(SPECTRAL *s, const real *w)
{
    bool tall = s->rows > s->cols;
    size_t n = tall ? s->cols : s->rows;
    double *restrict g = s->gram;
    memset(g, 0, n * n * sizeof *g);
    for (size_t i = 0; tall && i < s->rows; i++) {
        const real *restrict row = w + i * s->stride;
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k <= j; k++) g[j * n + k] += (double)row[j] * (double)row[k];
    }
    for (size_t j = 0; !tall && j < n; j++)
        for (size_t k = 0; k <= j; k++)
            for (size_t i = 0; i < s->cols; i++)
                g[j * n + k] += (double)w[j * s->stride + i] * (double)w[k * s->stride + i];
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < j; k++) g[k * n + j] = g[j * n + k];
}

static double gram_step(SPECTRAL *s, double *x, size_t n)
{
    memset(s->next, 0, n * sizeof *s->next);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++) s->next[k] += x[j] * s->gram[j * n + k];
    double length = normalise_vector(s->next, n);
    if (length > 0) memcpy(x, s->next, n * sizeof *x);
    return sqrt(length);
}

double REAL(una_spectral_norm)(SPECTRAL *s, const real *w)
{
    enum { MOST = 10000, STILL = 3 };
    bool tall = s->rows > s->cols;
    double sigma = REAL(una_spectral_step)(s, w);        /* v, and u of it, as W is now */
    if (s->gram) take_gram(s, w);
    for (int i = 1, still = 0; i < MOST && still < STILL; i++) {
        double now;
        if (!s->gram) now = REAL(una_spectral_step)(s, w);
        else now = tall ? gram_step(s, s->v, s->cols) : gram_step(s, s->u, s->rows);
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
