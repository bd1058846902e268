/* SPDX-License-Identifier: MIT
 *
 * Training SNGP. A step: batch, gradient, Adam, then one power iteration per block and W <- c W/sigma where sigma > c.
 * At the end the iteration is run until it stands still, so that the bound holds for the weights that are kept. Noise
 * (and, if asked for, the prior variance) come from rows that did not train the features: held-out rows, or five folds
 * in turn on small data.
 */
#include "models/held.h"
#include "models/sngp.h"
#include "nn/spectral.h"

#include <string.h>

static const double plain_noise_var = 0.09;      /* inside the objective, where only its ratio to the penalty counts */

/* ---- one training ----------------------------------------------------------------------------------------- */

typedef struct trial {                   /* a fold, or the whole                                            */
    una_arena arena;                     /* its results; re-homed to the caller's run at the end            */
    una_sngp  model;                     /* net, frozen, parameters                                         */
    una_stats stats;                     /* of its training rows                                            */
    double   *phi, *y;                   /* head=gp: its training rows instead                              */
    double   *held_phi, *held_y;
    size_t    rows, held;
    una_trained trained;
} trial;

typedef struct trials {
    const una_residual *net;
    const una_sngp_options *options;
    const una_problem *problem;
    size_t folds, steps;
    double train_noise_var;
    uint64_t stream;
    trial *trial;
} trials;

typedef struct stepper {                 /* what steps and looks need                                       */
    const una_residual *shape;
    una_network_f32 net;
    una_training how;
    una_held held;
    una_batches batches;
    void *work;
    una_spectral_f32 *spectral;          /* [depth]                                                         */
    double *f, bound;                    /* f [held]                                                        */
} stepper;

static una_status set_up(stepper *l, const trials *all, trial *t, size_t index, una_run *run)
{
    const una_residual *net = all->net;
    una_training none = {0};
    una_arena *scratch = &run->scratch;
    *l = (stepper){ .shape = net, .bound = all->options->bound };

    UNA_TRY(una_held_split(&l->held, all->problem, all->folds ? index : SIZE_MAX, scratch));
    l->how = una_basis_training(&all->options->basis, l->held.rows, &none, all->train_noise_var, all->problem->seed,
                                all->stream + index);
    l->how.descent.stage = "training sngp";
    if (all->steps) l->how.descent.steps = all->steps;
    UNA_TRY(una_batches_init(&l->batches, l->held.x, l->held.target, l->held.rows, l->held.inputs, l->how.batch,
                             l->how.seed, l->how.stream, scratch));

    t->model = (una_sngp){ .net = *net, .posterior = all->options->head,
                           .frozen = UNA_GET(&t->arena, float, net->frozen),
                           .parameters = UNA_GET(&t->arena, float, net->parameters) };
    UNA_TRY(una_arena_check(&t->arena));
    una_rng rng = una_rng_at(l->how.seed, UNA_FOR_INIT, l->how.stream);
    una_residual_initialise_f32(net, all->options->lengthscale, &rng, t->model.frozen, t->model.parameters);
    l->net = (una_network_f32){ &una_body_residual_f32, net, t->model.frozen };

    l->spectral = UNA_GET(scratch, una_spectral_f32, net->depth);
    for (size_t b = 0; l->spectral && b < net->depth; b++)
        una_spectral_init_f32(&l->spectral[b], net->width, net->width, UNA_PADDED(net->width), &rng, scratch);
    l->f = UNA_GET(scratch, double, l->held.held);
    UNA_TRY(una_arena_check(scratch));
    return una_network_work_f32(&l->work, &l->net, l->batches.most, run);
}

static una_status gradient(void *context, size_t step, const float *parameters, float *g, una_losses *losses,
                           una_run *run)
{
    stepper *l = context;
    (void)step;
    (void)run;
    una_batches_next(&l->batches);
    double share = (double)l->batches.rows / (double)l->held.rows;
    l->net.body->gradient(&l->net, parameters, l->batches.x, l->batches.target, l->batches.rows, l->how.fit_weight,
                          l->how.penalty * share, g, losses, l->work);
    return UNA_OK;
}

