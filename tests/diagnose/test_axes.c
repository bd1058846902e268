/* SPDX-License-Identifier: MIT
 *
 * Concept whitening against its definitions: white coordinates, rotations, parts that add up, the optimum of the
 * alternation where it is known.
 */
#include "diagnose/axes.h"
#include "model/kind.h"
#include "test_support.h"

const una_kind *const una_kinds[] = { NULL };            /* none is asked for */

enum { ROWS = 60, K = 7 };       /* six features and the one; the fifth is dead, the sixth twice the first */

typedef struct made { double phi[ROWS * K], y[ROWS]; una_head head; una_arena arena; una_run *run; } made;

static void make(made *m, double prior_var)
{
    m->run = quiet_run();
    una_arena_init(&m->arena, m->run);
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    for (size_t r = 0; r < ROWS; r++) {
        double *p = m->phi + r * K;
        for (size_t i = 0; i < 4; i++) p[i] = (double)(i + 1) * una_rng_normal(&rng) + 2;
        p[1] += 0.7 * p[0];
        p[4] = 0.5;
        p[5] = 2 * p[0];
        p[6] = 1;
        m->y[r] = p[0] - p[2] + 0.3 * una_rng_normal(&rng);
    }
    una_head_init(&m->head, K, &m->arena);
    assert_ok(una_arena_check(&m->arena), m->run);
    una_stats_add(&m->head.stats, m->phi, m->y, ROWS, NULL);
    m->head.noise_var = 0.09;
    m->head.prior_var = prior_var;
    assert_ok(una_head_solve(&m->head, m->run), m->run);
}

static void unmake(made *m)
{
    una_arena_free(&m->arena);
    una_run_free(m->run);
}

/* a'M b for M [K, K]. */
static double form(const double *a, const double *m, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) sum += a[i] * m[i * K + j] * b[j];
    return sum;
}

static void coordinates_of_an_axis_are_its_own(const una_white *w)
{
    for (size_t i = 0; i < w->axes; i++) {
        assert_near(una_dot(w->dual + i * K, w->centre, K), 0, 0, 1e-9);
        for (size_t j = 0; j < w->axes; j++)
            assert_near(una_dot(w->dual + i * K, w->primal + j * K, K), i == j, 0, 1e-9);
    }
}

static void rows_become_white(void **state)
{
    (void)state;
    static made m;
    make(&m, 1);
    una_white w;
    assert_ok(una_white_of(&w, &m.head, UNA_WHITE_ROWS, &m.arena, m.run), m.run);
    assert_int_equal(w.axes, 4);                         /* neither the dead feature nor the copy */
    coordinates_of_an_axis_are_its_own(&w);
    for (size_t i = 0; i < w.axes; i++)
        for (size_t j = 0; j < w.axes; j++) {
            double sum = 0;
            for (size_t r = 0; r < ROWS; r++)
                sum += una_dot(w.dual + i * K, m.phi + r * K, K) * una_dot(w.dual + j * K, m.phi + r * K, K);
            assert_near(sum / ROWS, i == j, 0, 1e-9);
        }
    unmake(&m);
}

static void the_posterior_becomes_white(void **state)
{
    (void)state;
    static made m;
    make(&m, 2);
    una_white w;
    double precision[K * K];
    assert_ok(una_white_of(&w, &m.head, UNA_WHITE_POSTERIOR, &m.arena, m.run), m.run);
    assert_int_equal(w.axes, K - 1);
    coordinates_of_an_axis_are_its_own(&w);
    for (size_t i = 0; i < K * K; i++)
        precision[i] = m.head.stats.gram[i] / m.head.noise_var + (i % (K + 1) == 0) / m.head.prior_var;
    for (size_t i = 0; i < w.axes; i++)
        for (size_t j = 0; j < w.axes; j++)
            assert_near(form(w.dual + i * K, precision, w.dual + j * K), i == j, 0, 1e-9);
    unmake(&m);
}

/* With a prior that says nothing, where rows differ at all, it is the covariance of the rows by the noise. */
static void without_a_prior_both_are_one(void **state)
{
    (void)state;
    static made m;
    make(&m, 1e6);
    una_white rows, posterior;
    assert_ok(una_white_of(&rows, &m.head, UNA_WHITE_ROWS, &m.arena, m.run), m.run);
    assert_ok(una_white_of(&posterior, &m.head, UNA_WHITE_POSTERIOR, &m.arena, m.run), m.run);
    const double *p = m.phi + 5 * K;
    double by_rows = 0, by_posterior = 0;
    for (size_t i = 0; i < rows.axes; i++) by_rows += pow(una_dot(rows.dual + i * K, p, K), 2);
    for (size_t i = 0; i < posterior.axes; i++) by_posterior += pow(una_dot(posterior.dual + i * K, p, K), 2);
    assert_near(by_posterior * ROWS / m.head.noise_var, by_rows, 1e-5, 0);
    unmake(&m);
}

/* Excesses of two concepts along given directions of p, scale times the squares. */
static void fill_excess(double *excess, const double *direction, double scale)
{
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) excess[i * K + j] += scale * direction[i] * direction[j];
}

