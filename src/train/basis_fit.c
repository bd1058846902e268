/* SPDX-License-Identifier: MIT
 *
 * Training features and choosing the noise. The evidence of the rows that trained the features cannot choose it: the
 * features have fitted the noise of these rows. So noise, early stopping and the choice among restarts use rows that
 * the features did not see: held-out rows, or five folds in turn on small data. Then the posterior takes in all rows.
 */
#include "train/basis.h"

#include "train/crossfit.h"
#include "train/joint_targets.h"

enum { VALIDATIONS = 40 };               /* validations during one training                                         */
#define RATE_OF_IMAGES 0.001             /* of Adam; this and the next were measured on faces (docs/use/IMAGES.md) */
enum { PASSES_OF_IMAGES = 10, STEPS_OF_IMAGES = 300, /* both are lower limits                                       */
       VALIDATIONS_OF_IMAGES = 10 };     /* each costs a forward pass                                               */

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

/* Enough steps for one network to learn the data to the end. A member of several may stop earlier, since their mean is
 * better than the best of them: the knee of likelihood against seconds (docs/methods/AUTOMATIC.md). */
static double steps_rule(double rows, bool member)
{
    if (member) return fmin(fmax(2000, 2 * rows), rows < 100000 ? 15000 : 30000);
    if (rows < 200) return 6000;
    return rows < 2000 ? 15000 : 30000;
}

void una_basis_resolve(una_basis_options *o, size_t rows, size_t table, bool member)
{
    if (o->kept == UNA_KEPT_AUTO) o->kept = UNA_KEPT_BEST;
    if (UNA_IS_AUTO(o->features)) o->features = o->width;
    if (UNA_IS_AUTO(o->batch)) o->batch = table < 200 ? (double)rows : 128;
    if (o->batch > (double)rows) o->batch = (double)rows;
    double batches = fmax(1, floor((double)rows / o->batch + 0.5));
    if (UNA_IS_AUTO(o->common.steps))
        o->common.steps = UNA_IS_AUTO(o->epochs) ? steps_rule((double)table, member)
                   : o->epochs * batches;
    o->epochs = fmax(1, floor(o->common.steps / batches + 0.5));
    if (UNA_IS_AUTO(o->common.restarts)) o->common.restarts = 1;
}

void una_basis_resolve_for(una_basis_options *o, const una_problem *p, bool member, double rate)
{
    double rows = (double)una_training_row_count(p), batch = UNA_IS_AUTO(o->batch) ? 128 : o->batch;
    bool pixels = o->body && (strcmp(o->body, "mlp") == 0 || strcmp(o->body, "residual") == 0);  /* as plain numbers */
    bool convolves = una_is_of_images(p) && !pixels;
    if (UNA_IS_AUTO(o->rate)) o->rate = convolves ? RATE_OF_IMAGES : rate;
    if (convolves && UNA_IS_AUTO(o->common.steps) && UNA_IS_AUTO(o->epochs))
        o->epochs = fmax(PASSES_OF_IMAGES, ceil(STEPS_OF_IMAGES * batch / rows));
    una_basis_resolve(o, una_training_row_count(p), una_table_rows(p), member);
}

una_training_job una_basis_job(const una_basis_options *o, una_network_f32 net, const una_training_settings *diversity,
                               double train_noise_var)
{
    una_training_settings how = *diversity;
    how.descent.steps = (size_t)o->common.steps;
    how.descent.optimiser = o->optimiser;
    how.descent.rate_schedule = o->rate_schedule;
    how.descent.rate = o->rate;
    how.descent.momentum = o->momentum;
    how.descent.patience = (size_t)o->patience;
    size_t validations = una_network_image(&net).height ? VALIDATIONS_OF_IMAGES : VALIDATIONS;
    how.descent.validate_every = how.descent.steps / validations + 1;

    how.batch = (size_t)o->batch;
    how.fit_weight = 1 / (2 * train_noise_var);
    how.penalty = o->penalty;

    una_augment augment = { .image = una_network_image(&net), .flips = o->flips == 1, .shifts = (size_t)o->shifts };
    if (!augment.image.height) augment = (una_augment){0};
    return (una_training_job){ .body = net.body, .shape = net.shape, .augment = augment, .how = how,
                               .start = { .initialisation = o->initialisation, .scale = 1, .lengthscale = 1 },
                               .validate = o->kept == UNA_KEPT_LAST ? UNA_VALIDATE_NOT : UNA_VALIDATE_POSTERIOR };
}

