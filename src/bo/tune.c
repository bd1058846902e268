/* SPDX-License-Identifier: MIT
 *
 * Which options of a model are best. What is a search, how rows are judged and what the rules choose is sweep/hunt.h's;
 * here stand the public call and the Bayesian search, which goes on from what the fits so far have given.
 */
#include "bo/tune.h"

#include "base/ranks.h"
#include "bo/search.h"
#include "model/above.h"
#include "sweep/folder.h"
#include "sweep/hunt.h"
#include "sweep/rows.h"

#include <stdlib.h>
#include <string.h>
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
    una_hunt           hunt;
    const char        *table;            /* path of the CSV file; NULL: nothing is kept                              */
} tuning;

/* ---- what was asked for -------------------------------------------------------------------------------------- */

una_status una_tune_model(const char **model, const char *given, const char *const *set, size_t set_count,
                          una_arena *arena, una_run *run)
{
    una_spec spec;
    una_text text = una_text_in(arena);
    UNA_TRY(una_spec_parse(&spec, given, arena, run));
    una_spec *more = UNA_GET(arena, una_spec, set_count);
    UNA_TRY(una_arena_check(arena));
    size_t count = spec.count;
    for (size_t i = 0; i < set_count; i++) {
        UNA_TRY(una_spec_parse_items(&more[i], set[i], arena, run));
        count += more[i].count;
    }

    una_spec_item *all = UNA_GET(arena, una_spec_item, count);
    UNA_TRY(una_arena_check(arena));
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
    const una_fit_settings *fit = &t->hunt.judge.fit;
    size_t count = a->model_count ? a->model_count : 1;
    const char **model = UNA_GET(&t->keep, const char *, count);
    una_over *over = UNA_GET(&t->keep, una_over, count);
    UNA_TRY(una_arena_check(&t->keep));
    if (a->model && a->model_count)
        UNA_FAIL(t->run, UNA_E_USAGE, "one model was given and a list of models; give the one or the other");
    for (size_t m = 0; m < count; m++) {
        const char *given = a->model_count ? a->models[m] : a->model;
        UNA_TRY(una_tune_model(&model[m], given ? given : fit->preset ? "luna" : "auto", fit->set, fit->set_count,
                               &t->keep, t->run));
        for (size_t k = 0; k < m; k++)
            if (strcmp(model[k], model[m]) == 0)
                UNA_FAIL(t->run, UNA_E_USAGE, "the model %.200s was given twice; name each once", model[m]);
    }
    t->hunt.judge.fit.set = NULL;
    t->hunt.judge.fit.set_count = 0;
    t->hunt.overs = over;
    t->hunt.model_count = count;
    return una_over_parse_models(over, a->over, model, count, &t->keep, t->run);
}

static una_status take_tables(tuning *t, const una_dataset *data)
{
    size_t count = 1 + t->asked.more_count;
    const una_dataset **tables = UNA_GET(&t->keep, const una_dataset *, count);
    UNA_TRY(una_arena_check(&t->keep));
    tables[0] = data;
    for (size_t i = 1; i < count; i++) tables[i] = t->asked.more[i - 1];
    t->hunt.judge.tables = tables;
    t->hunt.judge.count = count;
    return UNA_OK;
}

static una_status take_asked(tuning *t, const una_dataset *data, const una_tune_settings *given)
{
    static const char *const searches[] = { "grid", "random", "bayes" };
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    una_run *run = t->run;
    una_hunt *h = &t->hunt;
    UNA_TRY(UNA_TAKE(&t->asked, given, una_tune_settings, run));
    UNA_TRY(UNA_TAKE(&h->judge.fit, t->asked.fit.size ? &t->asked.fit : &plain, una_fit_settings, run));
    UNA_TRY(una_fit_settings_check(&h->judge.fit, run));
    UNA_TRY(una_texts_check(t->asked.models, t->asked.model_count, "models", run));
    h->judge.fit.size = sizeof h->judge.fit;
    if (!t->asked.over) UNA_FAIL(run, UNA_E_USAGE, "no options to search over were given");
    if (!t->asked.search) t->asked.search = "grid";
    if (t->asked.trials == 0) t->asked.trials = TRIALS;

    size_t known = 0;
    while (known < 3 && strcmp(searches[known], t->asked.search) != 0) known++;
    if (known == 3)
        UNA_FAIL(run, UNA_E_USAGE, "there is no search '%.40s'; the searches are grid, random and bayes",
                 t->asked.search);
    h->name = "tune";
    h->splits = t->asked.splits;
    h->seeds = t->asked.seeds;
    h->rule = t->asked.select ? t->asked.select : "log_lik";
    h->refit = t->asked.refit != 0;
    h->shelve = known == 2;                              /* what comes next is not known yet */
    UNA_TRY(take_tables(t, data));
    UNA_TRY(take_models(t));
    UNA_TRY(una_hunt_begin(h, run));
    return known == 0 ? una_hunt_check_grid(h, run) : una_hunt_check_trials(h, t->asked.trials, run);
}