static void bound_blocks(void *context, float *parameters, bool last)
{
    stepper *l = context;
    for (size_t b = 0; b < l->shape->depth; b++) {
        una_spectral_f32 *s = &l->spectral[b];
        float *w = parameters + b * l->shape->layer;
        una_spectral_bound_f32(s, last ? una_spectral_norm_f32(s, w) : una_spectral_step_f32(s, w), l->bound, w);
    }
}

static una_status look(void *context, const float *parameters, double *score, una_run *run)
{
    stepper *l = context;
    (void)run;
    double square = una_network_square_f32(&l->net, parameters, l->held.held_x, l->held.held_y, l->held.held, l->f,
                                           l->work);
    *score = una_held_score(square / (double)l->held.held);
    return UNA_OK;
}

/* ---- sums of products: exact, or followed over batches with momentum -------------------------------------- */

/* N times the running means of phi phi', phi y and y^2, over one pass of batches; the first batch starts them. */
static void follow(una_stats *stats, const double *phi, const double *y, size_t rows, size_t batch, double momentum,
                   una_stats *part)
{
    size_t k = stats->features;
    for (size_t from = 0; from < rows; from += batch) {
        size_t count = rows - from < batch ? rows - from : batch;
        double keep = from ? momentum : 0, take = (1 - keep) * (double)rows / (double)count;
        memset(part->gram, 0, k * k * sizeof *part->gram);
        memset(part->moment, 0, k * sizeof *part->moment);
        part->square = part->rows = 0;
        una_stats_add(part, phi + from * k, y + from, count);
        for (size_t i = 0; i < k * k; i++) stats->gram[i] = keep * stats->gram[i] + take * part->gram[i];
        for (size_t i = 0; i < k; i++) stats->moment[i] = keep * stats->moment[i] + take * part->moment[i];
        stats->square = keep * stats->square + take * part->square;
    }
    stats->rows = (double)rows;
}

