/* SPDX-License-Identifier: MIT
 *
 * Training the members of an ensemble, all at once on the task pool, and the noise of their mixture: chosen on held-out
 * rows that no member has trained on. On small data every fold is judged by members that were trained without it
 * ("scouts"), and the members proper see all rows.
 */
#include "models/ensemble.h"

#include "la/la.h"
#include "la/mixture.h"
#include "fit/held.h"
#include "models/nn.h"

#include <string.h>

enum { SCOUTS_PER_FOLD = 2 };

/* ---- what the members are --------------------------------------------------------------------------------- */

/* The member's options, from its spec; *kind is what it is. */
static una_status read_member(const una_kind **kind, void **options, const una_ensemble_options *o, una_arena *arena,
                              una_run *run)
{
    una_spec spec;
    char buffer[32];
    UNA_TRY(una_spec_parse(&spec, o->of, arena, run));
    *kind = una_kind_find(spec.name);
    if (!*kind) UNA_FAIL(run, UNA_E_USAGE, "ensemble: of=%s names no model; `una models` lists them", spec.name);
    if (*kind == &una_ensemble)
        UNA_FAIL(run, UNA_E_USAGE, "ensemble: of=ensemble is not possible; raise members instead");
    if (o->style == UNA_ENSEMBLE_ANCHORED && *kind != &una_nn)
        UNA_FAIL(run, UNA_E_USAGE, "ensemble: style=anchored needs of=nn, not of=%s; use style=plain or "
                 "style=bootstrap", spec.name);
    *options = una_arena_get(arena, 1, (*kind)->options_size);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_options_default(*options, (*kind)->options, run));
    UNA_TRY(una_options_apply(*options, (*kind)->options, (*kind)->name, &spec, arena, run));
    if (UNA_IS_AUTO(o->epochs)) return UNA_OK;
    UNA_TRY(una_option_set(*options, (*kind)->options, (*kind)->name, "epochs", una_number_text(buffer, o->epochs),
                           arena, run));
    return una_option_set(*options, (*kind)->options, (*kind)->name, "steps", "auto", arena, run);
}

uint64_t una_ensemble_seed(uint64_t seed, size_t member)
{
    if (member == 0) return seed;
    una_rng rng = una_rng_at(seed, UNA_FOR_SPLIT, member);
    uint64_t high = una_rng_u32(&rng);
    return high << 32 | una_rng_u32(&rng);
}

/* ---- fitting members on the task pool --------------------------------------------------------------------- */

typedef struct job {
    una_arena arena;                     /* its state and predictions; re-homed to the caller's run at the end */
    void  *state;
    double log_evidence, noise_var;
    size_t steps;
    una_curve curve;
    size_t  held;                        /* rows it was judged on: their targets, its means and variances   */
    double *y, *mean, *var;
} job;

typedef struct jobs {
    const una_ensemble_options *options;
    const una_kind *kind;
    const una_problem *problem;
    size_t folds;                        /* > 0: scouts, each without fold index % folds                    */
    job *job;
} jobs;

/* Rows of the problem without one fold, which is then held out. */
static una_status without_fold(una_problem *p, size_t fold, una_run *run)
{
    size_t rows = p->x.rows, cols = p->x.cols, out = 0, in = 0;
    double *x = UNA_GET_ROWS(&run->scratch, double, rows * cols), *y = UNA_GET_ROWS(&run->scratch, double, rows);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < rows; i++) out += p->fold[i] == fold;
    size_t valid = rows - out;
    for (size_t i = 0; i < rows; i++) {
        size_t to = p->fold[i] == fold ? valid++ : in++;
        memcpy(x + to * cols, p->x.at + i * p->x.stride, cols * sizeof *x);
        y[to] = p->y[i];
    }
    p->x = (una_view){ x, in, cols, cols };
    p->y = y;
    p->valid_x = (una_view){ x + in * cols, out, cols, cols };
    p->valid_y = y + in;
    p->folds = 0;
    p->fold = NULL;
    p->shared = NULL;
    return UNA_OK;
}

/* Numbers the folds anew, so that none is empty; returns how many there are. */
static size_t close_up(unsigned char *fold, size_t rows)
{
    size_t count = 0;
    int number[256];
    for (size_t i = 0; i < 256; i++) number[i] = -1;
    for (size_t i = 0; i < rows; i++) {
        if (number[fold[i]] < 0) number[fold[i]] = (int)count++;
        fold[i] = (unsigned char)number[fold[i]];
    }
    return count;
}

