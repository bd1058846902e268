/* SPDX-License-Identifier: MIT
 *
 * Ensembles: M members of any kind, trained alike but for chance, as an equal-weight mixture
 *   p(y | x) = (1/M) sum_m N(y; mu_m(x), v_m(x) + s2),
 *   mean = (1/M) sum mu_m,  ignorance = (1/M) sum (mu_m - mean)^2 + (1/M) sum v_m,
 * v_m what member m itself does not know (0 for a plain network). Members differ by their random numbers (plain), also
 * by resampled rows (bootstrap), or by the anchors they are held at (anchored; see nn.c). The first member has the
 * random numbers that it would have alone. s2 maximises the mixture's likelihood on rows that no judging member has
 * seen.
 * Source: Lakshminarayanan et al. 2017 (plain); Breiman 1996, Osband et al. 2016 (bootstrap); Pearce et al. 2020
 * (anchored).
 */
#include "models/ensemble.h"

#include "fit/basis.h"
#include "fit/crossfit.h"
#include "la/mixture.h"

#include <string.h>

enum { ROWS_AT_ONCE = 1024, SCOUTS_PER_FOLD = 2 };

static const una_option ensemble_table[] = {
    { "style", UNA_WORD, offsetof(una_ensemble_options, style), "plain", 0, 0, false, "plain|bootstrap|anchored",
      "how members differ: first weights and batches; also resampled rows; or anchors drawn from the prior (of=nn "
      "only)" },
    { "members", UNA_COUNT, offsetof(una_ensemble_options, members), "auto", 1, UNA_MOST_MEMBERS, true, NULL,
      "members; auto = 20, or 5 if anchored" },
    { "of", UNA_TEXT, offsetof(una_ensemble_options, of), "nn", 0, 0, false, NULL,
      "what the members are: any model but an ensemble, with its options, such as nn(width=50)" },
    { "epochs", UNA_COUNT, offsetof(una_ensemble_options, epochs), "auto", 1, 1e7, true, NULL,
      "passes over the data of each member; auto = as its own options say" },
    { "noise_std", UNA_REAL, offsetof(una_ensemble_options, noise_std), "auto", 1e-300, 1e300, true, NULL,
      "noise std of the target; auto = best likelihood of the mixture on held-out rows" },
    { "anchor_noise_var", UNA_REAL, offsetof(una_ensemble_options, anchor_noise_var), "0.01", 1e-12, 1e6, false, NULL,
      "anchored: sigma_eps^2, how little the rows are trusted, on the standardised target" },
    { "anchor_prior_var", UNA_REAL, offsetof(una_ensemble_options, anchor_prior_var), "0.1", 1e-12, 1e6, false, NULL,
      "anchored: variance of weights and biases under the prior, from which the anchors are drawn" },
    { "anchor_init_var", UNA_REAL, offsetof(una_ensemble_options, anchor_init_var), "0.1", 1e-12, 1e6, false, NULL,
      "anchored: variance of the first weights and biases" },
    { "units", UNA_WORD, offsetof(una_ensemble_options, units), "own", 0, 0, false, "own|standardised",
      "how noise_std is given: in the target's own units, or standardised" },
    { .name = NULL }
};

/* In `arena`, by way of its own file format: every kind can be copied like this. */
static una_status copy_state(void **copy, const una_kind *kind, void *state, size_t inputs, una_arena *arena,
                             una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_archive out = {0}, in = {0};
    una_status status = una_archive_save_begin(&out, "{}", &run->scratch, run);
    out.inputs = inputs;
    if (status == UNA_OK) status = kind->exchange(state, &out);
    if (status == UNA_OK) status = una_archive_save_end(&out);

    *copy = una_arena_get(arena, 1, kind->state_size);
    if (status == UNA_OK) status = una_arena_check(arena);
    if (status == UNA_OK) status = una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, arena, run);
    in.inputs = inputs;
    if (status == UNA_OK) status = kind->exchange(*copy, &in);
    if (status == UNA_OK) status = una_archive_load_end(&in);

    una_arena_release(&run->scratch, mark);
    return status;
}

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
    if (*kind == &una_kind_ensemble)
        UNA_FAIL(run, UNA_E_USAGE, "ensemble: of=ensemble is not possible; raise members instead");
    if (o->style == UNA_ENSEMBLE_ANCHORED && !(*kind)->fit_anchored)
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

