/* SPDX-License-Identifier: MIT
 *
 * Element-wise kernels in plain C, shared by the reference and the fast sets: the loops are simple enough for the
 * compiler to vectorise for the instruction set at hand. Every activation is given by value, first and second
 * derivative.
 */
#include "kern/real.h"

#include <math.h>
#include <string.h>
#include <tgmath.h>

#define LEAK ((real)0.01)

/* Functions of the library have branches and tables, which keep a loop from being vectorised; in float these do not. */

/* exp x for x <= 0: x = n ln 2 + r, Taylor series of exp r, n into the exponent. What is below e^-87 becomes that; the
 * clamp is not written as a constant, or the compiler would give it a path of its own. n as an integer stands in the
 * last bits of n + 3 2^22, where a NAN does no harm either. */
static inline real exp_of(real x)
{
#if REAL_IS_FLOAT
    real c = x < -87 ? (x - x) - 87 : x;
    real n = rintf(c * 1.44269504f), r = (c - n * 0.693359375f) + n * 2.12194440e-4f;
    real series = 1 + r * (1 + r * (1 / 2.0f + r * (1 / 6.0f + r * (1 / 24.0f + r * (1 / 120.0f + r * (1 / 720.0f))))));
    union { float f; uint32_t i; } low = { .f = n + 0x1.8p23f }, power = { .i = (low.i + 127u) << 23 };
    return series * power.f;
#else
    return exp(x);
#endif
}

