/* SPDX-License-Identifier: MIT
 *
 * Mirrored and moved images: what may come of one, and nothing else.
 */
#include "test_support.h"

#include "train/training_job.h"
#include "model/kind.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

enum { H = 3, W = 4, C = 2, EACH = H * W * C, MANY = 400 };

static float pixel(size_t i, size_t j, size_t k)
{
    return (float)(100 * i + 10 * j + k);
}

static void make(float *x, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t p = 0; p < EACH; p++) x[r * EACH + p] = pixel(p / C / W, p / C % W, p % C);
}

static size_t clamped(long at, size_t size)
{
    return at < 0 ? 0 : at >= (long)size ? size - 1 : (size_t)at;
}

static bool is_moved(const float *image, bool flip, long down, long right)
{
    for (size_t i = 0; i < H; i++)
        for (size_t j = 0; j < W; j++)
            for (size_t k = 0; k < C; k++) {
                size_t column = clamped((long)j - right, W);
                float wanted = pixel(clamped((long)i - down, H), flip ? W - 1 - column : column, k);
                if (image[(i * W + j) * C + k] != wanted) return false;
            }
    return true;
}

/* Every image is one of the 18 that may be, and each of these comes up. */
static void all_that_may_be(void **state)
{
    static float x[MANY * EACH];
    float spare[EACH];
    size_t seen[2][3][3] = {{{0}}};
    una_augment how = { { H, W, C }, true, 1 };
    una_rng rng = una_rng_at(1, UNA_FOR_AUGMENT, 0);
    (void)state;
    make(x, MANY);
    una_augment_rows(&how, &rng, x, MANY, spare);
    for (size_t r = 0; r < MANY; r++) {
        size_t fits = 0;
        for (int flip = 0; flip < 2; flip++)
            for (long down = -1; down <= 1; down++)
                for (long right = -1; right <= 1; right++)
                    if (is_moved(x + r * EACH, flip, down, right)) {
                        seen[flip][down + 1][right + 1]++;
                        fits++;
                    }
        assert_int_equal(fits, 1);
    }
    for (size_t i = 0; i < 18; i++) assert_true(seen[i / 9][i / 3 % 3][i % 3] > 0);
}

static void nothing_by_itself(void **state)
{
    float x[EACH], before[EACH], spare[EACH];
    una_augment how = { { H, W, C }, false, 0 };
    una_rng rng = una_rng_at(1, UNA_FOR_AUGMENT, 0);
    (void)state;
    make(x, 1);
    memcpy(before, x, sizeof x);
    una_augment_rows(&how, &rng, x, 1, spare);
    assert_memory_equal(x, before, sizeof x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_that_may_be), cmocka_unit_test(nothing_by_itself) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
