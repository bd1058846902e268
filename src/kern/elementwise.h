/* SPDX-License-Identifier: MIT
 *
 * The element-wise slots of una_kernels in plain C, for the reference and for the fast sets: the loops are simple
 * enough for the compiler to vectorise for the instruction set at hand.
 */
#include "kern/activation.h"
#include "kern/eight.h"

static void activate(una_activation act, size_t rows, size_t width, const real *bias, REAL(una_activated) layer)
{
    real *z = layer.z, *h = layer.h, *d = layer.d, *dd = layer.dd;
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < width; j++) z[r * width + j] += bias[j];

    size_t n = rows * width;
    switch (act) {
#define ACTIVATE(code, name, how)                                              \
    case code:                                                                 \
        for (size_t i = 0; i < n; i++) {                                       \
            real value = name##_value(z[i]);                                   \
            h[i] = value;                                                      \
            d[i] = name##_slopes(z[i], value).first;                           \
        }                                                                      \
        if (dd)                                                                \
            for (size_t i = 0; i < n; i++) dd[i] = name##_slopes(z[i], h[i]).second; \
        break;
    UNA_ACTIVATION_LIST(ACTIVATE)
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

static double residual(size_t rows, size_t heads, double weight, const real *t, size_t t_stride, real *f)
{
    const real twice = (real)(2 * weight);
    const size_t whole = heads / UNA_PAD * UNA_PAD, stride = UNA_PADDED(heads);
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

static void adam(size_t n, real *restrict p, real *restrict m, real *restrict v, const real *restrict g,
                 const REAL(una_adam) *how)
{
    const real tiny = (real)1e-8, step = how->rate / how->c1, root = 1 / sqrt(how->c2);
    const real beta1 = how->beta1, beta2 = how->beta2;
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

#define ELEMENTWISE_SLOTS                                                                                             \
    .activate = activate, .residual = residual, .multiply = multiply, .add = add, .scale = scale,                     \
    .add_rows = add_rows, .ridge = ridge, .normals = normals, .adam = adam, .descend = descend
