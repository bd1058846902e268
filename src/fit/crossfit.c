/* SPDX-License-Identifier: MIT
 *
 * Folds or held-out rows, noise, prior, length of training, and what is kept. See crossfit.h.
 */
#include "fit/crossfit.h"

#include "base/company.h"
#include "la/la.h"

#include <stdlib.h>

size_t una_round_fold(const una_round *round, size_t index)
{
    return round->folds ? index % round->folds : SIZE_MAX;
}

/* ---- trainings that run together --------------------------------------------------------------------------- */

typedef struct trials {
    unsigned char *at;
    size_t size, count;
    const void **list;                   /* [count] group after group: those judged by the same rows side by side */
    size_t groups;
} trials;

static const una_trial *trial_at(const trials *all, size_t index)
{
    return (const una_trial *)(const void *)(all->at + index * all->size);
}

static una_status take_trials(trials *all, const una_crossfit *fit, const una_round *round, una_run *run)
{
    *all = (trials){ .size = fit->trial_size, .count = round->count, .groups = round->folds ? round->folds : 1 };
    all->at = una_arena_get(&run->scratch, round->count, fit->trial_size);
    all->list = UNA_GET(&run->scratch, const void *, round->count);
    UNA_TRY(una_arena_check(&run->scratch));
    size_t each = round->count / all->groups;
    for (size_t g = 0; g < all->groups; g++)
        for (size_t i = 0; i < each; i++) all->list[g * each + i] = trial_at(all, g + i * all->groups);
    return UNA_OK;
}

static void end_trials(trials *all)
{
    una_jobs_free(all->at, all->size, all->count);
}

/* Rows of the round's trainings, in float: one set for each fold, or one for all. */
static una_status split_rows(una_held **rows, const una_round *round, una_run *run)
{
    size_t sets = round->folds ? round->folds : 1;
    *rows = UNA_GET(&run->scratch, una_held, sets);
    UNA_TRY(una_arena_check(&run->scratch));
    if (round->all_rows) return una_held_none(*rows, round->problem, &run->scratch);
    for (size_t i = 0; i < sets; i++)
        UNA_TRY(una_held_split(*rows + i, round->problem, una_round_fold(round, i), &run->scratch));
    return UNA_OK;
}

typedef struct finishing { const una_crossfit *fit; const trials *all; } finishing;

static una_status finish_one(void *context, size_t index, una_run *child)
{
    const finishing *f = context;
    return f->fit->finish(f->fit->context, f->all->at + index * f->all->size, child);
}

static una_status give_lessons(const trials *all, const una_crossfit *fit, const una_round *round, una_run *run)
{
    una_held *rows;
    UNA_TRY(split_rows(&rows, round, run));

    for (size_t i = 0; i < all->count; i++) {
        una_lesson *lesson = &((una_trial *)(void *)(all->at + i * all->size))->lesson;
        *lesson = *fit->lesson;
        lesson->rows = &rows[round->folds ? una_round_fold(round, i) : 0];
        lesson->how.seed = round->problem->seed;
        lesson->how.stream = round->stream + i;
        if (lesson->first) lesson->first += i;
        lesson->how.descent.stop = round->steps;        /* rates and diversity as in the trainings that were judged */
    }

    UNA_TRY(una_train_many(all->at, all->size, all->count, run));
    finishing context = { fit, all };
    return fit->finish ? una_jobs_again(run, all->at, all->size, all->count, finish_one, &context) : UNA_OK;
}

/* Trainings of a kind's own, which may share their rows in float. */
static una_status train_by_kind(const trials *all, const una_crossfit *fit, const una_round *round, una_run *run)
{
    una_problem shared = *round->problem;
    una_round with = *round;
    una_held held;
    if (!round->folds && !round->all_rows && fit->shares_rows) {
        UNA_TRY(una_held_split(&held, round->problem, SIZE_MAX, &run->scratch));
        shared.shared = &held;
        with.problem = &shared;
    }
    return fit->train(fit->context, &with, all->at, run);
}

static una_status train(trials *all, const una_crossfit *fit, const una_round *round, una_fit_result *result,
                        una_run *run)
{
    UNA_TRY(take_trials(all, fit, round, run));
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = fit->train ? train_by_kind(all, fit, round, run) : give_lessons(all, fit, round, run);
    una_arena_release(&run->scratch, mark);
    for (size_t i = 0; status == UNA_OK && i < all->count; i++) result->steps += trial_at(all, i)->trained.steps;
    return status;
}

/* ---- choosing by rows that did not train ----------------------------------------------------------------------- */

typedef struct choice {
    const una_crossfit *fit;
    const void *const *trial;            /* [groups, each]                                                  */
    size_t groups, each;
    una_question question;
    una_answer answer;                   /* to the last question                                            */
    una_status status;                   /* of all questions so far; a failure ends the search              */
    una_run *run;
} choice;

/* Of ranks that fit together, each with held-out rows of its own. */
static una_status answer_of_all(una_answer *answer, una_run *run)
{
    double sum[3] = { answer->loss, answer->square, (double)answer->rows };
    UNA_TRY(una_company_sum_f64(sum, 3, run));
    *answer = (una_answer){ sum[0], sum[1], (size_t)sum[2] };
    return UNA_OK;
}

