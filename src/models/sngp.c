/* SPDX-License-Identifier: MIT
 *
 * Spectral-normalised neural Gaussian process: a residual network that keeps distances, random Fourier features of its
 * last layer, which make a linear head a Gaussian process with an RBF kernel on it, and the posterior of that head.
 *   h <- h + act(W'h + b), singular values of W at most c;  phi = sqrt(2/F) cos(S'h + p);
 *   exact    V = (I/alpha + Phi'Phi/s2)^-1,  m = V Phi'y/s2
 *   laplace  V = (I/alpha + N G/s2)^-1 with G the mean of phi phi' over rows, or followed over batches with momentum;
 *   m the weights training ended with
 *   gp       the process itself, alpha exp(-|h(x) - h(x')|^2/(2 lengthscale^2)); its rows stay in it.
 * For images h is what convolutions (nn/conv.h) end with, and the matrix [kernel^2 channels, channels out] of each of
 * them is bounded: that is not the norm of the convolution itself, which may be up to `kernel` times as large, and the
 * normalisations behind them scale as they please, as in the published networks.
 * Source: Liu et al., Simple and principled uncertainty estimation with deterministic deep learning via distance
 * awareness, 2020.
 */
#include "models/sngp.h"

#include "committee/committee.h"
#include "train/crossfit.h"
#include "nn/conv.h"
#include "nn/residual.h"

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
    UNA_ROW_TAILS,
    { .name = NULL }
};

/* ---- features --------------------------------------------------------------------------------------------- */

/* The trained head's weights in place of the posterior's mean. */
static void take_trained(una_basis *m)
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
    const char *why = una_arena_text(&run->scratch, una_run_message(run));
    UNA_TRY(una_arena_check(&run->scratch));
    const char *rest = strncmp(why, "gp: ", 4) == 0 ? why + 4 : why;
    UNA_FAIL(run, UNA_E_MEMORY, "sngp with head=gp: %s; head=exact needs no such matrix", rest);
}

typedef struct sngp_training {
    una_trained_job base;
    una_basis model;                     /* with the numbers of base                                        */
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
    return o->head == UNA_POSTERIOR_LAPLACE && !UNA_IS_AUTO(o->covariance_momentum);
}

