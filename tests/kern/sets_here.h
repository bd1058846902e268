/* SPDX-License-Identifier: MIT
 *
 * What the checks of kernels share, in one precision: the sets that this machine can run, and blocks of random numbers.
 * Included once with `real` float and once with double: no guard on purpose.
 */
static const REAL(una_kernels) *REAL(each_set)(size_t *at)
{
    static const char *const names[] = { "generic", "avx2", "avx512" };
    while (*at < 3) {
        const REAL(una_kernels) *set = REAL(una_kernels_named)(names[(*at)++]);
        if (set) return set;                                     /* what this machine cannot run is left out */
    }
    return NULL;
}
#define EACH_SET(set) (size_t set##_at = 0; ((set) = REAL(each_set)(&set##_at)) != NULL;)

static real *REAL(random_block)(una_arena *arena, una_rng *rng, size_t n)
{
    real *block = UNA_GET(arena, real, n);
    assert_non_null(block);
    for (size_t i = 0; i < n; i++) block[i] = (real)una_rng_normal(rng);
    return block;
}
