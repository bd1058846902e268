/* SPDX-License-Identifier: MIT
 *
 * Bayesian optimisation: the thesis's four tasks (bayesopt_tasks.h), every surrogate, and search without a model as a
 * baseline. A row is one optimisation: the task's value at some random points, the same for all models of a seed,
 * then as many steps as the task has, each at the point that the search proposes (bo/search.h). Measures: the regret,
 * which is the best value so far less the smallest possible one, after given numbers of steps; for tasks that train a
 * classifier (smallest possible error: 0), also the error on test rows at the best point.
 */
#include "bayesopt/bayesopt.h"
#include "una_study.h"

typedef struct bayesopt_options {
    const char *data, *tasks, *acquisition;
    double      seeds, steps, initial;
    int         setup;
} bayesopt_options;

enum { SETUP_OWN, SETUP_THESIS };

enum { QUICK_SEEDS = 2, QUICK_STEPS = 5 };

static const una_option table[] = {
    UNA_DATA_OPTION(bayesopt_options),
    { "tasks", UNA_TEXT, offsetof(bayesopt_options, tasks), "", 0, 0, false, NULL,
      "which of branin, hartmann6, svm and logistic, with commas between; left out: the first two; quick: branin" },
    UNA_SEEDS_OPTION(bayesopt_options),
    { "steps", UNA_COUNT, offsetof(bayesopt_options, steps), "auto", 1, 10000, true, NULL,
      "evaluations after the first points; auto: 50, 200, 30 and 30; quick: 5" },
    { "initial", UNA_COUNT, offsetof(bayesopt_options, initial), "3", 1, 10000, false, NULL,
      "random points that every optimisation begins with" },
    { "acquisition", UNA_TEXT, offsetof(bayesopt_options, acquisition), "log_ei", 0, 0, false, NULL,
      "what chooses the next point: log_ei, ei, ucb(beta=2), thompson ..." },
    { "setup", UNA_WORD, offsetof(bayesopt_options, setup), "own", 0, 0, false, "own|thesis",
      "what a bare name stands for: our options, or the thesis's with its grid searched at the start" },
    { .name = NULL }
};

#define STOP_NUMBER(n) n,
const size_t una_bayesopt_stops[UNA_BAYESOPT_STOP_COUNT] = { UNA_BAYESOPT_STOPS(STOP_NUMBER) };
#undef STOP_NUMBER

static const una_bench_measure measures[] = {
    [UNA_BAYESOPT_REGRET] = { "regret", "regret", "f", "distance of the best value from the least one, at the end; of "
                              "a classifier the validation error in percent", -1 },
    [UNA_BAYESOPT_TEST] = { "test_error", "test error", "%", "of a classifier: error on test rows at the best point",
                            -1 },
    [UNA_BAYESOPT_STEP] = { "step_seconds", "s a step", "s", "median time that the next point takes, its evaluation "
                            "not counted", -1 },
    [UNA_BAYESOPT_STEP_MEAN] = { "step_seconds_mean", "mean", "s", "the same, mean: with the trainings", -1 },
    [UNA_BAYESOPT_TRAININGS] = { "trainings", NULL, "", "steps in which the model was trained anew", 0 },
#define STOP_MEASURE(n) [UNA_BAYESOPT_AT_##n] = { "regret_" #n, NULL, "f", "the same after " #n " steps", -1 },
    UNA_BAYESOPT_STOPS(STOP_MEASURE)
#undef STOP_MEASURE
    { .name = NULL }
};

/* What bare names stand for here; una_search_model has the other ones. */
static const una_entry entries[] = {
    { "luna", "luna", "luna(members=1, steps=100)" },
    { "gp", "gp", "gp" },
    { "nlm", "nlm", "nlm(members=1, steps=100)" },
    { "mcd", "mcd", "mcd(steps=30)" },
    { "anchored", "ensemble(style=anchored)", "ensemble(style=anchored, members=3, of=nn(steps=100))" },
    { "bootstrap", "ensemble(style=bootstrap)", "ensemble(style=bootstrap, members=3, of=nn(steps=100))" },
    { "ensemble", "ensemble", "ensemble(members=3, of=nn(steps=100))" },
    { "sngp", "sngp", "sngp(steps=50)" },
    { "bbvi", "bbvi", "bbvi(steps=100)" },
    { "random", "random", "random" },
    { "quasi", "quasi", "quasi" },
    { NULL, NULL, NULL }
};

