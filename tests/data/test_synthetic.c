/* SPDX-License-Identifier: MIT
 *
 * Made-up data: supports, noise levels and seeds.
 */
#include "one_run.h"

#include "data/table.h"

static double truth(const char *name, double x)
{
    return x * x * x + (name[0] == 's' ? 20 * exp(-x * x) * sin(10 * x) : 0);
}

/* n = 20000: the mean of the noise has a standard error of 0.021, its variance (9) one of 0.09. Five of each. */
static void curves(void **state)
{
    (void)state;
    static const char *const names[] = { "cubic", "squiggle", "cubic_full", "squiggle_full" };
    const size_t n = 20000;

    for (size_t k = 0; k < 4; k++) {
        una_dataset *data = NULL;
        assert_ok(una_dataset_synthetic(&data, names[k], n, 1, 3, run), run);
        assert_string_equal(data->column[0].name, "x");
        assert_string_equal(data->column[1].name, "y");
        assert_int_equal(data->columns, 2);

        double sum = 0, square = 0, x_sum = 0;
        size_t left = 0, inside = 0;
        for (size_t i = 0; i < n; i++) {
            double x = data->column[0].number[i], e = data->column[1].number[i] - truth(names[k], x);
            assert_true(x >= -4 && x <= 4);
            left += x < 0;
            inside += x > -2 && x < 2;
            sum += e;
            square += e * e;
            x_sum += fabs(x);
        }

        assert_near(sum / (double)n, 0, 0, 0.106);
        assert_near(square / (double)n, 9, 0, 0.45);
        if (k < 2) {
            assert_int_equal(left, n / 2);
            assert_int_equal(inside, 0);
            assert_near(x_sum / (double)n, 3, 0, 0.0205);
        } else {
            assert_near((double)inside / (double)n, 0.5, 0, 0.018);
        }
        una_dataset_free(data);
    }
}

static void shell(void **state)
{
    (void)state;
    const size_t n = 20000, d = 3;
    una_dataset *data = NULL;
    assert_ok(una_dataset_synthetic(&data, "radial", n, d, 3, run), run);
    assert_string_equal(data->column[0].name, "x1");
    assert_string_equal(data->column[3].name, "y");

    double square = 0, radii = 0, mean[3] = { 0 };
    for (size_t i = 0; i < n; i++) {
        double r2 = 0;
        for (size_t c = 0; c < d; c++) r2 += data->column[c].number[i] * data->column[c].number[i];
        double r = sqrt(r2), e = data->column[3].number[i] - r;
        assert_true(r > 1 - 1e-12 && r < 2 + 1e-12);
        for (size_t c = 0; c < d; c++) mean[c] += data->column[c].number[i] / r / (double)n;
        radii += r / (double)n;
        square += e * e / (double)n;
    }

    assert_near(radii, 1.5, 0, 0.0103);
    assert_near(square, 1e-5, 0.05, 0);
    for (size_t c = 0; c < d; c++) assert_near(mean[c], 0, 0, 0.0205);   /* variance of a direction's part: 1/3 */
    una_dataset_free(data);
}

static void seeds_and_refusals(void **state)
{
    (void)state;
    una_dataset *a = NULL, *b = NULL, *c = NULL;
    assert_ok(una_dataset_synthetic(&a, "cubic", 9, 0, 1, run), run);
    assert_ok(una_dataset_synthetic(&b, "cubic", 9, 1, 1, run), run);
    assert_ok(una_dataset_synthetic(&c, "cubic", 9, 1, 2, run), run);
    assert_memory_equal(a->column[1].number, b->column[1].number, 9 * sizeof(double));
    assert_true(a->column[0].number[0] != c->column[0].number[0]);
    una_dataset_free(a);
    una_dataset_free(b);
    una_dataset_free(c);

    assert_status(una_dataset_synthetic(&a, "qubic", 9, 1, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "did you mean 'cubic'?");
    assert_null(a);
    assert_status(una_dataset_synthetic(&a, "zzzzzzzzzzzz", 9, 1, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "there are cubic, squiggle");
    assert_status(una_dataset_synthetic(&a, "cubic", 0, 1, 1, run), UNA_E_USAGE, run);
    assert_status(una_dataset_synthetic(&a, "cubic", 9, 2, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "has one input, not 2");
    assert_status(una_dataset_synthetic(&a, "radial", SIZE_MAX / 4, 1000, 1, run), UNA_E_MEMORY, run);
}

static una_status make(void *context, una_run *other)
{
    (void)context;
    una_dataset *data = NULL;
    una_status status = una_dataset_synthetic(&data, "radial", 2000, 4, 1, other);
    una_dataset_free(data);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(make, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves), cmocka_unit_test(shell), cmocka_unit_test(seeds_and_refusals),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
