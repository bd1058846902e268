/* SPDX-License-Identifier: MIT
 *
 * Which options of a model are best: the public call and the Bayesian search, which goes on from the fits so far. The
 * search itself, evaluations and rules are in select/option_search.h.
 */
#include "select/tune.h"

#include "base/ranks.h"
#include "bo/search.h"
#include "model/above.h"
#include "store/folder.h"
#include "select/option_search.h"
#include "store/store_csv.h"

#include <unistd.h>

/* BATCH specs are under way at once in the Bayesian search, on any number of threads: what is proposed next must not
 * depend on how many there are. Fits share what threads are left between them. */
enum { BATCH = 2, TRIALS = 20, PATIENCE = 200 };
static const uint64_t DRAWN_INSTEAD = 5ull << 40;        /* streams of UNA_FOR_SEARCH that the search does not use */

typedef struct tuning {
    una_tuned          tuned;            /* first, so that a pointer to it is one to all                             */
    una_arena          keep;
    una_run           *run;
    una_tune_settings  asked;
    una_option_search  option_search;
    const char        *table;            /* path of the CSV file; NULL: nothing is kept                              */
} tuning;

/* ---- what was asked for -------------------------------------------------------------------------------------- */

una_status una_tune_model(const char **model, const char *given, const char *const *set, size_t set_count,
                          una_arena *arena, una_run *run)
{
    una_spec spec;
    una_text text = una_text_in(arena);
    UNA_TRY(una_spec_parse(&spec, given, arena, run));
    UNA_NEW(arena, una_spec, more, set_count);
    size_t count = spec.count;
    for (size_t i = 0; i < set_count; i++) {
        UNA_TRY(una_spec_parse_items(&more[i], set[i], arena, run));
        count += more[i].count;
    }

    UNA_NEW(arena, una_spec_item, all, count);
    if (spec.count) memcpy(all, spec.items, spec.count * sizeof *all);
    count = spec.count;
    for (size_t i = 0; i < set_count; i++)
        for (size_t k = 0, at; k < more[i].count; k++) {
            for (at = 0; at < count && strcmp(all[at].key, more[i].items[k].key) != 0;) at++;
            all[at] = more[i].items[k];                  /* the later one wins */
            if (at == count) count++;
        }

    una_text_add(&text, "%s", spec.name);
    for (size_t i = 0; i < count; i++) {
        una_text_add(&text, "%s%s=", i ? ", " : "(", all[i].key);
        una_spec_value(&text, all[i].value);
    }
    if (count) una_text_add(&text, ")");
    *model = text.at;
    return una_arena_check(arena);
}

static una_status take_models(tuning *t)
{
    const una_tune_settings *a = &t->asked;
    const una_fit_settings *fit = &t->option_search.setup.fit;
    size_t count = a->model_count ? a->model_count : 1;
    UNA_NEW(&t->keep, const char *, model, count);
    UNA_NEW(&t->keep, una_option_space, space, count);
    if (a->model && a->model_count)
        UNA_FAIL(t->run, UNA_E_USAGE, "one model was given and a list of models; give the one or the other");
    for (size_t m = 0; m < count; m++) {
        const char *given = a->model_count ? a->models[m] : a->model, *usual = fit->preset ? "luna" : "auto";
        UNA_TRY(una_tune_model(&model[m], given ? given : usual, fit->set, fit->set_count, &t->keep, t->run));
        for (size_t k = 0; k < m; k++)
            if (strcmp(model[k], model[m]) == 0)
                UNA_FAIL(t->run, UNA_E_USAGE, "the model %.200s was given twice; name each once", model[m]);
    }
    t->option_search.setup.fit.set = NULL;
    t->option_search.setup.fit.set_count = 0;
    t->option_search.spaces = space;
    t->option_search.model_count = count;
    return una_option_space_parse_models(space, a->over, model, count, &t->keep, t->run);
}

static una_status take_tables(tuning *t, const una_dataset *data)
{
    size_t count = 1 + t->asked.more_count;
    UNA_NEW(&t->keep, const una_dataset *, tables, count);
    tables[0] = data;
    for (size_t i = 1; i < count; i++) tables[i] = t->asked.more[i - 1];
    t->option_search.setup.tables = tables;
    t->option_search.setup.count = count;
    return UNA_OK;
}

