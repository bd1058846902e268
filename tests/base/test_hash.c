/* SPDX-License-Identifier: MIT
 *
 * The keyed hash: SipHash-1-3 to the bit, another key for every run, one for all its tasks.
 */
#include "test_support.h"

#include "base/hash.h"

/* Key 00 01 .. 0f and text 00 01 ..: the first numbers are those of the test vectors that implementations of
 * SipHash-1-3 share; CPython 3.11 hashes bytes with it, and gave the same for all of them. */
static void vectors(void **state)
{
    (void)state;
    static const struct { size_t size; uint64_t hash; } known[] = {
        { 0, 0xabac0158050fc4dc }, { 1, 0xc9f49bf37d57ca93 }, { 7, 0xd3927d989bb11140 },
        { 8, 0x369095118d299a8e }, { 15, 0xd320d86d2a519956 }, { 63, 0x9d199062b7bbb3a8 }
    };
    una_hash_key key = { { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) } };
    unsigned char text[64];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(una_hash_bytes(key, text, known[i].size), known[i].hash);
}

/* Every length, read nowhere but where it is. */
static void lengths(void **state)
{
    (void)state;
    una_hash_key key = { { 1, 2 } };
    uint64_t seen[40];
    for (size_t n = 0; n < 40; n++) {
        unsigned char *text = malloc(n + 1);                 /* not aligned, and nothing behind it */
        memset(text, 'a', n + 1);
        seen[n] = una_hash_bytes(key, text + 1, n);
        for (size_t i = 0; i < n; i++) assert_true(seen[i] != seen[n]);
        free(text);
    }
}

static void numbers(void **state)
{
    (void)state;
    una_hash_key key = { { 3, 4 } };
    static const double values[] = { 0.0, -0.0, 1, NAN, -NAN };
    uint64_t hash[5];
    for (size_t i = 0; i < 5; i++) {
        una_hash h = una_hash_begin(key);
        una_hash_add_number(&h, values[i]);
        hash[i] = una_hash_end(h);
    }
    assert_true(hash[0] == hash[1] && hash[3] == hash[4] && hash[0] != hash[2] && hash[2] != hash[3]);
}

static una_status ask(void *context, size_t index, una_run *child)
{
    ((uint64_t *)context)[index] = una_hash_text(una_hash_key_of(child), "word");
    return UNA_OK;
}

static void keys(void **state)
{
    (void)state;
    una_run *run = quiet_run_threads(2), *other = quiet_run();
    uint64_t own = una_hash_text(una_hash_key_of(run), "word"), of_task[4];
    assert_true(own != una_hash_text(una_hash_key_of(other), "word"));
    assert_ok(una_pool(run, 4, ask, of_task), run);
    for (size_t i = 0; i < 4; i++) assert_true(of_task[i] == own);
    una_run_free(run);
    una_run_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors), cmocka_unit_test(lengths), cmocka_unit_test(numbers), cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
