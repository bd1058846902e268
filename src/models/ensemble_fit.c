/* SPDX-License-Identifier: MIT
 *
 * Training the members of an ensemble, all at once on the task pool, and the noise of their mixture: chosen on held-out
 * rows that no member has trained on. On small data every fold is judged by members that were trained without it
 * ("scouts"), and the members proper see all rows.
 */
#include "models/ensemble.h"

#include "fit/crossfit.h"
#include "la/mixture.h"
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

typedef struct member_trial {
    una_trial base;
    void  *state;
    double log_evidence, noise_var;
    double *y, *mean, *var;              /* [held] targets of the rows it was judged on, its means and variances */
} member_trial;

typedef struct lesson {                  /* context of the trainings                                        */
    const una_ensemble_options *options;
    una_ensemble_state *state;           /* what is kept goes there                                         */
    double noise_var;                    /* mean of the members' own                                        */
} lesson;

typedef struct lesson_round { const lesson *lesson; const una_round *round; member_trial *trial; } lesson_round;

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

static una_status ask(member_trial *t, const una_kind *kind, const una_problem *p, una_run *run)
{
    size_t held = t->base.held = p->valid_x.rows;
    t->y = una_held_copy(p->valid_y, held, &t->base.arena);
    t->mean = UNA_GET(&t->base.arena, double, held);
    t->var = UNA_GET(&t->base.arena, double, held);
    double *noise = UNA_GET(&run->scratch, double, held);
    UNA_TRY(una_arena_check(&t->base.arena));
    UNA_TRY(una_arena_check(&run->scratch));
    una_predictive out = { .mean = t->mean, .var_model = t->var, .var_noise = noise };
    return held ? kind->predict(t->state, p->valid_x, &out, run) : UNA_OK;
}

static una_status fit_member(const lesson *all, member_trial *t, void *options, const una_problem *p,
                             una_fit_result *result, una_run *run)
{
    const una_ensemble_options *o = all->options;
    const una_kind *kind = all->state->kind;
    una_nn_anchor anchor = { o->anchor_noise_var, o->anchor_prior_var, o->anchor_init_var };
    if (p->x.rows < kind->least_rows)
        UNA_FAIL(run, UNA_E_INPUT, "ensemble: its members (%s) need at least %zu rows, and there are only %zu",
                 kind->name, kind->least_rows, p->x.rows);
    if (o->style == UNA_ENSEMBLE_ANCHORED) return una_nn_fit(t->state, options, &anchor, p, result, &t->base.arena, run);
    return kind->fit(t->state, options, p, result, &t->base.arena, run);
}

/* The held-out rows judge the member before it takes them in. */
static una_status train_one(void *context, size_t index, una_run *run)
{
    const lesson_round *at = context;
    const lesson *all = at->lesson;
    member_trial *t = &at->trial[index];
    una_arena *arena = &t->base.arena;
    size_t fold = una_round_fold(at->round, index);
    const una_kind *kind;
    una_problem p = *at->round->problem;
    void *options;
    UNA_TRY(read_member(&kind, &options, all->options, arena, run));
    p.seed = una_ensemble_seed(p.seed, fold == SIZE_MAX ? index : index / at->round->folds);
    p.valid_joins = false;
    if (fold != SIZE_MAX) UNA_TRY(without_fold(&p, fold, run));
    if (all->options->style == UNA_ENSEMBLE_BOOTSTRAP) UNA_TRY(resample(&p, run));

    t->state = una_arena_get(arena, 1, kind->state_size);
    UNA_TRY(una_arena_check(arena));
    una_fit_result result = { .noise_var = NAN, .prior_var = NAN, .log_evidence = NAN, .mean_cos2 = NAN,
                              .valid_rmse = NAN, .valid_log_lik = NAN, .warnings = { .arena = arena },
                              .notes = { .arena = arena } };
    UNA_TRY(fit_member(all, t, options, &p, &result, run));
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(ask(t, kind, &p, run));
    if (at->round->problem->valid_joins && kind->observe) {
        una_problem more = { .x = p.valid_x, .y = p.valid_y, .columns = p.columns, .seed = p.seed };
        UNA_TRY(kind->observe(t->state, &more, &result, arena, run));
    }

    const una_curve *c = &result.curve;
    t->base.trained = (una_trained){ .mean_cos2 = NAN, .steps = result.steps, .looks = c->count, .step = c->step,
                                     .loss = c->loss, .look = c->valid_log_lik, .cos2 = c->mean_cos2 };
    t->log_evidence = result.log_evidence;
    t->noise_var = result.noise_var;
    return UNA_OK;
}

