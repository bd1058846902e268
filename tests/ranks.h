/* SPDX-License-Identifier: MIT
 *
 * Simulation-based calibration (Talts et al. 2018): truth from the prior, data from the truth; if the posterior is
 * right, the rank of the truth among its draws is uniform. Here: how far the distribution of ranks is from uniform, and
 * how far it may be by chance (Dvoretzky, Kiefer, Wolfowitz and Massart).
 */
#ifndef UNA_TEST_RANKS_H
#define UNA_TEST_RANKS_H

#include <math.h>
#include <stddef.h>

/* count [ranks]: how often the truth had each rank. The largest distance of the distribution function from uniform. */
static inline double ranks_off(const size_t *count, size_t ranks)
{
    size_t all = 0, below = 0;
    double worst = 0;
    for (size_t r = 0; r < ranks; r++) all += count[r];
    for (size_t r = 0; r < ranks; r++) {
        below += count[r];
        worst = fmax(worst, fabs((double)below / (double)all - (double)(r + 1) / (double)ranks));
    }
    return worst;
}

/* What the distance exceeds with a probability of at most `chance`. */
static inline double ranks_band(size_t replicates, double chance)
{
    return sqrt(log(2 / chance) / (2 * (double)replicates));
}

#endif
