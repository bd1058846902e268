/* SPDX-License-Identifier: MIT
 *
 * Kernels on rows of few numbers, in every set, against long double.
 */
#include "test_support.h"

#include "bayesopt/softmax.h"

#include <float.h>

#define EPSILON ((double)FLT_EPSILON)
#define real float
#define REAL(name) name##_f32
#include "kern/sets_here.h"

enum { LENGTH = 19, LINES = 64 };

/* Every number of terms from none on; indices stand once and in no order. */
static void combined(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(31, UNA_FOR_TEST, 0);
    una_mark mark = una_arena_mark(&run->scratch);
    float *w = random_block_f32(&run->scratch, &rng, LINES * UNA_SOFTMAX_WIDTH);
    float *value = random_block_f32(&run->scratch, &rng, LENGTH), out[UNA_SOFTMAX_WIDTH];
    uint16_t index[LENGTH];
    const una_kernels_f32 *set;
    for (size_t i = 0; i < LENGTH; i++) index[i] = (uint16_t)(i * 27 % LINES);

    for EACH_SET(set)
        for (size_t count = 0; count <= LENGTH; count++) {
            for (size_t c = 0; c < UNA_SOFTMAX_WIDTH; c++) out[c] = (float)c;
            una_sparse_kernels_of(set)->combine(&(una_sparse_row){ index, value, count }, w, out);
            for (size_t c = 0; c < UNA_SOFTMAX_WIDTH; c++) {
                long double truth = c, size = c;
                for (size_t i = 0; i < count; i++) {
                    long double term = (long double)value[i] * w[index[i] * UNA_SOFTMAX_WIDTH + c];
                    truth += term;
                    size += fabsl(term);
                }
                assert_near((double)out[c], (double)truth, 0, 16 * EPSILON * (double)size);
            }
        }
    una_arena_release(&run->scratch, mark);
}

static void spread_out(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(32, UNA_FOR_TEST, 0);
    una_mark mark = una_arena_mark(&run->scratch);
    float *start = random_block_f32(&run->scratch, &rng, LINES * UNA_SOFTMAX_WIDTH);
    float *g = random_block_f32(&run->scratch, &rng, LINES * UNA_SOFTMAX_WIDTH);
    float *value = random_block_f32(&run->scratch, &rng, LENGTH);
    float *d = random_block_f32(&run->scratch, &rng, UNA_SOFTMAX_WIDTH);
    uint16_t index[LENGTH];
    const una_kernels_f32 *set;
    for (size_t i = 0; i < LENGTH; i++) index[i] = (uint16_t)(i * 27 % LINES);

    for EACH_SET(set) {
        memcpy(g, start, LINES * UNA_SOFTMAX_WIDTH * sizeof *g);
        una_sparse_kernels_of(set)->spread(&(una_sparse_row){ index, value, LENGTH }, d, g);
        for (size_t line = 0; line < LINES; line++) {
            long double factor = 0;
            for (size_t i = 0; i < LENGTH; i++)
                if (index[i] == line) factor = value[i];
            for (size_t c = 0; c < UNA_SOFTMAX_WIDTH; c++) {
                long double before = start[line * UNA_SOFTMAX_WIDTH + c], truth = before + factor * d[c];
                assert_near((double)g[line * UNA_SOFTMAX_WIDTH + c], (double)truth, 0,
                            4 * EPSILON * (double)(fabsl(before) + fabsl(factor * d[c])));
            }
        }
    }
    una_arena_release(&run->scratch, mark);
}

static void steps_taken(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(33, UNA_FOR_TEST, 0);
    enum { N = 5 * UNA_PAD };
    una_mark mark = una_arena_mark(&run->scratch);
    float *start = random_block_f32(&run->scratch, &rng, N), *slope = random_block_f32(&run->scratch, &rng, N);
    float w[N], g[N];
    const una_kernels_f32 *set;

    for EACH_SET(set) {
        memcpy(w, start, sizeof w);
        memcpy(g, slope, sizeof g);
        una_sparse_kernels_of(set)->step(N, (float)0.75, (float)0.125, w, g);
        for (size_t i = 0; i < N; i++) {
            long double truth = 0.75L * start[i] - 0.125L * slope[i];
            double size = fabs((double)start[i]) + fabs((double)slope[i]);
            assert_near((double)w[i], (double)truth, 0, 4 * EPSILON * size);
            assert_true(g[i] == 0);
        }
    }
    una_arena_release(&run->scratch, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(combined), cmocka_unit_test(spread_out),
                                        cmocka_unit_test(steps_taken) };
    return cmocka_run_group_tests(tests, begin_run, end_run);
}
