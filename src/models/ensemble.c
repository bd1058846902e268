/* SPDX-License-Identifier: MIT
 *
 * Ensembles: M members of any kind, trained alike but for chance, as an equal-weight mixture
 *   p(y | x) = (1/M) sum_m N(y; mu_m(x), v_m(x) + s2),
 *   mean = (1/M) sum mu_m,  var_model = (1/M) sum (mu_m - mean)^2 + (1/M) sum v_m,
 * v_m the epistemic variance of member m itself (0 for a plain network). The mixture is that of committee/members.h. Members
 * differ by their random numbers (plain), also by resampled rows (bootstrap), or by their anchors (anchored; see nn.c).
 * The first member has the random numbers that it would have alone. s2 maximises the mixture's likelihood on rows that
 * did not train the members which predict them.
 * Source: Lakshminarayanan et al. 2017 (plain); Breiman 1996, Osband et al. 2016 (bootstrap); Pearce et al. 2020
 * (anchored).
 */
#include "train/basis.h"
#include "committee/adapt.h"
#include "committee/committee.h"
#include "model/validation_split.h"
#include "train/crossfit.h"
#include "la/mixture.h"

enum { TRAININGS_PER_FOLD = 2 };
enum { PLAIN, BOOTSTRAP, ANCHORED };    /* style */

typedef struct ensemble_options {
    int    style, units;
    double members, epochs, noise_std;
    const char *of;                      /* a spec                                                          */
    double anchor_noise_var, anchor_prior_var, anchor_init_var;
} ensemble_options;

extern const una_kind una_kind_ensemble;

static const una_option ensemble_table[] = {
    { "style", UNA_WORD, offsetof(ensemble_options, style), "plain", 0, 0, false, "plain|bootstrap|anchored",
      "how members differ: first weights and batches; also resampled rows; or anchors drawn from the prior (of=nn "
      "only)" },
    { "members", UNA_COUNT, offsetof(ensemble_options, members), "auto", 1, UNA_MOST_MEMBERS, true, NULL,
      "members; auto = 20, or 5 if anchored" },
    { "of", UNA_TEXT, offsetof(ensemble_options, of), "nn", 0, 0, false, NULL,
      "what the members are: any model but an ensemble, with its options, such as nn(width=50); members=auto counts as "
      "1 there, and noise=auto as constant" },
    { "epochs", UNA_COUNT, offsetof(ensemble_options, epochs), "auto", 1, 1e7, true, NULL,
      "passes over the data of each member; auto = as its own options say" },
    { "noise_std", UNA_REAL, offsetof(ensemble_options, noise_std), "auto", 1e-150, 1e150, true, NULL,
      "noise std of the target; auto = best likelihood of the mixture on held-out rows" },
    { "anchor_noise_var", UNA_REAL, offsetof(ensemble_options, anchor_noise_var), "0.01", 1e-12, 1e6, false, NULL,
      "anchored: sigma_eps^2, how little the rows are trusted, on the standardised target" },
    { "anchor_prior_var", UNA_REAL, offsetof(ensemble_options, anchor_prior_var), "0.1", 1e-12, 1e6, false, NULL,
      "anchored: variance of weights and biases under the prior, from which the anchors are drawn" },
    { "anchor_init_var", UNA_REAL, offsetof(ensemble_options, anchor_init_var), "0.1", 1e-12, 1e6, false, NULL,
      "anchored: variance of the first weights and biases" },
    { "units", UNA_WORD, offsetof(ensemble_options, units), "own", 0, 0, false, "own|standardised",
      "how noise_std is given: in the target's own units, or standardised" },
    { .name = NULL }
};

/* ---- what the members are --------------------------------------------------------------------------------- */

/* An ensemble is many trainings already, and its noise is common to all: options by which a member chooses either are
 * switched off. */
