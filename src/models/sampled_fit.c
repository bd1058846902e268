/* SPDX-License-Identifier: MIT
 *
 * Fitting a mixture of sampled networks. Trained once without the held-out rows (or once per fold) to choose the noise
 * and to score, then on all rows: unlike a linear head, the distribution over parameters cannot take rows in
 * afterwards.
 */
#include "models/sampled.h"

#include "models/trials.h"

#include <string.h>

enum { JUDGED = 4096 };                  /* rows that the noise is chosen on, at most                       */

una_status una_sampled_batches(una_batches *batches, const una_sampled_rows *rows, const una_training *how,
                               una_run *run)
{
    return una_batches_init(batches, rows->x, rows->y, rows->rows, rows->inputs, how->batch, how->seed, how->stream,
                            &run->scratch);
}

/* ---- trainings, one per fold ------------------------------------------------------------------------------- */

typedef struct job {
    una_arena   arena;
    double     *numbers;
    una_trained trained;
    double     *held_f, *held_y;         /* [parts, held], [held]                                           */
    size_t      held;
} job;

typedef struct jobs {
    const una_sampled *state;
    const una_sampled_options *options;
    const una_sampled_plan *plan;
    const una_problem *problem;
    double train_noise_var;
    size_t folds;                        /* 0: all rows of problem->x train                                 */
    bool   all_rows;                     /* the held-out ones too                                           */
    uint64_t stream;
    job   *job;
} jobs;

typedef struct split { una_sampled_rows train, held; } split;

static void give_row(una_sampled_rows *to, una_view x, const double *y, size_t row)
{
    una_held_row(to->x + to->rows * x.cols, x, row);
    to->y[to->rows++] = (float)y[row];
}

static una_status gather(split *s, const jobs *all, size_t index, una_run *run)
{
    const una_problem *p = all->problem;
    size_t most = p->x.rows + p->valid_x.rows, inputs = p->x.cols;
    una_sampled_rows *both[] = { &s->train, &s->held };
    for (int i = 0; i < 2; i++)
        *both[i] = (una_sampled_rows){ UNA_GET_ROWS(&run->scratch, float, most * inputs),
                                       UNA_GET_ROWS(&run->scratch, float, most), 0, inputs };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < p->x.rows; i++)
        give_row(all->folds && p->fold[i] == index ? &s->held : &s->train, p->x, p->y, i);
    for (size_t i = 0; i < p->valid_x.rows; i++)
        give_row(all->all_rows ? &s->train : &s->held, p->valid_x, p->valid_y, i);
    return UNA_OK;
}

/* Every k-th row, at most JUDGED of them, to the front. */
static void thin(una_sampled_rows *r)
{
    size_t rows = r->rows;
    if (rows <= JUDGED) return;
    for (size_t i = 0; i < JUDGED; i++) {
        size_t row = i * rows / JUDGED;
        memmove(r->x + i * r->inputs, r->x + row * r->inputs, r->inputs * sizeof(float));
        r->y[i] = r->y[row];
    }
    r->rows = JUDGED;
}

static una_status judge(job *j, const jobs *all, una_sampled_rows *held, una_run *run)
{
    thin(held);
    j->held = held->rows;
    j->held_f = UNA_GET(&j->arena, double, all->state->parts * held->rows);
    j->held_y = UNA_GET(&j->arena, double, held->rows);
    UNA_TRY(una_arena_check(&j->arena));
    for (size_t i = 0; i < held->rows; i++) j->held_y[i] = (double)held->y[i];
    return una_sampled_functions(all->state, j->numbers, held->x, held->rows, j->held_f, run);
}

static una_training training_of(const jobs *all, size_t rows, uint64_t stream)
{
    const una_sampled_options *o = all->options;
    una_basis_options basis = { .steps = o->steps, .batch = o->batch, .optimiser = UNA_ADAM, .rate = o->rate,
                                .rate_schedule = o->rate_schedule };
    return una_basis_training(&basis, rows, &(una_training){0}, all->train_noise_var, all->problem->seed, stream);
}

