/* SPDX-License-Identifier: MIT
 *
 * Fits, recomputed posteriors and scores on rows that did not train: see evaluation.h.
 */
#include "select/evaluation.h"

#include "base/option.h"
#include "data/codes.h"
#include "model/above.h"

const char *const una_evaluation_measures[UNA_EVALUATION_COUNT] = {
    [UNA_EVALUATION_LOG_LIK] = "log_lik", [UNA_EVALUATION_RMSE] = "rmse", [UNA_EVALUATION_COS2] = "mean_cos2"
};

size_t una_kind_at(const char *name)
{
    size_t k = 0;
    while (k < una_kind_count() && strcmp(una_kind_name(k), name) != 0) k++;
    return k;
}

una_status una_held_fit(una_model **model, const char *spec, const una_dataset *data, const una_fit_settings *settings,
                        una_run *run)
{
    UNA_TRY(una_fit(model, spec, data, settings, run));
    return una_keep_model(&run->scratch, *model);
}

una_status una_held_part(una_dataset **part, const una_dataset *data, const size_t *index, size_t count, una_run *run)
{
    UNA_TRY(una_dataset_rows(part, data, index, count, run));
    return una_keep_dataset(&run->scratch, *part);
}

una_status una_outcome_take(una_outcome *outcome, const una_model *model)
{
    outcome->options = una_arena_text(outcome->arena, una_model_info(model)->spec);
    outcome->seconds = una_model_info(model)->seconds;
    return una_arena_check(outcome->arena);
}

una_status una_posterior_with(una_model **other, const una_model *model, const una_dataset *rows, const char *set,
                              una_run *run)
{
    UNA_TRY(una_model_relearn(other, model, rows, &set, *set ? 1 : 0, run));
    return una_keep_model(&run->scratch, *other);
}

/* ---- what the key says --------------------------------------------------------------------------------------- */

/* Divides the options of a spec into those that train the features and those that the posterior is computed with. An
 * option with the value that the features were trained with needs no setting. The defaults of a preset are not known
 * here, so with a preset all options of the posterior are set. */
static una_status divide_spec(una_text *features, una_text *set, const una_spec *spec, const una_spec *swept,
                              bool preset, una_run *run)
{
    una_text_add(features, "%s", spec->name);
    for (size_t i = 0; i < spec->count; i++) {
        const una_spec_item *item = &spec->items[i];
        const char *trained = una_spec_find(swept, item->key);
        bool by_default = trained && strcmp(trained, "default") == 0;
        una_option_info option;
        if (!by_default) una_spec_add(features, item->key, trained ? trained : item->value);
        if (!trained) continue;
        if (by_default) UNA_TRY(una_option_named(&option, spec->name, item->key, run));
        if (by_default) trained = preset ? NULL : option.initial;
        if (trained && strcmp(trained, item->value) == 0) continue;
        una_text_add(set, "%s%s=", set->length ? ", " : "", item->key);
        una_spec_value(set, item->value);
    }
    una_spec_close(features);
    return UNA_OK;
}

una_status una_evaluation_features(const char **features, const char **set, const una_row_key *key, una_arena *arena,
                                   una_run *run)
{
    una_spec study, spec, swept;
    una_text whole = una_text_in(arena), other = una_text_in(arena);
    *features = key->spec;
    *set = NULL;
    UNA_TRY(una_spec_parse(&study, key->study, arena, run));
    const char *listed = una_spec_find(&study, "swept");
    if (!listed) return UNA_OK;

    UNA_TRY(una_spec_parse_items(&swept, listed, arena, run));
    UNA_TRY(una_spec_parse(&spec, key->spec, arena, run));
    UNA_TRY(divide_spec(&whole, &other, &spec, &swept, una_spec_find(&study, "preset") != NULL, run));
    UNA_TRY(una_arena_check(arena));
    *features = whole.at;
    *set = other.length ? other.at : "";
    return UNA_OK;
}

/* ---- evaluations --------------------------------------------------------------------------------------------- */

/* Rows of whole groups, taken at random until they are the share of the rows, first; *held: how many these are. */
static una_status cut_groups(size_t **order, size_t *held, const una_dataset *data, const char *group, una_rng rng,
                             una_run *run)
{
    size_t column, values, rows = data->rows, wanted = *held, taken = 0, in = 0, out = 0;
    uint32_t *mixed;
    UNA_NEW_ROWS(&run->scratch, uint32_t, code, rows);
    UNA_NEW_ROWS_AT(&run->scratch, *order, rows);
    UNA_TRY(una_table_need(&column, data, group, run));
    UNA_TRY(una_column_need_codes(code, &values, "group", data, column, run));
    UNA_NEW(&run->scratch, size_t, size, values);
    UNA_NEW(&run->scratch, bool, tested, values);
    UNA_TRY(una_order_new(&mixed, values, &run->scratch));
    for (size_t i = 0; i < rows; i++) size[code[i]]++;
    una_rng_permute(&rng, mixed, values);
    for (size_t k = 0; k + 1 < values && taken < wanted; k++) {
        tested[mixed[k]] = true;
        taken += size[mixed[k]];
    }
    *held = taken;
    for (size_t i = 0; i < rows; i++) (*order)[tested[code[i]] ? out++ : taken + in++] = i;
    return UNA_OK;
}

static una_status cut_table_by_group(una_evaluations *w, const una_dataset *table, double share, uint64_t seed)
{
    una_dataset *train, *test;
    size_t *order, rows = table->rows, held = (size_t)(share * (double)rows);
    una_rng rng = una_rng_at(seed, UNA_FOR_SPLIT, 6);
    UNA_TRY(cut_groups(&order, &held, table, w->setup->fit.group, rng, w->run));
    UNA_TRY(una_held_part(&train, table, order + held, rows - held, w->run));
    UNA_TRY(una_held_part(&test, table, order, held, w->run));
    w->train = train, w->test = test;
    return UNA_OK;
}