static void check_split(const made *m, const una_axes *axes)
{
    for (size_t r = 0; r < ROWS; r++) {
        double part[4] = {0}, mean[4], var, same, sum = 0, p[K], by_axes = 0;
        memcpy(p, m->phi + r * K, sizeof p);
        p[3] += r % 2 ? 40 : 0;                          /* far away, too */
        p[4] += (double)(r % 3);                                  /* and where no row ever was */
        assert_ok(una_head_predict(&m->head, p, 1, &same, &var, m->run), m->run);
        assert_ok(una_axes_split(axes, &m->head, p, 1, part, mean, m->run), m->run);
        for (size_t c = 0; c <= axes->concepts; c++) sum += part[c];
        assert_near(sum, var, 1e-9, 0);

        /* The same function in the turned coordinates. */
        for (size_t j = 0; j < axes->concepts * axes->each; j++) {
            double z = una_dot(axes->dual + j * K, p, K);
            by_axes += z * una_dot(axes->primal + j * K, m->head.mean, K);
            for (size_t i = 0; i < K; i++) p[i] -= z * axes->primal[j * K + i];
        }
        assert_near(by_axes + una_dot(p, m->head.mean, K), same, 1e-9, 1e-12);
        assert_near(mean[0] + mean[1], by_axes, 1e-9, 1e-12);
        assert_near(mean[0] + mean[1] + mean[2], same, 1e-9, 1e-12);
    }
}

static void axes_are_orthonormal_and_parts_add_up(void **state)
{
    (void)state;
    static made m;
    make(&m, 1);
    for (int how = UNA_WHITE_POSTERIOR; how <= UNA_WHITE_ROWS; how++) {
        una_white w;
        una_axes axes;
        double excess[2 * K * K] = {0};
        for (size_t r = 0; r < 20; r++) fill_excess(excess + (r % 2) * K * K, m.phi + r * K, r % 5 ? 1 : -1);
        assert_ok(una_white_of(&w, &m.head, how, &m.arena, m.run), m.run);
        assert_ok(una_axes_of(&axes, &w, excess, 2, 2, &m.arena, m.run), m.run);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 4; j++)
                assert_near(una_dot(axes.turn + i * w.axes, axes.turn + j * w.axes, w.axes), i == j, 0, 1e-9);
        check_split(&m, &axes);
    }
    unmake(&m);
}

/* Two excesses along one coordinate each, not orthogonal as the third is mixed in: the axes must be those coordinates,
 * in which the sum of traces is largest; and a concept without any excess has an axis as well. */
static void axes_follow_the_excess(void **state)
{
    (void)state;
    static made m;
    make(&m, 1);
    una_white w;
    una_axes axes;
    double excess[3 * K * K] = {0};
    assert_ok(una_white_of(&w, &m.head, UNA_WHITE_POSTERIOR, &m.arena, m.run), m.run);
    fill_excess(excess, w.primal, 5);
    fill_excess(excess + K * K, w.primal + 3 * K, 0.5);
    fill_excess(excess + 2 * K * K, w.primal, -1);
    assert_ok(una_axes_of(&axes, &w, excess, 3, 1, &m.arena, m.run), m.run);
    assert_near(fabs(axes.turn[0]), 1, 1e-9, 0);
    assert_near(fabs(axes.turn[w.axes + 3]), 1, 1e-9, 0);
    assert_near(una_dot(axes.turn + 2 * w.axes, axes.turn + 2 * w.axes, w.axes), 1, 1e-9, 0);
    unmake(&m);
}

/* The alternation against every rotation of two axes: E_1 = diag(3, 1), E_2 = diag(2, 1.5) has its optimum where the
 * first concept has the first coordinate (3 + 1.5 > 1 + 2), although the second would like it, too. */
static void the_sum_counts(void **state)
{
    (void)state;
    static made m;
    make(&m, 1);
    una_white w;
    una_axes axes;
    double excess[2 * K * K] = {0};
    assert_ok(una_white_of(&w, &m.head, UNA_WHITE_POSTERIOR, &m.arena, m.run), m.run);
    fill_excess(excess, w.primal, 3);
    fill_excess(excess, w.primal + K, 1);
    fill_excess(excess + K * K, w.primal, 2);
    fill_excess(excess + K * K, w.primal + K, 1.5);
    assert_ok(una_axes_of(&axes, &w, excess, 2, 1, &m.arena, m.run), m.run);
    double sum = 3 * pow(axes.turn[0], 2) + pow(axes.turn[1], 2) + 2 * pow(axes.turn[w.axes], 2) +
                 1.5 * pow(axes.turn[w.axes + 1], 2);
    assert_near(sum, 4.5, 1e-6, 0);
    unmake(&m);
}

static void a_sure_head_has_no_parts(void **state)
{
    (void)state;
    static made m;
    make(&m, 1);
    una_white w;
    una_axes axes;
    double excess[K * K] = {0}, part[2] = {0}, mean[2];
    fill_excess(excess, m.phi, 1);
    assert_ok(una_white_of(&w, &m.head, UNA_WHITE_POSTERIOR, &m.arena, m.run), m.run);
    assert_ok(una_axes_of(&axes, &w, excess, 1, 1, &m.arena, m.run), m.run);
    m.head.sure = true;
    assert_ok(una_axes_split(&axes, &m.head, m.phi, 1, part, mean, m.run), m.run);
    assert_true(part[0] == 0 && part[1] == 0);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_white), cmocka_unit_test(the_posterior_becomes_white),
        cmocka_unit_test(without_a_prior_both_are_one), cmocka_unit_test(axes_are_orthonormal_and_parts_add_up),
        cmocka_unit_test(axes_follow_the_excess), cmocka_unit_test(the_sum_counts),
        cmocka_unit_test(a_sure_head_has_no_parts)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
