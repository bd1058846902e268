/* SPDX-License-Identifier: MIT
 *
 * Gradients of densities that are sampled: the contract is in kern_slots.h.
 */
#include "kern/sets.h"

#include "kern/activation.h"
#include "kern/eight.h"

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
static void shallow_row(const REAL(una_shallow) *at, const real *x, real *restrict h, real *restrict d)
{
    const size_t inputs = at->inputs, width = at->width;
    const real *restrict b = at->b, *restrict w = at->w, x0 = x[0];
    for (size_t j = 0; j < width; j++) d[j] = b[j] + x0 * w[j];
    for (size_t i = 1; i < inputs; i++) {
        const real *restrict wi = w + i * width, xi = x[i];
        for (size_t j = 0; j < width; j++) d[j] += xi * wi[j];
    }

    if (at->act == UNA_TANH) {
        shallow_tanh(width, d, h);
        return;
    }
    switch (at->act) {
#define SHALLOW(code, name, how)                                               \
    case code:                                                                 \
        for (size_t j = 0; j < width; j++) {                                   \
            real z = d[j], value = name##_value(z);                            \
            h[j] = value;                                                      \
            d[j] = name##_slopes(z, value).first;                              \
        }                                                                      \
        break;
    UNA_ACTIVATION_LIST(SHALLOW)
    }
}

static real shallow_head(const REAL(una_shallow) *at, const real *h)
{
    eight part = {0};
    for (size_t j = 0; j < at->width; j += UNA_PAD) part += *(const eight *)(h + j) * *(const eight *)(at->v + j);
    return at->c + (((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7])));
}

/* d becomes dL/dz; its sums go into the gradient, UNA_PAD units at a time. */
static void shallow_back(const REAL(una_shallow) *at, size_t rows, const real *x, const real *slope,
                         const REAL(una_shallow_gradient) *to, real *work)
{
    const size_t inputs = at->inputs, width = at->width;
    real *h = work, *d = work + UNA_SHALLOW_ROWS * width;
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

static double shallow_density(const REAL(una_shallow) *at, size_t rows, const real *x, const real *y, double weight,
                              const REAL(una_shallow_gradient) *to, real *work)
{
    const size_t inputs = at->inputs, width = at->width;
    real *h = work, *d = work + UNA_SHALLOW_ROWS * width, slope[UNA_SHALLOW_ROWS];
    double sum = 0;

    for (size_t from = 0; from < rows; from += UNA_SHALLOW_ROWS) {
        size_t count = rows - from < UNA_SHALLOW_ROWS ? rows - from : UNA_SHALLOW_ROWS;
        const real *block = x + from * inputs;
        for (size_t r = 0; r < count; r++)
            shallow_row(at, block + r * inputs, h + r * width, d + r * width);
        for (size_t r = 0; r < count; r++) {
            real miss = shallow_head(at, h + r * width) - y[from + r];
            sum += (double)miss * (double)miss;
            slope[r] = (real)(2 * weight) * miss;
            *to->c += slope[r];
        }
        shallow_back(at, count, block, slope, to, work);
    }

    return weight * sum;
}

/* Row by row up to the end of the diagonal's UNA_PAD places, so that no loop has a rest. */
static double sweep_column(size_t n, size_t count, size_t stride, real *a, real *restrict column)
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

const REAL(una_density_kernels) SET(una_density_kernels) = { .shallow = shallow_density, .sweep = sweep_column };
