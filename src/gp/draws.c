/* SPDX-License-Identifier: MIT
 *
 * Joint draws from a Gaussian process prior at the rows of x: f = L z with L L' = K + jitter mean(diag K) I and
 * z ~ N(0, I). The normals of one draw follow each other, so the first draws do not depend on how many are asked for.
 */
#include "gp/kernel.h"
#include "la/la.h"

static una_status mean_of_diagonal(const una_kernel *kernel, una_view x, double *mean, una_run *run)
{
    *mean = 0;
    for (size_t i = 0; i < x.rows; i++) {
        double k = una_kernel_prior_var(kernel, x.at + i * x.stride);
        if (!isfinite(k))
            UNA_FAIL(run, UNA_E_NUMERIC, "the prior variance is not finite at some of the rows; choose a smaller var");
        *mean += k / (double)x.rows;
    }
    return UNA_OK;
}

/* The factor destroys K, and a second copy would double the memory: so each try computes K again. */
static una_status factor_jittered(const una_kernel *kernel, una_view x, double scale, double *l, double *jitter,
                                  una_run *run)
{
    const double first = 1e-10, last = 1e-4;
    size_t n = x.rows;
    for (*jitter = first; *jitter < 2 * last; *jitter *= 10) {
        una_kernel_matrix(kernel, x.at, n, x.at, n, x.stride, l);
        for (size_t i = 0; i < n; i++) l[i * n + i] += *jitter * scale;
        una_status status = una_chol(l, n, "the prior covariance", run);
        if (status == UNA_OK) una_clear_message(run);
        if (status != UNA_E_NUMERIC) return status;
    }
    UNA_FAIL(run, UNA_E_NUMERIC,
             "the prior covariance of %zu rows has no Cholesky factor even with %g of its mean variance "
             "added to the diagonal; choose a shorter length or fewer rows",
             n, last);
}

/* f [n, draws] = L f in place: row i needs rows up to i only, so the last goes first. */
static una_status multiply_lower(const double *l, size_t n, double *f, size_t draws, una_run *run)
{
    for (size_t i = n; i-- > 0;) {
        double *to = f + i * draws;
        for (size_t d = 0; d < draws; d++) to[d] *= l[i * n + i];
        for (size_t j = 0; j < i; j++) {
            const double *from = f + j * draws;
            double weight = l[i * n + j];
            for (size_t d = 0; d < draws; d++) to[d] += weight * from[d];
        }
        UNA_TRY(una_check_cancelled(run, "drawing from the prior"));
    }
    return UNA_OK;
}

static una_status draw_in(const una_kernel *kernel, una_view x, size_t draws, una_rng *rng, double *f, double *jitter,
                          una_run *run)
{
    size_t n = x.rows;
    double mean = 0;
    UNA_TRY(mean_of_diagonal(kernel, x, &mean, run));
    for (size_t d = 0; d < draws; d++)
        for (size_t i = 0; i < n; i++) f[i * draws + d] = mean > 0 ? una_rng_normal(rng) : 0;
    /* A prior without variance is the function 0; there is nothing to factor. */
    if (!(mean > 0)) return UNA_OK;
    double *l = una_arena_get(&run->scratch, n, n * sizeof *l);   /* [n, n] */
    if (!l) return UNA_E_MEMORY;
    UNA_TRY(factor_jittered(kernel, x, mean, l, jitter, run));
    return multiply_lower(l, n, f, draws, run);
}

una_status una_gp_prior_draws(const una_kernel *kernel, una_view x, size_t draws, una_rng *rng, double *f,
                              double *used_jitter, una_run *run)
{
    double jitter = 0;
    if (used_jitter) *used_jitter = 0;
    if (x.rows == 0 || draws == 0) return UNA_OK;
    UNA_SCOPED(run, draw_in(kernel, x, draws, rng, f, &jitter, run));
    if (used_jitter) *used_jitter = jitter;
    return UNA_OK;
}
