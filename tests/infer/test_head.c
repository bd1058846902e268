/* SPDX-License-Identifier: MIT
 *
 * The linear head against closed forms and brute force: posterior, evidence, predictions, draws, updates, files.
 */
#include "infer_support.h"
#include "ranks.h"

static void one_feature_by_hand(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    made m = { .rows = 2, .features = 1, .phi = { 1, 2 }, .y = { 3, 5 } };
    una_head head = solved(&m, 0.5, 2, &arena, run);
    double v = 1 / (1 / 2.0 + 5 / 0.5), mean = v * 13 / 0.5;
    assert_near(head.mean[0], mean, 1e-15, 0);
    assert_near(head.chol[0], sqrt(1 / v), 1e-15, 0);

    double at[2] = { 3, -1 }, predicted[2], var[2];
    assert_ok(una_head_predict(&head, at, 2, predicted, var, run), run);
    assert_near(predicted[0], 3 * mean, 1e-15, 0);
    assert_near(var[0], 9 * v, 1e-14, 0);
    assert_near(var[1], v, 1e-14, 0);

    una_arena_free(&arena);
    una_run_free(run);
}

static void evidence_is_the_density_of_y(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    const struct { size_t rows, features; double noise, prior; } cases[] = {
        { 1, 1, 0.3, 2 }, { 5, 9, 0.2, 1.7 }, { 40, 6, 0.01, 0.5 }, { 60, 51, 1e-4, 10 }, { 100, 3, 25, 1e-3 },
    };

    for (size_t c = 0; c < 5; c++) {
        make(&m, cases[c].rows, cases[c].features, 1, 0.3, c);
        una_head head = solved(&m, cases[c].noise, cases[c].prior, &arena, run);
        assert_near(head.log_evidence, evidence_plainly(&m, cases[c].noise, cases[c].prior), 1e-9, 1e-9);
        una_spectrum spectrum;
        assert_ok(una_spectrum_of(&spectrum, &head.stats, run), run);
        assert_near(una_spectrum_evidence(&spectrum, cases[c].noise, cases[c].prior), head.log_evidence, 1e-9, 1e-9);
    }

    una_arena_free(&arena);
    una_run_free(run);
}

/* The hazard: minus 1/2 log|V|, as printed in the literature, makes ever larger features look ever better. */
static void evidence_has_plus_half_log_det_v(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    make(&m, 30, 4, 1, 0.5, 20);
    double before = HUGE_VAL;

    for (int step = 0; step < 4; step++) {
        una_head head = solved(&m, 0.25, 1, &arena, run);
        double wrong = head.log_evidence + una_chol_logdet(head.chol, 4), truth = evidence_plainly(&m, 0.25, 1);
        assert_near(head.log_evidence, truth, 1e-10, 0);
        assert_true(fabs(wrong - truth) > 10);
        assert_true(head.log_evidence < before - (step ? 5 : 0));
        before = head.log_evidence;
        for (size_t i = 0; i < 30 * 4; i++) m.phi[i] *= 10;
    }

    una_arena_free(&arena);
    una_run_free(run);
}

/* Equal features, dead features, nearly equal features, hugely different sizes: no jitter, and still the truth. */
static void ill_conditioned_features_work(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    make(&m, 50, 12, 1, 0.1, 21);
    for (size_t i = 0; i < 50; i++) {
        double *row = m.phi + i * 12;
        row[1] = row[0];
        row[2] = 0;
        row[3] = row[0] + 1e-9 * row[3];
        row[4] *= 1e4;
        row[5] *= 1e-6;
        row[6] = row[7] - row[8];
    }

    const double noises[] = { 1e-2, 1e-5 };
    for (size_t c = 0; c < 2; c++) {
        una_head head = solved(&m, noises[c], 1, &arena, run);
        assert_near(head.log_evidence, evidence_plainly(&m, noises[c], 1), 1e-5, 1e-5);
        double mean[50], var[50];
        assert_ok(una_head_predict(&head, m.phi, 50, mean, var, run), run);
        for (size_t i = 0; i < 50; i++) assert_true(var[i] > 0 && var[i] < 1.1 * noises[c]);
        assert_near(head.mean[0], head.mean[1], 1e-6, 1e-6);   /* equal features share equally */
        assert_near(head.mean[2], 0, 0, 0);                    /* a dead one stays at its prior */
    }

    una_arena_free(&arena);
    una_run_free(run);
}

