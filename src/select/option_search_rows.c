/* SPDX-License-Identifier: MIT
 *
 * The rows of a search, made with as few trainings as there are different features, and the means of its specs.
 */
#include "select/option_search.h"

#include "base/ranks.h"

#include <stdatomic.h>

/* ---- what was trained ---------------------------------------------------------------------------------------- */

enum { MOST_PUT_OFF = 256 << 20 };       /* bytes */

/* Trained models of groups, as bytes. The list only grows, so reading it needs no lock. */
typedef struct una_trained_model {
    struct una_trained_model *next;
    void       *bytes;
    size_t      size;
    uint64_t    split, seed;
    char        text[];                  /* study, data and spec, each with its zero byte                   */
} una_trained_model;

static bool is_trained_for(const una_trained_model *one, const una_row_key *group)
{
    const char *data = one->text + strlen(one->text) + 1, *spec = data + strlen(data) + 1;
    return one->split == group->split && one->seed == group->seed && strcmp(one->text, group->study) == 0 &&
           strcmp(data, group->data) == 0 && strcmp(spec, group->spec) == 0;
}

static una_status take_trained_model(una_model **model, una_option_search *search, const una_row_key *group,
                                     una_run *run)
{
    const una_trained_model *one = search->trained_models;
    while (one && !is_trained_for(one, group)) one = one->next;
    return one ? una_model_load_memory(model, one->bytes, one->size, run) : UNA_OK;
}

static una_status keep_trained_model(una_option_search *search, const una_model *model, const una_row_key *group,
                                     una_run *run)
{
    size_t study = strlen(group->study) + 1, data = strlen(group->data) + 1, spec = strlen(group->spec) + 1, size;
    void *bytes;
    UNA_TRY(una_model_save_memory(model, &bytes, &size, run));
    bool fits = atomic_fetch_add(&search->trained_bytes, size) + size <= MOST_PUT_OFF;
    una_trained_model *one = fits ? una_allocate(run, sizeof *one + study + data + spec) : NULL;
    if (!one) {
        una_memory_free(bytes, run);
        return fits ? UNA_E_MEMORY : UNA_OK;
    }
    *one = (una_trained_model){ .bytes = bytes, .size = size, .split = group->split, .seed = group->seed };
    memcpy(one->text, group->study, study);
    memcpy(one->text + study, group->data, data);
    memcpy(one->text + study + data, group->spec, spec);
    one->next = search->trained_models;
    while (!atomic_compare_exchange_weak(&search->trained_models, &one->next, one)) continue;
    return UNA_OK;
}

