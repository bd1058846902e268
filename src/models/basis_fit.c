/* SPDX-License-Identifier: MIT
 *
 * Training features and choosing the noise. The evidence of rows that trained the features is known to fail (the features
 * have fitted the noise), so noise, early stopping and the choice among restarts use rows that the features did not see:
 * held-out rows, or five folds in turn on small data. Then the posterior takes all rows.
 */
#include "models/basis.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK_ROWS = 4096, LOOKS = 40 };   /* at most so many rows are looked at; looks in a whole training */
static const double plain_noise_var = 0.09;      /* inside the objective of one head only its ratio to the penalty counts */

double una_to_standard(double value, const una_problem *problem)
{
    return problem->standardised_units ? value : value / problem->columns->target_scale;
}

double una_from_standard(double value, const una_problem *problem)
{
    return problem->standardised_units ? value : value * problem->columns->target_scale;
}

/* ---- automatic numbers ---------------------------------------------------------------------------------- */

static double steps_rule(double rows, double batches)
{
    double by_rows = 6000 * sqrt(rows / 500);            /* more rows hold more to learn ... */
    double epochs = 12 * batches;                        /* ... and each should be seen a few times */
    return fmax(fmin(fmax(by_rows, 4000), 16000), fmin(epochs, 30000));
}

void una_basis_resolve(una_basis_options *o, size_t rows, double steps_factor)
{
    if (UNA_IS_AUTO(o->features)) o->features = o->width;
    if (UNA_IS_AUTO(o->batch)) o->batch = rows < 200 ? (double)rows : 128;
    if (o->batch > (double)rows) o->batch = (double)rows;
    double batches = fmax(1, floor((double)rows / o->batch + 0.5));
    if (UNA_IS_AUTO(o->steps))
        o->steps = UNA_IS_AUTO(o->epochs) ? floor(steps_factor * steps_rule((double)rows, batches)) : o->epochs * batches;
    o->epochs = fmax(1, floor(o->steps / batches + 0.5));
    if (UNA_IS_AUTO(o->patience)) o->patience = 0;
}