una_status una_basis_groups(size_t **group, const una_columns *columns, una_arena *arena)
{
    UNA_NEW_AT(arena, *group, columns->input_count);
    for (size_t d = 0; d < columns->input_count; d++) {
        const una_input *input = una_columns_input(columns, d);
        (*group)[d] = input->level == SIZE_MAX ? SIZE_MAX : input->source;
    }
    return UNA_OK;
}

/* ---- trainings, and their predictions of rows that they did not see -------------------------------------------- */

typedef struct basis_target {            /* what a training keeps for one target                            */
    una_stats stats;                     /* posterior statistics of its training rows                       */
    una_cells valid;                     /* features and cells of its validation rows                       */
} basis_target;

typedef struct basis_training {
    una_trained_job base;
    size_t    targets;
    basis_target *of;                    /* [targets]                                                       */
} basis_training;

/* Features of the training rows, block by block, into the statistics of every target. */
static una_status absorb_rows(basis_training *t, const una_network_f32 *net, size_t k, void *work, una_run *run)
{
    enum { AT_ONCE = 960 };
    const una_training_rows *r = t->base.job.rows;
    una_cells cells;
    double *phi = una_phi_with_one(AT_ONCE, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_cells_take(&cells, AT_ONCE, k, t->targets, &run->scratch));
    for (size_t from = 0; from < r->rows; from += AT_ONCE) {
        size_t count = r->rows - from < AT_ONCE ? r->rows - from : AT_ONCE;
        net->body->forward(work, t->base.parameters, r->x + from * r->inputs, count,
                           (una_outputs){ .phi = phi, .stride = k });
        for (size_t i = 0; i < t->targets; i++) {
            una_cells_pick(&cells, phi, r->y + from * t->targets, count, i);
            UNA_TRY(una_stats_add(&t->of[i].stats, cells.phi, cells.y, cells.rows, run));
        }
    }
    for (size_t i = 0; i < t->targets; i++) UNA_TRY(una_stats_sum(&t->of[i].stats, run));
    return UNA_OK;
}

/* Also sets the score, with prior variance 1 as in validation: with a chosen one, a printed spec would not give the
 * same training again. Of several targets it is the mean over the cells that exist. */
static una_status basis_finish(void *context, void *training, una_run *run)
{
    basis_training *t = training;
    const una_training_rows *r = t->base.job.rows;
    const una_network_f32 net = { t->base.job.body, t->base.job.shape, NULL };
    size_t k = net.body->size(net.shape).features + 1;
    una_cell_scores scores = { .targets = r->outputs };
    void *work;
    (void)context;
    t->targets = r->outputs;
    t->of = UNA_GET(&t->base.arena, basis_target, t->targets);
    double *valid_phi = una_phi_with_one(r->valid_rows, k, &t->base.arena);
    double *valid_y = una_copy_numbers(r->valid_y, r->valid_rows * t->targets, &t->base.arena);
    for (size_t i = 0; t->of && i < t->targets; i++) una_stats_init(&t->of[i].stats, k, &t->base.arena);
    UNA_TRY(una_arena_check(&t->base.arena));
    UNA_TRY(una_network_work_f32(&work, &net, 0, run));

    UNA_TRY(absorb_rows(t, &net, k, work, run));
    net.body->forward(work, t->base.parameters, r->valid_x, r->valid_rows,
                      (una_outputs){ .phi = valid_phi, .stride = k });
    for (size_t i = 0; i < t->targets; i++) {
        una_cells *valid = &t->of[i].valid;
        UNA_TRY(una_cells_take(valid, r->valid_rows, k, t->targets, &t->base.arena));
        una_cells_pick(valid, valid_phi, valid_y, r->valid_rows, i);
        UNA_TRY(una_cell_scores_add(&scores, &t->of[i].stats, valid, run));
    }
    if (scores.cells > 0) t->base.score = una_cell_scores_mean(&scores);
    return UNA_OK;
}

static una_status basis_evaluate(void *context, const void *const *training, size_t count,
                                 const una_variances *variances, una_valid_loss *sums, una_run *run)
{
    const basis_target *t = &((const basis_training *)training[0])->of[variances->target];
    const una_cells *valid = &t->valid;
    una_held_rows held = { .phi = valid->phi, .y = valid->y, .rows = valid->rows };
    una_head head;
    (void)context, (void)count;                           /* one: feature networks are not mixed */
    if (valid->rows == 0) return UNA_OK;
    UNA_TRY(una_head_init(&head, t->stats.features, &run->scratch));
    head.noise_var = variances->noise_var;
    head.prior_var = variances->prior_var;
    if (variances->evidence) {
        UNA_TRY(una_stats_add(&head.stats, valid->phi, valid->y, valid->rows, run));
        UNA_TRY(una_stats_sum(&head.stats, run));
        UNA_TRY(una_head_solve(&head, run));
        if (una_run_counts(run)) sums->loss -= head.log_evidence;       /* of all rows */
    }

    head.stats = t->stats;
    UNA_TRY(una_head_solve(&head, run));
    UNA_TRY(una_head_score(&head, &held, run));
    if (!variances->evidence) sums->loss -= held.log_lik * (double)valid->rows;
    sums->square += held.rmse * held.rmse * (double)valid->rows;
    sums->rows += valid->rows;
    return UNA_OK;
}

