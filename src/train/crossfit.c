/* SPDX-License-Identifier: MIT
 *
 * Folds or held-out rows, noise, prior, length of training, and what is kept. See crossfit.h.
 */
#include "train/crossfit.h"

#include "la/la.h"

size_t una_training_plan_fold(const una_training_plan *plan, size_t index)
{
    return plan->folds ? index % plan->folds : SIZE_MAX;
}

/* ---- trainings that run together --------------------------------------------------------------------------- */

typedef struct trainings {
    const una_crossfit *fit;
    una_training_plan plan;
    una_arena *keep;                     /* NULL: nothing is kept                                           */
    unsigned char *at;                   /* [plan.count] of fit->job_size                                   */
    const void **list;                   /* [plan.count] group after group: those with the same validation rows side by
                                            side */
    size_t groups;
    bool   kept;                         /* the first are the final ones                                     */
} trainings;

static void *training_at(const trainings *all, size_t index)
{
    return all->at + index * all->fit->job_size;
}

static const una_trained_job *job_at(const trainings *all, size_t index)
{
    return training_at(all, index);
}

/* Rows of the plan's trainings, in float: one set for each fold, or one for all. */
static una_status split_rows(una_training_rows **rows, const una_training_plan *plan, una_run *run)
{
    size_t sets = plan->folds ? plan->folds : 1;
    UNA_NEW_AT(&run->scratch, *rows, sets);
    if (plan->all_rows) return una_training_rows_all(*rows, plan->problem, &run->scratch);
    for (size_t i = 0; i < sets; i++)
        UNA_TRY(una_training_rows_split(*rows + i, plan->problem, una_training_plan_fold(plan, i), &run->scratch));
    return UNA_OK;
}

static una_status finish_one(void *context, size_t index, una_run *child)
{
    const trainings *all = context;
    return all->fit->finish(all->fit->context, training_at(all, index), child);
}

static una_status train_jobs(trainings *all, una_run *run)
{
    const una_crossfit *fit = all->fit;
    const una_training_plan *plan = &all->plan;
    una_training_rows *rows;
    UNA_TRY(split_rows(&rows, plan, run));

    for (size_t i = 0; i < plan->count; i++) {
        una_training_job *job = &((una_trained_job *)training_at(all, i))->job;
        *job = *fit->job;
        job->rows = &rows[plan->folds ? una_training_plan_fold(plan, i) : 0];
        job->how.seed = plan->problem->seed;
        job->how.stream = plan->stream + i;
        if (job->init_stream) job->init_stream += i;
        job->how.descent.stop = plan->steps;            /* rates and diversity as in the trainings that were
                                                           validated */
    }

    UNA_TRY(una_train_many(all->at, fit->job_size, plan->count, run));
    return fit->finish ? una_jobs_again(run, all->at, fit->job_size, plan->count, finish_one, all) : UNA_OK;
}

static una_status train_plan(trainings *all, una_run *run)
{
    const una_crossfit *fit = all->fit;
    UNA_SCOPED(run, fit->train ? fit->train(fit->context, &all->plan, all->at, run) : train_jobs(all, run));
    for (size_t i = 0; i < all->plan.count; i++) fit->chosen->result->steps += job_at(all, i)->trained.steps;
    return UNA_OK;
}

/* Calls the task for the trainings of the plan, which have room then and are given back in the end. */
static una_status with_trainings(trainings *all, una_status (*task)(trainings *all, una_run *run), una_run *run)
{
    size_t count = all->plan.count;
    all->groups = all->plan.folds ? all->plan.folds : 1;
    all->at = una_arena_get(&run->scratch, count, all->fit->job_size);
    UNA_NEW_AT(&run->scratch, all->list, count);
    for (size_t g = 0, k = 0; g < all->groups; g++)
        for (size_t i = 0; i < count / all->groups; i++) all->list[k++] = training_at(all, g + i * all->groups);
    una_status status = task(all, run);
    una_jobs_free(all->at, all->fit->job_size, count);
    return status;
}

/* ---- choosing by rows that did not train ----------------------------------------------------------------------- */

typedef struct choice {
    const una_crossfit *fit;
    const void *const *training;         /* [groups, each]                                                  */
    size_t groups, each;
    una_variances variances;
    una_valid_loss sums;                 /* at the last variances                                           */
    una_status status;                   /* of all evaluations so far; a failure ends the search            */
    una_run *run;
} choice;

/* Over all validation rows. */
static una_status add_losses(choice *c)
{
    una_valid_loss *sums = &c->sums;
    for (size_t g = 0; g < c->groups; g++)
        UNA_SCOPED(c->run, c->fit->evaluate(c->fit->context, c->training + g * c->each, c->each, &c->variances, sums,
                                            c->run));
    double sum[3] = { sums->loss, sums->square, (double)sums->rows };
    UNA_TRY(una_run_sum_f64(sum, 3, c->run));
    *sums = (una_valid_loss){ sum[0], sum[1], (size_t)sum[2] };
    return UNA_OK;
}

