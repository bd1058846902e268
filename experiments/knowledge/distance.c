/* SPDX-License-Identifier: MIT
 *
 * Distances between distributions of functions. See knowledge.h.
 */
#include "knowledge/knowledge.h"

#include "la/la.h"

static double gap(const double *a, const double *b, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (double)size);
}

static double mean_within(const double *a, size_t count, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) sum += gap(a + i * size, a + j * size, size);
    return 2 * sum / ((double)count * (double)(count - 1));
}

double una_energy_distance(const double *a, size_t na, const double *b, size_t nb, size_t size)
{
    double across = 0;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) across += gap(a + i * size, b + j * size, size);
    return 2 * across / ((double)na * (double)nb) - mean_within(a, na, size) - mean_within(b, nb, size);
}

una_status una_gaussian_kl(double *kl, const double *p, const double *q, size_t size, una_run *run)
{
    size_t bytes = size * size * sizeof(double);
    UNA_NEW(&run->scratch, double, lp, size * size);
    UNA_NEW(&run->scratch, double, lq, size * size);
    memcpy(lp, p, bytes);
    memcpy(lq, q, bytes);
    UNA_TRY(una_chol(lp, size, "the first covariance", run));
    UNA_TRY(una_chol(lq, size, "the second covariance", run));
    double log_ratio = una_chol_logdet(lq, size) - una_chol_logdet(lp, size), trace = 0;
    una_chol_lower_solve(lq, size, lp, size);            /* tr(Q^-1 P) = |Lq^-1 Lp|^2 */
    for (size_t i = 0; i < size * size; i++) trace += lp[i] * lp[i];
    *kl = (trace - (double)size + log_ratio) / 2;
    return UNA_OK;
}

void una_second_moment(double *cov, const double *f, size_t count, size_t size)
{
    memset(cov, 0, size * size * sizeof *cov);
    una_gram_add(cov, f, count, size, NULL);
    for (size_t i = 0; i < size * size; i++) cov[i] /= (double)count;
}
