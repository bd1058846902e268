/* SPDX-License-Identifier: MIT
 *
 * Hamiltonian Monte Carlo: leapfrog, static trajectories, adaptation and the loop of a chain. The No-U-Turn trajectory
 * is nuts.c. The published algorithm of the thesis makes a full momentum step at the end of the loop and then
 * overwrites the momentum; here the last full step is left out and the final half step closes the trajectory (see
 * una_leapfrog).
 * Adaptation: dual averaging (Hoffman and Gelman 2014, section 3.2), windows and shrinkage of the variances as in Stan.
 */
#include "infer/hmc.h"

enum { PATIENCE = 50 };                  /* iterations without a single move before a given step size is refused */

/* ---- phase space ------------------------------------------------------------------------------------------ */

void una_phase_alloc(una_phase *phase, size_t dimension, una_arena *arena)
{
    phase->q = UNA_GET(arena, double, dimension);
    phase->p = UNA_GET(arena, double, dimension);
    phase->g = UNA_GET(arena, double, dimension);
}

void una_phase_copy(una_phase *to, const una_phase *from, size_t dimension)
{
    memcpy(to->q, from->q, dimension * sizeof(double));
    memcpy(to->p, from->p, dimension * sizeof(double));
    memcpy(to->g, from->g, dimension * sizeof(double));
    to->u = from->u;
}

static void evaluate_potential(una_sampler *s, una_phase *z)
{
    z->u = s->target->potential(s->target->context, z->q, z->g);
    s->gradients++;
}

static void kick_momentum(size_t n, double step, const double *restrict g, double *restrict p)
{
    for (size_t i = 0; i < n; i++) p[i] -= step * g[i];
}

static void drift_position(size_t n, double step, const double *restrict inverse_mass, const double *restrict p,
                           double *restrict q)
{
    for (size_t i = 0; i < n; i++) q[i] += step * inverse_mass[i] * p[i];
}

void una_leapfrog(una_sampler *s, una_phase *z, double step, size_t steps)
{
    size_t n = s->target->dimension;
    kick_momentum(n, step / 2, z->g, z->p);
    for (size_t k = 0; k < steps; k++) {
        s->stopped = s->stopped || (s->run && una_cancelled(s->run));
        if (s->stopped) return;
        drift_position(n, step, s->inverse_mass, z->p, z->q);
        evaluate_potential(s, z);
        if (k + 1 < steps) kick_momentum(n, step, z->g, z->p);
    }
    kick_momentum(n, step / 2, z->g, z->p);
}

double una_energy(const una_sampler *s, const una_phase *z)
{
    double kinetic = 0;
    for (size_t i = 0; i < s->target->dimension; i++) kinetic += s->inverse_mass[i] * z->p[i] * z->p[i];
    double h = z->u + kinetic / 2;
    return isnan(h) ? HUGE_VAL : h;
}

void una_momentum_draw(una_sampler *s, double *p)
{
    for (size_t i = 0; i < s->target->dimension; i++) p[i] = una_rng_normal(s->rng) / sqrt(s->inverse_mass[i]);
}

/* ---- a static trajectory ------------------------------------------------------------------------------------ */

static size_t jittered_steps(una_sampler *s)
{
    double share = 1 + s->how->jitter * (2 * una_rng_uniform(s->rng) - 1);
    double steps = floor(share * (double)s->how->leapfrog + 0.5);
    return steps < 1 ? 1 : (size_t)steps;
}

static void static_step(una_sampler *s)
{
    size_t n = s->target->dimension, steps = s->how->jitter > 0 ? jittered_steps(s) : s->how->leapfrog;
    una_momentum_draw(s, s->at.p);
    double h0 = una_energy(s, &s->at);
    una_phase_copy(&s->moving, &s->at, n);
    una_leapfrog(s, &s->moving, s->step, steps);
    double error = una_energy(s, &s->moving) - h0;
    s->divergent = error > UNA_DIVERGENT;
    s->too_deep = false;
    s->acceptance = fmin(1, exp(-error));
    s->moved = una_rng_uniform(s->rng) < s->acceptance;
    if (s->moved) una_phase_copy(&s->at, &s->moving, n);         /* a rejected state is a draw again */
}

/* ---- step size: dual averaging -------------------------------------------------------------------------------- */

typedef struct averaging { double mu, error, mean_log; size_t count; } averaging;

