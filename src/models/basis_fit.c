/* SPDX-License-Identifier: MIT
 *
 * Training features and choosing the noise. The evidence of rows that trained the features is known to fail (the
 * features have fitted the noise), so noise, early stopping and the choice among restarts use rows that the features
 * did not see: held-out rows, or five folds in turn on small data. Then the posterior takes all rows.
 */
#include "models/held.h"
#include "models/trials.h"

#include <string.h>

enum { LOOKS = 40 };                     /* at held-out rows in a whole training */
static const double plain_noise_var = 0.09; /* inside the objective of one head only its ratio to the penalty counts */

double una_basis_unit(const una_basis_options *options, const una_problem *problem)
{
    return options->units == 1 ? 1 : 1 / problem->columns->target_scale;
}

/* ---- automatic numbers ---------------------------------------------------------------------------------- */

/* Enough for the data to be learnt to the end. Below 200 rows there are five folds to train besides. */
static double steps_rule(double rows)
{
    return rows < 200 ? 6000 : rows < 2000 ? 15000 : 30000;
}

/* Trainings on middling data differ most by chance, and held-out rows can tell; folds leave none for it, and large data
 * takes long. */
static double restarts_rule(double rows)
{
    return rows >= 200 && rows < 2000 ? 4 : 1;
}

void una_basis_resolve(una_basis_options *o, size_t rows, double steps_factor)
{
    if (UNA_IS_AUTO(o->features)) o->features = o->width;
    if (UNA_IS_AUTO(o->batch)) o->batch = rows < 200 ? (double)rows : 128;
    if (o->batch > (double)rows) o->batch = (double)rows;
    double batches = fmax(1, floor((double)rows / o->batch + 0.5));
    if (UNA_IS_AUTO(o->steps))
        o->steps = UNA_IS_AUTO(o->epochs) ? floor(steps_factor * steps_rule((double)rows))
                   : o->epochs * batches;
    o->epochs = fmax(1, floor(o->steps / batches + 0.5));
    if (UNA_IS_AUTO(o->restarts)) o->restarts = restarts_rule((double)rows);
}

una_training una_basis_training(const una_basis_options *o, size_t rows, const una_training *diversity,
                                double train_noise_var, uint64_t seed, uint64_t stream)
{
    una_training how = *diversity;
    how.descent.steps = (size_t)o->steps;
    how.descent.optimiser = o->optimiser;
    how.descent.rate_schedule = o->rate_schedule;
    how.descent.rate = o->rate;
    how.descent.momentum = o->momentum;
    how.descent.patience = (size_t)o->patience;
    how.descent.look_every = how.descent.steps / LOOKS + 1;
    how.batch = (size_t)o->batch < rows ? (size_t)o->batch : 0;
    how.fit_weight = 1 / (2 * train_noise_var);
    how.penalty = o->penalty;
    how.seed = seed;
    how.stream = stream;
    return how;
}

una_status una_basis_groups(size_t **group, const una_columns *columns, una_arena *arena)
{
    *group = UNA_GET(arena, size_t, columns->input_count);
    UNA_TRY(una_arena_check(arena));
    for (size_t d = 0; d < columns->input_count; d++)
        (*group)[d] = columns->inputs[d].level == SIZE_MAX ? SIZE_MAX : columns->inputs[d].source;
    return UNA_OK;
}

/* ---- choosing ----------------------------------------------------------------------------------------------- */

typedef struct judge {                   /* context of the choice                                           */
    const una_trial *job;
    size_t count;
    double noise_var, prior_var;         /* noise_var: given, or UNA_AUTO                                   */
    bool   by_evidence;                  /* the noise, by the option                                        */
    bool   evidence; /* now: of the held-out rows alone, instead of their likelihood given the others */
    una_run *run;
} judge;

