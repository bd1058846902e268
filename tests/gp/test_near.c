/* SPDX-License-Identifier: MIT
 *
 * Processes that answer by the nearest rows: the search against brute force, answers against the exact process of the
 * rows that brute force finds, and of all rows; slopes against differences, appended rows, joint draws against exact
 * covariances, simulation-based calibration of marginals (Talts et al. 2018), and rows spread over the inputs.
 */
#include "ranks.h"
#include "test_support.h"

#include "gp/near.h"

static const char *const names[] = { "a", "b", "c" };
static const una_kernel_inputs standard = { names, NULL, NULL, 3, false };

static una_kernel *parsed(const char *text, una_run *run)
{
    una_kernel *kernel = NULL;
    assert_ok(una_kernel_parse(&kernel, text, &standard, &run->scratch, run), run);
    return kernel;
}

static double *invented(size_t count, uint64_t index, double std, una_run *run)
{
    double *x = UNA_GET(&run->scratch, double, count);
    una_rng rng = una_rng_at(19, UNA_FOR_TEST, index);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++) x[i] = std * una_rng_normal(&rng);
    return x;
}

static una_view view_of(const double *x, size_t rows)
{
    return (una_view){ x, rows, 3, 3 };
}

/* y = a smooth function of x and a little noise. */
static una_gp_rows curved(size_t rows, uint64_t index, una_run *run)
{
    double *x = invented(rows * 3, index, 1, run), *y = invented(rows, index + 1000, 0.1, run);
    for (size_t i = 0; i < rows; i++) y[i] += sin(1.5 * x[3 * i]) + 0.5 * x[3 * i + 1] * cos(x[3 * i + 2]);
    return (una_gp_rows){ view_of(x, rows), y, NULL };
}

static una_gp near_of(una_kernel *kernel, una_gp_rows rows, size_t neighbours, una_run *run)
{
    una_gp gp = { .noise_var = 0.01 };
    assert_ok(una_gp_init_near(&gp, kernel, rows, neighbours, &run->scratch), run);
    return gp;
}

