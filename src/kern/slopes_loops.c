/* SPDX-License-Identifier: MIT
 *
 * Slopes through activations, and the similarity of heads: the contract is in slopes_slots.h.
 */
#include "kern/slopes.h"
#include "kern/sets.h"

#include "kern/activation.h"

/* Slopes of tanh for steps so short that tanh of the step is a short fraction n/m (Lambert's):
 * tanh(z + step) - tanh z = d n/(m + h n). */
static inline bool short_steps(size_t width, real by, const real *restrict u)
{
    int far = 0;
    for (size_t j = 0; j < width; j++) far |= !(fabs(by * u[j]) < (real)1.2);
    return !far;
}

static void tanh_short(size_t width, real by, const real *restrict h, const real *restrict d, const real *restrict u,
                       real *restrict s, real *restrict e)
{
    const real inverse = 1 / by;
    for (size_t j = 0; j < width; j++) {
        real step = by * u[j], y = step * step;
        real n = step * (10395 + y * (1260 + y * 21)), m = 10395 + y * (4725 + y * (210 + y));
        real rise = d[j] * n / (m + h[j] * n);
        s[j] = rise * inverse;
        e[j] = d[j] - rise * (2 * h[j] + rise);
    }
}

static void secant_slopes(una_activation act, una_slope_shape shape, const real *z, const real *h, const real *d,
                          const real *u, size_t u_point, const real *delta, real *s, real *e)
{
    size_t width = shape.width;
    for (size_t p = 0; p < shape.points; p++)
        for (size_t k = 0; k < shape.directions; k++) {
            size_t row = p * shape.directions + k;
            const real by = delta[row], inverse = 1 / by;
            const real *restrict zp = z + p * width, *restrict hp = h + p * width, *restrict dp = d + p * width;
            const real *restrict uk = u + p * u_point + k * width;
            real *restrict sk = s + row * width, *restrict ek = e + row * width;

            if (REAL_IS_FLOAT && act == UNA_TANH && short_steps(width, by, uk)) {
                tanh_short(width, by, hp, dp, uk, sk, ek);
                continue;
            }
            switch (act) {
#define SECANT(code, name, how)                                                \
    case code:                                                                 \
        for (size_t j = 0; j < width; j++) {                                   \
            real step = by * uk[j];                                            \
            chord c = name##_chord((ends){ zp[j], hp[j], dp[j], zp[j] + step, uk[j], step, inverse }); \
            sk[j] = c.slope;                                                   \
            ek[j] = c.end;                                                     \
        }                                                                      \
        break;
            UNA_ACTIVATION_LIST(SECANT)
            }
        }
}

static void secant_back(una_slope_shape shape, const real *d, const real *e, const real *delta, real *g, real *dz)
{
    size_t width = shape.width;
    for (size_t p = 0; p < shape.points; p++)
        for (size_t k = 0; k < shape.directions; k++) {
            size_t row = p * shape.directions + k;
            const real inverse = 1 / delta[row];
            const real *restrict dp = d + p * width, *restrict ek = e + row * width;
            real *restrict gk = g + row * width, *restrict dzp = dz + p * width;
            for (size_t j = 0; j < width; j++) {
                dzp[j] += gk[j] * (ek[j] - dp[j]) * inverse;
                gk[j] *= ek[j];
            }
        }
}

static void tangent_slopes(una_slope_shape shape, const real *d, const real *u, size_t u_point, real *s)
{
    size_t width = shape.width;
    for (size_t p = 0; p < shape.points; p++)
        for (size_t k = 0; k < shape.directions; k++) {
            const real *restrict dp = d + p * width, *restrict uk = u + p * u_point + k * width;
            real *restrict sk = s + (p * shape.directions + k) * width;
            for (size_t j = 0; j < width; j++) sk[j] = dp[j] * uk[j];
        }
}

static void tangent_back(una_slope_shape shape, const real *d, const real *dd, const real *u, size_t u_point, real *g,
                         real *dz)
{
    size_t width = shape.width;
    for (size_t p = 0; p < shape.points; p++)
        for (size_t k = 0; k < shape.directions; k++) {
            const real *restrict dp = d + p * width, *restrict ddp = dd + p * width;
            const real *restrict uk = u + p * u_point + k * width;
            real *restrict gk = g + (p * shape.directions + k) * width, *restrict dzp = dz + p * width;
            for (size_t j = 0; j < width; j++) {
                dzp[j] += gk[j] * ddp[j] * uk[j];
                gk[j] *= dp[j];
            }
        }
}

/* In double: products of four slopes overflow a float soon. Row by row, so that the compiler can vectorise. */
static double head_similarity(size_t heads, size_t stride, const real *restrict s, double by, real *restrict k,
                              double *restrict inverse)
{
    double sum = 0;
    for (size_t i = 0; i < heads; i++) {
        double q = (double)s[i * stride + i];
        inverse[i] = q > 0 ? 1 / q : 0;
    }

    for (size_t i = 0; i < heads; i++) {
        const real *restrict si = s + i * stride;
        real *restrict ki = k + i * stride;
        double part[8] = {0}, mine = inverse[i];
        size_t j = 0;
        for (; j + 8 <= heads; j += 8)
            for (size_t v = 0; v < 8; v++) {
                double slope = (double)si[j + v] * inverse[j + v] * mine;
                part[v] += slope * (double)si[j + v];
                ki[j + v] = (real)(2 * by * slope);
            }
        for (; j < heads; j++) {
            double slope = (double)si[j] * inverse[j] * mine;
            part[0] += slope * (double)si[j];
            ki[j] = (real)(2 * by * slope);
        }

        double others = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
        others -= (double)si[i] * mine * mine * (double)si[i];   /* a head with itself */
        sum += others;
        ki[i] = (real)(-2 * by * others * mine);
    }
    return sum / 2;
}

const REAL(una_slopes_kernels) SET(una_slopes_kernels) = {
    .secant = secant_slopes, .secant_back = secant_back, .tangent = tangent_slopes, .tangent_back = tangent_back,
    .similarity = head_similarity
};
