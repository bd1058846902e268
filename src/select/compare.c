/* SPDX-License-Identifier: MIT
 *
 * Which model suits a table: every model is fitted on the same folds (select/folds.h) and scored on the rows that each
 * fold leaves out. The store has one row per model and fold, so that a comparison that was stopped can go on.
 * compare_sums.c computes the means and differences.
 */
#include "select/compare.h"

#include "base/option.h"
#include "base/ranks.h"
#include "select/evaluation.h"
#include "select/tune.h"
#include "model/above.h"

#include <inttypes.h>

static const char BASELINE[] = "mean";
const char *const una_compared_measures[UNA_COMPARED_COUNT] = { "log_lik", "rmse", "crps", "coverage_95" };

/* ---- what was asked for ---------------------------------------------------------------------------------------- */

static una_status compare_check_request(const una_comparison *c)
{
    una_run *run = c->kept.run;
    if (c->fit.target_count)
        UNA_FAIL(run, UNA_E_USAGE, "models are compared on one target: name it in `target`, not in `targets`");
    if (c->fit.valid)
        UNA_FAIL(run, UNA_E_USAGE, "models are compared on folds of one table: there are no rows of another to "
                 "validate on");
    if (una_choice("log_lik|rmse|crps", c->asked.select) < 0)
        UNA_FAIL(run, UNA_E_USAGE, "'%.40s' is no measure to choose by; these are log_lik (highest), rmse and crps "
                 "(lowest)", c->asked.select);
    return una_kept_check_seeds("a comparison", 0, run);
}

/* A model takes those of the settings that it has; each must be one of some model. */
static una_status set_options(const char **spec, bool *taken, una_comparison *c, const char *given)
{
    *spec = given;
    for (size_t i = 0; i < c->fit.set_count; i++) {
        const char *with;
        UNA_TRY(una_tune_model(&with, *spec, &c->fit.set[i], 1, c->kept.keep, c->kept.run));
        una_status status = una_spec_check(with, NULL, c->kept.run);
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
        UNA_TRY(una_tune_model(&with, c->spec[m], &option, 1, c->kept.keep, c->kept.run));
        UNA_TRY(una_spec_check(with, NULL, c->kept.run));
    }
    UNA_FAIL(c->kept.run, UNA_E_USAGE, "the baseline has no options, and no model takes %.200s", option);
}

static una_status take_model(una_comparison *c, bool *taken, const char *given)
{
    una_run *run = c->kept.run;
    const char *spec = given;
    c->results[c->count] = 1;
    if (strcmp(given, BASELINE) != 0) {
        UNA_TRY(una_spec_check(given, NULL, run));
        UNA_TRY(set_options(&spec, taken, c, given));
        UNA_TRY(una_row_key_spec(&spec, NULL, &c->results[c->count], spec, c->kept.keep, run));
    }
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->spec[i], spec) == 0)
            UNA_FAIL(run, UNA_E_USAGE, "the model %.200s was given twice; name each once", spec);
    c->spec[c->count++] = spec;
    return UNA_OK;
}

static una_status take_models(una_comparison *c)
{
    static const char *const usual[] = { "auto", "gp", "linear", "nlm", "mcd" };
    const una_compare_settings *a = &c->asked;
    size_t count = a->model_count ? a->model_count : sizeof usual / sizeof *usual;
    const char *const *model = a->model_count ? a->models : usual;
    bool baseline = false;
    UNA_NEW(c->kept.keep, bool, taken, c->fit.set_count);
    UNA_NEW_AT(c->kept.keep, c->spec, count + 1);
    UNA_NEW_AT(c->kept.keep, c->results, count + 1);
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
    return (una_selection){ c->fit.drop, c->fit.drop_count, c->fit.only, c->fit.only_count, NULL };
}

/* Columns whose cells may be missing: those that neither models nor folds look at. */
static una_status find_idle(bool *idle, const una_comparison *c)
{
    const una_selection selection = selection_of(c);
    size_t target = c->data->columns - 1, column;
    if (c->fit.target) UNA_TRY(una_table_need(&target, c->data, c->fit.target, c->kept.run));
    UNA_TRY(una_selection_apply(idle, &selection, c->data, &target, 1, c->kept.run));
    const char *const needed[] = { c->asked.group, c->asked.time };
    for (size_t i = 0; i < 2; i++) {
        if (!needed[i]) continue;
        UNA_TRY(una_table_need(&column, c->data, needed[i], c->kept.run));
        idle[column] = false;
    }
    return UNA_OK;
}