static void averaging_start(averaging *a, double step)
{
    *a = (averaging){ .mu = log(10 * step), .mean_log = log(step) };
}

static double averaging_next(averaging *a, double wanted, double acceptance)
{
    const double gamma = 0.05, t0 = 10, kappa = 0.75;
    double t = (double)++a->count, weight = 1 / (t + t0), power = pow(t, -kappa);
    a->error = (1 - weight) * a->error + weight * (wanted - acceptance);
    double log_step = a->mu - sqrt(t) / gamma * a->error;
    a->mean_log = power * log_step + (1 - power) * a->mean_log;
    return exp(log_step);
}

/* Doubles or halves the step until the acceptance of one leapfrog step crosses 0.8. */
static una_status find_step(una_sampler *s, una_run *run)
{
    const double wanted = log(0.8);
    int direction = 0;

    for (int tries = 0; tries < 100; tries++) {
        UNA_TRY(una_check_cancelled(run, s->how->stage));
        una_phase_copy(&s->moving, &s->at, s->target->dimension);
        una_momentum_draw(s, s->moving.p);
        double h0 = una_energy(s, &s->moving);
        una_leapfrog(s, &s->moving, s->step, 1);
        int up = h0 - una_energy(s, &s->moving) > wanted ? 1 : -1;
        if (direction == 0) direction = up;
        if (up != direction) return UNA_OK;
        s->step *= direction > 0 ? 2 : 0.5;
    }

    UNA_FAIL(run, UNA_E_NUMERIC, "no step size keeps the energy near where the chain starts (the last tried was %g): "
             "the density may not be finite or not be proper; give step_size, or look at the noise and the prior",
             s->step);
}

/* ---- mass: variances of the warm-up in windows that double ------------------------------------------------------ */

typedef struct windows {
    size_t from, to;                     /* iterations that count                                           */
    size_t size, end;                    /* of the window in hand; its last iteration                       */
    double count, *mean, *square;        /* Welford's sums                                                  */
} windows;

static una_status windows_take(windows *w, const una_hmc *how, size_t dimension, una_arena *arena)
{
    size_t all = how->warmup, first = 75, last = 50;
    *w = (windows){ .size = 25 };
    w->mean = UNA_GET(arena, double, dimension);
    w->square = UNA_GET(arena, double, dimension);

    if (first + w->size + last > all) {
        first = all * 15 / 100;
        last = all / 10;
        w->size = all - first - last;
    }

    w->from = first;
    w->to = all - last;
    w->end = first + w->size - 1;
    if (all < 20 || how->mass == UNA_MASS_UNIT) w->from = w->to = 0;     /* too short to say anything of variances */
    return una_arena_check(arena);
}

static void next_window(windows *w)
{
    if (w->end + 1 == w->to) return;
    w->size *= 2;
    size_t end = w->end + w->size;
    w->end = end + 2 * w->size >= w->to ? w->to - 1 : end;       /* a next one would not fit: this takes the rest */
}

static void windows_add(windows *w, const double *q, size_t n)
{
    w->count++;
    for (size_t i = 0; i < n; i++) {
        double off = q[i] - w->mean[i];
        w->mean[i] += off / w->count;
        w->square[i] += off * (q[i] - w->mean[i]);
    }
}

/* Variances, drawn a little towards 1e-3 as Stan does. */
static void set_mass(una_sampler *s, windows *w)
{
    size_t n = s->target->dimension;
    double share = w->count / (w->count + 5), sum = 0;
    for (size_t i = 0; i < n; i++) {
        s->inverse_mass[i] = share * w->square[i] / (w->count - 1) + 1e-3 * (1 - share);
        sum += s->inverse_mass[i];
    }
    for (size_t i = 0; s->how->mass == UNA_MASS_SCALAR && i < n; i++) s->inverse_mass[i] = sum / (double)n;
    memset(w->mean, 0, n * sizeof(double));
    memset(w->square, 0, n * sizeof(double));
    w->count = 0;
}

/* ---- the chain --------------------------------------------------------------------------------------------------- */

