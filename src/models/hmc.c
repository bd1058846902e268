/* SPDX-License-Identifier: MIT
 *
 * Bayesian neural network by Hamiltonian Monte Carlo: weights drawn from their posterior
 *   p(w | x, y) ~ N(y; f(x, w), s2) N(w; 0, alpha/n),  n the units that the weight's layer sees (biases: 1),
 * by several chains, each from its own random start and the maximum nearby. A prediction is the equal-weight mixture of
 * N(f(x, w_k), s2_k) over the draws that were kept. tanh is the default activation, since leapfrog steps need a smooth
 * potential. By default the head's weights are integrated out while the hidden ones move, and drawn afterwards
 * (train/bnn.c). Chains are compared by their functions, not by their weights, because units can change places.
 * Source: Neal, Bayesian learning for neural networks, 1996.
 */
#include "train/bnn.h"

#include "train/basis.h"
#include "committee/committee.h"
#include "train/plain.h"
#include "infer/diagnostics.h"
#include "la/mixture.h"

enum { MOST_KEPT = 1000, MOST_PICTURED = 50, PROBES = 40, WATCHED_WEIGHTS = 100, MOST_CHAINS = 64 };

typedef struct hmc_options {
    una_common_options common;           /* first; the noise is sampled: it has no shape                    */
    double width, depth, chains, warmup, samples, thin, step_size, leapfrog, jitter, accept,
           max_depth, start_steps;
    int    activation, head, sample_noise, noise_prior, trajectory, mass, scaling, prior_scale;
} hmc_options;
enum { NOISE_AUTO, NOISE_SAMPLED, NOISE_FIXED };         /* sample_noise */
enum { SCALE_FAN_IN, SCALE_NONE };                       /* prior_scale */

