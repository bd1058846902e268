/* SPDX-License-Identifier: MIT
 *
 * The chosen variances against brute force over both of them, on densities computed without the code under test.
 */
#include "base/option.h"
#include "infer_support.h"

static una_stats stats_of(const made *m, una_arena *arena)
{
    una_stats stats;
    una_stats_init(&stats, m->features, arena);
    una_stats_add(&stats, m->phi, m->y, m->rows, NULL);
    return stats;
}

/* No point of a grid around or far from the choice is better; steps of 1e-4 in either direction are worse. */
static void check_joint_maximum(const made *m, double noise, double prior)
{
    double best = evidence_plainly(m, noise, prior);
    for (int i = -6; i <= 6; i++) {
        for (int j = -6; j <= 6; j++) {
            assert_true(evidence_plainly(m, noise * exp(i), prior * exp(j)) <= best + 1e-9);
            assert_true(evidence_plainly(m, noise * exp(0.01 * i), prior * exp(0.01 * j)) <= best + 1e-9);
        }
    }

    /* Central differences of the log-density vanish. */
    double h = 1e-3;
    double along_noise = evidence_plainly(m, noise * exp(h), prior) - evidence_plainly(m, noise * exp(-h), prior);
    double along_prior = evidence_plainly(m, noise, prior * exp(h)) - evidence_plainly(m, noise, prior * exp(-h));
    assert_near(along_noise / (2 * h), 0, 0, 1e-4);
    assert_near(along_prior / (2 * h), 0, 0, 1e-4);
}

static void evidence_maximum_beats_a_grid(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    const struct { size_t rows, features; double weight_std, noise_std; } cases[] = {
        { 60, 4, 1, 0.3 }, { 30, 20, 0.3, 0.1 }, { 45, 40, 5, 3 }, { 50, 8, 0.05, 0.01 },
    };

    for (size_t c = 0; c < 4; c++) {
        make(&m, cases[c].rows, cases[c].features, cases[c].weight_std, cases[c].noise_std, 40 + c);
        una_stats stats = stats_of(&m, &arena);
        double noise = UNA_AUTO, prior = UNA_AUTO;
        assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
        check_joint_maximum(&m, noise, prior);
        if (m.rows > 2 * m.features) assert_near(sqrt(noise), cases[c].noise_std, 0.35, 0);
    }

    una_arena_free(&arena);
    una_run_free(run);
}

/* For one feature of square l: d/d log alpha = 0 at s2 + alpha l = q^2/l, and s2 is the mean of the other squares. */
static void closed_form_for_one_feature(void **state)
{
    (void)state;
    made m = { .rows = 5, .features = 1, .phi = { 1, 1, 1, 1, 1 }, .y = { 2, 3, 2.5, 1.5, 3.5 } };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    una_stats stats = stats_of(&m, &arena);
    double q2 = 12.5 * 12.5, rest = (33.75 - q2 / 5) / 4, noise = UNA_AUTO, prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_near(noise, rest, 1e-8, 0);
    assert_near(prior, (q2 / 5 - rest) / 5, 1e-8, 0);

    noise = 0.7, prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_near(noise, 0.7, 0, 0);
    assert_near(prior, (q2 / 5 - 0.7) / 5, 1e-8, 0);

    una_arena_free(&arena);
    una_run_free(run);
}

static void a_given_variance_stays(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    make(&m, 40, 6, 1, 0.5, 50);
    una_stats stats = stats_of(&m, &arena);

    double noise = UNA_AUTO, prior = 0.3;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_true(prior == 0.3);
    double best = evidence_plainly(&m, noise, prior);
    for (int i = -400; i <= 400; i++) assert_true(evidence_plainly(&m, noise * exp(0.02 * i), prior) <= best + 1e-10);

    noise = 2, prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_true(noise == 2);
    best = evidence_plainly(&m, noise, prior);
    for (int i = -400; i <= 400; i++) assert_true(evidence_plainly(&m, noise, prior * exp(0.02 * i)) <= best + 1e-10);

    noise = 2, prior = 3;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_true(noise == 2 && prior == 3);

    una_arena_free(&arena);
    una_run_free(run);
}

