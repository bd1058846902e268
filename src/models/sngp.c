/* SPDX-License-Identifier: MIT
 *
 * Spectral-normalised neural Gaussian process: a residual network that keeps distances, random Fourier features of its
 * last layer, which make a linear head a Gaussian process with an RBF kernel on it, and the posterior of that head.
 *   h <- h + act(W'h + b), singular values of W at most c;  phi = sqrt(2/F) cos(S'h + p);
 *   exact    V = (I/alpha + Phi'Phi/s2)^-1,  m = V Phi'y/s2
 *   laplace  V = (I/alpha + N G/s2)^-1 with G the mean of phi phi' over rows, or followed over batches with momentum;
 *   m the weights training ended with
 *   gp       the process itself, alpha rbf(h) with the same length scale (train/process.c).
 * For images h is what convolutions (nn/conv.h) end with, and the matrix [kernel^2 channels, channels out] of each of
 * them is bounded: that is not the norm of the convolution itself, which may be up to `kernel` times as large, and the
 * normalisations behind them scale as they please, as in the published networks.
 * Source: Liu et al., Simple and principled uncertainty estimation with deterministic deep learning via distance
 * awareness, 2020.
 */
#include "models/sngp.h"

#include "train/crossfit.h"
#include "nn/conv.h"

#define ROW(field, type, initial, low, high, may, choices, help) \
    { #field, type, offsetof(una_sngp_options, field), initial, low, high, may, choices, help }

static const una_option sngp_table[] = {
    UNA_ROWS_BODY_OR(una_sngp_options, basis, "residual", "blocks"),
    UNA_ROWS_SHAPE(una_sngp_options, basis, "2", "residual block", "residual blocks"),
    UNA_ROW(una_sngp_options, basis, features, UNA_COUNT, "200", 1, 4096, false, NULL,
            "random Fourier features of the head"),
    UNA_ROW_ACTIVATION(una_sngp_options, basis, "residual blocks"),
    ROW(bound, UNA_REAL, "0.95", 1e-6, 1e6, false, NULL,
        "c: bound on the largest singular value of each block's weights, or of each convolution's kernel as a matrix; "
        "below 1 keeps distances"),
    ROW(lengthscale, UNA_REAL, "auto", 1e-6, 1e6, true, NULL,
        "length scale of the RBF kernel on the last layer; auto = square root of the number of inputs, for images of "
        "the number of features of the last layer"),
    ROW(head, UNA_WORD, "exact", 0, 0, false, "exact|laplace|gp",
        "posterior: exact on the features; a covariance gathered over batches around the trained weights; or an exact "
        "Gaussian process on the last layer, without random features (rows^3)"),
    ROW(covariance_momentum, UNA_REAL, "auto", 0, 0.999999, true, NULL,
        "laplace: how slowly the covariance follows the batches of shuffled rows; auto = every row counts once, "
        "exactly"),
    UNA_ROWS_RATE(una_sngp_options, basis, "auto", true, "learning rate of Adam; auto = 0.01, for images 0.001"),
    UNA_ROWS_BUDGET(una_sngp_options, basis, "budget of optimiser steps", "auto"),
    UNA_ROW_PENALTY(una_sngp_options, basis, "0.1", ""),
    UNA_ROW_TRAIN_NOISE(una_sngp_options, basis, UNA_TRAIN_NOISE_RATIO),
    UNA_ROW_NOISE("noise std of the target; auto = best likelihood of held-out rows"),
    UNA_ROW_PRIOR("1",
                  "alpha: prior variance of the head's weights, or of the process, on the standardised target; auto = "
                  "chosen from held-out rows"),
    UNA_ROW_UNITS(UNA_NOISE_UNITS),
    UNA_COMMITTEE_TABLE("1", "off"),
    { .name = NULL }
};

/* ---- features --------------------------------------------------------------------------------------------- */

una_feature_map una_sngp_map(const una_sngp *m)
{
    bool process = m->posterior == UNA_SNGP_GP;
    una_network_f32 net = { process ? &una_body_residual_last_f32 : m->net.body, m->net.shape, m->frozen };
    una_feature_map map = una_map_of(net, m->parameters, !process);
    map.gp = process ? &m->gp : NULL;
    return map;
}

/* The trained head's weights in place of the posterior's mean. */
static void take_trained(una_sngp *m)
{
    double *mean = m->head.mean;
    una_body_size size = m->net.body->size(m->net.shape);
    for (size_t k = 0; k <= size.features; k++) mean[k] = (double)m->parameters[size.head + k * UNA_PADDED(size.heads)];
    una_head_set_mean(&m->head, mean);
}

/* ---- training -------------------------------------------------------------------------------------------- */

static una_status need_memory(size_t rows, double matrices, una_run *run)
{
    if (una_gp_memory(rows, matrices, run) == UNA_OK) return UNA_OK;
    una_text why = una_text_in(&run->scratch);
    una_text_add(&why, "%s", una_run_message(run));
    UNA_TRY(una_arena_check(&run->scratch));
    const char *rest = strncmp(why.at, "gp: ", 4) == 0 ? why.at + 4 : why.at;
    UNA_FAIL(run, UNA_E_MEMORY, "sngp with head=gp: %s; head=exact needs no such matrix", rest);
}

typedef struct sngp_training {
    una_trained_job base;
    una_sngp  model;                     /* net, frozen, parameters: those of base                          */
    una_stats stats;                     /* of its training rows                                            */
    double   *phi, *y;                   /* head=gp: its training rows instead                              */
    double   *valid_phi, *valid_y;
    size_t    rows;
} sngp_training;

/* ---- sums of products: exact, or followed over batches with momentum -------------------------------------- */

/* What momentum needs besides the rows. */
typedef struct followed { double momentum; size_t batch; uint64_t seed; } followed;

/* Batch number `step` (from 1 on) enters N times the running means of phi phi', phi y and y^2 with the weight
 * (1 - mu)/(1 - mu^step): as in Adam, none counts for more than the momentum says, the first one included. */
static void follow_batch(una_stats *stats, const una_stats *part, size_t step, double momentum, double rows)
{
    size_t k = stats->features;
    double weight = (1 - momentum) / (1 - pow(momentum, (double)step)), keep = 1 - weight;
    double take = weight * rows / part->rows;
    for (size_t i = 0; i < k * k; i++) stats->gram[i] = keep * stats->gram[i] + take * part->gram[i];
    for (size_t i = 0; i < k; i++) stats->moment[i] = keep * stats->moment[i] + take * part->moment[i];
    stats->square = keep * stats->square + take * part->square;
    stats->rows = rows;
}

/* Several passes, each in its own random order, because files are often sorted and the last rows would dominate. Rows
 * that do not fill a batch wait for the next order. */
static una_status follow_precision(una_stats *stats, const double *phi, const double *y, size_t rows,
                                   const followed *how, una_run *run)
{
    enum { PASSES = 4 };
    una_stats part;
    uint32_t *order;
    size_t k = stats->features, batch = how->batch < rows ? how->batch : rows, step = 0;
    UNA_TRY(una_order_new(&order, rows, &run->scratch));
    una_stats_init(&part, k, &run->scratch);
    UNA_NEW(&run->scratch, double, some, batch * k);
    UNA_NEW(&run->scratch, double, some_y, batch);

    for (size_t pass = 0; pass < PASSES; pass++) {
        una_rng rng = una_rng_at(how->seed, UNA_FOR_BATCHES, (uint64_t)3 << 40 | pass);
        una_rng_permute(&rng, order, rows);
        for (size_t from = 0; from + batch <= rows; from += batch) {
            for (size_t i = 0; i < batch; i++) {
                memcpy(some + i * k, phi + order[from + i] * k, k * sizeof *some);
                some_y[i] = y[order[from + i]];
            }
            una_stats_clear(&part);
            UNA_TRY(una_stats_add(&part, some, some_y, batch, run));
            follow_batch(stats, &part, ++step, how->momentum, (double)rows);
        }
    }
    return UNA_OK;
}

static bool follows_precision(const una_sngp_options *o)
{
    return o->head == UNA_SNGP_LAPLACE && !UNA_IS_AUTO(o->covariance_momentum);
}

/* weight: for exact sums only; followed sums count every row once. */
static una_status sngp_absorb(una_sngp *m, const una_sngp_options *o, const una_problem *p, una_run *run)
{
    una_feature_map map = una_sngp_map(m);
    una_stats *stats = &m->head.stats;
    if (!follows_precision(o)) return una_map_absorb(&map, p->x, p->y, p->weight, stats, run);

    const followed how = { o->covariance_momentum, (size_t)o->basis.batch, p->seed };
    UNA_NEW_ROWS(&run->scratch, double, phi, p->x.rows * stats->features);
    UNA_TRY(una_map_phi(&map, p->x, phi, run));
    return follow_precision(stats, phi, p->y, p->x.rows, &how, run);
}

/* Features of rows in float: phi [rows, columns], or (NULL) into the sums. */
static una_status features_of_some(const una_feature_map *map, const float *x, const double *y, size_t rows, double *phi,
                                   una_stats *stats, una_run *run)
{
    UNA_NEW_ROWS(&run->scratch, double, wide, rows * map->inputs);
    for (size_t i = 0; i < rows * map->inputs; i++) wide[i] = (double)x[i];
    const una_view some = { wide, rows, map->inputs, map->inputs };
    return phi ? una_map_phi(map, some, phi, run) : una_map_absorb(map, some, y, NULL, stats, run);
}

/* All images at once would be too large in double; whole blocks of the map keep the order of the sums. */
static una_status sngp_features(const una_feature_map *map, const float *x, const double *y, size_t rows, double *phi,
                                una_stats *stats, una_run *run)
{
    enum { AT_ONCE = 16 * UNA_MAP_ROWS };
    for (size_t from = 0; from < rows; from += AT_ONCE)
        UNA_SCOPED(run, features_of_some(map, x + from * map->inputs, y ? y + from : NULL,
                                         rows - from < AT_ONCE ? rows - from : AT_ONCE,
                                         phi ? phi + from * una_map_columns(map) : NULL, stats, run));
    return UNA_OK;
}

typedef struct keeping { una_sngp *state; const una_sngp_options *options; } keeping; /* context of the trainings */

/* What evaluating a training needs: sums (or, for a process, features) of its training rows, features of the validation
 * rows. */
static una_status sngp_finish(void *context, void *training, una_run *run)
{
    sngp_training *t = training;
    const keeping *all = context;
    const una_training_rows *r = t->base.job.rows;
    una_arena *arena = &t->base.arena;
    t->model = (una_sngp){ .net = all->state->net, .posterior = all->options->head, .frozen = t->base.frozen,
                           .parameters = t->base.parameters };
    una_feature_map map = una_sngp_map(&t->model);
    size_t k = una_map_columns(&map);
    bool process = t->model.posterior == UNA_SNGP_GP, by_momentum = follows_precision(all->options);

    double *phi = by_momentum ? UNA_GET_ROWS(&run->scratch, double, r->rows * k) : NULL;
    if (process) t->phi = UNA_GET(arena, double, r->rows * k), t->y = una_copy_numbers(r->y, r->rows, arena);
    else una_stats_init(&t->stats, k, arena);
    t->valid_phi = UNA_GET_ROWS(arena, double, r->valid_rows * k);
    t->valid_y = una_copy_numbers(r->valid_y, r->valid_rows, arena);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_arena_check(&run->scratch));

    t->rows = r->rows;
    UNA_TRY(sngp_features(&map, r->x, r->y, r->rows, process ? t->phi : phi, &t->stats, run));
    if (by_momentum) {
        const followed how = { all->options->covariance_momentum, (size_t)all->options->basis.batch,
                               t->base.job.how.seed };
        UNA_TRY(follow_precision(&t->stats, phi, r->y, r->rows, &how, run));
    }
    return sngp_features(&map, r->valid_x, NULL, r->valid_rows, t->valid_phi, NULL, run);
}