/* weight: for exact sums only; followed sums count every row once. */
static una_status sngp_absorb(una_basis *m, const una_sngp_options *o, const una_problem *p, una_run *run)
{
    const una_feature_map map = una_basis_map(m);
    una_view phi;
    if (!follows_precision(o)) return una_map_absorb(&map, p->x, p->y, p->weight, &m->head.stats, run);

    const followed how = { o->covariance_momentum, (size_t)o->basis.batch, p->seed };
    UNA_TRY(una_basis_phi(m, p->x, &phi, run));
    return follow_precision(&m->head.stats, phi.at, p->y, p->x.rows, &how, run);
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

typedef struct keeping { una_basis *state; const una_sngp_options *options; } keeping; /* context of the trainings */

/* What evaluating a training needs: sums (or, for a process, features) of its training rows, features of the validation
 * rows. */
static una_status sngp_finish(void *context, void *training, una_run *run)
{
    sngp_training *t = training;
    const keeping *all = context;
    const una_training_rows *r = t->base.job.rows;
    una_arena *arena = &t->base.arena;
    t->model = (una_basis){ .net = all->state->net, .posterior = all->options->head, .parameters = t->base.parameters };
    t->model.net.frozen = t->base.frozen;
    const una_feature_map map = una_basis_map(&t->model);
    size_t k = una_map_columns(&map);
    bool process = t->model.posterior == UNA_POSTERIOR_PROCESS, by_momentum = follows_precision(all->options);

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
    una_basis m = t->model;
    UNA_TRY(una_head_init(&m.head, t->stats.features, &run->scratch));
    m.head.noise_var = variances->noise_var;
    m.head.prior_var = variances->prior_var;
    m.head.stats = t->stats;
    UNA_TRY(una_head_solve(&m.head, run));
    if (m.posterior == UNA_POSTERIOR_LAPLACE) take_trained(&m);
    return una_head_score(&m.head, held, run);
}

/* The process on features of rows, under the variances of the state's head, with the jitter that it needs. */
static una_status solve_on_features(una_basis *m, const una_gp_rows *of, double lengthscale, una_arena *keep,
                                    una_run *run)
{
    una_kernel *kernel;
    size_t width = of->x.cols;
    UNA_NEW(&run->scratch, const char *, name, width);
    for (size_t d = 0; d < width; d++) name[d] = "";
    const una_kernel_inputs inputs = { .name = name, .count = width };
    UNA_TRY(una_kernel_parse(&kernel, "rbf", &inputs, keep, run));
    kernel->parameter[0] = m->head.prior_var;
    una_gp_set_lengths(kernel, lengthscale);
    UNA_TRY(una_gp_init(&m->gp, kernel, *of, keep));
    m->gp.noise_var = m->head.noise_var;
    return una_gp_solve_jittered(&m->gp, run);
}

static una_status evaluate_process(const sngp_training *t, double lengthscale, const una_variances *variances,
                                   una_held_rows *held, una_run *run)
{
    una_basis m = t->model;
    size_t width = una_basis_map(&m).features;
    const una_gp_rows rows = { { t->phi, t->rows, width, width }, t->y, NULL };
    const una_gp_rows valid = { { held->phi, held->rows, width, width }, held->y, NULL };
    UNA_TRY(una_tick(run, "choosing the noise of sngp", 1, NAN));
    m.head.noise_var = variances->noise_var;
    m.head.prior_var = variances->prior_var;
    UNA_TRY(solve_on_features(&m, &rows, lengthscale, &run->scratch, run));
    return una_gp_judge(&m.gp, &valid, &held->log_lik, &held->rmse, run);
}

static una_status sngp_evaluate(void *context, const void *const *trainings, size_t count,
                                const una_variances *variances, una_valid_loss *sums, una_run *run)
{
    const sngp_training *t = trainings[0];
    double rows = (double)t->base.valid_rows, lengthscale = ((const keeping *)context)->options->lengthscale;
    una_held_rows held = { .phi = t->valid_phi, .y = t->valid_y, .rows = t->base.valid_rows };
    (void)count;                                         /* one training: networks are not mixed */
    UNA_TRY(t->model.posterior == UNA_POSTERIOR_PROCESS ? evaluate_process(t, lengthscale, variances, &held, run)
                                              : evaluate_head(t, variances, &held, run));
    sums->loss -= held.log_lik * rows;
    sums->square += held.rmse * held.rmse * rows;
    sums->rows += t->base.valid_rows;
    return UNA_OK;
}

static una_status sngp_keep(void *context, const void *const *trainings, size_t count, una_fit_result *result,
                            una_arena *keep, una_run *run)
{
    const sngp_training *t = trainings[0];
    (void)count, (void)run;
    return una_basis_keep(((const keeping *)context)->state, &t->base, result, keep);
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

/* Around the trained weights; held-out rows do not join. */
static una_status solve_laplace(una_basis *m, const una_sngp_options *o, const una_problem *p, una_arena *keep,
                                una_run *run)
{
    double noise_var = m->head.noise_var, prior_var = m->head.prior_var;
    const una_feature_map map = una_basis_map(m);
    UNA_TRY(una_head_init(&m->head, una_map_columns(&map), keep));
    m->head.noise_var = noise_var;
    m->head.prior_var = prior_var;
    UNA_SCOPED(run, sngp_absorb(m, o, p, run));
    UNA_TRY(una_head_solve(&m->head, run));
    take_trained(m);
    return UNA_OK;
}

static size_t posterior_rows(const una_problem *p)
{
    return p->x.rows + (p->valid_joins ? p->valid_x.rows : 0);
}

static una_status solve_process(una_basis *m, const una_sngp_options *o, const una_problem *p, una_fit_result *result,
                                una_arena *keep, una_run *run)
{
    const una_feature_map map = una_basis_map(m);
    size_t rows = p->x.rows, all = posterior_rows(p), width = map.features;
    UNA_NEW(&run->scratch, double, h, all * width);
    UNA_NEW(&run->scratch, double, y, all);
    UNA_NEW(&run->scratch, double, weight, all);
    for (size_t r = 0; r < all; r++) weight[r] = p->weight && r < rows ? p->weight[r] : 1;

    memcpy(y, p->y, rows * sizeof *y);
    if (all > rows) memcpy(y + rows, p->valid_y, (all - rows) * sizeof *y);
    UNA_TRY(una_map_phi(&map, p->x, h, run));
    if (all > rows) UNA_TRY(una_map_phi(&map, p->valid_x, h + rows * width, run));

    const una_gp_rows of = { { h, all, width, width }, y, p->weight ? weight : NULL };
    UNA_TRY(solve_on_features(m, &of, o->lengthscale, keep, run));
    una_gp_note_jitter(&result->notes, &m->gp, m->head.prior_var, true);
    return UNA_OK;
}

/* The posterior by the variances that stand in the state's head, for result and options too. */
static una_status sngp_solve(una_fitting *f)
{
    una_basis *m = f->target->state;
    una_sngp_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    const una_problem *p = f->problem;
    if (o->head == UNA_POSTERIOR_EXACT) UNA_TRY(una_basis_posterior(m, p, true, f->keep, f->run));
    if (o->head == UNA_POSTERIOR_LAPLACE) UNA_TRY(solve_laplace(m, o, p, f->keep, f->run));
    if (o->head == UNA_POSTERIOR_PROCESS) UNA_TRY(solve_process(m, o, p, result, f->keep, f->run));
    una_basis_report(m, &o->basis.common, p, result);
    return UNA_OK;
}

/* The network, and options that depend on it. */
static una_status make_network(una_fitting *f)
{
    una_basis *m = f->target->state;
    una_sngp_options *o = f->target->options;
    UNA_TRY(una_network_make(&m->net, &o->basis, 1, true, f));
    bool convolves = una_network_image(&m->net).height > 0;
    double last = convolves ? (double)((const una_conv *)m->net.shape)->channels : (double)f->problem->x.cols;
    if (UNA_IS_AUTO(o->lengthscale)) o->lengthscale = sqrt(last);
    if (convolves && o->head == UNA_POSTERIOR_PROCESS)
        UNA_FAIL(f->run, UNA_E_USAGE, "sngp: head=gp, the process itself, is not possible with convolutions; use "
                 "head=exact, its random features, or body=residual");
    return UNA_OK;
}

static una_status sngp_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_basis *m = f->target->state;
    una_sngp_options *o = f->target->options;
    una_basis_options *b = &o->basis;
    double unit = una_unit(b->common.units, p);
    bool process = o->head == UNA_POSTERIOR_PROCESS;
    b->optimiser = UNA_ADAM;
    una_basis_resolve_for(b, p, false, 0.01);
    UNA_TRY(make_network(f));
    size_t rows = posterior_rows(p) > una_table_rows(p) ? posterior_rows(p) : una_table_rows(p);
    if (process) UNA_TRY(need_memory(rows, 1, f->run));  /* and for rows added in the end */

    double train_noise_var = UNA_IS_AUTO(b->train_noise_std) ? UNA_PLAIN_NOISE_VAR : pow(b->train_noise_std * unit, 2);
    una_training_job job = una_basis_job(b, m->net, &(una_training_settings){0}, train_noise_var);
    job.start.lengthscale = o->lengthscale;
    job.goal_options.squares.bound = o->bound;
    job.how.descent.stage = "training sngp";
    job.validate = UNA_VALIDATE_ERROR;
    m->posterior = o->head;
    if (process) m->net.body = &una_body_residual_last_f32;

    keeping all = { m, o };
    una_target_choice chosen = { una_noise_var(b->common.noise_std, unit), b->common.prior_var, f->target->result };
    una_crossfit fit = { .context = &all, .job_size = sizeof(sngp_training), .job = &job, .finish = sngp_finish,
                         .evaluate = sngp_evaluate, .keep = sngp_keep, .restarts = 1, .targets = 1, .chosen = &chosen,
                         .least_noise_var = 1e-6, .tolerance = process ? 1e-3 : 1e-5 };  /* each costs rows^3 */
    UNA_TRY(una_crossfit_run(&fit, p, f->keep, f->run));

    m->head.noise_var = UNA_IS_AUTO(chosen.noise_var) ? train_noise_var : chosen.noise_var;  /* no validation rows */
    m->head.prior_var = UNA_IS_AUTO(chosen.prior_var) ? 1 : chosen.prior_var;
    b->train_noise_std = sqrt(train_noise_var) / unit;
    return sngp_solve(f);
}

/* ---- the rest of the model interface ------------------------------------------------------------------------ */

static una_status sngp_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    const una_basis *m = state;
    size_t rows = m->gp.rows + more->x.rows;
    if (m->posterior == UNA_POSTERIOR_LAPLACE)
        UNA_FAIL(run, UNA_E_USAGE, "sngp with head=laplace has no exact update: fit it again on all rows "
                 "(una update --with OLD.csv does that), or use head=exact");
    if (m->posterior == UNA_POSTERIOR_PROCESS && rows > m->gp.room) UNA_TRY(need_memory(rows, 2.5, run));
    return una_basis_observe(state, more, result, keep, run);
}

