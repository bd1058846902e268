/* SPDX-License-Identifier: MIT
 *
 * What follows from out-of-fold predictions: the noise against a simulation whose noise, bias and spread are known and
 * against its formula written out pair by pair; the weights against a search over all weights; repeats without
 * predictions.
 */
#include "test_support.h"

#include "committee/oof.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

enum { MOST_ROWS = 4000, MOST_ROUNDS = 4 };

static double targets[MOST_ROWS];

static una_oof new_oof(size_t repeats, size_t rows, una_run *run)
{
    una_oof oof;
    assert_ok(una_oof_init(&oof, repeats, rows, targets, &run->scratch), run);
    return oof;
}

/* y = f + e,  e of std `noise`; a training says f + bias + chance, all of std `spread`: the bias is what trainings have
 * in common, the chance is each one's own. */
static void simulate(una_oof *oof, double noise, double bias, double spread, uint64_t seed)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, oof->rows);
    for (size_t i = 0; i < oof->rows; i++) {
        double f = una_rng_normal(&rng), common = bias * una_rng_normal(&rng);
        targets[i] = f + noise * una_rng_normal(&rng);
        for (size_t r = 0; r < oof->repeats; r++) {
            oof->mean[r * oof->rows + i] = f + common + spread * una_rng_normal(&rng);
            oof->var[r * oof->rows + i] = 0;
        }
    }
}

static void one_sort(una_oof *oof)
{
    for (size_t r = 0; r < oof->repeats; r++) oof->stratum[r] = 0;
    oof->strata = 1;
}

/* ---- noise -------------------------------------------------------------------------------------------------- */

/* Trainings that err together as much as they differ: their spread is their error, and the noise is what is left.
 * Whoever takes the errors of single trainings for the mixture's finds a variance of 0.43. (Spreads of four repeats are
 * rough, which costs some per cent.) */
static void noise_is_told_from_spread(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_oof oof = new_oof(4, MOST_ROWS, run);
    simulate(&oof, 0.5, 0.3, 0.3, 1);
    one_sort(&oof);
    oof.repeats_are_sample = true;
    double found = una_oof_noise(&oof);
    print_message("noise variance %.4f, truth 0.25\n", found);
    assert_near(sqrt(found), 0.5, 0.07, 0);

    double z2;
    una_oof_mean_log_lik(&oof, found, &z2);
    assert_near(z2, 1, 0.1, 0);
    una_run_free(run);
}

/* C = mean of e_a e_b over pairs of different repeats, V = mean variance + mean e^2 - C; the noise is the best of a
 * fine grid of -1/2 sum log(V + s2 g) + C/(V + s2 g). */
static void noise_is_the_best_of_its_formula(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    enum { ROWS = 300 };
    una_oof oof = new_oof(3, ROWS, run);
    simulate(&oof, 0.4, 0.2, 0.25, 2);
    one_sort(&oof);
    oof.repeats_are_sample = true;
    oof.shape = UNA_GET(&run->scratch, double, ROWS);
    for (size_t i = 0; i < ROWS; i++) oof.shape[i] = i % 2 ? 2 : 0.5;
    for (size_t i = 0; i < 3 * ROWS; i++) oof.var[i] = 0.01 * (double)(i % 7);

    double best = -HUGE_VAL, at = 0;
    for (double log_noise = log(1e-3); log_noise < log(2); log_noise += 1e-3) {
        double s2 = exp(log_noise), sum = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double cross = 0, square = 0, var = 0;
            for (size_t a = 0; a < 3; a++) {
                double ea = targets[i] - oof.mean[a * ROWS + i];
                square += ea * ea / 3;
                var += oof.var[a * ROWS + i] / 3;
                for (size_t b = 0; b < 3; b++)
                    if (b != a) cross += ea * (targets[i] - oof.mean[b * ROWS + i]) / 6;
            }
            double whole = var + fmax(0, square - cross) + s2 * oof.shape[i];
            sum -= 0.5 * (log(whole) + cross / whole);
        }
        if (sum > best) best = sum, at = log_noise;
    }
    assert_near(log(una_oof_noise(&oof)), at, 0, 2e-3);
    una_run_free(run);
}

/* Trainings that leave out the same rows speak for themselves alone: the noise is the best of their mixture, a standard
 * error of its logarithm up. */
