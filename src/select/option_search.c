/* SPDX-License-Identifier: MIT
 *
 * The specs of a search: checking the request, naming keys, adding specs, and ordering them. option_search_rows.c
 * makes their rows.
 */
#include "select/option_search.h"

#include <inttypes.h>

enum { PATIENCE = 200 };                 /* consecutive draws without a new spec */

/* ---- what names a row ---------------------------------------------------------------------------------------- */

static una_status name_tables(una_option_search *search, una_run *run)
{
    UNA_NEW(search->keep, const char *, names, search->setup.count);
    for (size_t t = 0; t < search->setup.count; t++) {
        UNA_TRY(una_row_key_table(&names[t], search->setup.tables[t], search->setup.fit.target, search->keep, run));
        for (size_t k = 0; k < t; k++)
            if (strcmp(names[k], names[t]) == 0)
                UNA_FAIL(run, UNA_E_USAGE, "the data set %.*s was given twice; name each once",
                         (int)una_row_key_data(names[t]), names[t]);
    }
    search->setup.names = names;
    return UNA_OK;
}

static void add_setting(una_text *study, const char *key, const char *value)
{
    una_text_add(study, "%s%s=", strchr(study->at, '(') ? ", " : "(", key);
    una_spec_value(study, value);
}

static una_status search_add_names(una_text *study, const char *key, const char *const *names, size_t count,
                                   una_arena *arena)
{
    una_text list = una_text_in(arena);
    for (size_t i = 0; i < count; i++) una_text_add(&list, "%s%s", i ? ", " : "", names[i]);
    UNA_TRY(una_arena_check(arena));
    if (count) add_setting(study, key, list.at);
    return UNA_OK;
}

/* "prior_var=1, noise_std=default": the options that the features of a model are trained with. */
static const char *trained_with(const una_option_search *search, const una_option_space *space)
{
    una_text text = una_text_in(search->keep);
    for (size_t a = 0; a < space->count; a++) {
        const char *value = "default";
        if (!space->axis[a].posterior) continue;
        for (size_t i = 0; i < space->model.count; i++)
            if (strcmp(space->model.items[i].key, space->axis[a].key) == 0) value = space->model.items[i].value;
        una_text_add(&text, "%s%s=", text.length ? ", " : "", space->axis[a].key);
        una_spec_value(&text, value);
    }
    return text.at ? text.at : "";
}

/* "tune(test=0.2, missing=mean, ...)": all settings that change numbers and are not in the spec. */
static una_status name_study(const char **name, const una_option_search *search, size_t model)
{
    static const char *const missing[] = { "error", "drop", "mean" };
    const una_fit_settings *fit = &search->setup.fit;
    double share = fit->valid_fraction > 0 ? fit->valid_fraction : 0.2;
    char number[32], rows[32];
    una_text study = una_text_in(search->keep);
    una_text_add(&study, "%s", search->name);
    UNA_TRY(una_arena_check(search->keep));
    snprintf(rows, sizeof rows, "rows#%08" PRIx32, fit->valid ? una_table_sum(fit->valid) : 0);
    if (fit->valid) add_setting(&study, search->setup.test_only ? "test" : "valid", rows);
    else if (search->splits > 0) add_setting(&study, "test", una_number_text(number, share));
    else if (fit->valid_fraction > 0) add_setting(&study, "valid", una_number_text(number, share));
    if (fit->missing) add_setting(&study, "missing", missing[fit->missing]);
    if (fit->other) add_setting(&study, "other", una_number_text(number, (double)fit->other));
    if (fit->log_target) add_setting(&study, "log", "on");
    if (fit->preset) add_setting(&study, "preset", fit->preset);
    UNA_TRY(search_add_names(&study, "drop", fit->drop, fit->drop_count, search->keep));
    UNA_TRY(search_add_names(&study, "only", fit->only, fit->only_count, search->keep));
    if (search->swept[model]) add_setting(&study, "swept", trained_with(search, &search->spaces[model]));
    if (strchr(study.at, '(')) una_text_add(&study, ")");
    *name = study.at;
    return una_arena_check(search->keep);
}

