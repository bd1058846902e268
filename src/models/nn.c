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

#include "models/held.h"
#include "nn/anchor.h"

#include <string.h>

static const double plain_noise_var = 0.09;      /* inside the objective, where only its ratio to the penalty counts */

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

typedef struct nn_job {                  /* a fold, or the whole                                            */
    una_arena   arena;                   /* its results; re-homed to the caller's run at the end            */
    float      *parameters;
    una_trained trained;
    double      square;                  /* sum of squared errors of `judged` rows                          */
    size_t      judged;
} nn_job;

typedef struct nn_jobs {
    const una_net *net;
    const una_basis_options *options;
    const una_nn_anchor *anchor;
    const una_problem *problem;
    size_t folds, steps;                 /* folds 0: all rows train; steps 0: as the options say            */
    double train_noise_var;
    uint64_t stream;
    nn_job *job;
} nn_jobs;

typedef struct watch {                   /* context of both hooks                                           */
    const una_net *net;
    const una_held *held;
    una_work_f32 *work;
    double *f;                           /* [held or rows]                                                  */
    /* anchored training only: */
    una_batches batches;
    float *anchor;
    double weight;
} watch;

static double sum_of_squares(const watch *w, const float *parameters, const float *x, const double *y, size_t rows)
{
    double sum = 0;
    una_net_forward_f32(w->net, parameters, x, rows, NULL, 0, w->f, w->work);
    for (size_t r = 0; r < rows; r++) sum += (y[r] - w->f[r]) * (y[r] - w->f[r]);
    return sum;
}

static una_status look(void *context, const float *parameters, double *score, una_run *run)
{
    const watch *w = context;
    (void)run;
    double square = sum_of_squares(w, parameters, w->held->held_x, w->held->held_y, w->held->held);
    *score = una_held_score(square / (double)w->held->held);
    return UNA_OK;
}

static una_status anchored_gradient(void *context, const float *parameters, float *gradient, una_losses *losses,
                                    una_run *run)
{
    watch *w = context;
    (void)run;
    una_batches_next(&w->batches);
    una_batch_f32 batch = { .rows = w->batches.rows, .x = w->batches.x, .target = w->batches.target,
                            .target_heads = 1 };
    una_objective_f32 objective = { .fit_weight = 1 / (double)batch.rows };
    una_net_gradient_f32(w->net, parameters, &batch, &objective, gradient, losses, w->work);
    losses->penalty = una_anchor_add_f32(w->net->parameters, w->weight, parameters, w->anchor, gradient);
    losses->total += losses->penalty;
    return UNA_OK;
}

static una_status prepare_anchor(watch *w, const nn_jobs *all, const una_training *how, float *parameters, una_run *run)
{
    const una_nn_anchor *a = all->anchor;
    una_rng first = una_rng_at(how->seed, UNA_FOR_INIT, how->stream);
    una_rng anchors = una_rng_at(how->seed, UNA_FOR_INIT, 1u << 20);
    w->anchor = UNA_GET(&run->scratch, float, w->net->parameters);
    UNA_TRY(una_arena_check(&run->scratch));
    una_anchor_draw_f32(w->net, a->init_var, &first, parameters);
    una_anchor_draw_f32(w->net, a->prior_var, &anchors, w->anchor);      /* one anchor for all folds of a member */
    w->weight = a->noise_var / (a->prior_var * (double)w->held->rows);
    return una_batches_init(&w->batches, w->held->x, w->held->target, w->held->rows, w->held->inputs,
                            how->optimiser == UNA_GD ? 0 : how->batch, how->seed, how->stream, &run->scratch);
}