static una_gp exact_of(una_kernel *kernel, una_gp_rows rows, una_run *run)
{
    una_gp gp = { .noise_var = 0.01 };
    assert_ok(una_gp_init(&gp, kernel, rows, &run->scratch), run);
    assert_ok(una_gp_solve(&gp, 0, run), run);
    return gp;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static int by_distance(const void *a, const void *b)
{
    const una_neighbour *one = a, *two = b;
    if (one->square != two->square) return one->square < two->square ? -1 : 1;
    return (one->row > two->row) - (one->row < two->row);
}

/* Every row by its distance, ties by number. */
static una_neighbour *sorted_rows(const una_metric *m, una_view x, const double *at, una_run *run)
{
    una_neighbour *all = UNA_GET(&run->scratch, una_neighbour, x.rows);
    for (size_t i = 0; i < x.rows; i++) {
        all[i].row = i;
        for (size_t d = 0; d < m->count; d++)
            all[i].square += pow(una_metric_at(m, x.at + i * x.stride, d) - una_metric_at(m, at, d), 2);
    }
    qsort(all, x.rows, sizeof *all, by_distance);
    return all;
}

/* Coordinates are whole numbers, so that there are many ties, and distances are exact. */
static void nearest_rows(void **state)
{
    static const size_t sizes[] = { 1, 7, 64, 65, 128, 700, 3000 }, wanted[] = { 1, 5, 32, 100 };
    (void)state;
    una_run *run = quiet_run();
    assert_ok(una_kernels_need(run), run);
    const una_kernels_f64 *kernels = una_kernels_named_f64(run->settings.kernels);
    const double length[] = { 0.5, 1, 2 };
    const size_t input[] = { 2, 0, 1 };
    const una_metric metrics[] = { { 3, NULL, NULL }, { 3, input, length }, { 1, input, length } };

    for (size_t c = 0; c < 7 * 4 * 3; c++) {
        size_t rows = sizes[c % 7], most = wanted[c / 7 % 4];
        const una_metric *m = &metrics[c / 28];
        double *x = invented(rows * 3, c, 3, run), *ask = invented(30, 500 + c, 4, run);
        for (size_t i = 0; i < rows * 3; i++) x[i] = floor(x[i]);
        una_row_tree tree;
        void *memory = una_arena_get(&run->scratch, 1, una_row_tree_bytes(rows, m->count));
        assert_ok(una_row_tree_build(&tree, memory, m, view_of(x, rows), run), run);

        for (size_t q = 0; q < 10; q++) {
            double at[3];
            for (size_t d = 0; d < 3; d++) ask[3 * q + d] = floor(ask[3 * q + d]);
            for (size_t d = 0; d < m->count; d++) at[d] = una_metric_at(m, ask + 3 * q, d);
            una_neighbours heap = { UNA_GET(&run->scratch, una_neighbour, most), 0, most };
            una_row_tree_nearest(&tree, at, &heap, kernels);
            const una_neighbour *all = sorted_rows(m, view_of(x, rows), ask + 3 * q, run);
            assert_int_equal(heap.count, UNA_MIN(most, rows));
            qsort(heap.at, heap.count, sizeof *heap.at, by_distance);
            for (size_t i = 0; i < heap.count; i++) {
                assert_int_equal(heap.at[i].row, all[i].row);
                assert_true(heap.at[i].square == all[i].square);
            }
        }
    }
    una_run_free(run);
}

static void metrics_of_kernels(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double x[] = { 1, 2, 3 };
    una_metric scaled = una_kernel_metric(parsed("matern52(length=[2, 4, 8])", run), 3);
    assert_near(una_metric_at(&scaled, x, 0), 0.5, 1e-15, 0);
    assert_near(una_metric_at(&scaled, x, 2), 0.375, 1e-15, 0);
    una_metric one = una_kernel_metric(parsed("0.5*rbf(on=c, length=2) + 1", run), 3);
    assert_int_equal(one.count, 1);
    assert_near(una_metric_at(&one, x, 0), 1.5, 1e-15, 0);
    una_metric trend = una_kernel_metric(parsed("rbf(length=2) + linear", run), 3);
    assert_true(trend.count == 3 && trend.length);
    static const char *const plain[] = { "linear", "rbf(on=a) + linear", "rbf*matern52", "rbf(on=a) + rbf(on=b)",
                                         "periodic(period=2)" };
    for (size_t p = 0; p < 5; p++) {
        una_metric m = una_kernel_metric(parsed(plain[p], run), 3);
        assert_true(m.count == 3 && !m.length && una_metric_at(&m, x, 1) == 2);
    }
    una_run_free(run);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

enum { ROWS = 400, STARS = 40 };

static const char *const kernels[] = { "matern52(length=[1, 2, 3])", "1.3*rbf(length=2)", "rbf + linear(var=0.3)",
                                       "matern32(on=a) + rbf(on=[b, c])" };

/* An answer is that of the exact process of the rows that brute force finds; with all rows, that of all. */
static void answers(void **state)
{
    enum { NEAR = 50 };
    (void)state;
    una_run *run = quiet_run();
    una_gp_rows rows = curved(ROWS, 1, run);
    double *x = invented(STARS * 3, 3, 1.2, run), mean[STARS], var[STARS], m, v;

    for (size_t k = 0; k < 4; k++) {
        una_kernel *kernel = parsed(kernels[k], run);
        una_metric metric = una_kernel_metric(kernel, 3);
        una_gp near = near_of(kernel, rows, NEAR, run), all = near_of(kernel, rows, ROWS, run);
        una_gp exact = exact_of(kernel, rows, run);
        assert_ok(una_gp_predict(&near, view_of(x, STARS), mean, var, run), run);
        for (size_t i = 0; i < STARS; i++) {
            const una_neighbour *nearest = sorted_rows(&metric, rows.x, x + 3 * i, run);
            double some[NEAR * 3], y[NEAR];
            for (size_t n = 0; n < NEAR; n++) {
                memcpy(some + 3 * n, rows.x.at + 3 * nearest[n].row, 3 * sizeof *some);
                y[n] = rows.y[nearest[n].row];
            }
            una_gp few = exact_of(kernel, (una_gp_rows){ view_of(some, NEAR), y, NULL }, run);
            assert_ok(una_gp_predict(&few, view_of(x + 3 * i, 1), &m, &v, run), run);
            assert_near(mean[i], m, 1e-8, 1e-8);
            assert_near(var[i], v, 1e-6, 1e-9);
            assert_ok(una_gp_predict(&exact, view_of(x + 3 * i, 1), &m, &v, run), run);
            assert_ok(una_gp_predict(&all, view_of(x + 3 * i, 1), &mean[i], &var[i], run), run);
            assert_near(mean[i], m, 1e-7, 1e-7);
            assert_near(var[i], v, 1e-5, 1e-9);
        }
    }
    una_run_free(run);
}

static double log_lik_of(const una_gp *gp, una_gp_rows of, una_run *run)
{
    size_t rows = of.x.rows;
    double *mean = UNA_GET(&run->scratch, double, rows), *var = UNA_GET(&run->scratch, double, rows), sum = 0;
    assert_ok(una_gp_predict(gp, of.x, mean, var, run), run);
    for (size_t i = 0; i < rows; i++) {
        double total = var[i] + gp->noise_var;
        sum -= 0.5 * (UNA_LOG_TWO_PI + log(total) + pow(of.y[i] - mean[i], 2) / total);
    }
    return sum / (double)rows;
}

/* New rows are nearly as likely as under the exact process. */
static void as_likely_as_exact(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_kernel *kernel = parsed("matern52(length=[1.5, 2, 2])", run);
    una_gp_rows rows = curved(1500, 5, run), fresh = curved(400, 7, run);
    una_gp exact = exact_of(kernel, rows, run);
    double all = log_lik_of(&exact, fresh, run);
    for (size_t near = 32; near <= 128; near *= 2) {
        una_gp gp = near_of(kernel, rows, near, run);
        double off = log_lik_of(&gp, fresh, run) - all;
        print_message("%zu neighbours of 1500: log-likelihood off by %.4f a row\n", near, off);
        assert_near(off, 0, 0, 0.03);
    }
    una_run_free(run);
}

static void same_bits(void **state)
{
    (void)state;
    una_run *run = quiet_run(), *wide = quiet_run_threads(4);
    una_kernel *kernel = parsed(kernels[0], run);
    una_gp_rows rows = curved(ROWS, 9, run);
    una_gp gp = near_of(kernel, rows, 30, run), again = near_of(kernel, rows, 30, wide);
    double *x = invented(STARS * 3, 11, 1, run), mean[STARS], var[STARS], other[STARS], only[STARS], m, v;
    assert_ok(una_gp_predict(&gp, view_of(x, STARS), mean, var, run), run);
    assert_ok(una_gp_predict(&again, view_of(x, STARS), other, NULL, wide), wide);
    assert_ok(una_gp_predict(&again, view_of(x, STARS), NULL, only, wide), wide);
    assert_memory_equal(mean, other, sizeof mean);
    assert_memory_equal(var, only, sizeof var);
    for (size_t i = 0; i < STARS; i++) {
        assert_ok(una_gp_predict(&gp, view_of(x + 3 * i, 1), &m, &v, run), run);
        assert_true(m == mean[i] && v == var[i] && v > 0);
    }
    una_run_free(wide);
    una_run_free(run);
}

static void slopes(void **state)
{
    const double step = 1e-5;
    (void)state;
    una_run *run = quiet_run();
    una_gp_rows rows = curved(ROWS, 13, run);
    for (size_t k = 0; k < 4; k++) {
        una_gp gp = near_of(parsed(kernels[k], run), rows, 40, run);
        for (size_t i = 0; i < 5; i++) {
            double *x = invented(3, 20 + i, 1, run), mean, var, m, v, dmean[3], dvar[3], up[2], down[2];
            assert_ok(una_gp_slope(&gp, x, &mean, &var, dmean, dvar, run), run);
            assert_ok(una_gp_predict(&gp, view_of(x, 1), &m, &v, run), run);
            assert_near(mean, m, 1e-8, 1e-8);
            assert_near(var, v, 1e-6, 1e-9);
            for (size_t d = 0; d < 3; d++) {
                double at = x[d];
                x[d] = at + step;
                assert_ok(una_gp_predict(&gp, view_of(x, 1), &up[0], &up[1], run), run);
                x[d] = at - step;
                assert_ok(una_gp_predict(&gp, view_of(x, 1), &down[0], &down[1], run), run);
                x[d] = at;
                assert_near((up[0] - down[0]) / (2 * step), dmean[d], 1e-4, 1e-4);
                assert_near((up[1] - down[1]) / (2 * step), dvar[d], 1e-3, 1e-4);
            }
        }
    }
    una_run_free(run);
}

/* Rows one by one, some at a time, or all at once: the same bits; rows that count twice are two rows. */
static void appended_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_kernel *kernel = parsed(kernels[0], run);
    una_gp_rows rows = curved(ROWS, 15, run);
    double *x = invented(STARS * 3, 17, 1, run), *twice = UNA_GET(&run->scratch, double, ROWS), m[STARS], v[STARS],
           mean[STARS], var[STARS];
    una_gp all = near_of(kernel, rows, 30, run),
           some = near_of(kernel, (una_gp_rows){ view_of(rows.x.at, 100), rows.y, NULL }, 30, run);
    assert_ok(una_gp_predict(&all, view_of(x, STARS), mean, var, run), run);
    for (size_t from = 100, step = 1; from < ROWS; from += step, step += 7) {
        if (step > ROWS - from) step = ROWS - from;
        assert_ok(una_gp_append(&some, (una_gp_rows){ view_of(rows.x.at + 3 * from, step), rows.y + from, NULL },
                                &run->scratch, run), run);
        assert_ok(una_gp_predict(&some, view_of(x, STARS), m, v, run), run);
    }
    assert_int_equal(some.rows, ROWS);
    assert_memory_equal(m, mean, sizeof m);
    assert_memory_equal(v, var, sizeof v);

    for (size_t i = 0; i < ROWS; i++) twice[i] = 2;
    rows.weight = twice;
    una_gp heavy = near_of(kernel, rows, 30, run);
    una_gp light = near_of(kernel, (una_gp_rows){ rows.x, rows.y, NULL }, 30, run);
    light.noise_var /= 2;
    assert_ok(una_gp_predict(&heavy, view_of(x, STARS), m, v, run), run);
    assert_ok(una_gp_predict(&light, view_of(x, STARS), mean, var, run), run);
    assert_arrays_near(m, mean, STARS, 1e-12, 1e-12);
    assert_arrays_near(v, var, STARS, 1e-12, 1e-12);
    assert_ok(una_gp_append(&light, rows, &run->scratch, run), run);     /* rows with weights after rows without */
    assert_true(light.rows == 2 * ROWS && light.weight[0] == 1 && light.weight[ROWS] == 2);
    una_run_free(run);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* covariance [rows, rows] of draws [draws, rows] around their known mean. */
static double *covariance_of(const double *f, const double *mean, size_t rows, size_t draws, una_run *run)
{
    double *sum = UNA_GET(&run->scratch, double, rows * rows);
    for (size_t s = 0; s < draws; s++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j <= i; j++)
                sum[i * rows + j] += (f[s * rows + i] - mean[i]) * (f[s * rows + j] - mean[j]) / (double)draws;
    return sum;
}

/* Of the covariance, over its size (Frobenius). */
static double covariance_off(const double *f, const double *g, const double *mean, size_t rows, size_t draws,
                             una_run *run)
{
    const double *want = covariance_of(f, mean, rows, draws, run), *got = covariance_of(g, mean, rows, draws, run);
    double away = 0, whole = 0;
    for (size_t i = 0; i < rows * rows; i++) away += pow(want[i] - got[i], 2), whole += want[i] * want[i];
    return sqrt(away / whole);
}

/* The same normals give both: so the covariances of the draws differ by what the neighbours change. */
static void joint_draws(void **state)
{
    enum { DRAWS = 400, ASKED = 120 };
    (void)state;
    una_run *run = quiet_run(), *wide = quiet_run_threads(3);
    una_kernel *kernel = parsed("matern52(length=[1.5, 2, 2])", run);
    una_gp_rows rows = curved(ROWS, 25, run);
    double *x = invented(ASKED * 3, 27, 1.3, run), mean[ASKED];
    double *f = UNA_GET(&run->scratch, double, DRAWS * ASKED), *g = UNA_GET(&run->scratch, double, DRAWS * ASKED);
    una_gp exact = exact_of(kernel, rows, run), all = near_of(kernel, rows, ROWS + 100, run);
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0), again = rng;

    for (size_t d = 0; d < 3; d++) x[3 * 119 + d] = x[d];  /* the same place twice: the same value twice */
    assert_ok(una_gp_predict(&exact, view_of(x, ASKED), mean, NULL, run), run);
    assert_ok(una_gp_draw(&exact, view_of(x, 100), 1, &again, f, run), run);
    again = rng;
    assert_ok(una_gp_draw(&all, view_of(x, 100), 1, &again, g, run), run);
    assert_arrays_near(g, f, 100, 1e-3, 1e-3);           /* on all rows and questions: the exact draw */

    for (size_t near = 64; near <= 128; near *= 2) {
        una_gp some = near_of(kernel, rows, near, run), other = near_of(kernel, rows, near, wide);
        again = rng;
        assert_ok(una_gp_draw(&some, view_of(x, ASKED), DRAWS, &again, g, run), run);
        again = rng;
        assert_ok(una_gp_draw(&other, view_of(x, ASKED), DRAWS, &again, f, wide), wide);
        assert_memory_equal(f, g, DRAWS * ASKED * sizeof *f);
        for (size_t s = 0; s < DRAWS; s++) assert_near(g[s * ASKED], g[s * ASKED + 119], 0, 1e-3);
        again = rng;
        assert_ok(una_gp_draw(&exact, view_of(x, ASKED), DRAWS, &again, f, run), run);
        double off = covariance_off(f, g, mean, ASKED, DRAWS, run);
        print_message("%zu neighbours of %d: the covariance of %d questions is off by %.2f %%\n", near, ROWS, ASKED,
                      100 * off);
        assert_true(off < 0.05);
    }
    una_run_free(wide);
    una_run_free(run);
}

/* Several blocks of rows, each given some of those before: nearly the covariance of the exact process of all. */
static void draws_of_blocks(void **state)
{
    enum { DRAWS = 400, ASKED = 150, MANY = 1600 };
    (void)state;
    una_run *run = quiet_run(), *wide = quiet_run_threads(3);
    una_kernel *kernel = parsed("matern52(length=[1.5, 2, 2])", run);
    una_gp_rows rows = curved(MANY, 65, run);
    double *x = invented(ASKED * 3, 67, 1.3, run), mean[ASKED], exact_mean[ASKED], var[ASKED];
    double *f = UNA_GET(&run->scratch, double, DRAWS * ASKED), *g = UNA_GET(&run->scratch, double, DRAWS * ASKED);
    una_gp exact = exact_of(kernel, rows, run), near = near_of(kernel, rows, 64, run),
           other = near_of(kernel, rows, 64, wide);
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0), again = rng;
    assert_ok(una_gp_draw(&near, view_of(x, ASKED), DRAWS, &again, g, run), run);
    again = rng;
    assert_ok(una_gp_draw(&other, view_of(x, ASKED), DRAWS, &again, f, wide), wide);
    assert_memory_equal(f, g, DRAWS * ASKED * sizeof *f);
    again = rng;
    assert_ok(una_gp_draw(&exact, view_of(x, ASKED), DRAWS, &again, f, run), run);
    assert_ok(una_gp_predict(&exact, view_of(x, ASKED), exact_mean, var, run), run);
    assert_ok(una_gp_predict(&near, view_of(x, ASKED), mean, NULL, run), run);
    double off = covariance_off(f, g, exact_mean, ASKED, DRAWS, run), of_group = 0, of_near = 0;
    print_message("blocks of %d rows: the covariance of %d questions is off by %.2f %%\n", MANY, ASKED, 100 * off);
    assert_true(off < 0.03);
    for (size_t i = 0; i < ASKED; i++) {                 /* means too are nearer to those of all rows */
        double away = 0;
        for (size_t s = 0; s < DRAWS; s++) away += (g[s * ASKED + i] - f[s * ASKED + i]) / DRAWS;
        of_group += away * away / var[i];
        of_near += pow(mean[i] - exact_mean[i], 2) / var[i];
    }
    assert_true(of_group < 0.25 * of_near);
    una_run_free(wide);
    una_run_free(run);
}