/* Minus the log-likelihood of one job's held-out rows, or minus their evidence. */
static una_status judge_job(void *context, size_t index, double noise_var, double *loss, double *square, size_t *rows,
                            una_run *run)
{
    const judge *by = context;
    const una_trial *j = &by->job[index];
    una_head head;
    double log_lik, rmse;
    una_head_init(&head, j->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    head.noise_var = noise_var;
    head.prior_var = by->prior_var;
    if (by->evidence) {
        una_stats_add(&head.stats, j->held_phi, j->held_y, j->held_rows);
        UNA_TRY(una_head_solve(&head, run));
        *loss -= head.log_evidence;
    }
    head.stats = j->stats;
    UNA_TRY(una_head_solve(&head, run));
    UNA_TRY(una_head_score(&head, j->held_phi, j->held_y, j->held_rows, &log_lik, &rmse, run));
    if (!by->evidence) *loss -= log_lik * (double)j->held_rows;
    *square += rmse * rmse * (double)j->held_rows;
    *rows = j->held_rows;
    return UNA_OK;
}

/* Noise by the held-out rows for by->prior_var; *noise_var given stays. */
static una_status choose_noise(double *noise_var, judge *by, double *log_lik, double *rmse)
{
    una_pooled p = { .count = by->count, .context = by, .judge = judge_job, .run = by->run };
    bool choose = UNA_IS_AUTO(*noise_var);
    by->evidence = by->by_evidence;
    double log_noise = choose ? una_minimise(una_pooled_loss, &p, log(1e-8), log(4), 1e-6) : log(*noise_var);
    by->evidence = false;
    double loss = una_pooled_loss(log_noise, &p);
    if (choose) { /* one standard error of log s2 up: few rows say little of the noise */
        log_noise += sqrt(2 / (double)p.rows);
        loss = una_pooled_loss(log_noise, &p);
    }
    UNA_TRY(p.status);
    if (choose) *noise_var = exp(log_noise);
    *log_lik = -loss / (double)p.rows;
    *rmse = sqrt(p.square / (double)p.rows);
    return UNA_OK;
}

static una_status score_prior(void *context, double prior_var, double *log_lik)
{
    judge *by = context;
    double noise_var = by->noise_var, rmse;
    by->prior_var = prior_var;
    return choose_noise(&noise_var, by, log_lik, &rmse);
}

/* Noise, and before it the prior variance if that is wanted, by the held-out rows of `count` jobs. */
static una_status choose(double *noise_var, double *prior_var, bool choose_alpha, const una_trials *all,
                         const una_trial *job, size_t count, una_fit_result *result, una_run *run)
{
    judge by = { .job = job, .count = count, .noise_var = *noise_var, .by_evidence = all->options->noise_rule == 1,
                 .run = run };
    if (choose_alpha) UNA_TRY(una_held_prior(prior_var, score_prior, &by));
    by.prior_var = *prior_var;
    return choose_noise(noise_var, &by, &result->valid_log_lik, &result->valid_rmse);
}

static size_t median_best_step(const una_trial *job, size_t count)
{
    size_t step[256] = {0};
    if (count > 256) count = 256;
    for (size_t i = 0; i < count; i++)
        step[i] = job[i].trained.best_step ? job[i].trained.best_step : job[i].trained.steps;
    return una_held_median(step, count);
}

static size_t best_job(const una_trial *job, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        bool judged = job[i].held_rows > 0;
        double now = judged ? job[i].valid_log_lik : -job[i].trained.loss[job[i].trained.looks - 1];
        double then = judged ? job[best].valid_log_lik : -job[best].trained.loss[job[best].trained.looks - 1];
        if (now > then) best = i;
    }
    return best;
}

void una_basis_curve(una_fit_result *result, const una_trained *trained)
{
    result->curve = (una_curve){ trained->looks, trained->step, trained->loss, trained->look, trained->cos2 };
    result->mean_cos2 = trained->mean_cos2;
}

una_status una_basis_keep_curve(una_fit_result *result, const una_trained *trained, una_arena *keep)
{
    una_trained t = *trained;
    t.step = una_held_copy(t.step, t.looks, keep);
    t.loss = una_held_copy(t.loss, t.looks, keep);
    t.look = una_held_copy(t.look, t.looks, keep);
    t.cos2 = una_held_copy(t.cos2, t.looks, keep);
    UNA_TRY(una_arena_check(keep));
    una_basis_curve(result, &t);
    return UNA_OK;
}

