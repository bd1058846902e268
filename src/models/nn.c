/* SPDX-License-Identifier: MIT
 *
 * A plain network with one output and constant noise: the member of ensembles, and what the others are measured
 * against.
 *   minimise sum (y - f)^2/(2 sigma^2) + gamma |theta|^2;   y ~ N(f(x), s2),  s2 from rows that did not train f.
 * It knows one function only, so its ignorance is zero everywhere. As the member of an anchored ensemble it minimises
 *   |y - f|^2/N + (sigma_eps^2/sigma_prior^2) |theta - theta_anchor|^2/N.
 * Source: Bishop, Pattern recognition and machine learning, 2006, chapter 5; Pearce et al. 2020 for the anchors.
 */
#include "models/nn.h"

#include "fit/crossfit.h"
#include "nn/anchor.h"

#include <string.h>

static const una_option nn_table[] = {
    UNA_ROWS_SHAPE(una_nn_options, basis, "2", "hidden layer", "hidden layers"),
    UNA_ROW_ACTIVATION(una_nn_options, basis, "hidden layers"),
    UNA_ROW_INITIALISATION(una_nn_options, basis),
    UNA_ROW_OPTIMISER(una_nn_options, basis),
    UNA_ROWS_RATE(una_nn_options, basis, "0.003", "learning rate"),
    UNA_ROW_MOMENTUM(una_nn_options, basis),
    UNA_ROWS_BUDGET(una_nn_options, basis, "budget of optimiser steps", "auto"),
    UNA_ROW_PATIENCE(una_nn_options, basis),
    UNA_ROW_PENALTY(una_nn_options, basis, "0.1", "; anchored ensembles do not use it"),
    UNA_ROW_TRAIN_NOISE(una_nn_options, basis, UNA_TRAIN_NOISE_RATIO),
    UNA_ROW_NOISE(una_nn_options, basis, "error on held-out rows"),
    UNA_ROW_UNITS(una_nn_options, basis, UNA_NOISE_UNITS),
    { .name = NULL }
};

typedef struct nn_state {
    una_net net;
    float  *parameters;
    double  noise_var;
} nn_state;

/* ---- one training ----------------------------------------------------------------------------------------- */

typedef struct nn_trial {
    una_trial base;
    float    *parameters;
    double    square;                    /* sum of squared errors of `judged` rows: those held out, if any  */
    size_t    judged;
} nn_trial;

typedef struct nn_lesson {               /* context of the trainings                                        */
    nn_state *state;                     /* its net; what is kept goes there                                */
    const una_basis_options *options;
    const una_nn_anchor *anchor;
    double train_noise_var;
    double square;                       /* mean square error of the training that was kept, by `judged` rows */
    size_t judged;
} nn_lesson;

typedef struct lesson_round { const nn_lesson *lesson; const una_round *round; nn_trial *trial; } lesson_round;

typedef struct watch {                   /* of looks and anchored steps                                         */
    una_network_f32 net;
    const una_held *held;
    void  *work;
    double *f;                           /* [held or rows]                                                  */
    /* anchored training only: */
    una_batches batches;
    size_t parameters;
    float *anchor;
    double weight;
} watch;

static una_status look(void *context, const float *parameters, double *score, una_run *run)
{
    const watch *w = context;
    (void)run;
    double square = una_network_square_f32(&w->net, parameters, w->held->held_x, w->held->held_y, w->held->held, w->f,
                                           w->work);
    *score = una_held_score(square / (double)w->held->held);
    return UNA_OK;
}

static una_status anchored_gradient(void *context, size_t step, const float *parameters, float *gradient,
                                    una_losses *losses, una_run *run)
{
    watch *w = context;
    (void)step;
    (void)run;
    una_batches_next(&w->batches);
    w->net.body->gradient(&w->net, parameters, w->batches.x, w->batches.target, w->batches.rows,
                          1 / (double)w->batches.rows, 0, gradient, losses, w->work);
    losses->penalty = una_anchor_add_f32(w->parameters, w->weight, parameters, w->anchor, gradient);
    losses->total += losses->penalty;
    return UNA_OK;
}

