/* SPDX-License-Identifier: MIT
 *
 * Element-wise kernels in plain C, shared by the reference and the fast sets: the loops are simple enough for the
 * compiler to vectorise for the instruction set at hand. Every activation is given by value, first and second derivative.
 */
#include "kern/real.h"

#include <math.h>
#include <tgmath.h>

#define LEAK ((real)0.01)

static inline real sigmoid_of(real z) { return 1 / (1 + exp(-z)); }

static inline real relu_0(real z) { return z > 0 ? z : 0; }
static inline real relu_1(real z) { return z > 0 ? 1 : 0; }
static inline real relu_2(real z) { (void)z; return 0; }
static inline real tanh_0(real z) { return tanh(z); }
static inline real tanh_1(real z) { real t = tanh(z); return 1 - t * t; }
static inline real tanh_2(real z) { real t = tanh(z); return -2 * t * (1 - t * t); }
static inline real leaky_0(real z) { return z > 0 ? z : LEAK * z; }
static inline real leaky_1(real z) { return z > 0 ? 1 : LEAK; }
static inline real leaky_2(real z) { (void)z; return 0; }
static inline real elu_0(real z) { return z > 0 ? z : expm1(z); }
static inline real elu_1(real z) { return z > 0 ? 1 : exp(z); }
static inline real elu_2(real z) { return z > 0 ? 0 : exp(z); }
static inline real softplus_0(real z) { return (z > 0 ? z : 0) + log1p(exp(-fabs(z))); }
static inline real softplus_1(real z) { return sigmoid_of(z); }
static inline real softplus_2(real z) { real s = sigmoid_of(z); return s * (1 - s); }
static inline real silu_0(real z) { return z * sigmoid_of(z); }
static inline real silu_1(real z) { real s = sigmoid_of(z); return s * (1 + z * (1 - s)); }
static inline real silu_2(real z) { real s = sigmoid_of(z); return s * (1 - s) * (2 + z * (1 - 2 * s)); }
static inline real sin_0(real z) { return sin(z); }
static inline real sin_1(real z) { return cos(z); }
static inline real sin_2(real z) { return -sin(z); }

/* (act(z + step) - act(z))/delta with step = delta u, h = act(z), t = z + step. Written so that nothing cancels where
 * the two pieces are linear (relu, leaky) or an addition theorem helps (tanh, sin; with the step itself, as t - z has
 * lost the digits of a small one). */
static inline real relu_s(real z, real h, real t, real u, real step, real inverse)
{
    (void)h;
    (void)step;
    real rising = t * inverse, falling = -z * inverse;   /* the step crosses the kink, one way or the other */
    real ends_on = z > 0 ? u : rising, ends_off = z > 0 ? falling : 0;
    return t > 0 ? ends_on : ends_off;
}
static inline real leaky_s(real z, real h, real t, real u, real step, real inverse)
{
    (void)h;
    (void)step;
    real crossing = ((t > 0 ? t : LEAK * t) - (z > 0 ? z : LEAK * z)) * inverse;
    return (z > 0) == (t > 0) ? (z > 0 ? u : LEAK * u) : crossing;
}
static inline real tanh_s(real z, real h, real t, real u, real step, real inverse)
{
    (void)z;
    (void)u;                                     /* tanh a - tanh b = tanh(a - b) (1 - tanh a tanh b) */
    return tanh(step) * (1 - h * tanh(t)) * inverse;
}
static inline real sin_s(real z, real h, real t, real u, real step, real inverse)
{
    (void)h;
    (void)u;                                     /* sin a - sin b = 2 sin((a-b)/2) cos((a+b)/2) */
    return 2 * sin(step / 2) * cos((t + z) / 2) * inverse;
}
#define PLAIN_SECANT(name)                                                            \
    static inline real name##_s(real z, real h, real t, real u, real step, real inverse) \
    {                                                                                 \
        (void)z;                                                                      \
        (void)u;                                                                      \
        (void)step;                                                                   \
        return (name##_0(t) - h) * inverse;                                           \
    }
PLAIN_SECANT(elu)
PLAIN_SECANT(softplus)
PLAIN_SECANT(silu)

#define EACH_ACTIVATION(X)                                                                             \
    X(UNA_RELU, relu) X(UNA_TANH, tanh) X(UNA_LEAKY, leaky) X(UNA_ELU, elu) X(UNA_SOFTPLUS, softplus) \
    X(UNA_SILU, silu) X(UNA_SIN, sin)

static void activate(una_activation act, size_t rows, size_t width, const real *bias, real *z, real *h, real *d, real *dd)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < width; j++) z[r * width + j] += bias[j];
    size_t n = rows * width;
    switch (act) {
#define ACTIVATE(code, name)                                                   \
    case code:                                                                 \
        for (size_t i = 0; i < n; i++) {                                       \
            h[i] = name##_0(z[i]);                                             \
            d[i] = name##_1(z[i]);                                             \
        }                                                                      \
        if (dd)                                                                \
            for (size_t i = 0; i < n; i++) dd[i] = name##_2(z[i]);             \
        break;
    EACH_ACTIVATION(ACTIVATE)
    }
}