static una_status keep_job(una_basis *basis, const una_trial *j, una_fit_result *result, una_arena *keep)
{
    basis->parameters = UNA_GET(keep, float, basis->net.parameters);
    UNA_TRY(una_arena_check(keep));
    memcpy(basis->parameters, j->parameters, basis->net.parameters * sizeof(float));
    return una_basis_keep_curve(result, &j->trained, keep);
}

static void count_steps(una_fit_result *result, const una_trial *job, size_t count)
{
    for (size_t i = 0; i < count; i++) result->steps += job[i].trained.steps;
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

/* The noise inside the objective: held-out error of a plain network, trained first. */
static una_status find_train_noise(una_trials all, double *noise_var, una_fit_result *result, una_run *run)
{
    size_t count = all.folds ? all.folds : 1;
    una_basis plain = { .net = all.basis->net };
    una_basis_options options = *all.options;
    plain.net.size[plain.net.depth + 1] = 1;
    una_net_shape(&plain.net);
    options.steps = fmax(1, fmin(options.steps, fmax(2000, options.steps / 2)));
    all.basis = &plain;
    all.options = &options;
    all.plain = true;
    all.train_noise_var = plain_noise_var;
    all.stream = 1 << 16;
    all.stage = "training a plain network for the noise";
    una_status status = una_trials_run(&all, count, run);
    double log_lik, rmse = 1;
    judge by = { .job = all.job, .count = count, .prior_var = 1, .run = run };
    *noise_var = UNA_AUTO;
    if (status == UNA_OK) status = choose_noise(noise_var, &by, &log_lik, &rmse);
    if (status == UNA_OK) count_steps(result, all.job, count);
    *noise_var = fmin(1, fmax(1e-3, rmse * rmse));
    una_trials_free(&all, count);
    return status;
}

static una_status posterior(una_basis *basis, const una_problem *p, una_fit_result *result, una_arena *keep,
                            una_run *run)
{
    double noise_var = basis->head.noise_var, prior_var = basis->head.prior_var;
    una_head_init(&basis->head, una_net_features(&basis->net) + 1, keep);
    UNA_TRY(una_arena_check(keep));
    basis->head.noise_var = noise_var;
    basis->head.prior_var = prior_var;
    UNA_TRY(una_basis_absorb(basis, p->x, p->y, &basis->head.stats, run));
    if (p->valid_joins) UNA_TRY(una_basis_absorb(basis, p->valid_x, p->valid_y, &basis->head.stats, run));
    UNA_TRY(una_head_solve(&basis->head, run));
    result->noise_var = noise_var;
    result->prior_var = prior_var;
    result->log_evidence = basis->head.log_evidence;
    return UNA_OK;
}

void una_basis_check_noise(const una_head *head, una_fit_result *result)
{
    const una_stats *s = &head->stats;
    size_t k = s->features;
    double fitted = 0;                   /* |y - Phi m|^2 = y'y - 2 m'Phi'y + m'Phi'Phi m */
    for (size_t i = 0; i < k; i++)
        fitted += head->mean[i] * (una_dot(s->gram + i * k, head->mean, k) - 2 * s->moment[i]);
    double residual = fmax(0, s->square + fitted) / s->rows, ratio = residual / head->noise_var;
    if (ratio > 4)
        una_notes_add(&result->warnings, "The residuals are %.1f times as large as the noise allows: the bands are too "
                      "narrow; leave noise_std to be chosen, or use a larger model.", sqrt(ratio));
    if (ratio < 0.04 && s->rows > 2 * (double)k)
        una_notes_add(&result->warnings, "The noise is %.1f times as large as the residuals: the features have fitted "
                      "the noise, or noise_std is too large.", 1 / sqrt(ratio));
}

/* Folds: noise from features that did not see the rows; then features from all rows, trained as long
 * as the folds were. */
static una_status fit_folds(una_trials *all, double *noise_var, double *prior_var, bool choose_alpha,
                            una_fit_result *result, una_run *run)
{
    size_t folds = all->folds;
    una_status status = una_trials_run(all, folds, run);
    if (status == UNA_OK) status = choose(noise_var, prior_var, choose_alpha, all, all->job, folds, result, run);
    if (status == UNA_OK) {
        result->valid_rows = all->problem->x.rows;
        all->steps = median_best_step(all->job, folds);
        count_steps(result, all->job, folds);
    }
    una_trials_free(all, folds);
    all->folds = 0;
    all->stream += folds;
    return status;
}

static una_status fit_features(una_trials *all, una_basis *basis, double *noise_var, double *prior_var,
                               una_fit_result *result, una_arena *keep, una_run *run)
{
    size_t restarts = (size_t)all->options->restarts;
    bool choose_alpha = UNA_IS_AUTO(*prior_var);
    if (choose_alpha) *prior_var = 1;
    if (all->folds) {
        double from = run->progress_from, to = run->progress_to, trainings = (double)(all->folds + restarts);
        run->progress_to = from + (to - from) * (double)all->folds / trainings;
        UNA_TRY(fit_folds(all, noise_var, prior_var, choose_alpha, result, run));
        run->progress_from = run->progress_to;
        run->progress_to = to;
    }
    una_status status = una_trials_run(all, restarts, run);
    if (status == UNA_OK) {
        const una_trial *best = &all->job[best_job(all->job, restarts)];
        count_steps(result, all->job, restarts);
        if (best->held_rows) {
            status = choose(noise_var, prior_var, choose_alpha, all, best, 1, result, run);
            result->valid_rows = best->held_rows;
        }
        if (status == UNA_OK) status = keep_job(basis, best, result, keep);
    }
    una_trials_free(all, restarts);
    return status;
}

una_status una_basis_fit(una_basis *basis, una_basis_options *o, const una_problem *p, una_basis_plan *plan,
                         una_fit_result *result, una_arena *keep, una_run *run)
{
    double from = run->progress_from, to = run->progress_to, unit = una_basis_unit(o, p), train_noise_var;
    size_t *group;
    una_basis_resolve(o, p->x.rows, plan->steps_factor);
    UNA_TRY(una_basis_shape(basis, o, p->x.cols, plan->heads, run));
    UNA_TRY(una_basis_groups(&group, p->columns, &run->scratch));
    una_trials all = { .basis = basis, .options = o, .plan = plan, .problem = p, .group = group, .folds = p->folds,
                 .prior_var = UNA_IS_AUTO(o->prior_var) ? 1 : o->prior_var, .stage = plan->stage };
    if (!UNA_IS_AUTO(o->train_noise_std)) train_noise_var = pow(o->train_noise_std * unit, 2);
    else if (plan->heads == 1 && !plan->marginal) train_noise_var = plain_noise_var;
    else {
        run->progress_to = from + 0.2 * (to - from);
        una_status found = find_train_noise(all, &train_noise_var, result, run);
        run->progress_from = found == UNA_OK ? run->progress_to : from;
        run->progress_to = to;
        UNA_TRY(found);
    }
    all.train_noise_var = train_noise_var;
    double noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(o->noise_std * unit, 2), prior_var = o->prior_var;
    una_status status = fit_features(&all, basis, &noise_var, &prior_var, result, keep, run);
    run->progress_from = from;
    run->progress_to = to;
    UNA_TRY(status);
    if (UNA_IS_AUTO(noise_var)) noise_var = train_noise_var;                  /* no row was held out */
    basis->head.noise_var = noise_var;
    basis->head.prior_var = prior_var;
    UNA_TRY(posterior(basis, p, result, keep, run));
    una_basis_check_noise(&basis->head, result);
    o->train_noise_std = sqrt(train_noise_var) / unit;
    o->noise_std = sqrt(noise_var) / unit;
    o->prior_var = prior_var;
    return UNA_OK;
}

/* ---- for models that train on something else ------------------------------------------------------------------- */

una_status una_basis_train(una_basis *basis, const una_basis_options *options, const una_basis_data *data,
                           const una_training *how, una_trained *trained, una_arena *keep, una_run *run)
{
    basis->parameters = UNA_GET(keep, float, basis->net.parameters);
    UNA_TRY(una_arena_check(keep));
    una_rng rng = una_rng_at(how->seed, UNA_FOR_INIT, how->stream);
    una_net_initialise_f32(&basis->net, options->initialisation, 1, &rng, basis->parameters);
    una_train_data_f32 rows = { data->x, data->target, data->rows, data->target_heads, { data->inputs, data->group } };
    return una_train_f32(&basis->net, basis->parameters, &rows, how, NULL, trained, keep, run);
}