/* ---- the folder ---------------------------------------------------------------------------------------------- */

static const char *path_in(tuning *t, const char *name)
{
    una_text path = una_text_in(&t->keep);
    una_text_add(&path, "%s/%s", t->asked.out, name);
    return path.at;
}

static una_status open_store(tuning *t)
{
    const char *out = t->asked.out;
    if (!out || !una_sweep_writes(t->hunt.ranks)) return una_sweep_store(&t->hunt.store, NULL, t->hunt.ranks, t->run);
    const char *path = path_in(t, "tune.sqlite"), *bench = path_in(t, "bench.sqlite");
    t->table = path_in(t, "tune.csv");
    UNA_TRY(una_arena_check(&t->keep));
    UNA_TRY(una_folder_make(out, t->run));
    if (access(bench, F_OK) == 0 && access(path, F_OK) != 0)     /* a search that was there first goes on */
        UNA_FAIL(t->run, UNA_E_INPUT, "%s holds results of experiments (bench.sqlite); a search has a folder of its "
                 "own: choose another one", out);
    UNA_TRY(una_rows_check(path, t->run));
    UNA_TRY(una_rows_check(t->table, t->run));
    UNA_TRY(una_store_open(&t->hunt.store, path, t->run));
    return una_hunt_check_store(&t->hunt, out, t->run);
}

/* ---- the Bayesian search ------------------------------------------------------------------------------------- */

typedef struct chase {                   /* of one model's options                                                  */
    size_t           model;
    const una_over  *over;
    una_space       *space;
    una_search      *search;
    una_history      history;
    double          *point, *value;
    una_trial_state *state;
} chase;

static void add_number(una_text *json, const char *name, double value)
{
    una_text_add(json, ", \"%s\": ", name);
    una_text_number(json, value);
}

/* Values in order are whole numbers from 0 on, so that the search knows what lies between what; others are words. */
static void add_dimension(una_text *json, const una_over_axis *axis)
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
        add_number(json, "low", axis->low);
        add_number(json, "high", axis->high);
        una_text_add(json, ", \"log\": %s}", axis->log ? "true" : "false");
    }
}