static una_status train_job(void *context, size_t index, una_run *run)
{
    const nn_jobs *all = context;
    nn_job *j = &all->job[index];
    const una_net *net = all->net;
    una_held held;
    una_training none = {0};
    UNA_TRY(una_held_split(&held, all->problem, all->folds ? index : SIZE_MAX, &run->scratch));
    una_training how = una_basis_training(all->options, held.rows, &none, all->train_noise_var, all->problem->seed,
                                          all->stream + index);
    if (all->steps) how.steps = all->steps;
    j->parameters = UNA_GET(&j->arena, float, net->parameters);
    UNA_TRY(una_arena_check(&j->arena));
    watch w = { .net = net, .held = &held };
    w.f = UNA_GET_ROWS(&run->scratch, double, held.held ? held.held : held.rows);
    una_train_hooks_f32 hooks = { .context = &w, .look = held.held ? look : NULL };
    una_rng rng = una_rng_at(how.seed, UNA_FOR_INIT, how.stream);
    if (all->anchor) {
        UNA_TRY(prepare_anchor(&w, all, &how, j->parameters, run));
        hooks.gradient = anchored_gradient;
    } else una_net_initialise_f32(net, all->options->initialisation, 1, &rng, j->parameters);
    UNA_TRY(una_work_new_f32(&w.work, net, &(una_work_size){ .rows = all->anchor ? w.batches.most : 1 },
                             una_kernels_named_f32(run->settings.kernels), &run->scratch));
    una_train_data_f32 data = { held.x, held.target, held.rows, 1, { net->size[0], NULL } };
    UNA_TRY(una_train_f32(net, j->parameters, &data, &how, &hooks, "training nn", &j->trained, &j->arena, run));
    bool judged = held.held > 0;
    j->judged = judged ? held.held : held.rows;
    j->square = sum_of_squares(&w, j->parameters, judged ? held.held_x : held.x, judged ? held.held_y : held.y,
                               j->judged);
    return UNA_OK;
}