static una_status tune_take_request(tuning *t, const una_dataset *data, const una_tune_settings *given)
{
    static const char *const searches[] = { "grid", "random", "bayes" };
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    una_run *run = t->run;
    una_option_search *search = &t->option_search;
    UNA_TRY(UNA_TAKE(&t->asked, given, una_tune_settings, run));
    UNA_TRY(UNA_TAKE(&search->setup.fit, t->asked.fit.size ? &t->asked.fit : &plain, una_fit_settings, run));
    UNA_TRY(una_fit_settings_check(&search->setup.fit, run));
    UNA_TRY(una_texts_check(t->asked.models, t->asked.model_count, "models", run));
    search->setup.fit.size = sizeof search->setup.fit;
    if (!t->asked.over) UNA_FAIL(run, UNA_E_USAGE, "no options to search over were given");
    if (!t->asked.search) t->asked.search = "grid";
    if (t->asked.trials == 0) t->asked.trials = TRIALS;

    size_t known = 0;
    while (known < 3 && strcmp(searches[known], t->asked.search) != 0) known++;
    if (known == 3)
        UNA_FAIL(run, UNA_E_USAGE, "there is no search '%.40s'; the searches are grid, random and bayes",
                 t->asked.search);
    search->name = "tune";
    search->splits = t->asked.splits;
    search->seeds = t->asked.seeds;
    search->rule = t->asked.select ? t->asked.select : "log_lik";
    search->refit = t->asked.refit != 0;
    search->keep_trained = known == 2;                   /* what comes next is not known yet */
    UNA_TRY(take_tables(t, data));
    UNA_TRY(take_models(t));
    UNA_TRY(una_option_search_begin(search, run));
    return known == 0 ? una_option_search_check_grid(search, run)
                      : una_option_search_check_trials(search, t->asked.trials, run);
}

/* ---- the folder ---------------------------------------------------------------------------------------------- */

static const char *tune_path(tuning *t, const char *name)
{
    una_text path = una_text_in(&t->keep);
    una_text_add(&path, "%s/%s", t->asked.out, name);
    return path.at;
}

static una_status open_store(tuning *t)
{
    const char *out = t->asked.out;
    if (!out || !una_sweep_writes(t->option_search.ranks))
        return una_sweep_store(&t->option_search.store, NULL, t->option_search.ranks, t->run);
    const char *path = tune_path(t, "tune.sqlite"), *bench = tune_path(t, "bench.sqlite");
    t->table = tune_path(t, "tune.csv");
    UNA_TRY(una_arena_check(&t->keep));
    UNA_TRY(una_folder_make(out, t->run));
    if (access(bench, F_OK) == 0 && access(path, F_OK) != 0)     /* a search that began before goes on    */
        UNA_FAIL(t->run, UNA_E_INPUT, "%s holds results of experiments (bench.sqlite); a search has a folder of its "
                 "own: choose another one", out);
    UNA_TRY(una_store_check_csv(path, t->run));
    UNA_TRY(una_store_check_csv(t->table, t->run));
    UNA_TRY(una_store_open(&t->option_search.store, path, t->run));
    return una_option_search_check_store(&t->option_search, out, t->run);
}

/* ---- the Bayesian search ------------------------------------------------------------------------------------- */

typedef struct bayes_search {            /* of one model's options                                                  */
    size_t           model;
    const una_option_space *options;
    una_space       *space;
    una_search      *search;
    una_history      history;
    double          *point, *value;
    una_trial_state *state;
} bayes_search;

static void tune_add_number(una_text *json, const char *name, double value)
{
    una_text_add(json, ", \"%s\": ", name);
    una_text_number(json, value);
}

/* Values in order are whole numbers from 0 on, so that the search knows what lies between what; others are words. */
static void add_dimension(una_text *json, const una_option_axis *axis)
{
    bool one = axis->value && axis->count == 1, steps = axis->value && axis->rising && !one;
    una_text_json(json, axis->key);
    if (one) {
        una_text_add(json, ": {\"type\": \"fixed\", \"value\": 0}");
    } else if (steps) {
        una_text_add(json, ": {\"type\": \"integer\", \"low\": 0, \"high\": %zu}", axis->count - 1);
    } else if (axis->value) {
        una_text_add(json, ": {\"type\": \"category\", \"levels\": [");
        for (size_t i = 0; i < axis->count; i++) {
            if (i) una_text_add(json, ", ");
            una_text_json(json, axis->value[i]);
        }
        una_text_add(json, "]}");
    } else {
        una_text_add(json, ": {\"type\": \"%s\"", axis->whole ? "integer" : "real");
        tune_add_number(json, "low", axis->low);
        tune_add_number(json, "high", axis->high);
        una_text_add(json, ", \"log\": %s}", axis->log ? "true" : "false");
    }
}