/* Rows that no model could take are left out before there are folds, so that these are of equal size. */
static una_status drop_rows(una_comparison *c)
{
    const una_dataset *data = c->data;
    una_run *run = c->kept.run;
    size_t count = 0;
    UNA_NEW_ROWS(&run->scratch, size_t, kept, data->rows);
    UNA_NEW(&run->scratch, bool, idle, data->columns);
    UNA_TRY(find_idle(idle, c));
    for (size_t i = 0; i < data->rows; i++)
        if (is_whole(data, idle, i)) kept[count++] = i;
    if (count == 0) UNA_FAIL(run, UNA_E_INPUT, "%s: no row has a value in every column", data->origin);
    if (count == data->rows) return UNA_OK;
    una_log(run, UNA_LOG_NOTE, "%zu of the %zu rows have missing cells and were left out", data->rows - count,
            data->rows);
    UNA_TRY(una_dataset_rows(&c->own, data, kept, count, run));
    c->data = c->own;
    return UNA_OK;
}

/* A word that only test rows have is unknown to the models. */
static una_status take_words(una_comparison *c)
{
    size_t column;
    if (c->fit.other) return UNA_OK;
    UNA_TRY(una_folds_new_word(&column, &c->folds, c->data, c->kept.run));
    if (column == SIZE_MAX) return UNA_OK;
    c->fit.other = 1;
    una_log(c->kept.run, UNA_LOG_NOTE, "the column '%s' has words that some folds do not train on: there they count as "
            "'other', as with --other 1", c->data->column[column].name);
    return UNA_OK;
}

/* Fits keep groups together too, where enough of them train. */
static void take_groups(una_comparison *c)
{
    enum { LEAST_GROUPS = 5 };
    size_t folds = c->folds.folds, groups = c->folds.groups;
    bool enough = groups >= folds && groups - groups / folds > LEAST_GROUPS && 4 * c->folds.largest <= c->data->rows;
    c->fit.group = enough && !c->asked.time ? c->asked.group : NULL;
    c->folds.keeps_group = c->fit.group != NULL;
    if (c->asked.group && !c->fit.group)
        una_log(c->kept.run, UNA_LOG_NOTE, "the folds keep groups together; the fits inside them do not, because too "
                "few groups train");
}

static una_status find_share(una_comparison *c)
{
    una_run *run = c->kept.run;
    size_t count = una_folds_count(&c->folds);
    una_fold fold = { .train = NULL };
    for (size_t k = 0; k < count; k++) {
        UNA_TRY(una_folds_split(&fold, &c->folds, k, run));
        if (fold.train_count) c->share += (double)fold.test_count / (double)fold.train_count / (double)count;
    }
    return UNA_OK;
}

static una_status take_folds(una_comparison *c)
{
    enum { LEAST_ROWS = 10 };
    una_run *run = c->kept.run;
    if (c->data->rows < LEAST_ROWS)
        UNA_FAIL(run, UNA_E_INPUT, "%s has %zu rows, and folds of so few say nothing: a comparison needs %d at "
                 "least", c->data->origin, c->data->rows, LEAST_ROWS);
    const una_fold_settings settings = { .target = c->fit.target, .group = c->asked.group, .time = c->asked.time,
        .folds = c->asked.folds, .repeats = c->asked.repeats, .seed = run->settings.seed,
        .selection = selection_of(c) };
    UNA_TRY(una_folds_make(&c->folds, c->data, &settings, c->kept.keep, run));
    c->fit.target = c->data->column[c->folds.target].name;
    take_groups(c);
    UNA_TRY(take_words(c));
    UNA_SCOPED(run, find_share(c));
    return UNA_OK;
}

/* "compare(folds=5, seed=0, group=patient)": what changes numbers and is not in the rest of a key. Not repeats: more of
 * them add folds. */
static una_status name_study(una_comparison *c)
{
    char number[32];
    una_text study = una_text_in(c->kept.keep);
    una_text_add(&study, "compare(folds=%zu, seed=%" PRIu64, c->folds.folds, c->kept.run->settings.seed);
    if (c->asked.group) una_spec_add(&study, "group", c->asked.group);
    if (c->asked.time) una_spec_add(&study, "time", c->asked.time);
    una_fit_settings fit = c->fit;
    if (fit.group) una_spec_add(&study, "fits", "by_group");
    fit.group = NULL;
    una_kept_add_settings(&study, &fit,
                          c->fit.valid_fraction > 0 ? una_number_text(number, c->fit.valid_fraction) : NULL);
    una_spec_close(&study);
    c->study = study.at;
    UNA_TRY(una_arena_check(c->kept.keep));
    return una_row_key_table(&c->name, c->data, c->fit.target, c->kept.keep, c->kept.run);
}

static una_status compare_take_request(una_comparison *c, const una_dataset *data, const una_compare_settings *given)
{
    una_run *run = c->kept.run;
    UNA_TRY(UNA_TAKE(&c->asked, given, una_compare_settings, run));
    UNA_TRY(una_kept_take_fit(&c->fit, &c->asked.fit, c->asked.models, c->asked.model_count, run));
    c->data = data;
    if (!c->asked.select) c->asked.select = una_compared_measures[UNA_COMPARED_LOG_LIK];
    UNA_TRY(compare_check_request(c));
    UNA_TRY(take_models(c));
    if (c->fit.missing == UNA_MISSING_DROP) UNA_SCOPED(run, drop_rows(c));
    UNA_TRY(take_folds(c));
    UNA_TRY(name_study(c));
    c->fit.drop = c->fit.only = NULL;                    /* folds leave these columns out */
    c->fit.drop_count = c->fit.only_count = 0;
    return UNA_OK;
}

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

