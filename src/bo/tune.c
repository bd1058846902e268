/* SPDX-License-Identifier: MIT
 *
 * Which options of a model are best: every spec is fitted once, with the same seed and so the same held-out rows, and
 * judged by what it said of these. A grid and random draws are planned whole; the Bayesian search goes on from what the
 * fits so far have given. Rows are kept as those of experiments are, so a search that was stopped goes on.
 */
#include "bo/tune.h"

#include "bo/search.h"
#include "model/above.h"
#include "sweep/folder.h"
#include "sweep/over.h"
#include "sweep/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* BATCH fits are under way at once in the Bayesian search, on any number of threads: what is proposed next must not
 * depend on how many there are. Fits share what threads are left between them. */
enum { BATCH = 2, TRIALS = 20, PATIENCE = 200 };
static const uint64_t DRAWN_INSTEAD = 5ull << 40;        /* streams of UNA_FOR_SEARCH that the search does not use */

enum { LOG_LIK, RMSE, MEASURES };
static const char *const measures[MEASURES] = { [LOG_LIK] = "log_lik", [RMSE] = "rmse" };

typedef struct tuning {
    una_tuned          tuned;            /* first, so that a pointer to it is one to all                             */
    una_arena          keep;
    una_run           *run;
    const una_dataset *data;
    una_tune_settings  asked;
    una_fit_settings   fit;              /* without `set`, which is in the model's spec                              */
    const char        *model;
    una_over           over;
    una_plan           plan;
    una_store         *store;
    const char        *table;            /* path of the CSV file; NULL: nothing is kept                              */
    una_row_key        key;              /* all but the spec                                                         */
    una_make_row      *make;
    void              *context;
} tuning;

/* ---- one fit ------------------------------------------------------------------------------------------------- */

/* Where the fit held no rows out itself: those of the caller's, or a part of the table. */
static una_status score_apart(una_score *score, const tuning *t, const char *spec, una_run *run)
{
    una_split split = UNA_INIT(una_split);
    una_dataset *train = NULL, *test = NULL;
    una_model *model = NULL;
    una_fit_settings fit = t->fit;
    double share = fit.valid_fraction > 0 ? fit.valid_fraction : 0.2;
    fit.valid_fraction = 0;
    UNA_TRY(una_split_random(&split, una_dataset_row_count(t->data), share, run->settings.seed, run));
    una_status status = una_dataset_rows(&train, t->data, split.train, split.train_count, run);
    if (status == UNA_OK) status = una_dataset_rows(&test, t->data, split.test, split.test_count, run);
    if (status == UNA_OK) status = una_fit(&model, spec, train, &fit, run);
    if (status == UNA_OK) status = una_model_score(score, model, test, run);
    una_model_free(model);
    una_dataset_free(test);
    una_dataset_free(train);
    una_split_free(&split, run);
    return status;
}

static una_status judge(una_outcome *outcome, const tuning *t, const una_model *model, const char *spec, una_run *run)
{
    const una_fit_info *info = una_model_info(model);
    una_score score = { .size = sizeof score, .log_lik = info->valid_log_lik, .rmse = info->valid_rmse };
    outcome->options = una_arena_text(outcome->arena, info->spec);
    outcome->seconds = info->seconds;
    UNA_TRY(una_arena_check(outcome->arena));
    if (info->valid_rows == 0)
        UNA_TRY(t->fit.valid ? una_model_score(&score, model, t->fit.valid, run) : score_apart(&score, t, spec, run));
    outcome->value[LOG_LIK] = score.log_lik;
    outcome->value[RMSE] = score.rmse;
    return UNA_OK;
}

/* Options with which no number comes out are a finding, too: such a row has none. */
static una_status fit_row(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    const tuning *t = context;
    una_model *model = NULL;
    una_status status = una_fit(&model, key->spec, t->data, &t->fit, run);
    if (status == UNA_OK) status = judge(outcome, t, model, key->spec, run);
    una_model_free(model);
    if (status != UNA_E_NUMERIC) return status;
    una_log(run, UNA_LOG_WARNING, "%s gave no score: %s", key->spec, una_run_message(run));
    una_clear_message(run);
    outcome->value[LOG_LIK] = outcome->value[RMSE] = NAN;
    return UNA_OK;
}

