/* SPDX-License-Identifier: MIT
 *
 * The matrices of a body, without their padding: files outlive the kernels that want it.
 */
#include "nn/body.h"

size_t una_matrices_packed(una_matrix_of *of, const void *shape)
{
    una_matrix m;
    size_t count = 0;
    for (size_t i = 0; of(shape, i, &m); i++) count += m.frozen ? 0 : m.rows * m.cols;
    return count;
}

void una_matrices_pack(una_matrix_of *of, const void *shape, const float *parameters, float *packed)
{
    una_matrix m;
    for (size_t i = 0; of(shape, i, &m); i++)
        for (size_t r = 0; !m.frozen && r < m.rows; r++, packed += m.cols)
            memcpy(packed, parameters + m.at + r * m.stride, m.cols * sizeof *packed);
}

void una_matrices_unpack(una_matrix_of *of, const void *shape, const float *packed, float *parameters)
{
    una_matrix m;
    for (size_t i = 0; of(shape, i, &m); i++) {
        if (m.frozen) continue;
        memset(parameters + m.at, 0, m.rows * m.stride * sizeof *parameters);
        for (size_t r = 0; r < m.rows; r++, packed += m.cols)
            memcpy(parameters + m.at + r * m.stride, packed, m.cols * sizeof *packed);
    }
}
