/* SPDX-License-Identifier: MIT
 *
 * Expected improvement. Far below zero z Phi(z) and phi(z) cancel; there, with t = -z and Mills' ratio as the continued
 * fraction of Laplace, (1 - Phi(t))/phi(t) = 1/(t + K),  K = 1/(t + 2/(t + 3/(t + ...))):
 *   h = phi(t) (1 - t/(t + K)) = phi(t) K/(t + K),
 * in which nothing cancels; so Phi/h = 1/K and phi/h = (t + K)/K, which the slope of log EI is made of:
 *   dEI/dmean = -Phi(z),  dEI/ds = phi(z).
 */
#include "bo/acquisition.h"

#include "la/la.h"

static const double TAIL = -3;

/* K(t), from so many terms that the rest is below rounding for t >= 3. */
static double tail_fraction(double t)
{
    enum { TERMS = 120 };
    double below = t;
    for (int n = TERMS; n >= 2; n--) below = t + n / below;
    return 1 / below;
}

double una_log_improvement(double z)
{
    if (z > TAIL) return log(z * una_normal_cdf(z) + una_normal_pdf(z));
    double k = tail_fraction(-z);
    return -0.5 * z * z - 0.5 * UNA_LOG_TWO_PI + log(k) - log(k - z);
}

double una_expected_improvement(double mean, double std, double best)
{
    if (!(std > 0)) return fmax(0, best - mean);
    double z = (best - mean) / std;
    if (z <= TAIL) return std * exp(una_log_improvement(z));
    return std * (z * una_normal_cdf(z) + una_normal_pdf(z));
}