static double loss_at(double log_noise, void *context)
{
    choice *c = context;
    c->answer = (una_answer){0};
    c->question.noise_var = exp(log_noise);
    for (size_t g = 0; g < c->groups && c->status == UNA_OK; g++) {
        una_mark mark = una_arena_mark(&c->run->scratch);
        c->status = c->fit->judge(c->fit->context, c->trial + g * c->each, c->each, &c->question, &c->answer, c->run);
        una_arena_release(&c->run->scratch, mark);
    }
    if (c->status == UNA_OK && c->run->company) c->status = answer_of_all(&c->answer, c->run);
    return c->answer.loss;
}

/* For the question's prior variance. An automatic noise is chosen, one standard error of its logarithm up: few rows say
 * little of it. The answer is the likelihood at the noise. */
static una_status choose_noise(double *noise_var, choice *c)
{
    const una_crossfit *fit = c->fit;
    if (UNA_IS_AUTO(*noise_var)) {
        c->question.evidence = fit->by_evidence;
        double log_noise = una_search(loss_at, c, log(fit->least_noise_var > 0 ? fit->least_noise_var : 1e-8), log(4),
                                      fit->grid, fit->tolerance > 0 ? fit->tolerance : 1e-6);
        c->question.evidence = false;
        *noise_var = exp(log_noise + sqrt(2 / (double)c->answer.rows));
        if (fit->most_noise_var > 0) *noise_var = fmin(*noise_var, fit->most_noise_var);
    }
    loss_at(log(*noise_var), c);
    return c->status;
}

/* Log-likelihood per held-out row of the targets from `first` to before `end`, each with the noise that suits it. */
static una_status prior_fit(double *log_lik, const double *given_noise_var, size_t first, size_t end, choice *c)
{
    double loss = 0, rows = 0;
    for (size_t t = first; t < end; t++) {
        double noise_var = given_noise_var[t - first];
        c->question.target = t;
        UNA_TRY(choose_noise(&noise_var, c));
        loss += c->answer.loss;
        rows += (double)c->answer.rows;
    }
    *log_lik = -loss / rows;
    return UNA_OK;
}

/* The largest prior variance of a grid that costs less than 0.02 in held-out log-likelihood: likelihood
 * alone hides gaps. */
static una_status choose_prior(double *prior_var, const double *given_noise_var, size_t first, size_t end, choice *c)
{
    enum { GRID = 9 };
    double value[GRID], log_lik[GRID], best = -HUGE_VAL;
    for (size_t i = 0; i < GRID; i++) {
        c->question.prior_var = value[i] = pow(10, -2 + 0.5 * (double)i);
        UNA_TRY(prior_fit(&log_lik[i], given_noise_var, first, end, c));
        best = fmax(best, log_lik[i]);
    }
    for (size_t i = 0; i < GRID; i++)
        if (log_lik[i] >= best - 0.02) *prior_var = value[i];
    return UNA_OK;
}

static una_status check_noise(double noise_var, una_run *run)
{
    if (!UNA_IS_AUTO(noise_var) && !(noise_var > 0))
        UNA_FAIL(run, UNA_E_USAGE, "noise_std is so small that its square is 0; give a larger one");
    return UNA_OK;
}

static una_status choose_one(double *noise_var, double *prior_var, choice *c, una_fit_result *result, una_run *run)
{
    UNA_TRY(check_noise(*noise_var, run));
    size_t target = c->question.target;
    if (UNA_IS_AUTO(*prior_var)) UNA_TRY(choose_prior(prior_var, noise_var, target, target + 1, c));
    c->question.prior_var = *prior_var;
    UNA_TRY(choose_noise(noise_var, c));

    double rows = (double)c->answer.rows;
    result->valid_rows = c->answer.rows;
    result->valid_rmse = sqrt(c->answer.square / rows);
    result->valid_log_lik = -c->answer.loss / rows;
    if (!isfinite(result->valid_log_lik))
        UNA_FAIL(run, UNA_E_NUMERIC, "the answers for the held-out rows are not finite; use a smaller rate, or look "
                 "for extreme values in the inputs");
    return UNA_OK;
}

/* Of one of several targets: held-out rows may all lack it. */
static una_status is_judged(bool *judged, choice *c)
{
    c->question.prior_var = 1;
    loss_at(0, c);
    *judged = c->answer.rows > 0;
    return c->status;
}

/* One prior variance for all targets, where none is given. */
static una_status choose_one_prior(una_crossfit *fit, choice *c, una_run *run)
{
    double *noise_var = UNA_GET(&run->scratch, double, fit->targets), prior_var;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < fit->targets; t++) {
        noise_var[t] = fit->verdict[t].noise_var;
        UNA_TRY(check_noise(noise_var[t], run));
    }
    UNA_TRY(choose_prior(&prior_var, noise_var, 0, fit->targets, c));
    for (size_t t = 0; t < fit->targets; t++) fit->verdict[t].prior_var = prior_var;
    return UNA_OK;
}

