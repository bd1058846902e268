/* SPDX-License-Identifier: MIT
 *
 * L-BFGS in a box. The direction is -H g by the two-loop recursion over the variables that are not held at a bound; the
 * line search looks along the direction, clamped to the box, for a point with
 *   f(t) <= f(0) + c1 t f'(0)   and   |f'(t)| <= c2 |f'(0)|
 * by bracketing and cubic interpolation. Where the clamp bites the second condition is not asked for.
 * Source: Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5, 3.6, 7.4 and section 16.7.
 */
#include "opt/lbfgs.h"

static const double armijo = 1e-4, curvature = 0.9;
enum { MOST_TRIES = 25 };

typedef struct search {
    una_smooth_function *f;
    void    *context;
    una_run *run;
    size_t   n, calls;
    const double *low, *high;
    double  *x, *g, *direction;                  /* where the step begins                                   */
    double  *next, *next_g;                      /* the point being tried                                   */
    double  *best, *best_g;                      /* the best that meets the first condition                 */
    double   value;
    double  *s, *y, *rho, *weight;               /* [memory, n], [memory]                                   */
    size_t   memory, pairs, newest;
    bool    *held;                               /* at a bound, the gradient pointing out                   */
    bool    *stopped;                            /* clamped at the point being tried                        */
} search;

typedef struct line_point { double t, value, slope; bool clamped, exists; } line_point;

static double dot_product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double clamp_to_box(const search *s, double value, size_t i)
{
    if (s->low && value < s->low[i]) value = s->low[i];
    if (s->high && value > s->high[i]) value = s->high[i];
    return value;
}

/* f and f' at next: exists = false where there is none. */
static una_status evaluate_function(search *s, double *value, bool *exists)
{
    una_status status = s->f(s->context, s->next, value, s->next_g, s->run);
    s->calls++;
    *exists = status == UNA_OK && isfinite(*value);
    for (size_t i = 0; *exists && i < s->n; i++) *exists = isfinite(s->next_g[i]);
    return status == UNA_E_NUMERIC ? UNA_OK : status;
}

static una_status try_step(search *s, double t, line_point *out)
{
    out->t = t;
    out->clamped = false;
    for (size_t i = 0; i < s->n; i++) {
        double wanted = s->x[i] + t * s->direction[i];
        s->next[i] = clamp_to_box(s, wanted, i);
        s->stopped[i] = s->next[i] != wanted;
        out->clamped = out->clamped || s->stopped[i];
    }
    UNA_TRY(evaluate_function(s, &out->value, &out->exists));
    out->slope = 0;                              /* what is stopped at its bound moves no further */
    for (size_t i = 0; i < s->n; i++) out->slope += s->stopped[i] ? 0 : s->next_g[i] * s->direction[i];
    return UNA_OK;
}

/* The minimum of the cubic through both ends, kept away from them; the middle where there is none. */
static double cubic_minimum(const line_point *a, const line_point *b)
{
    double low = fmin(a->t, b->t), high = fmax(a->t, b->t), guess = NAN;
    if (a->exists && b->exists) {
        double d = a->slope + b->slope - 3 * (a->value - b->value) / (a->t - b->t), root = d * d - a->slope * b->slope;
        if (root >= 0) {
            double q = copysign(sqrt(root), b->t - a->t);
            guess = b->t - (b->t - a->t) * (b->slope + q - d) / (b->slope - a->slope + 2 * q);
        }
    } else {
        return low + 0.1 * (high - low);         /* back from where f does not exist */
    }
    double margin = 0.1 * (high - low);
    return guess >= low + margin && guess <= high - margin ? guess : 0.5 * (low + high);
}

static bool wolfe_holds(const search *s, const line_point *at, double slope0)
{
    if (!at->exists) return false;
    double change = at->clamped ? 0 : at->t * slope0;
    for (size_t i = 0; at->clamped && i < s->n; i++) change += s->g[i] * (s->next[i] - s->x[i]);
    return at->value <= s->value + armijo * fmin(change, 0) && at->value < s->value;
}

static void keep_point(search *s, const line_point *at, line_point *best)
{
    *best = *at;
    memcpy(s->best, s->next, s->n * sizeof *s->best);
    memcpy(s->best_g, s->next_g, s->n * sizeof *s->best_g);
}

/* A point that meets both conditions, or the best that meets the first; *moved false if there is none. */
static una_status line_search(search *s, double first, bool *moved, double *value)
{
    double slope0 = dot_product(s->g, s->direction, s->n);
    line_point start = { 0, s->value, slope0, false, true }, low = start, high = start, at, best = start;
    bool bracketed = false;
    double t = first;
    *moved = false;

    for (int tries = 0; tries < MOST_TRIES; tries++) {
        UNA_TRY(try_step(s, t, &at));
        bool good = wolfe_holds(s, &at, slope0) && at.value < (low.t > 0 ? low.value : s->value);
        if (good) {
            *moved = true;
            keep_point(s, &at, &best);
            if (at.clamped || fabs(at.slope) <= -curvature * slope0) break;
            if (at.slope * (bracketed ? high.t - low.t : 1) >= 0) high = low, bracketed = true;
            low = at;
        } else {
            high = at;
            bracketed = true;
        }

        if (bracketed && fabs(high.t - low.t) < 1e-10 * fmax(1e-10, high.t)) break;
        if (*moved && tries >= 8) break;
        t = bracketed ? cubic_minimum(&low, &high) : 4 * t;
    }

    *value = best.value;
    return UNA_OK;
}

