/* SPDX-License-Identifier: MIT
 *
 * The specs of a search: checking the request, naming keys, adding specs, and ordering them. option_search_rows.c
 * makes their rows.
 */
#include "select/option_search.h"

#include <inttypes.h>

enum { PATIENCE = 200 };                 /* consecutive draws without a new spec */

/* ---- what names a row ---------------------------------------------------------------------------------------- */

static una_status name_tables(una_option_search *search)
{
    una_evaluation_setup *setup = &search->setup;
    UNA_NEW_AT(search->kept.keep, setup->names, setup->count);
    for (size_t t = 0; t < setup->count; t++) {
        UNA_TRY(una_row_key_table(&setup->names[t], setup->tables[t], setup->fit.target, search->kept.keep,
                                  search->kept.run));
        for (size_t k = 0; k < t; k++)
            if (strcmp(setup->names[k], setup->names[t]) == 0)
                UNA_FAIL(search->kept.run, UNA_E_USAGE, "the data set %.*s was given twice; name each once",
                         (int)una_row_key_data(setup->names[t]), setup->names[t]);
    }
    return UNA_OK;
}

/* "prior_var=1, noise_std=default": the options that the features of a model are trained with. */
static const char *trained_with(una_option_search *search, const una_option_space *space)
{
    una_text text = una_text_in(search->kept.keep);
    for (size_t a = 0; a < space->count; a++) {
        if (!space->axis[a].posterior) continue;
        const char *value = una_spec_find(&space->model, space->axis[a].key);
        una_text_add(&text, "%s%s=", text.length ? ", " : "", space->axis[a].key);
        una_spec_value(&text, value ? value : "default");
    }
    return text.at ? text.at : "";
}

/* "tune(test=0.2, missing=mean, ...)": all settings that change numbers and are not in the spec. */
static una_status name_study(una_option_search *search, size_t model)
{
    const una_fit_settings *fit = &search->setup.fit;
    double share = fit->valid_fraction > 0 ? fit->valid_fraction : 0.2;
    char number[32], rows[32];
    una_text study = una_text_in(search->kept.keep);
    una_text_add(&study, "%s", search->kept.name);
    snprintf(rows, sizeof rows, "rows#%08" PRIx32, fit->valid ? una_table_sum(fit->valid) : 0);
    if (fit->valid) una_spec_add(&study, search->setup.test_only ? "test" : "valid", rows);
    else if (search->splits > 0) una_spec_add(&study, "test", una_number_text(number, share));
    else if (fit->valid_fraction > 0) una_spec_add(&study, "valid", una_number_text(number, share));
    una_kept_add_settings(&study, fit, NULL);
    if (search->swept[model]) una_spec_add(&study, "swept", trained_with(search, &search->spaces[model]));
    una_spec_close(&study);
    search->study[model] = study.at;
    return una_arena_check(search->kept.keep);
}

/* ---- what is asked for --------------------------------------------------------------------------------------- */

static una_status search_check_request(const una_option_search *search)
{
    const una_fit_settings *fit = &search->setup.fit;
    una_run *run = search->kept.run;
    if (fit->target_count)
        UNA_FAIL(run, UNA_E_USAGE, "options are searched for one target: name it in `target`, not in `targets`");
    if (fit->valid && search->setup.count > 1)
        UNA_FAIL(run, UNA_E_USAGE, "test rows of a file fit one data set only; with several, give a share");
    if (fit->valid && search->splits > 0)
        UNA_FAIL(run, UNA_E_USAGE, "test rows come from a file or from random splits: give one of the two");
    UNA_TRY(una_kept_check_seeds("a search", search->seeds, run));
    return una_select_check(search->rule, run);
}

static size_t rows_per_table(const una_option_search *search)
{
    return (search->splits ? search->splits : 1) * search->seeds;
}

size_t una_option_search_row_count(const una_option_search *search)
{
    return search->setup.count * rows_per_table(search);
}

/* The product of specs and rows, saturated. */
static una_status check_jobs(const una_option_search *search, uint64_t specs, const char *what)
{
    uint64_t rows = una_option_search_row_count(search), jobs = specs > UINT64_MAX / rows ? UINT64_MAX : specs * rows;
    if (jobs <= UNA_MOST_FITS) return UNA_OK;
    UNA_FAIL(search->kept.run, UNA_E_USAGE, "the %s has %" PRIu64 "%s fits (%" PRIu64 " specs, each for %zu data sets, "
             "%zu splits and %zu seeds), and the most is %d; take fewer of them", what, jobs,
             jobs == UINT64_MAX ? " or more" : "", specs, search->setup.count, search->splits ? search->splits : 1,
             search->seeds, UNA_MOST_FITS);
}

