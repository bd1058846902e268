/* SPDX-License-Identifier: MIT
 *
 * Training SNGP: squared errors of the residual network, its blocks bounded after every step (fit/goals.c); noise and,
 * if asked for, the prior variance by rows that did not train (fit/crossfit.c); then the posterior of all rows.
 */
#include "fit/crossfit.h"
#include "models/sngp.h"

#include <string.h>

typedef struct trial {
    una_trial base;
    una_sngp  model;                     /* net, frozen, parameters: those of base                          */
    una_stats stats;                     /* of its training rows                                            */
    double   *phi, *y;                   /* head=gp: its training rows instead                              */
    double   *held_phi, *held_y;
    size_t    rows;
} trial;

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

typedef struct keeping { una_sngp *state; const una_sngp_options *options; } keeping; /* context of the trainings */

/* What judges the trial: sums (or, for a process, features) of its training rows, features of the others. */
static una_status finish(void *context, void *trial_at, una_run *run)
{
    trial *t = trial_at;
    const keeping *all = context;
    const una_held *r = t->base.lesson.rows;
    una_arena *arena = &t->base.arena;
    t->model = (una_sngp){ .net = all->state->net, .posterior = all->options->head, .frozen = t->base.frozen,
                           .parameters = t->base.parameters };
    una_feature_map map = una_sngp_map(&t->model);
    size_t k = una_map_columns(&map);
    bool process = t->model.posterior == UNA_SNGP_GP;
    una_view x = widened(r->x, r->rows, r->inputs, &run->scratch);
    una_view held_x = widened(r->held_x, r->held, r->inputs, &run->scratch);
    if (process) t->phi = UNA_GET(arena, double, r->rows * k), t->y = una_held_copy(r->y, r->rows, arena);
    else una_stats_init(&t->stats, k, arena);
    t->held_phi = UNA_GET_ROWS(arena, double, r->held * k);
    t->held_y = una_held_copy(r->held_y, r->held, arena);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_arena_check(&run->scratch));

    t->rows = r->rows;
    UNA_TRY(process ? una_map_phi(&map, x, t->phi, run)
                    : gather(&t->stats, &t->model, all->options, x, r->y, run));
    return una_map_phi(&map, held_x, t->held_phi, run);
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
    double rows = (double)t->base.held, lengthscale = ((const keeping *)context)->options->lengthscale, log_lik, rmse;
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
    una_sngp *m = ((const keeping *)context)->state;
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

    double train_noise_var = UNA_IS_AUTO(b->train_noise_std) ? UNA_PLAIN_NOISE_VAR : pow(b->train_noise_std * unit, 2);
    una_lesson lesson = una_basis_lesson(b, NULL, &(una_training){0}, train_noise_var);
    lesson.body = &una_body_residual_f32;
    lesson.shape = &m->net;
    lesson.start.lengthscale = o->lengthscale;
    lesson.of.squares.bound = o->bound;
    lesson.how.descent.stage = "training sngp";
    lesson.look = UNA_LOOK_ERROR;
    keeping all = { m, o };
    una_crossfit fit = { .context = &all, .trial_size = sizeof(trial), .lesson = &lesson, .finish = finish,
                         .judge = sngp_judge, .keep = sngp_keep, .restarts = 1, .prior_var = b->prior_var,
                         .noise_var = UNA_IS_AUTO(b->noise_std) ? UNA_AUTO : pow(b->noise_std * unit, 2),
                         .tolerance = o->head == UNA_SNGP_GP ? 1e-3 : 0 };       /* each look costs rows^3 there */
    UNA_TRY(una_crossfit_run(&fit, p, result, keep, run));

    m->head.noise_var = UNA_IS_AUTO(fit.noise_var) ? train_noise_var : fit.noise_var;    /* no row was held out */
    m->head.prior_var = UNA_IS_AUTO(fit.prior_var) ? 1 : fit.prior_var;
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