/* ---- predictions of validation rows, and what is kept -------------------------------------------------------- */

static una_status evaluate_head(const sngp_training *t, const una_variances *variances, una_held_rows *held,
                                una_run *run)
{
    una_sngp m = t->model;
    UNA_TRY(una_head_init(&m.head, t->stats.features, &run->scratch));
    m.head.noise_var = variances->noise_var;
    m.head.prior_var = variances->prior_var;
    m.head.stats = t->stats;
    UNA_TRY(una_head_solve(&m.head, run));
    if (m.posterior == UNA_SNGP_LAPLACE) take_trained(&m);
    return una_head_score(&m.head, held, run);
}

static una_status evaluate_process(const sngp_training *t, double lengthscale, const una_variances *variances,
                                   una_held_rows *held, una_run *run)
{
    una_gp gp;
    size_t width = una_sngp_map(&t->model).features;
    UNA_TRY(una_tick(run, "choosing the noise of sngp", 1, NAN));
    una_process of = { { { t->phi, t->rows, width, width }, t->y, NULL }, variances->prior_var, lengthscale,
                       variances->noise_var };
    const una_gp_rows valid = { { held->phi, held->rows, width, width }, held->y, NULL };
    UNA_TRY(una_process_solve(&gp, &of, &run->scratch, run));
    return una_gp_judge(&gp, &valid, &held->log_lik, &held->rmse, run);
}

