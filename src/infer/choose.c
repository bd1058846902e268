/* SPDX-License-Identifier: MIT
 *
 * Choosing the noise variance s2 and the prior variance alpha of the linear head.
 *
 * Evidence, with Phi'Phi = sum_k l_k u_k u_k' and q_k = u_k'Phi'y:
 *   -2 log p(y) = n log 2 pi s2 + sum_k log(1 + alpha l_k/s2) + y'y/s2 - sum_k alpha q_k^2 / (s2 (s2 + alpha l_k))
 * For a given ratio rho = alpha/s2 the best s2 is Q(rho)/n, Q = y'y - sum_k rho q_k^2/(1 + rho l_k), so that the
 * joint maximum is a search in one variable. It is right for features fixed beforehand only: features trained on the
 * same rows have fitted their noise. For those the noise maximises the likelihood of held-out rows instead: in the
 * eigenvectors' coordinates a_k = u_k'phi, mean = sum_k a_k alpha q_k/(s2 + alpha l_k) and
 * variance = sum_k a_k^2 alpha s2/(s2 + alpha l_k) cost O(K) a row for each s2.
 */
#include "infer/head.h"

#include "base/option.h"

#define ZERO_TARGETS "the noise cannot be chosen: every target is zero; set noise_std"

enum { BLOCK = 64, EVIDENCE_GRID = 121, VALID_GRID = 25, HALVINGS = 60 };
static const double CONDITION_MOST = 1e13;                    /* of I + rho Phi'Phi: the posterior can be solved */

/* ---- spectrum --------------------------------------------------------------------------------------- */

una_status una_spectrum_of(una_spectrum *out, const una_stats *stats, una_run *run)
{
    size_t k = stats->features;
    UNA_TRY(una_stats_check(stats, run));
    *out = (una_spectrum){ .stats = stats };
    UNA_NEW_AT(&run->scratch, out->value, k);
    UNA_NEW_AT(&run->scratch, out->moment, k);
    out->vector = una_arena_get(&run->scratch, k, k * sizeof(double));
    UNA_TRY(una_arena_check(&run->scratch));

    memcpy(out->vector, stats->gram, k * k * sizeof(double));
    UNA_TRY(una_eigen(out->vector, k, out->value, run));
    for (size_t i = 0; i < k; i++) {
        out->value[i] = fmax(out->value[i], 0);          /* rounding may leave negative ones: they are zero */
        out->moment[i] = una_dot(out->vector + i * k, stats->moment, k);
    }
    return UNA_OK;
}

double una_spectrum_evidence(const una_spectrum *s, double noise_var, double prior_var)
{
    double log_det = 0, fitted = 0;
    for (size_t k = 0; k < s->stats->features; k++) {
        log_det += log1p(prior_var / noise_var * s->value[k]);
        fitted += prior_var * (s->moment[k] * s->moment[k]) / (noise_var + prior_var * s->value[k]);
    }
    double left = fmax(s->stats->square - fitted, 0);
    return -0.5 * (s->stats->rows * (UNA_LOG_TWO_PI + log(noise_var)) + log_det + left / noise_var
                   - s->stats->log_count);
}

/* ---- evidence ------------------------------------------------------------------------------------------ */

typedef struct hill {
    const una_spectrum *spectrum;
    double noise, prior;                                      /* fixed, or UNA_AUTO */
    double noise_low, noise_high, prior_low, prior_high;
} hill;

static double best_noise(const hill *h, double ratio)
{
    const una_spectrum *s = h->spectrum;
    double left = s->stats->square;
    for (size_t k = 0; k < s->stats->features; k++)
        left -= ratio * (s->moment[k] * s->moment[k]) / (1 + ratio * s->value[k]);
    double low = fmax(h->noise_low, h->prior_low / ratio), high = fmin(h->noise_high, h->prior_high / ratio);
    return fmin(fmax(left / s->stats->rows, low), high);
}

/* The two variances at t: the log of the ratio, or of the one that is free. */
static void variances_at(const hill *h, double t, double *noise, double *prior)
{
    bool free_noise = UNA_IS_AUTO(h->noise), free_prior = UNA_IS_AUTO(h->prior);
    double value = exp(t);
    *noise = h->noise;
    *prior = h->prior;
    if (free_noise) *noise = free_prior ? best_noise(h, value) : value;
    if (free_prior) *prior = free_noise ? value * *noise : value;
}

static double minus_evidence(double t, void *context)
{
    double noise, prior;
    variances_at(context, t, &noise, &prior);
    return -una_spectrum_evidence(((const hill *)context)->spectrum, noise, prior);
}