static una_status prepare_anchor(watch *w, const nn_lesson *all, const una_training *how, float *parameters, una_run *run)
{
    const una_nn_anchor *a = all->anchor;
    w->parameters = all->state->net.parameters;
    una_rng first = una_rng_at(how->seed, UNA_FOR_INIT, how->stream);
    una_rng anchors = una_rng_at(how->seed, UNA_FOR_INIT, 1u << 20);
    w->anchor = UNA_GET(&run->scratch, float, w->parameters);
    UNA_TRY(una_arena_check(&run->scratch));
    una_anchor_draw_f32(&all->state->net, a->init_var, &first, parameters);
    una_anchor_draw_f32(&all->state->net, a->prior_var, &anchors, w->anchor);      /* one anchor for all folds of a member */
    w->weight = a->noise_var / (a->prior_var * (double)w->held->rows);
    return una_batches_init(&w->batches, w->held->x, w->held->target, w->held->rows, w->held->inputs,
                            how->descent.optimiser == UNA_GD ? 0 : how->batch, how->seed, how->stream, &run->scratch);
}

static una_status train_one(void *context, size_t index, una_run *run)
{
    const lesson_round *at = context;
    const nn_lesson *all = at->lesson;
    const una_problem *p = at->round->problem;
    nn_trial *t = &at->trial[index];
    const una_net *net = &all->state->net;
    una_held held;
    una_training none = {0};
    UNA_TRY(una_held_split(&held, p, una_round_fold(at->round, index), &run->scratch));
    una_training how = una_basis_training(all->options, held.rows, &none, all->train_noise_var, p->seed,
                                          at->round->stream + index);
    how.descent.stage = "training nn";
    if (at->round->steps) how.descent.steps = at->round->steps;
    t->parameters = UNA_GET(&t->base.arena, float, net->parameters);
    UNA_TRY(una_arena_check(&t->base.arena));

    watch w = { .net = { &una_body_mlp_f32, net, NULL }, .held = &held };
    w.f = UNA_GET_ROWS(&run->scratch, double, held.held ? held.held : held.rows);
    una_trainable_f32 anchored = { .parameters = net->parameters, .context = &w, .gradient = anchored_gradient,
                                   .watch = { &w, held.held ? look : NULL } };
    una_rng rng = una_rng_at(how.seed, UNA_FOR_INIT, how.stream);
    if (all->anchor) UNA_TRY(prepare_anchor(&w, all, &how, t->parameters, run));
    else una_net_initialise_f32(net, all->options->initialisation, 1, &rng, t->parameters);
    UNA_TRY(una_network_work_f32(&w.work, &w.net, all->anchor ? w.batches.most : 1, run));
    una_train_data_f32 data = { held.x, held.target, held.rows, 1, { net->size[0], NULL } };
    if (all->anchor)
        UNA_TRY(una_descend_f32(&anchored, t->parameters, &how.descent, &t->base.trained, &t->base.arena, run));
    else UNA_TRY(una_train_f32(net, t->parameters, &data, &how, &anchored.watch, &t->base.trained, &t->base.arena,
                               run));

    bool judged = held.held > 0;
    t->base.held = held.held;
    t->judged = judged ? held.held : held.rows;
    t->square = una_network_square_f32(&w.net, t->parameters, judged ? held.held_x : held.x,
                                       judged ? held.held_y : held.y, t->judged, w.f, w.work);
    if (!isfinite(t->square))
        UNA_FAIL(run, UNA_E_NUMERIC, "nn: the network's answers are not finite; use a smaller rate (now %g)",
                 how.descent.rate);
    return UNA_OK;
}

