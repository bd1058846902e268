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
    una_row_key group;                   /* its texts stand in `text`                                        */
    char        text[];
} una_trained_model;

static una_status take_trained_model(una_model **model, una_option_search *search, const una_row_key *group,
                                     una_run *run)
{
    const una_trained_model *one = search->trained_models;
    while (one && !una_row_key_same(&one->group, group)) one = one->next;
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
    *one = (una_trained_model){ search->trained_models, bytes, size, *group };
    one->group.study = memcpy(one->text, group->study, study);
    one->group.data = memcpy(one->text + study, group->data, data);
    one->group.spec = memcpy(one->text + study + data, group->spec, spec);
    while (!atomic_compare_exchange_weak(&search->trained_models, &one->next, one)) continue;
    return UNA_OK;
}

void una_option_search_end(una_option_search *search)
{
    for (una_trained_model *one = search->trained_models, *next; one; one = next) {
        next = one->next;
        una_memory_free(one->bytes, search->kept.run);
        una_release(search->kept.run, one);
    }
    search->trained_models = NULL;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Keys that share a training form a group. The key of a group has the spec of the features. */
typedef struct batch {
    una_option_search *search;
    size_t    from, rows;                /* its first spec; rows of each                                           */
    una_plan  plan, groups, first;       /* first: one key of each group whose row is missing                      */
    size_t   *head, *next;               /* [groups], [keys]: 1 + index of a key, 0 ends                           */
} batch;

/* The key of the group of a key of the plan; its spec is NULL where that has none. */
static una_row_key group_of(const batch *b, size_t key)
{
    una_row_key group = b->plan.keys[key];
    group.spec = b->search->specs_scored[b->from + key / b->rows].features;
    return group;
}

/* The keys that are made together with `key`: itself first, then those of its group that the store lacks. */
static una_status list_group(una_evaluations *e, const batch *b, const una_row_key *key, const una_row_key *group)
{
    size_t most = 1, head = group->spec ? b->head[una_plan_find(&b->groups, group)] : 0;
    for (size_t i = head; i; i = b->next[i - 1]) most++;
    UNA_NEW_AT(e->arena, e->keys, most);
    e->keys[e->count++] = key;
    for (size_t i = head; i; i = b->next[i - 1]) {
        const una_row_key *other = &b->plan.keys[i - 1];
        bool there = una_row_key_same(other, key);
        if (!there) UNA_TRY(una_kept_has(&there, &b->search->kept, other, e->run));
        if (!there) e->keys[e->count++] = other;
    }
    UNA_NEW_AT(e->arena, e->value, e->count);
    return UNA_OK;
}

static una_status put_group_rows(una_outcome *outcome, const una_evaluations *e)
{
    const una_evaluation *v = e->value;
    UNA_NEW(outcome->arena, una_row, row, e->count);
    for (size_t i = 0; i < e->count; i++)
        row[i] = (una_row){ .key = *e->keys[i], .measure = una_evaluation_measures, .value = v[i].value,
                            .count = UNA_EVALUATION_COUNT, .options = v[i].options,
                            .kernels = una_run_kernels(e->run), .commit = una_build_commit(), .seconds = v[i].seconds };
    memcpy(outcome->value, v->value, sizeof v->value);
    outcome->options = v->options;
    outcome->seconds = v->seconds;
    outcome->extra = row + 1;
    outcome->extra_count = e->count - 1;
    return UNA_OK;
}

static una_status make_group(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    const batch *b = context;
    una_option_search *search = b->search;
    const una_row_key group = group_of(b, una_plan_find(&b->plan, key));
    una_evaluations e = { .setup = &search->setup, .arena = outcome->arena, .run = run };
    bool keeps = group.spec && search->keep_trained;
    UNA_TRY(list_group(&e, b, key, &group));
    if (keeps) UNA_TRY(take_trained_model(&e.fitted, search, &group, run));
    bool known = e.fitted;
    if (!known) search->trained++;
    una_status status = una_evaluate_keys(&e);
    if (status == UNA_OK && e.fitted && !known && keeps) status = keep_trained_model(search, e.fitted, &group, run);
    una_model_free(e.fitted);
    UNA_TRY(status);
    return put_group_rows(outcome, &e);
}

/* The rows of the batch, and of each group the first one that is missing. Lists of groups are filled backwards, so that
 * they are in the order of the plan. */
static una_status plan_rows(batch *b, size_t to)
{
    una_run *run = b->search->kept.run;
    for (size_t i = b->from; i < to; i++)
        for (size_t r = 0; r < b->rows; r++) {
            una_row_key key = una_option_search_key(b->search, i, r);
            una_plan_add(&b->plan, key);
            if (!b->search->specs_scored[i].features) una_plan_add(&b->first, key);
        }
    UNA_NEW_AT(b->plan.arena, b->head, b->plan.count);
    UNA_NEW_AT(b->plan.arena, b->next, b->plan.count);
    for (size_t k = b->plan.count; k-- > 0;) {
        una_row_key group = group_of(b, k);
        if (!group.spec) continue;
        una_plan_add(&b->groups, group);
        UNA_TRY(una_arena_check(b->plan.arena));
        size_t g = una_plan_find(&b->groups, &group);
        b->next[k] = b->head[g];
        b->head[g] = k + 1;
    }
    for (size_t g = b->groups.count; g-- > 0;) {
        bool there = true;
        for (size_t i = b->head[g]; there && i; i = b->next[i - 1]) {
            UNA_TRY(una_kept_has(&there, &b->search->kept, &b->plan.keys[i - 1], run));
            if (!there) una_plan_add(&b->first, b->plan.keys[i - 1]);
        }
    }
    return una_arena_check(b->plan.arena);
}

/* Groups first; then rows that another process left out because it was stopped between two rows. */
static una_status make_batch(batch *b, size_t to)
{
    una_option_search *search = b->search;
    una_make_row *make = search->make ? search->make : make_group;
    void *context = search->make ? search->context : b;
    UNA_TRY(plan_rows(b, to));
    UNA_TRY(una_kept_make(&search->made, &search->kept, &b->first, make, context));
    return b->groups.count ? una_kept_make(&search->made, &search->kept, &b->plan, make, context) : UNA_OK;
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

static una_status sum_up_spec(una_option_search *search, size_t index)
{
    una_scored_spec *one = &search->specs_scored[index];
    size_t rows = una_option_search_row_count(search), each = rows / search->setup.count;
    UNA_NEW(&search->kept.run->scratch, double, value, (UNA_EVALUATION_COUNT + 1) * rows);
    for (size_t r = 0; r < rows; r++) {
        una_row_key key = una_option_search_key(search, index, r);
        UNA_SCOPED(search->kept.run, una_kept_read(value + r, rows, &search->kept, &key));
    }
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

/* Each rank has counted its own trainings since `before`. */
static una_status count_trained(una_option_search *search, size_t before)
{
    una_run *run = search->kept.run;
    const una_ranks *outer = run->settings.ranks;
    double now = (double)(search->trained - before);
    una_ranks_show(run, search->kept.ranks);
    una_status status = una_ranks_sum(&now, 1, sizeof now, run);
    una_ranks_show(run, outer);
    search->trained = before + (size_t)now;
    return status;
}

una_status una_option_search_fit_rows(una_option_search *search, size_t from, size_t to)
{
    size_t before = search->trained;
    una_arena *scratch = &search->kept.run->scratch;
    batch b = { search, from, una_option_search_row_count(search), { .arena = scratch }, { .arena = scratch },
                { .arena = scratch }, NULL, NULL };
    UNA_SCOPED(search->kept.run, make_batch(&b, to));
    UNA_TRY(count_trained(search, before));
    for (size_t i = from; i < to; i++) UNA_SCOPED(search->kept.run, sum_up_spec(search, i));
    return UNA_OK;
}