/* d log p / d log alpha at fixed s2 if alpha is free (with the best s2 for each ratio, s2 adds nothing), else
 * d log p / d log s2 at fixed alpha. */
static double evidence_slope(const hill *h, double t)
{
    const una_spectrum *s = h->spectrum;
    double noise, prior, sum = 0;
    variances_at(h, t, &noise, &prior);
    for (size_t k = 0; k < s->stats->features; k++) {
        double along = prior * s->value[k], whole = noise + along;
        double pull = prior * (s->moment[k] * s->moment[k]) / (whole * whole);
        sum += UNA_IS_AUTO(h->prior) ? pull - along / whole : along / whole - pull * (whole + noise) / noise;
    }
    return UNA_IS_AUTO(h->prior) ? 0.5 * sum : 0.5 * (sum - s->stats->rows + s->stats->square / noise);
}

/* Polishes the maximum: values of a function find it to half the digits only, the zero of its slope finds the rest. */
static double polish_maximum(const hill *h, double t)
{
    double left = t - 1e-3, right = t + 1e-3;
    if (!(evidence_slope(h, left) > 0 && evidence_slope(h, right) < 0)) return t;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (left + right);
        if (evidence_slope(h, middle) > 0) left = middle; else right = middle;
    }
    return 0.5 * (left + right);
}

/* No s2 above y'y can be best; alpha is searched within 1e+-6 of the value that explains y alone. */
static void set_evidence_bounds(hill *h, double *low, double *high)
{
    const una_spectrum *s = h->spectrum;
    double square = s->stats->square, mean_square = square / s->stats->rows, trace = 0;
    for (size_t k = 0; k < s->stats->features; k++) trace += s->value[k];
    double largest = s->value[s->stats->features - 1], scale = trace > 0 ? square / trace : mean_square;
    double ratio_most = largest > 0 ? CONDITION_MOST / largest : HUGE_VAL;

    h->noise_low = 1e-10 * mean_square, h->noise_high = square;
    h->prior_low = 1e-6 * scale, h->prior_high = 1e6 * scale;

    if (!UNA_IS_AUTO(h->noise)) {
        *low = log(h->prior_low);
        *high = log(fmin(h->prior_high, ratio_most * h->noise));
    } else if (!UNA_IS_AUTO(h->prior)) {
        *low = log(fmax(h->noise_low, h->prior / ratio_most));
        *high = log(h->noise_high);
    } else {
        *low = log(h->prior_low / h->noise_high);
        *high = log(fmin(h->prior_high / h->noise_low, ratio_most));
    }
    if (*high < *low) *high = *low;
}

static una_status climb_evidence(double *noise_var, double *prior_var, const una_stats *stats, una_run *run)
{
    una_spectrum spectrum;
    UNA_TRY(una_spectrum_of(&spectrum, stats, run));
    hill h = { .spectrum = &spectrum, .noise = *noise_var, .prior = *prior_var };
    double low, high;
    set_evidence_bounds(&h, &low, &high);
    double t = una_search(minus_evidence, &h, low, high, EVIDENCE_GRID, 1e-8);
    double polished = fmin(fmax(polish_maximum(&h, t), low), high);
    /* At a bound of alpha the slope is not the objective's: a step that is worse by more than rounding is not taken. */
    double before = minus_evidence(t, &h), after = minus_evidence(polished, &h);
    if (after <= before + 1e-12 * (1 + fabs(before))) t = polished;
    variances_at(&h, t, noise_var, prior_var);
    return UNA_OK;
}

una_status una_choose_by_evidence(double *noise_var, double *prior_var, const una_stats *stats, una_run *run)
{
    if (!UNA_IS_AUTO(*noise_var) && !UNA_IS_AUTO(*prior_var)) return UNA_OK;
    UNA_TRY(una_stats_check(stats, run));
    if (!(stats->rows >= 1)) UNA_FAIL(run, UNA_E_INPUT, "the noise cannot be chosen without rows");
    if (!(stats->square > 0)) UNA_FAIL(run, UNA_E_NUMERIC, ZERO_TARGETS);
    UNA_SCOPED(run, climb_evidence(noise_var, prior_var, stats, run));
    return UNA_OK;
}

/* ---- held-out likelihood --------------------------------------------------------------------------------- */

typedef struct held_out {
    size_t features;
    una_held_rows *held;
    una_spectrum  train;
    double       *a;             /* [blocks, K, BLOCK]: the rows on the axes, zeros after the last */
    double       *weight, *spread;                            /* of mean and variance at one s2 [K] */
    double        prior_var;
    double        all;           /* rows, of all ranks */
    una_run      *run;
} held_out;