/* More questions than a group has, closer together than the rows: values that were drawn do not hide the rows ahead. */
static void draws_along_a_line(void **state)
{
    enum { DRAWS = 200, ASKED = 600 };
    (void)state;
    una_run *run = quiet_run();
    una_kernel *kernel = parsed("matern52(length=[0.5, 3, 3])", run);
    una_gp_rows rows = curved(ROWS, 61, run);
    double x[ASKED * 3] = {0}, mean[ASKED], *f = UNA_GET(&run->scratch, double, DRAWS * ASKED),
           *g = UNA_GET(&run->scratch, double, DRAWS * ASKED);
    una_gp exact = exact_of(kernel, rows, run), near = near_of(kernel, rows, 64, run);
    una_rng one = una_rng_at(2, UNA_FOR_TEST, 0), two = one;
    for (size_t i = 0; i < ASKED; i++) x[3 * i] = -3 + 6.0 * (double)i / ASKED;
    assert_ok(una_gp_predict(&exact, view_of(x, ASKED), mean, NULL, run), run);
    assert_ok(una_gp_draw(&exact, view_of(x, ASKED), DRAWS, &one, f, run), run);
    assert_ok(una_gp_draw(&near, view_of(x, ASKED), DRAWS, &two, g, run), run);
    double off = covariance_off(f, g, mean, ASKED, DRAWS, run);
    print_message("along a line: off by %.2f %%\n", 100 * off);
    assert_true(off < 0.05);

    assert_ok(una_gp_predict(&near, view_of(x, ASKED), mean, NULL, run), run);
    for (size_t i = 0; i < ASKED; i += 10) {             /* means are those of the predictions */
        double sum = 0, square = 0;
        for (size_t s = 0; s < DRAWS; s++) sum += g[s * ASKED + i] - mean[i];
        for (size_t s = 0; s < DRAWS; s++) square += pow(g[s * ASKED + i] - mean[i], 2);
        assert_near(sum / DRAWS, 0, 0, 4 * sqrt(square) / DRAWS);
    }
    una_run_free(run);
}