static una_status set_up_sampler(una_sampler *s, const double *start, una_run *run)
{
    size_t n = s->target->dimension;
    una_phase_alloc(&s->at, n, &run->scratch);
    una_phase_alloc(&s->moving, n, &run->scratch);
    una_phase_alloc(&s->proposal, n, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    if (s->how->trajectory == UNA_NUTS) UNA_TRY(una_nuts_alloc(s, &run->scratch));

    memcpy(s->at.q, start, n * sizeof(double));
    for (size_t i = 0; i < n; i++) s->inverse_mass[i] = 1;
    evaluate_potential(s, &s->at);
    if (!isfinite(s->at.u))
        UNA_FAIL(run, UNA_E_NUMERIC, "the density is not finite where the chain starts: look at the noise, the prior "
                 "and the data");
    return UNA_OK;
}

static una_status check_moves(const una_chain *chain, const una_sampler *s, size_t done, una_run *run)
{
    if (chain->moved > 0 || done < PATIENCE) return UNA_OK;
    UNA_FAIL(run, UNA_E_NUMERIC, "none of %zu proposals was accepted with step_size=%g: the trajectories diverge; use "
             "a smaller step_size, or step_size=auto", done, s->step);
}

typedef struct warmup { averaging average; windows window; bool adapts; } warmup;

static una_status adapt_warmup(una_sampler *s, warmup *w, size_t iteration, una_run *run)
{
    windows *v = &w->window;
    if (w->adapts) s->step = averaging_next(&w->average, s->how->accept, s->acceptance);

    if (iteration >= v->from && iteration < v->to) {
        windows_add(v, s->at.q, s->target->dimension);
        if (iteration == v->end && v->count > 1) {
            set_mass(s, v);
            next_window(v);
            if (w->adapts) {
                UNA_TRY(find_step(s, run));
                averaging_start(&w->average, s->step);
            }
        }
    }

    if (iteration + 1 == s->how->warmup && w->adapts && w->average.count > 0) s->step = exp(w->average.mean_log);
    return UNA_OK;
}

static void record_draw(una_chain *chain, const una_sampler *s, size_t sample)
{
    size_t n = s->target->dimension;
    chain->acceptance += s->acceptance / (double)s->how->samples;
    chain->divergent += s->divergent;
    chain->deepest += s->too_deep;
    if ((sample + 1) % s->how->thin != 0 || chain->count == s->how->samples / s->how->thin) return;
    memcpy(chain->draws + chain->count * n, s->at.q, n * sizeof(double));
    chain->potential[chain->count++] = s->at.u;
}

static una_status iterate_chain(una_chain *chain, una_sampler *s, const double *start, una_run *run)
{
    const una_hmc *how = s->how;
    warmup w = { .adapts = UNA_IS_AUTO(how->step_size) };
    UNA_TRY(set_up_sampler(s, start, run));
    UNA_TRY(windows_take(&w.window, how, s->target->dimension, &run->scratch));
    size_t all = how->warmup + how->samples, warm_gradients = s->gradients;
    if (w.adapts) UNA_TRY(find_step(s, run));
    averaging_start(&w.average, s->step);

    for (size_t i = 0; i < all; i++) {
        UNA_TRY(una_tick(run, how->stage, (double)i / (double)all, s->at.u));
        if (how->trajectory == UNA_NUTS) una_nuts_step(s);
        else static_step(s);
        if (s->stopped) UNA_FAIL(run, UNA_CANCELLED, "interrupted while %s", how->stage);
        chain->moved += s->moved;
        if (i < how->warmup) {
            chain->warmup_divergent += s->divergent;
            UNA_TRY(adapt_warmup(s, &w, i, run));
            warm_gradients = s->gradients;
        } else record_draw(chain, s, i - how->warmup);
        UNA_TRY(check_moves(chain, s, i + 1, run));
    }

    chain->gradients = s->gradients;
    chain->sample_gradients = s->gradients - warm_gradients;
    chain->step_size = s->step;
    return UNA_OK;
}

una_status una_hmc_sample(una_chain *chain, const una_target *target, const una_hmc *how, const double *start,
                          una_rng *rng, una_arena *arena, una_run *run)
{
    size_t n = target->dimension, room = how->samples / how->thin;
    *chain = (una_chain){ .draws = UNA_GET(arena, double, room * n), .potential = UNA_GET(arena, double, room),
                          .inverse_mass = UNA_GET(arena, double, n) };
    UNA_TRY(una_arena_check(arena));
    una_sampler s = { .target = target, .how = how, .inverse_mass = chain->inverse_mass, .rng = rng,
                      .step = UNA_IS_AUTO(how->step_size) ? 0.1 : how->step_size, .run = run };
    UNA_SCOPED(run, iterate_chain(chain, &s, start, run));
    return UNA_OK;
}
