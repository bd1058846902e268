/* SPDX-License-Identifier: MIT
 *
 * Cholesky, solves, update, Gram matrix: against what they undo, in long double sums.
 */
#include "la/la.h"
#include "test_support.h"

enum { MOST = 200 };

static void fill(double *a, size_t n, uint64_t index)
{
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, index);
    for (size_t i = 0; i < n; i++) a[i] = una_rng_normal(&rng);
}

/* c = a' a + shift I */
static void gram_plainly(double *c, const double *a, size_t rows, size_t n, double shift)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            long double sum = i == j ? shift : 0;
            for (size_t r = 0; r < rows; r++) sum += (long double)a[r * n + i] * a[r * n + j];
            c[i * n + j] = (double)sum;
        }
    }
}

/* c = l l' */
static void product(double *c, const double *l, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            long double sum = 0;
            for (size_t k = 0; k < n; k++) sum += (long double)l[i * n + k] * l[j * n + k];
            c[i * n + j] = (double)sum;
        }
    }
}

static const size_t sizes[] = { 1, 2, 3, 31, 32, 33, 51, 64, 97, 150, MOST };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void factor_times_itself_is_the_matrix(void **state)
{
    (void)state;
    static double x[MOST * MOST], a[MOST * MOST], l[MOST * MOST], back[MOST * MOST];
    una_run *run = quiet_run();

    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        fill(x, n * n, s);
        gram_plainly(a, x, n, n, 0.1);
        memcpy(l, a, n * n * sizeof *l);
        assert_ok(una_chol(l, n, "A", run), run);

        for (size_t i = 0; i < n; i++) {
            assert_true(l[i * n + i] > 0);
            for (size_t j = i + 1; j < n; j++) assert_true(l[i * n + j] == 0);
        }
        product(back, l, n);
        assert_arrays_near(back, a, n * n, 0, 1e-13 * a[0] * (double)n);
    }
    una_run_free(run);
}

static void known_factor(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double a[9] = { 4, 12, -16, 12, 37, -43, -16, -43, 98 };
    const double l[9] = { 2, 0, 0, 6, 1, 0, -8, 5, 3 };
    assert_ok(una_chol(a, 3, "A", run), run);
    assert_arrays_near(a, l, 9, 1e-14, 1e-14);
    assert_near(una_chol_logdet(a, 3), log(36), 1e-14, 0);
    una_run_free(run);
}

static void a_bad_pivot_is_named(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double indefinite[4] = { 1, 2, 2, 1 };
    assert_status(una_chol(indefinite, 2, "the kernel matrix", run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "the kernel matrix is not positive definite: pivot 2 of 2 is -3");

    double broken[4] = { NAN, 0, 0, 1 }, endless[4] = { HUGE_VAL, 0, 0, 1 }, beside[4] = { 1, 0, HUGE_VAL, 1 };
    assert_status(una_chol(broken, 2, "A", run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "pivot 1 of 2");
    assert_status(una_chol(endless, 2, "A", run), UNA_E_NUMERIC, run);
    assert_status(una_chol(beside, 2, "A", run), UNA_E_NUMERIC, run);

    /* A fault beyond the first panel. */
    static double large[MOST * MOST];
    for (size_t i = 0; i < MOST; i++) large[i * MOST + i] = i == 140 ? 0 : 1;
    assert_status(una_chol(large, MOST, "A", run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "pivot 141 of 200");
    una_run_free(run);
}

static void solves_undo_products(void **state)
{
    (void)state;
    static double x[MOST * MOST], a[MOST * MOST], l[MOST * MOST], b[MOST * 9], z[MOST * 9];
    una_run *run = quiet_run();
    const size_t columns[] = { 1, 2, 9 };

    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        fill(x, n * n, s);
        gram_plainly(a, x, n, n, 1);
        memcpy(l, a, n * n * sizeof *l);
        assert_ok(una_chol(l, n, "A", run), run);

        for (size_t c = 0; c < 3; c++) {
            size_t m = columns[c];
            fill(z, n * m, 100 + s);
            for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < m; j++) {
                    b[i * m + j] = 0;
                    for (size_t k = 0; k < n; k++) b[i * m + j] += a[i * n + k] * z[k * m + j];
                }
            }
            una_chol_solve(l, n, b, m);
            assert_arrays_near(b, z, n * m, 1e-9, 1e-9);
        }
    }
    una_run_free(run);
}

static void a_column_has_the_same_bits_beside_any_others(void **state)
{
    (void)state;
    enum { N = 51, M = 21 };
    static double x[N * N], l[N * N], many[N * M], few[N * 2];
    una_run *run = quiet_run();
    fill(x, N * N, 3);
    gram_plainly(l, x, N, N, 1);
    assert_ok(una_chol(l, N, "A", run), run);

    for (size_t c = 0; c + 1 < M; c++) {
        fill(many, N * M, 4);
        for (size_t i = 0; i < N; i++) few[2 * i] = many[i * M + c], few[2 * i + 1] = many[i * M + c + 1];
        una_chol_solve(l, N, many, M);
        una_chol_solve(l, N, few, 2);
        for (size_t i = 0; i < N; i++) {
            assert_true(few[2 * i] == many[i * M + c]);
            assert_true(few[2 * i + 1] == many[i * M + c + 1]);
        }
    }
    una_run_free(run);
}

static void gram_adds_up(void **state)
{
    (void)state;
    enum { N = 70, ROWS = 300 };
    static double a[ROWS * N], plain[N * N], once[N * N], chunks[N * N], again[N * N];
    fill(a, ROWS * N, 11);
    gram_plainly(plain, a, ROWS, N, 2);
    for (size_t i = 0; i < N; i++) once[i * N + i] = chunks[i * N + i] = again[i * N + i] = 2;

    una_gram_add(once, a, ROWS, N, NULL);
    una_gram_add(again, a, ROWS, N, NULL);
    assert_memory_equal(once, again, sizeof once);
    for (size_t from = 0; from < ROWS; from += 7) {
        una_gram_add(chunks, a + from * N, ROWS - from < 7 ? ROWS - from : 7, N, NULL);
    }

    assert_arrays_near(once, plain, N * N, 1e-13, 1e-12);
    assert_arrays_near(chunks, plain, N * N, 1e-13, 1e-12);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < i; j++) assert_true(once[i * N + j] == once[j * N + i]);
    }
}

static void dot_and_combine(void **state)
{
    (void)state;
    double a[37], b[37], out[37], x[6 * 40];
    for (size_t i = 0; i < 37; i++) a[i] = (double)i, b[i] = 1;
    for (size_t n = 0; n <= 37; n++) assert_true(una_dot(a, b, n) == (double)(n * (n - (n > 0))) / 2);

    for (size_t i = 0; i < 240; i++) x[i] = (double)(i % 11);
    const double weight[6] = { 1, -2, 3, -4, 5, -6 };
    for (size_t terms = 0; terms <= 6; terms++) {
        for (size_t i = 0; i < 37; i++) out[i] = 1;
        una_combine(out, weight, x, 40, terms, 37);
        for (size_t i = 0; i < 37; i++) {
            double sum = 1;
            for (size_t t = 0; t < terms; t++) sum += weight[t] * x[t * 40 + i];
            assert_true(out[i] == sum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_times_itself_is_the_matrix),
        cmocka_unit_test(known_factor),
        cmocka_unit_test(a_bad_pivot_is_named),
        cmocka_unit_test(solves_undo_products),
        cmocka_unit_test(a_column_has_the_same_bits_beside_any_others),
        cmocka_unit_test(gram_adds_up),
        cmocka_unit_test(dot_and_combine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