static double valid_loss_at(double log_noise, void *context)
{
    choice *c = context;
    c->sums = (una_valid_loss){0};
    c->variances.noise_var = exp(log_noise);
    if (c->status == UNA_OK) c->status = add_losses(c);
    return c->sums.loss;
}

/* For the prior variance in c->variances. An automatic noise is set one standard error of its logarithm above the best
 * value, because few rows determine it poorly. c->sums are those at this noise. */
static una_status choose_noise_by_loss(double *noise_var, choice *c)
{
    const una_crossfit *fit = c->fit;
    if (UNA_IS_AUTO(*noise_var)) {
        c->variances.evidence = fit->by_evidence;
        double log_noise = una_search(valid_loss_at, c, log(fit->least_noise_var > 0 ? fit->least_noise_var : 1e-8),
                                      log(4), fit->grid, fit->tolerance > 0 ? fit->tolerance : 1e-6);
        c->variances.evidence = false;
        *noise_var = exp(log_noise + sqrt(2 / (double)c->sums.rows));
        if (fit->most_noise_var > 0) *noise_var = fmin(*noise_var, fit->most_noise_var);
    }
    valid_loss_at(log(*noise_var), c);
    return c->status;
}

/* Log-likelihood per validation row of targets `first` to `end` - 1, each with the noise that suits it. */
static una_status prior_fit(double *log_lik, const double *given_noise_var, size_t first, size_t end, choice *c)
{
    double loss = 0, rows = 0;
    for (size_t t = first; t < end; t++) {
        double noise_var = given_noise_var[t - first];
        c->variances.target = t;
        UNA_TRY(choose_noise_by_loss(&noise_var, c));
        loss += c->sums.loss;
        rows += (double)c->sums.rows;
    }
    *log_lik = -loss / rows;
    return UNA_OK;
}

/* The largest prior variance of a grid that costs less than 0.02 in log-likelihood of validation rows: these lie among
 * the others, so likelihood alone would choose bands too narrow for gaps. */
static una_status choose_prior(double *prior_var, const double *given_noise_var, size_t first, size_t end, choice *c)
{
    enum { GRID = 9 };
    double value[GRID], log_lik[GRID], best = -HUGE_VAL;
    for (size_t i = 0; i < GRID; i++) {
        c->variances.prior_var = value[i] = pow(10, -2 + 0.5 * (double)i);
        UNA_TRY(prior_fit(&log_lik[i], given_noise_var, first, end, c));
        best = fmax(best, log_lik[i]);
    }
    for (size_t i = 0; i < GRID; i++)
        if (log_lik[i] >= best - 0.02) *prior_var = value[i];
    return UNA_OK;
}

static una_status check_given_noise(double noise_var, una_run *run)
{
    if (!UNA_IS_AUTO(noise_var) && !(noise_var > 0))
        UNA_FAIL(run, UNA_E_USAGE, "noise_std is so small that its square is 0; give a larger one");
    return UNA_OK;
}

static una_status choose_one(una_target_choice *v, choice *c)
{
    una_fit_result *result = v->result;
    size_t target = c->variances.target;
    UNA_TRY(check_given_noise(v->noise_var, c->run));
    if (UNA_IS_AUTO(v->prior_var)) UNA_TRY(choose_prior(&v->prior_var, &v->noise_var, target, target + 1, c));
    c->variances.prior_var = v->prior_var;
    UNA_TRY(choose_noise_by_loss(&v->noise_var, c));

    double rows = (double)c->sums.rows;
    result->valid_rows = c->sums.rows;
    result->valid_rmse = sqrt(c->sums.square / rows);
    result->valid_log_lik = -c->sums.loss / rows;
    if (!isfinite(result->valid_log_lik))
        UNA_FAIL(c->run, UNA_E_NUMERIC, "the answers for the held-out rows are not finite; use a smaller rate, or look "
                 "for extreme values in the inputs");
    return UNA_OK;
}

/* One prior variance for all targets, where none is given. */
static una_status choose_one_prior(const una_crossfit *fit, choice *c)
{
    double prior_var;
    UNA_NEW(&c->run->scratch, double, noise_var, fit->targets);
    for (size_t t = 0; t < fit->targets; t++) {
        noise_var[t] = fit->chosen[t].noise_var;
        UNA_TRY(check_given_noise(noise_var[t], c->run));
    }
    UNA_TRY(choose_prior(&prior_var, noise_var, 0, fit->targets, c));
    for (size_t t = 0; t < fit->targets; t++) fit->chosen[t].prior_var = prior_var;
    return UNA_OK;
}

