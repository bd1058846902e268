/* SPDX-License-Identifier: MIT
 *
 * Which options of a model are best: the public call and the Bayesian search, which goes on from the fits so far. The
 * search itself, evaluations and rules are in select/option_search.h.
 */
#include "select/tune.h"

#include "base/ranks.h"
#include "bo/search.h"
#include "draw/number.h"
#include "model/above.h"
#include "select/option_search.h"

#include <unistd.h>

/* BATCH specs are under way at once in the Bayesian search, on any number of threads: what is proposed next must not
 * depend on how many there are. Fits share what threads are left between them. */
enum { BATCH = 2, TRIALS = 20 };
static const uint64_t DRAWN_INSTEAD = 5ull << 40;        /* streams of UNA_FOR_SEARCH that the search does not use */

typedef struct tuning {
    una_tuned          tuned;            /* first, so that a pointer to it is one to all                             */
    una_tune_settings  asked;
    una_option_search  search;
} tuning;

/* ---- what was asked for -------------------------------------------------------------------------------------- */

/* The later one of an option wins, in the place of the first. */
una_status una_tune_model(const char **model, const char *given, const char *const *set, size_t set_count,
                          una_arena *arena, una_run *run)
{
    una_spec spec;
    una_text text = una_text_in(arena);
    UNA_TRY(una_spec_parse(&spec, given, arena, run));
    for (size_t i = 0; i < set_count; i++) {
        una_spec more;
        UNA_TRY(una_spec_parse_items(&more, set[i], arena, run));
        UNA_NEW(arena, una_spec_item, all, spec.count + more.count);
        if (spec.count) memcpy(all, spec.items, spec.count * sizeof *all);
        spec.items = all;
        for (size_t k = 0, at; k < more.count; k++) {
            for (at = 0; at < spec.count && strcmp(all[at].key, more.items[k].key) != 0;) at++;
            all[at] = more.items[k];
            spec.count += at == spec.count;
        }
    }
    una_text_add(&text, "%s", spec.name);
    for (size_t i = 0; i < spec.count; i++) una_spec_add(&text, spec.items[i].key, spec.items[i].value);
    una_spec_close(&text);
    *model = text.at;
    return una_arena_check(arena);
}

static una_status take_models(tuning *t)
{
    const una_tune_settings *a = &t->asked;
    una_option_search *search = &t->search;
    una_fit_settings *fit = &search->setup.fit;
    una_arena *keep = search->kept.keep;
    una_run *run = search->kept.run;
    size_t count = a->model_count ? a->model_count : 1;
    UNA_NEW(keep, const char *, model, count);
    UNA_NEW(keep, una_option_space, space, count);
    if (a->model && a->model_count)
        UNA_FAIL(run, UNA_E_USAGE, "one model was given and a list of models; give the one or the other");
    for (size_t m = 0; m < count; m++) {
        const char *given = a->model_count ? a->models[m] : a->model, *usual = fit->preset ? "luna" : "auto";
        UNA_TRY(una_tune_model(&model[m], given ? given : usual, fit->set, fit->set_count, keep, run));
        for (size_t k = 0; k < m; k++)
            if (strcmp(model[k], model[m]) == 0)
                UNA_FAIL(run, UNA_E_USAGE, "the model %.200s was given twice; name each once", model[m]);
    }
    fit->set = NULL;
    fit->set_count = 0;
    search->spaces = space;
    search->model_count = count;
    return una_option_space_parse(space, a->over, model, count, keep, run);
}

static una_status take_tables(tuning *t, const una_dataset *data)
{
    una_evaluation_setup *setup = &t->search.setup;
    setup->count = 1 + t->asked.more_count;
    UNA_NEW(t->search.kept.keep, const una_dataset *, tables, setup->count);
    tables[0] = data;
    for (size_t i = 1; i < setup->count; i++) tables[i] = t->asked.more[i - 1];
    setup->tables = tables;
    return UNA_OK;
}