/* Cut at random; both parts last as long as the scratch memory. */
static una_status cut_table(una_evaluations *w, const una_dataset *table, double share, uint64_t seed)
{
    una_split split = UNA_INIT(una_split);
    una_dataset *train, *test;
    if (w->setup->fit.group) return cut_table_by_group(w, table, share > 0 ? share : 0.2, seed);
    UNA_TRY(una_split_random(&split, una_dataset_row_count(table), share > 0 ? share : 0.2, seed, w->run));
    una_status status = una_held_part(&train, table, split.train, split.train_count, w->run);
    if (status == UNA_OK) status = una_held_part(&test, table, split.test, split.test_count, w->run);
    una_split_free(&split, w->run);
    if (status == UNA_OK) w->train = train, w->test = test;
    return status;
}

static una_status note_evaluation(una_evaluation *v, const una_score *score, const una_model *model, const una_evaluations *w)
{
    const una_fit_info *info = una_model_info(model);
    v->value[UNA_EVALUATION_LOG_LIK] = score->log_lik;
    v->value[UNA_EVALUATION_RMSE] = score->rmse;
    v->value[UNA_EVALUATION_COS2] = info->mean_cos2;
    v->options = una_arena_text(w->arena, info->spec);
    v->seconds = info->seconds;
    return una_arena_check(w->arena);
}

/* A numerical failure concerns this spec only: it is logged, and the search goes on. */
static una_status allow_numeric_failure(una_status status, const una_row_key *key, una_run *run)
{
    if (status != UNA_E_NUMERIC) return status;
    una_log(run, UNA_LOG_WARNING, "%s gave no score: %s", key->spec, una_run_message(run));
    una_clear_message(run);
    return UNA_OK;
}

/* Scores on the rows that the fit itself held out. */
static una_status evaluate_by_own_rows(una_evaluations *w, const una_dataset *table)
{
    una_model *model, *other;
    una_fit_settings fit = w->setup->fit;
    UNA_TRY(una_held_fit(&model, w->keys[0]->spec, table, &fit, w->run));
    const una_fit_info *info = una_model_info(model);
    una_score score = { .size = sizeof score, .log_lik = info->valid_log_lik, .rmse = info->valid_rmse };
    if (info->valid_rows == 0 && fit.valid) {
        UNA_TRY(una_model_score(&score, model, fit.valid, w->run));
    } else if (info->valid_rows == 0) {                  /* the kind holds none out */
        UNA_TRY(cut_table(w, table, fit.valid_fraction, w->run->settings.seed));
        fit.valid_fraction = 0;
        UNA_TRY(una_held_fit(&other, w->keys[0]->spec, w->train, &fit, w->run));
        UNA_TRY(una_model_score(&score, other, w->test, w->run));
    }
    return note_evaluation(w->value, &score, model, w);
}

static una_status evaluate_one_posterior(una_evaluation *v, const char *set, const una_evaluations *w)
{
    una_score score = { .size = sizeof score };
    una_model *model = w->fitted;
    if (set) UNA_TRY(una_posterior_with(&model, w->fitted, w->train, set, w->run));
    UNA_TRY(una_model_score(&score, model, w->test, w->run));
    return note_evaluation(v, &score, model, w);
}

static una_status evaluate_posterior(const una_evaluations *w, size_t i)
{
    const char *features, *set;
    double share = una_model_info(w->fitted)->seconds / (double)w->count;
    UNA_TRY(una_evaluation_features(&features, &set, w->keys[i], w->arena, w->run));
    una_status status = evaluate_one_posterior(&w->value[i], set, w);
    w->value[i].seconds = share + (set && status == UNA_OK ? w->value[i].seconds : 0);
    return allow_numeric_failure(status, w->keys[i], w->run);
}

/* One training; the test rows take no part in it, nor in the posteriors. */
static una_status evaluate_by_given_rows(una_evaluations *w)
{
    const char *features, *set;
    una_fit_settings fit = w->setup->fit;
    fit.valid = NULL;
    fit.valid_fraction = 0;
    UNA_TRY(una_evaluation_features(&features, &set, w->keys[0], w->arena, w->run));
    una_status status = w->fitted ? UNA_OK : una_fit(&w->fitted, features, w->train, &fit, w->run);
    if (status != UNA_OK) return allow_numeric_failure(status, w->keys[0], w->run);
    for (size_t i = 0; i < w->count; i++) UNA_SCOPED(w->run, evaluate_posterior(w, i));
    return UNA_OK;
}

una_status una_evaluate_keys(una_evaluations *w)
{
    const una_row_key *key = w->keys[0];
    const una_evaluation_setup *setup = w->setup;
    size_t t = 0;
    for (size_t i = 0; i < w->count; i++) w->value[i] = (una_evaluation){ { NAN, NAN, NAN }, 0, w->keys[i]->spec };
    while (t < setup->count && strcmp(setup->names[t], key->data) != 0) t++;
    if (t == setup->count) UNA_FAIL(w->run, UNA_E_INPUT, "there is no table %s", key->data);
    w->train = setup->tables[t];
    w->test = setup->fit.valid;
    if (key->split == 0 && !setup->test_only)
        return allow_numeric_failure(evaluate_by_own_rows(w, w->train), key, w->run);
    if (key->split > 0) UNA_TRY(cut_table(w, w->train, setup->fit.valid_fraction, key->split));
    return evaluate_by_given_rows(w);
}
