/* SPDX-License-Identifier: MIT
 *
 * One training of the shape of the noise: Fisher scoring under a ridge penalty.
 */
#include "committee/noise_inside.h"

#include "infer/head.h"

enum { STEPS = 25, HALVINGS = 12, SCALE_GRID = 25, SCALE_STEPS = 3 };
static const double CUT = 9;                                  /* z2 beyond it counts by its logarithm              */
static const double LEAST_STRENGTH = 0.02;                    /* of the mean strength: what is weak is not quite
                                                                 excluded */
static const double INTERCEPT_PENALTY = 0.1;                  /* keeps s2 finite where var explains all errors     */
static const double SCREENED_UNDER = 80;                      /* the penalty of terms when pairs are looked for    */
static const double PENALTY[UNA_NOISE_PENALTIES] = { 1e4, 2e3, 400, 80, 16, 3 };    /* of columns of variance 1    */

/* ---- likelihood -------------------------------------------------------------------------------------------------- */

double una_noise_cost(double square, double whole, bool robust)
{
    double z2 = square / whole;
    return log(whole) + (robust && z2 > CUT ? CUT * (1 + log(z2 / CUT)) : z2);
}

static bool left_out(const una_noise_scoring *q, size_t r)
{
    return q->out != UNA_NOISE_NO_GROUP && q->s->group[r] == q->out;
}

typedef struct scale_search { const una_noise_scoring *q; bool robust; } scale_search;

static double constant_cost(double t, void *context)
{
    const scale_search *search = context;
    const una_noise_data *s = search->q->s;
    double sum = 0, noise = exp(t);
    for (size_t r = 0; r < s->rows; r++)
        if (!left_out(search->q, r)) sum += una_noise_cost(s->square[r], s->var[r] + noise, search->robust);
    return sum;
}

double una_noise_constant(const una_noise_scoring *q, bool robust)
{
    scale_search search = { q, robust };
    return una_search(constant_cost, &search, q->s->low, q->s->high, SCALE_GRID, 1e-4);
}

double una_noise_scale(const una_noise_scoring *q, double weight, double guess, bool robust)
{
    const una_noise_data *s = q->s;
    double t = guess;
    for (int i = 0; i < SCALE_STEPS; i++) {
        double slope = 0, information = 0;
        for (size_t r = 0; r < s->rows; r++) {
            if (left_out(q, r)) continue;
            double noise = exp(t + weight * una_noise_bounded(q->log_g[r])), whole = s->var[r] + noise;
            double share = noise / whole, z2 = s->square[r] / whole;
            slope += 0.5 * share * ((robust ? fmin(z2, CUT) : z2) - 1);
            information += 0.5 * share * share;
        }
        if (information > 0) t += fmin(fmax(slope / information, -1), 1);
    }
    return fmin(fmax(t, s->low), s->high);
}

/* ---- Fisher scoring ---------------------------------------------------------------------------------------------- */

una_status una_noise_scoring_new(una_noise_scoring *q, una_noise_data *s, una_run *run)
{
    size_t k = s->columns, n = s->rows;
    una_arena *arena = &run->scratch;
    *q = (una_noise_scoring){ .s = s, .penalty = UNA_GET(arena, double, k), .b = UNA_GET(arena, double, k),
                              .before = UNA_GET(arena, double, k), .log_g = UNA_GET(arena, double, n),
                              .step = UNA_GET(arena, double, k), .slope = UNA_GET(arena, double, k),
                              .along = UNA_GET(arena, double, n), .pull = UNA_GET(arena, double, n),
                              .factor = UNA_GET(arena, double, k * k) };
    return una_arena_check(arena);
}

static double penalty_at(const una_noise_scoring *q, double t)
{
    size_t last = q->s->columns - 1;
    double sum = q->penalty[last] * pow(q->b[last] + t * q->step[last] - q->s->constant, 2);
    for (size_t j = 0; j < last; j++) sum += q->penalty[j] * pow(q->b[j] + t * q->step[j], 2);
    return 0.5 * sum;
}

/* Minus the penalised log-likelihood at b + t step. */
static double penalised_loss(const una_noise_scoring *q, double t)
{
    const una_noise_data *s = q->s;
    double sum = 0, log_s2 = q->b[s->columns - 1] + t * q->step[s->columns - 1];
    for (size_t r = 0; r < s->rows; r++) {
        if (left_out(q, r)) continue;
        double noise = exp(log_s2 + una_noise_bounded(q->log_g[r] + t * q->along[r]));
        sum += una_noise_cost(s->square[r], s->var[r] + noise, true);
    }
    return 0.5 * sum + penalty_at(q, t);
}

/* pull: the slope of the log-likelihood by each row's log g; rows at its bound do not move. The sum for log s2. */
static double pull_of_rows(una_noise_scoring *q)
{
    const una_noise_data *s = q->s;
    double common = 0;                   /* rows at the bound of log g still inform s2 */
    for (size_t r = 0; r < s->rows; r++) {
        q->pull[r] = 0;
        if (left_out(q, r)) continue;
        double noise = exp(q->b[s->columns - 1] + una_noise_bounded(q->log_g[r])), whole = s->var[r] + noise;
        double pull = 0.5 * noise / whole * (fmin(s->square[r] / whole, CUT) - 1);
        common += pull;
        if (una_noise_bounded(q->log_g[r]) == q->log_g[r]) q->pull[r] = pull;
    }
    return common;
}