static una_status set_out(chase *c, tuning *t)
{
    size_t axes = c->over->count, trials = t->asked.trials, first = 2 * axes + 2;
    una_text json = una_text_in(&t->keep);
    una_search_settings settings = { .maximize = true, .seed = t->run->settings.seed };
    for (size_t a = 0; a < axes; a++) {
        una_text_add(&json, a ? ", " : "{");
        add_dimension(&json, &c->over->axis[a]);
    }
    una_text_add(&json, "}");
    c->point = UNA_GET(&t->keep, double, trials * axes);
    c->value = UNA_GET(&t->keep, double, trials);
    c->state = UNA_GET(&t->keep, una_trial_state, trials);
    UNA_TRY(una_arena_check(&t->keep));
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

static una_status values_at(const char **value, const double *point, const una_over *over, una_arena *keep)
{
    for (size_t a = 0; a < over->count; a++) {
        const una_over_axis *axis = &over->axis[a];
        value[a] = axis->value ? axis->value[(size_t)point[a]] : una_over_axis_text(axis, point[a], keep);
    }
    return una_arena_check(keep);
}

/* A number is what its text says. */
static void point_of(double *point, const char *const *value, const una_over *over)
{
    for (size_t a = 0; a < over->count; a++) {
        const una_over_axis *axis = &over->axis[a];
        if (!axis->value) una_parse_number(value[a], strlen(value[a]), &point[a]);
        for (size_t i = 0; i < axis->count; i++)
            if (strcmp(axis->value[i], value[a]) == 0) point[a] = (double)i;
    }
}

/* The next point becomes open, and its spec, *index, one of the hunt's. What was tried would teach nothing if it were
 * tried again, whatever the search thinks of noise: a draw takes its place. */
static una_status propose(size_t *index, chase *c, tuning *t, const char **value)
{
    size_t trial = c->history.count, planned = t->hunt.specs.count;
    double *point = c->point + trial * c->over->count;
    una_proposal proposal;
    una_rng rng = una_rng_at(t->run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD + trial);
    UNA_TRY(una_search_next(c->search, &c->history, point, &proposal, t->run));
    UNA_TRY(values_at(value, point, c->over, &t->keep));
    UNA_TRY(una_hunt_add(index, &t->hunt, c->model, value, t->run));
    for (size_t i = 0; i < PATIENCE && t->hunt.specs.count == planned; i++) {
        una_over_draw(value, c->over, &rng, &t->keep);
        UNA_TRY(una_arena_check(&t->keep));
        UNA_TRY(una_hunt_add(index, &t->hunt, c->model, value, t->run));
    }

    point_of(point, value, c->over);
    c->value[trial] = NAN;
    c->state[trial] = UNA_TRIAL_OPEN;
    c->history.count++;
    return UNA_OK;
}

/* Makes the new specs from `first` on, and tells the search of all that were proposed, index [count]. */
static una_status try_batch(chase *c, tuning *t, size_t first, const size_t *index, size_t count)
{
    double all = (double)(t->asked.trials * t->hunt.model_count), before = (double)(t->asked.trials * c->model);
    double done = before + (double)(c->history.count - count);
    una_span span = una_progress_part(t->run, done / all, (done + (double)count) / all);
    una_status status = una_hunt_make(&t->hunt, first, t->hunt.specs.count, t->run);
    una_progress_back(t->run, span);
    for (size_t i = 0; status == UNA_OK && i < count; i++) {
        size_t trial = c->history.count - count + i;
        c->value[trial] = una_hunt_worth(&t->hunt, index[i]);
        c->state[trial] = isfinite(c->value[trial]) ? UNA_TRIAL_TOLD : UNA_TRIAL_FAILED;
        if (c->state[trial] == UNA_TRIAL_FAILED) c->value[trial] = NAN;
    }
    return status;
}

static una_status search_on(chase *c, tuning *t)
{
    const char **value = UNA_GET(&t->keep, const char *, c->over->count);
    UNA_TRY(una_arena_check(&t->keep));
    while (c->history.count < t->asked.trials) {
        size_t count = 0, index[BATCH], first = t->hunt.specs.count;
        for (; count < BATCH && c->history.count < t->asked.trials; count++)
            UNA_TRY(propose(&index[count], c, t, value));
        UNA_TRY(try_batch(c, t, first, index, count));
    }
    return UNA_OK;
}

static una_status search_bayes(tuning *t, size_t model)
{
    chase c = { .model = model, .over = &t->hunt.overs[model] };
    una_status status = set_out(&c, t);
    if (status == UNA_OK) status = search_on(&c, t);
    una_search_free(c.search);
    return status;
}

/* Grids and draws of all models are made together; each Bayesian search goes on by itself. */
static una_status search_all(tuning *t)
{
    una_hunt *h = &t->hunt;
    bool grid = strcmp(t->asked.search, "grid") == 0, bayes = strcmp(t->asked.search, "bayes") == 0;
    for (int later = 0; later < 2; later++) {
        for (size_t m = 0; m < h->model_count; m++) {
            uint64_t all = una_over_combinations(&h->overs[m]);
            bool whole = grid || (all > 0 && all <= t->asked.trials);    /* nothing to choose: all of them */
            una_rng rng = una_rng_at(t->run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD - 1 - m);
            if ((bayes && !whole) != (later == 1)) continue;
            UNA_TRY(whole ? una_hunt_grid(h, m, t->run) : bayes ? search_bayes(t, m)
                          : una_hunt_draw(h, m, t->asked.trials, &rng, t->run));
        }
        if (later == 0 && h->specs.count > 0) UNA_TRY(una_hunt_make(h, 0, h->specs.count, t->run));
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
    size_t count = t->hunt.specs.count, tables = t->hunt.judge.count;
    double **each[] = { &c->log_lik, &c->rmse, &c->seconds, &c->log_lik_sd, &c->rmse_sd, &c->mean_cos2, &c->rank };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) *each[i] = UNA_GET(&t->keep, double, count);
    c->spec = UNA_GET(&t->keep, const char *, count);
    c->model = UNA_GET(&t->keep, size_t, count);
    c->table_log_lik = UNA_GET(&t->keep, double, count * tables);
    c->table_rmse = UNA_GET(&t->keep, double, count * tables);
    UNA_TRY(una_arena_check(&t->keep));
    t->tuned = (una_tuned){ .count = count, .spec = c->spec, .log_lik = c->log_lik, .rmse = c->rmse,
        .seconds = c->seconds, .made = t->hunt.made, .log_lik_sd = c->log_lik_sd, .rmse_sd = c->rmse_sd,
        .mean_cos2 = c->mean_cos2, .rank = c->rank, .model = c->model, .trained = t->hunt.trained,
        .rows = una_hunt_rows(&t->hunt), .splits = t->hunt.splits, .seeds = t->hunt.seeds, .table_count = tables,
        .table_log_lik = c->table_log_lik, .table_rmse = c->table_rmse, .model_count = t->hunt.model_count };
    return UNA_OK;
}

static void put_spec(columns *c, size_t at, const una_tried *one, size_t tables)
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
        c->table_log_lik[at * tables + d] = one->in[d].log_lik;
        c->table_rmse[at * tables + d] = one->in[d].rmse;
    }
}