static una_status set_out(bayes_search *c, tuning *t)
{
    size_t axes = c->options->count, trials = t->asked.trials, first = 2 * axes + 2;
    una_text json = una_text_in(&t->keep);
    una_search_settings settings = { .maximize = true, .seed = t->run->settings.seed };
    for (size_t a = 0; a < axes; a++) {
        una_text_add(&json, a ? ", " : "{");
        add_dimension(&json, &c->options->axis[a]);
    }
    una_text_add(&json, "}");
    UNA_NEW_AT(&t->keep, c->point, trials * axes);
    UNA_NEW_AT(&t->keep, c->value, trials);
    UNA_NEW_AT(&t->keep, c->state, trials);
    c->history = (una_history){ .point = c->point, .value = c->value, .state = c->state };

    const una_acquisition *acquisition;
    una_acquisition_options options;
    settings.acquisition = "log_ei";
    settings.initial = first > trials / 2 && trials >= 2 ? trials / 2 : first;
    if (settings.initial == 0) settings.initial = 1;
    UNA_TRY(una_space_parse(&c->space, json.at, "the options", &t->keep, t->run));
    UNA_TRY(una_search_model(&settings.model, NULL, &t->keep, t->run));
    UNA_TRY(una_acquisition_need_named(&acquisition, &options, settings.acquisition, t->run));
    settings.space = c->space;
    return una_search_new(&c->search, &settings, t->run);
}

static una_status values_at(const char **value, const double *point, const una_option_space *space, una_arena *keep)
{
    for (size_t a = 0; a < space->count; a++) {
        const una_option_axis *axis = &space->axis[a];
        value[a] = axis->value ? axis->value[(size_t)point[a]] : una_option_axis_text(axis, point[a], keep);
    }
    return una_arena_check(keep);
}

/* A number is what its text says. */
static void point_of(double *point, const char *const *value, const una_option_space *space)
{
    for (size_t a = 0; a < space->count; a++) {
        const una_option_axis *axis = &space->axis[a];
        if (!axis->value) una_parse_number(value[a], strlen(value[a]), &point[a]);
        for (size_t i = 0; i < axis->count; i++)
            if (strcmp(axis->value[i], value[a]) == 0) point[a] = (double)i;
    }
}

/* The next point becomes open, and its spec, *index, joins the search. A spec that was tried before would teach
 * nothing: a random draw takes its place. */
static una_status tune_propose(size_t *index, bayes_search *c, tuning *t, const char **value)
{
    size_t trial = c->history.count, planned = t->option_search.specs.count;
    double *point = c->point + trial * c->options->count;
    una_proposal proposal;
    una_rng rng = una_rng_at(t->run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD + trial);
    UNA_TRY(una_search_next(c->search, &c->history, point, &proposal, t->run));
    UNA_TRY(values_at(value, point, c->options, &t->keep));
    UNA_TRY(una_option_search_add(index, &t->option_search, c->model, value, t->run));
    for (size_t i = 0; i < PATIENCE && t->option_search.specs.count == planned; i++) {
        una_option_space_draw(value, c->options, &rng, &t->keep);
        UNA_TRY(una_arena_check(&t->keep));
        UNA_TRY(una_option_search_add(index, &t->option_search, c->model, value, t->run));
    }

    point_of(point, value, c->options);
    c->value[trial] = NAN;
    c->state[trial] = UNA_TRIAL_OPEN;
    c->history.count++;
    return UNA_OK;
}

/* Makes the new specs from `first` on, and tells the Bayesian search the results of all proposals, index [count]. */
static una_status try_batch(bayes_search *c, tuning *t, size_t first, const size_t *index, size_t count)
{
    double all = (double)(t->asked.trials * t->option_search.model_count),
        before = (double)(t->asked.trials * c->model);
    double done = before + (double)(c->history.count - count);
    una_span span = una_progress_part(t->run, done / all, (done + (double)count) / all);
    una_status status = una_option_search_fit_rows(&t->option_search, first, t->option_search.specs.count, t->run);
    una_progress_back(t->run, span);
    for (size_t i = 0; status == UNA_OK && i < count; i++) {
        size_t trial = c->history.count - count + i;
        c->value[trial] = una_option_search_objective(&t->option_search, index[i]);
        c->state[trial] = isfinite(c->value[trial]) ? UNA_TRIAL_TOLD : UNA_TRIAL_FAILED;
        if (c->state[trial] == UNA_TRIAL_FAILED) c->value[trial] = NAN;
    }
    return status;
}

