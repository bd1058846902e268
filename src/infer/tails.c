/* SPDX-License-Identifier: MIT
 *
 * Heavy tails as finite mixtures of Gaussians. See tails.h. For Student's t the integral over u = log l is taken by the trapezoid rule,
 * whose error falls geometrically with the length of a step: at any error the integrand is the density of a log-gamma
 * variable of shape (nu + 1)/2, which is as smooth everywhere. Steps go down from where l is hardly ever larger to what
 * errors of FARTHEST scales need; the last part has all that lies below it. Sources: West, On scale mixtures of normal
 * distributions, 1987; Lange, Little and Taylor, Robust statistical modeling using the t distribution, 1989; of outliers:
 * Tukey, A survey of sampling from contaminated distributions, 1960.
 */
#include "infer/tails.h"

#include "la/la.h"
#include "la/mixture.h"

static const double FARTHEST = 50;       /* scales up to which the density is that of t                     */
static const double TOP = 10, BOTTOM = 8; /* nats below the largest, where the parts begin and end           */
static const double NO_MASS = 36;        /* nats below the largest, where no error will ever be found       */
static const double NOTHING = -80;       /* u below which nothing is left of any t                          */

/* log density of u of a log-gamma variable of mode 0, less a constant: 0 at the mode. */
static double log_gamma_density(double shape, double u)
{
    return shape * (u - expm1(u));
}

/* Between a u where the density is within `nats` of the largest, and one where it is not. */
static double edge(double shape, double inside, double outside, double nats)
{
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (inside + outside);
        if (log_gamma_density(shape, middle) > -nats) inside = middle;
        else outside = middle;
    }
    return outside;
}

/* The parts of variance 1/l, weights not yet divided by their sum, which is returned; *square: sum of weight times
 * variance. */
static double place_parts(una_tails *t, double *square)
{
    double nu = t->freedom, top = edge(0.5 * nu, 0, 10, TOP);
    double peak = log((nu + 1) / (nu + FARTHEST * FARTHEST)), bottom = peak + edge(0.5 * (nu + 1), 0, -40, BOTTOM);
    bottom = fmax(bottom, edge(0.5 * nu, 0, -40, NO_MASS));
    double step = 1 / sqrt(1.4 + 0.34 * nu), sum = 0;
    size_t last = (size_t)fmin(ceil((top - bottom) / step), UNA_MOST_TAIL_PARTS - 1);
    t->parts = last + 1;
    *square = 0;
    for (size_t k = 0; top - (double)k * step > NOTHING; k++) {
        double u = top - (double)k * step, mass = exp(log_gamma_density(0.5 * nu, u));
        size_t to = k < last ? k : last;
        t->weight[to] += mass;
        t->var[to] += mass * exp(-u);
        sum += mass;
        *square += mass * exp(-u);
    }
    return sum;
}

/* How many times as wide errors of outliers are, and which share of them. */
static const double TIMES[] = { 4, 10, 25 }, SHARE[] = { 0.4, 0.35, 0.25 };
enum { OUTLIERS = 3 };

/* As place_parts. */
static double place_outliers(una_tails *t, double *square)
{
    t->parts = 1 + OUTLIERS;
    *square = t->weight[0] = t->var[0] = 1 - t->freedom;
    for (size_t k = 0; k < OUTLIERS; k++) {
        t->weight[k + 1] = t->freedom * SHARE[k];
        *square += t->var[k + 1] = t->weight[k + 1] * TIMES[k] * TIMES[k];
    }
    return 1;
}

bool una_tails_are(double freedom)
{
    return freedom >= UNA_LEAST_FREEDOM || (freedom >= UNA_LEAST_OUTLIERS && freedom <= UNA_MOST_OUTLIERS);
}

void una_tails_make(una_tails *t, double freedom)
{
    *t = (una_tails){ .freedom = freedom, .parts = 1, .weight = { 1 }, .var = { 1 } };
    if (isinf(freedom)) return;
    double square;
    t->weight[0] = t->var[0] = 0;
    double sum = (freedom < 1 ? place_outliers : place_parts)(t, &square);
    for (size_t k = 0; k < t->parts; k++) {
        t->var[k] *= sum / (t->weight[k] * square);
        t->weight[k] /= sum;
    }
}

double una_tails_square_scale(const una_tails *t)
{
    if (!t || isinf(t->freedom)) return 1;
    return t->freedom < 1 ? t->var[0] : (t->freedom - 2) / t->freedom;
}

double una_freedom_of_square_scale(double square_scale)
{
    return square_scale < 1 ? 2 / (1 - square_scale) : HUGE_VAL;
}

/* share [parts]: how likely each part makes the error, in parts of exp(what is returned). The last part is the widest, so
 * no power is above 1, and its own is 1. */
static double share_parts(double *share, const una_tails *t, double square, double var, double noise_var)
{
    double widest = 1 / (var + noise_var * t->var[t->parts - 1]);
    for (size_t k = 0; k < t->parts; k++) {
        double precision = 1 / (var + noise_var * t->var[k]);
        share[k] = t->weight[k] * sqrt(precision) * exp(-0.5 * square * (precision - widest));
    }
    return -0.5 * square * widest;
}

double una_tails_log_pdf(const una_tails *t, double square, double var, double noise_var)
{
    double share[UNA_MOST_TAIL_PARTS], sum = 0, most = share_parts(share, t, square, var, noise_var);
    for (size_t k = 0; k < t->parts; k++) sum += share[k];
    return most + log(sum) - 0.5 * UNA_LOG_TWO_PI;
}

double una_tails_cdf(const una_tails *t, double error, double var, double noise_var)
{
    double sum = 0;
    for (size_t k = 0; k < t->parts; k++) sum += t->weight[k] * una_normal_cdf(error / sqrt(var + noise_var * t->var[k]));
    return sum;
}

double una_tails_reach(const una_tails *t, double share, double var, double noise_var)
{
    double mean[UNA_MOST_TAIL_PARTS] = {0}, total[UNA_MOST_TAIL_PARTS];
    for (size_t k = 0; k < t->parts; k++) total[k] = var + noise_var * t->var[k];
    return una_mixture_quantile(0.5 + share / 2, mean, total, t->weight, t->parts);
}

/* What a row says of the mean, in parts of what it says under N(0, s^2): its Fisher information. Outliers say nothing. */
static double information(double freedom)
{
    if (freedom < 1) return 1 - freedom;
    return isinf(freedom) ? 1 : (freedom + 1) / (freedom + 3);
}

double una_tails_row_weight(const una_tails *t, double square, double var, double noise_var)
{
    double share[UNA_MOST_TAIL_PARTS], sum = 0, inverse = 0;
    share_parts(share, t, square, var, noise_var);
    for (size_t k = 0; k < t->parts; k++) {
        sum += share[k];
        inverse += share[k] / t->var[k];
    }
    return information(t->freedom) * una_tails_square_scale(t) * inverse / sum;
}
