/* SPDX-License-Identifier: MIT
 *
 * The matrices of a body, without their padding: files outlive the kernels that want it. The threads of a work.
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

static void end_crew(void *crew)
{
    una_crew_free(crew);
}

una_status una_scratch_crew(una_crew **crew, size_t most, una_run *run)
{
    size_t members = (size_t)una_threads(run) < most ? (size_t)una_threads(run) : most;
    *crew = NULL;
    if (members < 2) return UNA_OK;
    UNA_TRY(una_crew_new(crew, (int)members, &run->scratch));
    return una_arena_at_end(&run->scratch, end_crew, *crew);
}
