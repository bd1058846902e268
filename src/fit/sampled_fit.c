/* SPDX-License-Identifier: MIT
 *
 * Fitting a mixture of sampled networks. Trained once without the held-out rows (or once per fold) to choose the noise
 * and to score, then on all rows: unlike a linear head, the distribution over parameters cannot take rows in
 * afterwards.
 */
#include "fit/sampled.h"

#include "fit/crossfit.h"
#include "la/mixture.h"

#include <string.h>

enum { JUDGED = 4096 };                  /* rows that the noise is chosen on, at most                       */

una_status una_sampled_batches(una_batches *batches, const una_held *rows, const una_training *how, una_run *run)
{
    return una_batches_init(batches, rows->x, rows->target, rows->rows, rows->inputs, how->batch, how->seed,
                            how->stream, &run->scratch);
}

/* ---- trainings ------------------------------------------------------------------------------------------------ */

typedef struct sampled_trial {
    una_trial base;
    double   *numbers;
    double   *held_f, *held_y;           /* [held, parts], [held]                                           */
} sampled_trial;

typedef struct lesson {                  /* context of the trainings                                        */
    una_sampled *state;                  /* its shape; what is kept goes there                              */
    const una_sampled_options *options;
    const una_sampled_plan *plan;
    double train_noise_var;
} lesson;

typedef struct lesson_round { const lesson *lesson; const una_round *round; sampled_trial *trial; } lesson_round;

static una_status judge_by(sampled_trial *t, const una_sampled *m, const una_held *rows, una_run *run)
{
    float *x = rows->held_x;
    double *y = rows->held_y;
    size_t held = rows->held;
    UNA_TRY(una_held_thin(&x, &y, &held, rows->inputs, JUDGED, &run->scratch));
    t->base.held = held;
    t->held_f = UNA_GET(&t->base.arena, double, held * m->parts);
    t->held_y = una_held_copy(y, held, &t->base.arena);
    UNA_TRY(una_arena_check(&t->base.arena));
    return una_sampled_functions(m, t->numbers, x, held, t->held_f, m->parts, 1, run);
}

static una_training training_of(const lesson *all, size_t rows, uint64_t seed, uint64_t stream)
{
    const una_sampled_options *o = all->options;
    una_basis_options basis = { .steps = o->steps, .batch = o->batch, .optimiser = UNA_ADAM, .rate = o->rate,
                                .rate_schedule = o->rate_schedule };
    return una_basis_training(&basis, rows, &(una_training){0}, all->train_noise_var, seed, stream);
}

static una_status train_one(void *context, size_t index, una_run *run)
{
    const lesson_round *at = context;
    const lesson *all = at->lesson;
    const una_problem *p = at->round->problem;
    sampled_trial *t = &at->trial[index];
    una_held rows;
    t->numbers = UNA_GET(&t->base.arena, double, all->state->count);
    UNA_TRY(una_arena_check(&t->base.arena));
    UNA_TRY(at->round->all_rows ? una_held_none(&rows, p, &run->scratch)
                                : una_held_split(&rows, p, una_round_fold(at->round, index), &run->scratch));
    una_training how = training_of(all, rows.rows, p->seed, at->round->stream + index);
    UNA_TRY(all->plan->train(all->plan->context, all->state, &rows, &how, t->numbers, &t->base.trained, &t->base.arena,
                             run));
    return rows.held ? judge_by(t, all->state, &rows, run) : UNA_OK;
}

static una_status sampled_train(void *context, const una_round *round, void *trials, una_run *run)
{
    lesson_round at = { context, round, trials };
    return una_jobs_run(run, trials, sizeof *at.trial, round->count, train_one, &at);
}

/* The likelihood of held-out rows under the mixture. */
static una_status sampled_judge(void *context, const void *const *trial, size_t count, const una_question *question,
                                una_answer *answer, una_run *run)
{
    const sampled_trial *t = trial[0];
    size_t parts = ((const lesson *)context)->state->parts;
    (void)count, (void)run;
    for (size_t r = 0; r < t->base.held; r++) {
        const double *f = t->held_f + r * parts;
        double mean = 0;
        for (size_t s = 0; s < parts; s++) mean += f[s] / (double)parts;
        answer->loss -= una_mixture_log_pdf_even(t->held_y[r], f, question->noise_var, parts);
        answer->square += pow(t->held_y[r] - mean, 2);
    }
    answer->rows += t->base.held;
    return UNA_OK;
}