static void noise_of_a_mixture(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    enum { ROWS = 200 };
    una_oof oof = new_oof(2, ROWS, run);
    simulate(&oof, 0.4, 0.1, 0.2, 3);
    double best = -HUGE_VAL, at = 0;
    for (double log_noise = log(1e-3); log_noise < log(2); log_noise += 1e-3) {
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double p = 0;
            for (size_t r = 0; r < 2; r++) {
                double e = targets[i] - oof.mean[r * ROWS + i];
                p += 0.5 * exp(-0.5 * e * e / exp(log_noise)) / sqrt(2 * 3.14159265358979323846 * exp(log_noise));
            }
            sum += log(p);
        }
        if (sum > best) best = sum, at = log_noise;
    }
    assert_near(log(una_oof_noise(&oof)), at + sqrt(2. / ROWS), 0, 2e-3);
    una_run_free(run);
}

/* ---- weights -------------------------------------------------------------------------------------------------- */

/* The likelihood of all rows, as often as each counts, and what `doubt` equal rows add to it. */
static double objective(const double *weight, size_t count, const una_stack_rows *of, double doubt)
{
    double sum = 0;
    for (size_t i = 0; i < of->rows; i++) {
        double p = 0;
        for (size_t k = 0; k < count; k++) p += weight[k] * exp(of->log_lik[k * of->rows + i]);
        sum += (of->times ? of->times[i] : 1) * log(p);
    }
    for (size_t k = 0; k < count; k++) sum += doubt / (double)count * log(weight[k]);
    return sum;
}

static void stacking_is_the_best_of_all_weights(void **state)
{
    (void)state;
    enum { ROWS = 80, KINDS = 3, STEPS = 200 };
    double log_lik[KINDS * ROWS], times[ROWS], weight[KINDS];
    for (int turn = 0; turn < 3; turn++) {
        double doubt = turn ? 10 : 0;
        const una_stack_rows of = { log_lik, turn == 2 ? times : NULL, ROWS };
        una_rng rng = una_rng_at(5, UNA_FOR_TEST, 1);
        for (size_t i = 0; i < KINDS * ROWS; i++) log_lik[i] = -1 + una_rng_normal(&rng) - 0.3 * (double)(i / ROWS);
        for (size_t i = 0; i < ROWS; i++) times[i] = i < ROWS / 4 ? 0 : 3 * una_rng_uniform(&rng);
        una_stack(weight, KINDS, &of, doubt);
        assert_near(weight[0] + weight[1] + weight[2], 1, 1e-12, 0);

        double best = -HUGE_VAL, at[KINDS] = {0};
        for (int a = 1; a < STEPS; a++)
            for (int b = 1; a + b < STEPS; b++) {
                double w[KINDS] = { (double)a / STEPS, (double)b / STEPS, (double)(STEPS - a - b) / STEPS };
                double value = objective(w, KINDS, &of, doubt);
                if (value > best) best = value, memcpy(at, w, sizeof at);
            }
        for (size_t k = 0; k < KINDS; k++) assert_near(weight[k], at[k], 0, 0.01);
        assert_true(objective(weight, KINDS, &of, doubt) > best - 1e-3);
    }
}

static void rows_without_any_likelihood_say_nothing(void **state)
{
    (void)state;
    double log_lik[2 * 3] = { -1, -HUGE_VAL, -2, -2, -HUGE_VAL, -1 }, weight[2];
    una_stack(weight, 2, &(una_stack_rows){ log_lik, NULL, 3 }, 0);
    assert_near(weight[0], 0.5, 1e-9, 0);
    una_stack(weight, 1, &(una_stack_rows){ log_lik, NULL, 3 }, 0);
    assert_near(weight[0], 1, 0, 0);
}

/* Two strata of two repeats: those of one stratum weigh the same, the better stratum more; rows that a repeat lacks
 * do not count. */