/* Weight space against function space: k*'(K + s2 I)^-1 y through una_chol on the N x N matrix. */
static void predictions_equal_the_gaussian_process(void **state)
{
    (void)state;
    enum { N = 30, K = 8, T = 70 };
    static made m, test;
    static double c[N * N], cross[N * T], back[N * T], alpha[N], mean[T], var[T];
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    make(&m, N, K, 1, 0.4, 22);
    make(&test, T, K, 1, 0.4, 23);
    una_head head = solved(&m, 0.2, 1.7, &arena, run);

    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) c[i * N + j] = 1.7 * una_dot(m.phi + i * K, m.phi + j * K, K);
        c[i * N + i] += 0.2;
        for (size_t t = 0; t < T; t++) cross[i * T + t] = 1.7 * una_dot(m.phi + i * K, test.phi + t * K, K);
        alpha[i] = m.y[i];
    }
    assert_ok(una_chol(c, N, "K", run), run);
    una_chol_solve(c, N, alpha, 1);
    memcpy(back, cross, sizeof cross);
    una_chol_solve(c, N, back, T);

    assert_ok(una_head_predict(&head, test.phi, T, mean, var, run), run);
    for (size_t t = 0; t < T; t++) {
        double f = 0, spread = 1.7 * una_dot(test.phi + t * K, test.phi + t * K, K);
        for (size_t i = 0; i < N; i++) {
            f += cross[i * T + t] * alpha[i];
            spread -= cross[i * T + t] * back[i * T + t];
        }
        assert_near(mean[t], f, 1e-10, 1e-10);
        assert_near(var[t], spread, 1e-9, 1e-10);
    }

    una_arena_free(&arena);
    una_run_free(run);
}

static void batch_equals_one_by_one_exactly(void **state)
{
    (void)state;
    enum { N = 200, K = 51 };
    static made m;
    static double mean[N], var[N], only_mean[N], only_var[N];
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    make(&m, N, K, 1, 0.4, 24);
    una_head head = solved(&m, 0.2, 1.7, &arena, run);
    assert_ok(una_head_predict(&head, m.phi, N, mean, var, run), run);
    assert_ok(una_head_predict(&head, m.phi, N, only_mean, NULL, run), run);
    assert_ok(una_head_predict(&head, m.phi, N, NULL, only_var, run), run);
    assert_memory_equal(mean, only_mean, sizeof mean);
    assert_memory_equal(var, only_var, sizeof var);

    for (size_t i = 0; i < N; i++) {
        double one_mean, one_var;
        assert_ok(una_head_predict(&head, m.phi + i * K, 1, &one_mean, &one_var, run), run);
        assert_true(one_mean == mean[i] && one_var == var[i]);
    }
    assert_ok(una_head_predict(&head, m.phi, 0, mean, var, run), run);

    una_arena_free(&arena);
    una_run_free(run);
}

static void same_posterior(const una_head *a, const una_head *b)
{
    size_t k = a->stats.features;
    assert_arrays_near(a->mean, b->mean, k, 1e-10, 1e-10);
    assert_arrays_near(a->chol, b->chol, k * k, 1e-10, 1e-10);
    assert_near(a->log_evidence, b->log_evidence, 1e-10, 0);
    assert_near(a->stats.rows, b->stats.rows, 0, 0);
}