#define ROW(field, kind, initial, low, high, may, choices, help) \
    { #field, kind, offsetof(hmc_options, field), initial, low, high, may, choices, help }

static const una_option hmc_table[] = {
    ROW(width, UNA_COUNT, "50", 1, 1024, false, NULL, "units of each hidden layer"),
    ROW(depth, UNA_COUNT, "1", 1, UNA_MAX_LAYERS, false, NULL, "hidden layers"),
    ROW(activation, UNA_WORD, "tanh", 0, 0, false, UNA_ACTIVATIONS,
        "activation of the hidden layers; smooth ones sample better"),
    UNA_COMMON_ROW(prior_var, UNA_REAL, "auto", 1e-9, 1e9, true, NULL,
        "alpha: prior variance of biases, and of weights as prior_scale says; auto = 4, or 1 with prior_scale=none"),
    ROW(prior_scale, UNA_WORD, "fan_in", 0, 0, false, "fan_in|none",
        "prior variance of a weight: prior_var over the units that its layer sees, so that the prior of the function "
        "does not grow with inputs and width; or prior_var"),
    UNA_ROW_NOISE(
        "noise std, in the target's units; where the noise is sampled the centre of its prior (auto = 0.3 of the "
        "target's std), else auto = held-out error of a plain network"),
    ROW(sample_noise, UNA_WORD, "auto", 0, 0, false, "auto|yes|no",
        "draw the noise too, together with the weights; auto = yes unless noise_std is given"),
    ROW(noise_prior, UNA_WORD, "lognormal", 0, 0, false, UNA_NOISE_PRIORS,
        "of a sampled noise: log std N(log noise_std, 1), or variance inverse gamma of shape 2 and mean noise_std^2"),
    ROW(head, UNA_WORD, "integrated", 0, 0, false, UNA_HMC_HEADS,
        "weights of the output: integrated out while the hidden ones move and then drawn exactly, "
        "or sampled with them"),
    ROW(chains, UNA_COUNT, "2", 1, MOST_CHAINS, false, NULL, "independent chains, in parallel"),
    ROW(warmup, UNA_COUNT, "300", 0, 1e7, false, NULL,
        "iterations of each chain that adapt step and mass and are thrown away"),
    ROW(samples, UNA_COUNT, "250", 1, 1e7, false, NULL, "iterations of each chain after that"),
    ROW(thin, UNA_COUNT, "1", 1, 1e6, false, NULL, "every thin-th is a draw; at most 1000 draws in all are kept"),
    ROW(trajectory, UNA_WORD, "nuts", 0, 0, false, UNA_TRAJECTORIES, "nuts = until it turns back; static = of fixed "
                                                                     "length"),
    ROW(step_size, UNA_REAL, "auto", 1e-12, 1e3, true, NULL,
        "of a leapfrog step; auto = adapted by each chain in warm-up"),
    ROW(leapfrog, UNA_COUNT, "100", 1, 1e6, false, NULL, "steps of a static trajectory"),
    ROW(jitter, UNA_REAL, "0.2", 0, 0.95, false, NULL, "a static trajectory has leapfrog (1 +- jitter) steps"),
    ROW(accept, UNA_REAL, "0.8", 0.05, 0.999, false, NULL, "acceptance that step_size=auto aims at"),
    ROW(mass, UNA_WORD, "diagonal", 0, 0, false, UNA_MASSES,
        "unit, or adapted in warm-up: one number, or one per weight"),
    ROW(max_depth, UNA_COUNT, "9", 1, UNA_MOST_DEPTH, false, NULL, "a nuts trajectory has at most 2^max_depth steps"),
    ROW(start_steps, UNA_COUNT, "1000", 0, 1e7, false, NULL, "optimiser steps towards a maximum before a chain starts"),
    ROW(scaling, UNA_WORD, "standardised", 0, 0, false, "standardised|own",
        "what the network sees, and the prior is about: standardised columns, or the data's own numbers"),
    UNA_ROW_RELEVANCE("off"),
    { .name = NULL }
};

typedef struct hmc {
    una_net net;
    size_t  kept, weights;
    double *draws, *noise_var;           /* [kept, weights], [kept], in the network's units                 */
    double  prior_var;
    bool    fan_in;                      /* see una_bnn                                                     */
    double *x_centre, *x_scale;          /* [inputs] network's input = centre + scale times standardised    */
    double *y_scale;                     /* [2] centre and scale of the target, likewise                    */
} hmc;

/* ---- units ------------------------------------------------------------------------------------------------- */

static una_status set_scaling(hmc *m, const hmc_options *o, const una_columns *c, una_arena *keep)
{
    UNA_NEW_AT(keep, m->x_centre, c->input_count);
    UNA_NEW_AT(keep, m->x_scale, c->input_count);
    UNA_NEW_AT(keep, m->y_scale, 2);
    for (size_t d = 0; d < c->input_count; d++) {
        m->x_centre[d] = o->scaling ? c->inputs[d].centre : 0;
        m->x_scale[d] = o->scaling ? c->inputs[d].scale : 1;
    }
    m->y_scale[0] = o->scaling ? c->target_centre : 0;
    m->y_scale[1] = o->scaling ? c->target_scale : 1;
    return UNA_OK;
}

static void to_network(const hmc *m, una_view x, double *to)
{
    for (size_t r = 0; r < x.rows; r++)
        for (size_t d = 0; d < x.cols; d++)
            to[r * x.cols + d] = m->x_centre[d] + m->x_scale[d] * x.at[r * x.stride + d];
}

static void hmc_shape(hmc *m, const hmc_options *o, size_t inputs)
{
    size_t width = (size_t)o->width;
    una_body_spec outline = { .inputs = inputs, .width = width, .depth = (size_t)o->depth, .features = width,
                              .heads = 1, .activation = (una_activation)o->activation };
    una_body_mlp_f64.shape(&m->net, &outline);
    m->weights = una_matrices_packed(una_net_matrix, &m->net);
}

/* ---- functions of draws --------------------------------------------------------------------------------------- */

typedef struct rows_pass {                  /* rows through one network after another                          */
    una_bnn bnn;                         /* its layout and buffers                                          */
    double *x;                           /* [rows, inputs] in the network's units                           */
    size_t  rows;
} rows_pass;

static una_status begin_pass(rows_pass *p, const hmc *m, una_view x, una_run *run)
{
    UNA_TRY(una_kernels_need(run));
    *p = (rows_pass){ .bnn = { .net = m->net, .rows = 1 }, .rows = x.rows };
    UNA_TRY(una_bnn_take(&p->bnn, una_kernels_named_f64(run->settings.kernels), &run->scratch));
    UNA_NEW_AT(&run->scratch, p->x, x.rows * x.cols);
    to_network(m, x, p->x);
    return UNA_OK;
}

/* f [rows] = the function with weights q, standardised. */
static void hmc_evaluate(rows_pass *p, const hmc *m, const double *q, double *f)
{
    una_bnn_unpack(&p->bnn, q, p->bnn.padded);
    una_net_forward_f64(p->bnn.work, p->bnn.padded, p->x, p->rows, (una_outputs){ .f = f });
    for (size_t r = 0; r < p->rows; r++) f[r] = (f[r] - m->y_scale[0]) / m->y_scale[1];
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

typedef struct chain_job {
    una_arena arena;                     /* its draws; re-homed to the caller's run at the end              */
    una_chain chain;
} chain_job;

typedef struct chains {
    const una_bnn *bnn;                  /* without buffers                                                 */
    const una_hmc *how;
    bool integrated;
    size_t start_steps;
    uint64_t seed;
    size_t count;
    chain_job *job;                      /* [count]                                                         */
    size_t dimension;                    /* of a draw: weights, and the noise if it is sampled              */
} chains;

/* Draw number k of all, chain after chain. */
static const double *draw_of(const chains *all, size_t k)
{
    size_t each = all->job[0].chain.count;
    return all->job[k / each].chain.draws + k % each * all->dimension;
}

/* A chain of hidden weights in scratch, then a head for each of its draws. */
static una_status integrated_chain(chain_job *j, const chains *all, una_bnn *bnn, const double *q, una_rng *rng,
                                   una_run *run)
{
    UNA_TRY(una_bnn_marginal_take(bnn, &run->scratch));
    una_target target = { una_bnn_marginal_dimension(bnn), bnn, una_bnn_marginal };
    UNA_NEW(&run->scratch, double, start, target.dimension);

    size_t whole = una_bnn_dimension(bnn), hidden = bnn->weights - bnn->terms;
    memcpy(start, q, hidden * sizeof(double));
    if (bnn->sample_noise) start[hidden] = q[bnn->weights];
    UNA_TRY(una_hmc_sample(&j->chain, &target, all->how, start, rng, &run->scratch, run));

    const double *moved = j->chain.draws;
    j->chain.potential = j->chain.inverse_mass = NULL;
    UNA_NEW_AT(&j->arena, j->chain.draws, j->chain.count * whole);
    for (size_t k = 0; k < j->chain.count; k++) {
        UNA_TRY(una_check_cancelled(run, all->how->stage));
        una_bnn_complete(bnn, moved + k * target.dimension, rng, j->chain.draws + k * whole);
    }
    return UNA_OK;
}

static una_status run_chain(void *context, size_t index, una_run *run)
{
    const chains *all = context;
    chain_job *j = &all->job[index];
    una_bnn bnn = *all->bnn;
    UNA_TRY(una_bnn_take(&bnn, una_kernels_named_f64(run->settings.kernels), &run->scratch));
    UNA_NEW(&run->scratch, double, q, una_bnn_dimension(&bnn));

    UNA_STAGE(run, 0, 0.05, una_bnn_start(&bnn, all->start_steps, all->seed, index, q, run));
    una_progress_part(run, 0.05, 1);                     /* the task ends with the chain */
    una_rng rng = una_rng_at(all->seed, UNA_FOR_DRAWS, (uint64_t)1 << 32 | index);
    if (all->integrated) return integrated_chain(j, all, &bnn, q, &rng, run);
    una_target target = { una_bnn_dimension(&bnn), &bnn, una_bnn_potential };
    return una_hmc_sample(&j->chain, &target, all->how, q, &rng, &j->arena, run);
}

/* ---- do the chains agree? ---------------------------------------------------------------------------------------- */

typedef struct mixing { double rhat, bulk, tail; } mixing;       /* the worst of each over some quantities */

/* value [chains, draws] of one of them; one that never changes says nothing. */
static una_status take_worse(mixing *v, const double *value, const chains *all, una_run *run)
{
    una_convergence c;
    UNA_TRY(una_check_cancelled(run, "comparing chains"));
    UNA_TRY(una_convergence_of(&c, value, all->count, all->job[0].chain.count, run));
    v->rhat = fmax(v->rhat, c.rhat);
    v->bulk = fmin(v->bulk, c.ess_bulk);
    v->tail = fmin(v->tail, c.ess_tail);
    return UNA_OK;
}

/* Training rows, and points between two of them, where gaps are. A category is taken from one row. */
static una_status probe_points(una_view *probes, const una_problem *p, una_run *run)
{
    size_t inputs = p->x.cols;
    UNA_NEW(&run->scratch, double, x, PROBES * inputs);

    una_rng rng = una_rng_at(p->seed, UNA_FOR_PROBES, (uint64_t)1 << 62);
    for (size_t i = 0; i < PROBES; i++) {
        const double *a = p->x.at + una_rng_below(&rng, p->x.rows) * p->x.stride;
        const double *b = p->x.at + una_rng_below(&rng, p->x.rows) * p->x.stride;
        double s = i % 2 ? una_rng_uniform(&rng) : 0;
        for (size_t d = 0; d < inputs; d++)
            x[i * inputs + d] = p->columns->inputs[d].level == SIZE_MAX ? (1 - s) * a[d] + s * b[d] : a[d];
    }

    *probes = (una_view){ x, PROBES, inputs, inputs };
    return UNA_OK;
}

static una_status check_functions_mixing(mixing *v, const hmc *m, const chains *all, const una_problem *p, una_run *run)
{
    una_view probes;
    rows_pass pass;
    size_t each = all->job[0].chain.count, draws = all->count * each;
    UNA_TRY(probe_points(&probes, p, run));
    UNA_TRY(begin_pass(&pass, m, probes, run));
    UNA_NEW(&run->scratch, double, values, PROBES * draws);
    UNA_NEW(&run->scratch, double, f, PROBES);

    for (size_t k = 0; k < draws; k++) {
        UNA_TRY(una_check_cancelled(run, "comparing chains"));
        hmc_evaluate(&pass, m, draw_of(all, k), f);
        for (size_t i = 0; i < PROBES; i++) values[i * draws + k] = f[i];
    }
    for (size_t i = 0; i < PROBES; i++) UNA_TRY(take_worse(v, values + i * draws, all, run));
    return UNA_OK;
}

/* At most a hundred weights, evenly spaced, and the noise if it is sampled. */
static una_status check_weights_mixing(mixing *v, const chains *all, una_run *run)
{
    size_t draws = all->count * all->job[0].chain.count, step = 1 + all->dimension / WATCHED_WEIGHTS;
    UNA_NEW(&run->scratch, double, values, draws);
    for (size_t back = 0; back < all->dimension; back += step) {
        for (size_t k = 0; k < draws; k++) values[k] = draw_of(all, k)[all->dimension - 1 - back];
        UNA_TRY(take_worse(v, values, all, run));
    }
    return UNA_OK;
}

static void report_chains(const mixing *f, const mixing *w, const chains *all, una_fit_result *result)
{
    const una_hmc *how = all->how;
    size_t count = all->count, divergent = 0, deepest = 0, tried = count * how->samples, draws = count * all->job[0].chain.count;
    double step = 0, acceptance = 0, gradients = 0;
    for (size_t c = 0; c < count; c++) {
        const una_chain *one = &all->job[c].chain;
        divergent += one->divergent;
        deepest += one->deepest;
        step += one->step_size / (double)count;
        acceptance += one->acceptance / (double)count;
        gradients += (double)one->sample_gradients / (double)tried;
        result->steps += one->gradients;
    }

    una_notes_add(&result->notes, "%zu chain%s: R-hat %.3f, effective sample size %.0f (tails %.0f) of %zu draws, at "
                  "the worst of %d probe points; acceptance %.2f, step size %.3g, %.0f gradients a sample.", count,
                  count == 1 ? " (compared with itself)" : "s", f->rhat, f->bulk, f->tail, draws, PROBES, acceptance,
                  step, gradients);
    una_notes_add(&result->notes, "The weights themselves: R-hat up to %.2f. Units of a network can change places, so "
                  "this need not be near 1.", w->rhat);

    if (f->rhat > 1.05)
        una_notes_add(&result->warnings, "The chains disagree about the function: R-hat is %.2f at the worst probe "
                      "point and should be below 1.05. Use more warmup and samples.", f->rhat);
    if (fmin(f->bulk, f->tail) < 50 * (double)count)
        una_notes_add(&result->warnings, "The draws are worth only %.0f independent ones at the worst probe point "
                      "(fewer than 50 a chain): means and bands are rough. Use more samples.", fmin(f->bulk, f->tail));
    if (divergent)
        una_notes_add(&result->warnings, "%zu of %zu trajectories diverged: a part of the posterior may be missing. "
                      "Raise accept (now %.3g) or lower step_size.", divergent, tried, how->accept);

    /* Short trajectories may simply be the cheaper ones. */
    bool poor = f->rhat > 1.05 || fmin(f->bulk, f->tail) < 50 * (double)count;
    if (10 * deepest > tried)
        una_notes_add(poor ? &result->warnings : &result->notes,
                      "%zu of %zu trajectories were cut off at max_depth=%zu%s", deepest, tried, how->max_depth,
                      poor ? ": they cover little ground. Raise max_depth." : ".");
}

static una_status check_convergence(const hmc *m, const chains *all, const una_problem *p, una_fit_result *result,
                                    una_run *run)
{
    mixing f = { NAN, NAN, NAN }, w = f;
    UNA_TRY(check_functions_mixing(&f, m, all, p, run));
    UNA_TRY(check_weights_mixing(&w, all, run));
    report_chains(&f, &w, all, result);
    return UNA_OK;
}

/* ---- fit --------------------------------------------------------------------------------------------------------- */

static una_status hmc_check_options(const hmc_options *o, una_run *run)
{
    if (o->thin > o->samples)
        UNA_FAIL(run, UNA_E_USAGE, "hmc: thin=%g leaves no draw of samples=%g; use a smaller thin or more samples",
                 o->thin, o->samples);
    if (UNA_IS_AUTO(o->step_size) && o->warmup < 10)
        UNA_FAIL(run, UNA_E_USAGE, "hmc: warmup=%g is too short to adapt the step size; use at least 10, or give "
                 "step_size", o->warmup);
    if (o->mass != UNA_MASS_UNIT && o->warmup < 20)
        UNA_FAIL(run, UNA_E_USAGE, "hmc: warmup=%g is too short to adapt the mass; use at least 20, or mass=unit",
                 o->warmup);
    if (o->common.relevance == UNA_RELEVANCE_ON && o->scaling)
        UNA_FAIL(run, UNA_E_USAGE, "hmc: relevance=on scales standardised inputs, and scaling=own wants the data's own "
                 "numbers; give up one of them");
    return UNA_OK;
}

/* All rows of the posterior in the network's units: those that train, then held-out ones that join. */
static una_status hmc_rows(una_bnn *bnn, const hmc *m, const una_problem *p, una_run *run)
{
    size_t more = p->valid_joins ? p->valid_x.rows : 0, inputs = p->x.cols;
    bnn->rows = p->x.rows + more;
    UNA_NEW_ROWS(&run->scratch, double, x, bnn->rows * inputs);
    UNA_NEW(&run->scratch, double, y, bnn->rows);
    to_network(m, p->x, x);
    if (more) to_network(m, p->valid_x, x + p->x.rows * inputs);
    for (size_t i = 0; i < bnn->rows; i++)
        y[i] = m->y_scale[0] + m->y_scale[1] * (i < p->x.rows ? p->y[i] : p->valid_y[i - p->x.rows]);
    bnn->x = x;
    bnn->y = y;
    return UNA_OK;
}

/* The noise measured on validation rows by a plain network: a chain per fold would be exact and cost five times the
 * sampling. Unchanged if there are no validation rows. */
static una_status held_out_noise(double *std, const hmc *m, const una_problem *p, una_fit_result *result, una_run *run)
{
    size_t rows = p->x.rows, batch = rows < 500 ? rows : 128, passes = 12 * (rows / batch);
    size_t steps = passes < 2000 ? 2000 : passes;
    if (steps > 20000) steps = 20000;
    una_basis_options plain = { .common.steps = (double)steps,
                                .batch = (double)batch, .rate = 0.01, .rate_schedule = 1, .penalty = 0.5,
                                .initialisation = 1 };
    const double assumed = 0.01;         /* noise variance: small, since the best validation stops the network before
                                            it fits the noise */
    una_network_f32 net = { &una_body_mlp_f32, &m->net, NULL };
    una_training_job job = una_basis_job(&plain, net, &(una_training_settings){0}, assumed);
    job.how.descent.stage = "measuring the noise";
    job.how.descent.validate_every = job.how.descent.steps / 40;
    job.validate = UNA_VALIDATE_ERROR;
    job.init_stream = (uint64_t)1 << 33;

    una_fit_result measured = {0};
    una_target_choice chosen = { UNA_AUTO, 1, &measured };
    una_crossfit fit = { .job_size = sizeof(una_plain_training), .job = &job, .finish = una_plain_finish,
                         .evaluate = una_plain_evaluate, .stream = 1 << 17, .targets = 1, .chosen = &chosen };
    UNA_TRY(una_crossfit_choose(&fit, p, run));
    if (measured.valid_rows == 0) return UNA_OK;

    *std = fmax(measured.valid_rmse, 1e-3);              /* exact data: the sampler needs some noise */
    una_notes_add(&result->notes, "The noise is the error of a plain network on %zu rows that did not train it; "
                  "sample_noise=yes lets the posterior judge.", measured.valid_rows);
    return UNA_OK;
}

/* Fills in sample_noise and noise_std. The printed values are the ones used, so that the printed spec repeats the fit
 * to the bit. */
static una_status fill_noise_in(hmc_options *o, const hmc *m, const una_problem *p, una_fit_result *result,
                                una_run *run)
{
    double std = sqrt(UNA_PLAIN_NOISE_VAR);
    if (o->sample_noise == NOISE_AUTO) o->sample_noise = UNA_IS_AUTO(o->common.noise_std) ? NOISE_SAMPLED : NOISE_FIXED;
    if (!UNA_IS_AUTO(o->common.noise_std)) return UNA_OK;
    if (o->sample_noise == NOISE_FIXED) UNA_TRY(held_out_noise(&std, m, p, result, run));
    o->common.noise_std = std * p->columns->target_scale;
    return UNA_OK;
}

static una_status keep_draws(hmc *m, const chains *all, una_fit_result *result, una_arena *keep)
{
    size_t room = all->count * all->job[0].chain.count;
    double unit = m->y_scale[1] * m->y_scale[1], sum = 0;
    m->kept = room < MOST_KEPT ? room : MOST_KEPT;
    UNA_NEW_AT(keep, m->draws, m->kept * m->weights);
    UNA_NEW_AT(keep, m->noise_var, m->kept);

    for (size_t k = 0; k < m->kept; k++) {               /* the last of every room/kept draws, chain after chain */
        const double *q = draw_of(all, (k + 1) * room / m->kept - 1);
        memcpy(m->draws + k * m->weights, q, m->weights * sizeof(double));
        m->noise_var[k] = all->bnn->sample_noise ? exp(2 * q[m->weights]) : all->bnn->noise_var;
        sum += m->noise_var[k] / unit;
    }

    result->noise_var = sum / (double)m->kept;
    return UNA_OK;
}

/* Running mean and sum of squares (Welford), draw by draw. */
static una_status hmc_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const hmc *m = state;
    rows_pass pass;
    double noise = 0, unit = m->y_scale[1] * m->y_scale[1];
    UNA_TRY(begin_pass(&pass, m, x, run));
    UNA_NEW(&run->scratch, double, f, x.rows);

    for (size_t k = 0; k < m->kept; k++) noise += m->noise_var[k] / unit / (double)m->kept;
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r] = out->var_model[r] = 0;
        out->var_noise[r] = noise;
    }

    for (size_t k = 0; k < m->kept; k++) {
        UNA_TRY(una_check_cancelled(run, "predicting"));
        hmc_evaluate(&pass, m, m->draws + k * m->weights, f);
        for (size_t r = 0; r < x.rows; r++) {
            double off = f[r] - out->mean[r];
            out->mean[r] += off / (double)(k + 1);
            out->var_model[r] += off * (f[r] - out->mean[r]) / (double)m->kept;
            if (out->part_mean) out->part_mean[r * m->kept + k] = f[r];
            if (out->part_var) out->part_var[r * m->kept + k] = m->noise_var[k] / unit;
        }
    }
    return UNA_OK;
}

