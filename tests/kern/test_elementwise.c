/* SPDX-License-Identifier: MIT
 *
 * The functions inside the element-wise kernels in float: exp, tanh, ln, Philox and Box-Muller, against long double,
 * Random123 and its published answers. In units of the last place of the true value.
 */
#include "test_support.h"

#include "kern/kern.h"

#include <Random123/philox.h>
#include <float.h>

#define UNA_REAL_f32
#include "kern/elementwise.h"

static const una_kernels_f32 slots = { ELEMENTWISE_SLOTS };

/* Spacing of floats at |x|. */
static double unit_at(long double x)
{
    float size = (float)(x < 0 ? -x : x);
    if (size < FLT_MIN) return 0x1p-149;
    return (double)nextafterf(size, INFINITY) - (double)size;
}

static double units_off(float got, long double truth)
{
    double off = (double)((long double)got - truth);
    return (off < 0 ? -off : off) / unit_at(truth);
}

static void exponentials(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i <= 870000; i++) {
        float x = (float)i * -1e-4f, got = exp_of(x);
        double off = units_off(got, expl((long double)x));
        if (off > worst) worst = off;
    }

    print_message("exp: at most %.2f units off\n", worst);
    assert_true(worst <= 4);
    assert_true(exp_of(0) == 1);
    assert_true(exp_of(-88) == exp_of(-87));                     /* below it nothing becomes smaller */
    assert_true(exp_of(-1e30f) == exp_of(-87));
    assert_true(isnan(exp_of(NAN)));
}

static void hyperbolic_tangents(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = -120000; i <= 120000; i++) {
        float x = (float)i * 1e-4f, got = tanh_of(x);
        double off = units_off(got, tanhl((long double)x));
        if (off > worst) worst = off;
        assert_true(got == -tanh_of(-x));
        assert_true(got >= -1 && got <= 1);
    }
    for (float x = 1; x > 1e-37f; x *= 0.83f) {
        double off = units_off(tanh_of(x), tanhl((long double)x));
        if (off > worst) worst = off;
    }

    print_message("tanh: at most %.2f units off\n", worst);
    assert_true(worst <= 4);
    assert_true(tanh_of(0) == 0);
    assert_true(tanh_of(30) == 1 && tanh_of(-30) == -1 && tanh_of(1e30f) == 1 && tanh_of(-1e30f) == -1);
    assert_true(isnan(tanh_of(NAN)));
}

static void logarithms(void **state)
{
    (void)state;
    double worst = 0;
    for (uint32_t i = 1; i <= 1u << 24; i += i < 4096 || i > (1u << 24) - 4096 ? 1 : 61) {
        float x = (float)i * 0x1p-24f;
        double off = units_off(log_of(x), logl((long double)x));
        if (off > worst) worst = off;
    }
    print_message("ln: at most %.2f units off\n", worst);
    assert_true(worst <= 4);
    assert_true(log_of(1) == 0);
}

/* The four corners of the circle, the largest radius and the smallest. */
static void corners(void **state)
{
    (void)state;
    const double most = sqrt(48 * log(2.0));                     /* u = 2^-24 */
    const double cosine[] = { 1, 0, -1, 0 }, sine[] = { 0, 1, 0, -1 };
    float x, y;

    for (uint32_t quadrant = 0; quadrant < 4; quadrant++) {
        box_muller(0, quadrant << 30, &x, &y);
        assert_near((double)x, most * cosine[quadrant], 0, 2e-6);
        assert_near((double)y, most * sine[quadrant], 0, 2e-6);
        box_muller(0, (quadrant << 30) + 0x20000000u, &x, &y);   /* where one series takes over from the next */
        assert_near((double)x * (double)x, (double)y * (double)y, 1e-6, 0);
        assert_near((double)x * (double)x + (double)y * (double)y, most * most, 1e-6, 0);
        box_muller(0xffffffffu, quadrant << 30, &x, &y);
        assert_true(x == 0 && y == 0);
    }
}

/* Published answers of Random123 (kat_vectors: philox4x32, 10 rounds), then any block of the library. */
static void philox_blocks(void **state)
{
    (void)state;
    const struct { uint32_t counter[4], key[2], word[4]; } known[] = {
        { { 0 }, { 0 }, { 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u } },
        { { 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu }, { 0xffffffffu, 0xffffffffu },
          { 0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu } },
        { { 0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u }, { 0xa4093822u, 0x299f31d0u },
          { 0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u } },
    };

    uint32_t word[4][LANE];
    for (size_t k = 0; k < 3; k++) {
        philox(known[k].key, known[k].counter, 0, word);
        for (size_t w = 0; w < 4; w++) assert_true(word[w][0] == known[k].word[w]);

        philox(known[k].key, known[k].counter, 48, word);
        for (uint32_t i = 0; i < LANE; i++) {
            const uint32_t *from = known[k].counter;
            philox4x32_ctr_t at = {{ from[0] + 48 + i, from[1], from[2], from[3] }};
            philox4x32_key_t key = {{ known[k].key[0], known[k].key[1] }};
            philox4x32_ctr_t words = philox4x32(at, key);
            for (size_t w = 0; w < 4; w++) assert_true(word[w][i] == words.v[w]);
        }
    }
}

/* tanh in the sets that this machine runs, compiled with their own flags: as exact as here. */
static void tanh_of_every_set(void **state)
{
    (void)state;
    enum { COUNT = 8000 };
    static float z[COUNT], h[COUNT], d[COUNT];
    const char *const names[] = { "generic", "avx2", "avx512" };
    const float bias[8] = { 0 };

    for (size_t k = 0; k < 4; k++) {
        const una_kernels_f32 *set = k < 3 ? una_kernels_named_f32(names[k]) : &slots;
        double worst = 0;
        if (!set) continue;

        for (size_t i = 0; i < COUNT; i++) z[i] = ((float)i - COUNT / 2) * 0.0023f;
        set->activate(UNA_TANH, COUNT / 8, 8, bias, (una_activated_f32){ z, h, d, NULL });
        for (size_t i = 0; i < COUNT; i++) {
            double off = units_off(h[i], tanhl((long double)z[i]));
            if (off > worst) worst = off;
        }
        assert_true(worst <= 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials),
        cmocka_unit_test(hyperbolic_tangents),
        cmocka_unit_test(logarithms),
        cmocka_unit_test(corners),
        cmocka_unit_test(philox_blocks),
        cmocka_unit_test(tanh_of_every_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