static una_status tune_take_request(tuning *t, const una_dataset *data, const una_tune_settings *given)
{
    una_option_search *search = &t->search;
    una_tune_settings *asked = &t->asked;
    una_run *run = search->kept.run;
    UNA_TRY(UNA_TAKE(asked, given, una_tune_settings, run));
    UNA_TRY(una_kept_take_fit(&search->setup.fit, &asked->fit, asked->models, asked->model_count, run));
    if (!asked->over) UNA_FAIL(run, UNA_E_USAGE, "no options to search over were given");
    if (!asked->search) asked->search = "grid";
    if (asked->trials == 0) asked->trials = TRIALS;
    int known = una_choice("grid|random|bayes", asked->search);
    if (known < 0)
        UNA_FAIL(run, UNA_E_USAGE, "there is no search '%.40s'; the searches are grid, random and bayes",
                 asked->search);
    search->splits = asked->splits;
    search->seeds = asked->seeds;
    search->rule = asked->select ? asked->select : "log_lik";
    search->refit = asked->refit != 0;
    search->keep_trained = known == 2;                   /* what comes next is not known yet */
    UNA_TRY(take_tables(t, data));
    UNA_TRY(take_models(t));
    return una_option_search_begin(search, known == 0 ? 0 : asked->trials);
}

/* A search that began before goes on. */
static una_status open_store(tuning *t)
{
    una_kept_rows *kept = &t->search.kept;
    const char *out = t->asked.out;
    if (out && una_sweep_writes(kept->ranks)) {
        const char *bench = una_phrase(kept->keep, "%s/bench.sqlite", out);
        const char *own = una_phrase(kept->keep, "%s/tune.sqlite", out);
        UNA_TRY(una_arena_check(kept->keep));
        if (access(bench, F_OK) == 0 && access(own, F_OK) != 0)
            UNA_FAIL(kept->run, UNA_E_INPUT, "%s holds results of experiments (bench.sqlite); a search has a folder of "
                     "its own: choose another one", out);
    }
    UNA_TRY(una_kept_open(kept, out));
    return kept->table ? una_option_search_check_store(&t->search, out) : UNA_OK;
}

/* ---- the Bayesian search ------------------------------------------------------------------------------------- */

typedef struct bayes_search {            /* of one model's options                                                  */
    size_t           model;
    const una_option_space *options;
    una_space        space;
    una_search      *search;
    una_history      history;
    double          *point, *value;
    una_trial_state *state;
} bayes_search;

/* Values in order are whole numbers from 0 on, so that the search knows what lies between what; others are words. */
static una_dimension dimension_of(const una_option_axis *axis)
{
    una_dimension d = { .name = axis->key };
    if (!axis->value) {
        d = (una_dimension){ axis->key, axis->whole ? UNA_DIMENSION_INTEGER : UNA_DIMENSION_REAL, axis->low + 0.0,
                             axis->high + 0.0, axis->log, NULL, 0, 0, 0 };
    } else if (axis->count == 1) {
        d.type = UNA_DIMENSION_FIXED;
    } else if (axis->rising) {
        d.type = UNA_DIMENSION_INTEGER;
        d.high = (double)(axis->count - 1);
    } else {
        d.type = UNA_DIMENSION_CATEGORY;
        d.levels = axis->value;
        d.level_count = axis->count;
    }
    return d;
}

static una_status begin_bayes(bayes_search *c, tuning *t)
{
    una_arena *keep = t->search.kept.keep;
    una_run *run = t->search.kept.run;
    size_t axes = c->options->count, trials = t->asked.trials, first = 2 * axes + 2;
    una_search_settings settings = { .space = &c->space, .acquisition = "log_ei", .maximize = true,
                                     .seed = run->settings.seed };
    UNA_NEW_AT(keep, c->space.dimension, axes);
    UNA_NEW_AT(keep, c->point, trials * axes);
    UNA_NEW_AT(keep, c->value, trials);
    UNA_NEW_AT(keep, c->state, trials);
    c->history = (una_history){ .point = c->point, .value = c->value, .state = c->state };
    for (size_t a = 0; a < axes; a++)
        UNA_TRY(una_space_add(&c->space, dimension_of(&c->options->axis[a]), "the options", run));
    settings.initial = first > trials / 2 && trials >= 2 ? trials / 2 : first;
    if (settings.initial == 0) settings.initial = 1;
    UNA_TRY(una_search_model(&settings.model, NULL, keep, run));
    return una_search_new(&c->search, &settings, run);
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
static una_status tune_propose(size_t *index, bayes_search *c, una_option_search *search, const char **value)
{
    size_t trial = c->history.count, planned = search->specs.count;
    double *point = c->point + trial * c->options->count;
    una_run *run = search->kept.run;
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD + trial);
    UNA_TRY(una_search_next(c->search, &c->history, point, NULL, run));
    UNA_TRY(values_at(value, point, c->options, search->kept.keep));
    UNA_TRY(una_option_search_add(index, search, c->model, value));
    if (search->specs.count == planned)
        UNA_TRY(una_option_search_add_random(index, search, c->model, 1, &rng, value));
    point_of(point, value, c->options);
    c->value[trial] = NAN;
    c->state[trial] = UNA_TRIAL_OPEN;
    c->history.count++;
    return UNA_OK;
}