static void sorts_are_weighed(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    enum { ROWS = 200 };
    una_oof oof = new_oof(4, ROWS, run);
    simulate(&oof, 0.2, 0, 0.1, 6);
    for (size_t i = 0; i < ROWS; i++) oof.mean[1 * ROWS + i] += 0.3, oof.mean[3 * ROWS + i] += 0.3;
    for (size_t r = 0; r < 4; r++) oof.stratum[r] = r % 2;
    oof.strata = 2;
    for (size_t i = 0; i < 20; i++) oof.mean[2 * ROWS + i] = NAN, oof.mean[0 * ROWS + i] = 1e6;
    assert_ok(una_oof_weigh(&(una_oof *){ &oof }, 1, &(double){ 0.04 }, run), run);
    assert_near(oof.weight[0], oof.weight[2], 1e-12, 0);
    assert_near(oof.weight[1], oof.weight[3], 1e-12, 0);
    assert_near(2 * oof.weight[0] + 2 * oof.weight[1], 1, 1e-12, 0);
    assert_true(oof.weight[0] > 0.4);
    una_run_free(run);
}

/* ---- rows and repeats -------------------------------------------------------------------------------------------- */

static void silent_repeats_are_left_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_oof oof = new_oof(3, 4, run);
    double mean, var;
    assert_int_equal(una_oof_predicted_rows(&oof), 0);
    assert_false(una_oof_moments(&oof, 0, &mean, &var));
    assert_true(isnan(una_oof_log_lik(&oof, 0, 1)));

    targets[1] = 0.5;
    oof.mean[0 * 4 + 1] = 1, oof.var[0 * 4 + 1] = 0.1;
    oof.mean[2 * 4 + 1] = 2, oof.var[2 * 4 + 1] = 0.3;
    oof.weight[0] = 0.25, oof.weight[1] = 0.5, oof.weight[2] = 0.25;
    assert_int_equal(una_oof_predicted_rows(&oof), 1);
    assert_true(una_oof_moments(&oof, 1, &mean, &var));
    assert_near(mean, 1.5, 1e-12, 0);
    assert_near(var, 0.2 + 0.25, 1e-12, 0);                              /* their own, and (2 - 1)^2/4 between them */

    double noise = 0.4, p = 0;
    for (size_t r = 0; r <= 2; r += 2) {
        double whole = oof.var[r * 4 + 1] + noise, e = targets[1] - oof.mean[r * 4 + 1];
        p += 0.5 * exp(-0.5 * e * e / whole) / sqrt(2 * 3.14159265358979323846 * whole);
    }
    assert_near(una_oof_log_lik(&oof, 1, noise), log(p), 1e-12, 0);
    una_run_free(run);
}

static una_status weigh_them(void *context, una_run *run)
{
    una_oof oof;
    (void)context;
    UNA_TRY(una_oof_init(&oof, 2, 50, targets, &run->scratch));
    simulate(&oof, 0.2, 0, 0.1, 8);
    return una_oof_weigh(&(una_oof *){ &oof }, 1, &(double){ 0.04 }, run);
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(weigh_them, NULL) > 0);
}

/* Trainings that differ by more than their mean errs: moments leave nothing to the noise, and a mixture of four spikes
 * would make every row impossible. */
static void spikes_are_no_answer(void **state)
{
    una_run *run = *state;
    una_oof oof = new_oof(4, 500, run);
    simulate(&oof, 0.001, 0, 0.3, 2);
    one_sort(&oof);
    oof.repeats_are_sample = true;
    double found = una_oof_noise(&oof), sum = 0, best = -HUGE_VAL;
    for (double noise = 1e-4; noise < 1; noise *= 1.1) {
        double own = 0;
        for (size_t i = 0; i < 500; i++) own += una_oof_log_lik(&oof, i, noise) / 500;
        best = fmax(best, own);
    }
    for (size_t i = 0; i < 500; i++) sum += una_oof_log_lik(&oof, i, found) / 500;
    assert_near(sum, best - 0.5, 0, 0.01);
    assert_true(found < 0.09);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_told_from_spread),
        cmocka_unit_test(noise_is_the_best_of_its_formula),
        cmocka_unit_test(noise_of_a_mixture),
        cmocka_unit_test(stacking_is_the_best_of_all_weights),
        cmocka_unit_test(rows_without_any_likelihood_say_nothing),
        cmocka_unit_test(sorts_are_weighed),
        cmocka_unit_test(silent_repeats_are_left_out),
        cmocka_unit_test_setup_teardown(spikes_are_no_answer, begin_run, end_run),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
