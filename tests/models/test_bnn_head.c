/* SPDX-License-Identifier: MIT
 *
 * The posterior of the hidden weights, the head integrated out: its gradient against differences, its value against the
 * evidence of the linear head, heads drawn for it against their exact moments; from the columns' side (more rows than
 * features) and from the rows' side.
 */
#include "models/quick.h"

#include "infer/head.h"
#include "train/bnn.h"

enum { FEW = 3, MANY = 9, MOST = 40 };

static const double at_x[2 * MANY] = { 0.3, -1, 0.7, 0.2, -0.4, 1.5, 1.1, 0.4, -0.9, -0.7, 0.1, 0.6, -1.4, 0.8, 0.5,
                                       -0.3, 1.9, 1.2 };
static const double at_y[MANY] = { 0.5, -0.2, 1.1, 0.9, -0.6, 0.3, -1.2, 0.1, 1.4 };

static bool fan_in;      /* of the networks to come */

/* Two inputs, layers of 3 and 4 units: 5 terms of the head. noise: given, lognormal, inverse gamma. */
static una_bnn network(size_t rows, int noise, const char *kernels, una_arena *arena, una_run *run)
{
    una_bnn bnn = { .net = { .depth = 2, .size = { 2, 3, 4, 1 }, .activation = UNA_TANH }, .x = at_x, .y = at_y,
                    .rows = rows, .prior_var = 1.7, .fan_in = fan_in, .noise_var = 0.3, .sample_noise = noise > 0,
                    .noise_prior = noise - 1 };
    una_net_shape(&bnn.net);
    assert_ok(una_bnn_take(&bnn, una_kernels_named_f64(kernels), arena), run);
    assert_ok(una_bnn_marginal_take(&bnn, arena), run);
    return bnn;
}

static void some_weights(const una_bnn *bnn, double *q)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < una_bnn_marginal_dimension(bnn); i++) q[i] = una_rng_normal(&rng) / 2;
}

static void gradient_agrees_with_differences(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (int noise = 0; noise < 3; noise++)
        for (size_t rows = FEW; rows <= MANY; rows += MANY - FEW) {
            una_arena arena;
            una_arena_init(&arena, run);
            una_bnn bnn = network(rows, noise, NULL, &arena, run);
            size_t n = una_bnn_marginal_dimension(&bnn);
            double q[MOST], g[MOST], unused[MOST];
            assert_int_equal(n, 9 + 16 + (noise > 0));

            some_weights(&bnn, q);
            una_bnn_marginal(&bnn, q, g);
            for (size_t i = 0; i < n; i++) {
                double kept = q[i], h = 1e-5;
                q[i] = kept + h;
                double up = una_bnn_marginal(&bnn, q, unused);
                q[i] = kept - h;
                double down = una_bnn_marginal(&bnn, q, unused);
                q[i] = kept;
                assert_near(g[i], (up - down) / (2 * h), 1e-7, 1e-7);
            }
            una_arena_free(&arena);
        }
    una_run_free(run);
}

/* The linear head on the features of hidden weights q. With a prior by fan-in those are halved, and its weights are
 * twice the network's: four units, so that alpha/4 for them is alpha for these. */
static void solved_head(una_head *head, una_bnn *bnn, const double *q, una_arena *arena, una_run *run)
{
    double phi[MANY * 5];
    for (size_t i = 0; i < bnn->weights - bnn->terms; i++) bnn->padded[bnn->place[i]] = q[i];
    for (size_t i = 0; i < MANY * 5; i++) phi[i] = 1;
    una_net_forward_f64(bnn->work, bnn->padded, bnn->x, bnn->rows, (una_outputs){ .phi = phi, .stride = 5 });
    for (size_t i = 0; fan_in && i < MANY * 5; i++) phi[i] *= i % 5 < 4 ? 0.5 : 1;
    una_head_init(head, 5, arena);
    una_stats_add(&head->stats, phi, bnn->y, bnn->rows, NULL);
    head->noise_var = bnn->noise_var;
    head->prior_var = bnn->prior_var;
    assert_ok(una_head_solve(head, run), run);
}