/* ---- the thesis's own surrogates -------------------------------------------------------------------------------- */

/* Three hidden layers of 50 tanh units (BBVI: one), Adam at 1e-3 (1e-2), 1000 epochs over all rows at once, and a small
 * grid of hyper-parameters that is searched once, at the start. How the grid was scored is not reported; here it is the
 * likelihood of held-out rows (una_tune). Of MC dropout's grid the penalties are left out: ours follow from its
 * prior. */
#define TRAINED      "width=50, depth=3, activation=tanh, rate=0.001, rate_schedule=constant, epochs=1000, batch=1000, "
#define PLAIN        "units=standardised, members=1, relevance=off, noise=constant"
#define NET(penalty) "nn(" TRAINED "penalty=" penalty ", train_noise_std=1, " PLAIN ")"
#define NETS         "of=" NET("1e-5") "|" NET("1e-4") "|" NET("1e-3") "|" NET("1e-2") "|" NET("1e-1")

typedef struct surrogate {
    const char *own, *spec, *over;
} surrogate; /* own: the entry whose place it takes */

static const surrogate surrogates[] = {
    { "luna",
      "luna(heads=50, head_share=1, diversity=0.1, diversity_rows=0, schedule=constant, probes=data, "
      "cosine=stacked, slopes=differences, " TRAINED "restarts=1, " PLAIN ")",
      "prior_var=0.1|1|10, penalty=1e-5|1e-4|1e-3, perturbation_std=0.1|0.01" },
    { "gp",
      "gp(kernel=rbf, ard=no, optimise=grid, grid=[0.001, 0.01, 0.1, 1, 5, 10], amplitude=1, "
      "units=standardised, noise=constant)",
      NULL },
    { "nlm", "nlm(training=map, " TRAINED "restarts=1, train_noise_std=1, " PLAIN ")",
      "prior_var=0.1|1|10, penalty=1e-5|1e-4|1e-3" },
    { "mcd", "mcd(" TRAINED "passes=5, " PLAIN ")", "dropout=0.01|0.05|0.1" },
    { "ensemble(style=anchored)", "ensemble(style=anchored, members=25, of=" NET("0") ", units=standardised)",
      "anchor_noise_var=0.1|1|10, anchor_prior_var=0.1|1|10, anchor_init_var=0.1|1|10" },
    { "ensemble(style=bootstrap)", "ensemble(style=bootstrap, members=25, units=standardised)", NETS },
    { "ensemble", "ensemble(members=25, units=standardised)", NETS },
    { "sngp", "sngp(features=200, lengthscale=1, head=exact, " TRAINED "train_noise_std=1, " PLAIN ")",
      "prior_var=0.1|1|10, bound=1|5" },
    { "bbvi",
      "bbvi(width=50, depth=1, activation=tanh, rate=0.01, rate_schedule=constant, epochs=1000, batch=1000, "
      "draws=1000, " PLAIN ")",
      "weight_var=1|10|50" },
};
enum { SURROGATES = sizeof surrogates / sizeof *surrogates };

/* The spec for an entry of ours ("luna"), without what its grid varies; NULL: it has none. */
static const char *thesis_spec(const char *own)
{
    for (size_t i = 0; i < SURROGATES; i++)
        if (strcmp(surrogates[i].own, own) == 0) return surrogates[i].spec;
    return NULL;
}

static una_status grid_of(const char **over, const char *spec, una_run *run)
{
    const char *kind, *written;
    unsigned results;
    *over = NULL;
    for (size_t i = 0; i < SURROGATES; i++) {
        UNA_TRY(una_row_key_spec(&written, &kind, &results, surrogates[i].spec, &run->scratch, run));
        if (strcmp(written, spec) == 0) *over = surrogates[i].over;
    }
    return UNA_OK;
}

/* The best of its grid by what was evaluated so far. A spec that is none of the thesis's stays as it is. UNA_E_INPUT:
 * these are too few rows. The text lives in `arena`. */