static una_status make_single(const una_kind *kind, una_common_options *o, una_run *run)
{
    if (!kind->committee) return UNA_OK;
    if (UNA_IS_AUTO(o->members)) o->members = 1;
    if (o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(run, UNA_E_USAGE, "ensemble: of=%s(noise=varying) is not possible, an ensemble has one noise; leave "
                 "it out, or use %s(members=N, noise=varying) instead of the ensemble", kind->name, kind->name);
    if (una_is_given(o->tails) && !isinf(o->tails))
        UNA_FAIL(run, UNA_E_USAGE, "ensemble: of=%s(tails=%g) is not possible, an ensemble's noise is Gaussian; leave it "
                 "out, or use %s(members=N) instead of the ensemble", kind->name, o->tails, kind->name);
    o->noise = UNA_NOISE_CONSTANT;
    return UNA_OK;
}

/* The member's options, from its spec; *kind is its kind. */
static una_status read_member(const una_kind **kind, void **options, const ensemble_options *o, una_arena *arena,
                              una_run *run)
{
    una_spec spec;
    char buffer[32];
    UNA_TRY(una_spec_parse(&spec, o->of, arena, run));
    *kind = una_kind_find(spec.name);
    if (!*kind) UNA_FAIL(run, UNA_E_USAGE, "ensemble: of=%s names no model; `una models` lists them", spec.name);
    if (*kind == &una_kind_ensemble)
        UNA_FAIL(run, UNA_E_USAGE, "ensemble: of=ensemble is not possible; raise members instead");
    if (o->style == ANCHORED && !(*kind)->fit_to.anchor)
        UNA_FAIL(run, UNA_E_USAGE, "ensemble: style=anchored needs of=nn, not of=%s; use style=plain or "
                 "style=bootstrap", spec.name);

    UNA_NEW_BYTES_AT(arena, *options, (*kind)->options_size);
    UNA_TRY(una_options_default(*options, (*kind)->options, run));
    UNA_TRY(una_options_apply(*options, (*kind)->options, (*kind)->name, &spec, arena, run));
    UNA_TRY(make_single(*kind, *options, run));

    if (UNA_IS_AUTO(o->epochs)) return UNA_OK;
    UNA_TRY(una_option_set(*options, (*kind)->options, (*kind)->name, "epochs", una_number_text(buffer, o->epochs),
                           arena, run));
    return una_option_set(*options, (*kind)->options, (*kind)->name, "steps", "auto", arena, run);
}

/* ---- fitting members on the task pool --------------------------------------------------------------------- */

typedef struct member_training {
    una_trained_job base;
    void  *state;
    una_fit_result result;
    double *y;                           /* [held] targets of its validation rows                           */
    una_predictive valid;                /* its predictions of them                                         */
} member_training;

typedef struct ensemble {                /* context of the trainings                                        */
    const ensemble_options *options;
    const una_kind *kind;                /* of the members                                                  */
    una_members *kept;                   /* the mixture to fill                                             */
    double noise_var;                    /* mean of the members' noise                                      */
    una_training_plan plan;              /* of the members that train now                                   */
    member_training *training;
} ensemble;

/* Numbers the folds again, so that none is empty; returns how many there are. */
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
static una_status resample_rows(una_problem *p, una_run *run)
{
    size_t rows = p->x.rows, cols = p->x.cols;
    double *x = UNA_GET_ROWS(&run->scratch, double, rows * cols), *y = UNA_GET_ROWS(&run->scratch, double, rows);
    UNA_NEW(&run->scratch, unsigned char, fold, rows);
    uint32_t *team = p->team ? UNA_GET_ROWS(&run->scratch, uint32_t, rows) : NULL;
    UNA_TRY(una_arena_check(&run->scratch));

    una_rng rng = una_rng_at(p->seed, UNA_FOR_FOLDS, 1);
    size_t folds = 0;
    do {
        for (size_t i = 0; i < rows; i++) {
            size_t from = una_rng_below(&rng, rows);
            memcpy(x + i * cols, p->x.at + from * p->x.stride, cols * sizeof *x);
            y[i] = p->y[from];
            if (p->folds) fold[i] = p->fold[from];
            if (team) team[i] = p->team[from];
        }
        folds = p->folds ? close_up(fold, rows) : 0;
    } while (folds == 1 && rows > 1);                    /* all from one fold: no rows would be left to train on */

    p->x = (una_view){ x, rows, cols, cols };
    p->y = y;
    p->team = team;
    p->folds = folds;
    p->fold = folds ? fold : NULL;
    p->shared = NULL;
    return UNA_OK;
}

static una_status predict_valid_rows(member_training *t, const una_kind *kind, const una_problem *p, una_run *run)
{
    size_t held = t->base.valid_rows = p->valid_x.rows;
    t->y = una_copy_numbers(p->valid_y, held, &t->base.arena);
    UNA_TRY(una_predictive_new(&t->valid, held, &t->base.arena));
    return held ? una_calls(kind)->predict(t->state, p->valid_x, &t->valid, run) : UNA_OK;
}

static una_status fit_member(const ensemble *all, member_training *t, void *options, const una_problem *p, una_run *run)
{
    const ensemble_options *o = all->options;
    const una_kind *kind = all->kind;
    una_anchor anchor = { o->anchor_noise_var, o->anchor_prior_var, o->anchor_init_var };
    if (p->x.rows < kind->least_rows)
        UNA_FAIL(run, UNA_E_INPUT, "ensemble: its members (%s) need at least %zu rows, and there are only %zu",
                 kind->name, kind->least_rows, p->x.rows);
    una_fit_target target = { t->state, options, &t->result };
    una_fitting f = { .kind = kind, .problem = p, .target = &target, .keep = &t->base.arena, .run = run,
                      .anchor = o->style == ANCHORED ? &anchor : NULL };
    return una_calls(kind)->fit(&f);
}

/* The member predicts the held-out rows before it takes them in. */
static una_status train_member(void *context, size_t index, una_run *run)
{
    const ensemble *all = context;
    member_training *t = &all->training[index];
    una_arena *arena = &t->base.arena;
    size_t fold = una_training_plan_fold(&all->plan, index);
    const una_kind *kind;
    una_problem p = *all->plan.problem;
    void *options;
    UNA_TRY(read_member(&kind, &options, all->options, arena, run));
    p.seed = una_member_seed(p.seed, fold == SIZE_MAX ? index : index / all->plan.folds);
    p.valid_joins = false;
    if (fold != SIZE_MAX) UNA_TRY(una_problem_without_fold(&p, fold, &run->scratch));
    if (all->options->style == BOOTSTRAP) UNA_TRY(resample_rows(&p, run));

    UNA_NEW_BYTES_AT(arena, t->state, una_calls(kind)->state_size);
    t->result = una_fit_result_in(arena);
    UNA_TRY(fit_member(all, t, options, &p, run));
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(predict_valid_rows(t, kind, &p, run));
    if (all->plan.problem->valid_joins && kind->observe) {
        una_problem more = { .x = p.valid_x, .y = p.valid_y, .outputs = 1, .columns = p.columns, .seed = p.seed };
        UNA_TRY(una_calls(kind)->observe(t->state, &more, &t->result, arena, run));
    }

    t->base.trained.steps = t->result.steps;
    return UNA_OK;
}

/* Without folds all members have the same rows in float. */
static una_status ensemble_train(void *context, const una_training_plan *plan, void *trainings, una_run *run)
{
    ensemble *all = context;
    una_problem problem = *plan->problem;
    una_training_rows rows;
    all->training = trainings;
    all->plan = *plan;
    all->plan.problem = &problem;
    if (all->kind->validation && !problem.folds && all->options->style != BOOTSTRAP) {
        UNA_TRY(una_training_rows_split(&rows, &problem, SIZE_MAX, &run->scratch));
        problem.shared = &rows;
    }
    return una_jobs_together(run, trainings, sizeof *all->training, plan->count, train_member, all);
}

/* ---- predictions of validation rows, and what is kept -------------------------------------------------------- */

static una_status ensemble_evaluate(void *context, const void *const *training, size_t count,
                                    const una_variances *variances, una_valid_loss *sums, una_run *run)
{
    const member_training *first = training[0];
    double *mean = UNA_GET(&run->scratch, double, count), *var = UNA_GET(&run->scratch, double, count);
    (void)context;
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t r = 0; r < first->base.valid_rows; r++) {
        double middle = 0;
        for (size_t m = 0; m < count; m++) {
            const member_training *t = training[m];
            mean[m] = t->valid.mean[r];
            var[m] = t->valid.var_model[r] + variances->noise_var;
            middle += mean[m] / (double)count;
        }
        sums->loss -= una_mixture_log_pdf(first->y[r], mean, var, NULL, count);
        sums->square += pow(first->y[r] - middle, 2);
    }

    sums->rows += first->base.valid_rows;
    return UNA_OK;
}

