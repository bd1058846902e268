/* SPDX-License-Identifier: MIT
 *
 * Questions to the registry: which models there are, and which options they take.
 */
#include "model/kind.h"

const una_kind *una_kind_find(const char *name)
{
    for (size_t i = 0; una_kinds[i]; i++)
        if (strcmp(una_kinds[i]->name, name) == 0) return una_kinds[i];
    return NULL;
}

una_status una_kind_need(const una_kind **kind, const char *name, una_run *run)
{
    *kind = una_kind_find(name);
    if (*kind) return UNA_OK;
    const char *names[64];
    size_t count = 0;
    una_text list = una_text_in(&run->scratch);
    for (; count < 64 && una_kinds[count]; count++) {
        names[count] = una_kinds[count]->name;
        una_text_add(&list, "%s%s", count ? ", " : "", names[count]);
    }
    const char *near = una_nearest(name, names, count);
    UNA_FAIL(run, UNA_E_USAGE, "there is no model '%s'%s%s%s The models are %s", name, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : ".", list.at);
}

const char *una_kinds_that(bool (*can)(const una_kind *kind), una_run *run)
{
    una_text list = una_text_in(&run->scratch);
    for (size_t i = 0; una_kinds[i]; i++)
        if (can(una_kinds[i])) una_text_add(&list, "%s%s", list.length ? ", " : "", una_kinds[i]->name);
    return list.at;
}

static bool sees_images(const una_kind *kind)
{
    return kind->fit_to.images != NULL;
}

una_status una_kind_need_images(const una_kind *kind, una_run *run)
{
    if (sees_images(kind)) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s cannot be fitted to images; these can: %s; name one with --model", kind->name,
             una_kinds_that(sees_images, run));
}

una_status una_kind_fit(una_fitting *f)
{
    const una_kind *kind = f->kind;
    if (f->anchor) return kind->fit_to.anchor(f);
    if (f->coupling && una_problem_outputs(f->problem) > 1) return kind->fit_to.targets(f);
    if (f->run->rank_group) return kind->fit_to.part(f);
    return (una_columns_image(f->problem->columns).height ? kind->fit_to.images : kind->fit)(f);
}

una_status una_kind_predict(const una_kind *kind, const void *state, una_view x, una_predictive *out, una_run *run)
{
    UNA_SCOPED(run, kind->predict(state, x, out, run));
    return UNA_OK;
}

static una_status ask_point(const una_kind *kind, const void *state, const double *x, size_t inputs, double *mean,
                            double *var, una_run *run)
{
    double noise;
    una_predictive out = { .mean = mean, .var_model = var, .var_noise = &noise };
    return una_kind_predict(kind, state, (una_view){ x, 1, inputs, inputs }, &out, run);
}

static una_status slope_by_differences(const una_kind *kind, const void *state, double *x, size_t inputs,
                                       una_slope *out, una_run *run)
{
    const double step = 1e-3;            /* answers in float differ by 1e-7 for no reason */
    UNA_TRY(ask_point(kind, state, x, inputs, &out->mean, &out->var, run));
    for (size_t d = 0; d < inputs; d++) {
        double mean[2] = {0}, var[2] = {0}, at = x[d];
        for (int side = 0; side < 2; side++) {
            x[d] = side ? at + step : at - step;
            UNA_TRY(ask_point(kind, state, x, inputs, &mean[side], &var[side], run));
        }
        x[d] = at;
        out->dmean[d] = (mean[1] - mean[0]) / (2 * step);
        out->dvar[d] = (var[1] - var[0]) / (2 * step);
    }
    return UNA_OK;
}

una_status una_kind_slope(const una_kind *kind, const void *state, double *x, size_t inputs, una_slope *out,
                          una_run *run)
{
    UNA_SCOPED(run, kind->slope ? kind->slope(state, x, out, run)
                                : slope_by_differences(kind, state, x, inputs, out, run));
    return UNA_OK;
}

/* ---- the function as a mixture --------------------------------------------------------------------------------- */

size_t una_kind_part_count(const una_kind *kind, const void *state)
{
    return kind->parts ? kind->part_count(state) : 1;
}

una_status una_kind_parts(const una_kind *kind, const void *state, una_view x, const una_gaussians *out, una_run *run)
{
    return kind->parts ? kind->parts(state, x, out, run) : una_kind_one_part(kind, state, x, out, run);
}