/* ---- what is asked for --------------------------------------------------------------------------------------- */

static una_status search_check_request(const una_option_search *search, una_run *run)
{
    const una_fit_settings *fit = &search->setup.fit;
    const uint64_t last = (uint64_t)1 << 52;
    if (fit->target_count)
        UNA_FAIL(run, UNA_E_USAGE, "options are searched for one target: name it in `target`, not in `targets`");
    if (fit->valid && search->setup.count > 1)
        UNA_FAIL(run, UNA_E_USAGE, "test rows of a file fit one data set only; with several, give a share");
    if (fit->valid && search->splits > 0)
        UNA_FAIL(run, UNA_E_USAGE, "test rows come from a file or from random splits: give one of the two");
    if (run->settings.seed > last || search->seeds > last - run->settings.seed)
        UNA_FAIL(run, UNA_E_USAGE, "seeds of a search go up to 2^52, so that every reader of its table can hold them");
    return una_select_check(search->rule, run);
}

una_status una_option_search_begin(una_option_search *search, una_run *run)
{
    const char **study = UNA_GET(search->keep, const char *, search->model_count);
    bool any = false;
    search->swept = UNA_GET(search->keep, bool, search->model_count);
    search->specs = (una_plan){ .arena = search->keep };
    UNA_TRY(una_arena_check(search->keep));
    UNA_TRY(search_check_request(search, run));
    if (search->seeds == 0) search->seeds = 1;

    for (size_t m = 0; m < search->model_count; m++) {
        for (size_t a = 0; !search->refit && !search->make && a < search->spaces[m].count; a++)
            search->swept[m] = search->swept[m] || search->spaces[m].axis[a].posterior;
        any = any || search->swept[m];
    }
    if (any && search->setup.fit.valid) search->setup.test_only = true;
    else if (any && search->splits == 0) search->splits = 1;
    UNA_TRY(name_tables(search, run));
    for (size_t m = 0; m < search->model_count; m++) UNA_TRY(name_study(&study[m], search, m));
    search->study = study;
    return UNA_OK;
}

size_t una_option_search_row_count(const una_option_search *search)
{
    return search->setup.count * (search->splits ? search->splits : 1) * search->seeds;
}

/* The product of specs and rows, saturated. */
static una_status check_jobs(const una_option_search *search, uint64_t specs, const char *what, una_run *run)
{
    uint64_t rows = una_option_search_row_count(search), jobs = specs > UINT64_MAX / rows ? UINT64_MAX : specs * rows;
    if (jobs <= UNA_MOST_FITS) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the %s has %" PRIu64 "%s fits (%" PRIu64 " specs, each for %zu data sets, %zu splits "
             "and %zu seeds), and the most is %d; take fewer of them", what, jobs, jobs == UINT64_MAX ? " or more" : "",
             specs, search->setup.count, search->splits ? search->splits : 1, search->seeds, UNA_MOST_FITS);
}

una_status una_option_search_check_grid(const una_option_search *search, una_run *run)
{
    uint64_t specs = 0;
    for (size_t m = 0; m < search->model_count; m++) {
        UNA_TRY(una_option_space_check_grid(&search->spaces[m], run));
        specs += una_option_space_combinations(&search->spaces[m]);
    }
    return check_jobs(search, specs, "grid", run);
}

una_status una_option_search_check_trials(const una_option_search *search, size_t trials, una_run *run)
{
    if (trials > UNA_MOST_FITS)
        UNA_FAIL(run, UNA_E_USAGE, "%zu trials are too many; the most is %d", trials, UNA_MOST_FITS);
    return check_jobs(search, (uint64_t)trials * search->model_count, "search", run);
}

typedef struct stored_study {
    const una_option_search *option_search;
    const char     *folder;
    char            other[256];          /* data of another search                                                 */
    bool            ours;
} stored_study;

