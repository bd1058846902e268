/* SPDX-License-Identifier: MIT
 *
 * Half the expected distance of two draws from a mixture of many Gaussians (or lognormals, on the scale of logarithms),
 *   E|X - X'|/2 = integral of G (1 - G) dx,   G(x) = P(X > x),      and  G (1 - G) e^t dt  of lognormals, t = log x,
 * where neither all pairs nor one grid will do: parts may be a million times as wide as others, or as far apart.
 *
 * The line is halved into panels. A part is summed up at the nodes of the panels that are no wider than twice its
 * standard deviation (on those it is a polynomial to 1e-12) and reach it; panels below these have it by interpolation.
 * Beside its reach it is 0 or all of its weight. A panel that no narrower part reaches is integrated by the rule of
 * Gauss. A part so costs some 15 panels, however many others there are: the work is that of the parts, not of their
 * pairs. Of lognormals G e^t is what is interpolated, for G may be as small as e^t is large.
 */
#include "score/score.h"

#include "la/la.h"
#include "la/mixture.h"

enum { NODES = 16, DEEPEST = 200 };
static const double REACH = 7, WIDTH = 2;                        /* Phi(-7) = 1e-12; both in standard deviations */

typedef struct mixture {
    const una_mixture *of;
    double *std, weights;                /* [count]; the sum of weights                                     */
    double x[NODES], w[NODES];           /* nodes on [-1, 1] and their weights                              */
    double half[2][NODES][NODES];        /* values at these of the left and right half, from those of the whole */
    double sum;
    una_run *run;
} mixture;

typedef struct panel {
    double   low, high;
    double   partly[NODES];              /* weights above each node, of parts that are summed up; times e^t */
    double   whole;                      /* weight of the parts that are all above the panel                */
    bool     flat;                       /* none is summed up yet                                           */
    uint32_t *part;                      /* [count] narrower ones that reach it                             */
    size_t   count, depth;
} panel;

/* ---- the rule of Gauss and Legendre ------------------------------------------------------------------------------ */

/* P_n and its derivative at x. */
static double legendre_polynomial(double x, double *slope)
{
    double before = 1, now = x;
    for (int k = 2; k <= NODES; k++) {
        double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now;
        now = next;
    }
    *slope = NODES * (x * now - before) / (x * x - 1);
    return now;
}