/* slope = minus the gradient of the objective at b. */
static void noise_slope(una_noise_scoring *q)
{
    const una_noise_data *s = q->s;
    size_t k = s->columns;
    double common = pull_of_rows(q);
    memset(q->slope, 0, k * sizeof *q->slope);
    una_combine(q->slope, q->pull, s->phi, k, s->rows, k);
    for (size_t j = 0; j < k - 1; j++) q->slope[j] -= q->penalty[j] * q->b[j];
    q->slope[k - 1] = common - q->penalty[k - 1] * (q->b[k - 1] - s->constant);
}

static una_status factorise(una_noise_scoring *q, una_run *run)
{
    const una_noise_data *s = q->s;
    size_t k = s->columns;
    for (size_t i = 0; i < k * k; i++) q->factor[i] = q->rows_share * s->gram[i];
    for (size_t j = 0; j < k; j++) q->factor[j * k + j] += q->penalty[j];
    return una_chol(q->factor, k, "the information about the noise (set noise=constant)", run);
}

/* From b, which may be that of another penalty. */
static una_status score_on(una_noise_scoring *q, una_run *run)
{
    const una_noise_data *s = q->s;
    size_t k = s->columns;
    UNA_TRY(factorise(q, run));
    memset(q->step, 0, k * sizeof *q->step);
    for (size_t r = 0; r < s->rows; r++) q->log_g[r] = una_dot(s->phi + r * k, q->b, k - 1);
    double now = penalised_loss(q, 0);

    for (int i = 0; i < STEPS; i++) {
        UNA_TRY(una_check_cancelled(run, "learning the noise"));
        noise_slope(q);
        memcpy(q->step, q->slope, k * sizeof *q->step);
        una_chol_solve(q->factor, k, q->step, 1);
        for (size_t r = 0; r < s->rows; r++) q->along[r] = una_dot(s->phi + r * k, q->step, k - 1);

        double t = 1, next = penalised_loss(q, t);
        for (int h = 0; h < HALVINGS && !(next < now); h++) next = penalised_loss(q, t *= 0.5);
        if (!(next < now)) return UNA_OK;
        for (size_t j = 0; j < k; j++) q->b[j] += t * q->step[j];
        for (size_t r = 0; r < s->rows; r++) q->log_g[r] += t * q->along[r];
        if (now - next < 1e-3) return UNA_OK;
        now = next;
    }
    return UNA_OK;
}

/* ---- penalties --------------------------------------------------------------------------------------------------- */

static void set_penalty(una_noise_scoring *q, double penalty)
{
    for (size_t j = 0; j < q->s->columns; j++) q->penalty[j] = penalty;
    q->penalty[q->s->columns - 1] = INTERCEPT_PENALTY;
}

/* The penalty by the strength of each bundle in the fit under an even one: the mean square of what it adds to log g, by
 * the information. Strong bundles are spared, weak ones vanish (as in adaptive ridge, a step towards subset
 * selection). */
static void set_uneven_penalty(una_noise_scoring *q, double penalty)
{
    const una_noise_data *s = q->s;
    size_t k = s->columns, used = k - 1, bundles = s->bundle[used - 1] + 1;
    double *strength = q->step, mean = 0;
    memset(strength, 0, k * sizeof *strength);
    for (size_t i = 0; i < used; i++)
        for (size_t j = 0; j < used; j++)
            if (s->bundle[i] == s->bundle[j]) strength[s->bundle[i]] += q->b[i] * s->gram[i * k + j] * q->b[j];
    for (size_t g = 0; g < bundles; g++) mean += strength[g] / (double)bundles;
    for (size_t j = 0; j < used && mean > 0; j++)
        q->penalty[j] = penalty / (strength[s->bundle[j]] / mean + LEAST_STRENGTH);
}

void una_noise_begin(una_noise_scoring *q, size_t out)
{
    const una_noise_data *s = q->s;
    size_t rows = 0;
    q->out = out;
    for (size_t r = 0; r < s->rows; r++) rows += !left_out(q, r);
    q->rows_share = (double)rows / (double)s->rows;
    memset(q->b, 0, s->columns * sizeof *q->b);
    q->b[s->columns - 1] = s->constant;
}

una_status una_noise_choose_pairs(una_noise_scoring *q, una_run *run)
{
    una_noise_data *s = q->s;
    if (s->pairs == 0) return UNA_OK;
    set_penalty(q, SCREENED_UNDER);
    for (size_t j = s->terms; j < s->terms + s->pairs; j++) q->penalty[j] = 1e12;    /* those of before */
    UNA_TRY(score_on(q, run));
    pull_of_rows(q);
    UNA_TRY(una_noise_screen(s, q->pull, run));
    una_noise_begin(q, q->out);
    return UNA_OK;
}

una_status una_noise_spare_the_strong(una_noise_scoring *q, size_t way, una_run *run)
{
    set_uneven_penalty(q, PENALTY[way % UNA_NOISE_PENALTIES]);
    return score_on(q, run);
}

una_status una_noise_fit_way(una_noise_scoring *q, size_t way, una_run *run)
{
    set_penalty(q, PENALTY[way % UNA_NOISE_PENALTIES]);
    UNA_TRY(score_on(q, run));
    return way < UNA_NOISE_PENALTIES ? UNA_OK : una_noise_spare_the_strong(q, way, run);
}