static una_status ensemble_train(void *context, const una_round *round, void *trials, una_run *run)
{
    lesson_round at = { context, round, trials };
    return una_jobs_run(run, trials, sizeof *at.trial, round->count, train_one, &at);
}

/* ---- what members say of rows they did not see, and what is kept of them ------------------------------------- */

static una_status ensemble_judge(void *context, const void *const *trial, size_t count, const una_question *question,
                                 una_answer *answer, una_run *run)
{
    const member_trial *first = trial[0];
    double *mean = UNA_GET(&run->scratch, double, count), *var = UNA_GET(&run->scratch, double, count);
    (void)context;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t r = 0; r < first->base.held; r++) {
        double middle = 0;
        for (size_t m = 0; m < count; m++) {
            const member_trial *t = trial[m];
            mean[m] = t->mean[r];
            var[m] = t->var[r] + question->noise_var;
            middle += mean[m] / (double)count;
        }
        answer->loss -= una_mixture_log_pdf(first->y[r], mean, var, count);
        answer->square += pow(first->y[r] - middle, 2);
    }
    answer->rows += first->base.held;
    return UNA_OK;
}

static una_status ensemble_keep(void *context, const void *const *trial, size_t count, una_fit_result *result,
                                una_arena *keep, una_run *run)
{
    lesson *all = context;
    una_ensemble_state *e = all->state;
    double evidence = 0, noise = 0;
    e->member = UNA_GET(keep, void *, count);
    UNA_TRY(una_arena_check(keep));
    for (size_t m = 0; m < count; m++) {
        const member_trial *t = trial[m];
        UNA_TRY(una_ensemble_copy(&e->member[m], e->kind, t->state, e->inputs, keep, run));
        evidence += t->log_evidence / (double)count;
        noise += t->noise_var / (double)count;
    }
    result->log_evidence = evidence;
    all->noise_var = noise;
    return una_basis_keep_curve(result, &((const una_trial *)trial[0])->trained, keep); /* the first stands for all */
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

una_status una_ensemble_fit(void *state, void *options, const una_problem *p, una_fit_result *result, una_arena *keep,
                            una_run *run)
{
    una_ensemble_state *e = state;
    una_ensemble_options *o = options;
    void *member_options;
    double unit = o->units == 1 ? 1 : 1 / p->columns->target_scale;
    UNA_TRY(read_member(&e->kind, &member_options, o, &run->scratch, run));
    if (UNA_IS_AUTO(o->members)) o->members = o->style == UNA_ENSEMBLE_ANCHORED ? 5 : 20;
    e->members = (size_t)o->members;
    e->inputs = p->x.cols;

    lesson all = { .options = o, .state = e };
    bool samples = e->kind->mixture != NULL;             /* samplers have rows of their own */
    una_crossfit fit = { .context = &all, .trial_size = sizeof(member_trial), .train = ensemble_train,
                         .judge = ensemble_judge, .keep = ensemble_keep, .restarts = e->members, .mixture = true,
                         .scouts = e->members < SCOUTS_PER_FOLD ? e->members : SCOUTS_PER_FOLD,
                         .folds_for_noise = true, .grid = UNA_MIXTURE_GRID, .prior_var = 1,
                         .shares_rows = e->kind->learns_features && !samples && !p->folds &&
                                        o->style != UNA_ENSEMBLE_BOOTSTRAP,
                         .noise_var = UNA_IS_AUTO(o->noise_std) ? UNA_AUTO : pow(o->noise_std * unit, 2) };
    UNA_TRY(una_crossfit_run(&fit, p, result, keep, run));

    e->noise_var = UNA_IS_AUTO(fit.noise_var) ? all.noise_var : fit.noise_var;       /* no row was held out */
    result->noise_var = e->noise_var;
    o->noise_std = sqrt(e->noise_var) / unit;
    return UNA_OK;
}
