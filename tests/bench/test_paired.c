/* SPDX-License-Identifier: MIT
 *
 * Statistics of claims against printed tables (Student's t), counting by hand (signed ranks) and closed forms (Wilson).
 */
#include "test_support.h"

#include "bench/paired.h"
#include "model/kind.h"

const una_kind *const una_kinds[] = { NULL };

static void intervals_are_students(void **state)
{
    /* 0.975 quantiles as tables print them. */
    static const struct { size_t freedom; double t; } printed[] = {
        { 1, 12.7062 }, { 2, 4.30265 }, { 3, 3.18245 }, { 4, 2.77645 }, { 9, 2.26216 }, { 10, 2.22814 },
        { 29, 2.04523 }, { 120, 1.97993 }
    };
    una_run *run = quiet_run();
    double d[128];
    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        size_t n = printed[i].freedom + 1;
        double square = 0;
        una_paired p;
        for (size_t k = 0; k < n; k++) d[k] = k % 2 ? 1.5 : -0.5;
        assert_ok(una_paired_of(&p, d, n, run), run);
        double mean = n % 2 ? 0.5 - 1 / (double)n : 0.5;
        for (size_t k = 0; k < n; k++) square += (d[k] - mean) * (d[k] - mean);
        double sd = sqrt(square / (double)(n - 1));
        assert_near(p.mean, mean, 1e-12, 0);
        assert_near(p.sd, sd, 1e-12, 0);
        assert_near(p.high - p.mean, printed[i].t * sd / sqrt((double)n), 3e-6, 0);
        assert_near(p.low + p.high, 2 * mean, 0, 1e-9);
        assert_int_equal(p.above, n / 2);
    }
    una_run_free(run);
}

static void ranks_are_counted(void **state)
{
    const double all[] = { 1, 2, 3, 4, 5, NAN, 6, 7, 8, 9, 10 }, some[] = { 0.3, -0.1, 0.25, 0.6, 0.05, 0.4, -0.2 };
    const double tied[] = { 1, 1, -1, 2, 3, 0, 2.5, -0.5 }, few[] = { 1, 2, 3, 4 }, none[] = { INFINITY, NAN };
    una_run *run = quiet_run();
    una_paired p;
    (void)state;
    assert_ok(una_paired_of(&p, all, 11, run), run);
    assert_int_equal(p.count, 10);
    assert_near(p.p, 2.0 / 1024, 1e-12, 0);
    assert_int_equal(una_paired_least(&p, 0), UNA_HOLDS);
    assert_int_equal(una_paired_least(&p, 5), UNA_CANNOT_TELL);
    assert_int_equal(una_paired_least(&p, 9), UNA_DOES_NOT_HOLD);
    /* ranks against it: 2 and 3; sets of ranks with a sum up to 5: 1 + 1 + 1 + 2 + 2 + 3 of 128 */
    assert_ok(una_paired_of(&p, some, 7, run), run);
    assert_near(p.p, 20.0 / 128, 1e-12, 0);
    /* 0 goes; ranks 1, 3 3 3, 5, 6, 7; 24 are for it, 14 expected, variance 35 - 24 / 48 */
    assert_ok(una_paired_of(&p, tied, 8, run), run);
    assert_near(p.p, erfc(9.5 / sqrt(34.5) / sqrt(2)), 1e-12, 0);
    assert_ok(una_paired_of(&p, few, 4, run), run);
    assert_true(isnan(p.p));
    assert_ok(una_paired_of(&p, none, 2, run), run);
    assert_int_equal(p.count, 0);
    assert_int_equal(una_paired_least(&p, 0), UNA_CANNOT_TELL);
    una_run_free(run);
}

static void two_pairs_decide_nothing(void **state)
{
    const double d[] = { 1, 1 };
    una_run *run = quiet_run();
    una_paired p;
    (void)state;
    assert_ok(una_paired_of(&p, d, 2, run), run);
    assert_near(p.low, 1, 0, 0);
    assert_int_equal(una_paired_least(&p, 0), UNA_CANNOT_TELL);
    assert_ok(una_paired_of(&p, d, 1, run), run);
    assert_true(isinf(p.low) && isinf(p.high));
    una_run_free(run);
}

