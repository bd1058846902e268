/* SPDX-License-Identifier: MIT
 *
 * One transition of the No-U-Turn sampler: the trajectory is doubled forwards or backwards at random until it turns
 * back, and the next state is drawn from it with weights exp(H0 - H), the newer half preferred.
 *   turning: rho'M^-1 p <= 0 at either end, rho the sum of the momenta between them,
 * asked of the whole, of either half with the first state of the other (which a smooth trajectory would otherwise
 * outwit). Sources: Hoffman and Gelman, The No-U-Turn sampler, 2014; Betancourt, A conceptual introduction to
 * Hamiltonian Monte Carlo, 2017.
 */
#include "infer/hmc.h"

typedef struct branch {                  /* a piece of trajectory in the order it was built                 */
    double *first, *last, *rho;          /* momenta at its ends, sum of all                                 */
    una_phase chosen;                    /* the state drawn from it (no momentum)                           */
    double log_weight;
} branch;

struct una_tree {
    branch level[UNA_MOST_DEPTH + 2];    /* level d: the second half of a branch of depth d + 1             */
    branch half;                         /* what is being added to the trajectory                           */
    una_phase ends[2];                   /* first and last state                                            */
    double *rho, *inner, *sum;           /* inner: momentum at the end from which the new half starts       */
    double h0, metropolis;
    size_t steps;
};

static void take_branch(branch *b, size_t n, una_arena *arena)
{
    b->first = UNA_GET(arena, double, n);
    b->last = UNA_GET(arena, double, n);
    b->rho = UNA_GET(arena, double, n);
    una_phase_alloc(&b->chosen, n, arena);
}

una_status una_nuts_alloc(una_sampler *s, una_arena *arena)
{
    size_t n = s->target->dimension;
    struct una_tree *t = s->tree = UNA_GET(arena, struct una_tree, 1);
    if (!t) return UNA_E_MEMORY;
    for (size_t d = 0; d < s->how->max_depth; d++) take_branch(&t->level[d], n, arena);
    take_branch(&t->half, n, arena);
    for (int i = 0; i < 2; i++) una_phase_alloc(&t->ends[i], n, arena);
    t->inner = UNA_GET(arena, double, n);
    t->rho = UNA_GET(arena, double, n);
    t->sum = UNA_GET(arena, double, n);
    return una_arena_check(arena);
}

static double log_sum(double a, double b)
{
    double most = a > b ? a : b;
    return most == -HUGE_VAL ? most : most + log(exp(a - most) + exp(b - most));
}

static bool goes_on(const una_sampler *s, const double *p_first, const double *p_last, const double *rho)
{
    double a = 0, b = 0;
    for (size_t i = 0; i < s->target->dimension; i++) {
        double v = s->inverse_mass[i] * rho[i];
        a += v * p_first[i];
        b += v * p_last[i];
    }
    return a > 0 && b > 0;
}

static const double *add_momenta(const una_sampler *s, const double *a, const double *b)
{
    for (size_t i = 0; i < s->target->dimension; i++) s->tree->sum[i] = a[i] + b[i];
    return s->tree->sum;
}

/* Two pieces that meet at the momenta `left` and `right`: neither they together,
 * nor one with the first state of the other, may turn. */
static bool pieces_go_on(const una_sampler *s, const double *first, const double *left, const double *right,
                         const double *last, const double *rho_left, const double *rho_right)
{
    return goes_on(s, first, last, add_momenta(s, rho_left, rho_right)) &&
           goes_on(s, first, right, add_momenta(s, rho_left, right))
        && goes_on(s, left, last, add_momenta(s, rho_right, left));
}

/* One leapfrog step of s->moving. */
static bool build_leaf(una_sampler *s, double direction, branch *out)
{
    struct una_tree *t = s->tree;
    size_t bytes = s->target->dimension * sizeof(double);

    una_leapfrog(s, &s->moving, direction * s->step, 1);
    double h = una_energy(s, &s->moving);
    t->steps++;
    t->metropolis += fmin(1, exp(t->h0 - h));

    out->log_weight = t->h0 - h;
    memcpy(out->first, s->moving.p, bytes);
    memcpy(out->last, s->moving.p, bytes);
    memcpy(out->rho, s->moving.p, bytes);
    una_phase_copy(&out->chosen, &s->moving, s->target->dimension);

    s->divergent = h - t->h0 > UNA_DIVERGENT;
    return !s->divergent && !s->stopped;
}

/* 2^depth steps on from s->moving; false if they diverge or turn back on themselves. */
static bool build_tree(una_sampler *s, size_t depth, double direction, branch *out)
{
    if (depth == 0) return build_leaf(s, direction, out);
    size_t n = s->target->dimension;
    branch *second = &s->tree->level[depth - 1];
    if (!build_tree(s, depth - 1, direction, out) || !build_tree(s, depth - 1, direction, second)) return false;
    double both = log_sum(out->log_weight, second->log_weight);
    bool goes = pieces_go_on(s, out->first, out->last, second->first, second->last, out->rho, second->rho);
    if (log(una_rng_uniform(s->rng)) < second->log_weight - both) una_phase_copy(&out->chosen, &second->chosen, n);
    out->log_weight = both;
    for (size_t i = 0; i < n; i++) out->rho[i] += second->rho[i];
    memcpy(out->last, second->last, n * sizeof(double));
    return goes;
}

/* Doubles the trajectory; false when it is to end. A half that turns or diverges does not count. */
static bool double_once(una_sampler *s, size_t depth, double *log_weight)
{
    struct una_tree *t = s->tree;
    size_t n = s->target->dimension;
    int side = una_rng_uniform(s->rng) > 0.5;
    branch *half = &t->half;

    una_phase_copy(&s->moving, &t->ends[side], n);
    memcpy(t->inner, t->ends[side].p, n * sizeof(double));
    if (!build_tree(s, depth, side ? 1 : -1, half)) return false;

    una_phase_copy(&t->ends[side], &s->moving, n);
    if (log(una_rng_uniform(s->rng)) < half->log_weight - *log_weight) {
        una_phase_copy(&s->proposal, &half->chosen, n);
        s->moved = true;
    }
    *log_weight = log_sum(*log_weight, half->log_weight);

    /* Seen from the old far end: old piece, then the new one. The criterion does not mind the direction of time. */
    bool goes = pieces_go_on(s, t->ends[!side].p, t->inner, half->first, half->last, t->rho, half->rho);
    for (size_t i = 0; i < n; i++) t->rho[i] += half->rho[i];
    return goes;
}

void una_nuts_step(una_sampler *s)
{
    struct una_tree *t = s->tree;
    size_t n = s->target->dimension, depth = 0;
    double log_weight = 0;

    una_momentum_draw(s, s->at.p);
    t->h0 = una_energy(s, &s->at);
    t->metropolis = 0;
    t->steps = 0;
    s->divergent = s->too_deep = s->moved = false;
    for (int i = 0; i < 2; i++) una_phase_copy(&t->ends[i], &s->at, n);
    una_phase_copy(&s->proposal, &s->at, n);
    memcpy(t->rho, s->at.p, n * sizeof(double));

    while (depth < s->how->max_depth && double_once(s, depth, &log_weight)) depth++;
    s->too_deep = depth == s->how->max_depth;
    s->acceptance = t->metropolis / (double)t->steps;
    una_phase_copy(&s->at, &s->proposal, n);
}
