/* SPDX-License-Identifier: MIT
 *
 * Large factors: L L' gives the matrix back, rows appended have the bits of a whole factor, threads change nothing.
 */
#include "test_support.h"

#include "la/la.h"

static double element(size_t i, size_t j)            /* positive definite, with neighbours that resemble each other */
{
    double distance = ((double)i - (double)j) / 7;
    return exp(-distance * distance / 2) + (i == j ? 0.01 : 0);
}

static double *matrix(size_t n, size_t stride)
{
    double *a = calloc(n * stride, sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) a[i * stride + j] = element(i, j);
    return a;
}

static double *factored(size_t n, size_t stride, int threads, const char *kernels)
{
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = threads, .kernels = kernels };
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    double *a = matrix(n, stride);
    assert_ok(una_large_chol(a, 0, n, stride, "the test", run), run);
    una_run_free(run);
    return a;
}

static void factor_gives_the_matrix_back(void **state)
{
    static const size_t sizes[] = { 1, 2, 7, 8, 9, 63, 64, 65, 100, 127, 128, 129, 200, 256, 300, 431 };
    (void)state;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s], stride = una_large_stride(n);
        assert_true(stride >= n && stride % 16 == 8);
        double *l = factored(n, stride, 1, NULL), *plain = calloc(n * n, sizeof *plain);
        assert_non_null(plain);
        una_run *run = quiet_run();
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) plain[i * n + j] = plain[j * n + i] = element(i, j);
        assert_ok(una_chol(plain, n, "the test", run), run);

        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                assert_near(una_dot(l + i * stride, l + j * stride, j + 1), element(i, j), 0, 1e-14);
                assert_near(l[i * stride + j], plain[i * n + j], 0, 1e-12);
            }
        una_run_free(run);
        free(l);
        free(plain);
    }
}

static bool same_rows(const double *a, const double *b, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i * stride, b + i * stride, (i + 1) * sizeof *a) != 0) return false;
    return true;
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    const size_t n = 517, stride = una_large_stride(n);
    double *one = factored(n, stride, 1, NULL), *three = factored(n, stride, 3, NULL);
    assert_true(same_rows(one, three, n, stride));
    double *generic = factored(n, stride, 2, "generic");
    for (size_t i = 0; i < n; i++) assert_arrays_near(generic + i * stride, one + i * stride, i + 1, 0, 1e-12);
    free(generic);
    free(one);
    free(three);
}

static void appended_rows_have_the_same_bits(void **state)
{
    (void)state;
    const size_t n = 300, stride = una_large_stride(n);
    static const size_t first[] = { 1, 5, 64, 100, 128, 131, 255, 256, 299 };
    double *whole = factored(n, stride, 2, NULL);
    una_run *run = quiet_run_threads(2);

    for (size_t s = 0; s < sizeof first / sizeof *first; s++) {
        double *a = matrix(n, stride);
        assert_ok(una_large_chol(a, 0, first[s], stride, "the test", run), run);
        for (size_t i = first[s]; i < n; i++)            /* what the first factor left above and below is made anew */
            for (size_t j = 0; j <= i; j++) a[i * stride + j] = element(i, j);
        assert_ok(una_large_chol(a, first[s], n, stride, "the test", run), run);
        assert_true(same_rows(a, whole, n, stride));
        free(a);
    }

    una_run_free(run);
    free(whole);
}

static void pivots_are_named(void **state)
{
    (void)state;
    const size_t n = 150, stride = una_large_stride(n);
    static const size_t where[] = { 0, 5, 70, 140 };
    una_run *run = quiet_run();

    for (size_t w = 0; w < 4; w++) {
        double *a = matrix(n, stride);
        char text[64];
        a[where[w] * stride + where[w]] = w == 3 ? NAN : -1;
        assert_status(una_large_chol(a, 0, n, stride, "the test", run), UNA_E_NUMERIC, run);
        snprintf(text, sizeof text, "the test is not positive definite: pivot %zu of 150", where[w] + 1);
        assert_says(una_run_message(run), text);
        free(a);
    }
    una_run_free(run);

    una_run_settings settings = { .size = sizeof settings, .threads = 1, .kernels = "abacus" };
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    double one = 1;
    assert_status(una_large_chol(&one, 0, 1, 1, "the test", run), UNA_E_USAGE, run);
    una_run_free(run);
}

