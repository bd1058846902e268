/* SPDX-License-Identifier: MIT
 *
 * The checks of test_distances.c in one precision. Included once with `real` float and once with double: no guard on
 * purpose. EPSILON is the unit of rounding; below LEAST exp is 0.
 */
#include "sets_here.h"

/* outer exp(inner a), and exactly 0 far below. */
static void REAL(exponentials)(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    static real a[COUNT], b[COUNT];
    const REAL(una_kernels) *set;
    const double inner = -0.5, outer = 3;

    for (size_t i = 0; i < COUNT; i++) a[i] = (real)(-2 * (20 + (double)i * (LEAST - 25) / COUNT));
    for EACH_SET(set) {
        set->pairs->exp(COUNT, (real)inner, a, (real)outer, b);
        for (size_t i = 0; i < COUNT; i++) {
            long double x = (long double)(real)inner * a[i], truth = 3 * expl(x);
            if (x < LEAST) assert_true(b[i] == 0);
            else if (!(fabsl(b[i] - truth) <= 6 * EPSILON * truth))
                fail_msg("%s: 3 exp(%Lg) = %.17g, not %.17Lg", set->name, x, (double)b[i], truth);
        }
    }
}

/* Every number of terms, so that those taken four at a time have all rests. */
static void REAL(squared_distances)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(21, UNA_FOR_TEST, 1);
    enum { WIDE = 3 * UNA_PAD, MOST = 11, A_STEP = 3, B_STRIDE = WIDE + UNA_PAD };
    una_mark mark = una_arena_mark(&run->scratch);
    real *a = REAL(random_block)(&run->scratch, &rng, MOST * A_STEP);
    real *b = REAL(random_block)(&run->scratch, &rng, MOST * B_STRIDE);
    real *w = REAL(random_block)(&run->scratch, &rng, WIDE), out[WIDE], sum[MOST * UNA_PAD];
    const REAL(una_kernels) *set;

    for EACH_SET(set)
        for (size_t count = 1; count <= MOST; count++) {
            memset(sum, 0, sizeof sum);
            const REAL(una_pair_rows) pairs = { WIDE, count, a, b, A_STEP, B_STRIDE };
            set->pairs->distances(&pairs, out);
            set->pairs->weighted_distances(&pairs, w, sum);

            for (size_t j = 0; j < WIDE; j++) {
                long double truth = 0;
                for (size_t d = 0; d < count; d++) truth += powl((long double)a[d * A_STEP] - b[d * B_STRIDE + j], 2);
                assert_near((double)out[j], (double)truth, 16 * EPSILON, 0);
            }
            for (size_t d = 0; d < count; d++) {
                long double truth = 0, size = 0, got = 0;
                for (size_t j = 0; j < WIDE; j++) {
                    long double term = w[j] * powl((long double)a[d * A_STEP] - b[d * B_STRIDE + j], 2);
                    truth += term;
                    size += fabsl(term);
                }
                for (size_t k = 0; k < UNA_PAD; k++) got += sum[d * UNA_PAD + k];
                assert_near((double)got, (double)truth, 0, 16 * EPSILON * (double)size);
            }
        }
    una_arena_release(&run->scratch, mark);
}
