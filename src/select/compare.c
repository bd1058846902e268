/* SPDX-License-Identifier: MIT
 *
 * Which model suits a table: every model is fitted on the same folds (select/folds.h) and scored on the rows that each
 * fold leaves out. The store has one row per model and fold, so that a comparison that was stopped can go on.
 * compare_sums.c computes the means and differences.
 */
#include "select/compare.h"

#include "base/option.h"
#include "base/ranks.h"
#include "select/tune.h"
#include "model/above.h"
#include "store/folder.h"
#include "store/store_csv.h"

#include <inttypes.h>

static const char BASELINE[] = "mean";
const char *const una_compared_measures[UNA_COMPARED_COUNT] = { "log_lik", "rmse", "crps", "coverage_95" };

/* ---- what was asked for ---------------------------------------------------------------------------------------- */

static una_status compare_check_request(const una_comparison *c)
{
    const char *select = c->asked.select;
    const uint64_t last = (uint64_t)1 << 52;
    UNA_TRY(una_fit_settings_check(&c->fit, c->run));
    UNA_TRY(una_texts_check(c->asked.models, c->asked.model_count, "models", c->run));
    if (c->fit.target_count)
        UNA_FAIL(c->run, UNA_E_USAGE, "models are compared on one target: name it in `target`, not in `targets`");
    if (c->fit.valid)
        UNA_FAIL(c->run, UNA_E_USAGE, "models are compared on folds of one table: there are no rows of another to "
                 "validate on");
    if (strcmp(select, "log_lik") != 0 && strcmp(select, "rmse") != 0 && strcmp(select, "crps") != 0)
        UNA_FAIL(c->run, UNA_E_USAGE, "'%.40s' is no measure to choose by; these are log_lik (highest), rmse and crps "
                 "(lowest)", select);
    if (c->run->settings.seed > last)
        UNA_FAIL(c->run, UNA_E_USAGE, "seeds of a comparison go up to 2^52, so that every reader of its table can hold "
                 "them");
    return UNA_OK;
}

/* A model takes those of the settings that it has; each must be one of some model. */
static una_status set_options(const char **spec, bool *taken, una_comparison *c, const char *given)
{
    *spec = given;
    for (size_t i = 0; i < c->fit.set_count; i++) {
        const char *with;
        UNA_TRY(una_tune_model(&with, *spec, &c->fit.set[i], 1, &c->keep, c->run));
        una_status status = una_spec_check(with, NULL, c->run);
        if (status != UNA_OK && status != UNA_E_USAGE) return status;
        if (status != UNA_OK) continue;
        *spec = with;
        taken[i] = true;
    }
    return UNA_OK;
}

/* The sentence is that of the first model. */
static una_status refuse_option(una_comparison *c, const char *option)
{
    const char *with;
    for (size_t m = 0; m < c->count; m++) {
        if (strcmp(c->spec[m], BASELINE) == 0) continue;
        UNA_TRY(una_tune_model(&with, c->spec[m], &option, 1, &c->keep, c->run));
        UNA_TRY(una_spec_check(with, NULL, c->run));
    }
    UNA_FAIL(c->run, UNA_E_USAGE, "the baseline has no options, and no model takes %.200s", option);
}

static una_status take_model(una_comparison *c, bool *taken, const char *given)
{
    size_t at = c->count;
    bool baseline = strcmp(given, BASELINE) == 0;
    const char *spec = given;
    if (!baseline) {
        UNA_TRY(una_spec_check(given, NULL, c->run));
        UNA_TRY(set_options(&spec, taken, c, given));
        UNA_TRY(una_row_key_spec(&spec, NULL, &c->results[at], spec, &c->keep, c->run));
    } else {
        c->results[at] = 1;
    }
    for (size_t i = 0; i < at; i++)
        if (strcmp(c->spec[i], spec) == 0)
            UNA_FAIL(c->run, UNA_E_USAGE, "the model %.200s was given twice; name each once", spec);
    c->spec[at] = spec;
    c->count++;
    return UNA_OK;
}