/* Held-out rows that did not join the posterior: mean log density of the mixture, and rmse of its mean. */
static una_status hmc_score_valid(const hmc *m, const una_problem *p, una_fit_result *result, una_run *run)
{
    size_t rows = p->valid_x.rows;
    if (rows == 0 || p->valid_joins) return UNA_OK;

    double square = 0, log_lik = 0;
    una_predictive out = { .parts = m->kept };
    UNA_TRY(una_predictive_new(&out, 1, &run->scratch));
    for (size_t r = 0; r < rows; r++) {
        const una_view x = { p->valid_x.at + r * p->valid_x.stride, 1, p->valid_x.cols, p->valid_x.stride };
        UNA_SCOPED(run, hmc_predict(m, x, &out, run));
        square += pow(p->valid_y[r] - out.mean[0], 2);
        log_lik += una_mixture_log_pdf(p->valid_y[r], out.part_mean, out.part_var, NULL, out.parts);
    }
    result->valid_rows = rows;
    result->valid_rmse = sqrt(square / (double)rows);
    result->valid_log_lik = log_lik / (double)rows;
    return UNA_OK;
}

static una_status hmc_run_chains(const una_fitting *f, const una_bnn *bnn)
{
    const hmc_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    hmc *m = f->target->state;
    una_hmc how = { .trajectory = o->trajectory, .mass = o->mass, .warmup = (size_t)o->warmup,
                    .samples = (size_t)o->samples, .thin = (size_t)o->thin, .step_size = o->step_size,
                    .accept = o->accept, .leapfrog = (size_t)o->leapfrog, .jitter = o->jitter,
                    .max_depth = (size_t)o->max_depth, .stage = "sampling hmc" };
    chains all = { .bnn = bnn, .how = &how, .integrated = o->head == UNA_HEAD_INTEGRATED,
                   .start_steps = (size_t)o->start_steps, .seed = f->problem->seed, .count = (size_t)o->chains,
                   .dimension = m->weights + bnn->sample_noise };
    UNA_NEW_AT(&f->run->scratch, all.job, all.count);

    una_status status = una_jobs_run(f->run, all.job, sizeof *all.job, all.count, run_chain, &all);
    if (status == UNA_OK) UNA_SCOPED_CALL(status, f->run, check_convergence(m, &all, f->problem, result, f->run));
    if (status == UNA_OK) status = keep_draws(m, &all, result, f->keep);
    una_jobs_free(all.job, sizeof *all.job, all.count);
    return status;
}

