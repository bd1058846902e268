/* SPDX-License-Identifier: MIT
 *
 * Schedules against their formulas, their ends and their order.
 */
#include "test_support.h"

#include "base/option.h"
#include "opt/schedule.h"

static int named(const char *choices, const char *name)
{
    int index = una_choice(choices, name);
    if (index < 0) fail_msg("there is no schedule %s", name);
    return index;
}

static void diversity_formulas(void **state)
{
    (void)state;
    for (int i = 0; i <= 20; i++) {
        double u = i / 20.0;
        assert_near(una_schedule(named(UNA_SCHEDULES, "constant"), u), 1, 0, 0);
        assert_near(una_schedule(named(UNA_SCHEDULES, "sqrt"), u), pow(u, 0.5), 1e-15, 0);
        assert_near(una_schedule(named(UNA_SCHEDULES, "sigmoid"), u), exp(6 * u - 3) / (1 + exp(6 * u - 3)), 1e-14, 0);
        /* (tanh z + 1)/2 is the logistic function of 2z */
        assert_near(una_schedule(named(UNA_SCHEDULES, "tanh"), u), 1 / (1 + exp(6 - 12 * u)), 1e-12, 1e-15);
    }
    assert_near(una_schedule(named(UNA_SCHEDULES, "sigmoid"), 0.5), 0.5, 1e-15, 0);
    assert_near(una_schedule(named(UNA_SCHEDULES, "tanh"), 0.5), 0.5, 1e-15, 0);
}

static void diversity_grows(void **state)
{
    (void)state;
    for (int schedule = 0; schedule < 4; schedule++) {
        for (int i = 1; i <= 100; i++) {
            double before = una_schedule(schedule, (i - 1) / 100.0), now = una_schedule(schedule, i / 100.0);
            assert_true(now >= before && before >= 0 && now <= 1);
        }
        assert_true(una_schedule(schedule, 1) > 0.9);
    }
}

static void rates_fall_after_the_warm_up(void **state)
{
    (void)state;
    int constant = named(UNA_RATE_SCHEDULES, "constant"), cosine = named(UNA_RATE_SCHEDULES, "cosine");
    int linear = named(UNA_RATE_SCHEDULES, "linear");
    for (int i = 0; i <= 100; i++) assert_near(una_rate_schedule(constant, i / 100.0), 1, 0, 0);

    for (int schedule = cosine; schedule <= linear; schedule++) {
        assert_near(una_rate_schedule(schedule, 0), 0.01, 1e-12, 0);
        assert_near(una_rate_schedule(schedule, 0.01), 0.5, 1e-12, 0);
        assert_near(una_rate_schedule(schedule, 0.02), 1, 1e-12, 0);
        assert_near(una_rate_schedule(schedule, 0.51), 0.505, 1e-12, 0);     /* the middle of the fall */
        assert_near(una_rate_schedule(schedule, 1), 0.01, 1e-9, 1e-12);
        for (int i = 3; i <= 100; i++)
            assert_true(una_rate_schedule(schedule, i / 100.0) < una_rate_schedule(schedule, (i - 1) / 100.0));
    }

    double v = (0.3 - 0.02) / 0.98;
    assert_near(una_rate_schedule(cosine, 0.3), 0.01 + 0.99 * pow(cos(acos(-1) * v / 2), 2), 1e-12, 0);
    assert_near(una_rate_schedule(linear, 0.3), 1 - 0.99 * v, 1e-12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diversity_formulas),
        cmocka_unit_test(diversity_grows),
        cmocka_unit_test(rates_fall_after_the_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