/* Given the places, which rows are near does not depend on the values: so answers stay calibrated. */
static void calibration(void **state)
{
    enum { OF = 30, DRAWS = 49, REPLICATES = 400 };
    size_t count[DRAWS + 1] = {0};
    (void)state;
    una_run *run = quiet_run();
    una_kernel *k = parsed("1.5*rbf(length=[1, 2, 1.5])", run);
    for (size_t r = 0; r < REPLICATES; r++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_rng rng = una_rng_at(41, UNA_FOR_TEST, r);
        una_gp gp = { .noise_var = 0.2 };
        double *x = invented((OF + 1) * 3, 2000 + r, 1, run), f[OF + 1], y[OF], mean, var;
        assert_ok(una_gp_prior_draws(k, view_of(x, OF + 1), 1, &rng, f, NULL, run), run);
        for (size_t i = 0; i < OF; i++) y[i] = f[i] + sqrt(0.2) * una_rng_normal(&rng);
        assert_ok(una_gp_init_near(&gp, k, (una_gp_rows){ view_of(x, OF), y, NULL }, 8, &run->scratch), run);
        assert_ok(una_gp_predict(&gp, view_of(x + 3 * OF, 1), &mean, &var, run), run);
        size_t rank = 0;
        for (size_t s = 0; s < DRAWS; s++) rank += mean + sqrt(var) * una_rng_normal(&rng) < f[OF];
        count[rank]++;
        una_arena_release(&run->scratch, mark);
    }
    double band = ranks_band(REPLICATES, 0.01), worst = ranks_off(count, DRAWS + 1);
    print_message("%d replicates: the ranks are off by at most %.3f, the 99 %% band is %.3f\n", REPLICATES, worst,
                  band);
    assert_true(worst < band);
    una_run_free(run);
}