static void pairs_are_of_one_seed_and_split(void **state)
{
    /* fits of a: seeds 1, 2, 3 of split 0; of b: 3 and 1 of split 0, 2 of split 1 */
    una_row fits[6] = { { .key = { .seed = 1 } }, { .key = { .seed = 2 } }, { .key = { .seed = 3 } },
                        { .key = { .seed = 3 } }, { .key = { .seed = 1 } }, { .key = { .seed = 2, .split = 1 } } };
    const double value[12] = { 0, 10, 0, 20, 0, 30, 0, 1, 0, 2, 0, 3 };
    una_findings f = { .fits = fits, .value = value, .count = 6, .measures = 2 };
    una_group a = { "a", 0, 3, &f }, b = { "b", 3, 3, &f };
    una_run *run = quiet_run();
    una_paired p;
    (void)state;
    assert_ok(una_paired_groups(&p, &a, &b, 1, run), run);
    assert_int_equal(p.count, 2);
    assert_near(p.mean, (8 + 29) / 2.0, 1e-12, 0);
    una_run_free(run);
}

/* The measure times a factor; of one fit there is nothing to say. */
static double scaled(const una_findings *f, size_t fit, const void *context)
{
    const double *factor = context;
    return fit == 2 ? NAN : *factor * una_findings_value(f, fit, 1);
}

static void margins_are_of_the_group(void **state)
{
    una_row fits[4] = { { .key = { .seed = 1 } }, { .key = { .seed = 2 } }, { .key = { .seed = 3 } },
                        { .key = { .seed = 2, .split = 1 } } };
    const double value[8] = { 0, 10, 0, 20, 0, 30, 0, 40 }, factor = 0.5;
    una_findings f = { .fits = fits, .value = value, .count = 4, .measures = 2 };
    una_group group = { "a", 1, 3, &f };
    una_run *run = quiet_run();
    una_paired p;
    (void)state;
    assert_ok(una_paired_each(&p, &group, scaled, &factor, run), run);
    assert_int_equal(p.count, 2);
    assert_near(p.mean, 15, 1e-12, 0);

    assert_int_equal(una_group_fit(&group, &(una_row_key){ .seed = 2 }), 1);
    assert_int_equal(una_group_fit(&group, &(una_row_key){ .seed = 2, .split = 1 }), 3);
    assert_true(una_group_fit(&group, &fits[0].key) == SIZE_MAX);         /* of no fit of the group */
    una_run_free(run);
}

static void groups_are_found_by_data_and_spec(void **state)
{
    una_row fits[3] = { { .key = { .spec = "gp", .data = "here" } }, { .key = { .spec = "nlm", .data = "here" } },
                        { .key = { .spec = "nlm", .data = "there" } } };
    una_findings f;
    una_group groups[3] = { { "gp", 0, 1, &f }, { "nlm", 1, 1, &f }, { "nlm", 2, 1, &f } };
    f = (una_findings){ .fits = fits, .count = 3, .groups = groups, .group_count = 3 };
    (void)state;
    assert_ptr_equal(una_findings_on(&f, NULL, "here"), &groups[0]);
    assert_ptr_equal(una_findings_on(&f, "nlm", "here"), &groups[1]);
    assert_ptr_equal(una_findings_on(&f, NULL, "there"), &groups[2]);
    assert_null(una_findings_on(&f, "gp", "there"));
}

static void claims_need_whole_intervals(void **state)
{
    const una_paired wide = { .count = 3, .low = -1, .high = 2 }, few = { .count = 2, .low = 1, .high = 1 };
    (void)state;
    assert_int_equal(una_paired_most(&wide, 2), UNA_HOLDS);
    assert_int_equal(una_paired_most(&wide, 0), UNA_CANNOT_TELL);
    assert_int_equal(una_paired_most(&wide, -1), UNA_CANNOT_TELL);
    assert_int_equal(una_paired_most(&wide, -1.5), UNA_DOES_NOT_HOLD);
    assert_int_equal(una_paired_most(&few, 2), UNA_CANNOT_TELL);
    assert_int_equal(una_paired_within(&wide, 2), UNA_HOLDS);
    assert_int_equal(una_paired_within(&wide, 1.5), UNA_CANNOT_TELL);
    assert_int_equal(una_paired_within(&(una_paired){ .count = 3, .low = 1, .high = 2 }, 0.5), UNA_DOES_NOT_HOLD);
    assert_int_equal(una_paired_within(&(una_paired){ .count = 3, .low = -2, .high = -1 }, 0.5), UNA_DOES_NOT_HOLD);

    assert_int_equal(una_holding_both(UNA_HOLDS, UNA_HOLDS), UNA_HOLDS);
    assert_int_equal(una_holding_both(UNA_HOLDS, UNA_CANNOT_TELL), UNA_CANNOT_TELL);
    assert_int_equal(una_holding_both(UNA_CANNOT_TELL, UNA_HOLDS), UNA_CANNOT_TELL);
    assert_int_equal(una_holding_both(UNA_CANNOT_TELL, UNA_DOES_NOT_HOLD), UNA_DOES_NOT_HOLD);
    assert_int_equal(una_holding_not(UNA_HOLDS), UNA_DOES_NOT_HOLD);
    assert_int_equal(una_holding_not(UNA_DOES_NOT_HOLD), UNA_HOLDS);
    assert_int_equal(una_holding_not(UNA_CANNOT_TELL), UNA_CANNOT_TELL);
}