static una_status sngp_evaluate(void *context, const void *const *trainings, size_t count,
                                const una_variances *variances, una_valid_loss *sums, una_run *run)
{
    const sngp_training *t = trainings[0];
    double rows = (double)t->base.valid_rows, lengthscale = ((const keeping *)context)->options->lengthscale;
    una_held_rows held = { .phi = t->valid_phi, .y = t->valid_y, .rows = t->base.valid_rows };
    (void)count;                                         /* one training: networks are not mixed */
    UNA_TRY(t->model.posterior == UNA_SNGP_GP ? evaluate_process(t, lengthscale, variances, &held, run)
                                              : evaluate_head(t, variances, &held, run));
    sums->loss -= held.log_lik * rows;
    sums->square += held.rmse * held.rmse * rows;
    sums->rows += t->base.valid_rows;
    return UNA_OK;
}

static una_status sngp_keep(void *context, const void *const *trainings, size_t count, una_fit_result *result,
                            una_arena *keep, una_run *run)
{
    una_sngp *m = ((const keeping *)context)->state;
    const sngp_training *t = trainings[0];
    una_body_size size = m->net.body->size(m->net.shape);
    (void)count, (void)run;
    UNA_NEW_AT(keep, m->frozen, size.frozen);
    UNA_NEW_AT(keep, m->parameters, size.parameters);
    memcpy(m->frozen, t->model.frozen, size.frozen * sizeof(float));
    memcpy(m->parameters, t->model.parameters, size.parameters * sizeof(float));
    return una_basis_keep_curve(result, &t->base.trained, keep);
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

static una_status solve_head(una_sngp *m, const una_sngp_options *o, const una_problem *p, una_arena *keep,
                             una_run *run)
{
    double noise_var = m->head.noise_var, prior_var = m->head.prior_var;
    una_feature_map map = una_sngp_map(m);
    bool laplace = m->posterior == UNA_SNGP_LAPLACE;
    UNA_TRY(una_head_init(&m->head, una_map_columns(&map), keep));
    m->head.noise_var = noise_var;
    m->head.prior_var = prior_var;
    UNA_SCOPED(run, sngp_absorb(m, o, p, run));
    if (p->valid_joins && !laplace) UNA_TRY(una_map_absorb(&map, p->valid_x, p->valid_y, NULL, &m->head.stats, run));
    UNA_TRY(una_head_solve(&m->head, run));
    if (laplace) take_trained(m);
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
    double *weight = p->weight ? UNA_GET(&run->scratch, double, all) : NULL;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t r = 0; weight && r < all; r++) weight[r] = r < rows ? p->weight[r] : 1;

    memcpy(y, p->y, rows * sizeof *y);
    if (all > rows) memcpy(y + rows, p->valid_y, (all - rows) * sizeof *y);
    UNA_TRY(una_map_phi(&map, p->x, h, run));
    if (all > rows) UNA_TRY(una_map_phi(&map, p->valid_x, h + rows * width, run));

    una_process of = { { { h, all, width, width }, y, weight }, m->head.prior_var, o->lengthscale, m->head.noise_var };
    UNA_TRY(una_process_solve(&m->gp, &of, keep, run));
    una_gp_note_jitter(&result->notes, &m->gp, m->head.prior_var, true);
    return UNA_OK;
}

