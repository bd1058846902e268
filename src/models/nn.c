/* SPDX-License-Identifier: MIT
 *
 * A plain network with one output: the member of ensembles, and the baseline of the other models.
 *   minimise sum (y - f)^2/(2 sigma^2) + gamma |theta|^2;   y ~ N(f(x), s2),  s2 from rows that did not train f.
 * One training is one function, so its epistemic variance is zero everywhere. As the member of an anchored ensemble it
 * minimises
 *   |y - f|^2/N + (sigma_eps^2/sigma_prior^2) |theta - theta_anchor|^2/N.
 * Source: Bishop, Pattern recognition and machine learning, 2006, chapter 5; Pearce et al. 2020 for the anchors.
 */
#include "train/basis.h"
#include "committee/committee.h"
#include "train/plain.h"

typedef struct nn_options { una_basis_options basis; } nn_options;

static const una_option nn_table[] = {
    UNA_ROWS_BODY(nn_options, basis),
    UNA_ROWS_SHAPE(nn_options, basis, "2", "hidden layer", "hidden layers"),
    UNA_ROW_ACTIVATION(nn_options, basis, "hidden layers"),
    UNA_ROW_INITIALISATION(nn_options, basis),
    UNA_ROW_OPTIMISER(nn_options, basis),
    UNA_ROWS_RATE(nn_options, basis, "auto", true, "learning rate; auto = 0.003, for images 0.001"),
    UNA_ROW_MOMENTUM(nn_options, basis),
    UNA_ROWS_BUDGET(nn_options, basis, "budget of optimiser steps", "auto"),
    UNA_ROW_PATIENCE(nn_options, basis),
    UNA_ROW_PENALTY(nn_options, basis, "0.1", "; anchored ensembles do not use it"),
    UNA_ROW_TRAIN_NOISE(nn_options, basis, UNA_TRAIN_NOISE_RATIO),
    UNA_ROW_NOISE("noise std of the target; auto = error on held-out rows"),
    UNA_ROW_UNITS(UNA_NOISE_UNITS),
    UNA_COMMITTEE_TABLE("1", "off"),
    { .name = NULL }
};

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

/* square: mean squared error of `scored` rows. */
typedef struct keeping { una_basis *state; double square; size_t scored; } keeping;

static una_status nn_keep(void *context, const void *const *training, size_t count, una_fit_result *result,
                          una_arena *keep, una_run *run)
{
    keeping *kept = context;
    const una_plain_training *t = training[0];
    (void)count, (void)run;
    kept->square = t->square / (double)t->scored;
    kept->scored = t->scored;
    return una_basis_keep(kept->state, &t->base, result, keep);
}

/* Of the state's head there is the noise alone. */
static una_status nn_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    const una_anchor *anchor = f->anchor;
    una_basis *m = f->target->state;
    una_basis_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    una_run *run = f->run;
    double unit = una_unit(o->common.units, p);
    o->features = o->width;
    una_basis_resolve_for(o, p, false, 0.003);
    UNA_TRY(una_network_make(&m->net, o, 1, false, f));

    double train_noise_var = UNA_IS_AUTO(o->train_noise_std) ? UNA_PLAIN_NOISE_VAR : pow(o->train_noise_std * unit, 2);
    una_training_job job = una_basis_job(o, m->net, &(una_training_settings){0}, train_noise_var);
    job.how.descent.stage = "training nn";
    job.validate = UNA_VALIDATE_ERROR;
    if (anchor && m->net.body != &una_body_mlp_f32)
        UNA_FAIL(run, UNA_E_USAGE, "nn: anchored ensembles are of perceptrons alone; use style=plain or bootstrap for "
                 "images");
    if (anchor) {
        job.goal = UNA_GOAL_ANCHOR;
        job.goal_options.anchor.noise_var = anchor->noise_var;
        job.goal_options.anchor.prior_var = anchor->prior_var;
        job.goal_options.anchor.init_var = anchor->init_var;
    }

    keeping kept = { .state = m };
    una_target_choice chosen = { una_noise_var(o->common.noise_std, unit), 1, result };
    una_crossfit fit = { .context = &kept, .job_size = sizeof(una_plain_training), .job = &job,
                         .finish = una_plain_finish, .evaluate = una_plain_evaluate, .keep = nn_keep, .restarts = 1,
                         .targets = 1, .chosen = &chosen, .most_noise_var = 4 };
    UNA_TRY(una_crossfit_run(&fit, p, f->keep, run));

    double noise_var = UNA_IS_AUTO(chosen.noise_var) ? fmax(kept.square, 1e-8) : chosen.noise_var;      /* no validation */
    m->head.noise_var = result->noise_var = noise_var;
    /* The closest thing to evidence that a single function has. */
    result->log_evidence = result->valid_rows ? (double)result->valid_rows * result->valid_log_lik
                         : una_plain_log_lik(kept.square * (double)kept.scored, kept.scored, noise_var);
    o->common.noise_std = sqrt(noise_var) / unit;
    o->train_noise_std = sqrt(train_noise_var) / unit;
    return UNA_OK;
}