/* A new posterior for the same target. The trained weights (laplace) and a process have no search by evidence:
 * automatic values stay as they were. */
static una_status sngp_relearn(una_fitting *f)
{
    una_basis *m = f->target->state;
    const una_common_options *o = f->target->options;
    if (m->posterior == UNA_POSTERIOR_EXACT) return una_basis_relearn(f);
    if (m->posterior == UNA_POSTERIOR_PROCESS) UNA_TRY(need_memory(f->problem->x.rows, 1, f->run));
    if (!UNA_IS_AUTO(o->noise_std)) m->head.noise_var = una_noise_var(o->noise_std, una_unit(o->units, f->problem));
    if (!UNA_IS_AUTO(o->prior_var)) m->head.prior_var = o->prior_var;
    return sngp_solve(f);
}

/* For another target the trained weights mean nothing, and a process needs its noise from outside. */
static una_status sngp_check_relearn(const void *options, una_run *run)
{
    if (((const una_sngp_options *)options)->head != UNA_POSTERIOR_EXACT)
        UNA_FAIL(run, UNA_E_USAGE, "sngp keeps its features apart from its posterior with head=exact only: fit it "
                 "again");
    return UNA_OK;
}

static una_status sngp_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    if (((const una_basis *)state)->posterior == UNA_POSTERIOR_PROCESS)
        UNA_FAIL(run, UNA_E_USAGE, "sngp with head=gp cannot give a function for all rows at once: una_model_draw "
                 "gives it at rows that are named beforehand, or use head=exact");
    return una_basis_sample(function, state, rng, keep, run);
}

