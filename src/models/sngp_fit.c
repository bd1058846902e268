/* SPDX-License-Identifier: MIT
 *
 * Training SNGP. A step: batch, gradient, Adam, then one power iteration per block and W <- c W/sigma where sigma > c.
 * At the end the iteration is run until it stands still, so that the bound holds for the weights that are kept. Noise
 * (and, if asked for, the prior variance) come from rows that did not train the features: held-out rows, or five folds
 * in turn on small data.
 */
#include "fit/crossfit.h"
#include "models/sngp.h"
#include "nn/spectral.h"

#include <string.h>

/* ---- one training ----------------------------------------------------------------------------------------- */

typedef struct trial {
    una_trial base;
    una_sngp  model;                     /* net, frozen, parameters                                         */
    una_stats stats;                     /* of its training rows                                            */
    double   *phi, *y;                   /* head=gp: its training rows instead                              */
    double   *held_phi, *held_y;
    size_t    rows;
} trial;

typedef struct lesson {                  /* context of the trainings                                        */
    una_sngp *state;                     /* its net; what is kept goes there                                */
    const una_sngp_options *options;
    double train_noise_var;
} lesson;

typedef struct lesson_round { const lesson *lesson; const una_round *round; trial *trial; } lesson_round;

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

static una_status set_up(stepper *l, const lesson_round *at, trial *t, size_t index, una_run *run)
{
    const lesson *all = at->lesson;
    const una_residual *net = &all->state->net;
    una_training none = {0};
    una_arena *scratch = &run->scratch;
    *l = (stepper){ .shape = net, .bound = all->options->bound };

    UNA_TRY(una_held_split(&l->held, at->round->problem, una_round_fold(at->round, index), scratch));
    l->how = una_basis_training(&all->options->basis, l->held.rows, &none, all->train_noise_var,
                                at->round->problem->seed, at->round->stream + index);
    l->how.descent.stage = "training sngp";
    if (at->round->steps) l->how.descent.steps = at->round->steps;
    UNA_TRY(una_batches_init(&l->batches, l->held.x, l->held.target, l->held.rows, l->held.inputs, l->how.batch,
                             l->how.seed, l->how.stream, scratch));

    t->model = (una_sngp){ .net = *net, .posterior = all->options->head,
                           .frozen = UNA_GET(&t->base.arena, float, net->frozen),
                           .parameters = UNA_GET(&t->base.arena, float, net->parameters) };
    UNA_TRY(una_arena_check(&t->base.arena));
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
static una_status finish(trial *t, const lesson *all, const stepper *l, una_run *run)
{
    una_feature_map map = una_sngp_map(&t->model);
    size_t k = una_map_columns(&map), rows = l->held.rows, held = l->held.held;
    bool process = t->model.posterior == UNA_SNGP_GP;
    una_view x = widened(l->held.x, rows, l->held.inputs, &run->scratch);
    una_view held_x = widened(l->held.held_x, held, l->held.inputs, &run->scratch);
    if (process) t->phi = UNA_GET(&t->base.arena, double, rows * k), t->y = UNA_GET(&t->base.arena, double, rows);
    else una_stats_init(&t->stats, k, &t->base.arena);
    t->rows = rows;
    t->base.held = held;
    t->held_phi = UNA_GET_ROWS(&t->base.arena, double, held * k);
    t->held_y = UNA_GET(&t->base.arena, double, held);
    UNA_TRY(una_arena_check(&t->base.arena));
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(t->held_y, l->held.held_y, held * sizeof(double));
    if (process) memcpy(t->y, l->held.y, rows * sizeof(double));
    UNA_TRY(process ? una_map_phi(&map, x, t->phi, run)
                    : gather(&t->stats, &t->model, all->options, x, l->held.y, run));
    return una_map_phi(&map, held_x, t->held_phi, run);
}

static una_status train_one(void *context, size_t index, una_run *child)
{
    const lesson_round *at = context;
    trial *t = &at->trial[index];
    stepper l;
    UNA_TRY(set_up(&l, at, t, index, child));
    una_trainable_f32 what = { .parameters = l.shape->parameters, .context = &l, .gradient = gradient,
                               .settle = bound_blocks, .watch = { &l, l.held.held ? look : NULL } };
    UNA_TRY(una_descend_f32(&what, t->model.parameters, &l.how.descent, &t->base.trained, &t->base.arena, child));
    return finish(t, at->lesson, &l, child);
}

static una_status sngp_train(void *context, const una_round *round, void *trials, una_run *run)
{
    lesson_round at = { context, round, trials };
    return una_jobs_run(run, trials, sizeof *at.trial, round->count, train_one, &at);
}

/* ---- what a training says of rows it did not see, and what is kept of it ------------------------------------- */

static una_status judge_head(const trial *t, const una_question *question, double *log_lik, double *rmse, una_run *run)
{
    una_sngp m = t->model;
    una_head_init(&m.head, t->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    m.head.noise_var = question->noise_var;
    m.head.prior_var = question->prior_var;
    m.head.stats = t->stats;
    UNA_TRY(una_head_solve(&m.head, run));
    if (m.posterior == UNA_SNGP_LAPLACE) una_sngp_take_trained(&m);
    return una_head_score(&m.head, t->held_phi, t->held_y, t->base.held, log_lik, rmse, run);
}

static una_status judge_process(const trial *t, double lengthscale, const una_question *question, double *log_lik,
                                double *rmse, una_run *run)
{
    una_gp gp;
    UNA_TRY(una_tick(run, "choosing the noise of sngp", 1, NAN));
    UNA_TRY(una_sngp_gp_solve(&gp, t->model.net.width, question->prior_var, lengthscale, question->noise_var, t->phi,
                              t->y, t->rows, &run->scratch, run));
    return una_gp_judge(&gp, t->held_phi, t->held_y, t->base.held, log_lik, rmse, run);
}

static una_status sngp_judge(void *context, const void *const *trials, size_t count, const una_question *question,
                             una_answer *answer, una_run *run)
{
    const trial *t = trials[0];
    double rows = (double)t->base.held, lengthscale = ((const lesson *)context)->options->lengthscale, log_lik, rmse;
    (void)count;                                         /* one: networks are not mixed */
    UNA_TRY(t->model.posterior == UNA_SNGP_GP ? judge_process(t, lengthscale, question, &log_lik, &rmse, run)
                                              : judge_head(t, question, &log_lik, &rmse, run));
    answer->loss -= log_lik * rows;
    answer->square += rmse * rmse * rows;
    answer->rows += t->base.held;
    return UNA_OK;
}

static una_status sngp_keep(void *context, const void *const *trials, size_t count, una_fit_result *result,
                            una_arena *keep, una_run *run)
{
    una_sngp *m = ((const lesson *)context)->state;
    const trial *t = trials[0];
    (void)count, (void)run;
    m->frozen = UNA_GET(keep, float, m->net.frozen);
    m->parameters = UNA_GET(keep, float, m->net.parameters);
    UNA_TRY(una_arena_check(keep));
    memcpy(m->frozen, t->model.frozen, m->net.frozen * sizeof(float));
    memcpy(m->parameters, t->model.parameters, m->net.parameters * sizeof(float));
    return una_basis_keep_curve(result, &t->base.trained, keep);
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

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
    double unit = una_basis_unit(b, p);
    UNA_TRY(una_kernels_need(run));
    b->optimiser = UNA_ADAM;
    una_basis_resolve(b, p->x.rows, 1);
    if (UNA_IS_AUTO(o->lengthscale)) o->lengthscale = sqrt((double)p->x.cols);
    m->posterior = o->head;
    if (o->head == UNA_SNGP_GP) UNA_TRY(una_sngp_gp_memory(posterior_rows(p), 1, run));
    m->net = (una_residual){ .inputs = p->x.cols, .width = (size_t)b->width, .depth = (size_t)b->depth,
                             .features = (size_t)b->features, .activation = (una_activation)b->activation };
    una_residual_shape(&m->net);

    lesson all = { .state = m, .options = o, .train_noise_var = UNA_IS_AUTO(b->train_noise_std) ? UNA_PLAIN_NOISE_VAR
                   : pow(b->train_noise_std * unit, 2) };
    una_crossfit fit = { .context = &all, .trial_size = sizeof(trial), .train = sngp_train, .judge = sngp_judge,
                         .keep = sngp_keep, .restarts = 1, .prior_var = b->prior_var,
                         .noise_var = UNA_IS_AUTO(b->noise_std) ? UNA_AUTO : pow(b->noise_std * unit, 2),
                         .tolerance = o->head == UNA_SNGP_GP ? 1e-3 : 0 };       /* each look costs rows^3 there */
    UNA_TRY(una_crossfit_run(&fit, p, result, keep, run));

    m->head.noise_var = UNA_IS_AUTO(fit.noise_var) ? all.train_noise_var : fit.noise_var;    /* no row was held out */
    m->head.prior_var = UNA_IS_AUTO(fit.prior_var) ? 1 : fit.prior_var;
    UNA_TRY(o->head == UNA_SNGP_GP ? solve_process(m, o, p, result, keep, run) : solve_head(m, o, p, keep, run));
    if (o->head == UNA_SNGP_EXACT) una_basis_check_noise(&m->head, result);
    result->noise_var = m->head.noise_var;
    result->prior_var = m->head.prior_var;
    result->log_evidence = o->head == UNA_SNGP_GP ? m->gp.log_evidence : m->head.log_evidence;
    b->train_noise_std = sqrt(all.train_noise_var) / unit;
    b->noise_std = sqrt(m->head.noise_var) / unit;
    b->prior_var = m->head.prior_var;
    return UNA_OK;
}
