/* SPDX-License-Identifier: MIT
 *
 * Training features and choosing the noise. The evidence of rows that trained the features is known to fail (the
 * features have fitted the noise), so noise, early stopping and the choice among restarts use rows that the features
 * did not see: held-out rows, or five folds in turn on small data. Then the posterior takes all rows.
 */
#include "fit/basis.h"

#include "fit/crossfit.h"

#include <string.h>

enum { LOOKS = 40 };                     /* at held-out rows in a whole training */

double una_unit(int units, const una_problem *problem)
{
    return units == 1 ? 1 : 1 / problem->columns->target_scale;
}

double una_noise_var(double noise_std, double unit)
{
    return UNA_IS_AUTO(noise_std) ? UNA_AUTO : pow(noise_std * unit, 2);
}

/* ---- automatic numbers ---------------------------------------------------------------------------------- */

/* Enough for the data to be learnt to the end by one network; a member of several may stop earlier, since their mean
 * is better than the best of them: the knee of likelihood against seconds (docs/AUTOMATIC.md). */
static double steps_rule(double rows, bool member)
{
    if (member) return fmin(fmax(2000, 2 * rows), rows < 100000 ? 15000 : 30000);
    return rows < 200 ? 6000 : rows < 2000 ? 15000 : 30000;
}

void una_basis_resolve(una_basis_options *o, size_t rows, size_t table, bool member)
{
    if (UNA_IS_AUTO(o->features)) o->features = o->width;
    if (UNA_IS_AUTO(o->batch)) o->batch = table < 200 ? (double)rows : 128;
    if (o->batch > (double)rows) o->batch = (double)rows;
    double batches = fmax(1, floor((double)rows / o->batch + 0.5));
    if (UNA_IS_AUTO(o->steps))
        o->steps = UNA_IS_AUTO(o->epochs) ? steps_rule((double)table, member)
                   : o->epochs * batches;
    o->epochs = fmax(1, floor(o->steps / batches + 0.5));
    if (UNA_IS_AUTO(o->restarts)) o->restarts = 1;
}

una_lesson una_basis_lesson(const una_basis_options *o, const una_net *net, const una_training *diversity,
                            double train_noise_var)
{
    una_training how = *diversity;
    how.descent.steps = (size_t)o->steps;
    how.descent.optimiser = o->optimiser;
    how.descent.rate_schedule = o->rate_schedule;
    how.descent.rate = o->rate;
    how.descent.momentum = o->momentum;
    how.descent.patience = (size_t)o->patience;
    how.descent.look_every = how.descent.steps / LOOKS + 1;

    how.batch = (size_t)o->batch;
    how.fit_weight = 1 / (2 * train_noise_var);
    how.penalty = o->penalty;

    return (una_lesson){ .body = &una_body_mlp_f32, .shape = net, .start = { o->initialisation, 1, 1 }, .how = how,
                         .look = UNA_LOOK_POSTERIOR };
}

una_status una_basis_groups(size_t **group, const una_columns *columns, una_arena *arena)
{
    *group = UNA_GET(arena, size_t, columns->input_count);
    UNA_TRY(una_arena_check(arena));
    for (size_t d = 0; d < columns->input_count; d++)
        (*group)[d] = columns->inputs[d].level == SIZE_MAX ? SIZE_MAX : columns->inputs[d].source;
    return UNA_OK;
}

/* ---- trainings, and what they say of rows they did not see ----------------------------------------------------- */

typedef struct basis_trial {
    una_trial base;
    double   *held_phi;                  /* features of its held-out rows                                   */
    double   *held_y;
    una_stats stats;                     /* posterior statistics of its training rows                       */
} basis_trial;

/* Also the score: prior variance 1, as in looks; a chosen one could not be passed back otherwise. */
static una_status finish(void *context, void *trial, una_run *run)
{
    enum { AT_ONCE = 960 };
    basis_trial *t = trial;
    const una_held *r = t->base.lesson.rows;
    const una_network_f32 net = { t->base.lesson.body, t->base.lesson.shape, NULL };
    size_t k = una_net_features(net.shape) + 1;
    void *work;
    (void)context;
    UNA_TRY(una_network_work_f32(&work, &net, 1, run));
    una_stats_init(&t->stats, k, &t->base.arena);
    t->held_phi = una_phi_with_one(r->held, k, &t->base.arena);
    t->held_y = una_held_copy(r->held_y, r->held, &t->base.arena);
    double *phi = una_phi_with_one(AT_ONCE, k, &run->scratch);
    UNA_TRY(una_arena_check(&t->base.arena));
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t from = 0; from < r->rows; from += AT_ONCE) {
        size_t count = r->rows - from < AT_ONCE ? r->rows - from : AT_ONCE;
        net.body->forward(&net, t->base.parameters, r->x + from * r->inputs, count, phi, k, NULL, work);
        una_stats_add(&t->stats, phi, r->y + from, count);
    }
    net.body->forward(&net, t->base.parameters, r->held_x, r->held, t->held_phi, k, NULL, work);
    if (r->held == 0) return UNA_OK;
    double noise_var, rmse;
    return una_choose_valid(&noise_var, 1, &t->stats, t->held_phi, t->held_y, r->held, &t->base.score, &rmse, run);
}