static una_status hmc_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    hmc *m = f->target->state;
    hmc_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    una_run *run = f->run;
    UNA_TRY(hmc_check_options(o, run));
    UNA_TRY(una_kernels_need(run));
    if (UNA_IS_AUTO(o->common.prior_var)) o->common.prior_var = o->prior_scale == SCALE_FAN_IN ? 4 : 1;
    hmc_shape(m, o, p->x.cols);
    m->prior_var = result->prior_var = o->common.prior_var;
    m->fan_in = o->prior_scale == SCALE_FAN_IN;
    UNA_TRY(set_scaling(m, o, p->columns, f->keep));
    UNA_STAGE(run, 0, 0.1, fill_noise_in(o, m, p, result, run));

    una_bnn bnn = { .net = m->net, .prior_var = o->common.prior_var, .fan_in = m->fan_in,
                    .sample_noise = o->sample_noise == NOISE_SAMPLED,
                    .noise_prior = o->noise_prior,
                    .noise_var = pow(o->common.noise_std / p->columns->target_scale * m->y_scale[1], 2) };
    UNA_TRY(hmc_rows(&bnn, m, p, run));
    UNA_STAGE(run, 0.1, 1, hmc_run_chains(f, &bnn));
    return hmc_score_valid(m, p, result, run);
}

