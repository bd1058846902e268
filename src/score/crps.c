/* SPDX-License-Identifier: MIT
 *
 * The continuous ranked probability score of a mixture X at y (Grimit et al. 2006; Gneiting & Raftery 2007):
 *   CRPS = E|X - y| - E|X - X'|/2,  w divided by its sum.
 * Of Gaussians, with E|N(m, v)| = A(m, v) = m (2 Phi(m/sqrt v) - 1) + 2 sqrt(v) phi(m/sqrt v):
 *   E|X - y| = sum_m w_m A(y - mean_m, var_m),   E|X - X'| = sum_mn w_m w_n A(mean_m - mean_n, var_m + var_n).
 * Of lognormals, where for log X ~ N(m, s^2), a = E X = exp(m + s^2/2) and z = (log y - m)/s
 *   E|X - y|  = y (2 Phi(z) - 1) + a (1 - 2 Phi(z - s))                   (Baran & Lerch 2015, of one lognormal),
 *   E|X - X'| = a (2 Phi((m - m' + s^2)/t) - 1) + a' (2 Phi((m' - m + s'^2)/t) - 1),     t^2 = s^2 + s'^2,
 * since weighting with X moves log X by s^2.
 * The double sum takes M^2 steps. E|X - X'|/2 is also the integral of F (1 - F), a smooth function that falls off on
 * both sides: with nodes 2/3 of the narrowest std apart the trapezoid rule is off by about exp(-(3 pi/2)^2) = 2e-10. A
 * part needs work only at the nodes near it, so this takes some 18 M steps where the parts are about equally wide. Of
 * lognormals it is that of F (1 - F) e^t over t = log y, for which 1 - F is summed up, since e^t is large where it is
 * small.
 */
#include "score/score.h"

#include "la/la.h"
#include "la/mixture.h"

static const double NODES_PER_STD = 1.5;
enum { FEW_PARTS = 64, MANY_PARTS = 1024, MOST_NODES = 1 << 16 };

static double mean_size(double mean, double var)
{
    double std = sqrt(var), z = mean / std;
    return mean * (2 * una_normal_cdf(z) - 1) + 2 * std * una_normal_pdf(z);
}

static double normal_mass_within(double z)             /* 2 Phi(z) - 1, with all digits near 0 */
{
    return erf(z / sqrt(2));
}

static double part_size(const una_mixture *p, size_t m)
{
    return exp(p->mean[m] + 0.5 * p->var[m]);
}

static double distance_to(double y, const una_mixture *p, size_t m)
{
    if (!p->log_target) return mean_size(y - p->mean[m], p->var[m]);
    double std = sqrt(p->var[m]), z = (log(y) - p->mean[m]) / std;
    return y * normal_mass_within(z) - part_size(p, m) * normal_mass_within(z - std);
}

static double distance_between(const una_mixture *p, size_t m, size_t k)
{
    double off = p->mean[m] - p->mean[k], var = p->var[m] + p->var[k], std = sqrt(var);
    if (!p->log_target) return mean_size(off, var);
    return part_size(p, m) * normal_mass_within((off + p->var[m]) / std)
           + part_size(p, k) * normal_mass_within((p->var[k] - off) / std);
}

static double spread_by_pairs(const una_mixture *p, double weights)
{
    double sum = 0;
    for (size_t m = 0; m < p->count; m++) {
        double row = 0.5 * una_part_weight(p->weight, m) * distance_between(p, m, m);
        for (size_t k = 0; k < m; k++) row += una_part_weight(p->weight, k) * distance_between(p, m, k);
        sum += una_part_weight(p->weight, m) * row;
    }
    return sum / (weights * weights);
}

typedef struct grid { double low, step; size_t nodes; } grid;

/* Where part m is neither all above nor all below, as far as e^t lets that be seen. Phi(-6) = 1e-9. */
static double part_begins(const una_mixture *p, size_t m)
{
    return p->mean[m] - (p->log_target ? 6.5 : 6) * sqrt(p->var[m]);
}

static double part_ends(const una_mixture *p, size_t m)
{
    return p->log_target ? p->mean[m] + p->var[m] + 6.5 * sqrt(p->var[m]) : p->mean[m] + 6 * sqrt(p->var[m]);
}

/* false where the nodes would be too many, or the work more than that of all pairs: then pairs are summed up, and from
 * MANY_PARTS on, where they would be too many, panels (spread.c). A Gaussian's pair costs half a lognormal's. */
static bool make_grid(grid *g, const una_mixture *p)
{
    double low = HUGE_VAL, high = -HUGE_VAL, narrowest = HUGE_VAL, length = 0;
    for (size_t m = 0; m < p->count; m++) {
        low = fmin(low, part_begins(p, m));
        high = fmax(high, part_ends(p, m));
        narrowest = fmin(narrowest, sqrt(p->var[m]));
        length += p->log_target ? part_ends(p, m) - part_begins(p, m) : sqrt(p->var[m]);
    }
    double step = (p->log_target ? fmin(narrowest, 1) : narrowest) / NODES_PER_STD, nodes = ceil((high - low) / step) + 1;
    double work = (p->log_target ? length : 24 * length) / step;
    if (!(nodes <= MOST_NODES) || work > (double)p->count * (double)p->count) return false;
    *g = (grid){ low, step, (size_t)nodes };
    return true;
}

/* near [nodes]: what parts have below a node (of lognormals above it) that reach it; past [nodes + 1]: the weight of
 * those that are whole from there on. */
static una_status spread_on_grid(double *half, const grid *g, const una_mixture *p, double weights, una_run *run)
{
    UNA_NEW(&run->scratch, double, near, g->nodes);
    UNA_NEW(&run->scratch, double, past, g->nodes + 1);
    for (size_t m = 0; m < p->count; m++) {
        double std = sqrt(p->var[m]), mean = p->mean[m], weight = una_part_weight(p->weight, m);
        size_t first = (size_t)fmax(0, ceil((part_begins(p, m) - g->low) / g->step));
        size_t last = (size_t)((part_ends(p, m) - g->low) / g->step);
        if (last >= g->nodes) last = g->nodes - 1;
        for (size_t i = first; i <= last; i++) {
            double at = (double)i * g->step, off = p->log_target ? mean - g->low - at : g->low + at - mean;
            near[i] += weight * una_normal_cdf(off / std);
        }
        past[p->log_target ? first : last + 1] += weight;
    }

    double sum = 0, whole = 0;
    for (size_t n = 0; n < g->nodes; n++) {
        size_t i = p->log_target ? g->nodes - 1 - n : n;
        if (!p->log_target) whole += past[i];
        double f = (near[i] + whole) / weights;
        sum += p->log_target ? f * (1 - f) * exp(g->low + (double)i * g->step) : f * (1 - f);
        if (p->log_target) whole += past[i];
    }
    *half = sum * g->step;
    return UNA_OK;
}

una_status una_crps(double *crps, double y, const una_mixture *p, una_run *run)
{
    double half = 0, sum = 0, weights = una_mixture_weights(p->weight, p->count);
    grid g;
    UNA_TRY(una_check_cancelled(run, "scoring"));
    if (p->count > FEW_PARTS && make_grid(&g, p)) UNA_SCOPED(run, spread_on_grid(&half, &g, p, weights, run));
    else if (p->count > MANY_PARTS) UNA_TRY(una_half_spread(&half, p, run));
    else half = spread_by_pairs(p, weights);
    for (size_t m = 0; m < p->count; m++) sum += una_part_weight(p->weight, m) * distance_to(y, p, m);
    *crps = sum / weights - half;
    return UNA_OK;
}