/* ---- what was asked for -------------------------------------------------------------------------------------- */

/* The options that were set, inside of the spec: one text that names all. */
static una_status take_model(tuning *t)
{
    una_spec spec;
    una_text text = una_text_in(&t->keep);
    const char *given = t->asked.model ? t->asked.model : t->fit.preset ? "luna" : "auto";
    UNA_TRY(una_spec_parse(&spec, given, &t->keep, t->run));
    una_spec *set = UNA_GET(&t->keep, una_spec, t->fit.set_count);
    UNA_TRY(una_arena_check(&t->keep));
    size_t count = spec.count;
    for (size_t i = 0; i < t->fit.set_count; i++) {
        UNA_TRY(una_spec_parse_items(&set[i], t->fit.set[i], &t->keep, t->run));
        count += set[i].count;
    }

    una_spec_item *all = UNA_GET(&t->keep, una_spec_item, count);
    UNA_TRY(una_arena_check(&t->keep));
    if (spec.count) memcpy(all, spec.items, spec.count * sizeof *all);
    count = spec.count;
    for (size_t i = 0; i < t->fit.set_count; i++)
        for (size_t k = 0, at; k < set[i].count; k++) {
            for (at = 0; at < count && strcmp(all[at].key, set[i].items[k].key) != 0;) at++;
            all[at] = set[i].items[k];                   /* the later one wins */
            if (at == count) count++;
        }

    una_text_add(&text, "%s", spec.name);
    for (size_t i = 0; i < count; i++) {
        una_text_add(&text, "%s%s=", i ? ", " : "(", all[i].key);
        una_spec_value(&text, all[i].value);
    }
    if (count) una_text_add(&text, ")");
    t->model = text.at;
    t->fit.set = NULL;
    t->fit.set_count = 0;
    return una_arena_check(&t->keep);
}

static una_status take_asked(tuning *t, const una_tune_settings *given)
{
    static const char *const searches[] = { "grid", "random", "bayes" };
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    una_run *run = t->run;
    UNA_TRY(UNA_TAKE(&t->asked, given, una_tune_settings, run));
    UNA_TRY(UNA_TAKE(&t->fit, t->asked.fit.size ? &t->asked.fit : &plain, una_fit_settings, run));
    t->fit.size = sizeof t->fit;
    if (!t->asked.over) UNA_FAIL(run, UNA_E_USAGE, "no options to search over were given");
    if (!t->asked.search) t->asked.search = "grid";
    if (t->asked.trials == 0) t->asked.trials = TRIALS;

    size_t known = 0;
    while (known < 3 && strcmp(searches[known], t->asked.search) != 0) known++;
    if (known == 3)
        UNA_FAIL(run, UNA_E_USAGE, "there is no search '%.40s'; the searches are grid, random and bayes",
                 t->asked.search);
    if (t->asked.trials > UNA_MOST_FITS)
        UNA_FAIL(run, UNA_E_USAGE, "%zu trials are too many; the most is %d", t->asked.trials, UNA_MOST_FITS);
    if (run->settings.seed > (uint64_t)1 << 52)
        UNA_FAIL(run, UNA_E_USAGE, "seeds of a search go up to 2^52, so that every reader of its table can hold them");
    UNA_TRY(take_model(t));
    return una_over_parse(&t->over, t->asked.over, t->model, &t->keep, run);
}

/* ---- what names a fit ---------------------------------------------------------------------------------------- */

static uint32_t sum_text(uint32_t sum, const char *text)
{
    return text ? una_crc32(sum, text, strlen(text) + 1) : una_crc32(sum, "\1", 1);
}