/* ---- the rest of the model interface ----------------------------------------------------------------------------- */

static size_t hmc_mixture(const void *state)
{
    return ((const hmc *)state)->kept;
}

/* Posterior: the kept draws in random order, again and again; prior: new weights. */
static una_status hmc_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const hmc *m = state;
    rows_pass pass;
    uint32_t *order;
    UNA_TRY(una_order_new(&order, m->kept, &run->scratch));
    UNA_NEW(&run->scratch, double, q, m->weights);
    UNA_NEW(&run->scratch, double, precision, m->weights);
    una_bnn_precision(&m->net, m->prior_var, m->fan_in, precision, NULL);
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, how->prior);
    UNA_TRY(begin_pass(&pass, m, x, run));

    for (size_t s = 0; s < how->draws; s++) {
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
        if (!how->prior && s % m->kept == 0) una_rng_permute(&rng, order, m->kept);
        for (size_t i = 0; how->prior && i < m->weights; i++) q[i] = una_rng_normal(&rng) / sqrt(precision[i]);
        hmc_evaluate(&pass, m, how->prior ? q : m->draws + order[s % m->kept] * m->weights, f + s * x.rows);
    }
    return UNA_OK;
}

static una_status hmc_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const hmc *m = state;
    rows_pass pass;
    *count = m->kept < MOST_PICTURED ? m->kept : MOST_PICTURED;
    if (!f) return UNA_OK;
    UNA_TRY(begin_pass(&pass, m, x, run));
    for (size_t s = 0; s < *count; s++)
        hmc_evaluate(&pass, m, m->draws + s * m->kept / *count * m->weights, f + s * x.rows);
    return UNA_OK;
}

