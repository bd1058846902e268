/* SPDX-License-Identifier: MIT
 *
 * Mixtures of networks made from stored numbers and a seed: fitting, prediction, draws, parts, saving.
 * One training without the held-out rows (or one per fold) chooses the noise and gives scores, then all rows train:
 * unlike a linear head, the distribution over parameters cannot take in rows afterwards.
 */
#include "train/sampled.h"

#include "train/crossfit.h"
#include "la/mixture.h"

enum { MOST_PARTS = 100000, MOST_VALID_ROWS = 4096 };    /* rows that choose the noise, at most */

/* ---- one network after the other ------------------------------------------------------------------------ */

typedef struct pass {
    const una_sampled *m;
    const una_kernels_f32 *kernels;
    const float *x;                      /* [rows, inputs]                                                  */
    size_t rows;
    void  *work;
    float *packed, *parameters;          /* what varies; all                                                */
    double *phi;                         /* [rows, features], common to all parts; NULL: nothing is common */
    double *f;                           /* [rows]                                                          */
} pass;

bool una_sampled_heads_only(const una_sampled *m)
{
    return m->net.body != &una_body_mlp_f32;
}

/* The head alone varies, which is a matrix of its own, or everything. */
static void count_numbers(una_sampled *m, size_t numbers_each)
{
    size_t head = m->net.body->size(m->net.shape).head, all = una_matrices_packed(m->net.body->matrix, m->net.shape);
    una_matrix at;
    m->count = numbers_each * all;
    m->from = 0;
    m->varied = all;
    for (size_t i = 0; una_sampled_heads_only(m) && m->net.body->matrix(m->net.shape, i, &at); i++) {
        m->varied = at.rows * at.cols;
        if (at.at == head) return;
        m->from += m->varied;
    }
}

/* The parameters that all parts share, and phi by them. */
static una_status share_features(pass *p, const double *numbers, una_run *run)
{
    const una_network_f32 *net = &p->m->net;
    size_t count = una_matrices_packed(net->body->matrix, net->shape), features = net->body->size(net->shape).features;
    UNA_NEW_ROWS_AT(&run->scratch, p->phi, p->rows * features);
    UNA_NEW(&run->scratch, float, packed, count);
    for (size_t i = 0; i < count; i++) packed[i] = (float)numbers[i];
    una_matrices_unpack(net->body->matrix, net->shape, packed, p->parameters);
    net->body->forward(p->work, p->parameters, p->x, p->rows, (una_outputs){ .phi = p->phi, .stride = features });
    return UNA_OK;
}

/* Begins a pass: parts of such numbers, at such rows. */
static una_status sampled_begin(pass *p, const una_sampled *m, const double *numbers, const float *x, size_t rows,
                                una_run *run)
{
    bool heads = una_sampled_heads_only(m);
    UNA_TRY(una_kernels_need(run));
    *p = (pass){ .m = m, .kernels = una_kernels_named_f32(run->settings.kernels), .x = x, .rows = rows };
    UNA_NEW_AT(&run->scratch, p->packed, m->varied);
    UNA_NEW_AT(&run->scratch, p->parameters, m->net.body->size(m->net.shape).parameters);
    UNA_NEW_AT(&run->scratch, p->f, rows);
    if (heads && rows == 1) UNA_TRY(una_network_slope_work_f32(&p->work, &m->net, run));
    else UNA_TRY(una_network_work_f32(&p->work, &m->net, 0, run));
    return heads ? share_features(p, numbers, run) : UNA_OK;
}

/* The same of a model's own numbers, at rows in double. */
static una_status begin_at(pass *p, const una_sampled *m, una_view x, una_run *run)
{
    UNA_NEW(&run->scratch, float, rows, x.rows * x.cols);
    for (size_t r = 0; r < x.rows; r++) una_row_to_floats(rows + r * x.cols, x, r);
    return sampled_begin(p, m, m->numbers, rows, x.rows, run);
}

