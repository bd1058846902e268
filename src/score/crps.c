/* SPDX-License-Identifier: MIT
 *
 * The continuous ranked probability score of a mixture of Gaussians X at y (Grimit et al. 2006; Gneiting & Raftery
 * 2007):
 *   CRPS = E|X - y| - E|X - X'|/2,    E|N(m, v)| = A(m, v) = m (2 Phi(m/sqrt v) - 1) + 2 sqrt(v) phi(m/sqrt v),
 *   E|X - y| = sum_m w_m A(y - mean_m, var_m),   E|X - X'| = sum_mn w_m w_n A(mean_m - mean_n, var_m + var_n),
 * w divided by its sum.
 * The double sum takes M^2 steps. E|X - X'|/2 is also the integral of F (1 - F), a smooth function that falls off on
 * both sides: with nodes 2/3 of the narrowest std apart the trapezoid rule is off by about exp(-(3 pi/2)^2) = 2e-10. A
 * part needs work only at the nodes near it, so this takes some 18 M steps where the parts are about equally wide.
 */
#include "score/score.h"

#include "la/la.h"
#include "la/mixture.h"
#include "score/spread.h"

static const double REACH = 6, NODES_PER_STD = 1.5;              /* Phi(-6) = 1e-9 */
enum { FEW_PARTS = 64, MANY_PARTS = 1024, MOST_NODES = 1 << 16 };

static double mean_size(double mean, double var)
{
    double std = sqrt(var), z = mean / std;
    return mean * (2 * una_normal_cdf(z) - 1) + 2 * std * una_normal_pdf(z);
}

typedef struct parts_of {                /* a mixture                                                       */
    const double *mean, *var, *weight;
    size_t count;
    double weights;                      /* their sum                                                       */
} parts_of;

static double gaussian_distance_to(double y, const parts_of *p)
{
    double sum = 0;
    for (size_t m = 0; m < p->count; m++) sum += una_part_weight(p->weight, m) * mean_size(y - p->mean[m], p->var[m]);
    return sum / p->weights;
}

static double gaussian_spread_by_pairs(const parts_of *p)
{
    double sum = 0;
    for (size_t m = 0; m < p->count; m++) {
        double row = 0.5 * una_part_weight(p->weight, m) * mean_size(0, 2 * p->var[m]);
        for (size_t k = 0; k < m; k++)
            row += una_part_weight(p->weight, k) * mean_size(p->mean[m] - p->mean[k], p->var[m] + p->var[k]);
        sum += una_part_weight(p->weight, m) * row;
    }
    return sum / (p->weights * p->weights);
}

typedef struct grid { double low, step; size_t nodes; } grid;

/* false where the nodes would be too many, or the work more than that of all pairs: then pairs are summed up, and from
 * MANY_PARTS on, where they would be too many, panels (spread.c). */
static bool make_gaussian_grid(grid *g, const parts_of *p)
{
    double low = HUGE_VAL, high = -HUGE_VAL, narrowest = HUGE_VAL, stds = 0;
    for (size_t m = 0; m < p->count; m++) {
        double std = sqrt(p->var[m]);
        low = fmin(low, p->mean[m] - REACH * std);
        high = fmax(high, p->mean[m] + REACH * std);
        narrowest = fmin(narrowest, std);
        stds += std;
    }
    double step = narrowest / NODES_PER_STD, nodes = ceil((high - low) / step) + 1;
    if (!(nodes <= MOST_NODES) || 2 * REACH * stds / step > 0.5 * (double)p->count * (double)p->count) return false;
    *g = (grid){ low, step, (size_t)nodes };
    return true;
}

static una_status gaussian_spread_on_grid(double *out, const grid *g, const parts_of *p, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    double *below = UNA_GET(&run->scratch, double, g->nodes), *passed = UNA_GET(&run->scratch, double, g->nodes + 1);
    una_status status = una_arena_check(&run->scratch);

    for (size_t m = 0; status == UNA_OK && m < p->count; m++) {
        double std = sqrt(p->var[m]), mean = p->mean[m], weight = una_part_weight(p->weight, m);
        size_t first = (size_t)fmax(0, ceil((mean - REACH * std - g->low) / g->step));
        size_t last = (size_t)((mean + REACH * std - g->low) / g->step);
        if (last >= g->nodes) last = g->nodes - 1;
        for (size_t i = first; i <= last; i++)
            below[i] += weight * una_normal_cdf((g->low + (double)i * g->step - mean) / std);
        passed[last + 1] += weight;
    }

    double sum = 0, whole = 0;
    for (size_t i = 0; status == UNA_OK && i < g->nodes; i++) {
        whole += passed[i];
        double f = (below[i] + whole) / p->weights;
        sum += f * (1 - f);
    }

    *out = sum * g->step;
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_crps_mixture(double *crps, double y, const double *mean, const double *var, const double *weight,
                            size_t parts, una_run *run)
{
    parts_of p = { mean, var, weight, parts, una_mixture_weights(weight, parts) };
    grid g;
    double half = 0;
    UNA_TRY(una_check_cancelled(run, "scoring"));
    if (parts > FEW_PARTS && make_gaussian_grid(&g, &p)) UNA_TRY(gaussian_spread_on_grid(&half, &g, &p, run));
    else if (parts > MANY_PARTS)
        UNA_TRY(una_half_spread(&half, &(una_spread_parts){ mean, var, weight, parts, false }, run));
    else half = gaussian_spread_by_pairs(&p);
    *crps = gaussian_distance_to(y, &p) - half;
    return UNA_OK;
}