una_status una_predictive_new(una_predictive *p, size_t rows, una_arena *arena)
{
    UNA_NEW_AT(arena, p->mean, rows);
    UNA_NEW_AT(arena, p->var_model, rows);
    UNA_NEW_AT(arena, p->var_noise, rows);
    if (!p->parts) return UNA_OK;
    UNA_NEW_AT(arena, p->part_mean, rows * p->parts);
    UNA_NEW_AT(arena, p->part_var, rows * p->parts);
    UNA_NEW_AT(arena, p->part_weight, p->parts);
    return UNA_OK;
}

una_status una_gaussians_new(una_gaussians *g, size_t rows, size_t inputs, una_arena *arena)
{
    UNA_NEW_AT(arena, g->weight, g->parts);
    UNA_NEW_AT(arena, g->mean, rows * g->parts);
    UNA_NEW_AT(arena, g->var, rows * g->parts);
    if (!inputs) return UNA_OK;
    UNA_NEW_AT(arena, g->dmean, rows * g->parts * inputs);
    UNA_NEW_AT(arena, g->dvar, rows * g->parts * inputs);
    return UNA_OK;
}

static una_status one_part_values(const una_kind *kind, const void *state, una_view x, const una_gaussians *out,
                                  una_run *run)
{
    una_predictive p = {0};
    UNA_TRY(una_predictive_new(&p, x.rows, &run->scratch));
    UNA_SCOPED(run, kind->predict(state, x, &p, run));
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r * out->parts] = p.mean[r];
        out->var[r * out->parts] = p.var_model[r];
    }
    return UNA_OK;
}

static una_status one_part_slopes(const una_kind *kind, const void *state, una_view x, const una_gaussians *out,
                                  una_run *run)
{
    UNA_NEW(&run->scratch, double, point, x.cols);
    for (size_t r = 0; r < x.rows; r++) {
        size_t at = r * out->parts;
        una_slope slope = { .dmean = out->dmean + at * x.cols, .dvar = out->dvar + at * x.cols };
        memcpy(point, x.at + r * x.stride, x.cols * sizeof *point);
        UNA_SCOPED(run, una_kind_slope(kind, state, point, x.cols, &slope, run));
        out->mean[at] = slope.mean;
        out->var[at] = slope.var;
    }
    return UNA_OK;
}

una_status una_kind_one_part(const una_kind *kind, const void *state, una_view x, const una_gaussians *out,
                             una_run *run)
{
    *out->weight = 1;
    return out->dmean ? one_part_slopes(kind, state, x, out, run) : one_part_values(kind, state, x, out, run);
}

size_t una_kind_count(void)
{
    size_t count = 0;
    while (una_kinds[count]) count++;
    return count;
}

const char *una_kind_name(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->name : NULL; }
const char *una_kind_summary(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->summary : NULL; }
const char *una_kind_source(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->source : NULL; }
const char *una_kind_preset(size_t kind) { return kind < una_kind_count() ? una_kinds[kind]->thesis : NULL; }
int una_kind_updates(size_t kind) { return kind < una_kind_count() && una_kinds[kind]->observe; }
int una_kind_relearns(size_t kind) { return kind < una_kind_count() && una_kinds[kind]->relearn; }

size_t una_kind_option_count(size_t kind)
{
    size_t count = 0;
    if (kind >= una_kind_count()) return 0;
    while (una_kinds[kind]->options[count].name) count++;
    return count;
}