/* ---- what is kept ------------------------------------------------------------------------------------------- */

una_status una_basis_keep_curve(una_fit_result *result, const una_trained *t, una_arena *keep)
{
    result->curve = una_copy_curve((una_curve){ t->validations, t->step, t->loss, t->validation, t->cos2 }, keep);
    result->mean_cos2 = t->mean_cos2;
    return una_arena_check(keep);
}

una_status una_basis_keep(una_basis *basis, const una_trained_job *t, una_fit_result *result, una_arena *keep)
{
    una_body_size size = basis->net.body->size(basis->net.shape);
    UNA_NEW(keep, float, frozen, size.frozen);
    UNA_NEW_AT(keep, basis->parameters, size.parameters);
    memcpy(frozen, t->frozen, size.frozen * sizeof(float));
    memcpy(basis->parameters, t->parameters, size.parameters * sizeof(float));
    basis->net.frozen = frozen;
    return una_basis_keep_curve(result, &t->trained, keep);
}

typedef struct several {                 /* all targets while their network is trained                      */
    una_fitting *f;
    size_t  targets;
    una_network_f32 net;                 /* with the heads of all                                           */
    double *noise_var;                   /* [targets] inside the objective                                  */
    double *scale;                       /* [targets] factors of the scaled targets; NULL: 1                */
    double  common;                      /* the noise variance of scaled targets                            */
    una_target_choice *chosen;           /* [targets]                                                       */
    una_errors errors;
} several;

/* Each target keeps the features and its own heads. */
static una_status cut_target(una_basis *basis, const several *all, size_t target, const float *from, una_arena *keep)
{
    una_body_size own = basis->net.body->size(basis->net.shape), whole = all->net.body->size(all->net.shape);
    size_t wide = UNA_PADDED(own.heads), all_wide = UNA_PADDED(whole.heads);
    float scale = all->scale ? (float)(1 / all->scale[target]) : 1;
    float *to = basis->parameters = UNA_GET(keep, float, own.parameters);
    UNA_TRY(una_arena_check(keep));

    memcpy(to, from, own.head * sizeof *to);
    for (size_t i = 0; i <= own.features; i++)           /* the last is the bias */
        for (size_t m = 0; m < own.heads; m++)
            to[own.head + i * wide + m] = scale * from[whole.head + i * all_wide + target * own.heads + m];
    memcpy(to + own.parameters - own.carried, from + whole.parameters - whole.carried, own.carried * sizeof *to);
    return UNA_OK;
}

static una_status basis_keep(void *context, const void *const *training, size_t count, una_fit_result *result,
                             una_arena *keep, una_run *run)
{
    const several *all = context;
    const una_trained_job *t = training[0];
    (void)count, (void)run;
    for (size_t i = 0; i < all->targets; i++)
        UNA_TRY(cut_target(all->f->target[i].state, all, i, t->parameters, keep));
    return una_basis_keep_curve(result, &t->trained, keep);
}

/* ---- several targets -------------------------------------------------------------------------------------------- */

static una_status oof_errors(double *error, const basis_target *t, const una_target_choice *v, size_t target,
                             size_t targets, una_run *run)
{
    const una_cells *valid = &t->valid;
    una_head head;
    double *mean = UNA_GET(&run->scratch, double, valid->rows);
    UNA_TRY(una_head_init(&head, t->stats.features, &run->scratch));
    head.stats = t->stats;
    head.noise_var = v->noise_var;
    head.prior_var = v->prior_var;
    UNA_TRY(una_head_solve(&head, run));
    UNA_TRY(una_head_predict(&head, valid->phi, valid->rows, mean, NULL, run));
    for (size_t i = 0; i < valid->rows; i++) error[valid->row[i] * targets + target] = valid->y[i] - mean[i];
    return UNA_OK;
}