/* The network, and options that depend on it. */
static una_status make_network(una_sngp *m, una_sngp_options *o, const una_problem *p, una_arena *keep, una_run *run)
{
    una_basis_options *b = &o->basis;
    una_network_plan plan = { .body = b->body, .width = (size_t)b->width, .depth = (size_t)b->depth,
                              .features = (size_t)b->features, .activation = b->activation, .fourier = true };
    UNA_TRY(una_network_make(&m->net, &plan, p->columns, p->x.cols, 1, keep, run));
    b->body = plan.body;
    bool convolves = una_network_image(&m->net).height > 0;
    double last = convolves ? (double)((const una_conv *)m->net.shape)->channels : (double)p->x.cols;
    if (UNA_IS_AUTO(o->lengthscale)) o->lengthscale = sqrt(last);
    if (convolves && o->head == UNA_SNGP_GP)
        UNA_FAIL(run, UNA_E_USAGE, "sngp: head=gp, the process itself, is not possible with convolutions; use "
                 "head=exact, its random features, or body=residual");
    return UNA_OK;
}

static una_status sngp_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_sngp *m = f->target->state;
    una_sngp_options *o = f->target->options;
    una_basis_options *b = &o->basis;
    una_fit_result *result = f->target->result;
    una_arena *keep = f->keep;
    una_run *run = f->run;
    double unit = una_unit(b->common.units, p);
    bool chosen = UNA_IS_AUTO(b->common.noise_std);
    UNA_TRY(una_kernels_need(run));
    b->optimiser = UNA_ADAM;
    una_basis_resolve_for(b, p, false, 0.01);
    UNA_TRY(make_network(m, o, p, keep, run));
    m->posterior = o->head;
    size_t rows = posterior_rows(p) > una_table_rows(p) ? posterior_rows(p) : una_table_rows(p);
    if (o->head == UNA_SNGP_GP) UNA_TRY(need_memory(rows, 1, run));      /* and for rows added in the end */

    double train_noise_var = UNA_IS_AUTO(b->train_noise_std) ? UNA_PLAIN_NOISE_VAR : pow(b->train_noise_std * unit, 2);
    una_training_job job = una_basis_job(b, m->net, &(una_training_settings){0}, train_noise_var);
    job.start.lengthscale = o->lengthscale;
    job.goal_options.squares.bound = o->bound;
    job.how.descent.stage = "training sngp";
    job.validate = UNA_VALIDATE_ERROR;

    keeping all = { m, o };
    una_crossfit fit = { .context = &all, .job_size = sizeof(sngp_training), .job = &job, .finish = sngp_finish,
                         .evaluate = sngp_evaluate, .keep = sngp_keep, .restarts = 1, .prior_var = b->common.prior_var,
                         .noise_var = una_noise_var(b->common.noise_std, unit),
                         .least_noise_var = 1e-6,
                         .tolerance = o->head == UNA_SNGP_GP ? 1e-3 : 1e-5 };    /* each costs rows^3 */
    UNA_TRY(una_crossfit_run(&fit, p, result, keep, run));

    m->head.noise_var = UNA_IS_AUTO(fit.noise_var) ? train_noise_var : fit.noise_var;    /* no validation rows */
    m->head.prior_var = UNA_IS_AUTO(fit.prior_var) ? 1 : fit.prior_var;
    UNA_TRY(o->head == UNA_SNGP_GP ? solve_process(m, o, p, result, keep, run) : solve_head(m, o, p, keep, run));
    if (o->head == UNA_SNGP_EXACT) una_basis_check_noise(&m->head, chosen, result);
    result->noise_var = m->head.noise_var;
    result->prior_var = m->head.prior_var;
    result->log_evidence = o->head == UNA_SNGP_GP ? m->gp.log_evidence : m->head.log_evidence;
    b->train_noise_std = sqrt(train_noise_var) / unit;
    b->common.noise_std = sqrt(m->head.noise_var) / unit;
    b->common.prior_var = m->head.prior_var;
    return UNA_OK;
}