/* As many rows, drawn with replacement; copies of a row share its fold. */
static una_status resample(una_problem *p, una_run *run)
{
    size_t rows = p->x.rows, cols = p->x.cols;
    double *x = UNA_GET_ROWS(&run->scratch, double, rows * cols), *y = UNA_GET_ROWS(&run->scratch, double, rows);
    unsigned char *fold = UNA_GET(&run->scratch, unsigned char, rows);
    UNA_TRY(una_arena_check(&run->scratch));
    una_rng rng = una_rng_at(p->seed, UNA_FOR_FOLDS, 1);
    size_t folds = 0;
    do {
        for (size_t i = 0; i < rows; i++) {
            size_t from = una_rng_below(&rng, rows);
            memcpy(x + i * cols, p->x.at + from * p->x.stride, cols * sizeof *x);
            y[i] = p->y[from];
            if (p->folds) fold[i] = p->fold[from];
        }
        folds = p->folds ? close_up(fold, rows) : 0;
    } while (folds == 1 && rows > 1);                    /* all from one fold: nothing would be left to train on */
    p->x = (una_view){ x, rows, cols, cols };
    p->y = y;
    p->folds = folds;
    p->fold = folds ? fold : NULL;
    p->shared = NULL;
    return UNA_OK;
}

static una_status judge(job *j, const una_kind *kind, const una_problem *p, una_run *run)
{
    j->held = p->valid_x.rows;
    j->y = UNA_GET(&j->arena, double, j->held);
    j->mean = UNA_GET(&j->arena, double, j->held);
    j->var = UNA_GET(&j->arena, double, j->held);
    double *noise = UNA_GET(&run->scratch, double, j->held);
    UNA_TRY(una_arena_check(&j->arena));
    UNA_TRY(una_arena_check(&run->scratch));
    if (j->held == 0) return UNA_OK;
    memcpy(j->y, p->valid_y, j->held * sizeof *j->y);
    una_predictive out = { .mean = j->mean, .var_model = j->var, .var_noise = noise };
    return kind->predict(j->state, p->valid_x, &out, run);
}

static una_status fit_member(const jobs *all, job *j, void *options, const una_problem *p, una_fit_result *result,
                             una_run *run)
{
    const una_ensemble_options *o = all->options;
    una_nn_anchor anchor = { o->anchor_noise_var, o->anchor_prior_var, o->anchor_init_var };
    if (p->x.rows < all->kind->least_rows)
        UNA_FAIL(run, UNA_E_INPUT, "ensemble: its members (%s) need at least %zu rows, and there are only %zu",
                 all->kind->name, all->kind->least_rows, p->x.rows);
    if (o->style == UNA_ENSEMBLE_ANCHORED) return una_nn_fit(j->state, options, &anchor, p, result, &j->arena, run);
    return all->kind->fit(j->state, options, p, result, &j->arena, run);
}

/* The held-out rows judge the member before it takes them in. */
static una_status train_job(void *context, size_t index, una_run *run)
{
    const jobs *all = context;
    job *j = &all->job[index];
    const una_kind *kind;
    una_problem p = *all->problem;
    void *options;
    UNA_TRY(read_member(&kind, &options, all->options, &j->arena, run));
    p.seed = una_ensemble_seed(p.seed, all->folds ? index / all->folds : index);
    p.valid_joins = false;
    if (all->folds) UNA_TRY(without_fold(&p, index % all->folds, run));
    if (all->options->style == UNA_ENSEMBLE_BOOTSTRAP) UNA_TRY(resample(&p, run));
    j->state = una_arena_get(&j->arena, 1, kind->state_size);
    UNA_TRY(una_arena_check(&j->arena));
    una_fit_result result = { .noise_var = NAN, .prior_var = NAN, .log_evidence = NAN, .mean_cos2 = NAN,
                              .valid_rmse = NAN, .valid_log_lik = NAN, .warnings = { .arena = &j->arena },
                              .notes = { .arena = &j->arena } };
    UNA_TRY(fit_member(all, j, options, &p, &result, run));
    UNA_TRY(una_arena_check(&j->arena));
    UNA_TRY(judge(j, kind, &p, run));
    if (all->problem->valid_joins && kind->observe) {
        una_problem more = { .x = p.valid_x, .y = p.valid_y, .columns = p.columns, .seed = p.seed };
        UNA_TRY(kind->observe(j->state, &more, &result, &j->arena, run));
    }
    j->log_evidence = result.log_evidence;
    j->noise_var = result.noise_var;
    j->steps = result.steps;
    j->curve = result.curve;
    return UNA_OK;
}

