/* SPDX-License-Identifier: MIT
 *
 * Training features and choosing the noise. The evidence of rows that trained the features is known to fail (the
 * features have fitted the noise), so noise, early stopping and the choice among restarts use rows that the features
 * did not see: held-out rows, or five folds in turn on small data. Then the posterior takes all rows.
 */
#include "fit/basis.h"

#include "base/company.h"
#include "fit/crossfit.h"
#include "fit/together.h"

#include <string.h>

enum { LOOKS = 40 };                     /* at held-out rows in a whole training                                    */
#define RATE_OF_IMAGES 0.001             /* of Adam; this and the next by faces (docs/use/IMAGES.md)                */
enum { PASSES_OF_IMAGES = 10, STEPS_OF_IMAGES = 300, /* at least, both                                              */
       LOOKS_AT_IMAGES = 10 };           /* they cost a forward pass                                                */

static double unit_of(int units, const una_problem *problem, size_t target)
{
    return units == 1 ? 1 : 1 / problem->columns[target].target_scale;
}

double una_unit(int units, const una_problem *problem)
{
    return unit_of(units, problem, 0);
}

double una_noise_var(double noise_std, double unit)
{
    return UNA_IS_AUTO(noise_std) ? UNA_AUTO : pow(noise_std * unit, 2);
}

/* ---- automatic numbers ---------------------------------------------------------------------------------- */

/* Enough for the data to be learnt to the end by one network; a member of several may stop earlier, since their mean
 * is better than the best of them: the knee of likelihood against seconds (docs/methods/AUTOMATIC.md). */
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

void una_basis_resolve_for(una_basis_options *o, const una_problem *p, bool member, double rate)
{
    double rows = (double)una_train_rows(p), batch = UNA_IS_AUTO(o->batch) ? 128 : o->batch;
    bool pixels = o->body && (strcmp(o->body, "mlp") == 0 || strcmp(o->body, "residual") == 0);  /* as plain numbers */
    bool convolves = una_is_of_images(p) && !pixels;
    if (UNA_IS_AUTO(o->rate)) o->rate = convolves ? RATE_OF_IMAGES : rate;
    if (convolves && UNA_IS_AUTO(o->steps) && UNA_IS_AUTO(o->epochs))
        o->epochs = fmax(PASSES_OF_IMAGES, ceil(STEPS_OF_IMAGES * batch / rows));
    una_basis_resolve(o, una_train_rows(p), una_table_rows(p), member);
}

una_lesson una_basis_lesson(const una_basis_options *o, una_network_f32 net, const una_training *diversity,
                            double train_noise_var)
{
    una_training how = *diversity;
    how.descent.steps = (size_t)o->steps;
    how.descent.optimiser = o->optimiser;
    how.descent.rate_schedule = o->rate_schedule;
    how.descent.rate = o->rate;
    how.descent.momentum = o->momentum;
    how.descent.patience = (size_t)o->patience;
    how.descent.look_every = how.descent.steps / (una_network_image(&net).height ? LOOKS_AT_IMAGES : LOOKS) + 1;

    how.batch = (size_t)o->batch;
    how.fit_weight = 1 / (2 * train_noise_var);
    how.penalty = o->penalty;

    una_augment augment = { .image = una_network_image(&net), .flips = o->flips == 1, .shifts = (size_t)o->shifts };
    if (!augment.image.height) augment = (una_augment){0};
    return (una_lesson){ .body = net.body, .shape = net.shape, .augment = augment, .how = how,
                         .start = { .initialisation = o->initialisation, .scale = 1, .lengthscale = 1 },
                         .look = o->kept == 1 ? UNA_LOOK_NOT : UNA_LOOK_POSTERIOR };
}

una_status una_basis_groups(size_t **group, const una_columns *columns, una_arena *arena)
{
    *group = UNA_GET(arena, size_t, columns->input_count);
    UNA_TRY(una_arena_check(arena));
    for (size_t d = 0; d < columns->input_count; d++) {
        const una_input *input = una_columns_input(columns, d);
        (*group)[d] = input->level == SIZE_MAX ? SIZE_MAX : input->source;
    }
    return UNA_OK;
}

/* ---- trainings, and what they say of rows they did not see ----------------------------------------------------- */

typedef struct basis_target {            /* what a training has of one target                               */
    una_stats stats;                     /* posterior statistics of its training rows                       */
    una_cells held;                      /* features and cells of its held-out rows                         */
} basis_target;

typedef struct basis_trial {
    una_trial base;
    size_t    targets;
    basis_target *of;                    /* [targets]                                                       */
} basis_trial;