/* ---- rows that are kept; what cannot be -------------------------------------------------------------------------- */

static void spread_rows(void **state)
{
    enum { ALL = 3000, KEPT = 200 };
    (void)state;
    una_run *run = quiet_run();
    double *x = invented(ALL * 3, 31, 1, run), far = 0, usual = 0;
    const una_metric metric = { 2, NULL, NULL };
    uint32_t *kept, *every;
    for (size_t i = 0; i < ALL; i++) x[3 * i] = floor(4 * x[3 * i]) / 4;
    assert_ok(una_spread_rows(&kept, KEPT, &metric, view_of(x, ALL), run), run);
    for (size_t k = 1; k < KEPT; k++) assert_true(kept[k] > kept[k - 1] && kept[k] < ALL);
    for (size_t i = 0; i < ALL; i++) {                   /* every row has a kept one beside it */
        double nearest = HUGE_VAL, first = HUGE_VAL;
        for (size_t k = 0; k < KEPT; k++) {
            const double *to = x + 3 * kept[k], *other = x + 3 * k, *from = x + 3 * i;
            nearest = fmin(nearest, hypot(from[0] - to[0], from[1] - to[1]));
            first = fmin(first, hypot(from[0] - other[0], from[1] - other[1]));
        }
        far += nearest / ALL, usual += first / ALL;
    }
    assert_true(far < usual);                            /* closer than the first rows would be */
    assert_ok(una_spread_rows(&every, ALL, &metric, view_of(x, ALL), run), run);
    for (size_t k = 0; k < ALL; k++) assert_int_equal(every[k], k);
    una_run_free(run);
}