static una_status search_on(bayes_search *c, tuning *t)
{
    UNA_NEW(&t->keep, const char *, value, c->options->count);
    while (c->history.count < t->asked.trials) {
        size_t count = 0, index[BATCH], first = t->option_search.specs.count;
        for (; count < BATCH && c->history.count < t->asked.trials; count++)
            UNA_TRY(tune_propose(&index[count], c, t, value));
        UNA_TRY(try_batch(c, t, first, index, count));
    }
    return UNA_OK;
}

static una_status search_bayes(tuning *t, size_t model)
{
    bayes_search c = { .model = model, .options = &t->option_search.spaces[model] };
    una_status status = set_out(&c, t);
    if (status == UNA_OK) status = search_on(&c, t);
    una_search_free(c.search);
    return status;
}

/* Grids and draws of all models are made together; each Bayesian search goes on by itself. */
static una_status search_all(tuning *t)
{
    una_option_search *search = &t->option_search;
    bool grid = strcmp(t->asked.search, "grid") == 0, bayes = strcmp(t->asked.search, "bayes") == 0;
    for (int later = 0; later < 2; later++) {
        for (size_t m = 0; m < search->model_count; m++) {
            uint64_t all = una_option_space_combinations(&search->spaces[m]);
            bool whole = grid || (all > 0 && all <= t->asked.trials);    /* nothing to choose: all of them */
            una_rng rng = una_rng_at(t->run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD - 1 - m);
            if ((bayes && !whole) != (later == 1)) continue;
            if (whole) UNA_TRY(una_option_search_add_grid(search, m, t->run));
            else if (bayes) UNA_TRY(search_bayes(t, m));
            else UNA_TRY(una_option_search_add_random(search, m, t->asked.trials, &rng, t->run));
        }
        if (later == 0 && search->specs.count > 0)
            UNA_TRY(una_option_search_fit_rows(search, 0, search->specs.count, t->run));
    }
    return UNA_OK;
}

/* ---- what came out ------------------------------------------------------------------------------------------- */

typedef struct columns {                 /* of una_tuned, to be written                                             */
    const char **spec;
    double      *log_lik, *rmse, *seconds, *log_lik_sd, *rmse_sd, *mean_cos2, *rank, *table_log_lik, *table_rmse;
    size_t      *model;
} columns;

static una_status get_columns(columns *c, tuning *t)
{
    size_t count = t->option_search.specs.count, tables = t->option_search.setup.count;
    double **each[] = { &c->log_lik, &c->rmse, &c->seconds, &c->log_lik_sd, &c->rmse_sd, &c->mean_cos2, &c->rank };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) *each[i] = UNA_GET(&t->keep, double, count);
    UNA_NEW_AT(&t->keep, c->spec, count);
    UNA_NEW_AT(&t->keep, c->model, count);
    UNA_NEW_AT(&t->keep, c->table_log_lik, count * tables);
    UNA_NEW_AT(&t->keep, c->table_rmse, count * tables);
    t->tuned = (una_tuned){ .count = count, .spec = c->spec, .log_lik = c->log_lik, .rmse = c->rmse,
        .seconds = c->seconds, .made = t->option_search.made, .log_lik_sd = c->log_lik_sd, .rmse_sd = c->rmse_sd,
        .mean_cos2 = c->mean_cos2, .rank = c->rank, .model = c->model, .trained = t->option_search.trained,
        .rows = una_option_search_row_count(&t->option_search), .splits = t->option_search.splits,
        .seeds = t->option_search.seeds, .table_count = tables,
        .table_log_lik = c->table_log_lik, .table_rmse = c->table_rmse, .model_count = t->option_search.model_count };
    return UNA_OK;
}

static void put_spec(columns *c, size_t at, const una_scored_spec *one, size_t tables)
{
    c->spec[at] = one->spec;
    c->model[at] = one->model;
    c->log_lik[at] = one->log_lik;
    c->log_lik_sd[at] = one->log_lik_sd;
    c->rmse[at] = one->rmse;
    c->rmse_sd[at] = one->rmse_sd;
    c->mean_cos2[at] = one->mean_cos2;
    c->seconds[at] = one->seconds;
    c->rank[at] = one->rank;
    for (size_t d = 0; d < tables; d++) {
        c->table_log_lik[at * tables + d] = one->per_table[d].log_lik;
        c->table_rmse[at * tables + d] = one->per_table[d].rmse;
    }
}