/* Makes the new specs of a batch, and tells the Bayesian search the results of all its proposals. */
static una_status try_batch(bayes_search *c, tuning *t, const char **value)
{
    una_option_search *search = &t->search;
    size_t count = 0, index[BATCH], first = search->specs.count, trial = c->history.count;
    for (; count < BATCH && c->history.count < t->asked.trials; count++)
        UNA_TRY(tune_propose(&index[count], c, search, value));
    double all = (double)(t->asked.trials * search->model_count), before = (double)(t->asked.trials * c->model);
    double done = before + (double)trial;
    UNA_STAGE(search->kept.run, done / all, (done + (double)count) / all,
              una_option_search_fit_rows(search, first, search->specs.count));
    for (size_t i = 0; i < count; i++, trial++) {
        c->value[trial] = una_option_search_objective(search, index[i]);
        c->state[trial] = isfinite(c->value[trial]) ? UNA_TRIAL_TOLD : UNA_TRIAL_FAILED;
        if (c->state[trial] == UNA_TRIAL_FAILED) c->value[trial] = NAN;
    }
    return UNA_OK;
}

static una_status search_bayes(tuning *t, size_t model, const char **value)
{
    bayes_search c = { .model = model, .options = &t->search.spaces[model] };
    una_status status = begin_bayes(&c, t);
    while (status == UNA_OK && c.history.count < t->asked.trials) status = try_batch(&c, t, value);
    una_search_free(c.search);
    return status;
}

/* Grids and draws of all models are made together; each Bayesian search goes on by itself. */
static una_status search_all(tuning *t)
{
    una_option_search *search = &t->search;
    bool grid = strcmp(t->asked.search, "grid") == 0, bayes = strcmp(t->asked.search, "bayes") == 0;
    for (int later = 0; later < 2; later++) {
        for (size_t m = 0; m < search->model_count; m++) {
            uint64_t all = una_option_space_combinations(&search->spaces[m]);
            bool whole = grid || (all > 0 && all <= t->asked.trials);    /* nothing to choose: all of them */
            una_rng rng = una_rng_at(search->kept.run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD - 1 - m);
            if ((bayes && !whole) != (later == 1)) continue;
            UNA_NEW(search->kept.keep, const char *, value, search->spaces[m].count);
            if (whole) UNA_TRY(una_option_search_add_grid(search, m));
            else if (bayes) UNA_TRY(search_bayes(t, m, value));
            else UNA_TRY(una_option_search_add_random(NULL, search, m, t->asked.trials, &rng, value));
        }
        if (later == 0 && search->specs.count > 0)
            UNA_TRY(una_option_search_fit_rows(search, 0, search->specs.count));
    }
    return UNA_OK;
}

/* ---- what came out ------------------------------------------------------------------------------------------- */

