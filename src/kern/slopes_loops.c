/* SPDX-License-Identifier: MIT
 *
 * Slopes through activations, and the similarity of heads: the contract is in kern_slots.h.
 */
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

static void secant_slopes(una_activation act, const REAL(una_slope_rows) *at)
{
    const size_t width = at->shape.width, directions = at->shape.directions;
    for (size_t p = 0; p < at->shape.points; p++)
        for (size_t k = 0; k < directions; k++) {
            size_t row = p * directions + k;
            const real by = at->delta[row], inverse = 1 / by;
            const real *restrict zp = at->z + p * width, *restrict hp = at->h + p * width, *restrict dp = at->d + p * width;
            const real *restrict uk = at->u + p * at->u_point + k * width;
            real *restrict sk = at->s + row * width, *restrict ek = at->e + row * width;

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

static void secant_back(const REAL(una_slope_rows) *at, real *g)
{
    const size_t width = at->shape.width, directions = at->shape.directions;
    for (size_t p = 0; p < at->shape.points; p++)
        for (size_t k = 0; k < directions; k++) {
            size_t row = p * directions + k;
            const real inverse = 1 / at->delta[row];
            const real *restrict dp = at->d + p * width, *restrict ek = at->e + row * width;
            real *restrict gk = g + row * width, *restrict dzp = at->dz + p * width;
            for (size_t j = 0; j < width; j++) {
                dzp[j] += gk[j] * (ek[j] - dp[j]) * inverse;
                gk[j] *= ek[j];
            }
        }
}

static void tangent_slopes(const REAL(una_slope_rows) *at)
{
    const size_t width = at->shape.width, directions = at->shape.directions;
    for (size_t p = 0; p < at->shape.points; p++)
        for (size_t k = 0; k < directions; k++) {
            const real *restrict dp = at->d + p * width, *restrict uk = at->u + p * at->u_point + k * width;
            real *restrict sk = at->s + (p * directions + k) * width;
            for (size_t j = 0; j < width; j++) sk[j] = dp[j] * uk[j];
        }
}

static void tangent_back(const REAL(una_slope_rows) *at, real *g)
{
    const size_t width = at->shape.width, directions = at->shape.directions;
    for (size_t p = 0; p < at->shape.points; p++)
        for (size_t k = 0; k < directions; k++) {
            const real *restrict dp = at->d + p * width, *restrict ddp = at->dd + p * width;
            const real *restrict uk = at->u + p * at->u_point + k * width;
            real *restrict gk = g + (p * directions + k) * width, *restrict dzp = at->dz + p * width;
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