static una_status open_store(una_comparison *c)
{
    UNA_TRY(una_kept_open(&c->kept, c->asked.out));
    c->compared.table = c->kept.table;
    return c->kept.table ? una_store_pairs(c->kept.store, check_stored_pair, c, c->kept.run) : UNA_OK;
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

    UNA_NEW_ROWS(&run->scratch, double, means, test->rows);
    UNA_NEW_ROWS(&run->scratch, double, none, test->rows);
    UNA_NEW_ROWS(&run->scratch, double, std, test->rows);
    for (size_t i = 0; i < test->rows; i++) {
        means[i] = mean;
        std[i] = sqrt(square / fmax(n - 1, 1));
    }
    return una_score_gaussian(score, test->column[to].number, means, none, std, test->rows, run);
}

static una_status score_model(una_score *score, una_outcome *outcome, const una_comparison *c, const una_row_key *key,
                              const una_dataset *train, const una_dataset *test, una_run *run)
{
    una_model *model;
    UNA_TRY(una_held_fit(&model, key->spec, train, &c->fit, run));
    UNA_TRY(una_model_score(score, model, test, run));
    return una_outcome_take(outcome, model);
}

/* A numerical failure concerns only this model on this fold. */
static una_status make_row(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    const una_comparison *c = context;
    una_dataset *train, *test;
    una_score score = UNA_INIT(una_score);
    UNA_TRY(una_folds_tables(&train, &test, &c->folds, (size_t)key->split - 1, c->data, run));
    una_status status = strcmp(key->spec, BASELINE) == 0 ? score_mean(&score, c, train, test, run)
                                                         : score_model(&score, outcome, c, key, train, test, run);
    if (status == UNA_E_NUMERIC) {
        una_log(run, UNA_LOG_WARNING, "%s gave no score on fold %" PRIu64 ": %s", key->spec, key->split,
                una_run_message(run));
        una_clear_message(run);
        return UNA_OK;
    }
    UNA_TRY(status);
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
                          .seed = c->kept.run->settings.seed, .results = c->results[model] };
}

/* Fold by fold, so that a comparison that was stopped has whole ones. */
static una_status fit_all(una_comparison *c)
{
    una_plan plan = { .arena = c->kept.keep };
    for (size_t k = 0; k < una_folds_count(&c->folds); k++)
        for (size_t m = 0; m < c->count; m++) una_plan_add(&plan, compare_row_key(c, m, k));
    UNA_TRY(una_arena_check(c->kept.keep));
    c->compared.fits = plan.count;
    return una_kept_make(&c->compared.made, &c->kept, &plan, make_row, c);
}

static una_status compare_read_rows(una_comparison *c)
{
    size_t folds = una_folds_count(&c->folds), each = (UNA_COMPARED_COUNT + 1) * folds;
    UNA_NEW(c->kept.keep, double, value, c->count * each);
    for (size_t m = 0; m < c->count; m++)
        for (size_t k = 0; k < folds; k++) {
            una_row_key key = compare_row_key(c, m, k);
            UNA_SCOPED(c->kept.run, una_kept_read(value + m * each + k, folds, &c->kept, &key));
        }
    return una_compare_sum_up(c, value);
}

static una_status compare_perform(una_comparison *c, const una_dataset *data, const una_compare_settings *settings)
{
    una_status status = compare_take_request(c, data, settings);
    if (status == UNA_OK) status = open_store(c);
    UNA_TRY(una_sweep_agree(status, c->kept.ranks, c->kept.run));
    status = fit_all(c);
    return status == UNA_OK ? una_kept_write(&c->kept, compare_read_rows(c)) : una_kept_stopped(&c->kept, status);
}

/* ---- the public calls ------------------------------------------------------------------------------------------ */

una_status una_compare(una_compared **compared, const una_dataset *data, const una_compare_settings *settings,
                       una_run *run)
{
    *compared = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    una_arena *keep;
    una_comparison *c = una_result_new(&keep, sizeof *c, run);
    if (!c) return una_ranks_agree(una_fail(run, UNA_E_MEMORY, "there is no memory for a comparison"), run);
    una_kept_begin(&c->kept, "compare", una_compared_measures, UNA_COMPARED_COUNT, keep);
    una_status status = compare_perform(c, data, settings);
    una_kept_close(&c->kept);
    una_dataset_free(c->own);
    c->own = NULL;
    if (status == UNA_OK) *compared = &c->compared;
    else una_compared_free(&c->compared);
    return status;
}

void una_compared_free(una_compared *compared)
{
    una_result_free(compared);
}