/* f [rows] of the network, or of the head, in p->packed. */
static void evaluate_packed(const pass *p, double *f)
{
    const una_network_f32 *net = &p->m->net;
    size_t features = p->m->varied - 1;
    if (!p->phi) {
        una_matrices_unpack(net->body->matrix, net->shape, p->packed, p->parameters);
        net->body->forward(p->work, p->parameters, p->x, p->rows, (una_outputs){ .f = f });
        return;
    }
    for (size_t r = 0; r < p->rows; r++) {
        f[r] = (double)p->packed[features];
        for (size_t k = 0; k < features; k++) f[r] += (double)p->packed[k] * p->phi[r * features + k];
    }
}

/* f [rows] of part s. */
static una_status evaluate_part(const pass *p, const double *numbers, size_t s, double *f, una_run *run)
{
    UNA_TRY(una_check_cancelled(run, "predicting"));
    p->m->part(p->m, numbers + p->m->from, p->m->first + s, p->kernels, p->packed);
    evaluate_packed(p, f);
    return UNA_OK;
}

/* f [rows, parts] of a set of numbers. */
static una_status values_of_parts(const una_sampled *m, const double *numbers, const float *x, size_t rows, double *f,
                                  una_run *run)
{
    pass p;
    UNA_TRY(sampled_begin(&p, m, numbers, x, rows, run));
    for (size_t s = 0; s < m->parts; s++) {
        UNA_TRY(evaluate_part(&p, numbers, s, p.f, run));
        for (size_t r = 0; r < rows; r++) f[r * m->parts + s] = p.f[r];
    }
    return UNA_OK;
}

/* ---- trainings ------------------------------------------------------------------------------------------------ */

typedef struct sampled_training {
    una_trained_job base;
    double   *numbers;                   /* what the state stores                                           */
    double   *valid_f, *valid_y;         /* [valid_rows, parts], [valid_rows]                               */
} sampled_training;

/* The numbers of a trained distribution, or of one network: its packed parameters. */
static una_status sampled_numbers(sampled_training *t, const una_sampled *m, una_run *run)
{
    t->numbers = t->base.numbers;
    if (t->numbers) return UNA_OK;
    UNA_NEW(&run->scratch, float, packed, m->count);
    UNA_NEW_AT(&t->base.arena, t->numbers, m->count);
    una_matrices_pack(m->net.body->matrix, m->net.shape, t->base.parameters, packed);
    for (size_t i = 0; i < m->count; i++) t->numbers[i] = (double)packed[i];
    return UNA_OK;
}

static una_status sampled_finish(void *context, void *training, una_run *run)
{
    sampled_training *t = training;
    const una_sampled *m = context;
    una_training_rows r = *t->base.job.rows;
    UNA_TRY(sampled_numbers(t, m, run));
    if (r.valid_rows == 0) return UNA_OK;
    UNA_TRY(una_training_rows_thin(&r, SIZE_MAX, MOST_VALID_ROWS, &run->scratch));
    t->base.valid_rows = r.valid_rows;
    t->valid_y = una_copy_numbers(r.valid_y, r.valid_rows, &t->base.arena);
    UNA_NEW_AT(&t->base.arena, t->valid_f, r.valid_rows * m->parts);
    return values_of_parts(m, t->numbers, r.valid_x, r.valid_rows, t->valid_f, run);
}

/* The likelihood of held-out rows under the mixture. */
static una_status sampled_evaluate(void *context, const void *const *training, size_t count,
                                   const una_variances *variances, una_valid_loss *sums, una_run *run)
{
    const sampled_training *t = training[0];
    size_t parts = ((const una_sampled *)context)->parts;
    (void)count, (void)run;
    for (size_t r = 0; r < t->base.valid_rows; r++) {
        const double *f = t->valid_f + r * parts;
        double mean = 0;
        for (size_t s = 0; s < parts; s++) mean += f[s] / (double)parts;
        sums->loss -= una_mixture_log_pdf_even(t->valid_y[r], f, variances->noise_var, parts);
        sums->square += pow(t->valid_y[r] - mean, 2);
    }
    sums->rows += t->base.valid_rows;
    return UNA_OK;
}

