/* SPDX-License-Identifier: MIT
 *
 * Every kernel set of this machine, in both precisions, against sums in long double, closed forms and differences.
 * The checks are in kern_checks.h; the truth of activations is in activation_truth.h. Products by lists, similarity and
 * normals: test_slots.c.
 */
#include "activation_truth.h"


#include <float.h>

/* The difference in long double; for very small steps the average of act' instead (Simpson), which cannot cancel. */
static long double secant_truth(int act, long double z, long double u, long double delta)
{
    long double t = z + delta * u;
    if (fabsl(delta) > 2e-4L || (has_kink(act) && (z > 0) != (t > 0)))
        return (truth_0(act, t) - truth_0(act, z)) / delta;
    return u * (truth_1(act, z) + 4 * truth_1(act, (z + t) / 2) + truth_1(act, t)) / 6;
}

/* The closed forms agree with one another: first and second derivatives by differences of the values. */
static void truths(void **state)
{
    (void)state;
    const long double h = 1e-5L;
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for (long double z = -6.05L; z < 6; z += 0.1L) {
            assert_near((double)truth_1(act, z), (double)((truth_0(act, z + h) - truth_0(act, z - h)) / (2 * h)),
                1e-8, 1e-9 + truth_slack(act));
            assert_near((double)truth_2(act, z), (double)((truth_1(act, z + h) - truth_1(act, z - h)) / (2 * h)),
                1e-8, 1e-9 + 1e3 * truth_slack(act));
        }
}

#define EPSILON (sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON)
#define UNA_IN_BOTH "kern/kern_checks.h"
#include "kern/both.h"

/* A run names its set, and one that this machine has not is refused by name; so is a path that there is not. */
static void kernels_of_a_run(void **state)
{
    (void)state;
    una_run *run = NULL;
    assert_ok(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .kernels = "generic")), run);
    assert_string_equal(una_run_kernels(run), "generic");
    assert_ok(una_kernels_need(run), run);

    run->settings.kernels = "abacus";
    assert_string_equal(una_run_kernels(run), "none");
    assert_status(una_kernels_need(run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "'abacus'");

    run->settings.kernels = NULL;
    assert_string_equal(una_run_kernels(run), una_kernels_named_f32(NULL)->name);

    assert_int_equal(una_path_of(run), UNA_PATH_AUTO);
    run->settings.path = "auto";
    assert_ok(una_kernels_need(run), run);
    assert_int_equal(una_path_of(run), UNA_PATH_AUTO);
    run->settings.path = "plain";
    assert_ok(una_kernels_need(run), run);
    assert_int_equal(una_path_of(run), UNA_PATH_PLAIN);
    run->settings.path = "scenic";
    assert_status(una_kernels_need(run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "'scenic'");
    una_run_free(run);
}

#define BOTH(test) cmocka_unit_test(test##_f32), cmocka_unit_test(test##_f64)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truths),
        cmocka_unit_test(kernels_of_a_run),
        BOTH(names),
        BOTH(products),
        BOTH(every_tile),
        BOTH(empty_product),
        BOTH(rows_alone),
        BOTH(activations),
        BOTH(activation_differences),
        BOTH(activations_far_out),
        BOTH(secants),
        BOTH(secant_to_tangent),
        BOTH(secant_backward),
        BOTH(secant_differences),
        BOTH(small_ones),
        BOTH(adam_steps),
        BOTH(descents),
    };

    return cmocka_run_group_tests(tests, begin_run, end_run);
}