static una_status run_job(void *context, size_t index, una_run *run)
{
    const jobs *all = context;
    job *j = &all->job[index];
    split s;
    j->numbers = UNA_GET(&j->arena, double, all->state->count);
    UNA_TRY(una_arena_check(&j->arena));
    UNA_TRY(gather(&s, all, index, run));
    una_training how = training_of(all, s.train.rows, all->stream + index);
    UNA_TRY(all->plan->train(all->plan->context, all->state, &s.train, &how, j->numbers, &j->trained, &j->arena, run));
    return s.held.rows ? judge(j, all, &s.held, run) : UNA_OK;
}

static una_status run_jobs(jobs *all, size_t count, una_run *run)
{
    all->job = UNA_GET(&run->scratch, job, count);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_jobs_run(run, all->job, sizeof *all->job, count, run_job, all);
}

/* ---- noise: largest likelihood of held-out rows under the mixture -------------------------------------------- */

typedef struct held_out { const job *job; size_t count, parts, rows; } held_out;

/* log (1/S) sum_s N(y; f_s, v) for one row; f at stride. */
static double mixture_log_lik(const double *f, size_t parts, size_t stride, double y, double v)
{
    double nearest = HUGE_VAL, sum = 0;
    for (size_t s = 0; s < parts; s++) nearest = fmin(nearest, pow(y - f[s * stride], 2));
    for (size_t s = 0; s < parts; s++) sum += exp((nearest - pow(y - f[s * stride], 2)) / (2 * v));
    return log(sum / (double)parts) - nearest / (2 * v) - 0.5 * (log(v) + UNA_LOG_TWO_PI);
}

static double held_loss(double log_noise, void *context)
{
    held_out *h = context;
    double loss = 0, v = exp(log_noise);
    h->rows = 0;
    for (size_t i = 0; i < h->count; i++) {
        const job *j = &h->job[i];
        for (size_t r = 0; r < j->held; r++) loss -= mixture_log_lik(j->held_f + r, h->parts, j->held, j->held_y[r], v);
        h->rows += j->held;
    }
    return loss;
}

static double held_rmse(const held_out *h)
{
    double square = 0;
    for (size_t i = 0; i < h->count; i++) {
        const job *j = &h->job[i];
        for (size_t r = 0; r < j->held; r++) {
            double mean = 0;
            for (size_t s = 0; s < h->parts; s++) mean += j->held_f[s * j->held + r] / (double)h->parts;
            square += pow(j->held_y[r] - mean, 2);
        }
    }
    return sqrt(square / (double)h->rows);
}

static void choose_noise(double *noise_var, const jobs *all, size_t count, una_fit_result *result)
{
    held_out h = { .job = all->job, .count = count, .parts = all->state->parts };
    if (UNA_IS_AUTO(*noise_var)) {
        double log_noise = una_minimise(held_loss, &h, log(1e-8), log(4), 1e-6);
        /* one standard error up: few rows say little of the noise */
        *noise_var = exp(log_noise + sqrt(2 / (double)h.rows));
    }
    double loss = held_loss(log(*noise_var), &h);        /* counts the rows */
    result->valid_log_lik = -loss / (double)h.rows;
    result->valid_rmse = held_rmse(&h);
    result->valid_rows = h.rows;
}