static una_status sampled_keep(void *context, const void *const *training, size_t count, una_fit_result *result,
                               una_arena *keep, una_run *run)
{
    una_sampled *m = context;
    const sampled_training *t = training[0];
    (void)count, (void)run;
    m->numbers = una_copy_numbers(t->numbers, m->count, keep);
    return una_basis_keep_curve(result, &t->base.trained, keep);
}

/* ---- the whole fit ------------------------------------------------------------------------------------------- */

una_status una_sampled_shape(una_fitting *f, size_t numbers_each)
{
    una_sampled *m = f->target->state;
    una_basis_options *b = f->target->options;
    b->features = b->width;
    UNA_TRY(una_network_make(&m->net, b, 1, false, f));
    m->seed = f->problem->seed;
    count_numbers(m, numbers_each);
    return UNA_OK;
}

/* Sets the bound that training maximised, E_q log p(y | theta) - divergence, from the parts; warns where the residuals
 * contradict the bands, with a remedy. */
static una_status check_residuals(const una_sampled *m, const una_sampled_plan *plan, double train_noise_var,
                                  const char *remedy, const una_fitting *by)
{
    una_fit_result *result = by->target->result;
    una_run *run = by->run;
    una_training_rows all;
    UNA_TRY(by->problem->valid_joins ? una_training_rows_all(&all, by->problem, &run->scratch)
                                     : una_training_rows_split(&all, by->problem, SIZE_MAX, &run->scratch));
    double rows = (double)all.rows, square = 0, residual = 0;
    UNA_TRY(una_training_rows_thin(&all, MOST_VALID_ROWS, SIZE_MAX, &run->scratch));
    size_t n = all.rows;
    UNA_NEW(&run->scratch, double, f, m->parts * n);
    UNA_TRY(values_of_parts(m, m->numbers, all.x, n, f, run));

    for (size_t r = 0; r < n; r++) {
        double mean = 0;
        for (size_t s = 0; s < m->parts; s++) {
            mean += f[r * m->parts + s] / (double)m->parts;
            square += pow(all.y[r] - f[r * m->parts + s], 2) / (double)m->parts;
        }
        residual += pow(all.y[r] - mean, 2);
    }

    double v = train_noise_var, log_lik = -0.5 * ((double)n * (UNA_LOG_TWO_PI + log(v)) + square / v);
    result->log_evidence = rows / (double)n * log_lik - plan->divergence(plan->context, m);

    double spread = (square - residual) / (double)n;             /* mean variance over the parts */
    residual /= (double)n;
    if (residual > 0.95)
        una_notes_add(&result->warnings, "The fit explains almost nothing of the target (%.0f %% of its variance is "
                      "left): the prior outweighs the data; give a smaller train_noise_std, more steps or fewer "
                      "units.", 100 * residual);
    if (residual > 4 * (m->noise_var + spread))
        una_notes_add(&result->warnings, "The residuals are %.1f times as large as the bands allow: they are too "
                      "narrow; %s, or use a larger model.", sqrt(residual / (m->noise_var + spread)), remedy);
    return UNA_OK;
}

/* The value that is printed is the one that is used, so that passing it back gives the same bits. */
static double noise_var_of(double *option, double found, double unit)
{
    if (UNA_IS_AUTO(*option)) *option = sqrt(found) / unit;
    return pow(*option * unit, 2);
}

/* The noise inside the objective: the given one; or a fixed one, where only its ratio matters; or (*share of the
 * progress) the error of a plain network of the same shape. */
static una_status sampled_train_noise(double *noise_var, double *share, const una_sampled *m, una_basis_options *o,
                                      const una_fitting *f)
{
    double found = UNA_PLAIN_NOISE_VAR;
    if (UNA_IS_AUTO(o->train_noise_std) && *share > 0) {
        una_basis_options plain = { .common.steps = una_basis_noise_steps(o->common.steps), .batch = o->batch, .rate = 0.003,
                                    .rate_schedule = 1, .initialisation = o->initialisation,
                                    .train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR) };
        UNA_STAGE(f->run, 0, *share,
                  una_basis_noise(&found, &m->net, &plain, f->problem, f->target->result, f->run));
    } else *share = 0;
    *noise_var = noise_var_of(&o->train_noise_std, found, una_unit(o->common.units, f->problem));
    return UNA_OK;
}