static void one_at_a_time_equals_chunks_equals_batch(void **state)
{
    (void)state;
    enum { N = 150, K = 20 };
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    make(&m, N, K, 1, 0.2, 25);
    una_head batch = solved(&m, 0.04, 1, &arena, run), single, chunks, merged;
    una_head *all[3] = { &single, &chunks, &merged };
    for (size_t i = 0; i < 3; i++) {
        una_head_init(all[i], K, &arena);
        all[i]->noise_var = 0.04, all[i]->prior_var = 1;
    }

    for (size_t i = 0; i < N; i++) {
        una_stats_add(&single.stats, m.phi + i * K, m.y + i, 1, NULL);
        assert_ok(una_head_solve(&single, run), run);          /* solving in between must not disturb the sums */
    }
    for (size_t i = 0; i < N; i += 70)
        una_stats_add(&chunks.stats, m.phi + i * K, m.y + i, N - i < 70 ? N - i : 70, NULL);
    una_stats other;
    una_stats_init(&other, K, &arena);
    una_stats_add(&merged.stats, m.phi, m.y, 33, NULL);
    una_stats_add(&other, m.phi + 33 * K, m.y + 33, N - 33, NULL);
    una_stats_merge(&merged.stats, &other);

    for (size_t i = 0; i < 3; i++) {
        assert_ok(una_head_solve(all[i], run), run);
        same_posterior(all[i], &batch);
    }

    una_arena_free(&arena);
    una_run_free(run);
}

static void without_rows_the_posterior_is_the_prior(void **state)
{
    (void)state;
    made m = { .rows = 0, .features = 3 };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    una_head head = solved(&m, 0.1, 4, &arena, run);
    double phi[3] = { 1, 2, 2 }, mean, var;
    assert_ok(una_head_predict(&head, phi, 1, &mean, &var, run), run);
    assert_near(mean, 0, 0, 0);
    assert_near(var, 36, 1e-14, 0);
    assert_near(head.log_evidence, 0, 0, 1e-15);

    una_arena_free(&arena);
    una_run_free(run);
}

static void draws_have_the_posterior_moments(void **state)
{
    (void)state;
    enum { K = 3, DRAWS = 40000 };
    static double w[DRAWS * K];
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    make(&m, 12, K, 1, 0.5, 26);
    una_head head = solved(&m, 0.25, 1.5, &arena, run);

    for (int prior = 0; prior < 2; prior++) {
        una_rng rng = una_rng_at(5, UNA_FOR_DRAWS, 0);
        assert_ok(una_head_draw(&head, DRAWS, prior, &rng, w, run), run);
        /* Along any direction a the draws have mean a'm and variance a'Va (or 0 and alpha a'a). */
        const double directions[4][K] = { { 1, 0, 0 }, { 0, 1, -1 }, { 1, 2, 3 }, { -1, 1, 0.5 } };
        for (size_t d = 0; d < 4; d++) {
            double mean, var, sum = 0, square = 0;
            assert_ok(una_head_predict(&head, directions[d], 1, &mean, &var, run), run);
            if (prior) mean = 0, var = 1.5 * una_dot(directions[d], directions[d], K);
            for (size_t i = 0; i < DRAWS; i++) {
                double f = una_dot(w + i * K, directions[d], K) - mean;
                sum += f;
                square += f * f;
            }
            assert_near(sum / DRAWS, 0, 0, 4.5 * sqrt(var / DRAWS));
            assert_near(square / DRAWS / var, 1, 0, 4.5 * sqrt(2.0 / DRAWS));
        }
    }

    volatile int stop = 1;
    run->settings.cancel = &stop;
    una_rng rng = una_rng_at(5, UNA_FOR_DRAWS, 0);
    assert_status(una_head_draw(&head, 1, false, &rng, w, run), UNA_CANCELLED, run);

    una_arena_free(&arena);
    una_run_free(run);
}