static void solves_and_inverse(void **state)
{
    (void)state;
    const size_t n = 333, stride = una_large_stride(n), tiles = (n + UNA_TILE - 1) / UNA_TILE;
    una_run *run = quiet_run_threads(2);
    double *l = factored(n, stride, 1, NULL), *wide = calloc(n * 24, sizeof *wide),
        *narrow = calloc(n * 8, sizeof *narrow),
           *inverse = malloc(tiles * n * UNA_TILE * sizeof *inverse), *b = malloc(2 * n * sizeof *b);
    assert_true(wide && narrow && inverse && b);

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 24; c++) wide[i * 24 + c] = sin((double)(i * 24 + c));
    for (size_t i = 0; i < n; i++) {
        b[i] = b[n + i] = wide[i * 24 + 11];
        memcpy(narrow + i * 8, wide + i * 24 + 8, 8 * sizeof *b);
    }

    una_large_lower_solve(l, n, stride, wide, 24, 0, run);
    una_large_lower_solve(l, n, stride, narrow, 8, 0, run);
    una_large_forward(l, n, stride, b);
    for (size_t i = 0; i < n; i++) {
        assert_true(memcmp(narrow + i * 8, wide + i * 24 + 8, 8 * sizeof *b) == 0);   /* whatever stands beside it */
        assert_near(b[i], -wide[i * 24 + 11], 1e-9, 1e-10);
    }

    una_large_backward(l, n, stride, b);
    assert_ok(una_large_inverse(l, n, stride, inverse, run), run);
    double tile[UNA_TILE * UNA_TILE], back = 0;
    for (size_t j = 0; j < n; j++) {                     /* row 200 of K^-1 times the right side */
        size_t t = j / UNA_TILE, i = 200 / UNA_TILE, low = t < i ? t : i, high = t < i ? i : t;
        una_large_gram(inverse + high * n * UNA_TILE, inverse + low * n * UNA_TILE, high * UNA_TILE, n, tile, run);
        size_t row = (t < i ? 200 : j) % UNA_TILE, column = (t < i ? j : 200) % UNA_TILE;
        back += tile[row * UNA_TILE + column] * b[n + j];
    }
    assert_near(back, b[200], 1e-9, 1e-9);

    free(l);
    free(wide);
    free(narrow);
    free(inverse);
    free(b);
    una_run_free(run);
}

static una_status factor_job(void *context, una_run *run)
{
    (void)context;
    const size_t n = 200, stride = una_large_stride(n);
    double *a = matrix(n, stride);
    una_status status = una_large_chol(a, 0, n, stride, "the test", run);
    free(a);
    return status;
}

/* L^-1 b against substitution in long double: steps of inverted triangles lose no more digits than plain substitution
 * does, for a matrix with next to no noise, where digits are lost. */
static void solves_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 300 };
    const size_t stride = una_large_stride(N);
    una_run *run = quiet_run();
    double *l = matrix(N, stride), b[N * 8], plain[N], worst = 0, worst_plain = 0, largest = 0;
    for (size_t i = 0; i < N; i++) l[i * stride + i] += 1e-8 - 0.01;
    assert_ok(una_large_chol(l, 0, N, stride, "the test", run), run);

    for (size_t i = 0; i < N * 8; i++) b[i] = cos((double)(i / 8) * (1 + (double)(i % 8)));
    long double *exact = calloc(N * 8, sizeof *exact);
    assert_non_null(exact);
    for (size_t c = 0; c < 8; c++)
        for (size_t i = 0; i < N; i++) {
            long double sum = b[i * 8 + c];
            for (size_t p = 0; p < i; p++) sum -= (long double)l[i * stride + p] * exact[p * 8 + c];
            exact[i * 8 + c] = sum / l[i * stride + i];
            largest = fmax(largest, fabs((double)exact[i * 8 + c]));
        }

    for (size_t i = 0; i < N; i++) plain[i] = b[i * 8 + 3];
    una_large_forward(l, N, stride, plain);
    una_large_lower_solve(l, N, stride, b, 8, 0, run);

    for (size_t i = 0; i < N * 8; i++) worst = fmax(worst, fabs((double)(b[i] + exact[i])) / largest);
    for (size_t i = 0; i < N; i++)
        worst_plain = fmax(worst_plain, fabs((double)(plain[i] - exact[i * 8 + 3])) / largest);
    print_message("off by %.1e of the largest, plain substitution by %.1e\n", worst, worst_plain);
    assert_true(worst < 1e-11 && worst < 20 * worst_plain);

    free(exact);
    free(l);
    una_run_free(run);
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(factor_job, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_gives_the_matrix_back),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(appended_rows_have_the_same_bits),
        cmocka_unit_test(pivots_are_named),
        cmocka_unit_test(solves_and_inverse),
        cmocka_unit_test(solves_keep_their_digits),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