/* Features of the rows that trained, block by block, into the statistics of every target. */
static una_status absorb_rows(basis_trial *t, const una_network_f32 *net, size_t k, void *work, una_run *run)
{
    enum { AT_ONCE = 960 };
    const una_held *r = t->base.lesson.rows;
    una_cells cells;
    double *phi = una_phi_with_one(AT_ONCE, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_cells_take(&cells, AT_ONCE, k, t->targets, &run->scratch));
    for (size_t from = 0; from < r->rows; from += AT_ONCE) {
        size_t count = r->rows - from < AT_ONCE ? r->rows - from : AT_ONCE;
        net->body->forward(net, t->base.parameters, r->x + from * r->inputs, count, phi, k, NULL, work);
        for (size_t i = 0; i < t->targets; i++) {
            una_cells_pick(&cells, phi, r->y + from * t->targets, count, i);
            UNA_TRY(una_stats_add(&t->of[i].stats, cells.phi, cells.y, cells.rows, run));
        }
    }
    for (size_t i = 0; i < t->targets; i++) UNA_TRY(una_stats_of_all(&t->of[i].stats, run));
    return UNA_OK;
}

/* Also the score: prior variance 1, as in looks; a chosen one could not be passed back otherwise. Of several targets
 * the mean over the cells that are there. */
static una_status finish(void *context, void *trial, una_run *run)
{
    basis_trial *t = trial;
    const una_held *r = t->base.lesson.rows;
    const una_network_f32 net = { t->base.lesson.body, t->base.lesson.shape, NULL };
    size_t k = net.body->size(net.shape).features + 1;
    double noise_var, rmse, score = 0, sum = 0, all = 0;
    void *work;
    (void)context;
    t->targets = una_held_outputs(r);
    t->of = UNA_GET(&t->base.arena, basis_target, t->targets);
    double *held_phi = una_phi_with_one(r->held, k, &t->base.arena);
    double *held_y = una_held_copy(r->held_y, r->held * t->targets, &t->base.arena);
    for (size_t i = 0; t->of && i < t->targets; i++) una_stats_init(&t->of[i].stats, k, &t->base.arena);
    UNA_TRY(una_arena_check(&t->base.arena));
    UNA_TRY(una_network_work_f32(&work, &net, 0, run));

    UNA_TRY(absorb_rows(t, &net, k, work, run));
    net.body->forward(&net, t->base.parameters, r->held_x, r->held, held_phi, k, NULL, work);
    for (size_t i = 0; i < t->targets; i++) {
        una_cells *held = &t->of[i].held;
        UNA_TRY(una_cells_take(held, r->held, k, t->targets, &t->base.arena));
        una_cells_pick(held, held_phi, held_y, r->held, i);
        if (held->rows == 0) continue;
        UNA_TRY(una_choose_valid(&noise_var, 1, &t->of[i].stats, held->phi, held->y, held->rows, &score, &rmse, run));
        sum += score * (double)held->rows;
        all += (double)held->rows;
    }
    if (all > 0) t->base.score = t->targets == 1 ? score : sum / all;
    return UNA_OK;
}