/* The first has the ensemble's own: an ensemble of one is its member. */
static uint64_t seed_of(uint64_t seed, size_t member)
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

typedef struct fitting {                 /* context of the trainings                                        */
    const una_ensemble_options *options;
    una_ensemble_state *state;           /* what is kept goes there                                         */
    double noise_var;                    /* mean of the members' own                                        */
} fitting;

typedef struct fitting_round { const fitting *all; const una_round *round; member_trial *trial; } fitting_round;

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

static una_status judged_by(member_trial *t, const una_kind *kind, const una_problem *p, una_run *run)
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

static una_status fit_member(const fitting *all, member_trial *t, void *options, const una_problem *p,
                             una_fit_result *result, una_run *run)
{
    const una_ensemble_options *o = all->options;
    const una_kind *kind = all->state->kind;
    una_anchor anchor = { o->anchor_noise_var, o->anchor_prior_var, o->anchor_init_var };
    if (p->x.rows < kind->least_rows)
        UNA_FAIL(run, UNA_E_INPUT, "ensemble: its members (%s) need at least %zu rows, and there are only %zu",
                 kind->name, kind->least_rows, p->x.rows);
    if (o->style == UNA_ENSEMBLE_ANCHORED) 
        return kind->fit_anchored(t->state, options, &anchor, p, result, &t->base.arena, run);
    return kind->fit(t->state, options, p, result, &t->base.arena, run);
}