static una_status check_size(const una_option_search *search, size_t trials)
{
    uint64_t specs = 0;
    if (trials > UNA_MOST_FITS)
        UNA_FAIL(search->kept.run, UNA_E_USAGE, "%zu trials are too many; the most is %d", trials, UNA_MOST_FITS);
    if (trials > 0) return check_jobs(search, (uint64_t)trials * search->model_count, "search");
    for (size_t m = 0; m < search->model_count; m++) {
        UNA_TRY(una_option_space_check_grid(&search->spaces[m], search->kept.run));
        specs += una_option_space_combinations(&search->spaces[m]);
    }
    return check_jobs(search, specs, "grid");
}

una_status una_option_search_begin(una_option_search *search, size_t trials)
{
    bool any = false;
    search->specs.arena = search->kept.keep;
    UNA_NEW_AT(search->kept.keep, search->study, search->model_count);
    UNA_NEW_AT(search->kept.keep, search->swept, search->model_count);
    UNA_TRY(search_check_request(search));
    if (search->seeds == 0) search->seeds = 1;
    for (size_t m = 0; m < search->model_count; m++)
        for (size_t a = 0; !search->refit && !search->make && a < search->spaces[m].count; a++)
            if (search->spaces[m].axis[a].posterior) any = search->swept[m] = true;
    if (any && search->setup.fit.valid) search->setup.test_only = true;
    else if (any && search->splits == 0) search->splits = 1;
    UNA_TRY(name_tables(search));
    for (size_t m = 0; m < search->model_count; m++) UNA_TRY(name_study(search, m));
    return check_size(search, trials);
}

typedef struct stored_study {
    const una_option_search *search;
    const char     *folder;
    char            other[256];          /* data of another search                                                 */
    bool            ours;
} stored_study;

static una_status check_stored_study(void *context, const char *study, const char *data, una_run *run)
{
    stored_study *l = context;
    const char *name = l->search->kept.name;
    size_t length = strlen(name);
    if (strncmp(study, name, length) != 0 || (study[length] && study[length] != '('))
        UNA_FAIL(run, UNA_E_INPUT, "%s holds results of the experiment %.*s; a search has a folder of its own: choose "
                 "another one", l->folder, (int)strcspn(study, "("), study);
    for (size_t t = 0; t < l->search->setup.count; t++)
        l->ours = l->ours || strcmp(data, l->search->setup.names[t]) == 0;
    snprintf(l->other, sizeof l->other, "%s", data);
    return UNA_OK;
}

una_status una_option_search_check_store(const una_option_search *search, const char *folder)
{
    stored_study l = { .search = search, .folder = folder };
    UNA_TRY(una_store_pairs(search->kept.store, check_stored_study, &l, search->kept.run));
    if (l.ours || !l.other[0]) return UNA_OK;
    const char *name = search->setup.names[0];
    size_t length = una_row_key_data(name), found = una_row_key_data(l.other);
    bool changed = length == found && strncmp(name, l.other, length) == 0;
    UNA_FAIL(search->kept.run, UNA_E_INPUT, "%s holds a search over %.*s%s, and none over %.*s%s; choose another "
             "folder, or remove this one if its results are not needed", folder, (int)found, l.other,
             changed ? " with other rows" : "", (int)length, name, changed ? " as it is now" : "");
}

/* ---- specs --------------------------------------------------------------------------------------------------- */

una_row_key una_option_search_key(const una_option_search *search, size_t index, size_t row)
{
    const una_scored_spec *one = &search->specs_scored[index];
    size_t each = rows_per_table(search);
    return (una_row_key){ .study = search->study[one->model], .data = search->setup.names[row / each],
                          .split = search->splits ? 1 + row % each / search->seeds : 0, .spec = one->spec,
                          .seed = search->kept.run->settings.seed + row % search->seeds, .results = one->results };
}

una_status una_option_search_add(size_t *index, una_option_search *search, size_t model, const char *const *value)
{
    size_t next = search->specs.count;
    una_arena *keep = search->kept.keep;
    const char *set;
    search->specs_scored = una_arena_grow(keep, search->specs_scored, next, &search->room, sizeof *search->specs_scored);
    UNA_TRY(una_arena_check(keep));
    una_scored_spec *one = &search->specs_scored[next];
    *one = (una_scored_spec){ .model = model };
    UNA_SCOPED(search->kept.run, una_option_space_spec(&one->spec, &one->results, &search->spaces[model], value, keep,
                                                       search->kept.run));
    una_row_key key = una_option_search_key(search, next, 0);
    una_plan_add(&search->specs, key);
    UNA_TRY(una_arena_check(keep));
    if (index) *index = una_plan_find(&search->specs, &key);
    if (search->specs.count == next) return UNA_OK;
    UNA_NEW_AT(keep, one->per_table, search->setup.count);
    return search->swept[model] ? una_evaluation_features(&one->features, &set, &key, keep, search->kept.run) : UNA_OK;
}