una_status una_sampled_fit(una_fitting *f, const una_sampled_plan *plan)
{
    const una_problem *p = f->problem;
    una_sampled *m = f->target->state;
    const una_sampled_options *o = f->target->options;
    una_basis_options *b = f->target->options;
    una_fit_result *result = f->target->result;
    double unit = una_unit(b->common.units, p), share = plan->noise_matters ? 0.1 : 0, train_noise_var;
    const char *remedy = o->validate ? UNA_LOOK_FOR_EXTREMES : "let rows choose the noise (validate=yes)";
    if (!UNA_IS_AUTO(b->common.noise_std)) remedy = "leave noise_std to be chosen";
    if (UNA_IS_AUTO(b->train_noise_std)) b->train_noise_std = b->common.noise_std;
    una_basis_resolve_for(b, p, false, 0);
    UNA_TRY(una_kernels_need(f->run));
    UNA_TRY(sampled_train_noise(&train_noise_var, &share, m, b, f));

    una_training_job job = una_basis_job(b, m->net, &(una_training_settings){0}, train_noise_var);
    job.goal = plan->job.goal;
    job.goal_options = plan->job.goal_options;
    job.how.descent.stage = plan->job.how.descent.stage;
    job.validate = UNA_VALIDATE_NOT;
    una_target_choice chosen = { una_noise_var(b->common.noise_std, unit), 1, result };
    una_crossfit fit = { .context = m, .job_size = sizeof(sampled_training), .job = &job, .finish = sampled_finish,
                         .evaluate = sampled_evaluate, .keep = sampled_keep, .restarts = 1, .retrains = true,
                         .unvalidated = !o->validate, .grid = UNA_MIXTURE_GRID, .targets = 1,
                         .chosen = &chosen };
    UNA_STAGE(f->run, share, 1, una_crossfit_run(&fit, p, f->keep, f->run));

    double found = UNA_IS_AUTO(chosen.noise_var) ? train_noise_var : chosen.noise_var;
    m->noise_var = noise_var_of(&b->common.noise_std, found, unit);
    result->noise_var = m->noise_var;
    result->prior_var = m->prior_var;
    return check_residuals(m, plan, train_noise_var, remedy, f);
}

/* ---- the model interface ---------------------------------------------------------------------------------- */

/* Running mean and sum of squared deviations (Welford), so that no row's parts need be kept. */
static void add_part_moments(una_predictive *out, const double *f, size_t rows, size_t s, const una_sampled *m)
{
    for (size_t r = 0; r < rows; r++) {
        double step = f[r] - out->mean[r];
        out->mean[r] += step / (double)(s + 1);
        out->var_model[r] += step * (f[r] - out->mean[r]);
        if (out->part_mean) out->part_mean[r * m->parts + s] = f[r];
        if (out->part_var) out->part_var[r * m->parts + s] = m->noise_var;
    }
}

una_status una_sampled_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_sampled *m = state;
    pass p;
    UNA_TRY(begin_at(&p, m, x, run));
    memset(out->mean, 0, x.rows * sizeof(double));
    memset(out->var_model, 0, x.rows * sizeof(double));
    for (size_t s = 0; s < m->parts; s++) {
        UNA_TRY(evaluate_part(&p, m->numbers, s, p.f, run));
        add_part_moments(out, p.f, x.rows, s, m);
    }

    for (size_t r = 0; r < x.rows; r++) {
        out->var_model[r] /= (double)m->parts;
        out->var_noise[r] = m->noise_var;
    }
    return UNA_OK;
}

size_t una_sampled_mixture(const void *state)
{
    return ((const una_sampled *)state)->parts;
}

una_status una_sampled_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_sampled *m = state;
    pass p;
    *count = m->parts;
    if (!f) return UNA_OK;
    UNA_TRY(begin_at(&p, m, x, run));
    for (size_t s = 0; s < m->parts; s++) UNA_TRY(evaluate_part(&p, m->numbers, s, f + s * x.rows, run));
    return UNA_OK;
}