static una_status run_jobs(jobs *all, size_t count, una_run *run)
{
    all->job = UNA_GET(&run->scratch, job, count);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_jobs_run(run, all->job, sizeof *all->job, count, train_job, all);
}

/* ---- the noise -------------------------------------------------------------------------------------------- */

typedef struct judged {                  /* rows, each with the means and variances of those that did not see it */
    double *y, *mean, *var, *whole;      /* [rows], [rows, parts], ..., work [parts]                        */
    size_t rows, parts;
} judged;

/* Jobs g, g + groups, g + 2 groups ... were judged on the same rows. */
static una_status collect(judged *d, const jobs *all, size_t count, size_t groups, una_run *run)
{
    *d = (judged){ .parts = count / groups };
    for (size_t g = 0; g < groups; g++) d->rows += all->job[g].held;
    d->y = UNA_GET(&run->scratch, double, d->rows);
    d->mean = UNA_GET(&run->scratch, double, d->rows * d->parts);
    d->var = UNA_GET(&run->scratch, double, d->rows * d->parts);
    d->whole = UNA_GET(&run->scratch, double, d->parts);
    UNA_TRY(una_arena_check(&run->scratch));
    size_t row = 0;
    for (size_t g = 0; g < groups; g++)
        for (size_t r = 0; r < all->job[g].held; r++, row++) {
            d->y[row] = all->job[g].y[r];
            for (size_t m = 0; m < d->parts; m++) {
                d->mean[row * d->parts + m] = all->job[g + m * groups].mean[r];
                d->var[row * d->parts + m] = all->job[g + m * groups].var[r];
            }
        }
    return UNA_OK;
}

static double minus_likelihood(double log_noise, void *context)
{
    const judged *d = context;
    double noise = exp(log_noise), sum = 0;
    for (size_t r = 0; r < d->rows; r++) {
        for (size_t m = 0; m < d->parts; m++) d->whole[m] = d->var[r * d->parts + m] + noise;
        sum -= una_mixture_log_pdf(d->y[r], d->mean + r * d->parts, d->whole, d->parts);
    }
    return sum;
}

/* The best of a grid, polished; then one standard error of log s2 up: few rows say little of the noise. */
static double best_noise(judged *d)
{
    enum { GRID = 24 };
    const double low = log(1e-8), high = log(4), step = (high - low) / (GRID - 1);
    double best = low, least = HUGE_VAL;
    for (int i = 0; i < GRID; i++) {
        double loss = minus_likelihood(low + step * i, d);
        if (loss >= least) continue;
        least = loss;
        best = low + step * i;
    }
    best = una_minimise(minus_likelihood, d, fmax(low, best - step), fmin(high, best + step), 1e-8);
    return exp(best + sqrt(2 / (double)d->rows));
}

static una_status choose_noise(double *noise_var, judged *d, una_fit_result *result, una_run *run)
{
    double square = 0;
    if (d->rows == 0) return UNA_OK;
    if (UNA_IS_AUTO(*noise_var)) *noise_var = best_noise(d);
    for (size_t r = 0; r < d->rows; r++) {
        double mean = 0;
        for (size_t m = 0; m < d->parts; m++) mean += d->mean[r * d->parts + m] / (double)d->parts;
        square += (d->y[r] - mean) * (d->y[r] - mean);
    }
    result->valid_rows = d->rows;
    result->valid_rmse = sqrt(square / (double)d->rows);
    result->valid_log_lik = -minus_likelihood(log(*noise_var), d) / (double)d->rows;
    if (!isfinite(result->valid_log_lik))
        UNA_FAIL(run, UNA_E_NUMERIC, "ensemble: the members' answers for the held-out rows are not finite");
    return UNA_OK;
}