static void value_is_the_evidence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    static const char *const sets[] = { "generic", "avx2", "avx512" };
    for (size_t s = 0; s < 3; s++)
        for (size_t rows = FEW; rows <= MANY; rows++) {
            if (!una_kernels_named_f64(sets[s])) continue;
            una_arena arena;
            una_head head;
            una_arena_init(&arena, run);
            una_bnn bnn = network(rows, 0, sets[s], &arena, run);
            double q[MOST], g[MOST], prior = 0;

            some_weights(&bnn, q);
            double u = una_bnn_marginal(&bnn, q, g);
            solved_head(&head, &bnn, q, &arena, run);
            for (size_t i = 0; i < 25; i++) {            /* 2 rows of weights for 3 units, a bias; 3 for 4, a bias */
                bool bias = (i >= 6 && i < 9) || i >= 21;
                double var = !fan_in || bias ? 1.7 : i < 9 ? 1.7 / 2 : 1.7 / 3;
                prior += q[i] * q[i] / (2 * var) + log(2 * acos(-1) * var) / 2;
            }
            assert_near(u, prior - head.log_evidence, 1e-12, 1e-12);
            una_arena_free(&arena);
        }
    una_run_free(run);
}

/* Means within 4 standard errors, covariances within 5 % of the scale. */
static void heads_have_their_posterior(void **state)
{
    (void)state;
    enum { DRAWS = 20000, K = 5 };
    una_run *run = quiet_run();
    for (size_t rows = FEW; rows <= MANY; rows += MANY - FEW)
        for (int noise = 0; noise < 2; noise++) {
            una_arena arena;
            una_head head;
            una_arena_init(&arena, run);
            una_bnn bnn = network(rows, noise, NULL, &arena, run);
            double q[MOST], whole[MOST], mean[K] = {0}, square[K][K] = {{0}}, column[K];
            una_rng rng = una_rng_at(2, UNA_FOR_TEST, 0);
            some_weights(&bnn, q);
            if (noise) q[25] = log(0.3) / 2;             /* the noise that is given otherwise */
            solved_head(&head, &bnn, q, &arena, run);

            for (size_t d = 0; d < DRAWS; d++) {
                una_bnn_complete(&bnn, q, &rng, whole);
                for (size_t i = 0; fan_in && i < 4; i++) whole[25 + i] *= 2;
                for (size_t i = 0; i < K; i++) {
                    mean[i] += whole[25 + i] / DRAWS;
                    for (size_t j = 0; j < K; j++)
                        square[i][j] += (whole[25 + i] - head.mean[i]) * (whole[25 + j] - head.mean[j]) / DRAWS;
                }
            }

            assert_memory_equal(whole, q, 25 * sizeof *q);
            if (noise) assert_true(whole[30] == q[25]);
            for (size_t i = 0; i < K; i++) {
                for (size_t j = 0; j < K; j++) column[j] = i == j;
                una_chol_solve(head.chol, K, column, 1);
                assert_near(mean[i], head.mean[i], 0, 4 * sqrt(column[i] / DRAWS));
                for (size_t j = 0; j < K; j++) assert_near(square[i][j], column[j], 0, 0.05 * column[i] + 0.01);
            }
            una_arena_free(&arena);
        }
    una_run_free(run);
}

/* Weights beyond all bounds: no density, and a gradient that is a number. */
static void no_density_where_nothing_is_finite(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_bnn bnn = network(MANY, 0, NULL, &arena, run);
    double q[MOST], g[MOST];
    some_weights(&bnn, q);
    q[3] = NAN;
    assert_true(una_bnn_marginal(&bnn, q, g) == HUGE_VAL);
    for (size_t i = 0; i < 25; i++) assert_true(g[i] == 0);
    una_arena_free(&arena);
    una_run_free(run);
}

static void all_of_it_with_a_prior_by_fan_in(void **state)
{
    fan_in = true;
    gradient_agrees_with_differences(state);
    value_is_the_evidence(state);
    heads_have_their_posterior(state);
    fan_in = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_agrees_with_differences), cmocka_unit_test(value_is_the_evidence),
        cmocka_unit_test(heads_have_their_posterior), cmocka_unit_test(no_density_where_nothing_is_finite),
        cmocka_unit_test(all_of_it_with_a_prior_by_fan_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