/* The noise inside the objective: held-out error of a plain network with the same shape. */
static una_status plain_noise(double *noise_var, const jobs *all, una_fit_result *result, una_run *run)
{
    const una_sampled_options *o = all->options;
    const una_problem *p = all->problem;
    size_t *group, count = p->folds ? p->folds : 1;
    una_basis basis = { .net = all->state->net };
    una_basis_options options = { .steps = fmin(o->steps, fmax(2000, o->steps / 2)), .batch = o->batch, .rate = 0.003,
                                  .rate_schedule = 1, .initialisation = o->initialisation };
    una_basis_plan none = {0};
    UNA_TRY(una_basis_groups(&group, p->columns, &run->scratch));
    una_trials trials = { .basis = &basis, .options = &options, .plan = &none, .problem = p, .group = group,
                          .folds = p->folds, .prior_var = 1, .train_noise_var = 0.09, .plain = true, .stream = 1 << 16,
                          .stage = "training a plain network for the noise" };
    una_status status = una_trials_run(&trials, count, run);
    double square = 0, rows = 0;
    for (size_t i = 0; status == UNA_OK && i < count; i++) {
        square += (double)trials.job[i].held_rows * pow(trials.job[i].valid_rmse, 2);
        rows += (double)trials.job[i].held_rows;
        result->steps += trials.job[i].trained.steps;
    }
    una_trials_free(&trials, count);
    *noise_var = fmin(1, fmax(1e-3, square / rows));
    return status;
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

void una_sampled_shape(una_sampled *m, const una_sampled_options *o, const una_problem *p)
{
    una_outline outline = { p->x.cols, (size_t)o->width, (size_t)o->depth, (size_t)o->width, 1,
                            (una_activation)o->activation };
    una_body_mlp_f32.shape(&m->net, &outline);
    m->seed = p->seed;
}

static void resolve(una_sampled_options *o, size_t rows)
{
    una_basis_options basis = { .width = o->width, .features = o->width, .batch = o->batch, .steps = o->steps,
                                .epochs = o->epochs };
    una_basis_resolve(&basis, rows, 1);
    o->batch = basis.batch;
    o->steps = basis.steps;
    o->epochs = basis.epochs;
}

/* The part of the progress bar that a stage fills. */
static void fill(una_run *run, double from, double to, double share_from, double share_to)
{
    run->progress_from = from + (to - from) * share_from;
    run->progress_to = from + (to - from) * share_to;
}

static una_status keep_job(una_sampled *m, const job *j, una_fit_result *result, una_arena *keep)
{
    m->numbers = una_held_copy(j->numbers, m->count, keep);
    return una_basis_keep_curve(result, &j->trained, keep);
}

/* Trains without the held-out rows; *kept says that these numbers are the final ones (rows held out for good). */
static una_status validate(jobs *all, una_sampled *m, double *noise_var, bool *kept, una_fit_result *result,
                           una_arena *keep, una_run *run)
{
    size_t count = all->folds ? all->folds : 1;
    una_status status = run_jobs(all, count, run);
    if (status == UNA_OK) {
        choose_noise(noise_var, all, count, result);
        for (size_t i = 0; i < count; i++) result->steps += all->job[i].trained.steps;
        *kept = !all->folds && !all->problem->valid_joins;
        if (*kept) status = keep_job(m, all->job, result, keep);
    }
    una_jobs_free(all->job, sizeof *all->job, count);
    return status;
}

static una_status train_finally(jobs *all, una_sampled *m, una_fit_result *result, una_arena *keep, una_run *run)
{
    all->stream += all->folds ? all->folds : 1;
    all->folds = 0;
    all->all_rows = all->problem->valid_joins;
    all->job = NULL;
    una_status status = run_jobs(all, 1, run);
    if (status == UNA_OK) status = keep_job(m, all->job, result, keep);
    if (status == UNA_OK) result->steps += all->job->trained.steps;
    una_jobs_free(all->job, sizeof *all->job, 1);
    return status;
}

/* The bound that training maximised, E_q log p(y | theta) - divergence, from the parts; what the residuals
 * say of the bands. */
static una_status look_back(const jobs *all, const una_sampled *m, una_fit_result *result, una_run *run)
{
    split s;
    UNA_TRY(gather(&s, all, SIZE_MAX, run));
    double rows = (double)s.train.rows, square = 0, residual = 0;
    thin(&s.train);
    size_t n = s.train.rows;
    double *f = UNA_GET(&run->scratch, double, m->parts * n);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_sampled_functions(m, m->numbers, s.train.x, n, f, run));
    for (size_t r = 0; r < n; r++) {
        double mean = 0, y = (double)s.train.y[r];
        for (size_t k = 0; k < m->parts; k++) {
            mean += f[k * n + r] / (double)m->parts;
            square += pow(y - f[k * n + r], 2) / (double)m->parts;
        }
        residual += pow(y - mean, 2);
    }
    double v = all->train_noise_var, log_lik = -0.5 * ((double)n * (UNA_LOG_TWO_PI + log(v)) + square / v);
    result->log_evidence = rows / (double)n * log_lik - all->plan->divergence(all->plan->context, m);
    double spread = (square - residual) / (double)n;             /* mean variance over the parts */
    residual /= (double)n;
    if (residual > 0.95)
        una_notes_add(&result->warnings, "The fit explains almost nothing of the target (%.0f %% of its variance is "
                      "left): the prior outweighs the data; give a smaller train_noise_std, more steps or fewer "
                      "units.", 100 * residual);
    if (residual > 4 * (m->noise_var + spread))
        una_notes_add(&result->warnings, "The residuals are %.1f times as large as the bands allow: they are too "
                      "narrow; leave noise_std to be chosen, or use a larger model.",
                      sqrt(residual / (m->noise_var + spread)));
    return UNA_OK;
}