static una_status take_models(una_comparison *c)
{
    static const char *const usual[] = { "auto", "gp", "linear", "nlm", "mcd" };
    const una_compare_settings *a = &c->asked;
    size_t count = a->model_count ? a->model_count : sizeof usual / sizeof *usual;
    const char *const *model = a->model_count ? a->models : usual;
    bool *taken = UNA_GET(&c->keep, bool, c->fit.set_count), baseline = false;
    UNA_NEW_AT(&c->keep, c->spec, count + 1);
    UNA_NEW_AT(&c->keep, c->results, count + 1);
    for (size_t m = 0; m < count; m++) {
        UNA_TRY(take_model(c, taken, model[m]));
        baseline = baseline || strcmp(c->spec[m], BASELINE) == 0;
    }
    for (size_t i = 0; i < c->fit.set_count; i++)
        if (!taken[i]) return refuse_option(c, c->fit.set[i]);
    c->fit.set = NULL;
    c->fit.set_count = 0;
    return baseline ? UNA_OK : take_model(c, taken, BASELINE);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static bool is_whole(const una_dataset *data, const bool *out, size_t row)
{
    for (size_t c = 0; c < data->columns; c++) {
        const una_table_column *column = &data->column[c];
        if (out[c]) continue;
        if (column->is_text ? !column->word[row] : isnan(column->number[row])) return false;
    }
    return true;
}

static una_selection selection_of(const una_comparison *c)
{
    return (una_selection){ c->fit.drop, c->fit.drop_count, c->fit.only, c->fit.only_count };
}

/* Columns whose cells may be missing: those that neither models nor folds look at. */
static una_status find_idle(bool *idle, const una_comparison *c)
{
    const una_selection selection = selection_of(c);
    size_t target = c->data->columns - 1, column;
    if (c->fit.target) UNA_TRY(una_table_need(&target, c->data, c->fit.target, c->run));
    UNA_TRY(una_selection_apply(idle, &selection, c->data, &target, 1, c->run));
    const char *const needed[] = { c->asked.group, c->asked.time };
    for (size_t i = 0; i < 2; i++) {
        if (!needed[i]) continue;
        UNA_TRY(una_table_need(&column, c->data, needed[i], c->run));
        idle[column] = false;
    }
    return UNA_OK;
}

/* Rows that no model could take are left out before there are folds, so that these are of equal size. */
static una_status compare_take_rows(una_comparison *c)
{
    const una_dataset *data = c->data;
    size_t count = 0;
    if (c->fit.missing != UNA_MISSING_DROP) return UNA_OK;
    una_mark mark = una_arena_mark(&c->run->scratch);
    size_t *kept = UNA_GET_ROWS(&c->run->scratch, size_t, data->rows);
    bool *idle = UNA_GET(&c->run->scratch, bool, data->columns);
    una_status status = una_arena_check(&c->run->scratch);
    if (status == UNA_OK) status = find_idle(idle, c);
    for (size_t i = 0; status == UNA_OK && i < data->rows; i++)
        if (is_whole(data, idle, i)) kept[count++] = i;
    if (status == UNA_OK && count == 0)
        status = una_fail(c->run, UNA_E_INPUT, "%s: no row has a value in every column", data->origin);
    if (status == UNA_OK && count < data->rows) {
        una_log(c->run, UNA_LOG_NOTE, "%zu of the %zu rows have missing cells and were left out", data->rows - count,
                data->rows);
        status = una_dataset_rows(&c->own, data, kept, count, c->run);
        if (status == UNA_OK) c->data = c->own;
    }
    una_arena_release(&c->run->scratch, mark);
    return status;
}

/* A word that only test rows have is unknown to the models. */
static una_status take_words(una_comparison *c)
{
    size_t column;
    if (c->fit.other) return UNA_OK;
    UNA_TRY(una_folds_new_word(&column, &c->folds, c->data, c->run));
    if (column == SIZE_MAX) return UNA_OK;
    c->fit.other = 1;
    una_log(c->run, UNA_LOG_NOTE, "the column '%s' has words that some folds do not train on: there they count as "
            "'other', as with --other 1", c->data->column[column].name);
    return UNA_OK;
}

static una_status take_folds(una_comparison *c)
{
    enum { LEAST_ROWS = 10 };
    if (c->data->rows < LEAST_ROWS)
        UNA_FAIL(c->run, UNA_E_INPUT, "%s has %zu rows, and folds of so few say nothing: a comparison needs %d at "
                 "least", c->data->origin, c->data->rows, LEAST_ROWS);
    const una_fold_settings settings = { .target = c->fit.target, .group = c->asked.group, .time = c->asked.time,
        .folds = c->asked.folds, .repeats = c->asked.repeats, .seed = c->run->settings.seed,
        .selection = selection_of(c) };
    UNA_TRY(una_folds_make(&c->folds, c->data, &settings, &c->keep, c->run));
    c->fit.target = c->data->column[c->folds.target].name;
    UNA_TRY(take_words(c));

    size_t train, test, count = una_folds_count(&c->folds);
    una_mark mark = una_arena_mark(&c->run->scratch);
    size_t *rows = UNA_GET_ROWS(&c->run->scratch, size_t, 2 * c->folds.rows);
    una_status status = una_arena_check(&c->run->scratch);
    for (size_t k = 0; status == UNA_OK && k < count; k++) {
        status = una_folds_split(rows, &train, rows + c->folds.rows, &test, &c->folds, k, c->run);
        if (status == UNA_OK && train > 0) c->share += (double)test / (double)train / (double)count;
    }
    una_arena_release(&c->run->scratch, mark);
    return status;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static void add_setting(una_text *study, const char *key, const char *value)
{
    if (!value) return;
    una_text_add(study, ", %s=", key);
    una_spec_value(study, value);
}

static void compare_add_names(una_text *study, const char *key, const char *const *names, size_t count)
{
    una_text list = una_text_in(study->arena);
    for (size_t i = 0; i < count; i++) una_text_add(&list, "%s%s", i ? ", " : "", names[i]);
    if (count && !study->arena->failed) add_setting(study, key, list.at);
}

/* "compare(folds=5, seed=0, group=patient)": what changes numbers and is not in the rest of a key. Not repeats: more of
 * them add folds. */
static una_status name_study(una_comparison *c)
{
    static const char *const missing[] = { NULL, "drop", "mean" };
    char number[32];
    una_text study = una_text_in(&c->keep);
    una_text_add(&study, "compare(folds=%zu, seed=%" PRIu64, c->folds.folds, c->run->settings.seed);
    add_setting(&study, "group", c->asked.group);
    add_setting(&study, "time", c->asked.time);
    add_setting(&study, "missing", missing[c->fit.missing]);
    if (c->fit.other) add_setting(&study, "other", una_number_text(number, (double)c->fit.other));
    if (c->fit.log_target) add_setting(&study, "log", "on");
    if (c->fit.valid_fraction > 0) add_setting(&study, "valid", una_number_text(number, c->fit.valid_fraction));
    add_setting(&study, "preset", c->fit.preset);
    compare_add_names(&study, "drop", c->fit.drop, c->fit.drop_count);
    compare_add_names(&study, "only", c->fit.only, c->fit.only_count);
    una_text_add(&study, ")");
    c->study = study.at;
    UNA_TRY(una_arena_check(&c->keep));
    return una_row_key_table(&c->name, c->data, c->fit.target, &c->keep, c->run);
}

static una_status compare_take_request(una_comparison *c, const una_dataset *data, const una_compare_settings *given)
{
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    UNA_TRY(UNA_TAKE(&c->asked, given, una_compare_settings, c->run));
    UNA_TRY(UNA_TAKE(&c->fit, c->asked.fit.size ? &c->asked.fit : &plain, una_fit_settings, c->run));
    c->fit.size = sizeof c->fit;
    c->data = data;
    if (!c->asked.select) c->asked.select = una_compared_measures[UNA_COMPARED_LOG_LIK];
    UNA_TRY(compare_check_request(c));
    UNA_TRY(take_models(c));
    UNA_TRY(compare_take_rows(c));
    UNA_TRY(take_folds(c));
    UNA_TRY(name_study(c));
    c->fit.drop = c->fit.only = NULL;                    /* folds leave these columns out */
    c->fit.drop_count = c->fit.only_count = 0;
    return UNA_OK;
}

/* ---- the folder ------------------------------------------------------------------------------------------------ */

static una_status check_stored_pair(void *context, const char *study, const char *data, una_run *run)
{
    const una_comparison *c = context;
    size_t length = una_row_key_data(data), ours = una_row_key_data(c->name);
    bool same_name = length == ours && strncmp(data, c->name, length) == 0;
    if (strcmp(data, c->name) != 0)
        UNA_FAIL(run, UNA_E_INPUT, "%s holds a comparison on %.*s%s, and this one is on %.*s%s; choose another folder, "
                 "or remove this one if its results are not needed", c->asked.out, (int)length, data,
                 same_name ? " with other rows" : "", (int)ours, c->name, same_name ? " as it is now" : "");
    if (strcmp(study, c->study) != 0)
        UNA_FAIL(run, UNA_E_INPUT, "%s holds a comparison with other settings, %.200s, and this one is %.200s; give "
                 "the same, or choose another folder", c->asked.out, study, c->study);
    return UNA_OK;
}

static const char *compare_path(una_comparison *c, const char *name)
{
    una_text path = una_text_in(&c->keep);
    una_text_add(&path, "%s/%s", c->asked.out, name);
    return path.at;
}

static una_status open_store(una_comparison *c)
{
    if (!c->asked.out || !una_sweep_writes(c->ranks)) return una_sweep_store(&c->store, NULL, c->ranks, c->run);
    c->path = compare_path(c, "compare.sqlite");
    const char *table = compare_path(c, "compare.csv");
    UNA_TRY(una_arena_check(&c->keep));
    UNA_TRY(una_folder_make(c->asked.out, c->run));
    UNA_TRY(una_store_check_csv(c->path, c->run));
    UNA_TRY(una_store_check_csv(table, c->run));
    UNA_TRY(una_store_open(&c->store, c->path, c->run));
    c->compared.table = table;
    return una_store_pairs(c->store, check_stored_pair, c, c->run);
}

/* ---- one fit --------------------------------------------------------------------------------------------------- */

/* The mean and standard deviation of the training rows, for every row that is tested. */
static una_status score_mean(una_score *score, const una_comparison *c, const una_dataset *train,
                             const una_dataset *test, una_run *run)
{
    size_t from, to;
    UNA_TRY(una_table_need(&from, train, c->fit.target, run));
    UNA_TRY(una_table_need(&to, test, c->fit.target, run));
    const double *y = train->column[from].number;
    if (train->column[from].is_text || test->column[to].is_text)
        UNA_FAIL(run, UNA_E_INPUT, "%s: the target '%s' holds words, but numbers are needed", train->origin,
                 c->fit.target);
    double mean = 0, square = 0, n = (double)train->rows;
    for (size_t i = 0; i < train->rows; i++) mean += y[i] / n;
    for (size_t i = 0; i < train->rows; i++) square += (y[i] - mean) * (y[i] - mean);

    una_mark mark = una_arena_mark(&run->scratch);
    double *means = UNA_GET_ROWS(&run->scratch, double, test->rows);
    double *none = UNA_GET_ROWS(&run->scratch, double, test->rows);
    double *std = UNA_GET_ROWS(&run->scratch, double, test->rows);
    una_status status = una_arena_check(&run->scratch);
    for (size_t i = 0; status == UNA_OK && i < test->rows; i++) {
        means[i] = mean;
        std[i] = sqrt(square / fmax(n - 1, 1));
    }
    if (status == UNA_OK)
        status = una_score_gaussian(score, test->column[to].number, means, none, std, test->rows, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status score_model(una_score *score, una_outcome *outcome, const una_comparison *c, const una_row_key *key,
                              const una_dataset *train, const una_dataset *test, una_run *run)
{
    una_model *model = NULL;
    UNA_TRY(una_fit(&model, key->spec, train, &c->fit, run));
    una_status status = una_model_score(score, model, test, run);
    outcome->seconds = una_model_info(model)->seconds;
    outcome->options = una_arena_text(outcome->arena, una_model_info(model)->spec);
    una_model_free(model);
    return status == UNA_OK ? una_arena_check(outcome->arena) : status;
}

/* A numerical failure concerns only this model on this fold. */
static una_status compare_allow_numeric_failure(una_status status, const una_row_key *key, una_run *run)
{
    if (status != UNA_E_NUMERIC) return status;
    una_log(run, UNA_LOG_WARNING, "%s gave no score on fold %" PRIu64 ": %s", key->spec, key->split,
            una_run_message(run));
    una_clear_message(run);
    return UNA_OK;
}

static una_status make_row(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    const una_comparison *c = context;
    una_dataset *train, *test;
    una_score score = UNA_INIT(una_score);
    UNA_TRY(una_folds_tables(&train, &test, &c->folds, (size_t)key->split - 1, c->data, run));
    bool baseline = strcmp(key->spec, BASELINE) == 0;
    una_status status = baseline ? score_mean(&score, c, train, test, run)
                                 : score_model(&score, outcome, c, key, train, test, run);
    una_dataset_free(train);
    una_dataset_free(test);
    if (status != UNA_OK) return compare_allow_numeric_failure(status, key, run);
    outcome->value[UNA_COMPARED_LOG_LIK] = score.log_lik;
    outcome->value[UNA_COMPARED_RMSE] = score.rmse;
    outcome->value[UNA_COMPARED_CRPS] = score.crps;
    outcome->value[UNA_COMPARED_COVERAGE] = score.coverage_95;
    return UNA_OK;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

static una_row_key compare_row_key(const una_comparison *c, size_t model, size_t fold)
{
    return (una_row_key){ .study = c->study, .data = c->name, .split = fold + 1, .spec = c->spec[model],
                          .seed = c->run->settings.seed, .results = c->results[model] };
}

/* Fold by fold, so that a comparison that was stopped has whole ones. */
static una_status fit_all(una_comparison *c)
{
    una_plan plan = { .arena = &c->keep };
    for (size_t k = 0; k < una_folds_count(&c->folds); k++)
        for (size_t m = 0; m < c->count; m++) una_plan_add(&plan, compare_row_key(c, m, k));
    UNA_TRY(una_arena_check(&c->keep));
    una_sweep sweep = { .store = c->store, .plan = &plan, .measures = una_compared_measures,
                        .measure_count = UNA_COMPARED_COUNT, .make = make_row, .context = c, .ranks = c->ranks };
    una_status status = una_sweep_run(&sweep, c->run);
    c->compared.made = sweep.made;
    c->compared.fits = plan.count;
    return status;
}

/* value [measures and seconds, folds] of one model. */
static una_status read_model(double *value, const una_comparison *c, size_t model)
{
    size_t folds = una_folds_count(&c->folds);
    for (size_t k = 0; k < folds; k++) {
        bool found;
        una_row row;
        una_row_key key = compare_row_key(c, model, k);
        una_mark mark = una_arena_mark(&c->run->scratch);
        una_status status = una_store_find(&found, &row, c->store, &key, &c->run->scratch, c->run);
        for (size_t i = 0; status == UNA_OK && found && i < UNA_COMPARED_COUNT; i++)
            value[i * folds + k] = row.value[una_row_find(&row, una_compared_measures[i])];
        if (status == UNA_OK && found) value[UNA_COMPARED_COUNT * folds + k] = row.seconds;
        una_arena_release(&c->run->scratch, mark);
        UNA_TRY(status);
        if (!found)
            UNA_FAIL(c->run, UNA_E_IO, "%s: the results of %s were there and are gone", una_store_path(c->store),
                     key.spec);
    }
    return UNA_OK;
}

static una_status compare_read_rows(una_comparison *c)
{
    size_t folds = una_folds_count(&c->folds), each = (UNA_COMPARED_COUNT + 1) * folds;
    UNA_NEW(&c->keep, double, value, c->count * each);
    for (size_t m = 0; m < c->count; m++) UNA_TRY(read_model(value + m * each, c, m));
    return una_compare_sum_up(c, value);
}

static una_status compare_write_table(const una_comparison *c)
{
    if (!c->compared.table) return UNA_OK;
    return una_store_export(c->store, "compare", una_compared_measures, UNA_COMPARED_COUNT, c->compared.table, NULL,
                            c->run);
}

/* Finished rows are written out also after a failure; the first failure is reported. */
static una_status compare_stopped(una_comparison *c, una_status status)
{
    char why[sizeof c->run->message];
    if (!c->compared.table) return status;
    memcpy(why, c->run->message, sizeof why);
    una_status written = compare_write_table(c);
    if (status == UNA_CANCELLED && written == UNA_OK)
        UNA_FAIL(c->run, status, "interrupted; what was fitted is in %s, and the same call goes on from there",
                 c->compared.table);
    memcpy(c->run->message, why, sizeof why);
    return status;
}

static una_status compare_perform(una_comparison *c, const una_dataset *data, const una_compare_settings *settings)
{
    una_status status = compare_take_request(c, data, settings);
    if (status == UNA_OK) status = open_store(c);
    UNA_TRY(una_sweep_agree(status, c->ranks, c->run));
    status = fit_all(c);
    if (status != UNA_OK) return compare_stopped(c, status);
    status = compare_read_rows(c);
    if (status == UNA_OK) status = compare_write_table(c);
    return una_sweep_agree(status, c->ranks, c->run);
}

/* ---- the public calls ------------------------------------------------------------------------------------------ */

una_status una_compare(una_compared **compared, const una_dataset *data, const una_compare_settings *settings,
                       una_run *run)
{
    *compared = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    una_comparison *c = una_allocate(run, sizeof *c);
    if (!c) return una_ranks_agree(una_fail(run, UNA_E_MEMORY, "there is no memory for a comparison"), run);
    memset(c, 0, sizeof *c);
    una_arena_init(&c->keep, run);
    c->run = run;
    c->ranks = una_ranks_hide(run);

    una_status status = compare_perform(c, data, settings);
    una_ranks_show(run, c->ranks);
    una_store_close(c->store);
    c->store = NULL;
    una_dataset_free(c->own);
    c->own = NULL;
    if (status == UNA_OK) *compared = &c->compared;
    else una_compared_free(&c->compared);
    return status;
}

void una_compared_free(una_compared *compared)
{
    if (!compared) return;
    una_comparison *c = (una_comparison *)compared;
    una_run *run = c->run;
    una_arena_free(&c->keep);
    una_release(run, c);
}