static una_status thesis_choose(const char **best, const char *spec, const una_space *space, const una_history *history,
                                una_arena *arena, una_run *run)
{
    const char *names[UNA_MOST_TASK_INPUTS + 1];
    una_tune_settings settings = { .size = sizeof settings, .model = spec, .search = "grid" };
    una_dataset *data = NULL;
    una_tuned *tuned = NULL;
    *best = spec;
    UNA_TRY(grid_of(&settings.over, spec, run));
    if (!settings.over) return UNA_OK;
    for (size_t i = 0; i < space->count; i++) names[i] = space->dimension[i].name;
    names[space->count] = "value";
    UNA_TRY(una_dataset_from_arrays(&data, history->point, history->value, history->count, space->count, names, run));
    una_status status = una_tune(&tuned, data, &settings, run);
    una_dataset_free(data);
    UNA_TRY(status);
    *best = una_arena_text(arena, tuned->spec[0]);
    una_tuned_free(tuned);
    return una_arena_check(arena);
}

/* ---- which models -------------------------------------------------------------------------------------------- */

bool una_bayesopt_is_floor(const char *contestant)
{
    for (const una_acquisition *a = una_acquisitions; a->name; a++)
        if (a->need == UNA_NEEDS_NOTHING && strcmp(a->name, contestant) == 0)
            return true;
    return false;
}

/* Ensembles are named by their style, so that the three have different names. */
static const char *bayesopt_title(const una_spec *spec)
{
    const char *style = strcmp(spec->name, "ensemble") == 0 ? una_spec_find(spec, "style") : NULL;
    return style && strcmp(style, "plain") != 0 ? style : spec->name;
}

/* A model with the options that suit a search, all in full: when these change, so do the keys. Or an acquisition
 * that needs no model. */
static una_status bayesopt_contestant(una_bench_model *model, const char *text, const una_asked *asked, una_run *run)
{
    const bayesopt_options *o = asked->options;
    const char *whole = o->setup == SETUP_THESIS ? thesis_spec(text) : NULL;
    una_spec spec;
    *model = (una_bench_model){ .kind = una_arena_text(asked->keep, text), .results = 1 };
    model->spec = model->kind;
    UNA_TRY(una_arena_check(asked->keep));
    if (una_bayesopt_is_floor(text)) return UNA_OK;

    if (!whole) UNA_TRY(una_search_model(&whole, text, asked->keep, run));
    UNA_TRY(una_row_key_spec(&model->spec, &model->kind, &model->results, whole, asked->keep, run));
    UNA_TRY(una_spec_parse(&spec, model->spec, asked->keep, run));
    model->kind = bayesopt_title(&spec);
    return UNA_OK;
}

/* ---- the plan ------------------------------------------------------------------------------------------------ */

static una_status bayesopt_begin(void **shared, const una_asked *asked, una_run *run)
{
    const bayesopt_options *o = asked->options;
    una_material *material = NULL;
    const char *store = una_phrase(asked->keep, "%s/bench.sqlite", asked->out);
    UNA_TRY(una_arena_check(asked->keep));
    una_status status = una_material_new(&material, o->data, asked->worker_only ? NULL : store, run);
    *shared = material;
    return status;
}

/* The experiment with those of its options that change numbers. */
static const char *bayesopt_study(const una_asked *asked)
{
    const bayesopt_options *o = asked->options;
    una_text study = una_text_in(asked->keep);
    una_text_add(&study, "%s", asked->experiment->name);
    if (strcmp(o->acquisition, "log_ei") != 0) una_spec_value(una_study_option(&study, "acquisition"), o->acquisition);
    if (o->initial != 3) una_text_number(una_study_option(&study, "initial"), o->initial);
    if (o->setup == SETUP_THESIS) una_text_add(una_study_option(&study, "setup"), "thesis");
    if (asked->quick || !UNA_IS_AUTO(o->steps))
        una_text_number(una_study_option(&study, "steps"), UNA_IS_AUTO(o->steps) ? QUICK_STEPS : o->steps);
    return una_study_end(&study);
}