static void secant(una_activation act, una_slope_shape shape, const real *z, const real *h, const real *d, const real *u,
                   size_t u_point, const real *delta, real *s, real *e)
{
    (void)d;
    size_t width = shape.width;
    for (size_t p = 0; p < shape.points; p++)
        for (size_t k = 0; k < shape.directions; k++) {
            size_t row = p * shape.directions + k;
            const real by = delta[row], inverse = 1 / by;
            const real *restrict zp = z + p * width, *restrict hp = h + p * width, *restrict uk = u + p * u_point + k * width;
            real *restrict sk = s + row * width, *restrict ek = e + row * width;
            switch (act) {
#define SECANT(code, name)                                                     \
    case code:                                                                 \
        for (size_t j = 0; j < width; j++) {                                   \
            real step = by * uk[j], t = zp[j] + step;                          \
            sk[j] = name##_s(zp[j], hp[j], t, uk[j], step, inverse);           \
            ek[j] = name##_1(t);                                               \
        }                                                                      \
        break;
            EACH_ACTIVATION(SECANT)
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

static void tangent(una_slope_shape shape, const real *d, const real *u, size_t u_point, real *s)
{
    size_t width = shape.width;
    for (size_t p = 0; p < shape.points; p++)
        for (size_t k = 0; k < shape.directions; k++) {
            const real *restrict dp = d + p * width, *restrict uk = u + p * u_point + k * width;
            real *restrict sk = s + (p * shape.directions + k) * width;
            for (size_t j = 0; j < width; j++) sk[j] = dp[j] * uk[j];
        }
}

static void tangent_back(una_slope_shape shape, const real *d, const real *dd, const real *u, size_t u_point, real *g, real *dz)
{
    size_t width = shape.width;
    for (size_t p = 0; p < shape.points; p++)
        for (size_t k = 0; k < shape.directions; k++) {
            const real *restrict dp = d + p * width, *restrict ddp = dd + p * width, *restrict uk = u + p * u_point + k * width;
            real *restrict gk = g + (p * shape.directions + k) * width, *restrict dzp = dz + p * width;
            for (size_t j = 0; j < width; j++) {
                dzp[j] += gk[j] * ddp[j] * uk[j];
                gk[j] *= dp[j];
            }
        }
}

static void multiply(size_t n, const real *a, real *b)
{
    for (size_t i = 0; i < n; i++) b[i] *= a[i];
}

static void add_rows(size_t rows, size_t width, const real *a, real *sum)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < width; j++) sum[j] += a[r * width + j];
}

static void transpose(size_t rows, size_t columns, const real *a, size_t a_stride, real *t, size_t t_stride)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) t[j * t_stride + i] = a[i * a_stride + j];
}

static double square(size_t n, const real *a)
{
    double part[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++) part[j] += (double)a[i + j] * (double)a[i + j];
    double sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; i < n; i++) sum += (double)a[i] * (double)a[i];
    return sum;
}

static void adam(size_t n, real *p, real *m, real *v, const real *g, real rate, real beta1, real beta2, real c1, real c2)
{
    const real tiny = (real)1e-8, step = rate / c1, root = 1 / sqrt(c2);
    for (size_t i = 0; i < n; i++) {
        m[i] += (1 - beta1) * (g[i] - m[i]);
        v[i] += (1 - beta2) * (g[i] * g[i] - v[i]);
        p[i] -= step * m[i] / (sqrt(v[i]) * root + tiny);
    }
}

static void descend(size_t n, real *p, real *v, const real *g, real rate, real momentum)
{
    for (size_t i = 0; i < n; i++) {
        v[i] = momentum * v[i] + g[i];
        p[i] -= rate * v[i];
    }
}

#define ELEMENTWISE_SLOTS                                                                                       \
    .activate = activate, .secant = secant, .secant_back = secant_back, .tangent = tangent,                     \
    .tangent_back = tangent_back, .multiply = multiply, .add_rows = add_rows, .transpose = transpose,           \
    .square = square, .adam = adam, .descend = descend