/* Of names and cells: another table makes other keys. */
static uint32_t sum_table(uint32_t sum, const una_dataset *data)
{
    size_t rows = una_dataset_row_count(data);
    for (size_t c = 0; c < una_dataset_column_count(data); c++) {
        const double *number = una_dataset_numbers(data, c);
        const char *const *word = una_dataset_words(data, c);
        sum = sum_text(sum, una_dataset_column_name(data, c));
        if (number) sum = una_crc32(sum, number, rows * sizeof *number);
        for (size_t i = 0; !number && i < rows; i++) sum = sum_text(sum, word[i]);
    }
    return sum;
}

static void add_setting(una_text *study, const char *key, const char *value)
{
    una_text_add(study, "%s%s=%s", strchr(study->at, '(') ? ", " : "(", key, value);
}

/* "tune(missing=mean, ...)": what changes numbers and is not in the spec. */
static una_status name_study(tuning *t)
{
    static const char *const missing[] = { "error", "drop", "mean" };
    char number[32];
    una_text study = una_text_in(&t->keep);
    una_text_add(&study, "tune");
    UNA_TRY(una_arena_check(&t->keep));
    if (t->fit.valid) add_setting(&study, "valid", "rows");
    else if (t->fit.valid_fraction > 0) add_setting(&study, "valid", una_number_text(number, t->fit.valid_fraction));
    if (t->fit.missing) add_setting(&study, "missing", missing[t->fit.missing]);
    if (t->fit.other) add_setting(&study, "other", una_number_text(number, (double)t->fit.other));
    if (t->fit.preset) add_setting(&study, "preset", t->fit.preset);
    if (strchr(study.at, '(')) una_text_add(&study, ")");
    t->key.study = study.at;
    return una_arena_check(&t->keep);
}

static una_status name_fits(tuning *t)
{
    size_t column = una_dataset_column_count(t->data) - 1;
    if (t->fit.target_count)
        UNA_FAIL(t->run, UNA_E_USAGE, "options are searched for one target: name it in `target`, not in `targets`");
    if (t->fit.target) UNA_TRY(una_dataset_find(&column, t->data, t->fit.target, t->run));
    uint32_t sum = sum_table(0, t->data);
    if (t->fit.valid) sum = sum_table(sum, t->fit.valid);

    const char *origin = una_dataset_origin(t->data), *slash = strrchr(origin, '/');
    una_text data = una_text_in(&t->keep);
    una_text_add(&data, "%s %s#%08" PRIx32, slash ? slash + 1 : origin, una_dataset_column_name(t->data, column), sum);
    t->key = (una_row_key){ .data = data.at, .seed = t->run->settings.seed };
    UNA_TRY(una_arena_check(&t->keep));
    return name_study(t);
}

static una_status open_store(tuning *t)
{
    const char *out = t->asked.out;
    if (!out) return una_store_open_copy(&t->store, NULL, t->run);
    una_text path = una_text_in(&t->keep), table = una_text_in(&t->keep);
    una_text_add(&path, "%s/tune.sqlite", out);
    una_text_add(&table, "%s/tune.csv", out);
    UNA_TRY(una_arena_check(&t->keep));
    UNA_TRY(una_folder_make(out, t->run));
    UNA_TRY(una_rows_check(path.at, t->run));
    UNA_TRY(una_rows_check(table.at, t->run));
    t->table = table.at;
    return una_store_open(&t->store, path.at, t->run);
}

/* ---- the fits ------------------------------------------------------------------------------------------------ */

static una_status add_spec(tuning *t, una_plan *plan, const char *const *value)
{
    una_row_key key = t->key;
    UNA_TRY(una_over_spec(&key.spec, &key.results, &t->over, value, &t->keep, t->run));
    una_plan_add(plan, key);
    return una_arena_check(plan->arena);
}

static una_status make_rows(tuning *t, const una_plan *plan)
{
    una_sweep sweep = { .store = t->store, .plan = plan, .measures = measures, .measure_count = MEASURES,
                        .make = t->make, .context = t->context ? t->context : t };
    una_status status = una_sweep_run(&sweep, t->run);
    t->tuned.made += sweep.made;
    return status;
}