una_status una_kind_option(una_option_info *info, size_t kind, size_t option, una_run *run)
{
    una_option_info found;
    UNA_TRY(UNA_CHECK_SIZE(info, una_option_info, run));
    if (option >= una_kind_option_count(kind))
        UNA_FAIL(run, UNA_E_USAGE, "there is no option %zu of model %zu", option, kind);
    una_mark mark = una_arena_mark(&run->texts);
    una_option_describe(&found, &una_kinds[kind]->options[option], &run->texts);
    una_struct_give(info, &found, sizeof found);
    una_status status = una_arena_check(&run->texts);
    if (status != UNA_OK) una_arena_release(&run->texts, mark);
    return status;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* The name itself, or the nearest one; NULL: none is near. */
static const char *name_like(const una_kind *kind, const char *key)
{
    enum { MOST_OPTIONS = 128 };
    const char *names[MOST_OPTIONS];
    size_t count = 0;
    for (const una_option *o = kind->options; count < MOST_OPTIONS && o->name; o++) {
        if (strcmp(o->name, key) == 0) return o->name;
        names[count++] = o->name;
    }
    return una_nearest(key, names, count);
}

/* The first kind inside, among those that an option of the kind can hold, with an option of that name or one near to
 * it. */
static const una_kind *who_has(const una_kind *kind, const char *key, const char **name)
{
    for (const una_option *o = kind->options; o->name; o++) {
        const una_kind *inside = o->type == UNA_TEXT ? una_kind_find(o->name) : NULL;
        *name = inside ? name_like(inside, key) : NULL;
        if (*name) return inside;
    }
    return NULL;
}

static una_status refuse_option_of_another(const una_kind *kind, const una_kind *inside, const char *name,
                                           const una_spec_item *item, una_run *run)
{
    una_text value = una_text_in(&run->scratch);
    una_spec_value(&value, item->value);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_FAIL(run, UNA_E_USAGE, "%s has no option '%.80s', but %s has %s: give the model as '%s(%s=%.80s)' or as "
             "'%s(%s=%s(%s=%.80s))'", kind->name, item->key, inside->name,
             strcmp(name, item->key) == 0 ? "it" : name, inside->name, name, value.at, kind->name, inside->name,
             inside->name, name, value.at);
}

una_status una_kind_set(void *options, const una_kind *kind, const una_spec *spec, una_arena *arena, una_run *run)
{
    for (size_t i = 0; i < spec->count; i++) {
        const char *name;
        const una_kind *inside = name_like(kind, spec->items[i].key) ? NULL : who_has(kind, spec->items[i].key, &name);
        if (inside) return refuse_option_of_another(kind, inside, name, &spec->items[i], run);
    }
    return una_options_apply(options, kind->options, kind->name, spec, arena, run);
}

una_status una_kind_options(void **options, const una_kind *kind, const char *text, una_arena *arena, una_run *run)
{
    una_spec spec;
    UNA_NEW_BYTES_AT(arena, *options, kind->options_size);
    UNA_TRY(una_options_default(*options, kind->options, run));
    UNA_TRY(una_spec_parse(&spec, text, arena, run));
    return una_options_apply(*options, kind->options, kind->name, &spec, arena, run);
}

/* ---- specs ---------------------------------------------------------------------------------------------------- */

/* Whether the option's value is the spec of another kind, and not `none`. */
static bool holds_spec(const una_kind *kind, const char *option, const char *value)
{
    return kind->spec_options && una_choice(kind->spec_options, option) >= 0 && strcmp(value, "none") != 0;
}

/* How often the numbers of the spec's kind and of those inside it have changed. */
static una_status add_changes(unsigned *changes, const char *text, int depth, una_run *run)
{
    enum { DEEPEST = 4 };
    una_arena *arena = &run->scratch;
    una_spec spec;
    const una_kind *kind;
    UNA_TRY(una_spec_parse(&spec, text, arena, run));
    UNA_TRY(una_kind_need(&kind, spec.name, run));
    UNA_NEW_BYTES(arena, void, options, kind->options_size);
    UNA_TRY(una_options_default(options, kind->options, run));
    UNA_TRY(una_kind_set(options, kind, &spec, arena, run));
    *changes += kind->results;

    for (const una_option *o = kind->options; kind->spec_options && depth < DEEPEST && o->name; o++) {
        if (o->type != UNA_TEXT) continue;
        const char *value = *(const char *const *)(const void *)((const char *)options + o->offset);
        if (holds_spec(kind, o->name, value)) UNA_TRY(add_changes(changes, value, depth + 1, run));
    }
    return UNA_OK;
}

una_status una_spec_check(const char *text, unsigned *results, una_run *run)
{
    unsigned changes = 1;
    una_clear_message(run);
    UNA_SCOPED(run, add_changes(&changes, text, 0, run));
    if (results) *results = changes;
    return UNA_OK;
}

static const char *given_value(const una_spec *spec, const char *key)
{
    const char *value = NULL;
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->items[i].key, key) == 0) value = spec->items[i].value;      /* the last one counts */
    return value;
}