/* Each weight and their sum: the largest distance from uniform ranks within the 99 % band, and the counts of ranks. */
static void ranks_of_the_truth_are_uniform(void **state)
{
    (void)state;
    enum { REPLICATES = 10000, DRAWS = 19, K = 3, N = 6, BINS = DRAWS + 1 };
    size_t counts[K + 1][BINS] = {{0}};
    double worst = 0, band = ranks_band(REPLICATES, 0.01);
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_head head;
    una_head_init(&head, K, &arena);

    for (uint64_t r = 0; r < REPLICATES; r++) {
        una_rng rng = una_rng_at(6, UNA_FOR_TEST, r);
        double truth[K], phi[N * K], y[N], w[DRAWS * K];
        head.noise_var = 0.3, head.prior_var = 1.4;
        memset(head.stats.gram, 0, K * K * sizeof(double));
        memset(head.stats.moment, 0, K * sizeof(double));
        head.stats.square = head.stats.rows = 0;
        for (size_t j = 0; j < K; j++) truth[j] = sqrt(1.4) * una_rng_normal(&rng);
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < K; j++) phi[i * K + j] = j + 1 < K ? una_rng_normal(&rng) : 1;
            y[i] = una_dot(phi + i * K, truth, K) + sqrt(0.3) * una_rng_normal(&rng);
        }

        una_stats_add(&head.stats, phi, y, N, NULL);
        assert_ok(una_head_solve(&head, run), run);
        assert_ok(una_head_draw(&head, DRAWS, false, &rng, w, run), run);

        for (size_t j = 0; j <= K; j++) {                      /* each weight, and their sum */
            size_t rank = 0;
            for (size_t d = 0; d < DRAWS; d++) {
                const double *draw = w + d * K;
                rank += j < K ? draw[j] < truth[j] : draw[0] + draw[1] + draw[2] < truth[0] + truth[1] + truth[2];
            }
            counts[j][rank]++;
        }
    }

    for (size_t j = 0; j <= K; j++) {
        double chi2 = 0, expected = (double)REPLICATES / BINS;
        for (size_t b = 0; b < BINS; b++) {
            double off = (double)counts[j][b] - expected;
            chi2 += off * off / expected;
        }
        assert_true(chi2 < 50.8);                              /* 19 degrees of freedom: p = 1e-4 */
        worst = fmax(worst, ranks_off(counts[j], BINS));
    }

    print_message("%d replicates: the ranks are off by at most %.4f, the 99 %% band is %.4f\n", REPLICATES, worst,
                  band);
    assert_true(worst < band);
    una_arena_free(&arena);
    una_run_free(run);
}

static void score_is_the_mean_of_row_likelihoods(void **state)
{
    (void)state;
    enum { N = 100, K = 7 };
    static made m, test;                                       /* the same truth: rows of one making */
    double mean[N], var[N], sum = 0, square = 0;
    una_held_rows held = { .phi = test.phi, .y = test.y, .rows = N };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    make(&m, 2 * N, K, 1, 0.3, 27);
    m.rows = N;
    memcpy(test.phi, m.phi + N * K, N * K * sizeof(double));
    memcpy(test.y, m.y + N, N * sizeof(double));
    una_head head = solved(&m, 0.09, 1, &arena, run);

    assert_ok(una_head_predict(&head, test.phi, N, mean, var, run), run);
    for (size_t i = 0; i < N; i++) {
        double std = sqrt(var[i] + 0.09), z = (test.y[i] - mean[i]) / std;
        sum += log(una_normal_pdf(z) / std);
        square += (test.y[i] - mean[i]) * (test.y[i] - mean[i]);
    }
    assert_ok(una_head_score(&head, &held, run), run);
    assert_near(held.rmse, sqrt(square / N), 1e-12, 0);
    assert_near(held.rmse, 0.3, 0.2, 0);
    assert_near(held.log_lik, sum / N, 1e-9, 0);

    assert_status(una_head_score(&head, &(una_held_rows){ .phi = test.phi, .y = test.y }, run), UNA_E_INPUT, run);
    test.y[5] = NAN;
    assert_status(una_head_score(&head, &held, run), UNA_E_NUMERIC, run);
    test.phi[5] = NAN;
    assert_status(una_head_score(&head, &held, run), UNA_E_NUMERIC, run);

    una_arena_free(&arena);
    una_run_free(run);
}