/* Copies of rows without noise need a jitter; places beyond all numbers are far away, and nothing else. */
static void hard_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_gp_rows rows = curved(200, 33, run);
    double *x = (double *)rows.x.at, mean, var, slope[3], dvar[3], f[2];
    for (size_t i = 1; i < 200; i++) memcpy(x + 3 * i, x, 3 * sizeof *x);
    una_gp same = near_of(parsed("rbf", run), rows, 64, run);
    same.noise_var = 1e-300;
    assert_ok(una_gp_predict(&same, view_of(x, 1), &mean, &var, run), run);
    assert_true(isfinite(mean) && var >= 0);
    assert_string_equal(una_run_message(run), "");
    assert_ok(una_gp_slope(&same, x, &mean, &var, slope, dvar, run), run);
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    assert_ok(una_gp_draw(&same, view_of(x, 2), 1, &rng, f, run), run);
    assert_true(isfinite(f[0]) && isfinite(f[1]));

    rows = curved(200, 35, run);
    ((double *)rows.x.at)[0] = 1e300;
    ((double *)rows.x.at)[3] = -1e300;
    una_gp far = near_of(parsed("matern52(length=1e-5)", run), rows, 16, run);
    const double beyond[] = { -1e300, 1e300, 0 };
    assert_ok(una_gp_predict(&far, view_of(beyond, 1), &mean, &var, run), run);
    assert_near(var, 1, 1e-9, 0);

    una_gp none = near_of(parsed("constant(var=1e300)*constant(var=1e300)", run), rows, 16, run);
    assert_status(una_gp_predict(&none, view_of(beyond, 1), &mean, &var, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "raise noise_std");
    una_run_free(run);
}