/* For a spec that was checked before. */
static una_status write_inner_spec(una_text *text, const char *source, una_run *run)
{
    una_arena *arena = &run->scratch;
    una_spec spec;
    const una_kind *kind;
    UNA_TRY(una_spec_parse(&spec, source, arena, run));
    UNA_TRY(una_kind_need(&kind, spec.name, run));
    UNA_NEW_BYTES(arena, void, options, kind->options_size);
    UNA_TRY(una_options_apply(options, kind->options, kind->name, &spec, arena, run));
    una_text_add(text, "%s", kind->name);

    bool first = true;
    for (const una_option *o = kind->options; o->name; o++) {
        const char *value = given_value(&spec, o->name);
        if (!value) continue;
        una_text_add(text, first ? "(" : ", ");
        first = false;
        if (holds_spec(kind, o->name, value)) {
            una_text inside = una_text_in(arena);
            UNA_TRY(write_inner_spec(&inside, value, run));
            UNA_TRY(una_arena_check(arena));
            una_text_add(text, "%s=", o->name);
            una_spec_value(text, inside.at);
        } else {
            const una_option one[] = { *o, { .name = NULL } };
            una_options_text(text, options, one, "");
        }
    }
    if (!first) una_text_add(text, ")");
    return UNA_OK;
}

una_status una_spec_text(const char **text, const char *spec, una_run *run)
{
    *text = NULL;
    UNA_TRY(una_spec_check(spec, NULL, run));
    una_mark scratch = una_arena_mark(&run->scratch), kept = una_arena_mark(&run->texts);
    una_text written = una_text_in(&run->texts);
    una_status status = write_inner_spec(&written, spec, run);
    if (status == UNA_OK) status = una_arena_check(&run->texts);
    una_arena_release(&run->scratch, scratch);
    if (status == UNA_OK) *text = written.at;
    else una_arena_release(&run->texts, kept);
    return status;
}

static una_status leaf_without_head(const una_kind *kind, const void *state, una_view x, double weight,
                                    una_leaf_task *task, void *context, una_run *run)
{
    una_predictive p = {0};
    UNA_TRY(una_predictive_new(&p, x.rows, &run->scratch));
    UNA_TRY(kind->predict(state, x, &p, run));
    return task(context, &(una_leaf){ .weight = weight, .mean = p.mean, .var = p.var_model }, run);
}

una_status una_kind_leaves(const una_kind *kind, const void *state, una_view x, double weight, una_leaf_task *task,
                           void *context, una_run *run)
{
    UNA_SCOPED(run, kind->leaves ? kind->leaves(state, x, weight, task, context, run)
                                 : leaf_without_head(kind, state, x, weight, task, context, run));
    return UNA_OK;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

una_status una_kind_exchange_name(const una_kind **kind, const char *block, una_archive *ar)
{
    const char *name = ar->loading ? NULL : (*kind)->name;
    UNA_TRY(una_archive_text(ar, block, &name));
    if (ar->loading) *kind = name ? una_kind_find(name) : NULL;
    return *kind ? UNA_OK : una_archive_refuse(ar, block, "names a model that this una does not have");
}

una_status una_kind_exchange(const una_kind *kind, const una_kind *calls, void *state, una_archive *ar)
{
    const una_kind *before = ar->kind;
    ar->kind = calls != kind ? kind : NULL;
    una_status status = calls->exchange(state, ar);
    ar->kind = before;
    return status;
}

static una_status copy_state(void **copy, const una_learnt *of, una_arena *arena, una_run *run)
{
    una_archive out = {0}, in = {0};
    UNA_TRY(una_archive_save_begin(&out, "{}", &run->scratch, run));
    out.inputs = of->inputs;
    UNA_TRY(una_kind_exchange(of->kind, of->calls, of->state, &out));
    UNA_TRY(una_archive_save_end(&out));

    UNA_NEW_BYTES_AT(arena, *copy, of->calls->state_size);
    UNA_TRY(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, arena, run));
    in.inputs = of->inputs;
    UNA_TRY(una_kind_exchange(of->kind, of->calls, *copy, &in));
    return una_archive_load_end(&in);
}

una_status una_state_copy(void **copy, const una_learnt *of, una_arena *arena, una_run *run)
{
    UNA_SCOPED(run, copy_state(copy, of, arena, run));
    return UNA_OK;
}