void una_sampled_choose(una_sampled *m, una_rng *rng)
{
    m->first += una_rng_below(rng, m->parts);
    m->parts = 1;
}

static una_status draw_prior_networks(const pass *p, uint64_t seed, size_t draws, double *f, una_run *run)
{
    if (p->phi)
        UNA_FAIL(run, UNA_E_USAGE, "convolutions, which are normalised by the images that they saw, have no prior to "
                 "draw functions from; draws from the posterior are possible");
    for (size_t k = 0; k < draws; k++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, (uint64_t)1 << 40 | k);
        p->kernels->normals(p->m->varied, rng.key, rng.counter, (float)sqrt(p->m->prior_var), 0, p->packed);
        evaluate_packed(p, f + k * p->rows);
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
    }
    return UNA_OK;
}

/* The predictive distribution is the mixture of its parts, so a draw is one of them; each is computed once. */
static una_status draw_parts(const pass *p, uint64_t seed, size_t draws, double *f, una_run *run)
{
    const una_sampled *m = p->m;
    size_t rows = p->rows;
    UNA_NEW(&run->scratch, size_t, last, m->parts);      /* 1 + the last draw of each part; 0: none */
    UNA_NEW(&run->scratch, size_t, before, draws);       /* 1 + the one before it of the same part  */
    una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, 0);
    for (size_t k = 0; k < draws; k++) {
        size_t s = una_rng_below(&rng, m->parts);
        before[k] = last[s];
        last[s] = k + 1;
    }

    for (size_t s = 0; s < m->parts; s++) {
        if (last[s]) UNA_TRY(evaluate_part(p, m->numbers, s, p->f, run));
        for (size_t k = last[s]; k > 0; k = before[k - 1]) memcpy(f + (k - 1) * rows, p->f, rows * sizeof *f);
    }
    return UNA_OK;
}

una_status una_sampled_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    pass p;
    UNA_TRY(begin_at(&p, state, x, run));
    return (how->prior ? draw_prior_networks : draw_parts)(&p, run->settings.seed, how->draws, f, run);
}

/* ---- saving -------------------------------------------------------------------------------------------------- */

/* Convolutions have many numbers, trained in float: they are stored in float. */
static una_status exchange_floats(una_sampled *m, una_archive *ar)
{
    UNA_NEW(ar->arena, float, narrow, ar->loading ? 0 : m->count);
    for (size_t i = 0; !ar->loading && i < m->count; i++) narrow[i] = (float)m->numbers[i];
    UNA_TRY(una_archive_f32s(ar, "numbers", &narrow, m->count));
    if (!ar->loading) return UNA_OK;
    UNA_NEW_AT(ar->arena, m->numbers, m->count);
    for (size_t i = 0; i < m->count; i++) m->numbers[i] = (double)narrow[i];
    return UNA_OK;
}

una_status una_sampled_exchange(una_sampled *m, una_sampled_part *part, size_t numbers_each, una_archive *ar)
{
    UNA_TRY(una_network_exchange(&m->net, false, false, ar));
    UNA_TRY(una_archive_size(ar, "parts", &m->parts, 1, MOST_PARTS));
    UNA_TRY(una_archive_u64(ar, "seed", &m->seed, 0, UINT64_MAX));
    UNA_TRY(una_archive_f64(ar, "noise_var", &m->noise_var));
    UNA_TRY(una_archive_f64(ar, "prior_var", &m->prior_var));

    if (ar->loading ? una_archive_next_is(ar, "first") : m->first != 0)       /* only where one part was drawn */
        UNA_TRY(una_archive_size(ar, "first", &m->first, 0, MOST_PARTS));
    m->part = part;
    count_numbers(m, numbers_each);
    UNA_TRY(una_sampled_heads_only(m) ? exchange_floats(m, ar)
                                      : una_archive_f64s(ar, "numbers", &m->numbers, m->count));

    if (!(m->noise_var > 0)) return una_archive_refuse(ar, "noise_var", "is not above zero");
    if (!(m->prior_var > 0)) return una_archive_refuse(ar, "prior_var", "is not above zero");
    return UNA_OK;
}