static una_status ensemble_keep(void *context, const void *const *training, size_t count, una_fit_result *result,
                                una_arena *keep, una_run *run)
{
    ensemble *all = context;
    una_members *e = all->kept;
    double evidence = 0, noise = 0;
    e->count = count;
    UNA_NEW_AT(keep, e->at, count);

    for (size_t m = 0; m < count; m++) {
        const member_training *t = training[m];
        e->at[m] = (una_member){ .kind = all->kind, .calls = una_calls(all->kind), .weight = 1 / (double)count };
        const una_learnt own = { all->kind, una_calls(all->kind), t->state, e->inputs };
        UNA_TRY(una_state_copy(&e->at[m].state, &own, keep, run));
        evidence += t->result.log_evidence / (double)count;
        noise += t->result.noise_var / (double)count;
    }

    result->log_evidence = evidence;
    all->noise_var = noise;
    result->curve = una_copy_curve(((const member_training *)training[0])->result.curve, keep);  /* for all */
    return una_arena_check(keep);
}

/* ---- the whole fit ---------------------------------------------------------------------------------------- */

static una_status ensemble_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_members *e = f->target->state;
    ensemble_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    una_run *run = f->run;
    void *member_options;
    double unit = una_unit(o->units, p);
    ensemble all = { .options = o, .kept = e };
    UNA_TRY(read_member(&all.kind, &member_options, o, &run->scratch, run));
    if (UNA_IS_AUTO(o->members)) o->members = o->style == ANCHORED ? 5 : 20;
    size_t members = (size_t)o->members;
    e->inputs = p->x.cols;

    una_target_choice chosen = { una_noise_var(o->noise_std, unit), 1, result };
    una_crossfit fit = { .context = &all, .job_size = sizeof(member_training), .train = ensemble_train,
                         .evaluate = ensemble_evaluate, .keep = ensemble_keep, .restarts = members, .mixture = true,
                         .trainings_per_fold = members < TRAININGS_PER_FOLD ? members : TRAININGS_PER_FOLD,
                         .folds_for_noise = true, .grid = UNA_MIXTURE_GRID, .targets = 1, .chosen = &chosen };
    UNA_TRY(una_crossfit_run(&fit, p, f->keep, run));

    e->noise_var = UNA_IS_AUTO(chosen.noise_var) ? all.noise_var : chosen.noise_var; /* there were no validation rows */
    result->noise_var = e->noise_var;
    o->noise_std = sqrt(e->noise_var) / unit;
    return UNA_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------ */

