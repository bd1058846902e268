/* SPDX-License-Identifier: MIT
 *
 * The acquisitions, in a table at the end. Expected improvement: far below zero z Phi(z) and phi(z) cancel; there, with
 * t = -z and Mills' ratio as the continued fraction of Laplace, (1 - Phi(t))/phi(t) = 1/(t + K),  K = 1/(t + 2/(t + 3/(t + ...))):
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

/* ---- the table ------------------------------------------------------------------------------------------------- */

static double ei_value(una_belief *at)
{
    double z = at->best > at->mean ? HUGE_VAL : -HUGE_VAL;
    if (at->std > 0) z = (at->best - at->mean) / at->std;
    at->dmean = -una_normal_cdf(z);
    at->dstd = una_normal_pdf(z);
    return una_expected_improvement(at->mean, at->std, at->best);
}

static double log_ei_value(una_belief *at)
{
    double std = at->std, z = std > 0 ? (at->best - at->mean) / std : 0;
    if (!(std > 0)) {
        at->dmean = at->best > at->mean ? -1 / (at->best - at->mean) : 0;
        at->dstd = 0;
    } else if (z <= TAIL) {
        double k = tail_fraction(-z);
        at->dmean = -1 / (k * std);
        at->dstd = (k - z) / (k * std);
    } else {
        double h = z * una_normal_cdf(z) + una_normal_pdf(z);
        at->dmean = -una_normal_cdf(z) / (h * std);
        at->dstd = una_normal_pdf(z) / (h * std);
    }
    return std > 0 ? log(std) + una_log_improvement(z) : log(fmax(0, at->best - at->mean));
}

static double ucb_value(una_belief *at)
{
    at->dmean = -1;
    at->dstd = at->options->beta;
    return at->options->beta * at->std - at->mean;
}

static double mean_value(una_belief *at)
{
    at->dmean = -1;
    at->dstd = 0;
    return -at->mean;
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

const una_acquisition una_acquisitions[] = {
    { "log_ei", "logarithm of the expected improvement: the default", .need = UNA_NEEDS_MODEL, .value = log_ei_value,
      .is_log = true },
    { "ei", "expected improvement on the best value so far", .need = UNA_NEEDS_MODEL, .value = ei_value },
    { "noisy_ei", "expected improvement where values are noisy: over the best of functions drawn at the told points",
      .need = UNA_NEEDS_FANTASIES, .value = log_ei_value, .options = noisy_options, .is_log = true },
    { "ucb", "upper confidence bound: the mean and beta standard deviations of hope", .need = UNA_NEEDS_MODEL,
      .value = ucb_value, .options = ucb_options, .of_whole = true },
    { "thompson", "the best place of one function drawn from the posterior", .need = UNA_NEEDS_DRAW,
      .value = mean_value },
    { "quasi", "no model: evenly spread, quasi-random points", .need = UNA_NEEDS_NOTHING, .quasi = true },
    { "random", "no model: points at random", .need = UNA_NEEDS_NOTHING },
    { .name = NULL }
};

static una_status read_acquisition(const una_acquisition **found, una_acquisition_options *options, const char *text,
                                   una_run *run)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    una_spec spec;
    UNA_TRY(una_spec_parse(&spec, text, &run->scratch, run));
    *found = NULL;
    for (; una_acquisitions[count].name; count++) {
        names[count] = una_acquisitions[count].name;
        if (strcmp(names[count], spec.name) == 0) *found = &una_acquisitions[count];
    }
    if (!*found) {
        const char *near = una_nearest(spec.name, names, count);
        una_text all = una_text_in(&run->scratch);
        for (size_t i = 0; i < count; i++) una_text_add(&all, "%s%s", i ? ", " : "", names[i]);
        UNA_FAIL(run, UNA_E_USAGE, "there is no acquisition '%.60s'; %s%s%s: %s", spec.name,
                 near ? "did you mean '" : "", near ? near : "", near ? "'? There are" : "there are",
                 all.at ? all.at : "");
    }
    const una_option *table = (*found)->options ? (*found)->options : no_options;
    *options = (una_acquisition_options){0};
    UNA_TRY(una_options_default(options, table, run));
    return una_options_apply(options, table, (*found)->name, &spec, &run->scratch, run);
}

una_status una_acquisition_need_named(const una_acquisition **acquisition, una_acquisition_options *options,
                                      const char *spec, una_run *run)
{
    UNA_SCOPED(run, read_acquisition(acquisition, options, spec, run));
    return UNA_OK;
}

/* ---- mixtures -------------------------------------------------------------------------------------------------- */

static double of_whole(const una_acquisition *a, const una_acquisition_options *o, const una_mixture_point *at,
                       double best, double *slope)
{
    double mean = 0, square = 0;
    for (size_t m = 0; m < at->count; m++) mean += at->weight[m] * at->mean[m];
    for (size_t m = 0; m < at->count; m++) {
        double away = at->mean[m] - mean;
        square += at->weight[m] * (at->std[m] * at->std[m] + away * away);
    }
    una_belief whole = { mean, sqrt(square), best, o, 0, 0 };
    double value = a->value(&whole);

    for (size_t d = 0; slope && d < at->inputs; d++) {
        double rise = 0, widen = 0;
        for (size_t m = 0; m < at->count; m++) {
            size_t i = m * at->inputs + d;
            rise += at->weight[m] * at->dmean[i];
            widen += at->weight[m] * (at->std[m] * at->dstd[i] + (at->mean[m] - mean) * at->dmean[i]);
        }
        slope[d] = whole.dmean * rise + (whole.std > 0 ? whole.dstd * widen / whole.std : 0);
    }
    return value;
}

/* Each part counts by its weight, or, of logarithms, by its share of the sum; the largest is taken out first. */
double una_acquisition_mixture(const una_acquisition *a, const una_acquisition_options *o, const una_mixture_point *at,
                               double best, double *slope)
{
    double most = -HUGE_VAL, sum = 0;
    if (a->of_whole) return of_whole(a, o, at, best, slope);
    for (size_t d = 0; slope && d < at->inputs; d++) slope[d] = 0;
    for (size_t m = 0; a->is_log && m < at->count; m++)
        most = fmax(most, a->value(&(una_belief){ at->mean[m], at->std[m], best, o, 0, 0 }));
    if (a->is_log && most == -HUGE_VAL) return most;

    for (size_t m = 0; m < at->count; m++) {
        una_belief part = { at->mean[m], at->std[m], best, o, 0, 0 };
        double value = a->value(&part), share = a->is_log ? at->weight[m] * exp(value - most) : at->weight[m];
        sum += a->is_log ? share : share * value;
        for (size_t d = 0; slope && share > 0 && d < at->inputs; d++)
            slope[d] += share * (part.dmean * at->dmean[m * at->inputs + d] + part.dstd * at->dstd[m * at->inputs + d]);
    }
    if (!a->is_log) return sum;
    for (size_t d = 0; slope && d < at->inputs; d++) slope[d] /= sum;
    return most + log(sum);
}
