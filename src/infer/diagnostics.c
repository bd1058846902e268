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

static double *centred_chains(chains c, una_arena *arena)
{
    double *centred = UNA_GET(arena, double, c.count * c.draws);
    for (size_t k = 0; centred && k < c.count; k++) {
        double mean = chain_mean(c.at + k * c.draws, c.draws);
        for (size_t i = 0; i < c.draws; i++) centred[k * c.draws + i] = c.at[k * c.draws + i] - mean;
    }
    return centred;
}

una_status una_ess(double *ess, const double *values, size_t count, size_t draws, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    chains c = { values, count, draws };
    double *centred = centred_chains(c, &run->scratch), within, between, n = (double)draws, all = n * (double)count;
    *ess = NAN;
    if (!centred) {
        una_arena_release(&run->scratch, mark);
        return UNA_E_MEMORY;
    }

    chain_variances(c, &within, &between);
    double plus = (n - 1) / n * within + between / n, tau = -1, last = HUGE_VAL;
    for (size_t lag = 0; plus > 0 && lag + 1 < draws; lag += 2) {
        double even = 1 - (within - covariance_at(centred, count, draws, lag)) / plus;
        double odd = 1 - (within - covariance_at(centred, count, draws, lag + 1)) / plus;
        if (lag == 0) even = 1;
        double pair = fmin(even + odd, last);
        if (!(pair > 0)) break;
        tau += 2 * pair;
        last = pair;
    }

    if (plus > 0) *ess = all / fmax(tau, 1 / log10(fmax(all, 11)));      /* chains that swing: at most n log10 n */
    una_arena_release(&run->scratch, mark);
    return UNA_OK;
}

/* ---- ranks --------------------------------------------------------------------------------------------------- */

typedef struct ranked { double value; size_t place; } ranked;

static int compare_ranked_values(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Normal scores of the ranks, ties sharing their mean rank (Blom): z = quantile((r - 3/8)/(S + 1/4)). */
static void normal_scores(const ranked *order, size_t size, double *z)
{
    for (size_t from = 0, to; from < size; from = to) {
        for (to = from + 1; to < size && order[to].value == order[from].value; to++) {}
        double rank = ((double)from + (double)to + 1) / 2;
        double score = una_normal_quantile((rank - 0.375) / ((double)size + 0.25));
        for (size_t i = from; i < to; i++) z[order[i].place] = score;
    }
}

static void sort_values(ranked *order, const double *values, size_t size)
{
    for (size_t i = 0; i < size; i++) order[i] = (ranked){ values[i], i };
    qsort(order, size, sizeof *order, compare_ranked_values);
}

static double ranked_quantile(const ranked *order, size_t size, double p)
{
    double at = p * (double)(size - 1);
    size_t low = (size_t)at, high = low + 1 < size ? low + 1 : low;
    return order[low].value + (at - (double)low) * (order[high].value - order[low].value);
}

typedef struct work { ranked *order; double *split, *z; } work;

/* ESS of the share of draws up to a quantile. */
static una_status ess_below(double *ess, const work *w, double p, size_t count, size_t draws, una_run *run)
{
    double limit = ranked_quantile(w->order, count * draws, p);
    for (size_t i = 0; i < count * draws; i++) w->z[i] = w->split[i] <= limit;
    return una_ess(ess, w->z, count, draws, run);
}

static una_status assess_convergence(una_convergence *out, work *w, size_t count, size_t draws, una_run *run)
{
    size_t size = count * draws;
    double low, high;
    sort_values(w->order, w->split, size);
    double median = ranked_quantile(w->order, size, 0.5);

    UNA_TRY(ess_below(&low, w, 0.05, count, draws, run));
    UNA_TRY(ess_below(&high, w, 0.95, count, draws, run));
    out->ess_tail = fmin(low, high);

    normal_scores(w->order, size, w->z);
    UNA_TRY(una_ess(&out->ess_bulk, w->z, count, draws, run));
    double bulk = una_rhat(w->z, count, draws);

    for (size_t i = 0; i < size; i++) w->split[i] = fabs(w->split[i] - median);
    sort_values(w->order, w->split, size);
    normal_scores(w->order, size, w->z);
    double folded = una_rhat(w->z, count, draws);
    out->rhat = isnan(bulk) ? bulk : fmax(bulk, folded);
    return UNA_OK;
}

una_status una_convergence_of(una_convergence *out, const double *values, size_t count, size_t draws, una_run *run)
{
    size_t half = draws / 2, size = 2 * count * half;
    *out = (una_convergence){ NAN, NAN, NAN };
    if (draws < 4 || count == 0) return UNA_OK;

    una_mark mark = una_arena_mark(&run->scratch);
    work w = { UNA_GET(&run->scratch, ranked, size), UNA_GET(&run->scratch, double, size),
               UNA_GET(&run->scratch, double, size) };
    una_status status = una_arena_check(&run->scratch);
    for (size_t k = 0; status == UNA_OK && k < count; k++) {             /* an odd draw in the middle is left out */
        memcpy(w.split + 2 * k * half, values + k * draws, half * sizeof(double));
        memcpy(w.split + (2 * k + 1) * half, values + (k + 1) * draws - half, half * sizeof(double));
    }

    if (status == UNA_OK) status = assess_convergence(out, &w, 2 * count, half, run);
    una_arena_release(&run->scratch, mark);
    return status;
}