una_status una_option_search_add_grid(una_option_search *search, size_t model)
{
    const una_option_space *space = &search->spaces[model];
    UNA_NEW(search->kept.keep, const char *, value, space->count);
    for (uint64_t i = 0; i < una_option_space_combinations(space); i++) {
        una_option_space_at(value, space, i);
        UNA_TRY(una_option_search_add(NULL, search, model, value));
    }
    return UNA_OK;
}

una_status una_option_search_add_random(size_t *index, una_option_search *search, size_t model, size_t trials,
                                        una_rng *rng, const char **value)
{
    size_t first = search->specs.count;
    for (size_t idle = 0; search->specs.count - first < trials && idle < PATIENCE; idle++) {
        size_t before = search->specs.count;
        una_option_space_draw(value, &search->spaces[model], rng, search->kept.keep);
        UNA_TRY(una_arena_check(search->kept.keep));
        UNA_TRY(una_option_search_add(index, search, model, value));
        if (search->specs.count > before) idle = 0;
    }
    return UNA_OK;
}

/* ---- the choice ---------------------------------------------------------------------------------------------- */

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Adds the rank of each spec, index [count], on one table; ties share a rank. *best: the first one, if it has the
 * numbers that the rule needs. */
static una_status add_ranks(una_option_search *search, size_t *best, const size_t *index, size_t count, size_t table)
{
    una_run *run = search->kept.run;
    const char *rule = search->rule;
    double rank = 1;
    bool heads = false;
    UNA_NEW(&run->scratch, una_candidate, c, count);
    UNA_NEW(&run->scratch, size_t, order, count);
    for (size_t i = 0; i < count; i++) {
        c[i] = search->specs_scored[index[i]].per_table[table];
        heads = heads || !isnan(c[i].mean_cos2);
    }
    if (strcmp(rule, "two_stage") == 0 && !heads) rule = "log_lik";
    UNA_TRY(una_select_order(order, rule, c, count, run));
    UNA_TRY(una_select(best, rule, c, count, run));
    if (*best != SIZE_MAX) *best = index[*best];
    for (size_t i = 0; i < count; i++) {
        const una_candidate *one = &c[order[i]], *before = i ? &c[order[i - 1]] : NULL;
        bool equal = before && same_number(one->log_lik, before->log_lik) && same_number(one->rmse, before->rmse) &&
                     same_number(one->mean_cos2, before->mean_cos2);
        if (!equal) rank = (double)(i + 1);
        bool none = isnan(strcmp(rule, "rmse") == 0 ? one->rmse : one->log_lik);
        search->specs_scored[index[order[i]]].rank += none ? NAN : rank;
    }
    return UNA_OK;
}

typedef struct ranked { double rank, worth; size_t at; } ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (isnan(x->rank) != isnan(y->rank)) return isnan(x->rank) ? 1 : -1;
    if (!isnan(x->rank) && x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (!isnan(x->rank) && x->worth != y->worth) return x->worth > y->worth ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

una_status una_option_search_order(size_t *order, size_t *count, size_t *best_in, una_option_search *search,
                                   size_t model)
{
    size_t tables = search->setup.count;
    UNA_NEW(&search->kept.run->scratch, ranked, all, search->specs.count);
    *count = 0;
    for (size_t i = 0; i < search->specs.count; i++) {
        if (search->specs_scored[i].model != model) continue;
        search->specs_scored[i].rank = 0;
        order[(*count)++] = i;
    }
    for (size_t t = 0; t < tables; t++) UNA_TRY(add_ranks(search, &best_in[t], order, *count, t));
    for (size_t i = 0; i < *count; i++) {
        double *rank = &search->specs_scored[order[i]].rank;
        *rank /= (double)tables;                         /* the sum of ranks is exact */
        all[i] = (ranked){ *rank, una_option_search_objective(search, order[i]), order[i] };
    }
    qsort(all, *count, sizeof *all, compare_ranked);
    for (size_t i = 0; i < *count; i++) order[i] = all[i].at;
    return UNA_OK;
}

double una_option_search_objective(const una_option_search *search, size_t index)
{
    double worth = 0;
    bool by_error = strcmp(search->rule, "rmse") == 0;
    for (size_t t = 0; t < search->setup.count; t++) {
        const una_candidate *in = &search->specs_scored[index].per_table[t];
        worth += (by_error ? -log(fmax(in->rmse, 1e-300)) : in->log_lik) / (double)search->setup.count;
        if (isnan(by_error ? in->rmse : in->log_lik)) return NAN;
    }
    return worth;
}