static una_status project_rows(held_out *h, double *turned, una_run *run)
{
    size_t k = h->features, rows = h->held->rows;
    for (size_t from = 0; from < rows; from += BLOCK) {
        UNA_TRY(una_check_cancelled(run, "choosing the noise"));
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        memset(turned, 0, k * BLOCK * sizeof *turned);
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < k; j++) turned[j * BLOCK + r] = h->held->phi[(from + r) * k + j];
        for (size_t i = 0; i < k; i++)
            una_combine(h->a + from * k + i * BLOCK, h->train.vector + i * k, turned, BLOCK, k, BLOCK);
    }
    return UNA_OK;
}

static void block_moments(const held_out *h, const double *a, double mean[BLOCK], double var[BLOCK])
{
    memset(mean, 0, BLOCK * sizeof *mean);
    memset(var, 0, BLOCK * sizeof *var);
    for (size_t k = 0; k < h->features; k++, a += BLOCK) {
        double weight = h->weight[k], spread = h->spread[k];
        for (size_t r = 0; r < BLOCK; r++) {
            mean[r] += weight * a[r];
            var[r] += spread * (a[r] * a[r]);
        }
    }
}

/* Minus the mean log-likelihood of the held-out rows at noise variance exp(t). */
static double minus_held_out(double t, void *context)
{
    held_out *h = context;
    una_held_rows *held = h->held;
    double s2 = exp(t), mean[BLOCK], var[BLOCK], sum = 0, square = 0;
    for (size_t k = 0; k < h->features; k++) {
        double share = h->prior_var / (s2 + h->prior_var * h->train.value[k]);
        h->weight[k] = share * h->train.moment[k];
        h->spread[k] = share * s2;
    }

    for (size_t from = 0; from < held->rows; from += BLOCK) {
        size_t count = held->rows - from < BLOCK ? held->rows - from : BLOCK;
        block_moments(h, h->a + from * h->features, mean, var);
        for (size_t r = 0; r < count; r++) {
            double error = held->y[from + r] - mean[r], whole = var[r] + s2;
            sum += UNA_LOG_TWO_PI + log(whole) + error * error / whole;
            square += error * error;
        }
    }

    double both[2] = { sum, square };
    una_run_sum_f64(both, 2, h->run);
    held->rmse = sqrt(both[1] / h->all);
    held->log_lik = -(0.5 * both[0] / h->all);
    return -held->log_lik;
}

static una_status likeliest_noise(double *noise_var, held_out *h, const una_stats *train, una_run *run)
{
    const una_held_rows *rows = h->held;
    size_t k = h->features, blocks = (rows->rows + BLOCK - 1) / BLOCK;
    UNA_TRY(una_spectrum_of(&h->train, train, run));
    h->a = una_arena_get_rows(&run->scratch, blocks, k * BLOCK * sizeof(double));
    UNA_NEW_AT(&run->scratch, h->weight, k);
    UNA_NEW_AT(&run->scratch, h->spread, k);
    UNA_NEW(&run->scratch, double, turned, k * BLOCK);
    UNA_TRY(project_rows(h, turned, run));

    double held[2] = { una_dot(rows->y, rows->y, rows->rows), (double)rows->rows };
    UNA_TRY(una_run_sum_f64(held, 2, run));
    h->all = held[1];
    double reference = (train->square + held[0]) / (train->rows + h->all);
    if (!(reference > 0)) UNA_FAIL(run, UNA_E_NUMERIC, ZERO_TARGETS);
    double low = log(1e-6 * reference), high = log(10 * reference);
    double best = una_search(minus_held_out, h, low, high, VALID_GRID, 1e-8), value = minus_held_out(best, h);
    UNA_TRY(una_run_sums_check(run));
    if (!isfinite(value)) UNA_FAIL(run, UNA_E_NUMERIC, "the features or targets of the held-out rows are not finite");
    *noise_var = exp(best);
    return UNA_OK;
}

una_status una_choose_by_validation(double *noise_var, double prior_var, const una_stats *train, una_held_rows *held,
                                    una_run *run)
{
    if (held->rows == 0) UNA_FAIL(run, UNA_E_INPUT, "the noise cannot be chosen without held-out rows");
    if (!(prior_var > 0) || !isfinite(prior_var))
        UNA_FAIL(run, UNA_E_NUMERIC, "the prior variance is %g; it must be positive and finite", prior_var);
    held_out h = { .features = train->features, .held = held, .prior_var = prior_var, .run = run };
    UNA_SCOPED(run, likeliest_noise(noise_var, &h, train, run));
    return UNA_OK;
}