/* A process has no finite features. */
static una_status sngp_leaves(const void *state, una_view x, double weight, una_leaf_task *task, void *context,
                              una_run *run)
{
    static const una_kind process = { .name = "sngp", .predict = una_basis_predict };
    return ((const una_basis *)state)->posterior == UNA_POSTERIOR_PROCESS
               ? una_kind_leaves(&process, state, x, weight, task, context, run)
               : una_basis_leaves(state, x, weight, task, context, run);
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

/* Into new ones when loading. */
static una_status exchange_numbers(una_basis *m, una_archive *ar)
{
    una_matrix at;
    una_body_size size = m->net.body->size(m->net.shape);
    UNA_NEW(ar->arena, float, frozen, size.frozen);
    if (ar->loading) UNA_NEW_AT(ar->arena, m->parameters, size.parameters);
    else memcpy(frozen, m->net.frozen, size.frozen * sizeof *frozen);
    for (size_t i = 0; m->net.body->matrix(m->net.shape, i, &at); i++)
        UNA_TRY(exchange_rows(ar, at.name, (at.frozen ? frozen : m->parameters) + at.at, at.rows, at.cols, at.stride));
    if (ar->loading) m->net.frozen = frozen;
    return UNA_OK;
}

/* The matrices fill the whole block but for padding. */
static una_status expect_numbers(const una_basis *m, una_archive *ar)
{
    una_matrix at;
    uint64_t numbers = 0;
    for (size_t i = 0; m->net.body->matrix(m->net.shape, i, &at); i++) numbers += (uint64_t)at.rows * at.cols;
    return una_archive_expect(ar, "width", numbers, sizeof(float));
}

static una_status exchange_process(una_basis *m, una_archive *ar)
{
    size_t inputs = ar->inputs;
    ar->inputs = una_basis_map(m).features;               /* of the process: the columns of h */
    una_status status = una_gp_exchange(&m->gp, ar);
    ar->inputs = inputs;
    return status;
}

static una_status sngp_exchange(void *state, una_archive *ar)
{
    una_basis *m = state;
    bool convolves = ar->loading ? una_archive_next_is(ar, "fourier") : una_network_image(&m->net).height > 0;
    UNA_TRY(convolves ? una_network_exchange_fourier(&m->net, ar) : exchange_blocks(&m->net, ar));
    UNA_TRY(una_archive_word(ar, "laplace", &m->posterior, UNA_POSTERIOR_PROCESS + 1));  /* its old name */
    bool process = m->posterior == UNA_POSTERIOR_PROCESS;
    if (convolves && process) return una_archive_refuse(ar, "laplace", "does not fit the network");
    if (process) m->net.body = &una_body_residual_last_f32;

    UNA_TRY(expect_numbers(m, ar));
    UNA_TRY(exchange_numbers(m, ar));
    if (process) return exchange_process(m, ar);
    UNA_TRY(una_basis_exchange_head(m, ar));
    if (ar->loading && m->posterior == UNA_POSTERIOR_LAPLACE && !m->head.sure) take_trained(m);
    return UNA_OK;
}

const una_kind una_kind_sngp = {
    .name = "sngp",
    .summary = "spectral-normalised neural Gaussian process: distance-keeping features under random Fourier features",
    .source = "Liu et al., Simple and principled uncertainty estimation, 2020",
    .options = sngp_table,
    .options_size = sizeof(una_sngp_options),
    .state_size = sizeof(una_basis),
    .thesis = "width=50, depth=2, features=200, activation=relu, bound=1, lengthscale=1, head=exact, rate=0.001, "
              "rate_schedule=constant, epochs=20000, batch=32, penalty=0.1, train_noise_std=1, prior_var=1, "
              "units=standardised, members=1, relevance=off, noise=constant",
    .results = 6,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = sngp_fit,
    .fit_to.images = sngp_fit,
    .predict = una_basis_predict,
    .exchange = sngp_exchange,
    .observe = sngp_observe,
    .rescale = una_basis_rescale,
    .relearn = sngp_relearn,
    .check_relearn = sngp_check_relearn,
    .draw = una_basis_draw,
    .slope = una_basis_slope,
    .sample = sngp_sample,
    .leaves = sngp_leaves,
};