/* ---- the rest of the model interface ---------------------------------------------------------------------- */

static una_status nn_function(const void *state, una_view x, double *f, una_run *run)
{
    const una_basis *m = state;
    una_feature_map map = una_map_of_heads(m->net, m->parameters);
    return una_map_phi(&map, x, f, run);
}

static una_status nn_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_basis *m = state;
    for (size_t r = 0; r < x.rows; r++) {
        out->var_model[r] = 0;
        out->var_noise[r] = m->head.noise_var;
    }
    return nn_function(state, x, out->mean, run);
}

static una_status nn_slope(const void *state, const double *x, una_slope *at, una_run *run)
{
    const una_basis *m = state;
    una_feature_map map = una_map_of(m->net, m->parameters, false);
    size_t inputs = map.inputs, features = map.features, wide = UNA_PADDED(1);
    const float *w = m->parameters + m->net.body->size(m->net.shape).head, *bias = w + features * wide;
    UNA_NEW(&run->scratch, double, j, inputs * features);
    UNA_NEW(&run->scratch, double, phi, features);
    UNA_TRY(una_map_slopes(&map, x, phi, j, run));

    at->mean = (double)*bias;
    at->var = 0;
    for (size_t k = 0; k < features; k++) at->mean += phi[k] * (double)w[k * wide];
    for (size_t d = 0; d < inputs; d++) {
        at->dmean[d] = at->dvar[d] = 0;
        for (size_t k = 0; k < features; k++) at->dmean[d] += j[d * features + k] * (double)w[k * wide];
    }
    return UNA_OK;
}

/* A single function has no epistemic variance. */
static una_status nn_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    (void)rng, (void)keep, (void)run;
    *(una_basis *)function = *(const una_basis *)state;
    return UNA_OK;
}

static una_status nn_exchange(void *state, una_archive *ar)
{
    una_basis *m = state;
    UNA_TRY(una_network_exchange(&m->net, true, false, ar));
    UNA_TRY(una_network_exchange_parameters(&m->net, &m->parameters, ar));
    UNA_TRY(una_archive_f64(ar, "noise_var", &m->head.noise_var));
    return m->head.noise_var > 0 ? UNA_OK : una_archive_refuse(ar, "noise_var", "is not positive");
}

const una_kind una_kind_nn = {
    .name = "nn",
    .summary = "a plain network; a single one has no ignorance",
    .source = "Bishop, Pattern recognition and machine learning, 2006, chapter 5",
    .options = nn_table,
    .options_size = sizeof(nn_options),
    .state_size = sizeof(una_basis),
    .thesis = "width=50, depth=2, activation=relu, rate=0.001, rate_schedule=constant, epochs=20000, batch=32, "
              "penalty=0.1, train_noise_std=1, units=standardised, members=1, relevance=off, noise=constant",
    .results = 6,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = nn_fit,
    .fit_to = { .images = nn_fit, .anchor = nn_fit },
    .function = nn_function,
    .predict = nn_predict,
    .exchange = nn_exchange,
    .slope = nn_slope,
    .sample = nn_sample,
};