/* Sums of products of the targets' errors on validation rows. */
static una_status basis_compare(void *context, const void *const *training, const una_target_choice *chosen,
                                una_run *run)
{
    several *all = context;
    const basis_training *t = training[0];
    size_t n = t->targets, rows = t->base.valid_rows;
    UNA_NEW_ROWS(&run->scratch, double, error, rows * n);
    for (size_t i = 0; i < rows * n; i++) error[i] = NAN;
    for (size_t i = 0; i < n; i++)
        if (t->of[i].valid.rows > 0) UNA_TRY(oof_errors(error, &t->of[i], &chosen[i], i, n, run));
    for (size_t i = 0; i < rows; i++) una_errors_add(&all->errors, error + i * n);
    return UNA_OK;
}

/* Sets a job up for heads that stand target by target. */
static void set_target_heads(una_training_job *job, size_t targets, const double *scale)
{
    if (targets == 1) return;
    job->target_heads = job->body->size(job->shape).heads;
    job->how.targets = targets;
    job->how.target_scale = scale;
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

una_status una_basis_noise(double *noise_var, const una_network_f32 *like, const una_basis_options *options,
                           const una_problem *p, una_fit_result *result, una_run *run)
{
    size_t targets = una_problem_outputs(p);
    una_network_f32 net;
    UNA_NEW(&run->scratch, una_target_choice, chosen, targets);
    UNA_NEW(&run->scratch, una_fit_result, own_result, targets);
    for (size_t t = 0; t < targets; t++) chosen[t] = (una_target_choice){ UNA_AUTO, 1, &own_result[t] };

    UNA_TRY(una_network_with_heads(&net, like, targets, &run->scratch));
    una_training_job job = una_basis_job(options, net, &(una_training_settings){0}, pow(options->train_noise_std, 2));
    job.how.descent.stage = "training a plain network for the noise";
    set_target_heads(&job, targets, NULL);
    una_crossfit fit = { .job_size = sizeof(basis_training), .job = &job, .finish = basis_finish,
                         .evaluate = basis_evaluate, .stream = 1 << 16, .targets = targets, .chosen = chosen };
    UNA_TRY(una_crossfit_choose(&fit, p, run));

    for (size_t t = 0; t < targets; t++)
        noise_var[t] = own_result[t].valid_rows ? fmin(1,
                                                       fmax(1e-3, own_result[t].valid_rmse * own_result[t].valid_rmse))
                                            : UNA_PLAIN_NOISE_VAR;
    result->steps += own_result[0].steps;
    return UNA_OK;
}

double una_basis_noise_steps(double steps)
{
    return fmax(1, fmin(steps, fmax(1000, steps / 2)));
}

static una_basis_options *options_of(const una_fitting *f, size_t target)
{
    return f->target[target].options;
}

/* The noise inside the objective: the given one; or, where only its ratio to the penalty counts, a fixed one; or the
 * error of a plain network, which is trained first (*share of the progress). With several targets each has its own
 * noise: training multiplies each target by the root of the common noise over its own. */
static una_status basis_train_noise(several *all, double *share, const una_basis_plan *plan)
{
    const una_fitting *f = all->f;
    una_basis_options plain = *options_of(f, 0);
    bool given = !UNA_IS_AUTO(plain.train_noise_std);
    *share = 0;
    for (size_t t = 0; t < all->targets; t++) {
        const una_basis_options *o = options_of(f, t);
        all->noise_var[t] = given ? pow(o->train_noise_std * unit_of(o->common.units, f->problem, t), 2)
                                  : UNA_PLAIN_NOISE_VAR;
    }
    if (given || (plan->heads == 1 && !plan->marginal)) return UNA_OK;

    plain.common.steps = una_basis_noise_steps(plain.common.steps);
    plain.train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR);
    *share = 0.2;
    UNA_STAGE(f->run, 0, *share,
              una_basis_noise(all->noise_var, &all->net, &plain, f->problem, f->target->result, f->run));
    return UNA_OK;
}

/* The common noise variance is the geometric mean; scaled targets all have it. */
static void scale_targets(several *all)
{
    double sum = 0;
    all->common = all->noise_var[0];
    if (all->targets == 1) return;
    for (size_t t = 0; t < all->targets; t++) sum += log(all->noise_var[t]) / (double)all->targets;
    all->common = exp(sum);
    for (size_t t = 0; t < all->targets; t++) all->scale[t] = sqrt(all->common / all->noise_var[t]);
}