una_training una_basis_training(const una_basis_options *o, size_t rows, const una_training *diversity, double train_noise_var,
                                uint64_t seed, uint64_t stream)
{
    una_training how = *diversity;
    how.steps = (size_t)o->steps;
    how.batch = (size_t)o->batch < rows ? (size_t)o->batch : 0;
    how.optimiser = o->optimiser;
    how.rate_schedule = o->rate_schedule;
    how.rate = o->rate;
    how.momentum = o->momentum;
    how.fit_weight = 1 / (2 * train_noise_var);
    how.penalty = o->penalty;
    how.patience = (size_t)o->patience;
    how.look_every = how.steps / LOOKS + 1;
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

/* ---- one training --------------------------------------------------------------------------------------- */

typedef struct watch {                   /* what a look needs: posterior of training rows, judged on others */
    const una_net *net;
    const float *x, *watch_x;            /* [rows, inputs], [watch_rows, inputs]                            */
    const double *y, *watch_y;
    size_t rows, watch_rows;
    double *phi, *watch_phi;
    una_stats stats;
    una_work_f32 *work;
} watch;

static una_status look(void *context, const float *parameters, double *score, una_run *run)
{
    watch *w = context;
    size_t k = una_net_features(w->net) + 1;
    una_net_forward_f32(w->net, parameters, w->x, w->rows, w->phi, k, NULL, w->work);
    una_net_forward_f32(w->net, parameters, w->watch_x, w->watch_rows, w->watch_phi, k, NULL, w->work);
    memset(w->stats.gram, 0, k * k * sizeof(double));
    memset(w->stats.moment, 0, k * sizeof(double));
    w->stats.square = w->stats.rows = 0;
    una_stats_add(&w->stats, w->phi, w->y, w->rows);
    double noise_var = UNA_AUTO, rmse;
    return una_choose_valid(&noise_var, 1, &w->stats, w->watch_phi, w->watch_y, w->watch_rows, score, &rmse, run);
}

typedef struct evidence {                /* marginal likelihood as a loss of the hidden layers              */
    const una_net *net;
    const float *x;
    const double *y;
    size_t rows;
    double penalty;
    double *phi, *dphi, *narrow;
    una_head head;
    una_work_f32 *work;
} evidence;

static una_status evidence_gradient(void *context, const float *parameters, float *gradient, una_losses *losses, una_run *run)
{
    evidence *e = context;
    size_t features = una_net_features(e->net), k = features + 1;
    una_net_forward_f32(e->net, parameters, e->x, e->rows, e->phi, k, NULL, e->work);
    memset(e->head.stats.gram, 0, k * k * sizeof(double));
    memset(e->head.stats.moment, 0, k * sizeof(double));
    e->head.stats.square = e->head.stats.rows = 0;
    una_stats_add(&e->head.stats, e->phi, e->y, e->rows);
    UNA_TRY(una_head_solve(&e->head, run));
    una_head_phi_gradient(&e->head, e->phi, e->y, e->rows, e->dphi);
    for (size_t r = 0; r < e->rows; r++) memcpy(e->narrow + r * features, e->dphi + r * k, features * sizeof(double));
    double square = 0;
    memset(gradient, 0, e->net->parameters * sizeof *gradient);
    for (size_t i = 0; i < e->net->hidden_parameters; i++) {
        square += (double)parameters[i] * (double)parameters[i];
        gradient[i] = (float)(2 * e->penalty) * parameters[i];
    }
    una_net_backward_f32(e->net, parameters, e->x, e->rows, e->narrow, gradient, e->work);
    losses->penalty = e->penalty * square;
    losses->total = losses->penalty - e->head.log_evidence;
    return UNA_OK;
}

typedef struct trial {                     /* one training of the pool: a restart, or a fold                  */
    una_arena   arena;                   /* its results; re-homed to the caller's run at the end            */
    float      *parameters;
    una_trained trained;
    double      valid_rmse, valid_log_lik;       /* of its held-out rows at its own best noise             */
    double     *held_phi, *held_y;       /* features of its held-out rows                                   */
    size_t      held_rows;
    una_stats   stats;                   /* posterior statistics of its training rows                       */
} trial;

typedef struct trials {
    const una_basis *basis;              /* net only                                                        */
    const una_basis_options *options;
    const una_basis_plan *plan;
    const una_problem *problem;
    const size_t *group;
    double train_noise_var, prior_var;
    size_t folds;                        /* 0: every job trains on all rows of problem->x                   */
    size_t steps;                        /* 0: as the options say; else as many as the folds needed         */
    bool   plain;                        /* a plain network first: no heads to diversify                    */
    uint64_t stream;
    const char *stage;
    trial *job;
} trials;

typedef struct rows_of {                 /* the rows of one job                                             */
    float *x, *held_x;
    double *y, *held_y;
    float *target;
    size_t rows, held;
} rows_of;

static void copy_row(float *to, una_view x, size_t row)
{
    for (size_t d = 0; d < x.cols; d++) to[d] = (float)x.at[row * x.stride + d];
}

/* Splits the problem's rows for job `index`: its fold is held out, or problem->valid. */
static una_status gather(rows_of *r, const trials *all, size_t index, una_run *run)
{
    const una_problem *p = all->problem;
    size_t inputs = p->x.cols, most_held = all->folds ? p->x.rows : p->valid_x.rows;
    r->x = UNA_GET(&run->scratch, float, p->x.rows * inputs);
    r->y = UNA_GET(&run->scratch, double, p->x.rows);
    r->target = UNA_GET(&run->scratch, float, p->x.rows);
    r->held_x = UNA_GET(&run->scratch, float, most_held * inputs);
    r->held_y = UNA_GET(&run->scratch, double, most_held);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < p->x.rows; i++) {
        bool out = all->folds && p->fold[i] == index;
        copy_row(out ? r->held_x + r->held * inputs : r->x + r->rows * inputs, p->x, i);
        if (out) r->held_y[r->held++] = p->y[i];
        else r->y[r->rows++] = p->y[i];
    }
    for (size_t i = 0; !all->folds && i < p->valid_x.rows; i++) {
        copy_row(r->held_x + i * inputs, p->valid_x, i);
        r->held_y[r->held++] = p->valid_y[i];
    }
    for (size_t i = 0; i < r->rows; i++) r->target[i] = (float)r->y[i];
    return UNA_OK;
}

static double *ones_at_end(una_arena *arena, size_t rows, size_t k)
{
    double *phi = UNA_GET(arena, double, rows * k);
    for (size_t r = 0; phi && r < rows; r++) phi[r * k + k - 1] = 1;
    return phi;
}