/* One of the kept draws. */
static una_status hmc_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    const hmc *m = state;
    hmc *drawn = function;
    size_t which = una_rng_below(rng, m->kept);
    (void)keep, (void)run;
    *drawn = *m;
    drawn->kept = 1;
    drawn->draws = m->draws + which * m->weights;
    drawn->noise_var = m->noise_var + which;
    return UNA_OK;
}

static una_status exchange_net(hmc *m, una_archive *ar)
{
    una_net *net = &m->net;
    UNA_TRY(una_archive_size(ar, "depth", &net->depth, 1, UNA_MAX_LAYERS));
    UNA_TRY(una_activation_exchange(&net->activation, ar));
    UNA_TRY(una_archive_size(ar, "inputs", &net->size[0], ar->inputs, ar->inputs));
    for (size_t l = 1; l <= net->depth; l++) UNA_TRY(una_archive_size(ar, "size", &net->size[l], 1, 1024));

    net->size[net->depth + 1] = 1;
    una_net_shape(net);
    m->weights = una_matrices_packed(una_net_matrix, net);
    return UNA_OK;
}

static una_status hmc_exchange(void *state, una_archive *ar)
{
    hmc *m = state;
    UNA_TRY(exchange_net(m, ar));
    size_t inputs = m->net.size[0];
    UNA_TRY(una_archive_size(ar, "kept", &m->kept, 1, MOST_KEPT));

    UNA_TRY(una_archive_f64(ar, "prior_var", &m->prior_var));
    /* older files have none: every weight had prior_var */
    if (!ar->loading || una_archive_next_is(ar, "fan_in")) UNA_TRY(una_archive_flag(ar, "fan_in", &m->fan_in));
    UNA_TRY(una_archive_f64s(ar, "x_centre", &m->x_centre, inputs));
    UNA_TRY(una_archive_f64s(ar, "x_scale", &m->x_scale, inputs));
    UNA_TRY(una_archive_f64s(ar, "y_scale", &m->y_scale, 2));
    UNA_TRY(una_archive_f64s(ar, "noise_var", &m->noise_var, m->kept));
    UNA_TRY(una_archive_f64s(ar, "draws", &m->draws, m->kept * m->weights));

    if (!(m->prior_var > 0)) return una_archive_refuse(ar, "prior_var", "is not above zero");
    if (!(m->y_scale[1] > 0)) return una_archive_refuse(ar, "y_scale", "is not above zero");
    for (size_t k = 0; k < m->kept; k++)
        if (!(m->noise_var[k] > 0)) return una_archive_refuse(ar, "noise_var", "is not above zero");
    return UNA_OK;
}

const una_kind una_kind_hmc = {
    .name = "hmc",
    .summary = "Bayesian neural network, its weights sampled by Hamiltonian Monte Carlo",
    .source = "Neal 1996; Hoffman and Gelman 2014; Betancourt 2017",
    .options = hmc_table,
    .options_size = sizeof(hmc_options),
    .state_size = sizeof(hmc),
    .thesis = "width=50, depth=1, prior_var=25, prior_scale=none, noise_std=3, head=sampled, scaling=own, "
              "trajectory=static, step_size=0.005, leapfrog=60, jitter=0, mass=unit, chains=1, warmup=500, "
              "samples=4500, thin=2, relevance=off",
    .results = 3,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = hmc_fit,
    .predict = hmc_predict,
    .exchange = hmc_exchange,
    .mixture = hmc_mixture,
    .draw = hmc_draw,
    .sample = hmc_sample,
    .functions = hmc_functions,
};