static void make_rule(mixture *m)
{
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < NODES; i++) {
        double x = -cos(pi * (i + 0.75) / (NODES + 0.5)), slope = 1;
        for (int step = 0; step < 6; step++) x -= legendre_polynomial(x, &slope) / slope;
        m->x[i] = x;
        m->w[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* Lagrange's polynomials of the nodes, at the nodes of both halves. */
static void make_halves(mixture *m)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < NODES; i++) {
            double at = 0.5 * (m->x[i] + (side ? 1 : -1));
            for (int k = 0; k < NODES; k++) {
                double value = 1;
                for (int j = 0; j < NODES; j++) if (j != k) value *= (at - m->x[j]) / (m->x[k] - m->x[j]);
                m->half[side][i][k] = value;
            }
        }
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

static double panel_part_begins(const mixture *m, uint32_t p)
{
    return m->of->mean[p] - REACH * m->std[p];
}

/* Of lognormals as far as e^t lets it be seen. */
static double panel_part_ends(const mixture *m, uint32_t p)
{
    return m->of->mean[p] + REACH * m->std[p] + (m->of->log_target ? m->of->var[p] : 0);
}

static double node_place(const mixture *m, const panel *q, int i)
{
    return 0.5 * (q->low + q->high) + 0.5 * (q->high - q->low) * m->x[i];
}

static void add_part_to_nodes(const mixture *m, panel *q, uint32_t p)
{
    double weight = una_part_weight(m->of->weight, p);
    for (int i = 0; i < NODES; i++) {
        double t = node_place(m, q, i), above = weight * una_normal_cdf((m->of->mean[p] - t) / m->std[p]);
        q->partly[i] += m->of->log_target && above > 0 ? above * exp(t) : above;
    }
    q->flat = false;
}

static bool part_is_wide(const mixture *m, const panel *q, uint32_t p)
{
    double middle = q->low + 0.5 * (q->high - q->low), std = m->of->log_target ? fmin(m->std[p], 1) : m->std[p];
    return q->high - q->low <= WIDTH * std || q->depth == DEEPEST || !(q->low < middle && middle < q->high);
}

/* Parts that are wide for this panel leave the list. */
static void take_wide(const mixture *m, panel *q)
{
    size_t kept = 0;
    for (size_t i = 0; i < q->count; i++) {
        if (part_is_wide(m, q, q->part[i])) add_part_to_nodes(m, q, q->part[i]);
        else q->part[kept++] = q->part[i];
    }
    q->count = kept;
}

static void integrate_panel(mixture *m, const panel *q)
{
    double all = q->whole / m->weights;
    if (q->flat) {
        m->sum += all * (1 - all) * (m->of->log_target ? exp(q->high) - exp(q->low) : q->high - q->low);
        return;
    }
    for (int i = 0; i < NODES; i++) {
        double e = m->of->log_target ? exp(node_place(m, q, i)) : 1, g = (q->partly[i] / e + q->whole) / m->weights;
        m->sum += 0.5 * (q->high - q->low) * m->w[i] * g * (1 - g) * e;
    }
}

/* Half a panel; the parts that reach it go to `list`, which may be the panel's own. */
static panel half_of(const mixture *m, const panel *q, int side, uint32_t *list)
{
    double middle = q->low + 0.5 * (q->high - q->low);
    panel h = { .low = side ? middle : q->low, .high = side ? q->high : middle, .whole = q->whole, .flat = q->flat,
                .part = list, .depth = q->depth + 1 };
    for (int i = 0; !q->flat && i < NODES; i++)
        for (int k = 0; k < NODES; k++) h.partly[i] += m->half[side][i][k] * q->partly[k];
    for (size_t i = 0; i < q->count; i++) {
        uint32_t p = q->part[i];
        if (panel_part_ends(m, p) <= h.low) continue;
        if (panel_part_begins(m, p) >= h.high) h.whole += una_part_weight(m->of->weight, p);
        else list[h.count++] = p;
    }
    return h;
}

static bool both_have_parts(const mixture *m, const panel *q)
{
    double middle = q->low + 0.5 * (q->high - q->low);
    bool left = false, right = false;
    for (size_t i = 0; i < q->count && !(left && right); i++) {
        left = left || panel_part_begins(m, q->part[i]) < middle;
        right = right || panel_part_ends(m, q->part[i]) > middle;
    }
    return left && right;
}

static una_status walk_panels(mixture *m, panel *q);

/* Left and right, which share the parts' places where no part reaches both sides. */
static una_status walk_halves(mixture *m, panel *q)
{
    uint32_t *list = q->part;
    if (both_have_parts(m, q)) UNA_NEW_AT(&m->run->scratch, list, q->count);
    panel right = half_of(m, q, 1, list), left = half_of(m, q, 0, q->part);
    UNA_TRY(walk_panels(m, &left));
    return walk_panels(m, &right);
}

static una_status walk_panels(mixture *m, panel *q)
{
    UNA_TRY(una_check_cancelled(m->run, "scoring"));
    take_wide(m, q);
    if (q->count == 0) {
        integrate_panel(m, q);
        return UNA_OK;
    }

    UNA_SCOPED(m->run, walk_halves(m, q));
    return UNA_OK;
}

static una_status spread_in_panels(double *half, const una_mixture *of, una_run *run)
{
    panel all = { .low = HUGE_VAL, .high = -HUGE_VAL, .flat = true, .count = of->count };
    UNA_NEW(&run->scratch, mixture, m, 1);
    *m = (mixture){ .of = of, .weights = una_mixture_weights(of->weight, of->count), .run = run };
    UNA_NEW_AT(&run->scratch, m->std, of->count);
    UNA_NEW_AT(&run->scratch, all.part, of->count);
    for (size_t p = 0; p < of->count; p++) {
        m->std[p] = sqrt(of->var[p]);
        all.part[p] = (uint32_t)p;
        all.low = fmin(all.low, panel_part_begins(m, (uint32_t)p));
        all.high = fmax(all.high, panel_part_ends(m, (uint32_t)p));
    }
    make_rule(m);
    make_halves(m);
    if (!isfinite(all.high - all.low)) return UNA_OK;
    UNA_TRY(walk_panels(m, &all));
    *half = m->sum;
    return UNA_OK;
}

una_status una_half_spread(double *half, const una_mixture *of, una_run *run)
{
    if (of->count > UINT32_MAX) UNA_FAIL(run, UNA_E_MEMORY, "%zu parts of a mixture are too many", of->count);
    *half = HUGE_VAL;
    UNA_SCOPED(run, spread_in_panels(half, of, run));
    return UNA_OK;
}
