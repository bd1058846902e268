/* SPDX-License-Identifier: MIT
 *
 * Eigenvectors are orthonormal and rebuild the matrix, for easy and for awkward spectra.
 */
#include "la/la.h"
#include "test_support.h"

enum { MOST = 120 };

static void fill(double *a, size_t n, uint64_t index)
{
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, index);
    for (size_t i = 0; i < n; i++) a[i] = una_rng_normal(&rng);
}

/* Z Z' = I, Z' diag(w) Z = a, w ascending; `size` is that of the entries. */
static void check(const double *a, size_t n, double size, una_run *run)
{
    static double z[MOST * MOST], w[MOST];
    memcpy(z, a, n * n * sizeof *z);
    assert_ok(una_eigen(z, n, w, run), run);

    double room = 4e-15 * (double)(n + 3);
    for (size_t i = 0; i < n; i++) {
        if (i) assert_true(w[i] >= w[i - 1]);
        for (size_t j = 0; j < n; j++) {
            double inner = 0, rebuilt = 0;
            for (size_t k = 0; k < n; k++) {
                inner += z[i * n + k] * z[j * n + k];
                rebuilt += w[k] * z[k * n + i] * z[k * n + j];
            }
            assert_near(inner, i == j, 0, room);
            assert_near(rebuilt, a[i * n + j], 0, room * size * (double)n);
        }
    }
}

static void random_matrices(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    una_run *run = quiet_run();
    const size_t sizes[] = { 1, 2, 3, 4, 8, 51, MOST };
    for (size_t s = 0; s < 7; s++) {
        size_t n = sizes[s];
        fill(a, n * n, s);
        for (size_t i = 0; i < n; i++) for (size_t j = 0; j < i; j++) a[i * n + j] = a[j * n + i];
        check(a, n, 3, run);
    }
    assert_ok(una_eigen(NULL, 0, NULL, run), run);
    una_run_free(run);
}

static void awkward_spectra(void **state)
{
    (void)state;
    enum { N = 40 };
    static double a[N * N], x[5 * N];
    una_run *run = quiet_run();

    check(a, N, 1, run);                                       /* all zero */
    for (size_t i = 0; i < N; i++) a[i * N + i] = 3;
    check(a, N, 3, run);                                       /* one value, N times */
    for (size_t i = 0; i < N; i++) a[i * N + i] = (double)(N - i);
    check(a, N, N, run);                                       /* diagonal, descending */
    for (size_t i = 0; i < N * N; i++) a[i] = 1;
    check(a, N, 1, run);                                       /* rank one: N - 1 zeros */

    fill(x, 5 * N, 1);
    memset(a, 0, sizeof a);
    una_gram_add(a, x, 5, N, NULL);
    check(a, N, 10, run);                                      /* rank five */
    for (size_t i = 0; i < N; i++) a[i * N + 7] = a[7 * N + i] = 0;
    check(a, N, 10, run);                                      /* a dead feature */

    for (size_t i = 0; i < N * N; i++) a[i] *= 1e200;
    check(a, N, 1e201, run);                                   /* squares would overflow */
    for (size_t i = 0; i < N * N; i++) a[i] *= 1e-200 * 1e-200;
    check(a, N, 1e-199, run);                                  /* or vanish */
    una_run_free(run);
}

static void known_values(void **state)
{
    (void)state;
    enum { N = 30 };
    una_run *run = quiet_run();
    double two[4] = { 2, 1, 1, 2 }, w[N];
    assert_ok(una_eigen(two, 2, w, run), run);
    assert_near(w[0], 1, 1e-15, 0);
    assert_near(w[1], 3, 1e-15, 0);
    assert_near(fabs(two[2]), sqrt(0.5), 1e-15, 0);

    /* Second differences: 2 - 2 cos(pi k / (N + 1)). */
    static double a[N * N];
    for (size_t i = 0; i < N; i++) {
        a[i * N + i] = 2;
        if (i + 1 < N) a[i * N + i + 1] = a[(i + 1) * N + i] = -1;
    }
    assert_ok(una_eigen(a, N, w, run), run);
    for (size_t k = 0; k < N; k++) assert_near(w[k], 2 - 2 * cos(acos(-1) * (double)(k + 1) / (N + 1)), 0, 1e-14);
    una_run_free(run);
}

static void not_finite_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double a[4] = { 1, NAN, NAN, 1 }, w[2];
    assert_status(una_eigen(a, 2, w, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "not finite");
    una_run_free(run);
}

static una_status small_job(void *context, una_run *run)
{
    (void)context;
    double a[9] = { 2, 1, 0, 1, 2, 1, 0, 1, 2 }, w[3];
    return una_eigen(a, 3, w, run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(small_job, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(awkward_spectra),
        cmocka_unit_test(known_values),
        cmocka_unit_test(not_finite_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