static una_status plan_grid(tuning *t)
{
    const char **value = UNA_GET(&t->keep, const char *, t->over.count);
    UNA_TRY(una_arena_check(&t->keep));
    UNA_TRY(una_over_check_grid(&t->over, t->run));
    for (uint64_t i = 0; i < una_over_combinations(&t->over); i++) {
        una_over_at(value, &t->over, i);
        UNA_TRY(add_spec(t, &t->plan, value));
    }
    return UNA_OK;
}

/* No spec twice; the end comes early where there seem to be no others. */
static una_status plan_random(tuning *t)
{
    const char **value = UNA_GET(&t->keep, const char *, t->over.count);
    una_rng rng = una_rng_at(t->run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD - 1);
    UNA_TRY(una_arena_check(&t->keep));
    for (size_t idle = 0; t->plan.count < t->asked.trials && idle < PATIENCE; idle++) {
        size_t before = t->plan.count;
        una_over_draw(value, &t->over, &rng, &t->keep);
        UNA_TRY(una_arena_check(&t->keep));
        UNA_TRY(add_spec(t, &t->plan, value));
        if (t->plan.count > before) idle = 0;
    }
    return UNA_OK;
}

/* ---- the Bayesian search ------------------------------------------------------------------------------------- */

typedef struct hunt {
    una_space       *space;
    una_search      *search;
    una_history      history;
    double          *point, *value;
    una_trial_state *state;
} hunt;

static void add_number(una_text *json, const char *name, double value)
{
    una_text_add(json, ", \"%s\": ", name);
    una_text_number(json, value);
}

/* Values in order are whole numbers from 0 on, so that the search knows what lies between what; others are words. */
static void add_dimension(una_text *json, const una_axis *axis)
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

static una_status set_out(hunt *h, tuning *t)
{
    size_t axes = t->over.count, trials = t->asked.trials, first = 2 * axes + 2;
    una_text json = una_text_in(&t->keep);
    una_search_settings settings = { .maximize = true, .seed = t->run->settings.seed };
    for (size_t a = 0; a < axes; a++) {
        una_text_add(&json, a ? ", " : "{");
        add_dimension(&json, &t->over.axis[a]);
    }
    una_text_add(&json, "}");
    h->point = UNA_GET(&t->keep, double, trials * axes);
    h->value = UNA_GET(&t->keep, double, trials);
    h->state = UNA_GET(&t->keep, una_trial_state, trials);
    UNA_TRY(una_arena_check(&t->keep));
    h->history = (una_history){ .point = h->point, .value = h->value, .state = h->state };

    const una_acquisition *acquisition;
    una_acquisition_options options;
    settings.acquisition = "log_ei";
    settings.initial = first > trials / 2 && trials >= 2 ? trials / 2 : first;
    if (settings.initial == 0) settings.initial = 1;
    UNA_TRY(una_space_parse(&h->space, json.at, "the options", &t->keep, t->run));
    UNA_TRY(una_search_model(&settings.model, NULL, &t->keep, t->run));
    UNA_TRY(una_acquisition_need_named(&acquisition, &options, settings.acquisition, t->run));
    settings.space = h->space;
    return una_search_new(&h->search, &settings, t->run);
}

static una_status values_at(const char **value, const double *point, tuning *t)
{
    for (size_t a = 0; a < t->over.count; a++) {
        const una_axis *axis = &t->over.axis[a];
        value[a] = axis->value ? axis->value[(size_t)point[a]] : una_axis_text(axis, point[a], &t->keep);
    }
    return una_arena_check(&t->keep);
}

/* A number is what its text says. */
static void point_of(double *point, const char *const *value, const una_over *over)
{
    for (size_t a = 0; a < over->count; a++) {
        const una_axis *axis = &over->axis[a];
        if (!axis->value) una_parse_number(value[a], strlen(value[a]), &point[a]);
        for (size_t i = 0; i < axis->count; i++)
            if (strcmp(axis->value[i], value[a]) == 0) point[a] = (double)i;
    }
}

