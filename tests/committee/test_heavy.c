/* SPDX-License-Identifier: MIT
 *
 * Heavy tails by out-of-fold errors: Gaussian errors keep Gaussian noise, t errors and outliers are found with their
 * scale, a shape is not taken for tails nor tails for a shape; weights of rows.
 */
#include "test_support.h"

#include "committee/heavy.h"
#include "la/la.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

enum { MOST = 1000 };
static double targets[MOST];

/* Predictions of 0 with variance `var`. */
static una_oof flat_oof(size_t rows, double var, una_run *run)
{
    una_oof oof;
    assert_ok(una_oof_init(&oof, 1, rows, targets, &run->scratch), run);
    for (size_t i = 0; i < rows; i++) oof.mean[i] = 0, oof.var[i] = var;
    return oof;
}

static double gaussian(una_rng *rng) { return 0.3 * una_rng_normal(rng); }
static double outlying(una_rng *rng) { return (una_rng_uniform(rng) < 0.03 ? 6 : 0.3) * una_rng_normal(rng); }

/* Scale 0.3, four degrees of freedom: chi-square of four is a sum of two exponentials. */
static double student(una_rng *rng)
{
    double z = una_rng_normal(rng), chi = -2 * log(una_rng_uniform(rng)) - 2 * log(una_rng_uniform(rng));
    return 0.3 * z / sqrt(chi / 4);
}

static una_heavy_choice chosen(double (*error)(una_rng *rng), size_t rows, uint64_t seed, una_oof *oof, una_run *run)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, rows);
    *oof = flat_oof(rows, 0.01, run);
    for (size_t i = 0; i < rows; i++) targets[i] = error(&rng) + 0.1 * una_rng_normal(&rng);
    return una_heavy_choose(oof);
}

static void gaussian_errors_stay_gaussian(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t wrong = 0;
    const size_t rows[] = { 60, 300, 1000 };
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (size_t k = 0; k < 3; k++) {
            una_oof oof;
            una_heavy_choice c = chosen(gaussian, rows[k], 1000 + seed, &oof, run);
            wrong += isfinite(c.freedom);
            assert_true(c.spread < 2.5);                 /* which alone would train features again */
        }
    print_message("%zu of 60 with heavy tails\n", wrong);
    assert_true(wrong <= 3);
    una_run_free(run);
}

static void tails_are_found_with_their_scale(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        for (int outliers = 0; outliers <= 1; outliers++) {
            una_oof oof;
            una_tails tails;
            una_heavy_choice c = chosen(outliers ? outlying : student, 1000, 1000 + seed, &oof, run);
            assert_true(isfinite(c.freedom));
            found += outliers ? c.freedom < 1 : c.freedom >= 3 && c.freedom <= 6;
            if (outliers) assert_true(c.spread > 2.5);
            una_tails_make(&tails, c.freedom);
            oof.tails = &tails;
            double scale = sqrt(una_oof_noise(&oof) * una_tails_square_scale(&tails));
            print_message("tails %g, scale %.3f\n", c.freedom, scale);
            assert_near(scale, 0.3, 0.15, 0);
        }
    }
    assert_true(found >= 9);
    una_run_free(run);
}

/* Loud rows and quiet ones: tails where nobody says which are loud, none where the shape does. */
static void a_shape_explains_what_looks_like_tails(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    enum { ROWS = 600 };
    una_oof oof = flat_oof(ROWS, 0, run);
    una_rng rng = una_rng_at(1001, UNA_FOR_TEST, 0);
    una_noise *noise = NULL;
    double *shape = UNA_GET(&run->scratch, double, ROWS), *none = UNA_GET(&run->scratch, double, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        shape[i] = i % 2 ? 9 : 1.0 / 9;
        none[i] = exp(0.1 * una_rng_normal(&rng));
        targets[i] = 0.3 * sqrt(shape[i]) * una_rng_normal(&rng);
    }
    assert_true(isfinite(una_heavy_choose(&oof).freedom));
    oof.shape = shape;
    assert_true(!isfinite(una_heavy_choose_beside(&noise, &oof, false).freedom));
    assert_ptr_equal(oof.shape, shape);

    for (size_t i = 0; i < ROWS; i++) targets[i] = student(&rng);        /* and a shape that explains nothing goes */
    oof.shape = none;
    assert_true(isfinite(una_heavy_choose_beside(&noise, &oof, true).freedom));
    assert_ptr_equal(oof.shape, none);
    assert_true(isfinite(una_heavy_choose_beside(&noise, &oof, false).freedom));
    assert_null(oof.shape);
    una_run_free(run);
}

static void rows_count_by_their_errors(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    enum { ROWS = 6, HELD = 3 };
    una_oof oof = flat_oof(ROWS, 0, run);
    una_tails t;
    una_tails_make(&t, 4);
    oof.tails = &t;
    for (size_t i = 0; i < ROWS; i++) targets[i] = 0.5 * (double)i;
    oof.mean[2] = NAN;
    una_problem p = { .x = { NULL, ROWS, 1, 1 }, .folds = 2 };
    const double *weight;
    assert_ok(una_heavy_weights(&weight, &oof, 0.02, &p, run), run);     /* s^2 = 0.01 */
    for (size_t i = 0; i < ROWS; i++)
        assert_near(weight[i], i == 2 ? 0.5 : 5.0 / 7 * 5 / (4 + targets[i] * targets[i] / 0.01), 2e-3, 0);

    una_problem held = { .x = { NULL, 2, 1, 1 }, .valid_x = { NULL, ROWS, 1, 1 } };      /* those that train have no error */
    assert_ok(una_heavy_weights(&weight, &oof, 0.02, &held, run), run);
    assert_near(weight[0], 0.5, 1e-15, 0);
    assert_near(weight[1], 0.5, 1e-15, 0);
    assert_near(weight[2], 25.0 / 28, 2e-3, 0);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_errors_stay_gaussian), cmocka_unit_test(tails_are_found_with_their_scale),
        cmocka_unit_test(a_shape_explains_what_looks_like_tails), cmocka_unit_test(rows_count_by_their_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
