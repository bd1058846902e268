/* SPDX-License-Identifier: MIT
 *
 * The symmetric eigenproblem A = Z' diag(w) Z, eigenvectors as rows of Z, in two steps (Golub & Van Loan, Matrix
 * Computations, 8.3): Householder reflections H_k = I - tau v v' make A tridiagonal, T = Q' A Q with
 * Q = H_0 H_1 ...; then implicit QR steps with Wilkinson's shift make T diagonal. Eigenvectors are kept as rows, so
 * that each plane rotation touches two contiguous rows.
 */
#include "la/la.h"

#include <float.h>

#define STAGE "looking for eigenvalues"

enum { STEPS_PER_VALUE = 60 };

typedef struct tridiagonal {
    double *d;                   /* diagonal [n]                                    */
    double *e;                   /* beside it [n - 1]                               */
    double *tau, *work;          /* of the reflections [n]; [n]                     */
} tridiagonal;

/* Makes (x_0, x_1 ...) into v with v_0 = 1 and gives tau and the value `beta` that H x leaves in the first place. */
static double make_reflector(double *x, size_t n, double *tau)
{
    double tail = una_dot(x + 1, x + 1, n - 1);
    if (tail == 0) {
        *tau = 0;
        double beta = x[0];
        x[0] = 1;
        return beta;
    }

    double beta = -copysign(sqrt(x[0] * x[0] + tail), x[0]);
    *tau = (beta - x[0]) / beta;
    double scale = 1 / (x[0] - beta);
    for (size_t i = 1; i < n; i++) x[i] *= scale;
    x[0] = 1;
    return beta;
}

/* Row k keeps its reflection in columns k+1.. ; the block below and right of it becomes H A H. */
static una_status make_tridiagonal(double *a, size_t n, tridiagonal *t, una_run *run)
{
    for (size_t k = 0; k + 1 < n; k++) {
        UNA_TRY(una_check_cancelled(run, STAGE));
        size_t m = n - k - 1;
        double *v = a + k * n + k + 1, *block = a + (k + 1) * n + k + 1, *p = t->work;
        t->d[k] = a[k * n + k];
        t->e[k] = make_reflector(v, m, &t->tau[k]);
        if (t->tau[k] == 0) continue;

        for (size_t i = 0; i < m; i++) p[i] = t->tau[k] * una_dot(block + i * n, v, m);
        double half = 0.5 * t->tau[k] * una_dot(p, v, m);
        for (size_t i = 0; i < m; i++) p[i] -= half * v[i];
        for (size_t i = 0; i < m; i++) {
            double vi = v[i], pi = p[i], *row = block + i * n;
            for (size_t j = 0; j < m; j++) row[j] -= vi * p[j] + pi * v[j];
        }
    }
    t->d[n - 1] = a[n * n - 1];
    return UNA_OK;
}

/* a becomes Q' = ... H_1 H_0: from the last reflection to the first, each acting on the rows of the block so far. */
static una_status gather_reflections(double *a, size_t n, const tridiagonal *t, una_run *run)
{
    a[n * n - 1] = 1;
    for (size_t k = n - 1; k-- > 0;) {
        UNA_TRY(una_check_cancelled(run, STAGE));
        size_t m = n - k - 1;
        double *v = a + k * n + k + 1;
        for (size_t i = 0; i < m && t->tau[k] != 0; i++) {
            double *row = a + (k + 1 + i) * n + k + 1;
            double weight = -t->tau[k] * una_dot(row, v, m);
            una_combine(row, &weight, v, m, 1, m);
        }

        memset(a + k * n, 0, n * sizeof *a);
        for (size_t i = k + 1; i < n; i++) a[i * n + k] = 0;
        a[k * n + k] = 1;
    }
    return UNA_OK;
}

static void rotate_rows(double *restrict upper, double *restrict lower, size_t n, double c, double s)
{
    for (size_t j = 0; j < n; j++) {
        double x = upper[j], y = lower[j];
        upper[j] = c * x + s * y;
        lower[j] = c * y - s * x;
    }
}