static void edges_hold(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    /* Without noise the bound is reached and the posterior can still be solved, equal features or not. */
    make(&m, 60, 6, 1, 0, 51);
    for (size_t i = 0; i < 60; i++) m.phi[i * 6 + 1] = m.phi[i * 6];
    for (size_t i = 0; i < 60; i++) m.y[i] = m.phi[i * 6] - 2 * m.phi[i * 6 + 3];
    una_stats stats = stats_of(&m, &arena);
    double noise = UNA_AUTO, prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_near(noise, 1e-10 * stats.square / 60, 0.01, 0);
    assert_true(prior > 0.1 && prior < 10);
    una_head head = solved(&m, noise, prior, &arena, run);
    assert_near(head.mean[3], -2, 1e-4, 0);

    /* A fixed noise below all reason still gives a precision that can be factored, or its pivot is named. */
    noise = 1e-25, prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_true(prior > 0 && isfinite(prior));

    /* More features than rows: y is interpolated and the evidence flat in a small noise; nothing beats the choice. */
    make(&m, 25, 40, 5, 0.01, 52);
    stats = stats_of(&m, &arena);
    noise = prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_true(noise >= 0.999e-10 * stats.square / 25);
    double best = evidence_plainly(&m, noise, prior);
    for (int i = -3; i <= 12; i++) {
        for (int j = -6; j <= 6; j++) assert_true(evidence_plainly(&m, noise * exp(i), prior * exp(j)) <= best + 1e-4);
    }

    make(&m, 60, 6, 1, 1, 53);
    /* No signal at all: the prior variance goes to its lower bound and the noise explains y. */
    for (size_t i = 0; i < 60; i++) {
        for (size_t j = 0; j < 6; j++) m.phi[i * 6 + j] = i % 2 ? 1 : -1;
        m.y[i] = i % 4 < 2 ? 1 : -1;
    }
    stats = stats_of(&m, &arena);
    noise = prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_near(noise, 1, 1e-3, 0);
    assert_true(prior < 1e-5);

    /* All features dead. */
    memset(m.phi, 0, sizeof m.phi);
    stats = stats_of(&m, &arena);
    noise = prior = UNA_AUTO;
    assert_ok(una_choose_by_evidence(&noise, &prior, &stats, run), run);
    assert_near(noise, 1, 1e-6, 0);
    assert_true(prior > 0 && isfinite(prior));

    una_arena_free(&arena);
    una_run_free(run);
}