/* Columns of una_tuned, and what stands in them of each spec. */
#define NUMBER(name) { offsetof(una_tuned, name), offsetof(una_scored_spec, name) }
static const struct { size_t column, number; } numbers[] = {
    NUMBER(log_lik), NUMBER(log_lik_sd), NUMBER(rmse), NUMBER(rmse_sd), NUMBER(mean_cos2), NUMBER(seconds), NUMBER(rank)
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* order [specs] */
static una_status fill_columns(tuning *t, const size_t *order)
{
    const una_scored_spec *from = t->search.specs_scored;
    una_arena *keep = t->search.kept.keep;
    size_t count = t->search.specs.count, tables = t->search.setup.count;
    UNA_NEW(keep, const char *, spec, count);
    UNA_NEW(keep, size_t, model, count);
    UNA_NEW(keep, double, log_lik, count * tables);
    UNA_NEW(keep, double, rmse, count * tables);
    for (size_t c = 0; c < NUMBERS; c++) {
        UNA_NEW(keep, double, column, count);
        for (size_t i = 0; i < count; i++)
            memcpy(&column[i], (const char *)&from[order[i]] + numbers[c].number, sizeof *column);
        memcpy((char *)&t->tuned + numbers[c].column, &column, sizeof column);
    }
    for (size_t i = 0; i < count; i++) {
        spec[i] = from[order[i]].spec;
        model[i] = from[order[i]].model;
        for (size_t d = 0; d < tables; d++) {
            log_lik[i * tables + d] = from[order[i]].per_table[d].log_lik;
            rmse[i * tables + d] = from[order[i]].per_table[d].rmse;
        }
    }
    t->tuned.spec = spec;
    t->tuned.model = model;
    t->tuned.table_log_lik = log_lik;
    t->tuned.table_rmse = rmse;
    return UNA_OK;
}

/* Names of the tables, without their sums. */
static una_status name_tables(tuning *t)
{
    const una_evaluation_setup *setup = &t->search.setup;
    UNA_NEW(t->search.kept.keep, const char *, name, setup->count);
    for (size_t d = 0; d < setup->count; d++)
        name[d] = una_phrase(t->search.kept.keep, "%.*s", (int)una_row_key_data(setup->names[d]), setup->names[d]);
    t->tuned.table = name;
    return una_arena_check(t->search.kept.keep);
}

/* Models one after the other, in each the best first. */
static una_status tune_gather(tuning *t)
{
    una_option_search *search = &t->search;
    una_arena *keep = search->kept.keep;
    una_run *run = search->kept.run;
    size_t tables = search->setup.count, specs = search->specs.count;
    UNA_NEW(keep, size_t, order, specs);
    UNA_NEW(keep, size_t, place, specs);
    UNA_NEW(keep, size_t, best, search->model_count);
    UNA_NEW(keep, size_t, best_in, search->model_count * tables);
    for (size_t m = 0, at = 0, count; m < search->model_count; m++) {
        size_t *in = &best_in[m * tables];
        UNA_SCOPED(run, una_option_search_order(order + at, &count, in, search, m));
        best[m] = count > 0 && !isnan(search->specs_scored[order[at]].rank) ? at : SIZE_MAX;
        for (size_t i = 0; i < count; i++, at++) place[order[at]] = at;
        for (size_t d = 0; d < tables; d++)
            if (in[d] != SIZE_MAX) in[d] = place[in[d]];
    }
    t->tuned = (una_tuned){ .count = specs, .made = search->made, .trained = search->trained, .best = best,
                            .best_in = best_in, .rows = una_option_search_row_count(search), .splits = search->splits,
                            .seeds = search->seeds, .table_count = tables, .model_count = search->model_count };
    UNA_TRY(fill_columns(t, order));
    return name_tables(t);
}

static una_status tune_perform(tuning *t, const una_dataset *data, const una_tune_settings *settings)
{
    const una_kept_rows *kept = &t->search.kept;
    una_status status = tune_take_request(t, data, settings);
    if (status == UNA_OK) status = open_store(t);
    UNA_TRY(una_sweep_agree(status, kept->ranks, kept->run));
    UNA_TRY(una_sweep_share(kept->store, kept->name, kept->ranks, kept->run));
    status = search_all(t);
    return status == UNA_OK ? una_kept_write(kept, tune_gather(t)) : una_kept_stopped(kept, status);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

una_status una_tune_by(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings,
                       una_make_row *make, void *context, una_run *run)
{
    una_arena *keep;
    tuning *t = una_result_new(&keep, sizeof *t, run);
    *tuned = NULL;
    if (!t) return una_ranks_agree(una_fail(run, UNA_E_MEMORY, "there is no memory for a search"), run);
    t->search.make = make;
    t->search.context = context;
    una_kept_begin(&t->search.kept, "tune", una_evaluation_measures, UNA_EVALUATION_COUNT, keep);
    una_status status = tune_perform(t, data, settings);
    una_kept_close(&t->search.kept);
    una_option_search_end(&t->search);
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
    una_result_free(tuned);
}