static una_status check_stored_study(void *context, const char *study, const char *data, una_run *run)
{
    stored_study *l = context;
    size_t length = strlen(l->option_search->name);
    if (strncmp(study, l->option_search->name, length) != 0 || (study[length] && study[length] != '('))
        UNA_FAIL(run, UNA_E_INPUT, "%s holds results of the experiment %.*s; a search has a folder of its own: choose "
                 "another one", l->folder, (int)strcspn(study, "("), study);
    for (size_t t = 0; t < l->option_search->setup.count; t++)
        l->ours = l->ours || strcmp(data, l->option_search->setup.names[t]) == 0;
    snprintf(l->other, sizeof l->other, "%s", data);
    return UNA_OK;
}

una_status una_option_search_check_store(const una_option_search *search, const char *folder, una_run *run)
{
    stored_study l = { .option_search = search, .folder = folder };
    UNA_TRY(una_store_pairs(search->store, check_stored_study, &l, run));
    if (l.ours || !l.other[0]) return UNA_OK;
    const char *name = search->setup.names[0];
    size_t length = una_row_key_data(name), found = una_row_key_data(l.other);
    bool changed = length == found && strncmp(name, l.other, length) == 0;
    UNA_FAIL(run, UNA_E_INPUT, "%s holds a search over %.*s%s, and none over %.*s%s; choose another folder, or remove "
             "this one if its results are not needed", folder, (int)found, l.other,
             changed ? " with other rows" : "", (int)length, name, changed ? " as it is now" : "");
}

/* ---- specs --------------------------------------------------------------------------------------------------- */

una_row_key una_option_search_key(const una_option_search *search, size_t index, size_t row, una_run *run)
{
    const una_scored_spec *one = &search->specs_scored[index];
    size_t splits = search->splits ? search->splits : 1;
    return (una_row_key){ .study = search->study[one->model],
                          .data = search->setup.names[row / (splits * search->seeds)],
        .split = search->splits ? 1 + row / search->seeds % splits : 0, .spec = one->spec,
        .seed = run->settings.seed + row % search->seeds, .results = one->results };
}

static una_status search_make_room(una_option_search *search)
{
    if (search->specs.count < search->room) return UNA_OK;
    size_t room = search->room ? 2 * search->room : 64;
    UNA_NEW(search->keep, una_scored_spec, at, room);
    if (search->specs.count > 0) memcpy(at, search->specs_scored, search->specs.count * sizeof *at);
    search->specs_scored = at;
    search->room = room;
    return UNA_OK;
}

una_status una_option_search_add(size_t *index, una_option_search *search, size_t model, const char *const *value,
                                 una_run *run)
{
    size_t next = search->specs.count;
    UNA_TRY(search_make_room(search));
    una_scored_spec *one = &search->specs_scored[next];
    *one = (una_scored_spec){ .model = model };
    UNA_TRY(una_option_space_spec(&one->spec, &one->results, &search->spaces[model], value, search->keep, run));
    una_row_key key = una_option_search_key(search, next, 0, run);
    una_plan_add(&search->specs, key);
    UNA_TRY(una_arena_check(search->keep));
    if (index) *index = una_plan_find(&search->specs, &key);
    if (search->specs.count == next) return UNA_OK;
    one->per_table = UNA_GET(search->keep, una_candidate, search->setup.count);
    return una_arena_check(search->keep);
}

una_status una_option_search_add_grid(una_option_search *search, size_t model, una_run *run)
{
    const una_option_space *space = &search->spaces[model];
    UNA_NEW(search->keep, const char *, value, space->count);
    for (uint64_t i = 0; i < una_option_space_combinations(space); i++) {
        una_option_space_at(value, space, i);
        UNA_TRY(una_option_search_add(NULL, search, model, value, run));
    }
    return UNA_OK;
}

