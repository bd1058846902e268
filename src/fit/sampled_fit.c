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

/* ---- trainings ------------------------------------------------------------------------------------------------ */

typedef struct sampled_trial {
    una_trial base;
    double   *numbers;                   /* what the state stores                                           */
    double   *held_f, *held_y;           /* [held, parts], [held]                                           */
} sampled_trial;

/* The numbers of a trained distribution, or of one network: its packed parameters. */
static una_status take_numbers(sampled_trial *t, const una_sampled *m, una_run *run)
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

static una_status finish(void *context, void *trial, una_run *run)
{
    sampled_trial *t = trial;
    const una_sampled *m = context;
    const una_held *r = t->base.lesson.rows;
    float *x = r->held_x;
    double *y = r->held_y;
    UNA_TRY(take_numbers(t, m, run));
    if (r->held == 0) return UNA_OK;
    UNA_TRY(una_held_thin(&x, &y, &t->base.held, r->inputs, 1, JUDGED, &run->scratch));
    t->held_f = UNA_GET(&t->base.arena, double, t->base.held * m->parts);
    t->held_y = una_held_copy(y, t->base.held, &t->base.arena);
    UNA_TRY(una_arena_check(&t->base.arena));
    return una_sampled_values(m, t->numbers, x, t->base.held, t->held_f, m->parts, 1, run);
}

/* The likelihood of held-out rows under the mixture. */
static una_status sampled_judge(void *context, const void *const *trial, size_t count, const una_question *question,
                                una_answer *answer, una_run *run)
{
    const sampled_trial *t = trial[0];
    size_t parts = ((const una_sampled *)context)->parts;
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
    una_sampled *m = context;
    const sampled_trial *t = trial[0];
    (void)count, (void)run;
    m->numbers = una_held_copy(t->numbers, m->count, keep);
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

static void resolve(una_sampled_options *o, const una_problem *p)
{
    una_basis_options basis = { .width = o->width, .features = o->width, .batch = o->batch, .steps = o->steps,
                                .epochs = o->epochs, .body = o->body };
    una_basis_resolve_for(&basis, p, false, 0);
    o->batch = basis.batch;
    o->steps = basis.steps;
    o->epochs = basis.epochs;
}

/* The bound that training maximised, E_q log p(y | theta) - divergence, from the parts; what the residuals
 * say of the bands, and what would help. */
static una_status look_back(const una_sampled *m, const una_sampled_plan *plan, double train_noise_var,
                            const char *remedy, const una_problem *p, una_fit_result *result, una_run *run)
{
    una_held held;
    UNA_TRY(p->valid_joins ? una_held_none(&held, p, &run->scratch)
                           : una_held_split(&held, p, SIZE_MAX, &run->scratch));
    double rows = (double)held.rows, square = 0, residual = 0;
    size_t n = held.rows;
    UNA_TRY(una_held_thin(&held.x, &held.y, &n, held.inputs, 1, JUDGED, &run->scratch));
    double *f = UNA_GET(&run->scratch, double, m->parts * n);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_sampled_values(m, m->numbers, held.x, n, f, m->parts, 1, run));

    for (size_t r = 0; r < n; r++) {
        double mean = 0;
        for (size_t s = 0; s < m->parts; s++) {
            mean += f[r * m->parts + s] / (double)m->parts;
            square += pow(held.y[r] - f[r * m->parts + s], 2) / (double)m->parts;
        }
        residual += pow(held.y[r] - mean, 2);
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

/* Values come from the option as it is printed, so that passing it back gives the same bits. */
static double noise_var_of(double *option, double found, double unit)
{
    if (UNA_IS_AUTO(*option)) *option = sqrt(found) / unit;
    return pow(*option * unit, 2);
}

/* The noise inside the objective: given, a mere ratio, or (*share of the progress) the error of a plain network with
 * the same shape. */
static una_status find_train_noise(double *noise_var, double *share, const una_sampled *m, una_sampled_options *o,
                                   bool matters, const una_problem *p, una_fit_result *result, una_run *run)
{
    double found = UNA_PLAIN_NOISE_VAR;
    *share = 0;
    if (UNA_IS_AUTO(o->train_noise_std) && !UNA_IS_AUTO(o->noise_std)) o->train_noise_std = o->noise_std;

    if (UNA_IS_AUTO(o->train_noise_std) && matters) {
        una_basis_options plain = { .steps = una_basis_noise_steps(o->steps), .batch = o->batch, .rate = 0.003,
                                    .rate_schedule = 1, .initialisation = o->initialisation,
                                    .train_noise_std = sqrt(UNA_PLAIN_NOISE_VAR) };
        una_span before = una_progress_part(run, 0, *share = 0.1);
        una_status status = una_basis_noise(&found, &m->net, &plain, p, result, run);
        una_progress_back(run, before);
        UNA_TRY(status);
    }

    *noise_var = noise_var_of(&o->train_noise_std, found, una_unit(o->units, p));
    return UNA_OK;
}

/* As the options say; the plan's lesson has the goal. */
static una_lesson lesson_of(const una_sampled *m, const una_sampled_options *o, const una_sampled_plan *plan,
                            double train_noise_var)
{
    una_basis_options basis = { .steps = o->steps, .batch = o->batch, .optimiser = UNA_ADAM, .rate = o->rate,
                                .rate_schedule = o->rate_schedule, .initialisation = o->initialisation,
                                .flips = o->flips, .shifts = o->shifts };
    una_lesson lesson = una_basis_lesson(&basis, m->net, &(una_training){0}, train_noise_var);
    lesson.goal = plan->lesson.goal;
    lesson.of = plan->lesson.of;
    lesson.how.descent.stage = plan->lesson.how.descent.stage;
    lesson.look = UNA_LOOK_NOT;
    return lesson;
}

una_status una_sampled_fit(una_sampled *m, una_sampled_options *o, const una_problem *p, const una_sampled_plan *plan,
                           una_fit_result *result, una_arena *keep, una_run *run)
{
    double unit = una_unit(o->units, p), share, train_noise_var;
    const char *remedy = !UNA_IS_AUTO(o->noise_std) ? "leave noise_std to be chosen"
                       : o->validate ? UNA_LOOK_FOR_EXTREMES : "let rows choose the noise (validate=yes)";
    resolve(o, p);
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(find_train_noise(&train_noise_var, &share, m, o, plan->noise_matters, p, result, run));

    una_lesson lesson = lesson_of(m, o, plan, train_noise_var);
    una_crossfit fit = { .context = m, .trial_size = sizeof(sampled_trial), .lesson = &lesson, .finish = finish,
                         .judge = sampled_judge, .keep = sampled_keep, .restarts = 1, .retrains = true,
                         .unjudged = !o->validate, .grid = UNA_MIXTURE_GRID, .prior_var = 1,
                         .noise_var = una_noise_var(o->noise_std, unit) };
    una_span before = una_progress_part(run, share, 1);
    una_status status = una_crossfit_run(&fit, p, result, keep, run);
    una_progress_back(run, before);
    UNA_TRY(status);

    m->noise_var = noise_var_of(&o->noise_std, UNA_IS_AUTO(fit.noise_var) ? train_noise_var : fit.noise_var, unit);
    result->noise_var = m->noise_var;
    result->prior_var = m->prior_var;
    return look_back(m, plan, train_noise_var, remedy, p, result, run);
}