static void what_cannot_be_chosen_has_a_sentence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    double noise = UNA_AUTO, prior = UNA_AUTO;
    una_stats stats;
    una_stats_init(&stats, 2, &arena);
    assert_status(una_choose_by_evidence(&noise, &prior, &stats, run), UNA_E_INPUT, run);

    double phi[4] = { 1, 1, 2, 1 }, y[2] = { 0, 0 }, broken[4] = { 1, 1, NAN, 1 };
    una_held_rows held = { .phi = phi, .y = y, .rows = 2 }, none = { .phi = phi, .y = y };
    una_held_rows bad = { .phi = broken, .y = y, .rows = 2 };
    una_stats_add(&stats, phi, y, 2, NULL);
    assert_status(una_choose_by_evidence(&noise, &prior, &stats, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "every target is zero");
    assert_status(una_choose_by_validation(&noise, 1, &stats, &held, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "every target is zero");
    assert_status(una_choose_by_validation(&noise, 1, &stats, &none, run), UNA_E_INPUT, run);
    assert_status(una_choose_by_validation(&noise, UNA_AUTO, &stats, &held, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "prior variance");

    y[0] = 1;
    assert_status(una_choose_by_validation(&noise, 1, &stats, &bad, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "not finite");
    una_stats_add(&stats, broken, y, 2, NULL);
    assert_status(una_choose_by_validation(&noise, 1, &stats, &held, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "the features are not finite");
    noise = prior = UNA_AUTO;
    assert_status(una_choose_by_evidence(&noise, &prior, &stats, run), UNA_E_NUMERIC, run);
    una_spectrum spectrum;
    assert_status(una_spectrum_of(&spectrum, &stats, run), UNA_E_NUMERIC, run);

    una_arena_free(&arena);
    una_run_free(run);
}

/* Refitting the head at every noise level and scoring the held-out rows. */
static void held_out_choice_beats_refitting(void **state)
{
    (void)state;
    static made m, valid;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    const struct { size_t rows, features, valid; double noise_std; } cases[] = {
        { 100, 6, 70, 0.3 }, { 40, 30, 150, 0.5 }, { 20, 51, 64, 0.1 },
    };

    for (size_t c = 0; c < 3; c++) {
        make(&m, cases[c].rows + cases[c].valid, cases[c].features, 0.7, cases[c].noise_std, 60 + c);
        valid = m;
        size_t k = m.features, rows = cases[c].valid;
        m.rows = cases[c].rows;
        const double *phi = valid.phi + m.rows * k, *y = valid.y + m.rows;
        una_stats stats = stats_of(&m, &arena);
        una_held_rows held = { .phi = phi, .y = y, .rows = rows }, again = held;
        double noise;

        assert_ok(una_choose_by_validation(&noise, 0.8, &stats, &held, run), run);
        una_head head = solved(&m, noise, 0.8, &arena, run);
        assert_ok(una_head_score(&head, &again, run), run);
        assert_near(held.log_lik, again.log_lik, 1e-9, 0);
        assert_near(held.rmse, again.rmse, 1e-8, 0);

        double low = 1e-6 * (stats.square + una_dot(y, y, rows)) / (double)(m.rows + rows);
        for (int i = -300; i <= 300; i++) {
            head.noise_var = noise * exp(0.02 * i);
            if (head.noise_var < low) continue;
            assert_ok(una_head_solve(&head, run), run);
            assert_ok(una_head_score(&head, &again, run), run);
            assert_true(again.log_lik <= held.log_lik + 1e-9);
        }
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void held_out_bounds_hold(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    make(&m, 300, 3, 1, 0, 70);                                /* nothing but signal */
    una_stats stats = stats_of(&m, &arena);
    una_held_rows held = { .phi = m.phi, .y = m.y, .rows = 300 };
    double noise;
    assert_ok(una_choose_by_validation(&noise, 1, &stats, &held, run), run);
    assert_near(noise, 1e-6 * stats.square / 300, 1e-6, 0);
    assert_true(held.rmse < 1e-6);

    una_stats none;
    una_stats_init(&none, 3, &arena);                          /* no training rows: the prior is scored */
    assert_ok(una_choose_by_validation(&noise, 1e-9, &none, &held, run), run);
    assert_near(noise, stats.square / 300, 1e-6, 0);

    una_arena_free(&arena);
    una_run_free(run);
}

static una_status choices(void *context, una_run *run)
{
    const made *m = context;
    una_arena arena;
    una_arena_init(&arena, run);
    una_stats stats;
    una_spectrum spectrum;
    una_held_rows held = { .phi = m->phi, .y = m->y, .rows = m->rows };
    double noise = UNA_AUTO, prior = UNA_AUTO;

    una_stats_init(&stats, m->features, &arena);
    una_status status = una_arena_check(&arena);
    if (status == UNA_OK) una_stats_add(&stats, m->phi, m->y, m->rows, NULL);
    if (status == UNA_OK) status = una_spectrum_of(&spectrum, &stats, run);
    if (status == UNA_OK) status = una_choose_by_evidence(&noise, &prior, &stats, run);
    if (status == UNA_OK)
        status = una_choose_by_validation(&noise, prior, &stats, &held, run);

    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static made m;
    make(&m, 70, 50, 1, 0.3, 80);
    assert_true(sweep_allocations(choices, &m) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_maximum_beats_a_grid),
        cmocka_unit_test(closed_form_for_one_feature),
        cmocka_unit_test(a_given_variance_stays),
        cmocka_unit_test(edges_hold),
        cmocka_unit_test(what_cannot_be_chosen_has_a_sentence),
        cmocka_unit_test(held_out_choice_beats_refitting),
        cmocka_unit_test(held_out_bounds_hold),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