static una_status gather(una_stats *stats, const una_sngp *m, const una_sngp_options *o, una_view x, const double *y,
                         una_run *run)
{
    una_feature_map map = una_sngp_map(m);
    if (o->head == UNA_SNGP_EXACT) return una_map_absorb(&map, x, y, stats, run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_stats part;
    una_stats_init(&part, stats->features, &run->scratch);
    double *phi = UNA_GET_ROWS(&run->scratch, double, x.rows * stats->features);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_map_phi(&map, x, phi, run);
    if (status == UNA_OK) follow(stats, phi, y, x.rows, (size_t)o->basis.batch, o->covariance_momentum, &part);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Rows in double, as the head wants them. */
static una_view widened(const float *x, size_t rows, size_t inputs, una_arena *arena)
{
    double *wide = UNA_GET_ROWS(arena, double, rows * inputs);
    for (size_t i = 0; wide && i < rows * inputs; i++) wide[i] = (double)x[i];
    return (una_view){ wide, rows, inputs, inputs };
}

/* What judges the trial: sums (or, for a process, features) of its training rows, features of the others. */
static una_status finish(trial *t, const trials *all, const stepper *l, una_run *run)
{
    una_feature_map map = una_sngp_map(&t->model);
    size_t k = una_map_columns(&map), rows = l->held.rows, held = l->held.held;
    bool process = t->model.posterior == UNA_SNGP_GP;
    una_view x = widened(l->held.x, rows, l->held.inputs, &run->scratch);
    una_view held_x = widened(l->held.held_x, held, l->held.inputs, &run->scratch);
    if (process) t->phi = UNA_GET(&t->arena, double, rows * k), t->y = UNA_GET(&t->arena, double, rows);
    else una_stats_init(&t->stats, k, &t->arena);
    t->rows = rows;
    t->held = held;
    t->held_phi = UNA_GET_ROWS(&t->arena, double, held * k);
    t->held_y = UNA_GET(&t->arena, double, held);
    UNA_TRY(una_arena_check(&t->arena));
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(t->held_y, l->held.held_y, held * sizeof(double));
    if (process) memcpy(t->y, l->held.y, rows * sizeof(double));
    UNA_TRY(process ? una_map_phi(&map, x, t->phi, run)
                    : gather(&t->stats, &t->model, all->options, x, l->held.y, run));
    return una_map_phi(&map, held_x, t->held_phi, run);
}

static una_status one_trial(void *context, size_t index, una_run *child)
{
    const trials *all = context;
    trial *t = &all->trial[index];
    stepper l;
    UNA_TRY(set_up(&l, all, t, index, child));
    una_trainable_f32 what = { .parameters = l.shape->parameters, .context = &l, .gradient = gradient,
                               .settle = bound_blocks, .watch = { &l, l.held.held ? look : NULL } };
    UNA_TRY(una_descend_f32(&what, t->model.parameters, &l.how.descent, &t->trained, &t->arena, child));
    return finish(t, all, &l, child);
}

static una_status run_trials(trials *all, size_t count, una_run *run)
{
    all->trial = UNA_GET(&run->scratch, trial, count);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_jobs_run(run, all->trial, sizeof *all->trial, count, one_trial, all);
}

/* ---- noise and prior -------------------------------------------------------------------------------------- */

typedef struct judge {                   /* context of the choice                                           */
    const trial *trial;
    const una_sngp_options *options;
    double noise_var, prior_var;         /* noise_var: given, or UNA_AUTO                                   */
    size_t count;
    una_run *run;
} judge;

static una_status judge_head(const trial *t, const judge *by, double noise_var, double *log_lik, double *rmse,
                             una_run *run)
{
    una_sngp m = t->model;
    una_head_init(&m.head, t->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    m.head.noise_var = noise_var;
    m.head.prior_var = by->prior_var;
    m.head.stats = t->stats;
    UNA_TRY(una_head_solve(&m.head, run));
    if (m.posterior == UNA_SNGP_LAPLACE) una_sngp_take_trained(&m);
    return una_head_score(&m.head, t->held_phi, t->held_y, t->held, log_lik, rmse, run);
}

static una_status judge_process(const trial *t, const judge *by, double noise_var, double *log_lik, double *rmse,
                                una_run *run)
{
    una_gp gp;
    UNA_TRY(una_tick(run, "choosing the noise of sngp", 1, NAN));
    UNA_TRY(una_sngp_gp_solve(&gp, t->model.net.width, by->prior_var, by->options->lengthscale, noise_var, t->phi,
                              t->y, t->rows, &run->scratch, run));
    return una_gp_judge(&gp, t->held_phi, t->held_y, t->held, log_lik, rmse, run);
}

static una_status judge_trial(void *context, size_t index, double noise_var, double *loss, double *square, size_t *rows,
                              una_run *run)
{
    const judge *by = context;
    const trial *t = &by->trial[index];
    double log_lik, rmse;
    UNA_TRY(t->model.posterior == UNA_SNGP_GP ? judge_process(t, by, noise_var, &log_lik, &rmse, run)
                                              : judge_head(t, by, noise_var, &log_lik, &rmse, run));
    *loss -= log_lik * (double)t->held;
    *square += rmse * rmse * (double)t->held;
    *rows = t->held;
    return UNA_OK;
}

/* At by->prior_var; *noise_var is chosen if it is UNA_AUTO, one standard error of its logarithm up. */
static una_status choose_noise(double *noise_var, judge *by, una_pooled *p, double *log_lik)
{
    double log_noise = log(*noise_var);
    *p = (una_pooled){ .count = by->count, .context = by, .judge = judge_trial, .run = by->run };
    if (UNA_IS_AUTO(*noise_var)) {
        double tolerance = by->options->head == UNA_SNGP_GP ? 1e-3 : 1e-5;       /* each look costs rows^3 there */
        log_noise = una_minimise(una_pooled_loss, p, log(1e-6), log(4), tolerance);
        UNA_TRY(p->status);
        log_noise += sqrt(2 / (double)p->rows);
        *noise_var = exp(log_noise);
    }
    *log_lik = -una_pooled_loss(log_noise, p) / (double)p->rows;
    return p->status;
}

static una_status score_prior(void *context, double prior_var, double *log_lik)
{
    judge *by = context;
    una_pooled p;
    double noise_var = by->noise_var;
    by->prior_var = prior_var;
    return choose_noise(&noise_var, by, &p, log_lik);
}

static una_status choose(double *noise_var, double *prior_var, const trials *all, size_t count, una_fit_result *result,
                         una_run *run)
{
    judge by = { .trial = all->trial, .options = all->options, .noise_var = *noise_var, .count = count, .run = run };
    una_pooled p;
    if (UNA_IS_AUTO(*prior_var)) UNA_TRY(una_held_prior(prior_var, score_prior, &by));
    by.prior_var = *prior_var;
    UNA_TRY(choose_noise(noise_var, &by, &p, &result->valid_log_lik));
    result->valid_rows = p.rows;
    result->valid_rmse = sqrt(p.square / (double)p.rows);
    return UNA_OK;
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

static una_status fit_folds(trials *all, double *noise_var, double *prior_var, una_fit_result *result, una_run *run)
{
    size_t best[256] = {0}, folds = all->folds;
    una_status status = run_trials(all, folds, run);
    if (status == UNA_OK) status = choose(noise_var, prior_var, all, folds, result, run);
    for (size_t i = 0; status == UNA_OK && i < folds; i++) {
        best[i] = all->trial[i].trained.best_step;
        result->steps += all->trial[i].trained.steps;
    }
    una_jobs_free(all->trial, sizeof *all->trial, folds);
    all->steps = una_held_median(best, folds);
    all->stream += folds;
    all->folds = 0;
    return status;
}

static una_status keep_trial(una_sngp *m, const trial *t, una_fit_result *result, una_arena *keep)
{
    m->frozen = UNA_GET(keep, float, m->net.frozen);
    m->parameters = UNA_GET(keep, float, m->net.parameters);
    UNA_TRY(una_arena_check(keep));
    memcpy(m->frozen, t->model.frozen, m->net.frozen * sizeof(float));
    memcpy(m->parameters, t->model.parameters, m->net.parameters * sizeof(float));
    result->steps += t->trained.steps;
    return una_held_curve(result, t->trained.looks, t->trained.step, t->trained.loss, t->trained.look, keep);
}

static una_status fit_network(una_sngp *m, trials *all, double *noise_var, double *prior_var, una_fit_result *result,
                              una_arena *keep, una_run *run)
{
    double from = run->progress_from, to = run->progress_to;
    bool folds = all->folds > 0;
    if (folds) {
        run->progress_to = from + (to - from) * (double)all->folds / (double)(all->folds + 1);
        una_status judged = fit_folds(all, noise_var, prior_var, result, run);
        run->progress_from = judged == UNA_OK ? run->progress_to : from;
        run->progress_to = to;
        UNA_TRY(judged);
    }
    una_status status = run_trials(all, 1, run);
    run->progress_from = from;
    if (status == UNA_OK && !folds && all->trial->held) status = choose(noise_var, prior_var, all, 1, result, run);
    if (status == UNA_OK) status = keep_trial(m, all->trial, result, keep);
    una_jobs_free(all->trial, sizeof *all->trial, 1);
    return status;
}

static una_status solve_head(una_sngp *m, const una_sngp_options *o, const una_problem *p, una_arena *keep,
                             una_run *run)
{
    double noise_var = m->head.noise_var, prior_var = m->head.prior_var;
    una_feature_map map = una_sngp_map(m);
    bool laplace = m->posterior == UNA_SNGP_LAPLACE;
    una_head_init(&m->head, m->net.features + 1, keep);
    UNA_TRY(una_arena_check(keep));
    m->head.noise_var = noise_var;
    m->head.prior_var = prior_var;
    UNA_TRY(gather(&m->head.stats, m, o, p->x, p->y, run));
    if (p->valid_joins && !laplace) UNA_TRY(una_map_absorb(&map, p->valid_x, p->valid_y, &m->head.stats, run));
    UNA_TRY(una_head_solve(&m->head, run));
    if (laplace) una_sngp_take_trained(m);
    return UNA_OK;
}

static size_t posterior_rows(const una_problem *p)
{
    return p->x.rows + (p->valid_joins ? p->valid_x.rows : 0);
}

static una_status solve_process(una_sngp *m, const una_sngp_options *o, const una_problem *p, una_fit_result *result,
                                una_arena *keep, una_run *run)
{
    una_feature_map map = una_sngp_map(m);
    size_t rows = p->x.rows, all = posterior_rows(p), width = map.features;
    double *h = UNA_GET(&run->scratch, double, all * width), *y = UNA_GET(&run->scratch, double, all);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(y, p->y, rows * sizeof *y);
    if (all > rows) memcpy(y + rows, p->valid_y, (all - rows) * sizeof *y);
    UNA_TRY(una_map_phi(&map, p->x, h, run));
    if (all > rows) UNA_TRY(una_map_phi(&map, p->valid_x, h + rows * width, run));
    UNA_TRY(una_sngp_gp_solve(&m->gp, width, m->head.prior_var, o->lengthscale, m->head.noise_var, h, y, all, keep,
                              run));
    if (m->gp.jitter_var > 0)
        una_notes_add(&result->notes, "A jitter of %.3g of the prior variance was added to the diagonal of the "
                      "covariance, which had no Cholesky factor without it.", m->gp.jitter_var / m->head.prior_var);
    return UNA_OK;
}

una_status una_sngp_fit(void *state, void *options, const una_problem *p, una_fit_result *result, una_arena *keep,
                        una_run *run)
{
    una_sngp *m = state;
    una_sngp_options *o = options;
    una_basis_options *b = &o->basis;
    double unit = una_basis_unit(b, p), noise_var = UNA_IS_AUTO(b->noise_std) ? UNA_AUTO : pow(b->noise_std * unit, 2);
    double train_noise_var = UNA_IS_AUTO(b->train_noise_std) ? plain_noise_var : pow(b->train_noise_std * unit, 2);
    double prior_var = b->prior_var;
    UNA_TRY(una_kernels_need(run));
    b->optimiser = UNA_ADAM;
    una_basis_resolve(b, p->x.rows, 1);
    if (UNA_IS_AUTO(o->lengthscale)) o->lengthscale = sqrt((double)p->x.cols);
    m->posterior = o->head;
    if (o->head == UNA_SNGP_GP) UNA_TRY(una_sngp_gp_memory(posterior_rows(p), 1, run));
    una_outline outline = { p->x.cols, (size_t)b->width, (size_t)b->depth, (size_t)b->features, 1,
                            (una_activation)b->activation };
    una_body_residual_f32.shape(&m->net, &outline);
    trials all = { .net = &m->net, .options = o, .problem = p, .folds = p->folds, .train_noise_var = train_noise_var };
    UNA_TRY(fit_network(m, &all, &noise_var, &prior_var, result, keep, run));
    m->head.noise_var = UNA_IS_AUTO(noise_var) ? train_noise_var : noise_var; /* auto still: no row was held out */
    m->head.prior_var = UNA_IS_AUTO(prior_var) ? 1 : prior_var;
    UNA_TRY(o->head == UNA_SNGP_GP ? solve_process(m, o, p, result, keep, run) : solve_head(m, o, p, keep, run));
    if (o->head == UNA_SNGP_EXACT) una_basis_check_noise(&m->head, result);
    result->noise_var = m->head.noise_var;
    result->prior_var = m->head.prior_var;
    result->log_evidence = o->head == UNA_SNGP_GP ? m->gp.log_evidence : m->head.log_evidence;
    b->train_noise_std = sqrt(train_noise_var) / unit;
    b->noise_std = sqrt(m->head.noise_var) / unit;
    b->prior_var = m->head.prior_var;
    return UNA_OK;
}
