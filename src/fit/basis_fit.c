/* SPDX-License-Identifier: MIT
 *
 * Training features and choosing the noise. The evidence of rows that trained the features is known to fail (the
 * features have fitted the noise), so noise, early stopping and the choice among restarts use rows that the features
 * did not see: held-out rows, or five folds in turn on small data. Then the posterior takes all rows.
 */
#include "fit/trials.h"

#include <string.h>

enum { LOOKS = 40 };                     /* at held-out rows in a whole training */

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

/* ---- what is kept ------------------------------------------------------------------------------------------- */

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

typedef struct keeping { una_basis_lesson lesson; una_basis *basis; } keeping;

static una_status keep_trial(void *context, const void *const *trial, size_t count, una_fit_result *result,
                             una_arena *keep, una_run *run)
{
    una_basis *basis = ((keeping *)context)->basis;
    const una_basis_trial *t = trial[0];
    (void)count, (void)run;
    basis->parameters = UNA_GET(keep, float, basis->net.parameters);
    UNA_TRY(una_arena_check(keep));
    memcpy(basis->parameters, t->parameters, basis->net.parameters * sizeof(float));
    return una_basis_keep_curve(result, &t->base.trained, keep);
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

una_status una_plain_noise(double *noise_var, size_t *rows, const una_net *like, const una_basis_options *options,
                           const una_problem *p, una_fit_result *result, una_run *run)
{
    una_net net = *like;
    una_fit_result judged = {0};
    una_basis_plan plan = { .stage = "training a plain network for the noise" };
    net.size[net.depth + 1] = 1;
    una_net_shape(&net);
    una_basis_lesson lesson = { .net = &net, .options = options, .plan = &plan,
                                .train_noise_var = pow(options->train_noise_std, 2) };
    una_crossfit fit = { .context = &lesson, .trial_size = sizeof(una_basis_trial), .train = una_basis_trials,
                         .judge = una_basis_judge, .shares_rows = true, .stream = 1 << 16, .noise_var = UNA_AUTO,
                         .prior_var = 1 };
    UNA_TRY(una_crossfit_judge(&fit, p, &judged, run));

    *rows = judged.valid_rows;
    *noise_var = judged.valid_rows ? fmin(1, fmax(1e-3, judged.valid_rmse * judged.valid_rmse)) : UNA_PLAIN_NOISE_VAR;
    result->steps += judged.steps;
    return UNA_OK;
}

double una_plain_steps(double steps)
{
    return fmax(1, fmin(steps, fmax(2000, steps / 2)));
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

/* The noise inside the objective: given, a mere ratio, or the error of a plain network, trained first
 * (*share of the progress). */
static una_status find_train_noise(double *noise_var, double *share, const una_basis *basis,
                                   const una_basis_options *o, const una_basis_plan *plan, const una_problem *p,
                                   una_fit_result *result, una_run *run)
{
    *share = 0;
    *noise_var = UNA_PLAIN_NOISE_VAR;
    if (!UNA_IS_AUTO(o->train_noise_std)) *noise_var = pow(o->train_noise_std * una_basis_unit(o, p), 2);
    if (!UNA_IS_AUTO(o->train_noise_std) || (plan->heads == 1 && !plan->marginal)) return UNA_OK;

    una_basis_options plain = *o;
    size_t rows;
    plain.steps = una_plain_steps(o->steps);
    plain.train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR);
    una_span before = una_progress_part(run, 0, *share = 0.2);
    una_status status = una_plain_noise(noise_var, &rows, &basis->net, &plain, p, result, run);
    una_progress_back(run, before);
    return status;
}

una_status una_basis_fit(una_basis *basis, una_basis_options *o, const una_problem *p, una_basis_plan *plan,
                         una_fit_result *result, una_arena *keep, una_run *run)
{
    double unit = una_basis_unit(o, p), train_noise_var, share;
    size_t *group;
    una_basis_resolve(o, p->x.rows, plan->steps_factor);
    UNA_TRY(una_basis_shape(basis, o, p->x.cols, plan->heads, run));
    UNA_TRY(una_basis_groups(&group, p->columns, &run->scratch));
    UNA_TRY(find_train_noise(&train_noise_var, &share, basis, o, plan, p, result, run));

    keeping context = { { &basis->net, o, plan, group, train_noise_var, UNA_IS_AUTO(o->prior_var) ? 1 : o->prior_var },
                        basis };
    una_crossfit fit = { .context = &context, .trial_size = sizeof(una_basis_trial), .train = una_basis_trials,
                         .judge = una_basis_judge, .keep = keep_trial, .restarts = (size_t)o->restarts,
                         .shares_rows = true, .by_evidence = o->noise_rule == 1, .prior_var = o->prior_var,
                         .noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(o->noise_std * unit, 2) };
    una_span before = una_progress_part(run, share, 1);
    una_status status = una_crossfit_run(&fit, p, result, keep, run);
    una_progress_back(run, before);
    UNA_TRY(status);

    basis->head.noise_var = UNA_IS_AUTO(fit.noise_var) ? train_noise_var : fit.noise_var;    /* no row was held out */
    basis->head.prior_var = UNA_IS_AUTO(fit.prior_var) ? 1 : fit.prior_var;
    UNA_TRY(posterior(basis, p, result, keep, run));
    una_basis_check_noise(&basis->head, result);
    o->train_noise_std = sqrt(train_noise_var) / unit;
    o->noise_std = sqrt(basis->head.noise_var) / unit;
    o->prior_var = basis->head.prior_var;
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