static una_status unknown_task(const char *name, int length, una_run *run)
{
    una_text all = una_text_in(&run->scratch);
    for (const una_task_kind *t = una_task_kinds; t->name; t++)
        una_text_add(&all, "%s%s", all.length ? ", " : "", t->name);
    UNA_FAIL(run, UNA_E_USAGE, "there is no task '%.*s'; the tasks are %s", length, name, all.at ? all.at : "");
}

static una_status plan_runs(una_plan *plan, const una_asked *asked, una_run *run)
{
    const bayesopt_options *o = asked->options;
    const char *usual = asked->quick ? "branin" : "branin,hartmann6";
    const char *list = *o->tasks ? o->tasks : usual, *study = bayesopt_study(asked);
    const una_acquisition *acquisition;
    una_acquisition_options options;
    UNA_TRY(una_arena_check(asked->keep));
    UNA_TRY(una_acquisition_need_named(&acquisition, &options, o->acquisition, run));

    size_t length;
    for (const char *at = list; (at = una_next_item(at, &length)); at += length) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const una_task_kind *task = una_task_find(name);
        if (!task || !una_is_item(at, length, task->name)) return unknown_task(at, (int)length, run);
        const char *data;
        size_t seeds = una_seed_count(o->seeds, task->seeds, QUICK_SEEDS, asked);
        UNA_TRY(una_task_data(&data, task, asked->shared, asked->keep, run));
        for (size_t s = 0; s < seeds; s++) una_plan_models(plan, asked, study, data, asked->first + s);
    }
    if (plan->count == 0) UNA_FAIL(run, UNA_E_USAGE, "tasks=%s names no task", o->tasks);
    return UNA_OK;
}

/* ---- one optimisation ---------------------------------------------------------------------------------------- */

typedef struct minimum_search {
    una_task_asked             task;
    const una_row_key   *key;
    const una_asked     *asked;
    una_space           *space;
    una_search          *search;
    size_t               initial, steps, count;  /* count: evaluated so far                                         */
    double              *point, *value;          /* [initial + steps, inputs], [initial + steps]                     */
    una_trial_state     *state;
    double              *seconds;                /* [steps] of the search                                           */
    double               regret;
    size_t               best, trainings;
} minimum_search;

static una_status open_minimum_search(minimum_search *h, una_run *run)
{
    const bayesopt_options *o = h->asked->options;
    h->task = (una_task_asked){ una_task_find(h->key->data), h->key->data, h->asked->shared };
    h->initial = (size_t)o->initial;
    size_t usual = h->asked->quick ? QUICK_STEPS : h->task.kind->steps;
    h->steps = UNA_IS_AUTO(o->steps) ? usual : (size_t)o->steps;
    UNA_TRY(una_space_parse(&h->space, h->task.kind->space, h->task.kind->name, &run->scratch, run));
    size_t most = h->initial + h->steps;
    UNA_NEW_AT(&run->scratch, h->point, most * h->space->count);
    UNA_NEW_AT(&run->scratch, h->value, most);
    UNA_NEW_AT(&run->scratch, h->state, most);
    UNA_NEW_AT(&run->scratch, h->seconds, h->steps);
    for (size_t i = 0; i < most; i++) h->state[i] = UNA_TRIAL_TOLD;
    return UNA_OK;
}

/* The thesis's surrogate, once there are enough rows to choose from its grid; before that there is none. */
static una_status need_search(minimum_search *h, const una_history *history, una_run *run)
{
    const bayesopt_options *o = h->asked->options;
    bool floor = una_bayesopt_is_floor(h->key->spec);
    una_search_settings settings = { .space = h->space, .model = h->key->spec, .seed = h->key->seed,
        .acquisition = floor ? h->key->spec : o->acquisition, .initial = h->initial };
    if (h->search) return UNA_OK;
    if (o->setup == SETUP_THESIS && !floor) {
        una_status status = thesis_choose(&settings.model, h->key->spec, h->space, history, &run->scratch, run);
        if (status == UNA_E_INPUT) una_clear_message(run);
        if (status != UNA_OK) return status == UNA_E_INPUT ? UNA_OK : status;
    }
    return una_search_new(&h->search, &settings, run);
}

