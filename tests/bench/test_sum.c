/* SPDX-License-Identifier: MIT
 *
 * The sum of bytes: the same however it is cut, its formula, and no small change that it misses.
 */
#include "test_support.h"

#include "bench/sum.h"

enum { SIZE = 4096 };
static unsigned char text[SIZE];
static uint64_t state = 88172645463325252u;

static size_t below(size_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 8) % bound;
}

static uint64_t sum_of(const void *bytes, size_t size)
{
    una_sum s = una_sum_begin();
    una_sum_add(&s, bytes, size);
    return una_sum_end(&s);
}

static int digits(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < SIZE; i++) text[i] = (unsigned char)('0' + below(10));
    return 0;
}

static void cuts_do_not_matter(void **unused)
{
    (void)unused;
    for (size_t size = 0; size <= 200; size += 8) {
        for (size_t cut = 0; cut <= size; cut += 32) {
            una_sum s = una_sum_begin();
            una_sum_add(&s, text, cut);
            una_sum_add(&s, text + cut, size - cut);
            assert_true(una_sum_end(&s) == sum_of(text, size));
        }
    }
}

/* One word of 1: the first lane is rotate(1 + q, 31) p, the others are as they begin. */
static void formula(void **unused)
{
    (void)unused;
    const uint64_t p = UINT64_C(0x9E3779B185EBCA87), one = 1, h = UINT64_C(0xC2B2AE3D27D4EB4F) + 1;
    uint64_t lane[4] = { (h << 31 | h >> 33) * p, 2, 3, 4 }, all = 0;
    for (int i = 0; i < 4; i++) {
        all = (all ^ lane[i]) * p;
        all ^= all >> 29;
    }
    assert_true(sum_of(&one, 8) == all);
}

static void every_bit_counts(void **unused)
{
    (void)unused;
    for (size_t size = 8; size <= 72; size += 8) {
        uint64_t before = sum_of(text, size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            text[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true(sum_of(text, size) != before);
            text[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        assert_true(sum_of(text, size + 8) != before);
    }
}

/* Two digits of a text changed: anywhere, and where lanes of products alone forget most (last bytes of words). */
static void two_digits_count(void **unused)
{
    (void)unused;
    uint64_t before = sum_of(text, SIZE);
    size_t missed[2] = { 0, 0 };

    for (int trial = 0; trial < 200000; trial++) {
        bool last = trial % 2;
        size_t lane = 8 * below(4) + 7, i = below(SIZE), j = below(SIZE);
        if (last) {
            i = i / 32 * 32 + lane;
            j = j / 32 * 32 + lane;
        }

        unsigned char old_i = text[i], old_j = text[j];
        text[i] = (unsigned char)('0' + below(10));
        text[j] = (unsigned char)('0' + below(10));
        if (text[i] != old_i || text[j] != old_j) missed[last] += sum_of(text, SIZE) == before;
        text[i] = old_i;
        text[j] = old_j;
    }
    if (missed[0] + missed[1]) fail_msg("missed %zu changes, and %zu of last bytes", missed[0], missed[1]);
}

/* The signs of two numbers. */
static void two_signs_count(void **unused)
{
    (void)unused;
    uint64_t before = sum_of(text, 1024);
    for (size_t i = 7; i < 1024; i += 8) {
        for (size_t j = i + 8; j < 1024; j += 8) {
            text[i] ^= 0x80;
            text[j] ^= 0x80;
            assert_true(sum_of(text, 1024) != before);
            text[i] ^= 0x80;
            text[j] ^= 0x80;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_do_not_matter),
        cmocka_unit_test(formula),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(two_digits_count),
        cmocka_unit_test(two_signs_count),
    };
    return cmocka_run_group_tests(tests, digits, NULL);
}