/* Every step-th row, at most LOOK_ROWS: looks must stay cheap on large data. */
static void thin(float **x, double **y, size_t *rows, size_t inputs, una_arena *arena)
{
    if (*rows <= LOOK_ROWS) return;
    float *few = UNA_GET(arena, float, LOOK_ROWS * inputs);
    double *few_y = UNA_GET(arena, double, LOOK_ROWS);
    for (size_t i = 0; few && few_y && i < LOOK_ROWS; i++) {
        size_t row = i * *rows / LOOK_ROWS;
        memcpy(few + i * inputs, *x + row * inputs, inputs * sizeof(float));
        few_y[i] = (*y)[row];
    }
    *x = few;
    *y = few_y;
    *rows = LOOK_ROWS;
}

static una_status prepare_watch(watch *w, const una_net *net, const rows_of *r, una_run *run)
{
    size_t k = una_net_features(net) + 1;
    float *x = r->x, *held_x = r->held_x;
    double *y = r->y, *held_y = r->held_y;
    *w = (watch){ .net = net, .rows = r->rows, .watch_rows = r->held };
    thin(&x, &y, &w->rows, net->size[0], &run->scratch);
    thin(&held_x, &held_y, &w->watch_rows, net->size[0], &run->scratch);
    w->x = x;
    w->y = y;
    w->watch_x = held_x;
    w->watch_y = held_y;
    w->phi = ones_at_end(&run->scratch, w->rows, k);
    w->watch_phi = ones_at_end(&run->scratch, w->watch_rows, k);
    una_stats_init(&w->stats, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_work_new_f32(&w->work, net, 1, 0, false, 0, false, false, una_kernels_named_f32(run->settings.kernels),
                            &run->scratch, run);
}

static una_status prepare_evidence(evidence *e, const trials *all, const rows_of *r, una_run *run)
{
    const una_net *net = &all->basis->net;
    size_t k = una_net_features(net) + 1;
    *e = (evidence){ .net = net, .x = r->x, .y = r->y, .rows = r->rows, .penalty = all->options->penalty };
    e->phi = ones_at_end(&run->scratch, r->rows, k);
    e->dphi = UNA_GET(&run->scratch, double, r->rows * k);
    e->narrow = UNA_GET(&run->scratch, double, r->rows * k);
    una_head_init(&e->head, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    e->head.noise_var = all->train_noise_var;
    e->head.prior_var = all->prior_var;
    return una_work_new_f32(&e->work, net, 1, 0, false, 0, false, false, una_kernels_named_f32(run->settings.kernels),
                            &run->scratch, run);
}

/* What the choice of the noise needs of a finished job: its training statistics, features of its held-out rows. */
static una_status finish_job(trial *j, const trials *all, const rows_of *r, una_run *run)
{
    una_basis basis = { .net = all->basis->net, .parameters = j->parameters };
    size_t k = una_net_features(&basis.net) + 1, inputs = basis.net.size[0];
    una_work_f32 *work;
    UNA_TRY(una_work_new_f32(&work, &basis.net, 1, 0, false, 0, false, false, una_kernels_named_f32(run->settings.kernels),
                             &run->scratch, run));
    una_stats_init(&j->stats, k, &j->arena);
    j->held_phi = ones_at_end(&j->arena, r->held, k);
    j->held_y = UNA_GET(&j->arena, double, r->held);
    enum { AT_ONCE = 960 };
    double *phi = ones_at_end(&run->scratch, AT_ONCE, k);
    UNA_TRY(una_arena_check(&j->arena));
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t from = 0; from < r->rows; from += AT_ONCE) {
        size_t count = r->rows - from < AT_ONCE ? r->rows - from : AT_ONCE;
        una_net_forward_f32(&basis.net, j->parameters, r->x + from * inputs, count, phi, k, NULL, work);
        una_stats_add(&j->stats, phi, r->y + from, count);
    }
    una_net_forward_f32(&basis.net, j->parameters, r->held_x, r->held, j->held_phi, k, NULL, work);
    memcpy(j->held_y, r->held_y, r->held * sizeof(double));
    j->held_rows = r->held;
    if (r->held == 0) return UNA_OK;
    double noise_var = UNA_AUTO;
    return una_choose_valid(&noise_var, all->prior_var, &j->stats, j->held_phi, j->held_y, r->held, &j->valid_log_lik,
                            &j->valid_rmse, run);
}

static una_status train_job(void *context, size_t index, una_run *run)
{
    trials *all = context;
    trial *j = &all->job[index];
    const una_net *net = &all->basis->net;
    una_arena_init(&j->arena, run);
    rows_of r = {0};
    watch w;
    evidence e;
    UNA_TRY(gather(&r, all, index, run));
    j->parameters = UNA_GET(&j->arena, float, net->parameters);
    UNA_TRY(una_arena_check(&j->arena));
    una_rng rng = una_rng_at(all->problem->seed, UNA_FOR_INIT, all->stream + index);
    una_net_initialise_f32(net, all->options->initialisation, 1, &rng, j->parameters);
    una_train_hooks_f32 hooks = {0};
    if (r.held) {
        UNA_TRY(prepare_watch(&w, net, &r, run));
        hooks = (una_train_hooks_f32){ .context = &w, .look = look };
    }
    una_training none = {0}, how = una_basis_training(all->options, r.rows, all->plain ? &none : &all->plan->training,
                                                      all->train_noise_var, all->problem->seed, all->stream + index);
    if (all->steps) how.steps = all->steps;
    if (all->plan->marginal && !all->plain) {
        UNA_TRY(prepare_evidence(&e, all, &r, run));
        hooks = (una_train_hooks_f32){ .context = &e, .gradient = evidence_gradient };
    }
    una_train_data_f32 data = { r.x, r.target, r.rows, 1, { r.rows ? net->size[0] : 0, all->group } };
    UNA_TRY(una_train_f32(net, j->parameters, &data, &how, &hooks, all->stage, &j->trained, &j->arena, run));
    return finish_job(j, all, &r, run);
}

static una_status rehomed_job(void *context, size_t index, una_run *child)
{
    trials *all = context;
    una_status status = train_job(context, index, child);
    all->job[index].arena.run = child->parent;           /* the child ends here, its results do not */
    return status;
}

static una_status run_jobs(trials *all, size_t count, una_run *run)
{
    all->job = UNA_GET(&run->scratch, trial, count);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_pool(run, count, rehomed_job, all);
}

static void free_jobs(trials *all, size_t count)
{
    for (size_t i = 0; all->job && i < count; i++)
        if (all->job[i].arena.run) una_arena_free(&all->job[i].arena);
}

/* ---- choosing ----------------------------------------------------------------------------------------------- */

typedef struct pooled { const trial *job; size_t count; double prior_var; una_run *run; una_status status; double square; size_t rows; } pooled;

/* Minus the log-likelihood of all held-out rows, each under the posterior that did not see it. */
static double pooled_loss(double log_noise, void *context)
{
    pooled *p = context;
    double sum = 0;
    p->square = 0;
    p->rows = 0;
    for (size_t i = 0; i < p->count && p->status == UNA_OK; i++) {
        const trial *j = &p->job[i];
        una_mark mark = una_arena_mark(&p->run->scratch);
        una_head head;
        double log_lik = 0, rmse = 0;
        una_head_init(&head, j->stats.features, &p->run->scratch);
        p->status = una_arena_check(&p->run->scratch);
        if (p->status == UNA_OK) {
            head.stats = j->stats;
            head.noise_var = exp(log_noise);
            head.prior_var = p->prior_var;
            p->status = una_head_solve(&head, p->run);
        }
        if (p->status == UNA_OK) p->status = una_head_score(&head, j->held_phi, j->held_y, j->held_rows, &log_lik, &rmse, p->run);
        sum -= log_lik * (double)j->held_rows;
        p->square += rmse * rmse * (double)j->held_rows;
        p->rows += j->held_rows;
        una_arena_release(&p->run->scratch, mark);
    }
    return sum;
}

/* Noise by the held-out likelihood for one prior variance; *noise_var given stays. */
static una_status choose_noise(double *noise_var, double prior_var, const trial *job, size_t count, double *log_lik, double *rmse,
                               una_run *run)
{
    pooled p = { job, count, prior_var, run, UNA_OK, 0, 0 };
    double log_noise = UNA_IS_AUTO(*noise_var) ? una_minimise(pooled_loss, &p, log(1e-8), log(4), 1e-6) : log(*noise_var);
    double loss = pooled_loss(log_noise, &p);
    UNA_TRY(p.status);
    if (UNA_IS_AUTO(*noise_var)) *noise_var = exp(log_noise);
    *log_lik = -loss / (double)p.rows;
    *rmse = sqrt(p.square / (double)p.rows);
    return UNA_OK;
}

/* The largest prior variance that costs less than 0.02 in held-out log-likelihood: likelihood alone hides gaps. */
static una_status choose_prior(double *prior_var, double noise_var, const trial *job, size_t count, una_run *run)
{
    enum { GRID = 9 };
    double value[GRID], score[GRID], best = -HUGE_VAL;
    for (size_t i = 0; i < GRID; i++) {
        double noise = noise_var, rmse;
        value[i] = pow(10, -2 + 0.5 * (double)i);
        UNA_TRY(choose_noise(&noise, value[i], job, count, &score[i], &rmse, run));
        best = fmax(best, score[i]);
    }
    for (size_t i = 0; i < GRID; i++)
        if (score[i] >= best - 0.02) *prior_var = value[i];
    return UNA_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t median_best_step(const trial *job, size_t count)
{
    double step[256];
    if (count > 256) count = 256;
    for (size_t i = 0; i < count; i++) step[i] = (double)(job[i].trained.best_step ? job[i].trained.best_step : job[i].trained.steps);
    qsort(step, count, sizeof *step, by_value);
    return (size_t)step[count / 2];
}

static size_t best_job(const trial *job, size_t count)
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

static double *copied(const double *values, size_t count, una_arena *arena)
{
    double *copy = UNA_GET(arena, double, count);
    if (copy) memcpy(copy, values, count * sizeof *copy);
    return copy;
}

static una_status keep_job(una_basis *basis, const trial *j, una_fit_result *result, una_arena *keep)
{
    una_trained t = j->trained;
    basis->parameters = UNA_GET(keep, float, basis->net.parameters);
    t.step = copied(t.step, t.looks, keep);
    t.loss = copied(t.loss, t.looks, keep);
    t.look = copied(t.look, t.looks, keep);
    t.cos2 = copied(t.cos2, t.looks, keep);
    UNA_TRY(una_arena_check(keep));
    memcpy(basis->parameters, j->parameters, basis->net.parameters * sizeof(float));
    una_basis_curve(result, &t);
    return UNA_OK;
}

static void count_steps(una_fit_result *result, const trial *job, size_t count)
{
    for (size_t i = 0; i < count; i++) result->steps += job[i].trained.steps;
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

/* The noise inside the objective: held-out error of a plain network, trained first. */
static una_status find_train_noise(trials all, double *noise_var, una_fit_result *result, una_run *run)
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
    una_status status = run_jobs(&all, count, run);
    double log_lik, rmse = 1;
    *noise_var = UNA_AUTO;
    if (status == UNA_OK) status = choose_noise(noise_var, 1, all.job, count, &log_lik, &rmse, run);
    if (status == UNA_OK) count_steps(result, all.job, count);
    *noise_var = fmin(1, fmax(1e-3, rmse * rmse));
    free_jobs(&all, count);
    return status;
}

static una_status posterior(una_basis *basis, const una_problem *p, una_fit_result *result, una_arena *keep, una_run *run)
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
    for (size_t i = 0; i < k; i++) fitted += head->mean[i] * (una_dot(s->gram + i * k, head->mean, k) - 2 * s->moment[i]);
    double residual = fmax(0, s->square + fitted) / s->rows, ratio = residual / head->noise_var;
    if (ratio > 4)
        una_notes_add(&result->warnings, "The residuals are %.1f times as large as the noise allows: the bands are too narrow; "
                      "leave noise_std to be chosen, or use a larger model.", sqrt(ratio));
    if (ratio < 0.04 && s->rows > 2 * (double)k)
        una_notes_add(&result->warnings, "The noise is %.1f times as large as the residuals: the features have fitted the noise, or "
                      "noise_std is too large.", 1 / sqrt(ratio));
}

/* Folds: noise from features that did not see the rows; then features from all rows, trained as long as the folds were. */
static una_status fit_folds(trials *all, double *noise_var, double *prior_var, bool choose_alpha, una_fit_result *result,
                            una_run *run)
{
    size_t folds = all->folds;
    una_status status = run_jobs(all, folds, run);
    if (status == UNA_OK && choose_alpha) status = choose_prior(prior_var, *noise_var, all->job, folds, run);
    if (status == UNA_OK)
        status = choose_noise(noise_var, *prior_var, all->job, folds, &result->valid_log_lik, &result->valid_rmse, run);
    if (status == UNA_OK) {
        result->valid_rows = all->problem->x.rows;
        all->steps = median_best_step(all->job, folds);
        count_steps(result, all->job, folds);
    }
    free_jobs(all, folds);
    all->folds = 0;
    all->stream += folds;
    return status;
}

static una_status fit_features(trials *all, una_basis *basis, double *noise_var, double *prior_var, una_fit_result *result,
                               una_arena *keep, una_run *run)
{
    size_t restarts = (size_t)all->options->restarts;
    bool choose_alpha = UNA_IS_AUTO(*prior_var);
    if (choose_alpha) *prior_var = 1;
    if (all->folds) UNA_TRY(fit_folds(all, noise_var, prior_var, choose_alpha, result, run));
    una_status status = run_jobs(all, restarts, run);
    if (status == UNA_OK) {
        const trial *best = &all->job[best_job(all->job, restarts)];
        count_steps(result, all->job, restarts);
        if (best->held_rows) {
            if (choose_alpha) status = choose_prior(prior_var, *noise_var, best, 1, run);
            if (status == UNA_OK)
                status = choose_noise(noise_var, *prior_var, best, 1, &result->valid_log_lik, &result->valid_rmse, run);
            result->valid_rows = best->held_rows;
        }
        if (status == UNA_OK) status = keep_job(basis, best, result, keep);
    }
    free_jobs(all, restarts);
    return status;
}

una_status una_basis_fit(una_basis *basis, una_basis_options *o, const una_problem *p, una_basis_plan *plan,
                         una_fit_result *result, una_arena *keep, una_run *run)
{
    double from = run->progress_from, to = run->progress_to, train_noise_var;
    size_t *group;
    una_basis_resolve(o, p->x.rows, plan->steps_factor);
    UNA_TRY(una_basis_shape(basis, o, p->x.cols, plan->heads, run));
    UNA_TRY(una_basis_groups(&group, p->columns, &run->scratch));
    trials all = { .basis = basis, .options = o, .plan = plan, .problem = p, .group = group, .folds = p->folds,
                 .prior_var = UNA_IS_AUTO(o->prior_var) ? 1 : o->prior_var, .stage = plan->stage };
    if (!UNA_IS_AUTO(o->train_noise_std)) train_noise_var = pow(una_to_standard(o->train_noise_std, p), 2);
    else if (plan->heads == 1 && !plan->marginal) train_noise_var = plain_noise_var;
    else {
        run->progress_to = from + 0.2 * (to - from);
        UNA_TRY(find_train_noise(all, &train_noise_var, result, run));
        run->progress_from = run->progress_to;
    }
    run->progress_to = to;
    all.train_noise_var = train_noise_var;
    double noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(una_to_standard(o->noise_std, p), 2), prior_var = o->prior_var;
    una_status status = fit_features(&all, basis, &noise_var, &prior_var, result, keep, run);
    run->progress_from = from;
    UNA_TRY(status);
    if (UNA_IS_AUTO(noise_var)) noise_var = train_noise_var;                  /* no row was held out */
    basis->head.noise_var = noise_var;
    basis->head.prior_var = prior_var;
    UNA_TRY(posterior(basis, p, result, keep, run));
    una_basis_check_noise(&basis->head, result);
    o->train_noise_std = una_from_standard(sqrt(train_noise_var), p);
    o->noise_std = una_from_standard(sqrt(noise_var), p);
    o->prior_var = prior_var;
    return UNA_OK;
}

/* ---- for models that train on something else ------------------------------------------------------------------- */

una_status una_basis_train(una_basis *basis, const una_basis_options *options, const una_basis_data *data, const una_training *how,
                           const char *stage, una_trained *trained, una_arena *keep, una_run *run)
{
    basis->parameters = UNA_GET(keep, float, basis->net.parameters);
    UNA_TRY(una_arena_check(keep));
    una_rng rng = una_rng_at(how->seed, UNA_FOR_INIT, how->stream);
    una_net_initialise_f32(&basis->net, options->initialisation, 1, &rng, basis->parameters);
    una_train_data_f32 rows = { data->x, data->target, data->rows, data->target_heads, { data->inputs, data->group } };
    return una_train_f32(&basis->net, basis->parameters, &rows, how, NULL, stage, trained, keep, run);
}
