/* SPDX-License-Identifier: MIT
 *
 * The checks of test_sparse.c in one precision. Included once with `real` float and once with double: no guard on
 * purpose. EPSILON is the unit of rounding.
 */
#include "sets_here.h"

enum { REAL(LENGTH) = 19, REAL(LINES) = 64 };

/* Every number of terms from none on; indices stand once and in no order. */
static void REAL(combined)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(31, UNA_FOR_TEST, 0);
    una_mark mark = una_arena_mark(&run->scratch);
    real *w = REAL(random_block)(&run->scratch, &rng, REAL(LINES) * UNA_SPARSE_WIDTH);
    real *value = REAL(random_block)(&run->scratch, &rng, REAL(LENGTH)), out[UNA_SPARSE_WIDTH];
    uint16_t index[REAL(LENGTH)];
    const REAL(una_kernels) *set;
    for (size_t i = 0; i < REAL(LENGTH); i++) index[i] = (uint16_t)(i * 27 % REAL(LINES));

    for EACH_SET(set)
        for (size_t count = 0; count <= REAL(LENGTH); count++) {
            for (size_t c = 0; c < UNA_SPARSE_WIDTH; c++) out[c] = (real)c;
            set->sparse->combine(count, index, value, w, out);
            for (size_t c = 0; c < UNA_SPARSE_WIDTH; c++) {
                long double truth = c, size = c;
                for (size_t i = 0; i < count; i++) {
                    long double term = (long double)value[i] * w[index[i] * UNA_SPARSE_WIDTH + c];
                    truth += term;
                    size += fabsl(term);
                }
                assert_near((double)out[c], (double)truth, 0, 16 * EPSILON * (double)size);
            }
        }
    una_arena_release(&run->scratch, mark);
}

static void REAL(spread_out)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(32, UNA_FOR_TEST, 0);
    una_mark mark = una_arena_mark(&run->scratch);
    real *start = REAL(random_block)(&run->scratch, &rng, REAL(LINES) * UNA_SPARSE_WIDTH);
    real *g = REAL(random_block)(&run->scratch, &rng, REAL(LINES) * UNA_SPARSE_WIDTH);
    real *value = REAL(random_block)(&run->scratch, &rng, REAL(LENGTH));
    real *d = REAL(random_block)(&run->scratch, &rng, UNA_SPARSE_WIDTH);
    uint16_t index[REAL(LENGTH)];
    const REAL(una_kernels) *set;
    for (size_t i = 0; i < REAL(LENGTH); i++) index[i] = (uint16_t)(i * 27 % REAL(LINES));

    for EACH_SET(set) {
        memcpy(g, start, REAL(LINES) * UNA_SPARSE_WIDTH * sizeof *g);
        set->sparse->spread(REAL(LENGTH), index, value, d, g);
        for (size_t line = 0; line < REAL(LINES); line++) {
            long double factor = 0;
            for (size_t i = 0; i < REAL(LENGTH); i++)
                if (index[i] == line) factor = value[i];
            for (size_t c = 0; c < UNA_SPARSE_WIDTH; c++) {
                long double before = start[line * UNA_SPARSE_WIDTH + c], truth = before + factor * d[c];
                assert_near((double)g[line * UNA_SPARSE_WIDTH + c], (double)truth, 0,
                            4 * EPSILON * (double)(fabsl(before) + fabsl(factor * d[c])));
            }
        }
    }
    una_arena_release(&run->scratch, mark);
}

static void REAL(steps_taken)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(33, UNA_FOR_TEST, 0);
    enum { N = 5 * UNA_PAD };
    una_mark mark = una_arena_mark(&run->scratch);
    real *start = REAL(random_block)(&run->scratch, &rng, N), *slope = REAL(random_block)(&run->scratch, &rng, N);
    real w[N], g[N];
    const REAL(una_kernels) *set;

    for EACH_SET(set) {
        memcpy(w, start, sizeof w);
        memcpy(g, slope, sizeof g);
        set->sparse->step(N, (real)0.75, (real)0.125, w, g);
        for (size_t i = 0; i < N; i++) {
            long double truth = 0.75L * start[i] - 0.125L * slope[i];
            double size = fabs((double)start[i]) + fabs((double)slope[i]);
            assert_near((double)w[i], (double)truth, 0, 4 * EPSILON * size);
            assert_true(g[i] == 0);
        }
    }
    una_arena_release(&run->scratch, mark);
}