/* Every entry of Phi moved by hand, on the density of y itself. */
static void feature_gradient_is_that_of_the_density(void **state)
{
    (void)state;
    enum { N = 9, K = 5 };
    static made m;
    double gradient[N * K], h = 1e-5;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    make(&m, N, K, 1, 0.3, 28);
    una_head head = solved(&m, 0.2, 1.7, &arena, run);
    una_head_phi_gradient(&head, m.phi, m.y, N, gradient);
    for (size_t i = 0; i < N * K; i++) {
        double kept = m.phi[i];
        m.phi[i] = kept + h;
        double above = evidence_plainly(&m, 0.2, 1.7);
        m.phi[i] = kept - h;
        double below = evidence_plainly(&m, 0.2, 1.7);
        m.phi[i] = kept;
        assert_near(gradient[i], -(above - below) / (2 * h), 1e-6, 1e-7);
    }

    una_arena_free(&arena);
    una_run_free(run);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    enum { N = 80, K = 4 };
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    make(&m, N, K, 1, 0.3, 29);
    una_head head = solved(&m, 0.09, 1, &arena, run);

    const double bad[] = { 0, -1, NAN, HUGE_VAL };
    for (size_t i = 0; i < 4; i++) {
        head.noise_var = bad[i];
        assert_status(una_head_solve(&head, run), UNA_E_NUMERIC, run);
        assert_says(una_run_message(run), "noise variance");
        head.noise_var = 0.09, head.prior_var = bad[i];
        assert_status(una_head_solve(&head, run), UNA_E_NUMERIC, run);
        assert_says(una_run_message(run), "prior variance");
        head.prior_var = 1;
    }

    head.noise_var = 1e-200, head.prior_var = 1e200;
    assert_status(una_head_solve(&head, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "too far apart");

    /* Beyond what doubles can hold apart, the pivot is named. */
    head.noise_var = 1e-30, head.prior_var = 1;
    for (size_t i = 0; i < K * K; i++) head.stats.gram[i] = 1 + (i == 1 || i == K);
    assert_status(una_head_solve(&head, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "pivot 2 of 4");
    head.noise_var = 1e-307, head.prior_var = 1e-307;
    memset(head.stats.gram, 0, K * K * sizeof(double));
    assert_status(una_head_solve(&head, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "evidence");

    head = solved(&m, 0.09, 1, &arena, run);
    double mean[N], var[N];
    m.phi[70 * K] = NAN;
    assert_status(una_head_predict(&head, m.phi, N, mean, var, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "row 71 is not finite: the features are not finite");
    assert_status(una_head_predict(&head, m.phi, N, NULL, var, run), UNA_E_NUMERIC, run);
    m.phi[70 * K] = 1e200;                                      /* finite mean, infinite variance */
    assert_status(una_head_predict(&head, m.phi, N, mean, var, run), UNA_E_NUMERIC, run);
    assert_ok(una_head_predict(&head, m.phi, N, mean, NULL, run), run);

    una_stats_add(&head.stats, m.phi, m.y, N, NULL);
    assert_status(una_head_solve(&head, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "the features are not finite");
    head = solved(&(made){ .rows = 1, .features = 1, .phi = { 1 }, .y = { 1 } }, 1, 1, &arena, run);
    una_stats_add(&head.stats, (double[]){ 1 }, (double[]){ NAN }, 1, NULL);
    assert_status(una_head_solve(&head, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "the targets are not finite");

    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- the model file ---------------------------------------------------------------------------------- */

static una_status save(una_head *head, una_archive *ar, una_arena *arena, una_run *run)
{
    UNA_TRY(una_archive_save_begin(ar, "{}", arena, run));
    UNA_TRY(una_head_exchange(head, ar));
    return una_archive_save_end(ar);
}

static una_status load(una_head *head, const una_archive *from, una_arena *arena, una_run *run)
{
    una_archive ar;
    *head = (una_head){0};
    UNA_TRY(una_archive_load_begin(&ar, from->bytes, from->size, "test.una", NULL, arena, run));
    UNA_TRY(una_head_exchange(head, &ar));
    return una_archive_load_end(&ar);
}

static void a_file_gives_the_same_bits(void **state)
{
    (void)state;
    static made m;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    make(&m, 90, 51, 1, 0.3, 30);
    una_head head = solved(&m, 0.09, 1.3, &arena, run), back;

    una_archive ar;
    assert_ok(save(&head, &ar, &arena, run), run);
    assert_ok(load(&back, &ar, &arena, run), run);
    assert_memory_equal(back.chol, head.chol, 51 * 51 * sizeof(double));
    assert_memory_equal(back.mean, head.mean, 51 * sizeof(double));
    assert_true(back.log_evidence == head.log_evidence && back.stats.rows == 90);

    una_arena_free(&arena);
    una_run_free(run);
}

static void refused(una_head *head, const char *part, una_arena *arena, una_run *run)
{
    una_archive ar;
    una_head back;
    assert_ok(save(head, &ar, arena, run), run);
    assert_status(load(&back, &ar, arena, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), part);
}

static void an_impossible_file_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    const struct { int field; double value; const char *part; } cases[] = {
        { 0, -1, "head.rows is not a row count" },      { 0, 1.5, "head.rows is not a row count" },
        { 1, -1, "head.square is negative" },           { 2, 0, "head.noise_var is not positive" },
        { 3, -2, "head.prior_var is not positive" },    { 4, -1, "head.gram has a negative diagonal" },
        { 5, 0.5, "head.gram is not symmetric" },       { 6, 100, "head.gram is not a sum of squares" },
        { 7, 1e9, "head.moment does not fit the other sums" },
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static made m;
        make(&m, 20, 3, 1, 0.3, 31);
        una_head head = solved(&m, 0.09, 1.3, &arena, run);
        double *gram = head.stats.gram;
        double *fields[] = { &head.stats.rows, &head.stats.square, &head.noise_var, &head.prior_var, &gram[0], &gram[1],
                             &gram[1], &head.stats.moment[2] };
        *fields[cases[c].field] = cases[c].value;
        if (cases[c].field == 6) gram[3] = cases[c].value;
        refused(&head, cases[c].part, &arena, run);
    }

    /* Every pair of features is possible, all three together are not. */
    made none = { .rows = 0, .features = 3 };
    una_head head = solved(&none, 1e-3, 1, &arena, run);
    for (size_t i = 0; i < 9; i++) head.stats.gram[i] = i % 4 == 0 ? 1 : -0.9;
    refused(&head, "head.gram gives no posterior", &arena, run);

    una_arena_free(&arena);
    una_run_free(run);
}

static una_status whole_life(void *context, una_run *run)
{
    const made *m = context;
    una_arena arena;
    una_arena_init(&arena, run);
    una_head head, back;
    una_archive ar;
    double mean[MOST_ROWS], var[MOST_ROWS];
    una_held_rows rows = { .phi = m->phi, .y = m->y, .rows = m->rows };

    una_head_init(&head, m->features, &arena);
    una_status status = una_arena_check(&arena);
    if (status == UNA_OK) {
        una_stats_add(&head.stats, m->phi, m->y, m->rows, NULL);
        head.noise_var = head.prior_var = 1;
        status = una_head_solve(&head, run);
    }
    if (status == UNA_OK) status = una_head_predict(&head, m->phi, m->rows, mean, var, run);
    if (status == UNA_OK) status = una_head_score(&head, &rows, run);
    if (status == UNA_OK) status = save(&head, &ar, &arena, run);
    if (status == UNA_OK) status = load(&back, &ar, &arena, run);

    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static made m;
    make(&m, 70, 50, 1, 0.3, 32);
    assert_true(sweep_allocations(whole_life, &m) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_feature_by_hand),
        cmocka_unit_test(evidence_is_the_density_of_y),
        cmocka_unit_test(evidence_has_plus_half_log_det_v),
        cmocka_unit_test(ill_conditioned_features_work),
        cmocka_unit_test(predictions_equal_the_gaussian_process),
        cmocka_unit_test(batch_equals_one_by_one_exactly),
        cmocka_unit_test(one_at_a_time_equals_chunks_equals_batch),
        cmocka_unit_test(without_rows_the_posterior_is_the_prior),
        cmocka_unit_test(draws_have_the_posterior_moments),
        cmocka_unit_test(ranks_of_the_truth_are_uniform),
        cmocka_unit_test(score_is_the_mean_of_row_likelihoods),
        cmocka_unit_test(feature_gradient_is_that_of_the_density),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(a_file_gives_the_same_bits),
        cmocka_unit_test(an_impossible_file_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