/* By `each` trainings of every group, the first of them all->list[first]. */
static una_status choose_variances(const trainings *all, size_t first, size_t groups, size_t each, una_run *run)
{
    const una_crossfit *fit = all->fit;
    const void *const *training = all->list + first;
    choice c = { .fit = fit, .training = training, .groups = groups, .each = each, .run = run };
    if (fit->one_prior && UNA_IS_AUTO(fit->chosen[0].prior_var)) UNA_TRY(choose_one_prior(fit, &c));
    for (size_t t = 0; t < fit->targets; t++) {
        c.variances = (una_variances){ .prior_var = 1, .target = t };
        if (fit->targets > 1) valid_loss_at(0, &c);      /* one of several may be missing from all validation rows */
        UNA_TRY(c.status);
        if (fit->targets == 1 || c.sums.rows > 0) UNA_TRY(choose_one(&fit->chosen[t], &c));
    }
    for (size_t g = 0; fit->compare && g < groups; g++)
        UNA_SCOPED(run, fit->compare(fit->context, training + g * each, fit->chosen, run));
    return UNA_OK;
}

/* ---- how long to train, and which training is best ---------------------------------------------------------- */

/* The median of the steps after which the trainings were best. */
static una_status median_steps(size_t *steps, const trainings *all, una_run *run)
{
    size_t count = all->plan.count;
    UNA_NEW(&run->scratch, double, step, count);
    for (size_t i = 0; i < count; i++) {
        const una_trained *t = &job_at(all, i)->trained;
        step[i] = (double)(t->best_step ? t->best_step : t->steps);
    }
    qsort(step, count, sizeof *step, una_by_number);
    *steps = (size_t)step[count / 2];
    return UNA_OK;
}

static size_t best_of(const trainings *all)
{
    size_t best = 0;
    for (size_t i = 1; i < all->plan.count; i++)
        if (job_at(all, i)->score > job_at(all, best)->score) best = i;
    return best;
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

/* Trainings before the final ones, which leave rows out to validate. */
static size_t count_first_trainings(const una_crossfit *fit, const una_problem *p)
{
    if (p->folds) return p->folds * (fit->trainings_per_fold ? fit->trainings_per_fold : 1);
    return fit->retrains && p->valid_x.rows > 0;
}

/* Trains and chooses; the plan's steps are then those of the final trainings. */
static una_status train_and_choose(trainings *all, una_run *run)
{
    const una_crossfit *fit = all->fit;
    const una_training_plan *plan = &all->plan;
    UNA_TRY(train_plan(all, run));
    UNA_TRY(choose_variances(all, 0, all->groups, plan->count / all->groups, run));
    UNA_TRY(median_steps(&all->plan.steps, all, run));
    return all->kept ? fit->keep(fit->context, all->list, 1, fit->chosen->result, all->keep, run) : UNA_OK;
}

static una_status train_finally(trainings *all, una_run *run)
{
    const una_crossfit *fit = all->fit;
    UNA_TRY(train_plan(all, run));
    size_t first = fit->mixture ? 0 : best_of(all), count = fit->mixture ? all->plan.count : 1;
    if (job_at(all, first)->valid_rows && !fit->unvalidated) UNA_TRY(choose_variances(all, first, 1, count, run));
    return fit->keep(fit->context, all->list + first, count, fit->chosen->result, all->keep, run);
}

una_status una_crossfit_run(const una_crossfit *fit, const una_problem *p, una_arena *keep, una_run *run)
{
    bool skip = fit->unvalidated || (fit->folds_for_noise && !UNA_IS_AUTO(fit->chosen->noise_var));
    size_t first = count_first_trainings(fit, p);
    bool kept = first && !skip && !p->folds && !p->valid_joins;  /* no more rows will ever train */
    double share = skip ? 0 : (double)first / (double)(first + (kept ? 0 : fit->restarts));
    trainings all = { .fit = fit, .keep = keep, .kept = kept,
                      .plan = { .problem = p, .count = first, .folds = p->folds, .stream = fit->stream } };
    if (first && !skip) UNA_STAGE(run, 0, share, with_trainings(&all, train_and_choose, run));
    if (kept) return UNA_OK;

    all.plan.stream = fit->stream + first;               /* the same stream with first trainings and without */
    all.plan.count = fit->restarts;
    all.plan.folds = 0;
    all.plan.all_rows = fit->retrains && p->valid_joins;
    UNA_STAGE(run, share, 1, with_trainings(&all, train_finally, run));
    return UNA_OK;
}

una_status una_crossfit_choose(const una_crossfit *fit, const una_problem *p, una_run *run)
{
    trainings all = { .fit = fit,
                      .plan = { .problem = p, .count = p->folds ? p->folds : 1, .folds = p->folds,
                                .stream = fit->stream } };
    return p->folds || p->valid_x.rows ? with_trainings(&all, train_and_choose, run) : UNA_OK;
}