static una_status everything(void *context, una_run *run)
{
    una_kernel *k;
    una_gp gp = { .noise_var = 0.1 };
    double x[300], y[100], weight[100], f[20];
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 1);
    uint32_t *kept;
    (void)context;
    for (int i = 0; i < 300; i++) x[i] = sin(i);
    for (int i = 0; i < 100; i++) y[i] = cos(i), weight[i] = 1 + i % 3;

    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_kernel_parse(&k, "matern52 + linear", &standard, &run->scratch, run);
    const una_metric metric = { 3, NULL, NULL };
    if (status == UNA_OK) status = una_spread_rows(&kept, 10, &metric, view_of(x, 100), run);
    if (status == UNA_OK) status = una_gp_init_near(&gp, k, (una_gp_rows){ view_of(x, 50), y, NULL }, 12,
                                                 &run->scratch);
    if (status == UNA_OK) status = una_gp_predict(&gp, view_of(x, 10), f, f + 10, run);
    if (status == UNA_OK) status = una_gp_append(&gp, (una_gp_rows){ view_of(x + 150, 50), y + 50, weight },
                                                 &run->scratch, run);
    if (status == UNA_OK) status = una_gp_draw(&gp, view_of(x, 10), 2, &rng, f, run);
    if (status == UNA_OK) status = una_gp_slope(&gp, x, f, f + 1, f + 3, f + 6, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(everything, NULL) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_rows),       cmocka_unit_test(metrics_of_kernels), cmocka_unit_test(answers),
        cmocka_unit_test(as_likely_as_exact), cmocka_unit_test(same_bits),          cmocka_unit_test(slopes),
        cmocka_unit_test(appended_rows),      cmocka_unit_test(joint_draws),        cmocka_unit_test(calibration),
        cmocka_unit_test(draws_of_blocks),    cmocka_unit_test(draws_along_a_line), cmocka_unit_test(spread_rows),        cmocka_unit_test(hard_rows),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
