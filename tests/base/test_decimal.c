/* SPDX-License-Identifier: MIT
 *
 * Decimal digits by 128-bit integers: correctly rounded in (the library's strtod is the judge), shortest out (as many
 * digits as printf needs, at most).
 */
#include "test_support.h"

#include "base/base.h"

#include <stdlib.h>

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void words_are_rounded_correctly(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;
    size_t done = 0;

    for (int i = 0; i < 200000; i++) {
        uint64_t word = next(&s) >> (next(&s) % 64);
        int exponent = (int)(next(&s) % 64) - 32;
        if (i % 4 == 0) word = (word >> 11 << 1 | 1) << (next(&s) % 8), exponent = 0;    /* ties between two doubles */
        char text[64];
        double value;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)word, exponent);
        if (!una_decimal_value(&value, word, exponent)) continue;
        done++;
        if (value != strtod(text, NULL)) fail_msg("%s became %a, not %a", text, value, strtod(text, NULL));
    }

    double value;
    assert_false(una_decimal_value(&value, 0, 0));
    assert_false(una_decimal_value(&value, 1, 28));
    assert_false(una_decimal_value(&value, 1, -28));
#if defined(__SIZEOF_INT128__)
    assert_true(done > 100000);
#endif
}

static double invented(uint64_t *s, int i)
{
    double value;
    uint64_t word = next(s);
    switch (i % 5) {
    case 0: memcpy(&value, &word, sizeof value); return value;                   /* of any size */
    case 1: return (double)(word >> 11) * 0x1p-53 * 6 - 3;
    case 2: return (double)(int64_t)(word % 1000000) / 1000;                     /* few digits */
    case 3: return ldexp(1, (int)(word % 240) - 120);                            /* powers of two: uneven neighbours */
    default: return (double)(word >> word % 64);                                 /* whole numbers */
    }
}

static size_t digits_in(const char *text)
{
    size_t count = 0, zeros = 0;                                                 /* without zeros at either end */
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

static void texts_are_shortest_and_read_back(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;

    for (int i = 0; i < 200000; i++) {
        char text[32], plain[64];
        double value = invented(&s, i);
        if (!isfinite(value) || fabs(value) < 1e-300) continue;
        una_number_text(text, value);
        if (strtod(text, NULL) != value) fail_msg("%a became %s", value, text);
        int need = 15;
        for (; need <= 17; need++) {
            snprintf(plain, sizeof plain, "%.*g", need, value);
            if (strtod(plain, NULL) == value) break;
        }
        if (digits_in(text) > digits_in(plain)) fail_msg("%a became %s, and %s does", value, text, plain);
        if (i % 5 != 3 && strcmp(text, plain) != 0) fail_msg("%a became %s, not %s", value, text, plain);
    }

    char text[32];
    assert_string_equal(una_number_text(text, 0x1p-24), "5.960464477539063e-08");
    assert_string_equal(una_number_text(text, 1e15), "1e+15");
    assert_string_equal(una_number_text(text, -123456789012345.0), "-123456789012345");
    assert_string_equal(una_number_text(text, 0.0001), "0.0001");
    assert_string_equal(una_number_text(text, 0.00001), "1e-05");
    assert_string_equal(una_number_text(text, -0.0), "-0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_rounded_correctly),
        cmocka_unit_test(texts_are_shortest_and_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
