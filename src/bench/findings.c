/* SPDX-License-Identifier: MIT
 *
 * From the rows of a plan to groups and their means. Rows of another results version have other keys: they are never
 * found here, and so never mixed in.
 */
#include "bench/experiment.h"

const una_group *una_findings_group(const una_findings *f, const char *model, const char *data)
{
    for (size_t g = 0; g < f->group_count; g++) {
        const char *its = una_group_key(&f->groups[g])->data;
        if (strcmp(f->groups[g].model, model) == 0 && (!data || una_is_item(its, una_row_key_data(its), data)))
            return &f->groups[g];
    }
    return NULL;
}

const una_group *una_findings_on(const una_findings *f, const char *spec, const char *data)
{
    for (size_t g = 0; g < f->group_count; g++) {
        const una_row_key *key = una_group_key(&f->groups[g]);
        if (strcmp(key->data, data) == 0 && (!spec || strcmp(key->spec, spec) == 0)) return &f->groups[g];
    }
    return NULL;
}

const una_row_key *una_group_key(const una_group *group)
{
    return &group->findings->fits[group->from].key;
}

const una_group *una_findings_next(const una_findings *f, const una_group *after, const char *data)
{
    for (const una_group *g = after ? after + 1 : f->groups; g < f->groups + f->group_count; g++)
        if (!data || strcmp(una_group_key(g)->data, data) == 0) return g;
    return NULL;
}

static double of_group(const double *value, const una_group *group, size_t measure)
{
    return value[(size_t)(group - group->findings->groups) * group->findings->measures + measure];
}

double una_group_mean(const una_group *group, size_t measure)
{
    return of_group(group->findings->mean, group, measure);
}
double una_group_sd(const una_group *group, size_t measure)
{
    return of_group(group->findings->sd, group, measure);
}

double una_findings_value(const una_findings *f, size_t fit, size_t measure)
{
    return f->value[fit * f->measures + measure];
}

double una_group_quantile(const una_group *group, size_t measure, double share, una_arena *arena)
{
    una_mark mark = una_arena_mark(arena);
    double *value = UNA_GET(arena, double, group->count), result = NAN;
    bool whole = value != NULL;
    for (size_t i = 0; whole && i < group->count; i++) {
        value[i] = una_findings_value(group->findings, group->from + i, measure);
        whole = isfinite(value[i]);
    }
    if (whole) result = una_quantile(value, group->count, share);
    una_arena_release(arena, mark);
    return result;
}

size_t una_group_fit(const una_group *group, const una_row_key *like)
{
    const una_row *fits = group->findings->fits;
    for (size_t i = group->from; i < group->from + group->count; i++)
        if (fits[i].key.seed == like->seed && fits[i].key.split == like->split) return i;
    return SIZE_MAX;
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

static bool same_group(const una_row_key *a, const una_row_key *b)
{
    return strcmp(a->spec, b->spec) == 0 && strcmp(a->data, b->data) == 0 && strcmp(a->study, b->study) == 0;
}

static const char *kind_of(const una_asked *asked, const una_row_key *key)
{
    const una_bench_model *owner = asked->experiment->owner ? asked->experiment->owner(key, asked) : NULL;
    if (owner) return owner->kind;
    for (size_t i = 0; i < asked->model_count; i++)
        if (strcmp(asked->models[i].spec, key->spec) == 0) return asked->models[i].kind;
    for (size_t k = 0; k < una_kind_count(); k++) {              /* a spec that the experiment planned by itself */
        size_t length = strlen(una_kind_name(k));
        if (strncmp(key->spec, una_kind_name(k), length) == 0 && strchr("(", key->spec[length]))
            return una_kind_name(k);
    }
    return key->spec;
}

/* order [keys]: the plan's keys, group by group, each group in the plan's order. */
static void sort_groups(size_t *order, una_group *groups, una_findings *f, const una_plan *plan, const una_asked *asked)
{
    size_t placed = 0, count = 0;
    for (size_t first = 0; first < plan->count; first++) {
        bool known = false;
        for (size_t g = 0; g < count && !known; g++)
            known = same_group(&plan->keys[order[groups[g].from]], &plan->keys[first]);
        if (known) continue;

        groups[count++] = (una_group){ kind_of(asked, &plan->keys[first]), placed, 0, f };
        for (size_t i = first; i < plan->count; i++)
            if (same_group(&plan->keys[first], &plan->keys[i])) order[placed++] = i;
        groups[count - 1].count = placed - groups[count - 1].from;
    }
    f->group_count = count;
}

/* ---- values and means ---------------------------------------------------------------------------------------- */

static una_status take_row(una_row *row, double *value, const una_row_key *key, const una_bench_measure *measures,
                           una_store *store, una_arena *keep, una_run *run)
{
    bool found;
    size_t m = 0;
    UNA_TRY(una_store_find(&found, row, store, key, keep, run));
    if (!found) UNA_FAIL(run, UNA_E_IO, "a row of results has gone from the store while it was in use; run again");
    for (; measures[m].name; m++) {
        size_t at = una_row_find(row, measures[m].name);
        value[m] = at == SIZE_MAX ? NAN : row->value[at];
    }
    value[m] = row->seconds;
    return UNA_OK;
}

static void take_mean(double *mean, double *sd, const una_findings *f, const una_group *group, size_t measure)
{
    double sum = 0, square = 0, n = (double)group->count;
    const double *value = f->value + group->from * f->measures + measure;
    for (size_t i = 0; i < group->count; i++) sum += value[i * f->measures];
    *mean = sum / n;
    for (size_t i = 0; i < group->count; i++) {
        double off = value[i * f->measures] - *mean;
        square += off * off;
    }
    *sd = sqrt(square / fmax(n - 1, 1));
}

una_status una_findings_gather(una_findings *f, const una_plan *plan, const una_asked *asked, una_store *store,
                               una_arena *keep, una_run *run)
{
    size_t measures = 1;                         /* seconds */
    while (asked->experiment->measures[measures - 1].name) measures++;
    size_t *order = UNA_GET(keep, size_t, plan->count);
    una_row *fits = UNA_GET(keep, una_row, plan->count);
    una_group *groups = UNA_GET(keep, una_group, plan->count);
    double *value = UNA_GET(keep, double, plan->count * measures);
    double *mean = UNA_GET(keep, double, plan->count * measures), *sd = UNA_GET(keep, double, plan->count * measures);
    UNA_TRY(una_arena_check(keep));

    *f = (una_findings){ .fits = fits, .value = value, .count = plan->count, .measures = measures, .groups = groups,
                         .mean = mean, .sd = sd, .experiment = asked->experiment };
    sort_groups(order, groups, f, plan, asked);
    for (size_t i = 0; i < plan->count; i++)
        UNA_TRY(take_row(&fits[i], value + i * measures, &plan->keys[order[i]], asked->experiment->measures, store,
                         keep, run));
    if (asked->experiment->compare) asked->experiment->compare(value, f);

    for (size_t g = 0; g < f->group_count; g++)
        for (size_t m = 0; m < measures; m++)
            take_mean(&mean[g * measures + m], &sd[g * measures + m], f, &groups[g], m);
    return UNA_OK;
}