static una_status judge(void *context, const void *const *trial, size_t count, const una_question *question,
                        una_answer *answer, una_run *run)
{
    const basis_trial *t = trial[0];
    una_head head;
    double log_lik, rmse;
    (void)context, (void)count;                           /* one: feature networks are not mixed */
    una_head_init(&head, t->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    head.noise_var = question->noise_var;
    head.prior_var = question->prior_var;
    if (question->evidence) {
        una_stats_add(&head.stats, t->held_phi, t->held_y, t->base.held);
        UNA_TRY(una_head_solve(&head, run));
        answer->loss -= head.log_evidence;
    }

    head.stats = t->stats;
    UNA_TRY(una_head_solve(&head, run));
    UNA_TRY(una_head_score(&head, t->held_phi, t->held_y, t->base.held, &log_lik, &rmse, run));
    if (!question->evidence) answer->loss -= log_lik * (double)t->base.held;
    answer->square += rmse * rmse * (double)t->base.held;
    answer->rows += t->base.held;
    return UNA_OK;
}

/* ---- what is kept ------------------------------------------------------------------------------------------- */

una_status una_basis_keep_curve(una_fit_result *result, const una_trained *trained, una_arena *keep)
{
    const una_trained *t = trained;
    size_t n = t->looks;
    result->curve = (una_curve){ n, una_held_copy(t->step, n, keep), una_held_copy(t->loss, n, keep),
                                 una_held_copy(t->look, n, keep), una_held_copy(t->cos2, n, keep) };
    result->mean_cos2 = t->mean_cos2;
    return una_arena_check(keep);
}

static una_status keep_trial(void *context, const void *const *trial, size_t count, una_fit_result *result,
                             una_arena *keep, una_run *run)
{
    una_basis *basis = context;
    const una_trial *t = trial[0];
    (void)count, (void)run;
    basis->parameters = UNA_GET(keep, float, basis->net.parameters);
    UNA_TRY(una_arena_check(keep));
    memcpy(basis->parameters, t->parameters, basis->net.parameters * sizeof(float));
    return una_basis_keep_curve(result, &t->trained, keep);
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

una_status una_basis_noise(double *noise_var, const una_net *like, const una_basis_options *options,
                           const una_problem *p, una_fit_result *result, una_run *run)
{
    una_net net = *like;
    una_fit_result judged = {0};
    net.size[net.depth + 1] = 1;
    una_net_shape(&net);
    una_lesson lesson = una_basis_lesson(options, &net, &(una_training){0}, pow(options->train_noise_std, 2));
    lesson.how.descent.stage = "training a plain network for the noise";
    una_crossfit fit = { .trial_size = sizeof(basis_trial), .lesson = &lesson, .finish = finish, .judge = judge,
                         .stream = 1 << 16, .noise_var = UNA_AUTO, .prior_var = 1 };
    UNA_TRY(una_crossfit_judge(&fit, p, &judged, run));

    *noise_var = judged.valid_rows ? fmin(1, fmax(1e-3, judged.valid_rmse * judged.valid_rmse)) : UNA_PLAIN_NOISE_VAR;
    result->steps += judged.steps;
    return UNA_OK;
}

double una_basis_noise_steps(double steps)
{
    return fmax(1, fmin(steps, fmax(1000, steps / 2)));
}

static una_status posterior(una_basis *basis, const una_problem *p, una_fit_result *result, una_arena *keep,
                            una_run *run)
{
    double noise_var = basis->head.noise_var, prior_var = basis->head.prior_var;
    una_head_init(&basis->head, una_net_features(&basis->net) + 1, keep);
    UNA_TRY(una_arena_check(keep));
    basis->head.noise_var = noise_var;
    basis->head.prior_var = prior_var;
    UNA_TRY(una_basis_absorb(basis, p->x, p->y, p->weight, &basis->head.stats, run));
    if (p->valid_joins) UNA_TRY(una_basis_absorb(basis, p->valid_x, p->valid_y, NULL, &basis->head.stats, run));
    UNA_TRY(una_head_solve(&basis->head, run));
    result->noise_var = noise_var;
    result->prior_var = prior_var;
    result->log_evidence = basis->head.log_evidence;
    return UNA_OK;
}

void una_basis_check_noise(const una_head *head, bool chosen, una_fit_result *result)
{
    const una_stats *s = &head->stats;
    size_t k = s->features;
    double fitted = 0;                   /* |y - Phi m|^2 = y'y - 2 m'Phi'y + m'Phi'Phi m */
    for (size_t i = 0; i < k; i++)
        fitted += head->mean[i] * (una_dot(s->gram + i * k, head->mean, k) - 2 * s->moment[i]);
    double residual = fmax(0, s->square + fitted) / s->rows, ratio = residual / head->noise_var;
    if (ratio > 4)
        una_notes_add(&result->warnings, "The residuals are %.1f times as large as the noise allows: the bands are too "
                      "narrow; %s, or use a larger model.", sqrt(ratio),
                      chosen ? UNA_LOOK_FOR_EXTREMES : "leave noise_std to be chosen");
    if (ratio < 0.04 && s->rows > 2 * (double)k)
        una_notes_add(&result->warnings, "The noise is %.1f times as large as the residuals: the features have fitted "
                      "the noise%s.", 1 / sqrt(ratio), chosen ? "" : ", or noise_std is too large");
}

/* The noise inside the objective: given, a mere ratio, or the error of a plain network, trained first
 * (*share of the progress). */
static una_status find_train_noise(double *noise_var, double *share, const una_basis *basis,
                                   const una_basis_options *o, const una_basis_plan *plan, const una_problem *p,
                                   una_fit_result *result, una_run *run)
{
    *share = 0;
    *noise_var = UNA_PLAIN_NOISE_VAR;
    if (!UNA_IS_AUTO(o->train_noise_std)) *noise_var = pow(o->train_noise_std * una_unit(o->units, p), 2);
    if (!UNA_IS_AUTO(o->train_noise_std) || (plan->heads == 1 && !plan->marginal)) return UNA_OK;

    una_basis_options plain = *o;
    plain.steps = una_basis_noise_steps(o->steps);
    plain.train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR);
    una_span before = una_progress_part(run, 0, *share = 0.2);
    una_status status = una_basis_noise(noise_var, &basis->net, &plain, p, result, run);
    una_progress_back(run, before);
    return status;
}

una_status una_basis_fit(una_basis *basis, una_basis_options *o, const una_problem *p, una_basis_plan *plan,
                         una_fit_result *result, una_arena *keep, una_run *run)
{
    double unit = una_unit(o->units, p), train_noise_var, share;
    bool chosen = UNA_IS_AUTO(o->noise_std);
    size_t *group;
    una_basis_resolve(o, p->x.rows, una_table_rows(p), plan->member);
    UNA_TRY(una_basis_shape(basis, o, p->x.cols, plan->heads, run));
    UNA_TRY(una_basis_groups(&group, p->columns, &run->scratch));
    UNA_TRY(find_train_noise(&train_noise_var, &share, basis, o, plan, p, result, run));

    una_lesson lesson = una_basis_lesson(o, &basis->net, &plan->training, train_noise_var);
    lesson.how.descent.stage = plan->stage;
    lesson.group = group;
    if (plan->marginal) {
        lesson.goal = UNA_GOAL_EVIDENCE;
        lesson.of.evidence.noise_var = train_noise_var;
        lesson.of.evidence.prior_var = UNA_IS_AUTO(o->prior_var) ? 1 : o->prior_var;
        lesson.look = UNA_LOOK_NOT;
    }

    una_crossfit fit = { .context = basis, .trial_size = sizeof(basis_trial), .lesson = &lesson, .finish = finish,
                         .judge = judge, .keep = keep_trial, .restarts = (size_t)o->restarts,
                         .by_evidence = o->noise_rule == 1, .prior_var = o->prior_var,
                         .noise_var = una_noise_var(o->noise_std, unit) };
    una_span before = una_progress_part(run, share, 1);
    una_status status = una_crossfit_run(&fit, p, result, keep, run);
    una_progress_back(run, before);
    UNA_TRY(status);

    basis->head.noise_var = UNA_IS_AUTO(fit.noise_var) ? train_noise_var : fit.noise_var;    /* no row was held out */
    basis->head.prior_var = UNA_IS_AUTO(fit.prior_var) ? 1 : fit.prior_var;
    UNA_TRY(posterior(basis, p, result, keep, run));
    una_basis_check_noise(&basis->head, chosen, result);
    o->train_noise_std = sqrt(train_noise_var) / unit;
    o->noise_std = sqrt(basis->head.noise_var) / unit;
    o->prior_var = basis->head.prior_var;
    return UNA_OK;
}