/* The next point becomes open, and its spec part of the plans. What was tried would teach nothing if it were tried
 * again, whatever the search thinks of noise: a draw takes its place. */
static una_status propose(hunt *h, tuning *t, una_plan *batch, const char **value)
{
    size_t axes = t->over.count, trial = h->history.count, planned = t->plan.count;
    double *point = h->point + trial * axes;
    una_proposal proposal;
    una_rng rng = una_rng_at(t->run->settings.seed, UNA_FOR_SEARCH, DRAWN_INSTEAD + trial);
    UNA_TRY(una_search_next(h->search, &h->history, point, &proposal, t->run));
    UNA_TRY(values_at(value, point, t));
    UNA_TRY(add_spec(t, &t->plan, value));
    for (size_t i = 0; i < PATIENCE && t->plan.count == planned; i++) {
        una_over_draw(value, &t->over, &rng, &t->keep);
        UNA_TRY(una_arena_check(&t->keep));
        UNA_TRY(add_spec(t, &t->plan, value));
    }

    point_of(point, value, &t->over);
    h->value[trial] = NAN;
    h->state[trial] = UNA_TRIAL_OPEN;
    h->history.count++;
    return add_spec(t, batch, value);
}

static una_status find_row(una_row *row, const tuning *t, const una_row_key *key, una_arena *arena)
{
    bool found;
    UNA_TRY(una_store_find(&found, row, t->store, key, arena, t->run));
    if (found && una_row_find(row, measures[LOG_LIK]) != SIZE_MAX && una_row_find(row, measures[RMSE]) != SIZE_MAX)
        return UNA_OK;
    UNA_FAIL(t->run, UNA_E_IO, "%s: the results of %s were there and are gone", una_store_path(t->store), key->spec);
}

static double measure_of(const una_row *row, size_t measure)
{
    return row->value[una_row_find(row, measures[measure])];
}

/* Fits what was proposed, and tells the search. spec [count] of the batch's trials. */
static una_status fit_batch(hunt *h, tuning *t, const una_plan *batch, const char *const *spec, size_t count)
{
    double from = (double)(h->history.count - count) / (double)t->asked.trials;
    una_span span = una_progress_part(t->run, from, (double)h->history.count / (double)t->asked.trials);
    una_status status = make_rows(t, batch);
    una_progress_back(t->run, span);
    for (size_t i = 0; status == UNA_OK && i < count; i++) {
        size_t trial = h->history.count - count + i;
        una_row row;
        una_row_key key = batch->keys[0];
        for (size_t k = 0; k < batch->count; k++)
            if (strcmp(batch->keys[k].spec, spec[i]) == 0) key = batch->keys[k];
        status = find_row(&row, t, &key, &t->keep);
        if (status != UNA_OK) break;
        h->value[trial] = measure_of(&row, LOG_LIK);
        h->state[trial] = isfinite(h->value[trial]) ? UNA_TRIAL_TOLD : UNA_TRIAL_FAILED;
        if (h->state[trial] == UNA_TRIAL_FAILED) h->value[trial] = NAN;
    }
    return status;
}

static una_status search_on(hunt *h, tuning *t)
{
    const char **value = UNA_GET(&t->keep, const char *, t->over.count), *spec[BATCH];
    UNA_TRY(una_arena_check(&t->keep));
    while (h->history.count < t->asked.trials) {
        una_plan batch = { .arena = &t->keep };
        size_t count = 0;
        for (; count < BATCH && h->history.count < t->asked.trials; count++) {
            UNA_TRY(propose(h, t, &batch, value));
            UNA_TRY(una_over_spec(&spec[count], NULL, &t->over, value, &t->keep, t->run));
        }
        UNA_TRY(fit_batch(h, t, &batch, spec, count));
    }
    return UNA_OK;
}

static una_status search_bayes(tuning *t)
{
    hunt h = {0};
    una_status status = set_out(&h, t);
    if (status == UNA_OK) status = search_on(&h, t);
    una_search_free(h.search);
    return status;
}