/* Names of the tables, without their sums. */
static una_status name_tables(tuning *t)
{
    const char **name = UNA_GET(&t->keep, const char *, t->hunt.judge.count);
    UNA_TRY(una_arena_check(&t->keep));
    for (size_t d = 0; d < t->hunt.judge.count; d++) {
        const char *whole = t->hunt.judge.names[d];
        una_text text = una_text_in(&t->keep);
        una_text_add(&text, "%.*s", (int)una_row_key_data(whole), whole);
        name[d] = text.at;
    }
    t->tuned.table = name;
    return una_arena_check(&t->keep);
}

/* Models one after the other, in each the best first. */
static una_status gather(tuning *t)
{
    una_hunt *h = &t->hunt;
    columns c;
    UNA_TRY(get_columns(&c, t));
    size_t tables = h->judge.count, *order = UNA_GET(&t->keep, size_t, h->specs.count);
    size_t *place = UNA_GET(&t->keep, size_t, h->specs.count), *best = UNA_GET(&t->keep, size_t, h->model_count);
    size_t *best_in = UNA_GET(&t->keep, size_t, h->model_count * tables);
    UNA_TRY(una_arena_check(&t->keep));
    for (size_t m = 0, at = 0, count; m < h->model_count; m++) {
        UNA_TRY(una_hunt_order(order, &count, h, m, t->run));
        best[m] = count > 0 && !isnan(h->at[order[0]].rank) ? at : SIZE_MAX;
        for (size_t i = 0; i < count; i++, at++) {
            put_spec(&c, at, &h->at[order[i]], tables);
            place[order[i]] = at;
        }
        for (size_t d = 0; d < tables; d++) {
            size_t *in = &best_in[m * tables + d];
            UNA_TRY(una_hunt_best_in(in, h, m, d, t->run));
            if (*in != SIZE_MAX) *in = place[*in];
        }
    }
    t->tuned.best = best;
    t->tuned.best_in = best_in;
    return name_tables(t);
}

static una_status write_table(tuning *t)
{
    if (!t->table) return UNA_OK;
    return una_rows_export(t->hunt.store, "tune", una_judged, UNA_JUDGED_COUNT, t->table, NULL, t->run);
}

/* What was finished is written out also where the rest was not; the first failure is the one that is told. */
static una_status stopped(tuning *t, una_status status)
{
    char why[sizeof t->run->message];
    if (!t->table) return status;
    memcpy(why, t->run->message, sizeof why);
    una_status written = write_table(t);
    if (status == UNA_CANCELLED && written == UNA_OK)
        UNA_FAIL(t->run, status, "interrupted; what was fitted is in %s, and the same call goes on from there",
                 t->table);
    memcpy(t->run->message, why, sizeof why);
    return status;
}

static una_status perform(tuning *t, const una_dataset *data, const una_tune_settings *settings)
{
    una_status status = take_asked(t, data, settings);
    if (status == UNA_OK) status = open_store(t);
    UNA_TRY(una_sweep_agree(status, t->hunt.ranks, t->run));
    UNA_TRY(una_sweep_share(t->hunt.store, t->hunt.name, t->hunt.ranks, t->run));
    status = search_all(t);
    if (status != UNA_OK) return stopped(t, status);
    status = gather(t);
    if (status == UNA_OK) status = write_table(t);
    return una_sweep_agree(status, t->hunt.ranks, t->run);
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
    t->hunt.keep = &t->keep;
    t->hunt.make = make;
    t->hunt.context = context;
    t->hunt.ranks = una_ranks_hide(run);

    una_status status = perform(t, data, settings);
    una_ranks_show(run, t->hunt.ranks);
    una_store_close(t->hunt.store);
    t->hunt.store = NULL;
    una_hunt_end(&t->hunt, run);
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