/* Values come from the option as it is printed, so that passing it back gives the same bits. */
static double noise_var_of(double *option, double found, double unit)
{
    if (UNA_IS_AUTO(*option)) *option = sqrt(found) / unit;
    return pow(*option * unit, 2);
}

static una_status find_train_noise(jobs *all, una_sampled_options *o, double unit, una_fit_result *result, una_run *run)
{
    double found = 0.09;
    if (UNA_IS_AUTO(o->train_noise_std) && !UNA_IS_AUTO(o->noise_std)) o->train_noise_std = o->noise_std;
    if (UNA_IS_AUTO(o->train_noise_std) && all->plan->noise_matters) UNA_TRY(plain_noise(&found, all, result, run));
    all->train_noise_var = noise_var_of(&o->train_noise_std, found, unit);
    return UNA_OK;
}

una_status una_sampled_fit(una_sampled *m, una_sampled_options *o, const una_problem *p, const una_sampled_plan *plan,
                           una_fit_result *result, una_arena *keep, una_run *run)
{
    double from = run->progress_from, to = run->progress_to, unit = o->units == 1 ? 1 : 1 / p->columns->target_scale;
    double trainings = o->validate ? (double)(p->folds ? p->folds + 1 : 2) : 1;
    bool kept = false;
    resolve(o, p->x.rows);
    jobs all = { .state = m, .options = o, .plan = plan, .problem = p, .folds = p->folds };
    fill(run, from, to, 0, 0.1);
    una_status status = una_kernels_need(run);
    if (status == UNA_OK) status = find_train_noise(&all, o, unit, result, run);
    double noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(o->noise_std * unit, 2);
    fill(run, from, to, 0.1, 1 - 0.9 / trainings);
    if (status == UNA_OK && o->validate) status = validate(&all, m, &noise_var, &kept, result, keep, run);
    fill(run, from, to, kept ? 1 : 1 - 0.9 / trainings, 1);
    if (status == UNA_OK && !kept) status = train_finally(&all, m, result, keep, run);
    run->progress_from = from;
    run->progress_to = to;
    UNA_TRY(status);
    m->noise_var = noise_var_of(&o->noise_std, UNA_IS_AUTO(noise_var) ? all.train_noise_var : noise_var, unit);
    result->noise_var = m->noise_var;
    result->prior_var = m->prior_var;
    return look_back(&all, m, result, run);
}