double una_log_expected_improvement(double mean, double std, double best)
{
    if (!(std > 0)) return log(fmax(0, best - mean));
    return log(std) + una_log_improvement((best - mean) / std);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static double ei_value(double mean, double std, double best, const una_acquisition_options *o, double *dmean,
                       double *dstd)
{
    (void)o;
    double z = best > mean ? HUGE_VAL : -HUGE_VAL;
    if (std > 0) z = (best - mean) / std;
    *dmean = -una_normal_cdf(z);
    *dstd = una_normal_pdf(z);
    return una_expected_improvement(mean, std, best);
}

static double log_ei_value(double mean, double std, double best, const una_acquisition_options *o, double *dmean,
                           double *dstd)
{
    (void)o;
    double z = std > 0 ? (best - mean) / std : 0, value = una_log_expected_improvement(mean, std, best);
    if (!(std > 0)) {
        *dmean = best > mean ? -1 / (best - mean) : 0;
        *dstd = 0;
    } else if (z <= TAIL) {
        double k = tail_fraction(-z);
        *dmean = -1 / (k * std);
        *dstd = (k - z) / (k * std);
    } else {
        double h = z * una_normal_cdf(z) + una_normal_pdf(z);
        *dmean = -una_normal_cdf(z) / (h * std);
        *dstd = una_normal_pdf(z) / (h * std);
    }
    return value;
}

static double ucb_value(double mean, double std, double best, const una_acquisition_options *o, double *dmean,
                        double *dstd)
{
    (void)best;
    *dmean = -1;
    *dstd = o->beta;
    return o->beta * std - mean;
}

static double mean_value(double mean, double std, double best, const una_acquisition_options *o, double *dmean,
                         double *dstd)
{
    (void)std, (void)best, (void)o;
    *dmean = -1;
    *dstd = 0;
    return -mean;
}

static const una_option no_options[] = { { .name = NULL } };
static const una_option ucb_options[] = {
    { "beta", UNA_REAL, offsetof(una_acquisition_options, beta), "2", 0, 1000, false, NULL,
      "how many standard deviations of ignorance count as good as certain gain" },
    { .name = NULL }
};
static const una_option noisy_options[] = {
    { "draws", UNA_COUNT, offsetof(una_acquisition_options, draws), "16", 1, 1000, false, NULL,
      "functions drawn at the told points; the mean of the improvement over each is taken" },
    { .name = NULL }
};

static const una_acquisition log_ei = {
    "log_ei", "logarithm of the expected improvement: the default", UNA_NEEDS_MODEL, .is_log = true,
    .options = no_options, .value = log_ei_value
};
static const una_acquisition ei = {
    "ei", "expected improvement on the best value so far", UNA_NEEDS_MODEL, .options = no_options, .value = ei_value
};
static const una_acquisition noisy_ei = {
    "noisy_ei", "expected improvement where values are noisy: over the best of functions drawn at the told points",
    UNA_NEEDS_FANTASIES, .is_log = true, .options = noisy_options, .value = log_ei_value
};
static const una_acquisition ucb = {
    "ucb", "upper confidence bound: the mean and beta standard deviations of hope", UNA_NEEDS_MODEL, .of_whole = true,
    .options = ucb_options, .value = ucb_value
};
static const una_acquisition thompson = {
    "thompson", "the best place of one function drawn from the posterior", UNA_NEEDS_DRAW, .options = no_options,
    .value = mean_value
};
static const una_acquisition quasi = {
    "quasi", "no model: evenly spread, quasi-random points", UNA_NEEDS_NOTHING, .quasi = true, .options = no_options
};
static const una_acquisition random_points = {
    "random", "no model: points at random", UNA_NEEDS_NOTHING, .options = no_options
};

const una_acquisition *const una_acquisitions[] = {
    &log_ei, &ei, &noisy_ei, &ucb, &thompson, &quasi, &random_points, NULL
};

una_status una_acquisition_need_named(const una_acquisition **acquisition, una_acquisition_options *options,
                                      const char *text, una_run *run)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    una_spec spec;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_spec_parse(&spec, text, &run->scratch, run);
    *acquisition = NULL;

    for (; status == UNA_OK && una_acquisitions[count]; count++) {
        names[count] = una_acquisitions[count]->name;
        if (strcmp(names[count], spec.name) == 0) *acquisition = una_acquisitions[count];
    }
    if (status == UNA_OK && !*acquisition) {
        const char *near = una_nearest(spec.name, names, count);
        una_text all = una_text_in(&run->scratch);
        for (size_t i = 0; i < count; i++) una_text_add(&all, "%s%s", i ? ", " : "", names[i]);
        status = una_fail(run, UNA_E_USAGE, "there is no acquisition '%.60s'%s%s%s; there are: %s", spec.name,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all.at ? all.at : "");
    }
    *options = (una_acquisition_options){0};
    if (status == UNA_OK) status = una_options_default(options, (*acquisition)->options, run);
    if (status == UNA_OK)
        status = una_options_apply(options, (*acquisition)->options, (*acquisition)->name, &spec, &run->scratch, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- mixtures -------------------------------------------------------------------------------------------------- */

static double of_whole(const una_acquisition *a, const una_acquisition_options *o, const una_mixture_point *at,
                       double best, double *slope)
{
    double mean = 0, square = 0, dmean, dstd;
    for (size_t m = 0; m < at->count; m++) mean += at->weight[m] * at->mean[m];
    for (size_t m = 0; m < at->count; m++) {
        double away = at->mean[m] - mean;
        square += at->weight[m] * (at->std[m] * at->std[m] + away * away);
    }
    double std = sqrt(square), value = a->value(mean, std, best, o, &dmean, &dstd);

    for (size_t d = 0; slope && d < at->inputs; d++) {
        double rise = 0, widen = 0;
        for (size_t m = 0; m < at->count; m++) {
            size_t i = m * at->inputs + d;
            rise += at->weight[m] * at->dmean[i];
            widen += at->weight[m] * (at->std[m] * at->dstd[i] + (at->mean[m] - mean) * at->dmean[i]);
        }
        slope[d] = dmean * rise + (std > 0 ? dstd * widen / std : 0);
    }
    return value;
}

/* Each part counts by its weight, or, of logarithms, by its share of the sum; the largest is taken out first. */
double una_acquisition_mixture(const una_acquisition *a, const una_acquisition_options *o, const una_mixture_point *at,
                               double best, double *slope)
{
    double dmean, dstd, most = -HUGE_VAL, sum = 0;
    if (a->of_whole) return of_whole(a, o, at, best, slope);
    for (size_t d = 0; slope && d < at->inputs; d++) slope[d] = 0;
    for (size_t m = 0; a->is_log && m < at->count; m++)
        most = fmax(most, a->value(at->mean[m], at->std[m], best, o, &dmean, &dstd));
    if (a->is_log && most == -HUGE_VAL) return most;

    for (size_t m = 0; m < at->count; m++) {
        double value = a->value(at->mean[m], at->std[m], best, o, &dmean, &dstd);
        double share = a->is_log ? at->weight[m] * exp(value - most) : at->weight[m];
        sum += a->is_log ? share : share * value;
        for (size_t d = 0; slope && share > 0 && d < at->inputs; d++)
            slope[d] += share * (dmean * at->dmean[m * at->inputs + d] + dstd * at->dstd[m * at->inputs + d]);
    }
    if (!a->is_log) return sum;
    for (size_t d = 0; slope && d < at->inputs; d++) slope[d] /= sum;
    return most + log(sum);
}