static void sentences_name_the_numbers(void **state)
{
    const double d[] = { 1, 2, 3, 4, 5, 6 };
    una_run *run = quiet_run();
    una_text text = una_text_in(&run->scratch);
    una_paired p;
    (void)state;
    assert_ok(una_paired_of(&p, d, 6, run), run);
    una_paired_put(&text, &p);
    assert_string_equal(text.at, "3.5 (95 % interval 1.54 to 5.46, Wilcoxon p 0.031, above 0 in 6 of 6)");
    text = una_text_in(&run->scratch);
    assert_ok(una_paired_of(&p, d, 1, run), run);
    una_paired_put(&text, &p);
    assert_string_equal(text.at, "1 (above 0 in 1 of 1)");
    text = una_text_in(&run->scratch);
    assert_ok(una_paired_of(&p, d, 0, run), run);
    una_paired_put(&text, &p);
    assert_string_equal(text.at, "no pairs");
    una_run_free(run);
}

static void assert_share_text(una_share share, const char *wanted)
{
    una_run *run = quiet_run();
    una_text text = una_text_in(&run->scratch);
    una_share_put(&text, &share);
    assert_string_equal(text.at, wanted);
    una_run_free(run);
}

static void shares_are_wilsons(void **state)
{
    const double z = 1.959963984540054;
    una_share all = una_share_of(10, 10), none = una_share_of(0, 10), most = una_share_of(8, 10);
    una_share two = una_share_of(2, 2), miss = una_share_of(9, 10), nothing = una_share_of(0, 0);
    (void)state;
    assert_near(all.low, 10 / (10 + z * z), 1e-12, 0);
    assert_near(all.high, 1, 0, 0);
    assert_near(none.high, z * z / (10 + z * z), 1e-12, 0);
    /* the ends solve (p - share)^2 = z^2 p (1 - p) / n */
    assert_near((most.low - 0.8) * (most.low - 0.8), z * z * most.low * (1 - most.low) / 10, 1e-12, 0);
    assert_near((most.high - 0.8) * (most.high - 0.8), z * z * most.high * (1 - most.high) / 10, 1e-12, 0);

    assert_int_equal(una_share_least(&all, 1), UNA_HOLDS);
    assert_int_equal(una_share_least(&miss, 1), UNA_DOES_NOT_HOLD);
    assert_int_equal(una_share_least(&two, 1), UNA_CANNOT_TELL);
    assert_int_equal(una_share_least(&nothing, 1), UNA_CANNOT_TELL);
    assert_int_equal(una_share_least(&all, 0.7), UNA_HOLDS);
    assert_int_equal(una_share_least(&most, 0.7), UNA_CANNOT_TELL);
    assert_int_equal(una_share_least(&none, 0.5), UNA_DOES_NOT_HOLD);
    assert_share_text(all, "10 of 10 seeds (at least 72 %)");
    assert_share_text(none, "0 of 10 seeds (at most 28 %)");
    assert_share_text(most, "8 of 10 seeds (49 to 94 %)");
    assert_share_text(nothing, "0 of 0 seeds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_students),
        cmocka_unit_test(ranks_are_counted),
        cmocka_unit_test(two_pairs_decide_nothing),
        cmocka_unit_test(pairs_are_of_one_seed_and_split),
        cmocka_unit_test(margins_are_of_the_group),
        cmocka_unit_test(groups_are_found_by_data_and_spec),
        cmocka_unit_test(claims_need_whole_intervals),
        cmocka_unit_test(sentences_name_the_numbers),
        cmocka_unit_test(shares_are_wilsons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
