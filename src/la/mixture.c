/* SPDX-License-Identifier: MIT
 *
 * Mixtures of Gaussians. The quantile lies between the smallest and the largest quantile of the parts, where the search
 * begins. Newton's steps are taken on Phi^-1(F(t)) = Phi^-1(p), which is a straight line for one part and nearly one
 * for parts that overlap; where they do not (F is flat between far parts) a step leaves the bracket or does not become
 * shorter, and the bracket is halved instead; at last by the doubles in it, where parts are apart by more powers of ten
 * than steps would cross. Upper quantiles are lower ones of the mirror image: 1 - F has no digits there.
 */
#include "la/mixture.h"

#include "la/la.h"

double una_mixture_weights(const double *weight, size_t parts)
{
    double sum = 0;
    for (size_t m = 0; weight && m < parts; m++) sum += weight[m];
    return weight ? sum : (double)parts;
}

double una_mixture_cdf(double t, const double *mean, const double *var, const double *weight, size_t parts)
{
    double sum = 0;
    for (size_t m = 0; m < parts; m++) sum += una_part_weight(weight, m) * una_normal_cdf((t - mean[m]) / sqrt(var[m]));
    return sum / una_mixture_weights(weight, parts);
}

static double part_log_pdf(double t, double mean, double var)
{
    return -0.5 * (t - mean) * (t - mean) / var - 0.5 * log(var) - 0.5 * UNA_LOG_TWO_PI;
}

double una_mixture_log_pdf(double t, const double *mean, const double *var, const double *weight, size_t parts)
{
    double most = -HUGE_VAL, sum = 0;
    for (size_t m = 0; m < parts; m++) most = fmax(most, part_log_pdf(t, mean[m], var[m]));
    for (size_t m = 0; m < parts; m++) sum += una_part_weight(weight, m) * exp(part_log_pdf(t, mean[m], var[m]) - most);
    return most + log(sum / una_mixture_weights(weight, parts));
}

double una_mixture_log_pdf_even(double t, const double *mean, double var, size_t parts)
{
    double nearest = HUGE_VAL, sum = 0;
    for (size_t m = 0; m < parts; m++) nearest = fmin(nearest, (t - mean[m]) * (t - mean[m]));
    for (size_t m = 0; m < parts; m++) sum += exp((nearest - (t - mean[m]) * (t - mean[m])) / (2 * var));
    return log(sum / (double)parts) - nearest / (2 * var) - 0.5 * (log(var) + UNA_LOG_TWO_PI);
}

/* ---- quantile --------------------------------------------------------------------------------------------- */

typedef struct search {
    const double *mean, *var, *weight;
    size_t parts;
    double weights;                      /* their sum                                                         */
    double sign;                         /* -1: of the mirror image                                           */
    double p, z;                         /* p <= 0.5, z = Phi^-1(p)                                           */
    double low, high, start, narrowest;  /* the answer lies in [low, high]; std of the narrowest part         */
} search;

static void begin_search(search *s)
{
    double sum = 0, square = 0, n = s->weights;
    s->low = s->narrowest = HUGE_VAL;
    s->high = -HUGE_VAL;

    for (size_t m = 0; m < s->parts; m++) {
        double std = sqrt(s->var[m]), centre = s->sign * s->mean[m], own = centre + s->z * std;
        s->low = fmin(s->low, own);
        s->high = fmax(s->high, own);
        s->narrowest = fmin(s->narrowest, std);
        sum += una_part_weight(s->weight, m) * centre;
    }
    for (size_t m = 0; m < s->parts; m++) {
        double off = s->sign * s->mean[m] - sum / n;
        square += una_part_weight(s->weight, m) * (off * off + s->var[m]);
    }

    s->start = fmin(fmax(sum / n + s->z * sqrt(square / n), s->low), s->high);
}

static double newton_step(search *s, double t)
{
    double below = 0, density = 0;
    for (size_t m = 0; m < s->parts; m++) {
        double weight = una_part_weight(s->weight, m);
        double std = sqrt(s->var[m]), z = (t - s->sign * s->mean[m]) / std;
        below += weight * una_normal_cdf(z);
        density += weight * (una_normal_pdf(z) / std);
    }
    below /= s->weights;
    density /= s->weights;
    if (below < s->p) s->low = t;
    else s->high = t;
    double probit = una_normal_quantile(below);
    return t - (probit - s->z) * una_normal_pdf(probit) / density;      /* not finite where F is 0 or 1 */
}

/* The place of a double among all doubles, and back. */
static int64_t ordinal_of_double(double t)
{
    int64_t bits;
    memcpy(&bits, &t, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double double_at(int64_t place)
{
    int64_t bits = place < 0 ? INT64_MIN - place : place;
    double t;
    memcpy(&t, &bits, sizeof t);
    return t;
}

/* As many doubles below as above. */
static double middle_double(double low, double high)
{
    int64_t a = ordinal_of_double(low), b = ordinal_of_double(high);
    return double_at(a / 2 + b / 2 + (a % 2 + b % 2) / 2);
}

static double solve_quantile(search *s)
{
    enum { STEPS = 136, HALVES = 64 };                           /* 2^64 doubles: none is left between */
    begin_search(s);
    double t = s->start, last = s->high - s->low;
    for (int step = 0; step < STEPS + HALVES && s->low < s->high; step++) {
        double next = newton_step(s, t);
        if (step >= STEPS) next = middle_double(s->low, s->high);
        else if (!(next >= s->low && next <= s->high && fabs(next - t) <= 0.5 * last))
            next = s->low + 0.5 * (s->high - s->low);
        last = step < STEPS ? fabs(next - t) : s->high - s->low;
        t = next;
        if (last <= 1e-12 * (fabs(t) + s->narrowest)) break;
    }
    return t;
}

double una_mixture_quantile(double p, const double *mean, const double *var, const double *weight, size_t parts)
{
    bool upper = p > 0.5;
    search s = { .mean = mean, .var = var, .weight = weight, .parts = parts, .sign = upper ? -1 : 1,
                 .p = upper ? 1 - p : p, .weights = una_mixture_weights(weight, parts) };
    s.z = una_normal_quantile(s.p);
    return s.sign * solve_quantile(&s);
}