static una_status bayesopt_evaluate(minimum_search *h, una_run *run)
{
    size_t i = h->count++;
    UNA_TRY(una_task_value(&h->value[i], &h->task, h->point + i * h->space->count, false, run));
    if (i == 0 || h->value[i] < h->value[h->best]) h->best = i;
    h->regret = h->value[h->best] - h->task.kind->least;
    return UNA_OK;
}

/* Depends on the seed and the number only: all models begin at the same points. */
static void place_at_random(minimum_search *h)
{
    double unit[UNA_MOST_TASK_INPUTS];
    una_rng rng = una_rng_at(h->key->seed, UNA_FOR_DATA, h->count);
    for (size_t d = 0; d < h->space->count; d++) unit[d] = una_rng_uniform(&rng);
    una_space_place(h->space, unit, h->point + h->count * h->space->count);
}

static una_status take_step(minimum_search *h, size_t step, una_run *run)
{
    una_history history = { h->count, h->point, h->value, h->state };
    una_proposal proposal = { .trained = false };
    double begun = una_clock();
    UNA_TRY(una_tick(run, "optimising", (double)step / (double)h->steps, h->regret));
    UNA_TRY(need_search(h, &history, run));
    if (h->search)
        UNA_TRY(una_search_next(h->search, &history, h->point + h->count * h->space->count, &proposal, run));
    else place_at_random(h);
    h->seconds[step] = una_clock() - begun;
    h->trainings += proposal.trained;
    return bayesopt_evaluate(h, run);
}

static void note_regret(double *value, double regret, size_t steps)
{
    for (size_t k = 0; k < UNA_BAYESOPT_STOP_COUNT; k++)
        if (una_bayesopt_stops[k] == steps) value[UNA_BAYESOPT_FIRST_STOP + k] = regret;
}

static una_status run_minimum_search(double *value, minimum_search *h, una_run *run)
{
    double sum = 0;
    while (h->count < h->initial) {
        place_at_random(h);
        UNA_TRY(bayesopt_evaluate(h, run));
    }
    note_regret(value, h->regret, 0);
    for (size_t step = 0; step < h->steps; step++) {
        UNA_TRY(take_step(h, step, run));
        note_regret(value, h->regret, step + 1);
    }

    for (size_t i = 0; i < h->steps; i++) sum += h->seconds[i];
    value[UNA_BAYESOPT_REGRET] = h->regret;
    value[UNA_BAYESOPT_STEP_MEAN] = sum / (double)h->steps;
    value[UNA_BAYESOPT_STEP] = una_quantile(h->seconds, h->steps, 0.5);
    value[UNA_BAYESOPT_TRAININGS] = (double)h->trainings;
    if (!h->task.kind->is_digits) return UNA_OK;
    return una_task_value(&value[UNA_BAYESOPT_TEST], &h->task, h->point + h->best * h->space->count, true, run);
}

static una_status bayesopt_measure(const una_measuring *m)
{
    minimum_search h = { .key = m->key, .asked = m->asked };
    UNA_TRY(open_minimum_search(&h, m->run));
    double begun = una_clock();
    una_status status = run_minimum_search(m->outcome->value, &h, m->run);
    m->outcome->seconds = una_clock() - begun;
    una_search_free(h.search);
    return status;
}

const una_experiment una_experiment_bayesopt = {
    .name = "bayesopt",
    .summary = "Bayesian optimisation: who finds the least value of something expensive?",
    .title = "Bayesian optimisation: who finds the least value?",
    .lead = "A few random points, then one step after the other: a model of all values so far says where the next one "
            "is best taken. What a surrogate knows of its ignorance decides how soon the least value is found.",
    .caption = "Regret (distance of the best value found from the least there is; of a classifier its error in "
               "percent) and seconds that a step takes: mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(bayesopt_options),
    .measures = measures,
    .entries = entries,
    .contestant = bayesopt_contestant,
    .begin = bayesopt_begin,
    .end = una_material_free,
    .plan = plan_runs,
    .measure = bayesopt_measure,
    .claims = una_bayesopt_claims,
    .claims_lead = "Claims of the thesis, and ours.",
    .claims_caption = "Judged by the rows of all seeds. Steps do not count the first random points.",
    .page = una_bayesopt_page,
};
