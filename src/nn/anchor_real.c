/* SPDX-License-Identifier: MIT
 *
 * Anchors: drawn, and pulling. See anchor.h.
 */
#include "nn/anchor.h"

#include "kern/real.h"

void REAL(una_anchor_draw)(una_matrix_of *of, const void *shape, double variance, una_rng *rng, real *parameters)
{
    double std = sqrt(variance);
    una_matrix m;
    for (size_t k = 0; of(shape, k, &m); k++) {
        if (m.frozen) continue;
        memset(parameters + m.at, 0, m.rows * m.stride * sizeof *parameters);
        for (size_t i = 0; i < m.rows; i++)
            for (size_t j = 0; j < m.cols; j++)
                parameters[m.at + i * m.stride + j] = (real)(std * una_rng_normal(rng));
    }
}

double REAL(una_anchor_add)(size_t count, double weight, const real *parameters, const real *anchor, real *gradient)
{
    double square = 0;
    real slope = (real)(2 * weight);
    for (size_t i = 0; i < count; i++) {
        real off = parameters[i] - anchor[i];
        gradient[i] += slope * off;
        square += (double)off * (double)off;
    }
    return weight * square;
}
