/* SPDX-License-Identifier: MIT
 *
 * Fitting a mixture of sampled networks. One training without the held-out rows (or one per fold) chooses the noise and
 * gives scores, then all rows train: unlike a linear head, the distribution over parameters cannot take in rows
 * afterwards.
 */
#include "train/sampled.h"

#include "train/crossfit.h"
#include "la/mixture.h"

enum { MOST_VALID_ROWS = 4096 };         /* rows that choose the noise, at most                             */

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
    float *packed = UNA_GET(&run->scratch, float, m->count);
    t->numbers = UNA_GET(&t->base.arena, double, m->count);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_arena_check(&t->base.arena));
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
    return una_sampled_values(m, t->numbers, r.valid_x, r.valid_rows, t->valid_f, m->parts, 1, run);
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

una_status una_sampled_shape(una_sampled *m, una_sampled_options *o, size_t numbers_each, const una_problem *p,
                             una_arena *keep, una_run *run)
{
    una_network_plan plan = { .body = o->body, .width = (size_t)o->width, .depth = (size_t)o->depth,
                              .features = (size_t)o->width, .activation = o->activation };
    UNA_TRY(una_network_make(&m->net, &plan, p->columns, p->x.cols, 1, keep, run));
    o->body = plan.body;
    m->seed = p->seed;
    una_sampled_count(m, numbers_each);
    return UNA_OK;
}

static void sampled_resolve(una_sampled_options *o, const una_problem *p)
{
    una_basis_options basis = { .width = o->width, .features = o->width, .batch = o->batch, .common.steps = o->common.steps,
                                .epochs = o->epochs, .body = o->body };
    una_basis_resolve_for(&basis, p, false, 0);
    o->batch = basis.batch;
    o->common.steps = basis.common.steps;
    o->epochs = basis.epochs;
}

/* Sets the bound that training maximised, E_q log p(y | theta) - divergence, from the parts; warns where the residuals
 * contradict the bands, with a remedy. */
static una_status check_residuals(const una_sampled *m, const una_sampled_plan *plan, double train_noise_var,
                                  const char *remedy, const una_problem *p, una_fit_result *result, una_run *run)
{
    una_training_rows all;
    UNA_TRY(p->valid_joins ? una_training_rows_all(&all, p, &run->scratch)
                           : una_training_rows_split(&all, p, SIZE_MAX, &run->scratch));
    double rows = (double)all.rows, square = 0, residual = 0;
    UNA_TRY(una_training_rows_thin(&all, MOST_VALID_ROWS, SIZE_MAX, &run->scratch));
    size_t n = all.rows;
    UNA_NEW(&run->scratch, double, f, m->parts * n);
    UNA_TRY(una_sampled_values(m, m->numbers, all.x, n, f, m->parts, 1, run));

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
static una_status sampled_train_noise(double *noise_var, double *share, const una_sampled *m, una_sampled_options *o,
                                      bool matters, const una_problem *p, una_fit_result *result, una_run *run)
{
    double found = UNA_PLAIN_NOISE_VAR;
    *share = 0;
    if (UNA_IS_AUTO(o->train_noise_std) && !UNA_IS_AUTO(o->common.noise_std)) o->train_noise_std = o->common.noise_std;

    if (UNA_IS_AUTO(o->train_noise_std) && matters) {
        una_basis_options plain = { .common.steps = una_basis_noise_steps(o->common.steps), .batch = o->batch, .rate = 0.003,
                                    .rate_schedule = 1, .initialisation = o->initialisation,
                                    .train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR) };
        *share = 0.1;
        UNA_STAGE(run, 0, *share, una_basis_noise(&found, &m->net, &plain, p, result, run));
    }

    *noise_var = noise_var_of(&o->train_noise_std, found, una_unit(o->common.units, p));
    return UNA_OK;
}

/* The job as the options say; its goal comes from the plan. */
static una_training_job sampled_job(const una_sampled *m, const una_sampled_options *o, const una_sampled_plan *plan,
                                    double train_noise_var)
{
    una_basis_options basis = { .common.steps = o->common.steps, .batch = o->batch, .optimiser = UNA_ADAM, .rate = o->rate,
                                .rate_schedule = o->rate_schedule, .initialisation = o->initialisation,
                                .flips = o->flips, .shifts = o->shifts };
    una_training_job job = una_basis_job(&basis, m->net, &(una_training_settings){0}, train_noise_var);
    job.goal = plan->job.goal;
    job.goal_options = plan->job.goal_options;
    job.how.descent.stage = plan->job.how.descent.stage;
    job.validate = UNA_VALIDATE_NOT;
    return job;
}

una_status una_sampled_fit(una_fitting *f, const una_sampled_plan *plan)
{
    const una_problem *p = f->problem;
    una_sampled *m = f->target->state;
    una_sampled_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    double unit = una_unit(o->common.units, p), share, train_noise_var;
    const char *remedy = o->validate ? UNA_LOOK_FOR_EXTREMES : "let rows choose the noise (validate=yes)";
    if (!UNA_IS_AUTO(o->common.noise_std)) remedy = "leave noise_std to be chosen";
    sampled_resolve(o, p);
    UNA_TRY(una_kernels_need(f->run));
    UNA_TRY(sampled_train_noise(&train_noise_var, &share, m, o, plan->noise_matters, p, result, f->run));

    una_training_job job = sampled_job(m, o, plan, train_noise_var);
    una_crossfit fit = { .context = m, .job_size = sizeof(sampled_training), .job = &job, .finish = sampled_finish,
                         .evaluate = sampled_evaluate, .keep = sampled_keep, .restarts = 1, .retrains = true,
                         .unvalidated = !o->validate, .grid = UNA_MIXTURE_GRID, .prior_var = 1,
                         .noise_var = una_noise_var(o->common.noise_std, unit) };
    UNA_STAGE(f->run, share, 1, una_crossfit_run(&fit, p, result, f->keep, f->run));

    double found = UNA_IS_AUTO(fit.noise_var) ? train_noise_var : fit.noise_var;
    m->noise_var = noise_var_of(&o->common.noise_std, found, unit);
    result->noise_var = m->noise_var;
    result->prior_var = m->prior_var;
    return check_residuals(m, plan, train_noise_var, remedy, p, result, f->run);
}