/* tanh x = (1 - e)/(1 + e) with e = exp(-2|x|), but for small x, where 1 - e cancels, Lambert's continued fraction. */
static inline real tanh_of(real x)
{
#if REAL_IS_FLOAT
    real y = x * x, e = exp_of(-2 * fabs(x)), far = x < 0 ? e - 1 : 1 - e;
    real over = x * (945 + y * (105 + y)), under = 945 + y * (420 + 15 * y);
    return (y < 0.36f ? over : far) / (y < 0.36f ? under : 1 + e);
#else
    /* -m/(2 + m) with m = exp(-2|x|) - 1, kept apart from 1 so that nothing cancels: m = 2^n (exp r - 1)
     * + (2^n - 1). */
    double c = -2 * fabs(x) < -60 ? (x - x) - 60 : -2 * fabs(x), shifted = c * 1.44269504088896340736 + 0x1.8p52;
    double n = shifted - 0x1.8p52, r = (c - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double tail = 1 / 5040.0 + r * (1 / 40320.0 + r * (1 / 362880.0 + r * (1 / 3628800.0 + r * (1 / 39916800.0
                + r * (1 / 479001600.0 + r * (1 / 6227020800.0))))));
    double less = r * (1 + r * (1 / 2.0 + r * (1 / 6.0 + r * (1 / 24.0 + r * (1 / 120.0
                + r * (1 / 720.0 + r * tail))))));
    union { double f; uint64_t i; } low = { .f = shifted }, power = { .i = (low.i + 1023) << 52 };
    double m = power.f * less + (power.f - 1), t = -m / (2 + m);
    return x < 0 ? -t : t;
#endif
}
static inline real sigmoid_of(real z) { return 1 / (1 + exp(-z)); }

static inline real relu_0(real z) { return z > 0 ? z : 0; }
static inline real relu_1(real z) { return z > 0 ? 1 : 0; }
static inline real relu_2(real z) { (void)z; return 0; }
static inline real tanh_0(real z) { return tanh_of(z); }
static inline real tanh_1(real z) { real t = tanh_of(z); return 1 - t * t; }
static inline real tanh_2(real z) { real t = tanh_of(z); return -2 * t * (1 - t * t); }
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

/* Slope (act(t) - act(z))/delta and act'(t), t = z + step, step = delta u; h, d = act, act' at z. Written so that
 * nothing cancels where the two pieces are linear (relu, leaky) or an addition theorem helps (tanh, sin; with the step
 * itself, as t - z has lost the digits of a small one). */
typedef struct ends { real z, h, d, t, u, step, inverse; } ends;

static inline real relu_s(ends x)
{
    real rising = x.t * x.inverse, falling = -x.z * x.inverse;   /* the step crosses the kink, one way or the other */
    real ends_on = x.z > 0 ? x.u : rising, ends_off = x.z > 0 ? falling : 0;
    return x.t > 0 ? ends_on : ends_off;
}
static inline real leaky_s(ends x)
{
    real crossing = ((x.t > 0 ? x.t : LEAK * x.t) - (x.z > 0 ? x.z : LEAK * x.z)) * x.inverse;
    real straight = x.z > 0 ? x.u : LEAK * x.u;
    return (x.z > 0) == (x.t > 0) ? straight : crossing;
}
static inline real tanh_s(ends x)                /* tanh a - tanh b = tanh(a - b) (1 - tanh a tanh b) */
{
    return tanh_of(x.step) * (1 - x.h * tanh_of(x.t)) * x.inverse;
}
static inline real tanh_e(ends x)                /* 1 - tanh^2 t, so that its difference to d does not cancel */
{
    real far = tanh_of(x.t), rise = tanh_of(x.step) * (1 - x.h * far);
    return x.d - rise * (x.h + far);
}
static inline real sin_s(ends x)                 /* sin a - sin b = 2 sin((a-b)/2) cos((a+b)/2) */
{
    return 2 * sin(x.step / 2) * cos((x.t + x.z) / 2) * x.inverse;
}
#define PLAIN_SECANT(name) \
    static inline real name##_s(ends x) { return (name##_0(x.t) - x.h) * x.inverse; }
PLAIN_SECANT(elu)
PLAIN_SECANT(softplus)
PLAIN_SECANT(silu)
#define PLAIN_END(name) \
    static inline real name##_e(ends x) { return name##_1(x.t); }
PLAIN_END(relu)
PLAIN_END(leaky)
PLAIN_END(elu)
PLAIN_END(softplus)
PLAIN_END(silu)
PLAIN_END(sin)

#define EACH_ACTIVATION(X)                                                                             \
    X(UNA_RELU, relu) X(UNA_TANH, tanh) X(UNA_LEAKY, leaky) X(UNA_ELU, elu) X(UNA_SOFTPLUS, softplus) \
    X(UNA_SILU, silu) X(UNA_SIN, sin)

/* act'(z) where act(z) = h is known: for tanh it costs nothing. */
#define PLAIN_DERIVATIVE(name) \
    static inline real name##_d(real z, real h) { (void)h; return name##_1(z); }
PLAIN_DERIVATIVE(relu)
PLAIN_DERIVATIVE(leaky)
PLAIN_DERIVATIVE(elu)
PLAIN_DERIVATIVE(softplus)
PLAIN_DERIVATIVE(silu)
PLAIN_DERIVATIVE(sin)
static inline real tanh_d(real z, real h) { (void)z; return 1 - h * h; }

static void activate(una_activation act, size_t rows, size_t width, const real *bias, real *z, real *h, real *d,
                     real *dd)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < width; j++) z[r * width + j] += bias[j];
    size_t n = rows * width;
    switch (act) {
#define ACTIVATE(code, name)                                                   \
    case code:                                                                 \
        for (size_t i = 0; i < n; i++) {                                       \
            real value = name##_0(z[i]);                                       \
            h[i] = value;                                                      \
            d[i] = name##_d(z[i], value);                                      \
        }                                                                      \
        if (dd)                                                                \
            for (size_t i = 0; i < n; i++) dd[i] = name##_2(z[i]);             \
        break;
    EACH_ACTIVATION(ACTIVATE)
    }
}

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

