/* SPDX-License-Identifier: MIT
 *
 * Random numbers: Philox4x32-10 against the known answers published with Random123, and the statistics of what is
 * made from it. Seeds are fixed, so nothing here fails by chance.
 */
#include "base/base.h"
#include "test_support.h"

/* A block is handed out last word first. */
static void block_is(una_rng rng, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t wanted[4] = { d, c, b, a };
    for (int i = 0; i < 4; i++) assert_int_equal(una_rng_u32(&rng), wanted[i]);
}

static void known_answers(void **state)
{
    (void)state;
    una_rng rng = {0};
    block_is(rng, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    rng = (una_rng){ .key = { 0xffffffff, 0xffffffff },
                     .counter = { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff } };
    block_is(rng, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    rng = (una_rng){ .key = { 0xa4093822, 0x299f31d0 },
                     .counter = { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 } };
    block_is(rng, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

static void streams_are_named(void **state)
{
    (void)state;
    una_rng rng = una_rng_at(UINT64_C(0x299f31d0a4093822), UNA_FOR_INIT, UINT64_C(0x0370734413198a2e));
    assert_int_equal(rng.key[0], 0xa4093822);
    assert_int_equal(rng.key[1], 0x299f31d0);
    assert_int_equal(rng.counter[1], UNA_FOR_INIT);
    assert_int_equal(rng.counter[2], 0x13198a2e);
    assert_int_equal(rng.counter[3], 0x03707344);

    una_rng a = una_rng_at(1, UNA_FOR_INIT, 0), same = una_rng_at(1, UNA_FOR_INIT, 0);
    una_rng seed = una_rng_at(2, UNA_FOR_INIT, 0), purpose = una_rng_at(1, UNA_FOR_DRAWS, 0);
    una_rng index = una_rng_at(1, UNA_FOR_INIT, 1);
    uint32_t first = una_rng_u32(&a);
    assert_int_equal(first, una_rng_u32(&same));
    assert_int_not_equal(first, una_rng_u32(&seed));
    assert_int_not_equal(first, una_rng_u32(&purpose));
    assert_int_not_equal(first, una_rng_u32(&index));

    /* The carry of the counter leaves the purpose alone. */
    a.counter[0] = UINT32_MAX;
    a.left = 0;
    una_rng_u32(&a);
    assert_int_equal(a.counter[0], 0);
    assert_int_equal(a.counter[1], UNA_FOR_INIT + 256);
}

static void uniform_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    double sum = 0, square = 0, least = 1, most = 0;

    for (int i = 0; i < N; i++) {
        double u = una_rng_uniform(&rng);
        sum += u;
        square += u * u;
        least = fmin(least, u);
        most = fmax(most, u);
    }

    assert_true(least >= 0 && most < 1 && least < 1e-3 && most > 1 - 1e-3);
    assert_near(sum / N, 0.5, 0, 4 * sqrt(1.0 / 12 / N));
    assert_near(square / N, 1.0 / 3, 0, 4 * sqrt(4.0 / 45 / N));
}

static void normal_moments(void **state)
{
    (void)state;
    enum { N = 400000 };
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 0);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, neighbours = 0, last = 0;
    size_t beyond = 0;

    for (int i = 0; i < N; i++) {
        double z = una_rng_normal(&rng);
        m1 += z;
        m2 += z * z;
        m3 += z * z * z;
        m4 += z * z * z * z;
        neighbours += z * last;
        last = z;
        beyond += fabs(z) > 1.959963984540054;
    }

    /* Variances of z, z^2, z^3, z^4: 1, 2, 15, 96; five standard errors. */
    assert_near(m1 / N, 0, 0, 5 * sqrt(1.0 / N));
    assert_near(m2 / N, 1, 0, 5 * sqrt(2.0 / N));
    assert_near(m3 / N, 0, 0, 5 * sqrt(15.0 / N));
    assert_near(m4 / N, 3, 0, 5 * sqrt(96.0 / N));
    assert_near(neighbours / N, 0, 0, 5 * sqrt(1.0 / N));
    assert_near((double)beyond / N, 0.05, 0, 5 * sqrt(0.05 * 0.95 / N));
}

static void below_is_fair(void **state)
{
    (void)state;
    enum { N = 70000, SIDES = 7 };
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, 0);
    size_t seen[SIDES] = {0};

    for (int i = 0; i < N; i++) {
        size_t side = una_rng_below(&rng, SIDES);
        assert_true(side < SIDES);
        seen[side]++;
    }

    double chi = 0;
    for (int i = 0; i < SIDES; i++) chi += pow((double)seen[i] - N / SIDES, 2) / (N / SIDES);
    assert_true(chi < 22.5);                             /* 6 degrees of freedom, p = 0.001 */

    assert_int_equal(una_rng_below(&rng, 1), 0);
    for (int i = 0; i < 100; i++) assert_true(una_rng_below(&rng, SIZE_MAX / 2 + 2) <= SIZE_MAX / 2 + 1);
}

static void permutations_are_fair(void **state)
{
    (void)state;
    enum { N = 48000 };
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 0);
    size_t seen[256] = {0};
    uint32_t index[4];

    for (int i = 0; i < N; i++) {
        una_rng_permute(&rng, index, 4);
        seen[index[0] | index[1] << 2 | index[2] << 4 | index[3] << 6]++;
    }

    double chi = 0, expected = N / 24.0;
    size_t kinds = 0;
    for (size_t i = 0; i < 256; i++) {
        if (!seen[i]) continue;
        kinds++;
        chi += pow((double)seen[i] - expected, 2) / expected;
    }
    assert_int_equal(kinds, 24);
    assert_true(chi < 49.8);                             /* 23 degrees of freedom, p = 0.001 */

    una_rng_permute(&rng, index, 0);
    una_rng_permute(&rng, index, 1);
    assert_int_equal(index[0], 0);
}

static void orders_begin_in_order(void **state)
{
    (void)state;
    enum { N = 1000 };
    una_run *run = quiet_run();
    uint32_t *order;
    assert_ok(una_order_new(&order, N, &run->scratch), run);
    for (size_t i = 0; i < N; i++) assert_int_equal(order[i], i);
    if (SIZE_MAX > UINT32_MAX) {
        assert_status(una_order_new(&order, (size_t)UINT32_MAX + 1, &run->scratch), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "at most 4294967295 rows");
        assert_says(una_run_message(run), "there are 4294967296");
    }
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers), cmocka_unit_test(streams_are_named), cmocka_unit_test(uniform_moments),
        cmocka_unit_test(normal_moments), cmocka_unit_test(below_is_fair), cmocka_unit_test(permutations_are_fair),
        cmocka_unit_test(orders_begin_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