void una_option_search_end(una_option_search *search, una_run *run)
{
    for (una_trained_model *one = search->trained_models, *next; one; one = next) {
        next = one->next;
        una_memory_free(one->bytes, run);
        una_release(run, one);
    }
    search->trained_models = NULL;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Keys that share a training form a group. The key of a group has the spec of the features. */
typedef struct batch {
    una_option_search *option_search;
    una_plan  plan, groups, first;       /* first: one key of each group whose row is missing                      */
    size_t   *head, *next;               /* [groups], [keys]: 1 + index of a key, 0 ends                           */
} batch;

static una_status search_find_row(bool *found, una_row *row, una_option_search *search, const una_row_key *key,
                                  una_arena *arena, una_run *run)
{
    UNA_TRY(una_store_find(found, row, search->store, key, arena, run));
    for (size_t k = 0; *found && k < UNA_EVALUATION_COUNT; k++)
        *found = una_row_find(row, una_evaluation_measures[k]) != SIZE_MAX;
    return UNA_OK;
}

static una_status search_row_exists(bool *there, una_option_search *search, const una_row_key *key, una_run *run)
{
    una_row row;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = search_find_row(there, &row, search, key, &run->scratch, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* The keys that are made together with `key`: itself first, then those of its group that the store lacks. group: the
 * key of the group; its spec is NULL where `key` has no group. */
static una_status list_group(const una_row_key ***keys, size_t *count, una_row_key *group, batch *b,
                             const una_row_key *key, una_arena *arena, una_run *run)
{
    const char *set;
    size_t most = 1;
    *group = *key;
    *count = 0;
    UNA_TRY(una_evaluation_features(&group->spec, &set, key, arena, run));
    if (!set) group->spec = NULL;
    size_t g = set ? una_plan_find(&b->groups, group) : SIZE_MAX;
    for (size_t i = g == SIZE_MAX ? 0 : b->head[g]; i; i = b->next[i - 1]) most++;
    *keys = UNA_GET(arena, const una_row_key *, most);
    UNA_TRY(una_arena_check(arena));

    (*keys)[(*count)++] = key;
    for (size_t i = g == SIZE_MAX ? 0 : b->head[g]; i; i = b->next[i - 1]) {
        const una_row_key *other = &b->plan.keys[i - 1];
        bool there = una_row_key_same(other, key);
        if (!there) UNA_TRY(search_row_exists(&there, b->option_search, other, run));
        if (!there) (*keys)[(*count)++] = other;
    }
    return UNA_OK;
}

static una_status add_group_rows(una_outcome *outcome, const una_row_key *const *keys, const una_evaluation *v,
                                 size_t count, una_run *run)
{
    UNA_NEW(outcome->arena, una_row, row, count);
    for (size_t i = 0; i < count; i++)
        row[i] = (una_row){ .key = *keys[i], .measure = una_evaluation_measures, .value = v[i].value,
            .count = UNA_EVALUATION_COUNT,
            .options = v[i].options, .kernels = una_run_kernels(run), .commit = una_build_commit(),
            .seconds = v[i].seconds };
    outcome->extra = row;
    outcome->extra_count = count;
    return UNA_OK;
}

static una_status make_group(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    batch *b = context;
    una_option_search *search = b->option_search;
    const una_row_key **keys;
    una_row_key group;
    una_model *model = NULL;
    size_t count;
    UNA_TRY(list_group(&keys, &count, &group, b, key, outcome->arena, run));
    UNA_NEW(outcome->arena, una_evaluation, v, count);
    if (group.spec && search->keep_trained) UNA_TRY(take_trained_model(&model, search, &group, run));
    bool known = model != NULL;
    if (!known) search->trained++;
    una_status status = una_evaluate_keys(v, &search->setup, keys, count, group.spec ? &model : NULL, outcome->arena,
                                          run);
    if (status == UNA_OK && model && !known && search->keep_trained)
        status = keep_trained_model(search, model, &group, run);
    una_model_free(model);
    UNA_TRY(status);
    if (count > 1) UNA_TRY(add_group_rows(outcome, keys + 1, v + 1, count - 1, run));
    for (size_t k = 0; k < UNA_EVALUATION_COUNT; k++) outcome->value[k] = v->value[k];
    outcome->options = v->options;
    outcome->seconds = v->seconds;
    return UNA_OK;
}

/* Puts the rows of a spec into the groups of their features. */
static una_status group_spec(batch *b, size_t spec, size_t from, size_t rows, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    const char *features, *set;
    una_status status = una_evaluation_features(&features, &set, &b->plan.keys[(spec - from) * rows], &run->scratch,
                                                run);
    if (status == UNA_OK) features = una_arena_text(b->plan.arena, features);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);
    for (size_t k = (spec - from + 1) * rows; k-- > (spec - from) * rows;) {
        una_row_key group = b->plan.keys[k];
        group.spec = features;
        una_plan_add(&b->groups, group);
        UNA_TRY(una_arena_check(b->plan.arena));
        size_t g = una_plan_find(&b->groups, &group);
        b->next[k] = b->head[g];
        b->head[g] = k + 1;
    }
    return UNA_OK;
}

/* Plans the first key of each group whose row is missing. */
static una_status plan_groups(batch *b, una_run *run)
{
    for (size_t g = b->groups.count; g-- > 0;) {
        bool there = true;
        for (size_t i = b->head[g]; there && i; i = b->next[i - 1]) {
            UNA_TRY(search_row_exists(&there, b->option_search, &b->plan.keys[i - 1], run));
            if (!there) una_plan_add(&b->first, b->plan.keys[i - 1]);
        }
    }
    return una_arena_check(b->plan.arena);
}

/* Specs are different, so the rows of one spec are adjacent in the plan. */
static una_status plan_rows(batch *b, size_t from, size_t to, una_run *run)
{
    una_option_search *search = b->option_search;
    size_t rows = una_option_search_row_count(search);
    for (size_t i = from; i < to; i++)
        for (size_t r = 0; r < rows; r++) {
            una_row_key key = una_option_search_key(search, i, r, run);
            una_plan_add(&b->plan, key);
            if (!search->swept[search->specs_scored[i].model]) una_plan_add(&b->first, key);
        }
    UNA_NEW_AT(b->plan.arena, b->head, b->plan.count);
    UNA_NEW_AT(b->plan.arena, b->next, b->plan.count);
    for (size_t i = to; i-- > from;)                     /* backwards, so that the lists are in the order of the plan */
        if (search->swept[search->specs_scored[i].model]) UNA_TRY(group_spec(b, i, from, rows, run));
    return plan_groups(b, run);
}

static una_status make_missing_rows(batch *b, const una_plan *plan, una_run *run)
{
    una_option_search *search = b->option_search;
    una_sweep sweep = { .store = search->store, .plan = plan, .measures = una_evaluation_measures,
        .measure_count = UNA_EVALUATION_COUNT,
                        .make = search->make ? search->make : make_group, .context = search->make ? search->context : b,
                        .ranks = search->ranks };
    if (plan->count == 0) return UNA_OK;
    una_status status = una_sweep_run(&sweep, run);
    search->made += sweep.made + sweep.extra;
    return status;
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

static double search_mean(const double *value, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += value[i];
    return sum / (double)count;
}

static double sd_of(const double *value, size_t count)
{
    double mean = search_mean(value, count), square = 0;
    for (size_t i = 0; i < count; i++) square += (value[i] - mean) * (value[i] - mean);
    return count > 1 ? sqrt(square / (double)(count - 1)) : NAN;
}

/* value [measures and seconds][rows] */
static una_status search_read_rows(double *value, una_option_search *search, size_t index, size_t rows, una_run *run)
{
    for (size_t r = 0; r < rows; r++) {
        bool found;
        una_row row;
        una_row_key key = una_option_search_key(search, index, r, run);
        una_mark mark = una_arena_mark(&run->scratch);
        una_status status = search_find_row(&found, &row, search, &key, &run->scratch, run);
        for (size_t k = 0; status == UNA_OK && found && k < UNA_EVALUATION_COUNT; k++)
            value[k * rows + r] = row.value[una_row_find(&row, una_evaluation_measures[k])];
        if (status == UNA_OK && found) value[UNA_EVALUATION_COUNT * rows + r] = row.seconds;
        una_arena_release(&run->scratch, mark);
        UNA_TRY(status);
        if (!found)
            UNA_FAIL(run, UNA_E_IO, "%s: the results of %s were there and are gone", una_store_path(search->store),
                     key.spec);
    }
    return UNA_OK;
}

static una_status sum_up_spec(una_option_search *search, size_t index, double *value, una_run *run)
{
    una_scored_spec *one = &search->specs_scored[index];
    size_t rows = una_option_search_row_count(search), each = rows / search->setup.count;
    UNA_TRY(search_read_rows(value, search, index, rows, run));
    const double *log_lik = value + UNA_EVALUATION_LOG_LIK * rows, *rmse = value + UNA_EVALUATION_RMSE * rows;
    const double *cos2 = value + UNA_EVALUATION_COS2 * rows;
    one->log_lik = search_mean(log_lik, rows);
    one->log_lik_sd = sd_of(log_lik, rows);
    one->rmse = search_mean(rmse, rows);
    one->rmse_sd = sd_of(rmse, rows);
    one->mean_cos2 = search_mean(cos2, rows);
    one->seconds = search_mean(value + UNA_EVALUATION_COUNT * rows, rows);
    for (size_t t = 0; t < search->setup.count; t++)
        one->per_table[t] = (una_candidate){ search_mean(log_lik + t * each, each), search_mean(rmse + t * each, each),
                                      search_mean(cos2 + t * each, each) };
    return UNA_OK;
}

static una_status sum_up_all(una_option_search *search, size_t from, size_t to, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    double *value = UNA_GET(&run->scratch, double, (UNA_EVALUATION_COUNT + 1) * una_option_search_row_count(search));
    una_status status = una_arena_check(&run->scratch);
    for (size_t i = from; status == UNA_OK && i < to; i++) status = sum_up_spec(search, i, value, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Each rank has counted its own trainings since `before`. */
static una_status count_trained(una_option_search *search, size_t before, una_run *run)
{
    const una_ranks *outer = run->settings.ranks;
    double now = (double)(search->trained - before);
    una_ranks_show(run, search->ranks);
    una_status status = una_ranks_sum(&now, 1, run);
    una_ranks_show(run, outer);
    search->trained = before + (size_t)now;
    return status;
}

/* Groups first; then rows that another process left out because it was stopped between two rows. */
una_status una_option_search_fit_rows(una_option_search *search, size_t from, size_t to, una_run *run)
{
    size_t before = search->trained;
    una_arena arena;
    una_arena_init(&arena, run);
    batch b = { .option_search = search, .plan = { .arena = &arena }, .groups = { .arena = &arena },
        .first = { .arena = &arena } };
    una_status status = plan_rows(&b, from, to, run);
    if (status == UNA_OK) status = make_missing_rows(&b, &b.first, run);
    if (status == UNA_OK && b.groups.count > 0) status = make_missing_rows(&b, &b.plan, run);
    una_arena_free(&arena);
    UNA_TRY(status);
    UNA_TRY(count_trained(search, before, run));
    return sum_up_all(search, from, to, run);
}