/* Names of the tables, without their sums. */
static una_status name_tables(tuning *t)
{
    UNA_NEW(&t->keep, const char *, name, t->option_search.setup.count);
    for (size_t d = 0; d < t->option_search.setup.count; d++) {
        const char *whole = t->option_search.setup.names[d];
        una_text text = una_text_in(&t->keep);
        una_text_add(&text, "%.*s", (int)una_row_key_data(whole), whole);
        name[d] = text.at;
    }
    t->tuned.table = name;
    return una_arena_check(&t->keep);
}

/* Models one after the other, in each the best first. */
static una_status tune_gather(tuning *t)
{
    una_option_search *search = &t->option_search;
    columns c;
    UNA_TRY(get_columns(&c, t));
    size_t tables = search->setup.count, *order = UNA_GET(&t->keep, size_t, search->specs.count);
    UNA_NEW(&t->keep, size_t, place, search->specs.count);
    UNA_NEW(&t->keep, size_t, best, search->model_count);
    UNA_NEW(&t->keep, size_t, best_in, search->model_count * tables);
    for (size_t m = 0, at = 0, count; m < search->model_count; m++) {
        UNA_TRY(una_option_search_order(order, &count, search, m, t->run));
        best[m] = count > 0 && !isnan(search->specs_scored[order[0]].rank) ? at : SIZE_MAX;
        for (size_t i = 0; i < count; i++, at++) {
            put_spec(&c, at, &search->specs_scored[order[i]], tables);
            place[order[i]] = at;
        }
        for (size_t d = 0; d < tables; d++) {
            size_t *in = &best_in[m * tables + d];
            UNA_TRY(una_option_search_best_in(in, search, m, d, t->run));
            if (*in != SIZE_MAX) *in = place[*in];
        }
    }
    t->tuned.best = best;
    t->tuned.best_in = best_in;
    return name_tables(t);
}

static una_status tune_write_table(tuning *t)
{
    if (!t->table) return UNA_OK;
    return una_store_export(t->option_search.store, "tune", una_evaluation_measures, UNA_EVALUATION_COUNT, t->table,
                            NULL, t->run);
}

/* Finished rows are written out also after a failure; the first failure is reported. */
static una_status tune_stopped(tuning *t, una_status status)
{
    char why[sizeof t->run->message];
    if (!t->table) return status;
    memcpy(why, t->run->message, sizeof why);
    una_status written = tune_write_table(t);
    if (status == UNA_CANCELLED && written == UNA_OK)
        UNA_FAIL(t->run, status, "interrupted; what was fitted is in %s, and the same call goes on from there",
                 t->table);
    memcpy(t->run->message, why, sizeof why);
    return status;
}

static una_status tune_perform(tuning *t, const una_dataset *data, const una_tune_settings *settings)
{
    una_status status = tune_take_request(t, data, settings);
    if (status == UNA_OK) status = open_store(t);
    UNA_TRY(una_sweep_agree(status, t->option_search.ranks, t->run));
    UNA_TRY(una_sweep_share(t->option_search.store, t->option_search.name, t->option_search.ranks, t->run));
    status = search_all(t);
    if (status != UNA_OK) return tune_stopped(t, status);
    status = tune_gather(t);
    if (status == UNA_OK) status = tune_write_table(t);
    return una_sweep_agree(status, t->option_search.ranks, t->run);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

una_status una_tune_by(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings,
                       una_make_row *make, void *context, una_run *run)
{
    tuning *t = una_allocate(run, sizeof *t);
    *tuned = NULL;
    if (!t) return una_ranks_agree(una_fail(run, UNA_E_MEMORY, "there is no memory for a search"), run);
    memset(t, 0, sizeof *t);
    una_arena_init(&t->keep, run);
    t->run = run;
    t->option_search.keep = &t->keep;
    t->option_search.make = make;
    t->option_search.context = context;
    t->option_search.ranks = una_ranks_hide(run);

    una_status status = tune_perform(t, data, settings);
    una_ranks_show(run, t->option_search.ranks);
    una_store_close(t->option_search.store);
    t->option_search.store = NULL;
    una_option_search_end(&t->option_search, run);
    if (status == UNA_OK) *tuned = &t->tuned;
    else una_tuned_free(&t->tuned);
    return status;
}

una_status una_tune(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings, una_run *run)
{
    *tuned = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    return una_tune_by(tuned, data, settings, NULL, NULL, run);
}

void una_tuned_free(una_tuned *tuned)
{
    if (!tuned) return;
    tuning *t = (tuning *)tuned;
    una_run *run = t->run;
    una_arena_free(&t->keep);
    una_release(run, t);
}
