/* SPDX-License-Identifier: MIT
 *
 * The fast way through rows of numbers gives what the careful one gives, bit by bit, and leaves to it what it does not
 * know.
 */
#include "test_support.h"

#include "read/csv.h"
#include "read/reader.h"

#include <stdlib.h>

static void numbers_agree(void **state)
{
    (void)state;
    static const char letters[] = "0123456789012345678900.--+eE, \nx";
    uint64_t s = 88172645463325252u;
    size_t taken = 0;
    for (int i = 0; i < 300000; i++) {
        char text[64] = {0};
        size_t length = 0;
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        if (i % 2) {
            uint64_t word = s;
            for (; length < 1 + (s >> 60) + (s >> 56 & 7); word = word * 6364136223846793005u + 1442695040888963407u)
                text[length++] = letters[(word >> 40) % (sizeof letters - 1)];
        } else {
            length = (size_t)snprintf(text, 40, "%.*g", (int)(s % 17) + 1,
                                      ldexp((double)(int64_t)s, -(int)(s >> 8 & 127)));
        }

        const char *at = text;
        double fast, careful;
        if (!una_number_at(&at, &fast)) continue;
        taken++;
        assert_true(at > text && at <= text + length);
        if (!una_parse_number(text, (size_t)(at - text), &careful))
            fail_msg("'%.*s' is no number", (int)(at - text), text);
        if (memcmp(&fast, &careful, sizeof fast) != 0)
            fail_msg("'%.*s': %a, not %a", (int)(at - text), text, fast, careful);
    }
    assert_true(taken > 150000);
}

static void what_it_leaves_alone(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "-", ".", "-.", "+1", " 1", "x", "1e", "1e+", "1e1234",
                                         "12345678901234567890", "1e999", "1e-40", "\"1\"", "NA",
                                         "0.12345678901234567890123" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64] = {0};
        snprintf(text, sizeof text, "%s", texts[i]);
        const char *at = text;
        double value;
        if (una_number_at(&at, &value)) fail_msg("'%s' was taken", text);
        assert_ptr_equal(at, text);
    }
}

static void rows_of_all_kinds(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file("a.csv", "a,b,c\n1,2,3\r\n,-0.5,1e2\n4,,6\n7,8,\n\"9\", 1 ,NA\n"
                                                     "1234567890123456789012,0.00001,-3"), run), run);
    const double truth[3][6] = { { 1, NAN, 4, 7, 9, 1234567890123456789012.0 }, { 2, -0.5, NAN, 8, 1, 0.00001 },
                                 { 3, 100, 6, NAN, NAN, -3 } };
    assert_int_equal(data->rows, 6);
    for (size_t c = 0; c < 3; c++)
        for (size_t r = 0; r < 6; r++) {
            double value = data->column[c].number[r];
            assert_true(isnan(truth[c][r]) ? isnan(value) : value == truth[c][r]);
            assert_int_equal(data->line[r], r + 2);
        }
    una_dataset_free(data);

    const una_wanted wanted[] = { { .name = "c", .is_text = false }, { .name = "a", .is_text = false } };
    una_reader *reader = NULL;
    const char *path = temp_text_file("b.csv", "a,b,c\n1,red,3\n4,\"x,y\",6\n7,,9\n");
    assert_ok(una_reader_open(&reader, path, wanted, 2, 2, run), run);           /* words in a column nobody wants */
    assert_ok(una_reader_next(&data, reader, 10), run);
    assert_true(data->rows == 3 && data->column[0].number[1] == 6 && data->column[1].number[2] == 7);
    una_dataset_free(data);
    una_reader_close(reader);

    assert_status(una_dataset_read(&data, temp_text_file("c.csv", "a,b\n1,2\n3,4,5\n"), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 3 has 3 cells where the header has 2");
    assert_status(una_dataset_read(&data, temp_text_file("c.csv", "a,b\n1,2\n3\n"), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 3 has 1 cell where the header has 2");
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_agree), cmocka_unit_test(what_it_leaves_alone), cmocka_unit_test(rows_of_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