static una_status choose(una_crossfit *fit, const void *const *trial, size_t groups, size_t each,
                         una_fit_result *result, una_run *run)
{
    choice c = { .fit = fit, .trial = trial, .groups = groups, .each = each, .run = run };
    if (!fit->targets) return choose_one(&fit->noise_var, &fit->prior_var, &c, result, run);
    if (fit->one_prior && UNA_IS_AUTO(fit->verdict[0].prior_var)) UNA_TRY(choose_one_prior(fit, &c, run));
    for (size_t t = 0; t < fit->targets; t++) {
        una_target_verdict *v = &fit->verdict[t];
        bool judged;
        c.question.target = t;
        UNA_TRY(is_judged(&judged, &c));
        if (judged) UNA_TRY(choose_one(&v->noise_var, &v->prior_var, &c, v->result, run));
    }
    for (size_t g = 0; fit->compare && g < groups; g++)
        UNA_TRY(fit->compare(fit->context, trial + g * each, fit->verdict, run));
    return UNA_OK;
}

/* ---- how long to train, and which training is best ---------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Of the steps after which the trainings were best. */
static una_status median_steps(size_t *steps, const trials *all, una_run *run)
{
    size_t *step = UNA_GET(&run->scratch, size_t, all->count);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < all->count; i++) {
        const una_trained *t = &trial_at(all, i)->trained;
        step[i] = t->best_step ? t->best_step : t->steps;
    }
    qsort(step, all->count, sizeof *step, by_size);
    *steps = step[all->count / 2];
    return UNA_OK;
}

static size_t best_of(const trials *all)
{
    size_t best = 0;
    for (size_t i = 1; i < all->count; i++)
        if (trial_at(all, i)->score > trial_at(all, best)->score) best = i;
    return best;
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

/* Trainings before the final ones, for their rows left out to judge. */
static size_t judges(const una_crossfit *fit, const una_problem *p)
{
    return p->folds ? p->folds * (fit->scouts ? fit->scouts : 1) : fit->retrains && p->valid_x.rows > 0;
}

/* Trains and judges; the round's steps are then those of the final trainings. *kept: these were them. */
static una_status judge_first(una_crossfit *fit, una_round *round, bool *kept, una_fit_result *result, una_arena *keep,
                              una_run *run)
{
    const una_problem *p = round->problem;
    trials all;
    una_status status = train(&all, fit, round, result, run);
    if (status == UNA_OK) status = choose(fit, all.list, all.groups, all.count / all.groups, result, run);
    if (status == UNA_OK) status = median_steps(&round->steps, &all, run);
    *kept = keep && !p->folds && !p->valid_joins;        /* nothing more will ever train */
    if (status == UNA_OK && *kept) status = fit->keep(fit->context, all.list, 1, result, keep, run);
    end_trials(&all);
    return status;
}

static una_status train_finally(una_crossfit *fit, const una_round *round, una_fit_result *result, una_arena *keep,
                                una_run *run)
{
    trials all;
    una_status status = train(&all, fit, round, result, run);
    if (status == UNA_OK) {
        size_t first = fit->mixture ? 0 : best_of(&all), count = fit->mixture ? all.count : 1;
        if (trial_at(&all, first)->held && !fit->unjudged)
            status = choose(fit, all.list + first, 1, count, result, run);
        if (status == UNA_OK) status = fit->keep(fit->context, all.list + first, count, result, keep, run);
    }
    end_trials(&all);
    return status;
}

una_status una_crossfit_run(una_crossfit *fit, const una_problem *p, una_fit_result *result, una_arena *keep,
                            una_run *run)
{
    bool skip = fit->unjudged || (fit->folds_for_noise && !UNA_IS_AUTO(fit->noise_var)), kept = false;
    size_t first = judges(fit, p);
    double share = skip ? 0 : (double)first / (double)(first + fit->restarts);
    una_round round = { .problem = p, .count = first, .folds = p->folds, .stream = fit->stream };

    if (first && !skip) {
        una_span before = una_progress_part(run, 0, share);
        una_status status = judge_first(fit, &round, &kept, result, keep, run);
        una_progress_back(run, before);
        UNA_TRY(status);
    }
    if (kept) return UNA_OK;

    round.stream = fit->stream + first;                  /* the same with judges and without */
    round.count = fit->restarts;
    round.folds = 0;
    round.all_rows = fit->retrains && p->valid_joins;
    una_span before = una_progress_part(run, share, 1);
    una_status status = train_finally(fit, &round, result, keep, run);
    una_progress_back(run, before);
    return status;
}

una_status una_crossfit_judge(una_crossfit *fit, const una_problem *p, una_fit_result *result, una_run *run)
{
    una_round round = { .problem = p, .count = p->folds ? p->folds : 1, .folds = p->folds, .stream = fit->stream };
    bool kept;
    if (!p->folds && p->valid_x.rows == 0) return UNA_OK;
    return judge_first(fit, &round, &kept, result, NULL, run);
}
