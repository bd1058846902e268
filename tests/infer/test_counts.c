/* SPDX-License-Identifier: MIT
 *
 * Rows of the linear head that count c times, y_i ~ N(phi_i'w, s2/c_i): evidence and posterior against explicit
 * matrices, counts of one and two, updates, the choice of the variances, files.
 */
#include "infer/infer_support.h"

#include "base/option.h"

enum { ROWS = 150, FEATURES = 12 };

/* Counts from 1/50 to 50, and the regression of such rows. */
static void make_counts(made *m, double *count)
{
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 1);
    make(m, ROWS, FEATURES, 1, 0, 7);
    for (size_t i = 0; i < ROWS; i++) {
        count[i] = pow(50, 2 * una_rng_uniform(&rng) - 1);
        m->y[i] += 0.3 / sqrt(count[i]) * una_rng_normal(&rng);
    }
}

/* The head of rows first .. last; phi is a copy, since rows are scaled on the way. */
static void add(una_stats *stats, const made *m, const double *count, size_t first, size_t last)
{
    static double phi[ROWS * FEATURES];
    memcpy(phi, m->phi + first * FEATURES, (last - first) * FEATURES * sizeof *phi);
    una_stats_add_counted(stats, phi, m->y + first, count ? count + first : NULL, last - first, NULL);
}

static una_head solved_counts(const made *m, const double *count, double noise_var, double prior_var, una_arena *arena,
                              una_run *run)
{
    una_head head;
    una_head_init(&head, FEATURES, arena);
    assert_ok(una_arena_check(arena), run);
    add(&head.stats, m, count, 0, ROWS);
    head.noise_var = noise_var;
    head.prior_var = prior_var;
    assert_ok(una_head_solve(&head, run), run);
    return head;
}

/* C = alpha Phi Phi' + diag(s2/c), factored plainly; log N(y; 0, C), and of phi: alpha phi'Phi' C^-1 y and
 * alpha phi'phi - alpha^2 phi'Phi' C^-1 Phi phi. */
static double plainly(const made *m, const double *count, double noise_var, double prior_var, const double *phi,
                      double *mean, double *var)
{
    static double c[ROWS * ROWS], z[ROWS], cross[ROWS];
    double sum = 0, own = 0;
    *mean = 0;
    for (size_t j = 0; j < FEATURES; j++) own += prior_var * phi[j] * phi[j];
    *var = own;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j <= i; j++) {
            double entry = i == j ? noise_var / count[i] : 0;
            const double *a = m->phi + i * FEATURES, *b = m->phi + j * FEATURES;
            for (size_t f = 0; f < FEATURES; f++) entry += prior_var * a[f] * b[f];
            for (size_t f = 0; f < j; f++) entry -= c[i * ROWS + f] * c[j * ROWS + f];
            c[i * ROWS + j] = i == j ? sqrt(entry) : entry / c[j * ROWS + j];
        }
        z[i] = m->y[i];
        cross[i] = 0;
        for (size_t f = 0; f < FEATURES; f++) cross[i] += prior_var * m->phi[i * FEATURES + f] * phi[f];
        for (size_t f = 0; f < i; f++) z[i] -= c[i * ROWS + f] * z[f], cross[i] -= c[i * ROWS + f] * cross[f];
        z[i] /= c[i * ROWS + i];
        cross[i] /= c[i * ROWS + i];
        *mean += cross[i] * z[i];
        *var -= cross[i] * cross[i];
        sum -= 0.5 * (UNA_LOG_TWO_PI + z[i] * z[i]) + log(c[i * ROWS + i]);
    }
    return sum;
}