static una_status basis_begin(several *all, una_fitting *f, const una_basis_plan *plan)
{
    const una_problem *p = f->problem;
    una_arena *scratch = &f->run->scratch;
    size_t n = una_problem_outputs(p);
    *all = (several){ .f = f, .targets = n, .scale = n > 1 ? UNA_GET(scratch, double, n) : NULL };
    UNA_NEW_AT(scratch, all->noise_var, n);
    UNA_NEW_AT(scratch, all->chosen, n);
    UNA_TRY(una_errors_take(&all->errors, n, scratch));
    for (size_t t = 0; t < n; t++) {
        una_basis_resolve_for(options_of(f, t), p, options_of(f, t)->common.members != 1, 0.01);
        una_basis *basis = f->target[t].state;
        UNA_TRY(una_network_make(&basis->net, options_of(f, t), plan->heads, false, f));
    }
    const una_basis *first = f->target->state;
    return una_network_with_heads(&all->net, &first->net, plan->heads * n, scratch);
}

/* Noise and prior as chosen, and the posterior of the target's rows. */
static una_status finish_target(const several *all, size_t target)
{
    const una_fitting *f = all->f;
    const una_target_choice *v = &all->chosen[target];
    una_basis *basis = f->target[target].state;
    una_basis_options *o = options_of(f, target);
    una_problem own;
    UNA_TRY(una_problem_target(&own, f->problem, target, &f->run->scratch));
    /* still automatic: there were no validation rows */
    basis->head.noise_var = UNA_IS_AUTO(v->noise_var) ? all->noise_var[target] : v->noise_var;
    basis->head.prior_var = UNA_IS_AUTO(v->prior_var) ? 1 : v->prior_var;
    UNA_TRY(una_basis_posterior(basis, &own, true, f->keep, f->run));
    o->train_noise_std = sqrt(all->noise_var[target]) / una_unit(o->common.units, &own);
    una_basis_report(basis, &o->common, &own, v->result);
    return UNA_OK;
}

/* Steps and learning curve are the same for all targets. */
static una_status share_curve(const una_fitting *f, size_t targets)
{
    const una_fit_result *first = f->target->result;
    for (size_t t = 1; t < targets; t++) {
        una_fit_result *result = f->target[t].result;
        result->steps = first->steps;
        result->mean_cos2 = first->mean_cos2;
        result->curve = una_copy_curve(first->curve, f->keep);
    }
    return una_arena_check(f->keep);
}

static una_status finish_targets(const several *all)
{
    const una_fitting *f = all->f;
    UNA_NEW(&f->run->scratch, double, noise_var, all->targets);
    for (size_t t = 0; t < all->targets; t++) {
        UNA_SCOPED(f->run, finish_target(all, t));
        noise_var[t] = ((const una_basis *)f->target[t].state)->head.noise_var;
    }
    if (!f->coupling) return UNA_OK;
    f->coupling->joint = false;
    return una_errors_noise(f->coupling->noise, &all->errors, noise_var, f->run);
}

/* Only perceptrons can be trained by marginal likelihood or on several targets. */
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

una_status una_basis_fit(una_fitting *f, una_basis_plan *plan)
{
    const una_problem *p = f->problem;
    const una_basis_options *o = options_of(f, 0);
    double share;
    size_t *group;
    several all;
    UNA_TRY(basis_begin(&all, f, plan));
    UNA_TRY(check_convolutions(&all, plan, f->run));
    UNA_TRY(una_basis_groups(&group, p->columns, &f->run->scratch));
    UNA_TRY(basis_train_noise(&all, &share, plan));
    scale_targets(&all);

    una_training_job job = una_basis_job(o, all.net, &plan->training, all.common);
    job.how.descent.stage = plan->stage;
    job.group = group;
    set_target_heads(&job, all.targets, all.scale);
    if (plan->marginal) {
        job.goal = UNA_GOAL_EVIDENCE;
        job.goal_options.evidence.noise_var = all.common;
        job.goal_options.evidence.prior_var = UNA_IS_AUTO(o->common.prior_var) ? 1 : o->common.prior_var;
        job.validate = UNA_VALIDATE_NOT;
    }

    for (size_t t = 0; t < all.targets; t++) {
        const una_common_options *own = &options_of(f, t)->common;
        all.chosen[t] = (una_target_choice){ una_noise_var(own->noise_std, unit_of(own->units, p, t)), own->prior_var,
                                             f->target[t].result };
    }
    una_crossfit fit = { .context = &all, .job_size = sizeof(basis_training), .job = &job, .finish = basis_finish,
                         .evaluate = basis_evaluate, .keep = basis_keep, .restarts = (size_t)o->common.restarts,
                         .by_evidence = o->noise_rule == 1, .targets = all.targets, .chosen = all.chosen,
                         .compare = f->coupling ? basis_compare : NULL,
                         .one_prior = all.targets > 1 && una_problem_complete(p) };
    UNA_STAGE(f->run, share, 1, una_crossfit_run(&fit, p, f->keep, f->run));
    UNA_TRY(share_curve(f, all.targets));
    return finish_targets(&all);
}
