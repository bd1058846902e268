/* SPDX-License-Identifier: MIT
 *
 * The continuous ranked probability score of a mixture of lognormals Y at y: CRPS = E|Y - y| - E|Y - Y'|/2, where for
 * log Y ~ N(m, s^2), a = E Y = exp(m + s^2/2) and z = (log y - m)/s
 *   E|Y - y|  = y (2 Phi(z) - 1) + a (1 - 2 Phi(z - s))                   (Baran & Lerch 2015, of one lognormal),
 *   E|Y - Y'| = a (2 Phi((m - m' + s^2)/t) - 1) + a' (2 Phi((m' - m + s'^2)/t) - 1),     t^2 = s^2 + s'^2,
 * since weighting with Y moves log Y by s^2. The double sum takes M^2 steps. E|Y - Y'|/2 is also the integral of
 * F (1 - F) over y, of F (1 - F) e^t over t = log y: as in crps.c by the trapezoid rule, for which 1 - F is summed up,
 * since e^t is large where it is small.
 */
#include "score/score.h"

#include "la/la.h"
#include "la/mixture.h"
#include "score/spread.h"

static const double REACH = 6.5, NODES_PER_STD = 1.5;
enum { FEW_PARTS = 64, MANY_PARTS = 1024, MOST_NODES = 1 << 16 };

typedef struct parts_of {                /* a mixture, of log y                                             */
    const double *mean, *var, *weight;
    size_t count;
    double weights;                      /* their sum                                                       */
} parts_of;

static double normal_mass_within(double z)             /* 2 Phi(z) - 1, with all digits near 0 */
{
    return erf(z / sqrt(2));
}

static double part_size(const parts_of *p, size_t m)
{
    return exp(p->mean[m] + 0.5 * p->var[m]);
}

static double lognormal_distance_to(double y, const parts_of *p)
{
    double sum = 0;
    for (size_t m = 0; m < p->count; m++) {
        double std = sqrt(p->var[m]), z = (log(y) - p->mean[m]) / std;
        sum += una_part_weight(p->weight,
                               m) * (y * normal_mass_within(z) - part_size(p, m) * normal_mass_within(z - std));
    }
    return sum / p->weights;
}

static double distance_between(const parts_of *p, size_t m, size_t k)
{
    double off = p->mean[m] - p->mean[k], std = sqrt(p->var[m] + p->var[k]);
    return part_size(p, m) * normal_mass_within((off + p->var[m]) / std)
           + part_size(p, k) * normal_mass_within((p->var[k] - off) / std);
}

static double lognormal_spread_by_pairs(const parts_of *p)
{
    double sum = 0;
    for (size_t m = 0; m < p->count; m++) {
        double row = 0.5 * una_part_weight(p->weight, m) * distance_between(p, m, m);
        for (size_t k = 0; k < m; k++) row += una_part_weight(p->weight, k) * distance_between(p, m, k);
        sum += una_part_weight(p->weight, m) * row;
    }
    return sum / (p->weights * p->weights);
}

typedef struct grid { double low, step; size_t nodes; } grid;

/* Where part m is neither all above nor all below, as far as e^t lets that be seen. */
static double part_begins(const parts_of *p, size_t m)
{
    return p->mean[m] - REACH * sqrt(p->var[m]);
}

static double part_ends(const parts_of *p, size_t m)
{
    return p->mean[m] + p->var[m] + REACH * sqrt(p->var[m]);
}

/* false where the nodes would be too many, or the work more than that of all pairs: then pairs are summed up, and from
 * MANY_PARTS on, where they would be too many, panels (spread.c). */
static bool make_lognormal_grid(grid *g, const parts_of *p)
{
    double low = HUGE_VAL, high = -HUGE_VAL, narrowest = HUGE_VAL, length = 0;
    for (size_t m = 0; m < p->count; m++) {
        low = fmin(low, part_begins(p, m));
        high = fmax(high, part_ends(p, m));
        narrowest = fmin(narrowest, sqrt(p->var[m]));
        length += part_ends(p, m) - part_begins(p, m);
    }
    double step = fmin(narrowest, 1) / NODES_PER_STD, nodes = ceil((high - low) / step) + 1;
    if (!(nodes <= MOST_NODES) || length / step > (double)p->count * (double)p->count) return false;
    *g = (grid){ low, step, (size_t)nodes };
    return true;
}

static una_status lognormal_spread_on_grid(double *out, const grid *g, const parts_of *p, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    double *above = UNA_GET(&run->scratch, double, g->nodes), *begun = UNA_GET(&run->scratch, double, g->nodes + 1);
    una_status status = una_arena_check(&run->scratch);

    for (size_t m = 0; status == UNA_OK && m < p->count; m++) {
        double std = sqrt(p->var[m]), mean = p->mean[m], weight = una_part_weight(p->weight, m);
        size_t first = (size_t)fmax(0, ceil((part_begins(p, m) - g->low) / g->step));
        size_t last = (size_t)((part_ends(p, m) - g->low) / g->step);
        if (last >= g->nodes) last = g->nodes - 1;
        for (size_t i = first; i <= last; i++)
            above[i] += weight * una_normal_cdf((mean - g->low - (double)i * g->step) / std);
        begun[first] += weight;
    }

    double sum = 0, whole = 0;                                   /* of the parts that are still all above */
    for (size_t i = g->nodes; status == UNA_OK && i-- > 0;) {
        double f = (above[i] + whole) / p->weights;
        sum += f * (1 - f) * exp(g->low + (double)i * g->step);
        whole += begun[i];
    }

    *out = sum * g->step;
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_crps_lognormals(double *crps, double y, const double *mean, const double *var, const double *weight,
                               size_t parts, una_run *run)
{
    parts_of p = { mean, var, weight, parts, una_mixture_weights(weight, parts) };
    grid g;
    double half = 0;
    UNA_TRY(una_check_cancelled(run, "scoring"));
    if (parts > FEW_PARTS && make_lognormal_grid(&g, &p)) UNA_TRY(lognormal_spread_on_grid(&half, &g, &p, run));
    else if (parts > MANY_PARTS)
        UNA_TRY(una_half_spread(&half, &(una_spread_parts){ mean, var, weight, parts, true }, run));
    else half = lognormal_spread_by_pairs(&p);
    *crps = lognormal_distance_to(y, &p) - half;
    return UNA_OK;
}