/* A file from before members.h: one kind for all, the noise, the states. */
static una_status load_old(una_members *e, una_archive *ar)
{
    const una_kind *kind = NULL;
    UNA_TRY(una_kind_exchange_name(&kind, "of", ar));
    if (kind == &una_kind_ensemble) return una_archive_refuse(ar, "of", "is an ensemble in an ensemble");
    UNA_TRY(una_archive_size(ar, "members", &e->count, 1, UNA_MOST_MEMBERS));
    UNA_TRY(una_archive_f64(ar, "ensemble.noise_var", &e->noise_var));
    UNA_TRY(una_archive_expect(ar, "members", e->count, UNA_LEAST_MEMBER));
    e->inputs = ar->inputs;
    UNA_NEW_AT(ar->arena, e->at, e->count);
    for (size_t m = 0; m < e->count; m++) {
        UNA_NEW_BYTES(ar->arena, void, state, una_calls(kind)->state_size);
        e->at[m] = (una_member){ kind, una_calls(kind), state, NULL, 1 / (double)e->count };
        UNA_TRY(una_kind_exchange(kind, una_calls(kind), state, ar));
    }
    return UNA_OK;
}

static una_status ensemble_exchange(void *state, una_archive *ar)
{
    una_members *e = state;
    if (una_archive_next_is(ar, "of")) UNA_TRY(load_old(e, ar));
    else UNA_TRY(una_members_exchange(e, ar));
    if (!(e->noise_var > 0)) return una_archive_refuse(ar, "members.noise_var", "is not positive");
    for (size_t m = 0; m < e->count; m++)
        if (e->at[m].kind == &una_kind_ensemble)
            return una_archive_refuse(ar, "member.kind", "is an ensemble in an ensemble");
    return UNA_OK;
}

const una_kind una_kind_ensemble = {
    .name = "ensemble",
    .summary = "several models of one kind, trained apart: plain, bootstrap or anchored",
    .source = "Lakshminarayanan et al. 2017; Breiman 1996; Pearce, Leibfried and Brintrup 2020",
    .options = ensemble_table,
    .options_size = sizeof(ensemble_options),
    .thesis = "style=plain, members=20, of=nn(width=50, depth=2, activation=relu, rate=0.001, rate_schedule=constant, "
              "epochs=20000, batch=32, penalty=0.1, train_noise_std=1, units=standardised), units=standardised",
    .results = 3,
    .least_rows = 10,
    .validation = &una_validates,
    .spec_options = "of",
    .fit = ensemble_fit,
    .fit_to.images = ensemble_fit,
    .exchange = ensemble_exchange,
    .adapt = una_members_adapt,
    UNA_MEMBERS_CALLS,
};
