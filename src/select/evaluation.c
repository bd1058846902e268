/* SPDX-License-Identifier: MIT
 *
 * Fits, recomputed posteriors and scores on rows that did not train: see evaluation.h.
 */
#include "select/evaluation.h"

#include "base/option.h"

#include <inttypes.h>

const char *const una_evaluation_measures[UNA_EVALUATION_COUNT] = { [UNA_EVALUATION_LOG_LIK] = "log_lik",
    [UNA_EVALUATION_RMSE] = "rmse",
                                                   [UNA_EVALUATION_COS2] = "mean_cos2" };

/* ---- what the key says --------------------------------------------------------------------------------------- */

static const char *value_in(const una_spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->items[i].key, key) == 0) return spec->items[i].value;
    return NULL;
}

/* The default of an option. */
static una_status initial_of(const char **initial, const char *kind, const char *key, una_run *run)
{
    una_option_info option;
    una_status status = una_option_named(&option, kind, key, run);
    *initial = option.initial;
    return status;
}

static void add_spec_item(una_text *text, const char *open, const char *key, const char *value)
{
    una_text_add(text, "%s%s=", text->length ? ", " : open, key);
    una_spec_value(text, value);
}

/* Divides the options of a spec into those that train the features and those that the posterior is computed with. An
 * option with the value that the features were trained with needs no setting. The defaults of a preset are not known
 * here, so with a preset all options of the posterior are set. */
static una_status divide_spec(una_text *features, una_text *set, const una_spec *spec, const una_spec *swept,
                              bool preset, una_run *run)
{
    for (size_t i = 0; i < spec->count; i++) {
        const una_spec_item *item = &spec->items[i];
        const char *trained = value_in(swept, item->key);
        bool by_default = trained && strcmp(trained, "default") == 0;
        if (!trained || !by_default) add_spec_item(features, "(", item->key, trained ? trained : item->value);
        if (!trained) continue;
        if (by_default) UNA_TRY(initial_of(&trained, spec->name, item->key, run));
        if (by_default && preset) trained = NULL;
        if (!trained || strcmp(trained, item->value) != 0) add_spec_item(set, "", item->key, item->value);
    }
    if (features->length) una_text_add(features, ")");
    return UNA_OK;
}