static una_status nn_train(void *lesson, const una_round *round, void *trials, una_run *run)
{
    lesson_round at = { lesson, round, trials };
    return una_jobs_run(run, trials, sizeof *at.trial, round->count, train_one, &at);
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

/* sum log N(e; 0, s2) of `rows` errors. */
static double log_lik_of(double square, size_t rows, double noise_var)
{
    return -0.5 * ((double)rows * (UNA_LOG_TWO_PI + log(noise_var)) + square / noise_var);
}

static una_status nn_judge(void *lesson, const void *const *trial, size_t count, const una_question *question,
                           una_answer *answer, una_run *run)
{
    const nn_trial *t = trial[0];
    (void)lesson, (void)count, (void)run;                /* one: an ensemble mixes networks, not nn */
    answer->loss -= log_lik_of(t->square, t->judged, question->noise_var);
    answer->square += t->square;
    answer->rows += t->judged;
    return UNA_OK;
}

static una_status nn_keep(void *lesson, const void *const *trial, size_t count, una_fit_result *result,
                          una_arena *keep, una_run *run)
{
    nn_lesson *all = lesson;
    nn_state *m = all->state;
    const nn_trial *t = trial[0];
    (void)count, (void)run;
    m->parameters = UNA_GET(keep, float, m->net.parameters);
    UNA_TRY(una_arena_check(keep));
    memcpy(m->parameters, t->parameters, m->net.parameters * sizeof(float));
    all->square = t->square / (double)t->judged;
    all->judged = t->judged;
    return una_basis_keep_curve(result, &t->base.trained, keep);
}

una_status una_nn_fit(void *state, una_nn_options *options, const una_nn_anchor *anchor, const una_problem *p,
                      una_fit_result *result, una_arena *keep, una_run *run)
{
    nn_state *m = state;
    una_basis_options *o = &options->basis;
    double unit = una_basis_unit(o, p);
    una_basis shape = {0};
    o->features = o->width;
    una_basis_resolve(o, p->x.rows, 1);
    UNA_TRY(una_basis_shape(&shape, o, p->x.cols, 1, run));
    m->net = shape.net;

    nn_lesson lesson = { .state = m, .options = o, .anchor = anchor,
                         .train_noise_var = UNA_IS_AUTO(o->train_noise_std) ? UNA_PLAIN_NOISE_VAR
                         : pow(o->train_noise_std * unit, 2) };
    una_crossfit fit = { .context = &lesson, .trial_size = sizeof(nn_trial), .train = nn_train, .judge = nn_judge,
                         .keep = nn_keep, .restarts = 1, .prior_var = 1,
                         .noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(o->noise_std * unit, 2) };
    UNA_TRY(una_crossfit_run(&fit, p, result, keep, run));

    m->noise_var = UNA_IS_AUTO(fit.noise_var) ? fmax(lesson.square, 1e-8) : fit.noise_var;   /* no row was held out */
    result->noise_var = m->noise_var;
    /* The nearest that a single function comes to evidence. */
    result->log_evidence = result->valid_rows ? (double)result->valid_rows * result->valid_log_lik
                         : log_lik_of(lesson.square * (double)lesson.judged, lesson.judged, m->noise_var);
    o->noise_std = sqrt(m->noise_var) / unit;
    o->train_noise_std = sqrt(lesson.train_noise_var) / unit;
    return UNA_OK;
}

static una_status nn_fit(void *state, void *options, const una_problem *problem, una_fit_result *result,
                         una_arena *keep, una_run *run)
{
    return una_nn_fit(state, options, NULL, problem, result, keep, run);
}

/* ---- the rest of the model interface ---------------------------------------------------------------------- */

static una_network_f32 network_of(const nn_state *m)
{
    return (una_network_f32){ &una_body_mlp_f32, &m->net, NULL };
}

static una_status nn_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const nn_state *m = state;
    una_feature_map map = una_map_of_heads(network_of(m), m->parameters);
    for (size_t r = 0; r < x.rows; r++) {
        out->var_model[r] = 0;
        out->var_noise[r] = m->noise_var;
    }
    return una_map_phi(&map, x, out->mean, run);
}

static una_status nn_slope(const void *state, const double *x, double *dmean, double *dvar, una_run *run)
{
    const nn_state *m = state;
    una_feature_map map = una_map_of(network_of(m), m->parameters, false);
    size_t inputs = map.inputs, features = map.features, wide = UNA_PADDED(1);
    const float *w = m->parameters + m->net.weights[m->net.depth];
    una_mark mark = una_arena_mark(&run->scratch);
    double *j = UNA_GET(&run->scratch, double, inputs * features);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_map_slopes(&map, x, j, run);
    for (size_t d = 0; status == UNA_OK && d < inputs; d++) {
        dmean[d] = dvar[d] = 0;
        for (size_t k = 0; k < features; k++) dmean[d] += j[d * features + k] * (double)w[k * wide];
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status nn_exchange(void *state, una_archive *ar)
{
    nn_state *m = state;
    UNA_TRY(una_basis_exchange_net(&m->net, true, false, ar));
    if (m->net.size[0] != ar->inputs) return una_archive_refuse(ar, "size", "does not fit the columns");
    UNA_TRY(una_basis_exchange_parameters(&m->net, &m->parameters, ar));
    UNA_TRY(una_archive_f64(ar, "noise_var", &m->noise_var));
    return m->noise_var > 0 ? UNA_OK : una_archive_refuse(ar, "noise_var", "is not positive");
}

const una_kind una_nn = {
    .name = "nn",
    .summary = "a plain network with constant noise; it knows no ignorance",
    .source = "Bishop, Pattern recognition and machine learning, 2006, chapter 5",
    .options = nn_table,
    .options_size = sizeof(una_nn_options),
    .state_size = sizeof(nn_state),
    .thesis = "width=50, depth=2, activation=relu, rate=0.001, rate_schedule=constant, epochs=20000, batch=32, "
    "penalty=0.1, "
              "train_noise_std=1, units=standardised",
    .least_rows = 5,
    .learns_features = true,
    .fit = nn_fit,
    .predict = nn_predict,
    .exchange = nn_exchange,
    .slope = nn_slope,
};