/* Small data: members without one fold each judge that fold, as mixtures of few. */
static una_status scout(double *noise_var, jobs *all, size_t members, una_fit_result *result, una_run *run)
{
    size_t folds = all->problem->folds, count = folds * (members < SCOUTS_PER_FOLD ? members : SCOUTS_PER_FOLD);
    judged d;
    all->folds = folds;
    una_status status = run_jobs(all, count, run);
    if (status == UNA_OK) status = collect(&d, all, count, folds, run);
    if (status == UNA_OK) status = choose_noise(noise_var, &d, result, run);
    for (size_t i = 0; status == UNA_OK && i < count; i++) result->steps += all->job[i].steps;
    una_jobs_free(all->job, sizeof *all->job, count);
    all->folds = 0;
    return status;
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

static double *copied(const double *values, size_t count, una_arena *arena)
{
    double *copy = UNA_GET(arena, double, count);
    if (copy && count) memcpy(copy, values, count * sizeof *copy);
    return copy;
}

static una_status keep_members(una_ensemble_state *e, const jobs *all, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    double evidence = 0;
    e->member = UNA_GET(keep, void *, e->members);
    UNA_TRY(una_arena_check(keep));
    for (size_t m = 0; m < e->members; m++) {
        UNA_TRY(una_ensemble_copy(&e->member[m], e->kind, all->job[m].state, e->inputs, keep, run));
        evidence += all->job[m].log_evidence / (double)e->members;
        result->steps += all->job[m].steps;
    }
    const una_curve *c = &all->job[0].curve;             /* the first member's training stands for all */
    result->curve = (una_curve){ c->count, copied(c->step, c->count, keep), copied(c->loss, c->count, keep),
                                 copied(c->valid_log_lik, c->count, keep), copied(c->mean_cos2, c->count, keep) };
    result->log_evidence = evidence;
    return una_arena_check(keep);
}

static una_status fit_members(una_ensemble_state *e, jobs *all, double *noise_var, una_fit_result *result,
                              una_arena *keep, una_run *run)
{
    judged d;
    una_problem shared = *all->problem;
    una_held held;
    bool samples = all->kind->mixture != NULL;           /* samplers have rows of their own */
    bool share = all->kind->learns_features && !samples && !shared.folds &&
                 all->options->style != UNA_ENSEMBLE_BOOTSTRAP;
    if (share) {
        UNA_TRY(una_held_split(&held, &shared, SIZE_MAX, &run->scratch));
        shared.shared = &held;
        all->problem = &shared;
    }
    una_status status = run_jobs(all, e->members, run);
    if (status == UNA_OK) status = collect(&d, all, e->members, 1, run);
    if (status == UNA_OK) status = choose_noise(noise_var, &d, result, run);
    if (status == UNA_OK) status = keep_members(e, all, result, keep, run);
    double mean = 0;
    for (size_t m = 0; status == UNA_OK && m < e->members; m++) mean += all->job[m].noise_var / (double)e->members;
    if (status == UNA_OK && UNA_IS_AUTO(*noise_var)) *noise_var = mean;      /* no row was held out */
    una_jobs_free(all->job, sizeof *all->job, e->members);
    all->problem = NULL;                 /* shared ends here */
    return status;
}

una_status una_ensemble_fit(void *state, void *options, const una_problem *p, una_fit_result *result, una_arena *keep,
                            una_run *run)
{
    una_ensemble_state *e = state;
    una_ensemble_options *o = options;
    void *member_options;
    double unit = o->units == 1 ? 1 : 1 / p->columns->target_scale, from = run->progress_from, to = run->progress_to;
    double noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(o->noise_std * unit, 2);
    UNA_TRY(read_member(&e->kind, &member_options, o, &run->scratch, run));
    if (UNA_IS_AUTO(o->members)) o->members = o->style == UNA_ENSEMBLE_ANCHORED ? 5 : 20;
    e->members = (size_t)o->members;
    e->inputs = p->x.cols;
    jobs all = { .options = o, .kind = e->kind, .problem = p };
    una_status status = UNA_OK;
    if (p->folds && UNA_IS_AUTO(noise_var)) {
        run->progress_to = from + 0.2 * (to - from);
        status = scout(&noise_var, &all, e->members, result, run);
        run->progress_from = run->progress_to;
        run->progress_to = to;
    }
    if (status == UNA_OK) status = fit_members(e, &all, &noise_var, result, keep, run);
    run->progress_from = from;
    run->progress_to = to;
    UNA_TRY(status);
    result->noise_var = e->noise_var = noise_var;
    o->noise_std = sqrt(noise_var) / unit;
    return UNA_OK;
}
