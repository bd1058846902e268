/* SPDX-License-Identifier: MIT
 *
 * R-hat and effective sample size. With m chains of n draws, within variance W and between variance B:
 *   var+ = (n-1)/n W + B/n,   R-hat = sqrt(var+ / W),   rho_t = 1 - (W - mean_c acov_c(t)) / var+,
 *   ESS = m n / tau,  tau = -1 + 2 sum of P_k,  P_k = rho_2k + rho_2k+1 while positive, made monotone (Geyer 1992).
 * Each chain is split in two (a drift then shows as disagreement) and values are replaced by normal scores of their
 * ranks (so that heavy tails do not matter); folding about the median shows chains of different width.
 */
#include "infer/diagnostics.h"

#include "la/la.h"

typedef struct chains { const double *at; size_t count, draws; } chains;

static double chain_mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return sum / (double)n;
}

/* Within variance (of n - 1) and between variance of the chain means times n. */
static void chain_variances(chains c, double *within, double *between)
{
    double n = (double)c.draws, m = (double)c.count, all = chain_mean(c.at, c.count * c.draws);
    *within = *between = 0;
    for (size_t k = 0; k < c.count; k++) {
        const double *v = c.at + k * c.draws;
        double mean = chain_mean(v, c.draws), square = 0;
        for (size_t i = 0; i < c.draws; i++) square += (v[i] - mean) * (v[i] - mean);
        *within += square / (n - 1) / m;
        if (c.count > 1) *between += n * (mean - all) * (mean - all) / (m - 1);
    }
}

double una_rhat(const double *values, size_t count, size_t draws)
{
    double within, between, n = (double)draws;
    chain_variances((chains){ values, count, draws }, &within, &between);
    if (within == 0) return between > 0 ? HUGE_VAL : NAN;
    return sqrt(((n - 1) / n * within + between / n) / within);
}

/* Mean over the chains of the autocovariance at a lag (divided by n); centred holds the
 * values less their chain's mean. */
static double covariance_at(const double *centred, size_t count, size_t draws, size_t lag)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const double *v = centred + k * draws;
        double part = 0;
        for (size_t i = 0; i + lag < draws; i++) part += v[i] * v[i + lag];
        sum += part;
    }
    return sum / (double)draws / (double)count;
}

static una_status ess_of(double *ess, chains c, una_run *run)
{
    double within, between, n = (double)c.draws, all = n * (double)c.count;
    UNA_NEW(&run->scratch, double, centred, c.count * c.draws);
    for (size_t k = 0; k < c.count; k++) {
        double mean = chain_mean(c.at + k * c.draws, c.draws);
        for (size_t i = 0; i < c.draws; i++) centred[k * c.draws + i] = c.at[k * c.draws + i] - mean;
    }

    chain_variances(c, &within, &between);
    double plus = (n - 1) / n * within + between / n, tau = -1, last = HUGE_VAL;
    for (size_t lag = 0; plus > 0 && lag + 1 < c.draws; lag += 2) {
        double even = 1 - (within - covariance_at(centred, c.count, c.draws, lag)) / plus;
        double odd = 1 - (within - covariance_at(centred, c.count, c.draws, lag + 1)) / plus;
        if (lag == 0) even = 1;
        double pair = fmin(even + odd, last);
        if (!(pair > 0)) break;
        tau += 2 * pair;
        last = pair;
    }

    if (plus > 0) *ess = all / fmax(tau, 1 / log10(fmax(all, 11)));      /* chains that swing: at most n log10 n */
    return UNA_OK;
}

una_status una_ess(double *ess, const double *values, size_t count, size_t draws, una_run *run)
{
    *ess = NAN;
    UNA_SCOPED(run, ess_of(ess, (chains){ values, count, draws }, run));
    return UNA_OK;
}

/* ---- ranks --------------------------------------------------------------------------------------------------- */

typedef struct work {
    chains  all;
    size_t *order;                       /* ranks of `split`, ascending                                     */
    double *split, *z;                   /* each [2 chains, half the draws]                                 */
    una_run *run;
} work;

/* Normal scores of the ranks, ties sharing their mean rank (Blom): z = quantile((r - 3/8)/(S + 1/4)). */
static void normal_scores(const work *w, size_t size)
{
    for (size_t from = 0, to; from < size; from = to) {
        for (to = from + 1; to < size && w->split[w->order[to]] == w->split[w->order[from]]; to++) {}
        double rank = ((double)from + (double)to + 1) / 2;
        double score = una_normal_quantile((rank - 0.375) / ((double)size + 0.25));
        for (size_t i = from; i < to; i++) w->z[w->order[i]] = score;
    }
}

static double ranked_quantile(const work *w, size_t size, double p)
{
    double at = p * (double)(size - 1);
    size_t low = (size_t)at, high = low + 1 < size ? low + 1 : low;
    double value = w->split[w->order[low]];
    return value + (at - (double)low) * (w->split[w->order[high]] - value);
}

/* ESS of the share of draws up to a quantile. */
static una_status ess_below(double *ess, const work *w, double p)
{
    size_t size = w->all.count * w->all.draws;
    double limit = ranked_quantile(w, size, p);
    for (size_t i = 0; i < size; i++) w->z[i] = w->split[i] <= limit;
    return una_ess(ess, w->z, w->all.count, w->all.draws, w->run);
}

/* R-hat of normal scores, which are in z afterwards. */
static una_status ranked_rhat(double *rhat, work *w)
{
    size_t size = w->all.count * w->all.draws;
    w->order = una_order_of(w->split, size, &w->run->scratch);
    UNA_TRY(una_arena_check(&w->run->scratch));
    normal_scores(w, size);
    *rhat = una_rhat(w->z, w->all.count, w->all.draws);
    return UNA_OK;
}

/* Of chains split in two; an odd draw in the middle is left out. */
static una_status assess_convergence(una_convergence *out, chains c, una_run *run)
{
    size_t half = c.draws / 2, size = 2 * c.count * half;
    double low, high, bulk, folded;
    work w = { .all = { NULL, 2 * c.count, half }, .run = run };
    UNA_NEW_AT(&run->scratch, w.split, size);
    UNA_NEW_AT(&run->scratch, w.z, size);
    for (size_t k = 0; k < c.count; k++) {
        memcpy(w.split + 2 * k * half, c.at + k * c.draws, half * sizeof(double));
        memcpy(w.split + (2 * k + 1) * half, c.at + (k + 1) * c.draws - half, half * sizeof(double));
    }

    UNA_TRY(ranked_rhat(&bulk, &w));
    UNA_TRY(una_ess(&out->ess_bulk, w.z, w.all.count, half, run));
    UNA_TRY(ess_below(&low, &w, 0.05));
    UNA_TRY(ess_below(&high, &w, 0.95));
    out->ess_tail = fmin(low, high);

    double median = ranked_quantile(&w, size, 0.5);
    for (size_t i = 0; i < size; i++) w.split[i] = fabs(w.split[i] - median);
    UNA_TRY(ranked_rhat(&folded, &w));
    out->rhat = isnan(bulk) ? bulk : fmax(bulk, folded);
    return UNA_OK;
}

una_status una_convergence_of(una_convergence *out, const double *values, size_t count, size_t draws, una_run *run)
{
    *out = (una_convergence){ NAN, NAN, NAN };
    if (draws < 4 || count == 0) return UNA_OK;
    UNA_SCOPED(run, assess_convergence(out, (chains){ values, count, draws }, run));
    return UNA_OK;
}