/* direction = -H g over the free variables. */
static void choose_direction(search *s)
{
    size_t n = s->n;
    double *q = s->direction;
    for (size_t i = 0; i < n; i++) {
        bool down = s->low && s->x[i] <= s->low[i] && s->g[i] > 0, up = s->high && s->x[i] >= s->high[i] && s->g[i] < 0;
        s->held[i] = down || up;
        q[i] = s->held[i] ? 0 : s->g[i];
    }

    for (size_t k = 0; k < s->pairs; k++) {
        size_t at = (s->newest + s->memory - k) % s->memory;
        s->weight[at] = s->rho[at] * dot_product(s->s + at * n, q, n);
        for (size_t i = 0; i < n; i++) q[i] -= s->weight[at] * s->y[at * n + i];
    }

    if (s->pairs) {
        const double *y = s->y + s->newest * n;
        double scale = 1 / (s->rho[s->newest] * dot_product(y, y, n));
        for (size_t i = 0; i < n; i++) q[i] *= scale;
    }

    for (size_t k = s->pairs; k-- > 0;) {
        size_t at = (s->newest + s->memory - k) % s->memory;
        double by = s->weight[at] - s->rho[at] * dot_product(s->y + at * n, q, n);
        for (size_t i = 0; i < n; i++) q[i] += by * s->s[at * n + i];
    }
    for (size_t i = 0; i < n; i++) q[i] = s->held[i] ? 0 : -q[i];
}

static void remember_pair(search *s)
{
    size_t n = s->n, at = s->pairs ? (s->newest + 1) % s->memory : 0;
    double *step = s->s + at * n, *turn = s->y + at * n, product = 0;
    for (size_t i = 0; i < n; i++) {
        step[i] = s->best[i] - s->x[i];
        turn[i] = s->best_g[i] - s->g[i];
    }
    product = dot_product(step, turn, n);
    if (!(product > 1e-12 * dot_product(turn, turn, n))) return;      /* no curvature: a pair that would spoil H */
    s->rho[at] = 1 / product;
    s->newest = at;
    if (s->pairs < s->memory) s->pairs++;
}

static double projected_gradient(const search *s)
{
    double most = 0;
    for (size_t i = 0; i < s->n; i++) most = fmax(most, fabs(clamp_to_box(s, s->x[i] - s->g[i], i) - s->x[i]));
    return most;
}

static una_status descend_lbfgs(search *s, const una_lbfgs_settings *o, una_lbfgs_report *report)
{
    size_t most = o->most_steps ? o->most_steps : 200, small = 0, n = s->n;
    double by_gradient = o->gradient_tolerance > 0 ? o->gradient_tolerance : 1e-5;
    double by_value = o->value_tolerance > 0 ? o->value_tolerance : 1e-9;

    while (report->steps < most) {
        report->converged = projected_gradient(s) <= by_gradient || small >= 2;
        if (report->converged) break;

        choose_direction(s);
        double slope = dot_product(s->g, s->direction, n), value,
            size = sqrt(dot_product(s->direction, s->direction, n));
        bool fresh = s->pairs == 0, moved = false;
        if (slope < 0) UNA_TRY(line_search(s, fresh ? fmin(1, 1 / size) : 1, &moved, &value));
        if (!moved) {                            /* once more along the gradient, then it is over */
            report->converged = fresh;
            if (fresh) break;
            s->pairs = 0;
            continue;
        }

        remember_pair(s);
        double least = fmax(o->least_drop, by_value * fmax(1, fabs(value)));
        small = s->value - value <= least ? small + 1 : 0;
        memcpy(s->x, s->best, n * sizeof *s->x);
        memcpy(s->g, s->best_g, n * sizeof *s->g);
        s->value = value;
        report->steps++;
    }
    return UNA_OK;
}

static una_status begin_lbfgs(search *s, const double *x)
{
    size_t n = s->n, numbers = n * (7 + 2 * s->memory) + 2 * s->memory;
    double **part[] = { &s->x, &s->g, &s->direction, &s->next, &s->next_g, &s->best, &s->best_g };
    bool exists;
    UNA_NEW_AT(&s->run->scratch, s->held, n);
    UNA_NEW_AT(&s->run->scratch, s->stopped, n);
    UNA_NEW(&s->run->scratch, double, all, numbers);
    for (size_t i = 0; i < 7; i++, all += n) *part[i] = all;
    s->s = all;
    s->y = s->s + s->memory * n;
    s->rho = s->y + s->memory * n;
    s->weight = s->rho + s->memory;

    for (size_t i = 0; i < n; i++) s->next[i] = s->x[i] = clamp_to_box(s, x[i], i);
    UNA_TRY(evaluate_function(s, &s->value, &exists));
    memcpy(s->g, s->next_g, n * sizeof *s->g);
    if (exists) return UNA_OK;
    if (*s->run->message) return UNA_E_NUMERIC;
    UNA_FAIL(s->run, UNA_E_NUMERIC, "the function to be minimised is not finite at the start");
}

static una_status minimise_in_box(search *s, double *x, const una_lbfgs_settings *settings, una_lbfgs_report *report)
{
    UNA_TRY(begin_lbfgs(s, x));
    UNA_TRY(descend_lbfgs(s, settings, report));
    memcpy(x, s->x, s->n * sizeof *x);
    report->value = s->value;
    report->calls = s->calls;
    una_clear_message(s->run);                   /* of a place where f did not exist */
    return UNA_OK;
}

una_status una_lbfgs(double *x, size_t n, una_smooth_function *f, void *context, const una_lbfgs_settings *settings,
                     una_lbfgs_report *report, una_run *run)
{
    search s = { .f = f, .context = context, .run = run, .n = n, .low = settings->low, .high = settings->high,
                 .memory = settings->memory ? settings->memory : 10 };
    *report = (una_lbfgs_report){ .value = NAN };
    UNA_SCOPED(run, minimise_in_box(&s, x, settings, report));
    return UNA_OK;
}