/* ---- the rest of the model interface ------------------------------------------------------------------------ */

static una_status sngp_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    return una_map_predict(&map, &m->head, x, out, run);
}

static una_status sngp_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    if (m->posterior == UNA_SNGP_LAPLACE)
        UNA_FAIL(run, UNA_E_USAGE, "sngp with head=laplace has no exact update: fit it again on all rows "
                 "(una update --with OLD.csv does that), or use head=exact");
    if (m->posterior != UNA_SNGP_GP) return una_map_observe(&map, &m->head, more, result, run);
    size_t rows = m->gp.rows + more->x.rows;
    if (rows > m->gp.room) UNA_TRY(need_memory(rows, 2.5, run));
    return una_process_observe(&map, &m->gp, more, result, keep, run);
}

/* A new posterior for the same target. The trained weights (laplace) and a process have no search by evidence:
 * automatic values stay as they were. */
static una_status sngp_relearn(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_sngp *m = f->target->state;
    una_sngp_options *o = f->target->options;
    una_common_options *common = &o->basis.common;
    una_fit_result *result = f->target->result;
    una_feature_map map = una_sngp_map(m);
    if (m->posterior == UNA_SNGP_EXACT) return una_head_relearn(&map, &m->head, f);

    double noise_var = una_noise_var(common->noise_std, una_unit(common->units, p));
    bool process = m->posterior == UNA_SNGP_GP;
    if (process) UNA_TRY(need_memory(p->x.rows, 1, f->run));
    if (!UNA_IS_AUTO(noise_var)) m->head.noise_var = noise_var;
    if (!UNA_IS_AUTO(common->prior_var)) m->head.prior_var = common->prior_var;
    UNA_TRY(process ? solve_process(m, o, p, result, f->keep, f->run) : solve_head(m, o, p, f->keep, f->run));
    result->noise_var = m->head.noise_var;
    result->prior_var = m->head.prior_var;
    result->log_evidence = process ? m->gp.log_evidence : m->head.log_evidence;
    return UNA_OK;
}