/* The held-out rows judge the member before it takes them in. */
static una_status train_one(void *context, size_t index, una_run *run)
{
    const fitting_round *at = context;
    const fitting *all = at->all;
    member_trial *t = &at->trial[index];
    una_arena *arena = &t->base.arena;
    size_t fold = una_round_fold(at->round, index);
    const una_kind *kind;
    una_problem p = *at->round->problem;
    void *options;
    UNA_TRY(read_member(&kind, &options, all->options, arena, run));
    p.seed = seed_of(p.seed, fold == SIZE_MAX ? index : index / at->round->folds);
    p.valid_joins = false;
    if (fold != SIZE_MAX) UNA_TRY(una_held_fold(&p, fold, &run->scratch));
    if (all->options->style == UNA_ENSEMBLE_BOOTSTRAP) UNA_TRY(resample(&p, run));

    t->state = una_arena_get(arena, 1, kind->state_size);
    UNA_TRY(una_arena_check(arena));
    una_fit_result result = una_fit_result_in(arena);
    UNA_TRY(fit_member(all, t, options, &p, &result, run));
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(judged_by(t, kind, &p, run));
    if (at->round->problem->valid_joins && kind->observe) {
        una_problem more = { .x = p.valid_x, .y = p.valid_y, .outputs = 1, .columns = p.columns, .seed = p.seed };
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
    fitting_round at = { context, round, trials };
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
    fitting *all = context;
    una_ensemble_state *e = all->state;
    double evidence = 0, noise = 0;
    e->member = UNA_GET(keep, void *, count);
    UNA_TRY(una_arena_check(keep));

    for (size_t m = 0; m < count; m++) {
        const member_trial *t = trial[m];
        UNA_TRY(copy_state(&e->member[m], e->kind, t->state, e->inputs, keep, run));
        evidence += t->log_evidence / (double)count;
        noise += t->noise_var / (double)count;
    }

    result->log_evidence = evidence;
    all->noise_var = noise;
    return una_basis_keep_curve(result, &((const una_trial *)trial[0])->trained, keep); /* the first stands for all */
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

static una_status ensemble_fit(void *state, void *options, const una_problem *p, una_fit_result *result,
                               una_arena *keep, una_run *run)
{
    una_ensemble_state *e = state;
    una_ensemble_options *o = options;
    void *member_options;
    double unit = una_unit(o->units, p);
    UNA_TRY(read_member(&e->kind, &member_options, o, &run->scratch, run));
    if (UNA_IS_AUTO(o->members)) o->members = o->style == UNA_ENSEMBLE_ANCHORED ? 5 : 20;
    e->members = (size_t)o->members;
    e->inputs = p->x.cols;

    fitting all = { .options = o, .state = e };
    bool samples = e->kind->mixture != NULL;             /* samplers have rows of their own */
    una_crossfit fit = { .context = &all, .trial_size = sizeof(member_trial), .train = ensemble_train,
                         .judge = ensemble_judge, .keep = ensemble_keep, .restarts = e->members, .mixture = true,
                         .scouts = e->members < SCOUTS_PER_FOLD ? e->members : SCOUTS_PER_FOLD,
                         .folds_for_noise = true, .grid = UNA_MIXTURE_GRID, .prior_var = 1,
                         .shares_rows = e->kind->learns_features && !samples && !p->folds &&
                                        o->style != UNA_ENSEMBLE_BOOTSTRAP,
                         .noise_var = una_noise_var(o->noise_std, unit) };
    UNA_TRY(una_crossfit_run(&fit, p, result, keep, run));

    e->noise_var = UNA_IS_AUTO(fit.noise_var) ? all.noise_var : fit.noise_var;       /* no row was held out */
    result->noise_var = e->noise_var;
    o->noise_std = sqrt(e->noise_var) / unit;
    return UNA_OK;
}

/* ---- the rest of the model interface ---------------------------------------------------------------------- */

static size_t ensemble_mixture(const void *state)
{
    return ((const una_ensemble_state *)state)->members;
}

typedef struct answers { double *mean, *var, *noise; } answers;      /* of all members for one block [members, rows] */

static una_status ask(answers *a, const una_ensemble_state *e, una_view x, bool mean_only, una_run *run)
{
    for (size_t m = 0; m < e->members; m++) {
        una_predictive out = { .mean = a->mean + m * x.rows, .var_model = a->var + m * x.rows, .var_noise = a->noise,
                               .mean_only = mean_only };
        UNA_TRY(e->kind->predict(e->member[m], x, &out, run));
    }
    return UNA_OK;
}

static una_status take_answers(answers *a, const una_ensemble_state *e, size_t rows, una_run *run)
{
    a->mean = UNA_GET(&run->scratch, double, e->members * rows);
    a->var = UNA_GET(&run->scratch, double, e->members * rows);
    a->noise = UNA_GET(&run->scratch, double, rows);
    return una_arena_check(&run->scratch);
}

static void mix(const answers *a, const una_ensemble_state *e, size_t rows, size_t from, una_predictive *out)
{
    size_t members = e->members;
    double n = (double)members;

    for (size_t r = 0; r < rows; r++) {
        double mean = 0, var = 0;
        for (size_t m = 0; m < members; m++) mean += a->mean[m * rows + r];
        mean /= n;
        for (size_t m = 0; m < members; m++) {
            double off = a->mean[m * rows + r] - mean;
            var += off * off + a->var[m * rows + r];
        }

        out->mean[from + r] = mean;
        out->var_model[from + r] = var / n;
        out->var_noise[from + r] = e->noise_var;
        for (size_t m = 0; out->part_mean && m < members; m++) {
            out->part_mean[(from + r) * members + m] = a->mean[m * rows + r];
            out->part_var[(from + r) * members + m] = a->var[m * rows + r] + e->noise_var;
        }
    }
}

static una_status ensemble_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_ensemble_state *e = state;
    una_mark mark = una_arena_mark(&run->scratch);
    answers a;
    una_status status = take_answers(&a, e, x.rows < ROWS_AT_ONCE ? x.rows : ROWS_AT_ONCE, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE) {
        size_t count = x.rows - from < ROWS_AT_ONCE ? x.rows - from : ROWS_AT_ONCE;
        status = ask(&a, e, (una_view){ x.at + from * x.stride, count, x.cols, x.stride }, out->mean_only, run);
        if (status == UNA_OK) mix(&a, e, count, from, out);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status ensemble_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_ensemble_state *e = state;
    *count = e->members;
    if (!f) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    answers a;
    una_status status = take_answers(&a, e, x.rows, run);
    if (status == UNA_OK) status = ask(&a, e, x, true, run);
    if (status == UNA_OK) memcpy(f, a.mean, e->members * x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Functions of one member: drawn from it with random numbers of its own, or, where it cannot, its mean, which
 * is all it knows. */
static una_status draw_member(const una_ensemble_state *e, size_t member, una_view x, size_t draws, bool prior,
                              double *f, una_run *run)
{
    uint64_t seed = run->settings.seed;
    una_status status;
    if (e->kind->draw) {
        run->settings.seed = seed_of(seed, member);
        status = e->kind->draw(e->member[member], x, draws, prior, f, run);
        run->settings.seed = seed;
        return status;
    }

    una_mark mark = una_arena_mark(&run->scratch);
    una_predictive out = { .mean = f, .var_model = UNA_GET(&run->scratch, double, x.rows),
                           .var_noise = UNA_GET(&run->scratch, double, x.rows) };
    status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = e->kind->predict(e->member[member], x, &out, run);
    for (size_t k = 1; status == UNA_OK && k < draws; k++) memcpy(f + k * x.rows, f, x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* The draws that fall to one member, put where they belong. */
static una_status place_draws(const una_ensemble_state *e, size_t member, const size_t *which, una_view x,
                              size_t draws, bool prior, double *f, una_run *run)
{
    size_t count = 0;
    for (size_t k = 0; k < draws; k++) count += which[k] == member;
    if (count == 0) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    double *own = UNA_GET(&run->scratch, double, count * x.rows);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = draw_member(e, member, x, count, prior, own, run);
    for (size_t k = 0, next = 0; status == UNA_OK && k < draws; k++)
        if (which[k] == member) memcpy(f + k * x.rows, own + next++ * x.rows, x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* A mixture's draw: a member at random, then a function of it. */
static una_status ensemble_draw(const void *state, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    const una_ensemble_state *e = state;
    if (prior && !e->kind->draw)
        UNA_FAIL(run, UNA_E_USAGE, "an ensemble of %s has no prior to draw functions from: draw from its posterior",
                 e->kind->name);

    una_mark mark = una_arena_mark(&run->scratch);
    size_t *which = UNA_GET(&run->scratch, size_t, draws);
    una_status status = una_arena_check(&run->scratch);

    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, (uint64_t)3 << 40);
    for (size_t k = 0; status == UNA_OK && k < draws; k++) which[k] = una_rng_below(&rng, e->members);
    for (size_t m = 0; status == UNA_OK && m < e->members; m++)
        status = place_draws(e, m, which, x, draws, prior, f, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* A member's mean at one point, and the slopes of its mean and variance. */
static una_status member_slope(const una_ensemble_state *e, size_t member, double *x, double *mean, double *dmean,
                               double *dvar, una_run *run)
{
    double var, noise;
    una_predictive out = { .mean = mean, .var_model = &var, .var_noise = &noise };
    UNA_TRY(e->kind->predict(e->member[member], (una_view){ x, 1, e->inputs, e->inputs }, &out, run));
    return una_kind_slope(e->kind, e->member[member], x, e->inputs, dmean, dvar, run);
}

/* dvar = (1/M) sum dv_m + (2/M) sum (mu_m - mean) dmu_m; the slope of the mean drops out of the sum. */
static una_status ensemble_slope(const void *state, const double *x, double *dmean, double *dvar, una_run *run)
{
    const una_ensemble_state *e = state;
    size_t inputs = e->inputs;
    una_mark mark = una_arena_mark(&run->scratch);
    double *point = UNA_GET(&run->scratch, double, inputs), *mu = UNA_GET(&run->scratch, double, e->members);
    double *dmu = UNA_GET(&run->scratch, double, e->members * inputs);
    double *dv = UNA_GET(&run->scratch, double, e->members * inputs);
    una_status status = una_arena_check(&run->scratch);
    double mean = 0, n = (double)e->members;

    if (status == UNA_OK) memcpy(point, x, inputs * sizeof *point);
    for (size_t m = 0; status == UNA_OK && m < e->members; m++) {
        status = member_slope(e, m, point, &mu[m], dmu + m * inputs, dv + m * inputs, run);
        mean += mu[m] / n;
    }

    for (size_t d = 0; status == UNA_OK && d < inputs; d++) {
        dmean[d] = dvar[d] = 0;
        for (size_t m = 0; m < e->members; m++) {
            dmean[d] += dmu[m * inputs + d] / n;
            dvar[d] += (dv[m * inputs + d] + 2 * (mu[m] - mean) * dmu[m * inputs + d]) / n;
        }
    }

    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status exchange_kind(una_ensemble_state *e, una_archive *ar)
{
    const char *name = ar->loading ? NULL : e->kind->name;
    UNA_TRY(una_archive_text(ar, "of", &name));
    if (!ar->loading) return UNA_OK;
    e->kind = name ? una_kind_find(name) : NULL;
    if (!e->kind) return una_archive_refuse(ar, "of", "names a model that this una does not have");
    if (e->kind == &una_kind_ensemble) return una_archive_refuse(ar, "of", "is an ensemble in an ensemble");
    return UNA_OK;
}

static una_status ensemble_exchange(void *state, una_archive *ar)
{
    una_ensemble_state *e = state;
    uint64_t members = e->members;
    UNA_TRY(exchange_kind(e, ar));
    UNA_TRY(una_archive_u64(ar, "members", &members, 1, UNA_MOST_MEMBERS));
    UNA_TRY(una_archive_f64(ar, "ensemble.noise_var", &e->noise_var));
    if (!(e->noise_var > 0)) return una_archive_refuse(ar, "ensemble.noise_var", "is not positive");

    if (ar->loading) {
        e->members = (size_t)members;
        e->inputs = ar->inputs;
        e->member = UNA_GET(ar->arena, void *, e->members);
        UNA_TRY(una_arena_check(ar->arena));
    }

    for (size_t m = 0; m < e->members; m++) {
        if (ar->loading) e->member[m] = una_arena_get(ar->arena, 1, e->kind->state_size);
        UNA_TRY(una_arena_check(ar->arena));
        UNA_TRY(e->kind->exchange(e->member[m], ar));
    }
    return UNA_OK;
}

static una_status observe_all(una_ensemble_state *e, const una_problem *more, una_fit_result *result, una_arena *keep,
                              una_run *run)
{
    double evidence = 0;
    for (size_t m = 0; m < e->members; m++) {
        una_fit_result own = { .log_evidence = NAN };
        UNA_TRY(e->kind->observe(e->member[m], more, &own, keep, run));
        evidence += own.log_evidence / (double)e->members;
    }
    result->log_evidence = evidence;
    return UNA_OK;
}

static bool same_mark(una_mark a, una_mark b)
{
    return a.block == b.block && a.used == b.used;
}

/* All members or none: copies are made first and take the members' places if one of them fails. */
static una_status ensemble_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                                   una_run *run)
{
    una_ensemble_state *e = state;
    if (!e->kind->observe)
        UNA_FAIL(run, UNA_E_USAGE, "an ensemble of %s has no exact update: fit it again on all rows "
                 "(una update --with OLD.csv does that)", e->kind->name);

    una_mark before = una_arena_mark(keep);
    void **copy = UNA_GET(keep, void *, e->members);
    una_status status = una_arena_check(keep);
    for (size_t m = 0; status == UNA_OK && m < e->members; m++)
        status = copy_state(&copy[m], e->kind, e->member[m], e->inputs, keep, run);
    if (status != UNA_OK) {
        una_arena_release(keep, before);
        return status;
    }

    una_mark copies = una_arena_mark(keep);
    status = observe_all(e, more, result, keep, run);
    if (status != UNA_OK) {
        una_arena_release(keep, copies);
        e->member = copy;
    } else if (same_mark(una_arena_mark(keep), copies)) una_arena_release(keep, before);
    return status;
}

const una_kind una_kind_ensemble = {
    .name = "ensemble",
    .summary = "several models of one kind, trained apart: plain, bootstrap or anchored",
    .source = "Lakshminarayanan et al. 2017; Breiman 1996; Pearce, Leibfried and Brintrup 2020",
    .options = ensemble_table,
    .options_size = sizeof(una_ensemble_options),
    .state_size = sizeof(una_ensemble_state),
    .thesis = "style=plain, members=20, of=nn(width=50, depth=2, activation=relu, rate=0.001, rate_schedule=constant, "
              "epochs=20000, batch=32, penalty=0.1, train_noise_std=1, units=standardised), units=standardised",
    .results = 2,
    .least_rows = 10,
    .learns_features = true,
    .inner = "of",
    .fit = ensemble_fit,
    .predict = ensemble_predict,
    .exchange = ensemble_exchange,
    .mixture = ensemble_mixture,
    .observe = ensemble_observe,
    .draw = ensemble_draw,
    .functions = ensemble_functions,
    .slope = ensemble_slope,
};