static una_status search_all(tuning *t)
{
    uint64_t all = una_over_combinations(&t->over);
    bool grid = strcmp(t->asked.search, "grid") == 0, bayes = strcmp(t->asked.search, "bayes") == 0;
    if (!grid && all > 0 && all <= t->asked.trials) grid = true;         /* nothing to choose: all of them */
    if (bayes && !grid) return search_bayes(t);
    UNA_TRY(grid ? plan_grid(t) : plan_random(t));
    return make_rows(t, &t->plan);
}

/* ---- what came out ------------------------------------------------------------------------------------------- */

typedef struct tried { const char *spec; double log_lik, rmse, seconds; size_t at; } tried;

/* The best first, those without a score last. */
static int compare(const void *a, const void *b)
{
    const tried *x = a, *y = b;
    bool no_x = isnan(x->log_lik), no_y = isnan(y->log_lik);
    if (no_x != no_y) return no_x ? 1 : -1;
    if (!no_x && x->log_lik != y->log_lik) return x->log_lik > y->log_lik ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static una_status gather(tuning *t)
{
    size_t count = t->plan.count;
    tried *all = UNA_GET(&t->keep, tried, count);
    const char **spec = UNA_GET(&t->keep, const char *, count);
    double *log_lik = UNA_GET(&t->keep, double, count), *rmse = UNA_GET(&t->keep, double, count);
    double *seconds = UNA_GET(&t->keep, double, count);
    UNA_TRY(una_arena_check(&t->keep));
    for (size_t i = 0; i < count; i++) {
        una_row row;
        UNA_TRY(find_row(&row, t, &t->plan.keys[i], &t->keep));
        all[i] = (tried){ t->plan.keys[i].spec, measure_of(&row, LOG_LIK), measure_of(&row, RMSE), row.seconds, i };
    }
    qsort(all, count, sizeof *all, compare);

    for (size_t i = 0; i < count; i++) {
        spec[i] = all[i].spec;
        log_lik[i] = all[i].log_lik;
        rmse[i] = all[i].rmse;
        seconds[i] = all[i].seconds;
    }
    t->tuned.count = count;
    t->tuned.spec = spec;
    t->tuned.log_lik = log_lik;
    t->tuned.rmse = rmse;
    t->tuned.seconds = seconds;
    return UNA_OK;
}

static una_status write_table(tuning *t)
{
    if (!t->table) return UNA_OK;
    return una_rows_export(t->store, "tune", measures, MEASURES, t->table, NULL, t->run);
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

static una_status perform(tuning *t, const una_tune_settings *settings)
{
    UNA_TRY(take_asked(t, settings));
    UNA_TRY(name_fits(t));
    if (strcmp(t->asked.search, "grid") == 0) UNA_TRY(una_over_check_grid(&t->over, t->run));
    UNA_TRY(open_store(t));
    una_status status = search_all(t);
    if (status != UNA_OK) return stopped(t, status);
    UNA_TRY(gather(t));
    return write_table(t);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

una_status una_tune_by(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings,
                       una_make_row *make, void *context, una_run *run)
{
    tuning *t = una_allocate(run, sizeof *t);
    *tuned = NULL;
    if (!t) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for a search");
    memset(t, 0, sizeof *t);
    una_arena_init(&t->keep, run);
    t->run = run;
    t->data = data;
    t->make = make;
    t->context = context;
    t->plan.arena = &t->keep;

    una_status status = perform(t, settings);
    una_store_close(t->store);
    t->store = NULL;
    if (status == UNA_OK) *tuned = &t->tuned;
    else una_tuned_free(&t->tuned);
    return status;
}

una_status una_tune(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings, una_run *run)
{
    *tuned = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    return una_tune_by(tuned, data, settings, fit_row, NULL, run);
}

void una_tuned_free(una_tuned *tuned)
{
    if (!tuned) return;
    tuning *t = (tuning *)tuned;
    una_run *run = t->run;
    una_arena_free(&t->keep);
    una_release(run, t);
}