static void explicit_matrices(void **state)
{
    (void)state;
    static made m;
    static double count[ROWS];
    una_run *run = quiet_run();
    make_counts(&m, count);
    una_head head = solved_counts(&m, count, 0.09, 1.3, &run->scratch, run);
    una_spectrum spectrum;
    assert_ok(una_spectrum_of(&spectrum, &head.stats, run), run);

    for (size_t probe = 0; probe < 5; probe++) {
        double phi[FEATURES], mean, var, true_mean, true_var;
        for (size_t j = 0; j < FEATURES; j++) phi[j] = 3 * cos((double)(probe * FEATURES + j));
        double evidence = plainly(&m, count, 0.09, 1.3, phi, &true_mean, &true_var);
        assert_ok(una_head_predict(&head, phi, 1, &mean, &var, run), run);
        assert_near(mean, true_mean, 1e-9, 1e-10);
        assert_near(var, true_var, 1e-8, 1e-11);
        assert_near(head.log_evidence, evidence, 1e-10, 1e-8);
        assert_near(una_spectrum_evidence(&spectrum, 0.09, 1.3), evidence, 1e-10, 1e-8);
    }

    /* Variances by evidence: those that made the rows, and nothing near is likelier. */
    double noise_var = UNA_AUTO, prior_var = UNA_AUTO, mean, var, phi[FEATURES] = {0};
    assert_ok(una_choose_by_evidence(&noise_var, &prior_var, &head.stats, run), run);
    assert_near(sqrt(noise_var), 0.3, 0.2, 0);
    double best = plainly(&m, count, noise_var, prior_var, phi, &mean, &var);
    for (int i = 0; i < 4; i++) {
        double up = i % 2 ? 1.05 : 1 / 1.05, noise = noise_var * (i < 2 ? up : 1), prior = prior_var * (i < 2 ? 1 : up);
        assert_true(plainly(&m, count, noise, prior, phi, &mean, &var) < best);
    }
    una_run_free(run);
}

static void once_and_twice(void **state)
{
    (void)state;
    static made m;
    static double count[ROWS];
    una_run *run = quiet_run();
    make_counts(&m, count);
    una_head none = solved(&m, 0.09, 1.3, &run->scratch, run);
    for (size_t i = 0; i < ROWS; i++) count[i] = 1;
    una_head ones = solved_counts(&m, count, 0.09, 1.3, &run->scratch, run);
    assert_memory_equal(ones.stats.gram, none.stats.gram, FEATURES * FEATURES * sizeof(double));
    assert_memory_equal(ones.chol, none.chol, FEATURES * FEATURES * sizeof(double));
    assert_memory_equal(ones.mean, none.mean, FEATURES * sizeof(double));
    assert_true(ones.log_evidence == none.log_evidence && ones.stats.square == none.stats.square);

    /* Rows 0 .. 59 twice. */
    for (size_t i = 0; i < 60; i++) count[i] = 2;
    una_head twice = solved_counts(&m, count, 0.09, 1.3, &run->scratch, run);
    una_stats_add(&none.stats, m.phi, m.y, 60, NULL);
    assert_ok(una_head_solve(&none, run), run);
    assert_arrays_near(twice.mean, none.mean, FEATURES, 1e-10, 1e-12);
    assert_arrays_near(twice.chol, none.chol, FEATURES * FEATURES, 1e-10, 1e-12);
    assert_true(twice.stats.rows == ROWS && none.stats.rows == ROWS + 60);
    una_run_free(run);
}

static void updates_and_files(void **state)
{
    (void)state;
    static made m;
    static double count[ROWS];
    una_run *run = quiet_run();
    make_counts(&m, count);
    una_head all = solved_counts(&m, count, 0.09, 1.3, &run->scratch, run), some, back = {0};
    una_head_init(&some, FEATURES, &run->scratch);
    assert_ok(una_arena_check(&run->scratch), run);
    some.noise_var = 0.09;
    some.prior_var = 1.3;
    add(&some.stats, &m, count, 0, 70);
    assert_ok(una_head_solve(&some, run), run);

    una_stats more;
    una_stats_init(&more, FEATURES, &run->scratch);
    assert_ok(una_arena_check(&run->scratch), run);
    add(&more, &m, count, 70, ROWS);
    assert_ok(una_head_observe(&some, &more, run), run);
    assert_arrays_near(some.mean, all.mean, FEATURES, 1e-9, 1e-12);
    assert_arrays_near(some.chol, all.chol, FEATURES * FEATURES, 1e-9, 1e-12);
    assert_near(some.log_evidence, all.log_evidence, 1e-9, 0);
    una_stats_clear(&more);
    assert_true(more.log_count == 0 && more.rows == 0);

    una_archive out, in;
    assert_ok(una_archive_save_begin(&out, "{}", &run->scratch, run), run);
    assert_ok(una_head_exchange(&all, &out), run);
    assert_ok(una_archive_save_end(&out), run);
    assert_ok(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, &run->scratch, run), run);
    assert_ok(una_head_exchange(&back, &in), run);
    assert_ok(una_archive_load_end(&in), run);
    assert_true(back.stats.log_count == all.stats.log_count && back.log_evidence == all.log_evidence);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_matrices),
        cmocka_unit_test(once_and_twice),
        cmocka_unit_test(updates_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