static una_status judge(void *context, const void *const *trial, size_t count, const una_question *question,
                        una_answer *answer, una_run *run)
{
    const basis_target *t = &((const basis_trial *)trial[0])->of[question->target];
    const una_cells *held = &t->held;
    una_head head;
    double log_lik, rmse;
    (void)context, (void)count;                           /* one: feature networks are not mixed */
    if (held->rows == 0) return UNA_OK;
    una_head_init(&head, t->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    head.noise_var = question->noise_var;
    head.prior_var = question->prior_var;
    if (question->evidence) {
        UNA_TRY(una_stats_add(&head.stats, held->phi, held->y, held->rows, run));
        UNA_TRY(una_stats_of_all(&head.stats, run));
        UNA_TRY(una_head_solve(&head, run));
        if (una_company_rank(run) == 0) answer->loss -= head.log_evidence;       /* of all ranks: counted once */
    }

    head.stats = t->stats;
    UNA_TRY(una_head_solve(&head, run));
    UNA_TRY(una_head_score(&head, held->phi, held->y, held->rows, &log_lik, &rmse, run));
    if (!question->evidence) answer->loss -= log_lik * (double)held->rows;
    answer->square += rmse * rmse * (double)held->rows;
    answer->rows += held->rows;
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

typedef struct several {                 /* the states of all targets, while their network is trained       */
    una_basis *const *basis;
    size_t  targets;
    una_network_f32 net;                 /* with the heads of all                                           */
    double *noise_var;                   /* [targets] inside the objective                                  */
    double *scale;                       /* [targets] that they are multiplied by there; NULL: 1            */
    double  common;                      /* the noise variance of scaled targets                            */
    una_errors errors;
} several;

/* Each target keeps the features and its own heads. */
static una_status cut(una_basis *basis, const several *all, size_t target, const float *from, una_arena *keep)
{
    una_body_size own = basis->net.body->size(basis->net.shape), whole = all->net.body->size(all->net.shape);
    size_t wide = UNA_PADDED(own.heads), all_wide = UNA_PADDED(whole.heads);
    float scale = all->scale ? (float)(1 / all->scale[target]) : 1;
    float *to = basis->parameters = UNA_GET(keep, float, own.parameters);
    UNA_TRY(una_arena_check(keep));

    memcpy(to, from, own.head * sizeof *to);
    for (size_t i = 0; i <= own.features; i++)           /* the last: b */
        for (size_t m = 0; m < own.heads; m++)
            to[own.head + i * wide + m] = scale * from[whole.head + i * all_wide + target * own.heads + m];
    memcpy(to + own.parameters - own.carried, from + whole.parameters - whole.carried, own.carried * sizeof *to);
    return UNA_OK;
}

static una_status keep_trial(void *context, const void *const *trial, size_t count, una_fit_result *result,
                             una_arena *keep, una_run *run)
{
    const several *all = context;
    const una_trial *t = trial[0];
    (void)count, (void)run;
    for (size_t i = 0; i < all->targets; i++) UNA_TRY(cut(all->basis[i], all, i, t->parameters, keep));
    return una_basis_keep_curve(result, &t->trained, keep);
}

/* ---- several targets -------------------------------------------------------------------------------------------- */

static una_status foretell_errors(double *error, const basis_target *t, const una_target_verdict *v, size_t target,
                                  size_t targets, una_run *run)
{
    const una_cells *held = &t->held;
    una_head head;
    double *mean = UNA_GET(&run->scratch, double, held->rows);
    una_head_init(&head, t->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    head.stats = t->stats;
    head.noise_var = v->noise_var;
    head.prior_var = v->prior_var;
    UNA_TRY(una_head_solve(&head, run));
    UNA_TRY(una_head_predict(&head, held->phi, held->rows, mean, NULL, run));
    for (size_t i = 0; i < held->rows; i++) error[held->row[i] * targets + target] = held->y[i] - mean[i];
    return UNA_OK;
}

/* How errors at held-out rows go together. */
static una_status compare(void *context, const void *const *trial, const una_target_verdict *verdict, una_run *run)
{
    several *all = context;
    const basis_trial *t = trial[0];
    size_t n = t->targets, rows = t->base.held;
    una_mark mark = una_arena_mark(&run->scratch);
    double *error = UNA_GET_ROWS(&run->scratch, double, rows * n);
    una_status status = una_arena_check(&run->scratch);
    for (size_t i = 0; status == UNA_OK && i < rows * n; i++) error[i] = NAN;
    for (size_t i = 0; status == UNA_OK && i < n; i++)
        if (t->of[i].held.rows > 0) status = foretell_errors(error, &t->of[i], &verdict[i], i, n, run);
    for (size_t i = 0; status == UNA_OK && i < rows; i++) una_errors_add(&all->errors, error + i * n);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* The lesson of a network whose heads stand target by target. */
static void teach_targets(una_lesson *lesson, size_t targets, const double *scale)
{
    if (targets == 1) return;
    lesson->target_heads = lesson->body->size(lesson->shape).heads;
    lesson->how.targets = targets;
    lesson->how.target_scale = scale;
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

static una_status take_verdicts(una_target_verdict **verdict, size_t targets, una_arena *arena)
{
    *verdict = UNA_GET(arena, una_target_verdict, targets);
    return una_arena_check(arena);
}

una_status una_basis_noise(double *noise_var, const una_network_f32 *like, const una_basis_options *options,
                           const una_problem *p, una_fit_result *result, una_run *run)
{
    size_t targets = una_problem_outputs(p);
    una_network_f32 net;
    una_target_verdict *verdict;
    UNA_TRY(take_verdicts(&verdict, targets, &run->scratch));
    una_fit_result *judged = UNA_GET(&run->scratch, una_fit_result, targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < targets; t++) verdict[t] = (una_target_verdict){ UNA_AUTO, 1, &judged[t] };

    UNA_TRY(una_network_with_heads(&net, like, targets, &run->scratch));
    una_lesson lesson = una_basis_lesson(options, net, &(una_training){0}, pow(options->train_noise_std, 2));
    lesson.how.descent.stage = "training a plain network for the noise";
    teach_targets(&lesson, targets, NULL);
    una_crossfit fit = { .trial_size = sizeof(basis_trial), .lesson = &lesson, .finish = finish, .judge = judge,
                         .stream = 1 << 16, .targets = targets, .verdict = verdict };
    UNA_TRY(una_crossfit_judge(&fit, p, &judged[0], run));

    for (size_t t = 0; t < targets; t++)
        noise_var[t] = judged[t].valid_rows ? fmin(1, fmax(1e-3, judged[t].valid_rmse * judged[t].valid_rmse))
                                            : UNA_PLAIN_NOISE_VAR;
    result->steps += judged[0].steps;
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
    una_head_init(&basis->head, basis->net.body->size(basis->net.shape).features + 1, keep);
    UNA_TRY(una_arena_check(keep));
    basis->head.noise_var = noise_var;
    basis->head.prior_var = prior_var;
    UNA_TRY(una_basis_absorb(basis, p->x, p->y, p->weight, &basis->head.stats, run));
    if (p->valid_joins) UNA_TRY(una_basis_absorb(basis, p->valid_x, p->valid_y, NULL, &basis->head.stats, run));
    UNA_TRY(una_stats_of_all(&basis->head.stats, run));
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
 * (*share of the progress). Of several targets each has its own: they are multiplied by the common noise over it. */
static una_status find_train_noise(several *all, double *share, una_basis_options *const *o, const una_basis_plan *plan,
                                   const una_problem *p, una_fit_result *result, una_run *run)
{
    bool given = !UNA_IS_AUTO(o[0]->train_noise_std);
    *share = 0;
    for (size_t t = 0; t < all->targets; t++)
        all->noise_var[t] = given ? pow(o[t]->train_noise_std * unit_of(o[t]->units, p, t), 2) : UNA_PLAIN_NOISE_VAR;
    if (given || (plan->heads == 1 && !plan->marginal)) return UNA_OK;

    una_basis_options plain = *o[0];
    plain.steps = una_basis_noise_steps(plain.steps);
    plain.train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR);
    una_span before = una_progress_part(run, 0, *share = 0.2);
    una_status status = una_basis_noise(all->noise_var, &all->net, &plain, p, result, run);
    una_progress_back(run, before);
    return status;
}

/* Targets as they are trained have one noise, the geometric mean. */
static void scale_targets(several *all)
{
    double sum = 0;
    all->common = all->noise_var[0];
    if (all->targets == 1) return;
    for (size_t t = 0; t < all->targets; t++) sum += log(all->noise_var[t]) / (double)all->targets;
    all->common = exp(sum);
    for (size_t t = 0; t < all->targets; t++) all->scale[t] = sqrt(all->common / all->noise_var[t]);
}

static una_status begin(several *all, una_basis *const *basis, una_basis_options *const *o, const una_problem *p,
                        const una_basis_plan *plan, una_arena *keep, una_run *run)
{
    size_t n = una_problem_outputs(p);
    *all = (several){ .basis = basis, .targets = n, .noise_var = UNA_GET(&run->scratch, double, n),
                      .scale = n > 1 ? UNA_GET(&run->scratch, double, n) : NULL };
    UNA_TRY(una_errors_take(&all->errors, n, &run->scratch));
    for (size_t t = 0; t < n; t++) {
        una_basis_resolve_for(o[t], p, plan->member, 0.01);
        UNA_TRY(una_basis_shape(basis[t], o[t], p, plan->heads, keep, run));
    }
    return una_network_with_heads(&all->net, &basis[0]->net, plan->heads * n, &run->scratch);
}

/* What a target is left with: noise and prior as chosen, the posterior of its rows. */
static una_status settle(const several *all, size_t target, una_basis_options *o, const una_problem *p,
                         const una_target_verdict *v, una_arena *keep, una_run *run)
{
    una_basis *basis = all->basis[target];
    una_fit_result *result = v->result;
    bool chosen = UNA_IS_AUTO(o->noise_std);
    double unit = unit_of(o->units, p, target);
    una_problem own;
    UNA_TRY(una_problem_target(&own, p, target, &run->scratch));
    /* automatic still: no row was held out */
    basis->head.noise_var = UNA_IS_AUTO(v->noise_var) ? all->noise_var[target] : v->noise_var;
    basis->head.prior_var = UNA_IS_AUTO(v->prior_var) ? 1 : v->prior_var;
    UNA_TRY(posterior(basis, &own, result, keep, run));
    una_basis_check_noise(&basis->head, chosen, result);
    o->train_noise_std = sqrt(all->noise_var[target]) / unit;
    o->noise_std = sqrt(basis->head.noise_var) / unit;
    o->prior_var = basis->head.prior_var;
    return UNA_OK;
}

/* What training did, for all targets alike. */
static una_status tell_all(una_fit_result *const *result, size_t targets, una_arena *keep)
{
    const una_curve *c = &result[0]->curve;
    for (size_t t = 1; t < targets; t++) {
        result[t]->steps = result[0]->steps;
        result[t]->mean_cos2 = result[0]->mean_cos2;
        result[t]->curve = (una_curve){ c->count, una_held_copy(c->step, c->count, keep),
                                        una_held_copy(c->loss, c->count, keep),
                                        una_held_copy(c->valid_log_lik, c->count, keep),
                                        una_held_copy(c->mean_cos2, c->count, keep) };
    }
    return una_arena_check(keep);
}

static una_status settle_all(const several *all, una_basis_options *const *o, const una_problem *p,
                             const una_target_verdict *verdict, una_together *together, una_arena *keep, una_run *run)
{
    double *noise_var = UNA_GET(&run->scratch, double, all->targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < all->targets; t++) {
        una_mark mark = una_arena_mark(&run->scratch);
        UNA_TRY(settle(all, t, o[t], p, &verdict[t], keep, run));
        una_arena_release(&run->scratch, mark);
        noise_var[t] = all->basis[t]->head.noise_var;
    }
    if (!together) return UNA_OK;
    together->joint = false;
    return una_errors_noise(together->noise, &all->errors, noise_var, run);
}

/* What only perceptrons are taught. */
static una_status check_convolutions(const several *all, const una_basis_plan *plan, una_run *run)
{
    if (!una_network_image(&all->net).height) return UNA_OK;
    if (plan->marginal)
        UNA_FAIL(run, UNA_E_USAGE, "training=marginal is not possible with convolutions; use training=map or mle");
    if (all->targets > 1)
        UNA_FAIL(run, UNA_E_USAGE, "convolutions cannot be taught several targets at once; fit a model of each, or use "
                 "body=mlp");
    return UNA_OK;
}

una_status una_basis_fit(una_basis *const *basis, una_basis_options *const *o, const una_problem *p,
                         una_basis_plan *plan, una_fit_result *const *result, una_together *together, una_arena *keep,
                         una_run *run)
{
    double share;
    size_t *group;
    several all;
    una_target_verdict *verdict;
    UNA_TRY(begin(&all, basis, o, p, plan, keep, run));
    UNA_TRY(check_convolutions(&all, plan, run));
    UNA_TRY(take_verdicts(&verdict, all.targets, &run->scratch));
    UNA_TRY(una_basis_groups(&group, p->columns, &run->scratch));
    UNA_TRY(find_train_noise(&all, &share, o, plan, p, result[0], run));
    scale_targets(&all);

    una_lesson lesson = una_basis_lesson(o[0], all.net, &plan->training, all.common);
    lesson.how.descent.stage = plan->stage;
    lesson.group = group;
    teach_targets(&lesson, all.targets, all.scale);
    if (plan->marginal) {
        lesson.goal = UNA_GOAL_EVIDENCE;
        lesson.of.evidence.noise_var = all.common;
        lesson.of.evidence.prior_var = UNA_IS_AUTO(o[0]->prior_var) ? 1 : o[0]->prior_var;
        lesson.look = UNA_LOOK_NOT;
    }

    for (size_t t = 0; t < all.targets; t++)
        verdict[t] = (una_target_verdict){ una_noise_var(o[t]->noise_std, unit_of(o[t]->units, p, t)), o[t]->prior_var,
                                    result[t] };
    una_crossfit fit = { .context = &all, .trial_size = sizeof(basis_trial), .lesson = &lesson, .finish = finish,
                         .judge = judge, .keep = keep_trial, .restarts = (size_t)o[0]->restarts,
                         .by_evidence = o[0]->noise_rule == 1, .targets = all.targets, .verdict = verdict,
                         .compare = together ? compare : NULL,
                         .one_prior = all.targets > 1 && una_problem_complete(p) };
    una_span before = una_progress_part(run, share, 1);
    una_status status = una_crossfit_run(&fit, p, result[0], keep, run);
    una_progress_back(run, before);
    UNA_TRY(status);
    UNA_TRY(tell_all(result, all.targets, keep));
    return settle_all(&all, o, p, verdict, together, keep, run);
}
