/* SPDX-License-Identifier: MIT
 *
 * Expected improvement. Far below zero z Phi(z) and phi(z) cancel; there, with t = -z and Mills' ratio as the continued
 * fraction of Laplace, (1 - Phi(t))/phi(t) = 1/(t + K),  K = 1/(t + 2/(t + 3/(t + ...))):
 *   h = phi(t) (1 - t/(t + K)) = phi(t) K/(t + K),
 * in which nothing cancels.
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