una_status una_evaluation_features(const char **features, const char **set, const una_row_key *key, una_arena *arena,
                                   una_run *run)
{
    una_spec study, spec, swept;
    una_text inside = una_text_in(arena), other = una_text_in(arena), whole = una_text_in(arena);
    *features = key->spec;
    *set = NULL;
    UNA_TRY(una_spec_parse(&study, key->study, arena, run));
    const char *listed = value_in(&study, "swept");
    if (!listed) return UNA_OK;

    UNA_TRY(una_spec_parse_items(&swept, listed, arena, run));
    UNA_TRY(una_spec_parse(&spec, key->spec, arena, run));
    UNA_TRY(divide_spec(&inside, &other, &spec, &swept, value_in(&study, "preset") != NULL, run));
    una_text_add(&whole, "%s%s", spec.name, inside.length ? inside.at : "");
    UNA_TRY(una_arena_check(arena));
    *features = whole.at;
    *set = other.length ? other.at : "";
    return UNA_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

typedef struct halves {                  /* of a table                                                      */
    const una_dataset *train, *test;
    una_dataset       *cut[2];           /* the parts that are ours to free                                 */
} halves;

static una_status cut_table(halves *h, const una_dataset *table, double share, uint64_t seed, una_run *run)
{
    una_split split = UNA_INIT(una_split);
    UNA_TRY(una_split_random(&split, una_dataset_row_count(table), share > 0 ? share : 0.2, seed, run));
    una_status status = una_dataset_rows(&h->cut[0], table, split.train, split.train_count, run);
    if (status == UNA_OK) status = una_dataset_rows(&h->cut[1], table, split.test, split.test_count, run);
    h->train = h->cut[0];
    h->test = h->cut[1];
    una_split_free(&split, run);
    return status;
}

static void halves_free(halves *h)
{
    una_dataset_free(h->cut[0]);
    una_dataset_free(h->cut[1]);
}

/* ---- evaluations --------------------------------------------------------------------------------------------- */

static una_status note_evaluation(una_evaluation *v, const una_score *score, const una_model *model, una_arena *arena)
{
    const una_fit_info *info = una_model_info(model);
    v->value[UNA_EVALUATION_LOG_LIK] = score->log_lik;
    v->value[UNA_EVALUATION_RMSE] = score->rmse;
    v->value[UNA_EVALUATION_COS2] = info->mean_cos2;
    v->options = una_arena_text(arena, info->spec);
    v->seconds = info->seconds;
    return una_arena_check(arena);
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
static una_status evaluate_by_own_rows(una_evaluation *v, const una_dataset *table, const una_evaluation_setup *setup,
                                       const una_row_key *key, una_arena *arena, una_run *run)
{
    una_model *model = NULL, *other = NULL;
    una_fit_settings fit = setup->fit;
    halves h = {0};
    UNA_TRY(una_fit(&model, key->spec, table, &fit, run));
    const una_fit_info *info = una_model_info(model);
    una_score score = { .size = sizeof score, .log_lik = info->valid_log_lik, .rmse = info->valid_rmse };
    una_status status = UNA_OK;
    if (info->valid_rows == 0 && fit.valid) {
        status = una_model_score(&score, model, fit.valid, run);
    } else if (info->valid_rows == 0) {                  /* the kind holds none out */
        status = cut_table(&h, table, fit.valid_fraction, run->settings.seed, run);
        fit.valid_fraction = 0;
        if (status == UNA_OK) status = una_fit(&other, key->spec, h.train, &fit, run);
        if (status == UNA_OK) status = una_model_score(&score, other, h.test, run);
    }
    if (status == UNA_OK) status = note_evaluation(v, &score, model, arena);
    una_model_free(other);
    una_model_free(model);
    halves_free(&h);
    return status;
}

static una_status evaluate_one_posterior(una_evaluation *v, const una_model *fitted, const char *set, const halves *h,
                                         una_arena *arena, una_run *run)
{
    una_score score = { .size = sizeof score };
    una_model *refit = NULL;
    if (set) UNA_TRY(una_model_relearn(&refit, fitted, h->train, &set, *set ? 1 : 0, run));
    const una_model *model = refit ? refit : fitted;
    una_status status = una_model_score(&score, model, h->test, run);
    if (status == UNA_OK) status = note_evaluation(v, &score, model, arena);
    una_model_free(refit);
    return status;
}

static una_status evaluate_posteriors(una_evaluation *v, const una_model *fitted, const halves *h,
                                      const una_row_key *const *keys, size_t count, una_arena *arena, una_run *run)
{
    double share = una_model_info(fitted)->seconds / (double)count;
    for (size_t i = 0; i < count; i++) {
        const char *features, *set;
        UNA_TRY(una_evaluation_features(&features, &set, keys[i], arena, run));
        una_status status = evaluate_one_posterior(&v[i], fitted, set, h, arena, run);
        v[i].seconds = share + (set && status == UNA_OK ? v[i].seconds : 0);
        UNA_TRY(allow_numeric_failure(status, keys[i], run));
    }
    return UNA_OK;
}

/* One training; the test rows take no part in it, nor in the posteriors. */
static una_status evaluate_by_given_rows(una_evaluation *v, const halves *h, const una_evaluation_setup *setup,
                                         const una_row_key *const *keys, size_t count, una_model **fitted,
                                         una_arena *arena, una_run *run)
{
    const char *features, *set;
    una_fit_settings fit = setup->fit;
    fit.valid = NULL;
    fit.valid_fraction = 0;
    UNA_TRY(una_evaluation_features(&features, &set, keys[0], arena, run));
    una_status status = *fitted ? UNA_OK : una_fit(fitted, features, h->train, &fit, run);
    if (status == UNA_OK) return evaluate_posteriors(v, *fitted, h, keys, count, arena, run);
    return allow_numeric_failure(status, keys[0], run);
}

una_status una_evaluate_keys(una_evaluation *evaluations, const una_evaluation_setup *setup,
                             const una_row_key *const *keys, size_t count, una_model **fitted, una_arena *arena,
                             una_run *run)
{
    const una_row_key *key = keys[0];
    una_model *unwanted = NULL;
    halves h = {0};
    size_t t = 0;
    for (size_t i = 0; i < count; i++) {
        evaluations[i] = (una_evaluation){ .options = keys[i]->spec };
        for (size_t k = 0; k < UNA_EVALUATION_COUNT; k++) evaluations[i].value[k] = NAN;
    }
    while (t < setup->count && strcmp(setup->names[t], key->data) != 0) t++;
    if (t == setup->count) UNA_FAIL(run, UNA_E_INPUT, "there is no table %s", key->data);

    const una_dataset *table = setup->tables[t];
    if (key->split == 0 && !setup->test_only)
        return allow_numeric_failure(evaluate_by_own_rows(evaluations, table, setup, key, arena, run), key, run);
    una_status status = UNA_OK;
    if (key->split > 0) status = cut_table(&h, table, setup->fit.valid_fraction, key->split, run);
    else h = (halves){ .train = table, .test = setup->fit.valid };
    if (status == UNA_OK)
        status = evaluate_by_given_rows(evaluations, &h, setup, keys, count, fitted ? fitted : &unwanted, arena, run);
    una_model_free(unwanted);
    halves_free(&h);
    return status;
}