static una_status sampled_keep(void *context, const void *const *trial, size_t count, una_fit_result *result,
                               una_arena *keep, una_run *run)
{
    una_sampled *m = ((const lesson *)context)->state;
    const sampled_trial *t = trial[0];
    (void)count, (void)run;
    m->numbers = una_held_copy(t->numbers, m->count, keep);
    return una_basis_keep_curve(result, &t->base.trained, keep);
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

/* The bound that training maximised, E_q log p(y | theta) - divergence, from the parts; what the residuals
 * say of the bands. */
static una_status look_back(const lesson *all, const una_problem *p, una_fit_result *result, una_run *run)
{
    const una_sampled *m = all->state;
    una_held held;
    UNA_TRY(p->valid_joins ? una_held_none(&held, p, &run->scratch)
                           : una_held_split(&held, p, SIZE_MAX, &run->scratch));
    double rows = (double)held.rows, square = 0, residual = 0;
    size_t n = held.rows;
    UNA_TRY(una_held_thin(&held.x, &held.y, &n, held.inputs, JUDGED, &run->scratch));
    double *f = UNA_GET(&run->scratch, double, m->parts * n);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_sampled_functions(m, m->numbers, held.x, n, f, m->parts, 1, run));
    for (size_t r = 0; r < n; r++) {
        double mean = 0;
        for (size_t s = 0; s < m->parts; s++) {
            mean += f[r * m->parts + s] / (double)m->parts;
            square += pow(held.y[r] - f[r * m->parts + s], 2) / (double)m->parts;
        }
        residual += pow(held.y[r] - mean, 2);
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

/* The noise inside the objective: given, a mere ratio, or (*share of the progress) the error of a plain network with the
 * same shape. */
static una_status find_train_noise(lesson *all, double *share, una_sampled_options *o, const una_problem *p,
                                   double unit, una_fit_result *result, una_run *run)
{
    double found = UNA_PLAIN_NOISE_VAR;
    *share = 0;
    if (UNA_IS_AUTO(o->train_noise_std) && !UNA_IS_AUTO(o->noise_std)) o->train_noise_std = o->noise_std;
    if (UNA_IS_AUTO(o->train_noise_std) && all->plan->noise_matters) {
        una_basis_options plain = { .steps = una_plain_steps(o->steps), .batch = o->batch, .rate = 0.003,
                                    .rate_schedule = 1, .initialisation = o->initialisation,
                                    .train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR) };
        size_t rows;
        una_span before = una_progress_part(run, 0, *share = 0.1);
        una_status status = una_plain_noise(&found, &rows, &all->state->net, &plain, p, result, run);
        una_progress_back(run, before);
        UNA_TRY(status);
    }
    all->train_noise_var = noise_var_of(&o->train_noise_std, found, unit);
    return UNA_OK;
}

una_status una_sampled_fit(una_sampled *m, una_sampled_options *o, const una_problem *p, const una_sampled_plan *plan,
                           una_fit_result *result, una_arena *keep, una_run *run)
{
    double unit = o->units == 1 ? 1 : 1 / p->columns->target_scale, share;
    lesson all = { .state = m, .options = o, .plan = plan };
    resolve(o, p->x.rows);
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(find_train_noise(&all, &share, o, p, unit, result, run));

    una_crossfit fit = { .context = &all, .trial_size = sizeof(sampled_trial), .train = sampled_train,
                         .judge = sampled_judge, .keep = sampled_keep, .restarts = 1, .retrains = true,
                         .unjudged = !o->validate, .grid = UNA_MIXTURE_GRID, .prior_var = 1,
                         .noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(o->noise_std * unit, 2) };
    una_span before = una_progress_part(run, share, 1);
    una_status status = una_crossfit_run(&fit, p, result, keep, run);
    una_progress_back(run, before);
    UNA_TRY(status);

    m->noise_var = noise_var_of(&o->noise_std, UNA_IS_AUTO(fit.noise_var) ? all.train_noise_var : fit.noise_var, unit);
    result->noise_var = m->noise_var;
    result->prior_var = m->prior_var;
    return look_back(&all, p, result, run);
}