static una_status run_jobs(nn_jobs *all, size_t count, una_run *run)
{
    all->job = UNA_GET(&run->scratch, nn_job, count);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_jobs_run(run, all->job, sizeof *all->job, count, train_job, all);
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

typedef struct judgement { double square; size_t rows; } judgement;

/* Every fold in turn is left out: errors of rows that did not train, and how long training should last. */
static una_status judge_folds(nn_jobs *all, judgement *sum, una_fit_result *result, una_run *run)
{
    size_t best[256] = {0}, folds = all->folds;
    una_status status = run_jobs(all, folds, run);
    for (size_t i = 0; status == UNA_OK && i < folds; i++) {
        const una_trained *t = &all->job[i].trained;
        sum->square += all->job[i].square;
        sum->rows += all->job[i].judged;
        best[i] = t->best_step ? t->best_step : t->steps;
        result->steps += t->steps;
    }
    una_jobs_free(all->job, sizeof *all->job, folds);
    all->steps = una_held_median(best, folds);
    all->stream += folds;
    all->folds = 0;
    return status;
}

static una_status train_all(nn_jobs *all, nn_state *m, judgement *sum, una_fit_result *result, una_arena *keep,
                            una_run *run)
{
    double from = run->progress_from, to = run->progress_to;
    bool folds = all->folds > 0;
    if (folds) {
        run->progress_to = from + (to - from) * (double)all->folds / (double)(all->folds + 1);
        una_status judged = judge_folds(all, sum, result, run);
        run->progress_from = judged == UNA_OK ? run->progress_to : from;
        run->progress_to = to;
        UNA_TRY(judged);
    }
    una_status status = run_jobs(all, 1, run);
    const nn_job *j = all->job;
    if (status == UNA_OK) {
        m->parameters = UNA_GET(keep, float, m->net.parameters);
        status = una_arena_check(keep);
        if (status == UNA_OK)
            status = una_held_curve(result, j->trained.looks, j->trained.step, j->trained.loss, j->trained.look, keep);
    }
    if (status == UNA_OK) {
        memcpy(m->parameters, j->parameters, m->net.parameters * sizeof(float));
        result->steps += j->trained.steps;
        if (!folds) *sum = (judgement){ j->square, j->judged };
    }
    una_jobs_free(all->job, sizeof *all->job, 1);
    run->progress_from = from;
    return status;
}

static void report(nn_state *m, const judgement *sum, bool held_out, una_fit_result *result)
{
    double rows = (double)sum->rows, square = sum->square / rows;
    double log_lik = -0.5 * (UNA_LOG_TWO_PI + log(m->noise_var) + square / m->noise_var);
    result->noise_var = m->noise_var;
    result->log_evidence = rows * log_lik;               /* the nearest a single function comes to evidence */
    if (!held_out) return;
    result->valid_rows = sum->rows;
    result->valid_rmse = sqrt(square);
    result->valid_log_lik = log_lik;
}

una_status una_nn_fit(void *state, una_nn_options *options, const una_nn_anchor *anchor, const una_problem *p,
                      una_fit_result *result, una_arena *keep, una_run *run)
{
    nn_state *m = state;
    una_basis_options *o = &options->basis;
    double unit = una_basis_unit(o, p);
    una_basis shape = {0};
    judgement sum = {0};
    o->features = o->width;
    una_basis_resolve(o, p->x.rows, 1);
    UNA_TRY(una_basis_shape(&shape, o, p->x.cols, 1, run));
    m->net = shape.net;
    nn_jobs all = { .net = &m->net, .options = o, .anchor = anchor, .problem = p, .folds = p->folds,
                    .train_noise_var = UNA_IS_AUTO(o->train_noise_std) ? plain_noise_var
                    : pow(o->train_noise_std * unit, 2) };
    UNA_TRY(train_all(&all, m, &sum, result, keep, run));
    if (!isfinite(sum.square))
        UNA_FAIL(run, UNA_E_NUMERIC, "nn: the network's answers are not finite; use a smaller rate (now %g)", o->rate);
    m->noise_var = UNA_IS_AUTO(o->noise_std) ? una_held_noise(sum.square / (double)sum.rows, sum.rows)
                                             : pow(o->noise_std * unit, 2);
    report(m, &sum, p->folds > 0 || p->valid_x.rows > 0, result);
    o->noise_std = sqrt(m->noise_var) / unit;
    o->train_noise_std = sqrt(all.train_noise_var) / unit;
    return UNA_OK;
}

static una_status nn_fit(void *state, void *options, const una_problem *problem, una_fit_result *result,
                         una_arena *keep, una_run *run)
{
    return una_nn_fit(state, options, NULL, problem, result, keep, run);
}

/* ---- the rest of the model interface ---------------------------------------------------------------------- */

static una_status begin_work(void **work, const void *model, una_run *run)
{
    const nn_state *m = model;
    una_work_f32 *made = NULL;
    UNA_TRY(una_work_new_f32(&made, &m->net, &(una_work_size){ .rows = UNA_MAP_ROWS },
                             una_kernels_named_f32(run->settings.kernels), &run->scratch));
    *work = made;
    return UNA_OK;
}

static void output_of(const void *model, const float *x, size_t rows, double *f, size_t stride, void *work)
{
    const nn_state *m = model;
    (void)stride;                                        /* one */
    una_net_forward_f32(&m->net, m->parameters, x, rows, NULL, 0, f, work);
}

static una_status nn_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const nn_state *m = state;
    una_feature_map map = { .model = m, .inputs = m->net.size[0], .features = 1, .begin = begin_work,
                            .forward = output_of };
    for (size_t r = 0; r < x.rows; r++) {
        out->var_model[r] = 0;
        out->var_noise[r] = m->noise_var;
    }
    return una_map_phi(&map, x, out->mean, run);
}

static una_status nn_slope(const void *state, const double *x, double *dmean, double *dvar, una_run *run)
{
    const nn_state *m = state;
    size_t inputs = m->net.size[0], features = una_net_features(&m->net), wide = UNA_PADDED(1);
    const float *w = m->parameters + m->net.weights[m->net.depth];
    una_mark mark = una_arena_mark(&run->scratch);
    float *point = UNA_GET(&run->scratch, float, inputs);
    double *j = UNA_GET(&run->scratch, double, inputs * features);
    una_status status = una_arena_check(&run->scratch);
    for (size_t d = 0; status == UNA_OK && d < inputs; d++) point[d] = (float)x[d];
    if (status == UNA_OK) status = una_basis_slopes(&m->net, m->parameters, point, j, run);
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