una_status una_option_search_add_random(una_option_search *search, size_t model, size_t trials, una_rng *rng,
                                        una_run *run)
{
    const una_option_space *space = &search->spaces[model];
    const char **value = UNA_GET(search->keep, const char *, space->count);
    size_t first = search->specs.count;
    UNA_TRY(una_arena_check(search->keep));
    for (size_t idle = 0; search->specs.count - first < trials && idle < PATIENCE; idle++) {
        size_t before = search->specs.count;
        una_option_space_draw(value, space, rng, search->keep);
        UNA_TRY(una_arena_check(search->keep));
        UNA_TRY(una_option_search_add(NULL, search, model, value, run));
        if (search->specs.count > before) idle = 0;
    }
    return UNA_OK;
}

/* ---- the choice ---------------------------------------------------------------------------------------------- */

/* Specs of one model. */
static size_t list_model(size_t *index, const una_option_search *search, size_t model)
{
    size_t count = 0;
    for (size_t i = 0; i < search->specs.count; i++)
        if (search->specs_scored[i].model == model) index[count++] = i;
    return count;
}

/* candidates [count]; returns the rule that suits them. */
static const char *line_up(una_candidate *candidates, const una_option_search *search, const size_t *index,
                           size_t count, size_t table)
{
    bool heads = false;
    for (size_t i = 0; i < count; i++) {
        candidates[i] = search->specs_scored[index[i]].per_table[table];
        heads = heads || !isnan(candidates[i].mean_cos2);
    }
    return strcmp(search->rule, "two_stage") == 0 && !heads ? "log_lik" : search->rule;
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Adds the rank of each spec on one table; ties share a rank. */
static una_status add_ranks(una_option_search *search, const size_t *index, size_t count, size_t table,
                            una_candidate *c, size_t *order, una_run *run)
{
    const char *rule = line_up(c, search, index, count, table);
    double rank = 1;
    UNA_TRY(una_select_order(order, rule, c, count, run));
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

una_status una_option_search_order(size_t *order, size_t *count, una_option_search *search, size_t model, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    size_t *index = UNA_GET(&run->scratch, size_t, search->specs.count);
    size_t *by_rule = UNA_GET(&run->scratch, size_t, search->specs.count);
    una_candidate *c = UNA_GET(&run->scratch, una_candidate, search->specs.count);
    ranked *all = UNA_GET(&run->scratch, ranked, search->specs.count);
    una_status status = una_arena_check(&run->scratch);
    *count = status == UNA_OK ? list_model(index, search, model) : 0;
    for (size_t i = 0; i < *count; i++) search->specs_scored[index[i]].rank = 0;
    for (size_t t = 0; status == UNA_OK && t < search->setup.count; t++)
        status = add_ranks(search, index, *count, t, c, by_rule, run);
    if (status == UNA_OK) {
        for (size_t i = 0; i < *count; i++)              /* the sum of ranks is exact */
            search->specs_scored[index[i]].rank /= (double)search->setup.count;
        for (size_t i = 0; i < *count; i++)
            all[i] = (ranked){ search->specs_scored[index[i]].rank, una_option_search_objective(search, index[i]),
                               index[i] };
        qsort(all, *count, sizeof *all, compare_ranked);
        for (size_t i = 0; i < *count; i++) order[i] = all[i].at;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_option_search_best_in(size_t *best, const una_option_search *search, size_t model, size_t table,
                                     una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    size_t *index = UNA_GET(&run->scratch, size_t, search->specs.count);
    una_candidate *c = UNA_GET(&run->scratch, una_candidate, search->specs.count);
    una_status status = una_arena_check(&run->scratch);
    *best = SIZE_MAX;
    if (status == UNA_OK) {
        size_t count = list_model(index, search, model);
        const char *rule = line_up(c, search, index, count, table);
        status = una_select(best, rule, c, count, run);
        if (*best != SIZE_MAX) *best = index[*best];
    }
    una_arena_release(&run->scratch, mark);
    return status;
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