/* For another target the trained weights mean nothing, and a process needs its noise from outside. */
static una_status sngp_check_relearn(const void *options, una_run *run)
{
    if (((const una_sngp_options *)options)->head != UNA_SNGP_EXACT)
        UNA_FAIL(run, UNA_E_USAGE, "sngp keeps its features apart from its posterior with head=exact only: fit it "
                 "again");
    return UNA_OK;
}

static una_status sngp_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    return una_map_draw(&map, &m->head, x, how, f, run);
}

static una_status sngp_slope(const void *state, const double *x, una_slope *at, una_run *run)
{
    const una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    return una_map_slope(&map, &m->head, x, at, run);
}

static una_status sngp_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    const una_sngp *m = state;
    una_sngp *drawn = function;
    if (m->posterior == UNA_SNGP_GP)
        UNA_FAIL(run, UNA_E_USAGE, "sngp with head=gp cannot give a function for all rows at once: una_model_draw "
                 "gives it at rows that are named beforehand, or use head=exact");
    *drawn = *m;
    return una_head_sample(&drawn->head, &m->head, rng, keep, run);
}

/* A process has no finite features. */
static una_status sngp_leaves(const void *state, una_view x, double weight, una_leaf_task *task, void *context,
                              una_run *run)
{
    static const una_kind process = { .name = "sngp", .predict = sngp_predict };
    const una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    if (m->posterior == UNA_SNGP_GP) return una_kind_leaves(&process, state, x, weight, task, context, run);
    return una_map_leaf(&map, &m->head, x, weight, task, context, run);
}

/* ---- saving: without padding, which is a matter of the kernels -------------------------------------------- */

static una_status exchange_rows(una_archive *ar, const char *name, float *at, size_t rows, size_t cols, size_t stride)
{
    float *packed = ar->loading ? NULL : UNA_GET(ar->arena, float, rows * cols);
    for (size_t r = 0; packed && r < rows; r++) memcpy(packed + r * cols, at + r * stride, cols * sizeof *packed);
    UNA_TRY(una_arena_check(ar->arena));
    UNA_TRY(una_archive_f32s(ar, name, &packed, rows * cols));
    for (size_t r = 0; ar->loading && r < rows; r++) memcpy(at + r * stride, packed + r * cols, cols * sizeof *packed);
    return UNA_OK;
}

