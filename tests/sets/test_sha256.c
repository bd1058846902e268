/* SPDX-License-Identifier: MIT
 *
 * SHA-256 against the examples of FIPS 180-4 and NIST's test vectors, and at every length around the ends of blocks.
 */
#include "sets/sets_support.h"

#include "sets/sha256.h"

static void assert_sum(const char *text, size_t size, const char *wanted)
{
    char sum[UNA_SHA256_TEXT];
    una_sha256(sum, text, size);
    assert_string_equal(sum, wanted);
}

static void published_sums(void **state)
{
    (void)state;
    assert_sum("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sum("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_sum("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 112,
               "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");

    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    assert_sum(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* Where what is left of a block, the bit and the count meet its end: as coreutils' sha256sum has them. */
static void ends_of_blocks(void **state)
{
    (void)state;
    static const struct { size_t size; const char *sum; } cases[] = {
        { 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
        { 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
        { 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
        { 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
    };
    char text[80];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_sum(text, cases[i].size, cases[i].sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(published_sums), cmocka_unit_test(ends_of_blocks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
