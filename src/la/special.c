/* SPDX-License-Identifier: MIT
 *
 * The normal distribution: density, distribution function and its inverse. The inverse starts from a rational
 * approximation (Hastings; Abramowitz & Stegun 26.2.23, error below 4.5e-4) and takes two steps of Halley's method,
 * each of which cubes the error, on erfc in the tails and on erf in the middle: each keeps its relative accuracy there.
 *
 * Student's t with a whole number v of degrees of freedom: the probability within +-t is a finite sum (Abramowitz &
 * Stegun 26.7.3, 26.7.4), solved for atan(t / sqrt(v)) by halving.
 */
#include "la/la.h"

static const double ROOT_HALF = 0.70710678118654752440, ROOT_TWO_PI = 2.50662827463100050242;

double una_normal_pdf(double z)
{
    return exp(-0.5 * z * z) / ROOT_TWO_PI;
}

double una_normal_cdf(double z)
{
    return 0.5 * erfc(-z * ROOT_HALF);
}

/* z <= 0 with Phi(z) = p, for p in (0, 0.5] */
static double lower_quantile(double p)
{
    double t = sqrt(-2 * log(p));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for (int step = 0; step < 2; step++) {
        double excess = p < 0.25 ? una_normal_cdf(z) - p : 0.5 * erf(z * ROOT_HALF) - (p - 0.5);
        double newton = excess / una_normal_pdf(z);
        z -= newton / (1 + 0.5 * z * newton);
    }
    return z;
}

double una_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0 || p == 1) return p == 0 ? -HUGE_VAL : HUGE_VAL;
    if (p == 0.5) return 0;
    return p < 0.5 ? lower_quantile(p) : -lower_quantile(1 - p);   /* 1 - p is exact here */
}

/* Probability within +-tan(angle) sqrt(freedom). */
static double student_share(double angle, size_t freedom)
{
    double cosine = cos(angle), square = cosine * cosine, term = freedom % 2 ? cosine : 1, sum = 0;
    for (size_t k = freedom % 2 ? 3 : 2; k <= freedom; k += 2) {
        sum += term;
        term *= square * (double)(k - 1) / (double)k;
    }
    double part = sin(angle) * sum;
    return freedom % 2 ? (angle + part) / acos(0) : part;
}

double una_student_within(size_t freedom, double share)
{
    double low = 0, high = acos(0);
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_share(middle, freedom) < share) low = middle;
        else high = middle;
    }
    return tan((low + high) / 2) * sqrt((double)freedom);
}