static una_status exchange_blocks(una_network_f32 *at, una_archive *ar)
{
    UNA_NEW(ar->arena, una_residual, net, 1);         /* a copy when saving */
    if (!ar->loading) *net = *(const una_residual *)at->shape;
    UNA_TRY(una_archive_size(ar, "inputs", &net->inputs, ar->inputs, ar->inputs));
    UNA_TRY(una_archive_size(ar, "width", &net->width, 1, 4096));
    UNA_TRY(una_archive_size(ar, "depth", &net->depth, 1, UNA_MAX_LAYERS));
    UNA_TRY(una_archive_size(ar, "fourier", &net->features, 1, 4096));
    UNA_TRY(una_activation_exchange(&net->activation, ar));
    una_residual_shape(net);
    if (ar->loading) *at = (una_network_f32){ &una_body_residual_f32, net, NULL };
    return UNA_OK;
}

static una_status exchange_numbers(una_sngp *m, una_archive *ar)
{
    una_matrix at;
    for (size_t i = 0; m->net.body->matrix(m->net.shape, i, &at); i++)
        UNA_TRY(exchange_rows(ar, at.name, (at.frozen ? m->frozen : m->parameters) + at.at, at.rows, at.cols,
                              at.stride));
    return UNA_OK;
}

/* The matrices fill the whole block but for padding. */
static una_status expect_numbers(const una_sngp *m, una_archive *ar)
{
    una_matrix at;
    uint64_t numbers = 0;
    for (size_t i = 0; m->net.body->matrix(m->net.shape, i, &at); i++) numbers += (uint64_t)at.rows * at.cols;
    return una_archive_expect(ar, "width", numbers, sizeof(float));
}

static una_status exchange_process(una_sngp *m, una_archive *ar)
{
    size_t inputs = ar->inputs;
    ar->inputs = una_sngp_map(m).features;               /* of the process: the columns of h */
    una_status status = una_gp_exchange(&m->gp, ar);
    ar->inputs = inputs;
    return status;
}

static una_status sngp_exchange(void *state, una_archive *ar)
{
    una_sngp *m = state;
    bool convolves = ar->loading ? una_archive_next_is(ar, "fourier") : una_network_image(&m->net).height > 0;
    UNA_TRY(convolves ? una_network_exchange_fourier(&m->net, ar) : exchange_blocks(&m->net, ar));
    UNA_TRY(una_archive_word(ar, "laplace", &m->posterior, UNA_SNGP_GP + 1));            /* its old name */
    if (convolves && m->posterior == UNA_SNGP_GP) return una_archive_refuse(ar, "laplace", "does not fit the network");

    una_body_size size = m->net.body->size(m->net.shape);
    UNA_TRY(expect_numbers(m, ar));
    if (ar->loading) {
        UNA_NEW_AT(ar->arena, m->frozen, size.frozen);
        UNA_NEW_AT(ar->arena, m->parameters, size.parameters);
    }
    UNA_TRY(exchange_numbers(m, ar));

    if (m->posterior == UNA_SNGP_GP) return exchange_process(m, ar);
    UNA_TRY(una_head_exchange(&m->head, ar));
    if (m->head.stats.features != size.features + 1)
        return una_archive_refuse(ar, "features", "does not fit the network");
    if (ar->loading && m->posterior == UNA_SNGP_LAPLACE && !m->head.sure) take_trained(m);
    return UNA_OK;
}

const una_kind una_kind_sngp = {
    .name = "sngp",
    .summary = "spectral-normalised neural Gaussian process: distance-keeping features under random Fourier features",
    .source = "Liu et al., Simple and principled uncertainty estimation, 2020",
    .options = sngp_table,
    .options_size = sizeof(una_sngp_options),
    .state_size = sizeof(una_sngp),
    .thesis = "width=50, depth=2, features=200, activation=relu, bound=1, lengthscale=1, head=exact, rate=0.001, "
              "rate_schedule=constant, epochs=20000, batch=32, penalty=0.1, train_noise_std=1, prior_var=1, "
              "units=standardised, members=1, relevance=off, noise=constant",
    .results = 5,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = sngp_fit,
    .fit_to.images = sngp_fit,
    .predict = sngp_predict,
    .exchange = sngp_exchange,
    .observe = sngp_observe,
    .relearn = sngp_relearn,
    .check_relearn = sngp_check_relearn,
    .draw = sngp_draw,
    .slope = sngp_slope,
    .sample = sngp_sample,
    .leaves = sngp_leaves,
};