static void secant(una_activation act, una_slope_shape shape, const real *z, const real *h, const real *d,
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
#define SECANT(code, name)                                                     \
    case code:                                                                 \
        for (size_t j = 0; j < width; j++) {                                   \
            real step = by * uk[j];                                            \
            ends x = { zp[j], hp[j], dp[j], zp[j] + step, uk[j], step, inverse }; \
            sk[j] = name##_s(x);                                               \
            ek[j] = name##_e(x);                                               \
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

static void multiply(size_t n, const real *restrict a, real *restrict b)
{
    for (size_t i = 0; i < n; i++) b[i] *= a[i];
}

static void add(size_t n, const real *restrict a, real *restrict b)
{
    for (size_t i = 0; i < n; i++) b[i] += a[i];
}

static void scale(size_t n, real factor, const real *restrict a, real *restrict b)
{
    for (size_t i = 0; i < n; i++) b[i] = factor * a[i];
}

/* In double: products of four slopes overflow a float soon. Row by row, so that the compiler can vectorise. */
static double similarity(size_t heads, size_t stride, const real *restrict s, double by, real *restrict k,
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

/* UNA_PAD numbers at once, in whatever registers there are. */
typedef real eight __attribute__((vector_size(UNA_PAD * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef double eight_doubles __attribute__((vector_size(UNA_PAD * sizeof(double))));
#define EIGHT(array, j) (*(eight *)((real *)(array) + (j)))

static inline double sum_of(const eight_doubles *parts)
{
    const eight_doubles part = *parts;
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

static double residual(size_t rows, size_t heads, size_t stride, double weight, const real *t, size_t t_stride, real *f)
{
    const real twice = (real)(2 * weight);
    const size_t whole = heads / UNA_PAD * UNA_PAD;
    eight inside = {0};                                          /* of the last eight that has a head */
    for (size_t m = whole; m < heads; m++) inside[m - whole] = 1;
    eight_doubles sum = {0};
    for (size_t r = 0; r < rows; r++, f += stride, t += t_stride ? t_stride : 1) {
        eight row = {0};
        size_t m = 0;
        for (; m < whole; m += UNA_PAD) {
            eight miss = t_stride ? EIGHT(f, m) - EIGHT(t, m) : EIGHT(f, m) - *t;
            row += miss * miss;
            EIGHT(f, m) = twice * miss;
        }
        for (; m < stride; m += UNA_PAD) {
            eight miss = inside * (t_stride ? EIGHT(f, m) - EIGHT(t, m) : EIGHT(f, m) - *t);
            row += miss * miss;
            EIGHT(f, m) = twice * miss;
        }
        sum += __builtin_convertvector(row, eight_doubles);
    }
    return weight * sum_of(&sum);
}

/* ---- a network of one hidden layer -------------------------------------------------------------------- */

#if defined(UNA_ISA_avx512) && !REAL_IS_FLOAT
#include "kern/tanh_avx512.h"
#define HAS_TANH_EIGHT 1
#else
#define HAS_TANH_EIGHT 0
#endif

/* h = tanh z, and z becomes 1 - h^2. */
static void shallow_tanh(size_t width, real *restrict z, real *restrict h)
{
#if HAS_TANH_EIGHT
    for (size_t j = 0; j < width; j += UNA_PAD) {
        __m512d value = tanh_eight(_mm512_loadu_pd(z + j));
        _mm512_storeu_pd(h + j, value);
        _mm512_storeu_pd(z + j, _mm512_fnmadd_pd(value, value, _mm512_set1_pd(1)));
    }
#else
    for (size_t j = 0; j < width; j++) {
        h[j] = tanh_of(z[j]);
        z[j] = 1 - h[j] * h[j];
    }
#endif
}

/* h and d = act' at one row. */
static void shallow_row(una_activation act, size_t inputs, size_t width, const real *x, const REAL(una_shallow) *at,
                        real *restrict h, real *restrict d)
{
    const real *restrict b = at->b, *restrict w = at->w, x0 = x[0];
    for (size_t j = 0; j < width; j++) d[j] = b[j] + x0 * w[j];
    for (size_t i = 1; i < inputs; i++) {
        const real *restrict wi = w + i * width, xi = x[i];
        for (size_t j = 0; j < width; j++) d[j] += xi * wi[j];
    }
    if (act == UNA_TANH) {
        shallow_tanh(width, d, h);
        return;
    }
    switch (act) {
#define SHALLOW(code, name)                                                    \
    case code:                                                                 \
        for (size_t j = 0; j < width; j++) {                                   \
            real z = d[j], value = name##_0(z);                                \
            h[j] = value;                                                      \
            d[j] = name##_d(z, value);                                         \
        }                                                                      \
        break;
    EACH_ACTIVATION(SHALLOW)
    }
}

static real shallow_head(size_t width, const real *h, const REAL(una_shallow) *at)
{
    eight part = {0};
    for (size_t j = 0; j < width; j += UNA_PAD) part += *(const eight *)(h + j) * *(const eight *)(at->v + j);
    return at->c + (((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7])));
}

/* d becomes dL/dz; its sums go into the gradient, UNA_PAD units at a time. */
static void shallow_back(size_t rows, size_t inputs, size_t width, const real *x, const real *slope,
                         const REAL(una_shallow) *at, const REAL(una_shallow_gradient) *to, const real *h, real *d)
{
    for (size_t j = 0; j < width; j += UNA_PAD) {
        eight v = *(const eight *)(at->v + j), first = *(eight *)(to->w + j);
        eight bias = *(eight *)(to->b + j), head = *(eight *)(to->v + j);
        for (size_t r = 0; r < rows; r++) {
            eight *dr = (eight *)(d + r * width + j), g = *dr * (slope[r] * v);
            bias += g;
            head += slope[r] * *(const eight *)(h + r * width + j);
            first += x[r * inputs] * g;
            *dr = g;
        }
        *(eight *)(to->b + j) = bias;
        *(eight *)(to->v + j) = head;
        *(eight *)(to->w + j) = first;
        for (size_t i = 1; i < inputs; i++) {
            eight sum = *(eight *)(to->w + i * width + j);
            for (size_t r = 0; r < rows; r++) sum += x[r * inputs + i] * *(const eight *)(d + r * width + j);
            *(eight *)(to->w + i * width + j) = sum;
        }
    }
}

static double shallow(una_activation act, size_t rows, size_t inputs, size_t width, const real *x, const real *y,
                      double weight, REAL(una_shallow) at, REAL(una_shallow_gradient) to, real *work)
{
    real *h = work, *d = work + UNA_SHALLOW_ROWS * width, slope[UNA_SHALLOW_ROWS];
    double sum = 0;
    for (size_t from = 0; from < rows; from += UNA_SHALLOW_ROWS) {
        size_t count = rows - from < UNA_SHALLOW_ROWS ? rows - from : UNA_SHALLOW_ROWS;
        const real *block = x + from * inputs;
        for (size_t r = 0; r < count; r++)
            shallow_row(act, inputs, width, block + r * inputs, &at, h + r * width, d + r * width);
        for (size_t r = 0; r < count; r++) {
            real miss = shallow_head(width, h + r * width, &at) - y[from + r];
            sum += (double)miss * (double)miss;
            slope[r] = (real)(2 * weight) * miss;
            *to.c += slope[r];
        }
        shallow_back(count, inputs, width, block, slope, &at, &to, h, d);
    }
    return weight * sum;
}

/* ---- normals: Philox4x32-10 and Box-Muller, LANE blocks of four at a time ------------------------------ */

enum { LANE = 16 };

static void philox(const uint32_t key[2], const uint32_t counter[4], uint32_t first, uint32_t word[4][LANE])
{
    for (size_t i = 0; i < LANE; i++) {
        word[0][i] = counter[0] + first + (uint32_t)i;
        word[1][i] = counter[1];
        word[2][i] = counter[2];
        word[3][i] = counter[3];
    }
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
        for (size_t i = 0; i < LANE; i++) {
            uint64_t a = (uint64_t)0xD2511F53u * word[0][i], b = (uint64_t)0xCD9E8D57u * word[2][i];
            word[0][i] = (uint32_t)(b >> 32) ^ word[1][i] ^ k0;
            word[1][i] = (uint32_t)b;
            word[2][i] = (uint32_t)(a >> 32) ^ word[3][i] ^ k1;
            word[3][i] = (uint32_t)a;
        }
}

/* ln x for x in (0, 1]: x = m 2^e, ln m = 2 atanh((m - 1)/(m + 1)). */
static inline float log_of(float x)
{
    union { float f; int32_t i; } bits = { x };
    int32_t shifted = bits.i - 0x3f3504f3;               /* m in [sqrt 1/2, sqrt 2) */
    float e = (float)(shifted >> 23);
    bits.i = (shifted & 0x007fffff) + 0x3f3504f3;
    float f = (bits.f - 1) / (bits.f + 1), g = f * f;
    return 0.69314718f * e + 2 * f * (1 + g * (1 / 3.0f + g * (1 / 5.0f + g * (1 / 7.0f + g * (1 / 9.0f)))));
}

/* Two normals from two words: radius sqrt(-2 ln u), angle 2 pi v by quadrant and Taylor series. */
static inline void box_muller(uint32_t a, uint32_t b, float *x, float *y)
{
    float radius = sqrtf(-2 * log_of(((float)(a >> 8) + 1) * 0x1p-24f));
    uint32_t quadrant = (b + 0x20000000u) >> 30;
    float v = (float)(int32_t)(b - (quadrant << 30)) * 0x1p-32f * 6.2831853f, w = v * v;
    float sine = v * (1 - w * (1 / 6.0f - w * (1 / 120.0f - w * (1 / 5040.0f - w * (1 / 362880.0f)))));
    float cosine = 1 - w * (1 / 2.0f - w * (1 / 24.0f - w * (1 / 720.0f - w * (1 / 40320.0f - w * (1 / 3628800.0f)))));
    float s = quadrant & 1 ? cosine : sine, c = quadrant & 1 ? sine : cosine;
    *x = radius * ((quadrant + 1) & 2 ? -c : c);
    *y = radius * (quadrant & 2 ? -s : s);
}

static void normals(size_t n, const uint32_t key[2], const uint32_t counter[4], float std, float least, real *out)
{
    uint32_t word[4][LANE];
    float value[4][LANE];
    for (size_t from = 0; from < n; from += 4 * LANE) {
        philox(key, counter, (uint32_t)(from / 4), word);
        for (size_t i = 0; i < LANE; i++) {
            box_muller(word[0][i], word[1][i], &value[0][i], &value[1][i]);
            box_muller(word[2][i], word[3][i], &value[2][i], &value[3][i]);
        }
        size_t count = n - from < 4 * LANE ? n - from : 4 * LANE;
        for (size_t i = 0; i < count; i++) {
            float x = std * value[i / LANE][i % LANE], size = fabsf(x);
            out[from + i] = (real)(size < least ? (x < 0 ? -least : least) : x);
        }
    }
}

static void add_rows(size_t rows, size_t width, const real *restrict a, real *restrict sum)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < width; j++) sum[j] += a[r * width + j];
}

static double ridge(size_t n, real factor, const real *a, real *b)
{
    eight_doubles part[4] = {0};                                 /* sums that need not wait for one another */
    size_t i = 0;
    for (; i + 4 * UNA_PAD <= n; i += 4 * UNA_PAD)
        for (size_t v = 0; v < 4; v++) {
            eight_doubles value = __builtin_convertvector(EIGHT(a, i + v * UNA_PAD), eight_doubles);
            part[v] += value * value;
            EIGHT(b, i + v * UNA_PAD) = factor * EIGHT(a, i + v * UNA_PAD);
        }
    part[0] += part[1];
    part[2] += part[3];
    part[0] += part[2];
    double sum = sum_of(&part[0]);
    for (; i < n; i++) {
        sum += (double)a[i] * (double)a[i];
        b[i] = factor * a[i];
    }
    return sum;
}

static void adam(size_t n, real *restrict p, real *restrict m, real *restrict v, const real *restrict g, real rate,
                 real beta1, real beta2, real c1, real c2)
{
    const real tiny = (real)1e-8, step = rate / c1, root = 1 / sqrt(c2);
    for (size_t i = 0; i < n; i++) {
        m[i] += (1 - beta1) * (g[i] - m[i]);
        v[i] += (1 - beta2) * (g[i] * g[i] - v[i]);
        p[i] -= step * m[i] / (sqrt(v[i]) * root + tiny);
    }
}

static void descend(size_t n, real *restrict p, real *restrict v, const real *restrict g, real rate, real momentum)
{
    for (size_t i = 0; i < n; i++) {
        v[i] = momentum * v[i] + g[i];
        p[i] -= rate * v[i];
    }
}

/* exp x: x = n ln 2 + r with n from the low bits of x/ln 2 + 1.5 2^52, Taylor series of exp r, n into the exponent. */
static inline real exp_any(real x)
{
#if REAL_IS_FLOAT
    real c = x > 88 ? (x - x) + 88 : x, value = exp_of(c < -87 ? (x - x) - 87 : c);
    return x < -87 ? 0 : value;
#else
    const double shift = 6755399441055744.0;
    double low = x < -700 ? (x - x) - 700 : x, c = low > 709 ? (x - x) + 709 : low;
    union { double f; uint64_t i; } t = { .f = c * 1.4426950408889634 + shift }, power;
    double n = t.f - shift, r = (c - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    double series = 1.0 / 6227020800.0;
    series = series * r + 1.0 / 479001600.0;
    series = series * r + 1.0 / 39916800.0;
    series = series * r + 1.0 / 3628800.0;
    series = series * r + 1.0 / 362880.0;
    series = series * r + 1.0 / 40320.0;
    series = series * r + 1.0 / 5040.0;
    series = series * r + 1.0 / 720.0;
    series = series * r + 1.0 / 120.0;
    series = series * r + 1.0 / 24.0;
    series = series * r + 1.0 / 6.0;
    series = series * r + 0.5;
    series = (series * r) * r + r;
    power.i = (t.i + 1023u) << 52;
    double value = power.f + power.f * series;
    return x < -700 ? 0 : value;
#endif
}

static void exp_all(size_t n, real inner, const real *a, real outer, real *b)
{
    for (size_t i = 0; i < n; i++) b[i] = outer * exp_any(inner * a[i]);
}

/* One more term. Terms are added one by one: the same bits however many are taken in a pass. */
static inline real add_square(real sum, real a, real b) { return sum + (a - b) * (a - b); }

static void distances(size_t n, size_t count, const real *a, size_t a_step, const real *restrict b, size_t b_stride,
                      real *restrict out)
{
    for (size_t j = 0; j < n; j++) out[j] = 0;
    for (; count >= 4; count -= 4, a += 4 * a_step, b += 4 * b_stride) {
        const real a0 = a[0], a1 = a[a_step], a2 = a[2 * a_step], a3 = a[3 * a_step];
        const real *restrict b1 = b + b_stride, *restrict b2 = b1 + b_stride, *restrict b3 = b2 + b_stride;
        for (size_t j = 0; j < n; j++)
            out[j] = add_square(add_square(add_square(add_square(out[j], a0, b[j]), a1, b1[j]), a2, b2[j]), a3, b3[j]);
    }
    for (; count > 0; count--, a += a_step, b += b_stride)
        for (size_t j = 0; j < n; j++) out[j] = add_square(out[j], a[0], b[j]);
}

static void weighted_distances(size_t n, size_t count, const real *restrict w, const real *a, size_t a_step,
                               const real *restrict b, size_t b_stride, real *restrict sum)
{
    for (size_t d = 0; d < count; d++, b += b_stride, sum += UNA_PAD) {
        const real ad = a[d * a_step];
        for (size_t j = 0; j < n; j += UNA_PAD)
            for (size_t k = 0; k < UNA_PAD; k++) sum[k] += w[j + k] * ((ad - b[j + k]) * (ad - b[j + k]));
    }
}

/* Row by row up to the end of the diagonal's UNA_PAD places, so that no loop has a rest. */
static double sweep(size_t n, size_t count, size_t stride, real *a, real *restrict column)
{
    double log_det = 0, pivots = 1;
    for (size_t k = 0; k < count; k++) {
        real *pivot_row = a + k * stride;
        const double pivot = (double)pivot_row[k];
        if (!(pivot > 0)) return NAN;
        pivots *= pivot;                         /* a logarithm for every four */
        if (k % 4 == 3 || k + 1 == count) {
            log_det += log(pivots);
            pivots = 1;
        }
        for (size_t j = 0; j < k; j++) column[j] = pivot_row[j];
        for (size_t j = k; j < n; j++) column[j] = a[j * stride + k];
        const real inverse = (real)(1 / pivot);
        for (size_t i = 0; i < n; i++) {
            real *restrict row = a + i * stride;
            const real by = column[i] * inverse;
            for (size_t j = 0; j < i + 1; j += UNA_PAD)
                for (size_t v = 0; v < UNA_PAD; v++) row[j + v] -= by * column[j + v];
        }
        for (size_t j = 0; j < k; j++) pivot_row[j] = column[j] * inverse;
        for (size_t j = k + 1; j < n; j++) a[j * stride + k] = column[j] * inverse;
        pivot_row[k] = -inverse;
    }
    return log_det;
}

#define ELEMENTWISE_SLOTS                                                                                             \
    .activate = activate, .secant = secant, .secant_back = secant_back, .tangent = tangent,                           \
    .tangent_back = tangent_back, .shallow = shallow, .similarity = similarity, .residual = residual,                 \
    .multiply = multiply, .add = add, .scale = scale, .add_rows = add_rows, .ridge = ridge, .normals = normals,       \
    .adam = adam, .descend = descend, .exp = exp_all, .sweep = sweep,                                                 \
    .distances = distances, .weighted_distances = weighted_distances