/* One implicit QR step on the unreduced block [low, high]. */
static void chase_bulge(tridiagonal *t, size_t low, size_t high, double *z, size_t n)
{
    double *d = t->d, *e = t->e;
    double half = (d[high - 1] - d[high]) / 2, last = e[high - 1];
    double shift = d[high] - last * last / (half + copysign(hypot(half, last), half));
    double x = d[low] - shift, bulge = e[low];

    for (size_t k = low; k < high; k++) {
        double r = hypot(x, bulge), c = r > 0 ? x / r : 1, s = r > 0 ? bulge / r : 0;
        if (k > low) e[k - 1] = r;
        double p = d[k], q = d[k + 1], b = e[k];
        d[k] = c * c * p + 2 * c * s * b + s * s * q;
        d[k + 1] = s * s * p - 2 * c * s * b + c * c * q;
        e[k] = (c * c - s * s) * b + c * s * (q - p);

        x = e[k];
        if (k + 1 < high) {
            bulge = s * e[k + 1];
            e[k + 1] *= c;
        }
        rotate_rows(z + k * n, z + (k + 1) * n, n, c, s);
    }
}

static una_status make_diagonal(tridiagonal *t, double *z, size_t n, una_run *run)
{
    double norm = 0;
    for (size_t i = 0; i < n; i++) norm = fmax(norm, fabs(t->d[i]) + (i + 1 < n ? fabs(t->e[i]) : 0));
    double negligible = 0.5 * DBL_EPSILON * norm;
    size_t steps = STEPS_PER_VALUE * n, high = n - 1;

    while (high > 0) {
        if (fabs(t->e[high - 1]) <= negligible) {
            high--;
            continue;
        }
        UNA_TRY(una_check_cancelled(run, STAGE));
        size_t low = high - 1;
        while (low > 0 && fabs(t->e[low - 1]) > negligible) low--;
        if (steps-- == 0) UNA_FAIL(run, UNA_E_NUMERIC, "the eigenvalues of a matrix of %zu rows did not converge", n);
        chase_bulge(t, low, high, z, n);
    }
    return UNA_OK;
}

static void sort_ascending(double *w, double *z, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        size_t least = i;
        for (size_t j = i + 1; j < n; j++) if (w[j] < w[least]) least = j;
        if (least == i) continue;

        double value = w[i];
        w[i] = w[least];
        w[least] = value;
        for (size_t j = 0; j < n; j++) {
            double entry = z[i * n + j];
            z[i * n + j] = z[least * n + j];
            z[least * n + j] = entry;
        }
    }
}

static una_status solve_scaled(double *a, size_t n, double *w, una_run *run)
{
    tridiagonal t = { w, UNA_GET(&run->scratch, double, n), UNA_GET(&run->scratch, double, n),
                      UNA_GET(&run->scratch, double, n) };
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(make_tridiagonal(a, n, &t, run));
    UNA_TRY(gather_reflections(a, n, &t, run));
    UNA_TRY(make_diagonal(&t, a, n, run));
    sort_ascending(w, a, n);
    return UNA_OK;
}

una_status una_eigen(double *a, size_t n, double *w, una_run *run)
{
    if (n == 0) return UNA_OK;
    double largest = 0;
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) UNA_FAIL(run, UNA_E_NUMERIC, "a matrix whose eigenvalues are wanted is not finite");
        largest = fmax(largest, fabs(a[i]));
    }

    /* A power of two brings the entries near 1: squares neither overflow nor vanish, and nothing is rounded. */
    int power = 0;
    frexp(largest, &power);
    for (size_t i = 0; i < n * n; i++) a[i] = ldexp(a[i], -power);

    UNA_SCOPED(run, solve_scaled(a, n, w, run));
    for (size_t i = 0; i < n; i++) w[i] = ldexp(w[i], power);
    return UNA_OK;
}
