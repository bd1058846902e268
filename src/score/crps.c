/* SPDX-License-Identifier: MIT
 *
 * The continuous ranked probability score of a mixture of Gaussians X at y (Grimit et al. 2006; Gneiting & Raftery
 * 2007):
 *   CRPS = E|X - y| - E|X - X'|/2,    E|N(m, v)| = A(m, v) = m (2 Phi(m/sqrt v) - 1) + 2 sqrt(v) phi(m/sqrt v),
 *   E|X - y| = (1/M) sum_m A(y - mean_m, var_m),   E|X - X'| = (1/M^2) sum_mn A(mean_m - mean_n, var_m + var_n).
 * The double sum takes M^2 steps. E|X - X'|/2 is also the integral of F (1 - F), a smooth function that falls off on
 * both sides: with nodes 2/3 of the narrowest std apart the trapezoid rule is off by about exp(-(3 pi/2)^2) = 2e-10. A
 * part needs work only at the nodes near it, so this takes some 18 M steps where the parts are about equally wide.
 */
#include "score/score.h"

#include "la/la.h"

static const double REACH = 6, NODES_PER_STD = 1.5;              /* Phi(-6) = 1e-9 */
enum { FEW_PARTS = 64, MOST_NODES = 1 << 16 };

static double mean_size(double mean, double var)
{
    double std = sqrt(var), z = mean / std;
    return mean * (2 * una_normal_cdf(z) - 1) + 2 * std * una_normal_pdf(z);
}

static double distance_to(double y, const double *mean, const double *var, size_t parts)
{
    double sum = 0;
    for (size_t m = 0; m < parts; m++) sum += mean_size(y - mean[m], var[m]);
    return sum / (double)parts;
}

static double half_spread_by_pairs(const double *mean, const double *var, size_t parts)
{
    double sum = 0, n = (double)parts;
    for (size_t m = 0; m < parts; m++) {
        double row = 0.5 * mean_size(0, 2 * var[m]);
        for (size_t k = 0; k < m; k++) row += mean_size(mean[m] - mean[k], var[m] + var[k]);
        sum += row;
    }
    return sum / (n * n);
}

typedef struct grid { double low, step; size_t nodes; } grid;

/* false where the nodes would be too many, or the work more than that of all pairs. */
static bool make_grid(grid *g, const double *mean, const double *var, size_t parts)
{
    double low = HUGE_VAL, high = -HUGE_VAL, narrowest = HUGE_VAL, stds = 0;
    for (size_t m = 0; m < parts; m++) {
        double std = sqrt(var[m]);
        low = fmin(low, mean[m] - REACH * std);
        high = fmax(high, mean[m] + REACH * std);
        narrowest = fmin(narrowest, std);
        stds += std;
    }
    double step = narrowest / NODES_PER_STD, nodes = ceil((high - low) / step) + 1;
    if (!(nodes <= MOST_NODES) || 2 * REACH * stds / step > 0.5 * (double)parts * (double)parts) return false;
    *g = (grid){ low, step, (size_t)nodes };
    return true;
}

static una_status half_spread_on_grid(double *out, const grid *g, const double *mean, const double *var, size_t parts,
                                      una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    double *below = UNA_GET(&run->scratch, double, g->nodes), *passed = UNA_GET(&run->scratch, double, g->nodes + 1);
    una_status status = una_arena_check(&run->scratch);

    for (size_t m = 0; status == UNA_OK && m < parts; m++) {
        double std = sqrt(var[m]);
        size_t first = (size_t)fmax(0, ceil((mean[m] - REACH * std - g->low) / g->step));
        size_t last = (size_t)((mean[m] + REACH * std - g->low) / g->step);
        if (last >= g->nodes) last = g->nodes - 1;
        for (size_t i = first; i <= last; i++)
            below[i] += una_normal_cdf((g->low + (double)i * g->step - mean[m]) / std);
        passed[last + 1]++;
    }

    double sum = 0, whole = 0;
    for (size_t i = 0; status == UNA_OK && i < g->nodes; i++) {
        whole += passed[i];
        double f = (below[i] + whole) / (double)parts;
        sum += f * (1 - f);
    }

    *out = sum * g->step;
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_crps_mixture(double *crps, double y, const double *mean, const double *var, size_t parts, una_run *run)
{
    grid g;
    double half = 0;
    if (parts > FEW_PARTS && make_grid(&g, mean, var, parts))
        UNA_TRY(half_spread_on_grid(&half, &g, mean, var, parts, run));
    else half = half_spread_by_pairs(mean, var, parts);
    *crps = distance_to(y, mean, var, parts) - half;
    return UNA_OK;
}
