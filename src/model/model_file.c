/* SPDX-License-Identifier: MIT
 *
 * Saving and loading: one exchange for both directions. The header repeats for people what the blocks hold for the
 * program; loading reads the blocks only. Nothing that changes from run to run (time, path, host, threads) is written.
 */
#include "model/beyond.h"
#include "model/several.h"

#include "la/la.h"

/* Limits of a file; and the bytes that one of each takes in it, at least: a target has a dozen blocks of its own. */
enum { MOST_TARGETS = 1 << 16, LEAST_TARGET = 256, MOST_SENTENCES = 10000, LEAST_SENTENCE = 20 };

static void add_json_names(una_text *json, const una_columns *c)
{
    for (size_t i = 0; i < c->source_count; i++) {
        if (i) una_text_add(json, ", ");
        una_text_json(json, c->sources[i].name);
    }
}

/* All but the first ones. */
static void add_json_sentences(una_text *json, const char *key, const char *const *text, size_t count, size_t first)
{
    una_text_add(json, ",\n \"%s\": [", key);
    for (size_t i = first; i < count; i++) {
        if (i > first) una_text_add(json, ", ");
        una_text_json(json, text[i]);
    }
    una_text_add(json, "]");
}

static void add_json_number(una_text *json, const char *key, double value)
{
    una_text_add(json, ", \"%s\": ", key);
    una_text_number(json, value);
}

static void add_json_relevance(una_text *json, const una_model *model)
{
    if (!model->info.relevance) return;
    una_text_add(json, ",\n \"relevance\": {");
    for (size_t i = 0; i < model->columns.source_count; i++) {
        if (i) una_text_add(json, ", ");
        una_text_json(json, model->columns.sources[i].name);
        una_text_add(json, ": ");
        una_text_number(json, model->info.relevance[i]);
    }
    una_text_add(json, "}");
}

/* What the fit to one target found. */
static void add_findings(una_text *json, const una_fit_info *info)
{
    add_json_number(json, "noise_std", info->noise_std);
    if (isfinite(info->noise_freedom)) add_json_number(json, "noise_scale", info->noise_scale);
    if (isfinite(info->noise_freedom)) add_json_number(json, "noise_freedom", info->noise_freedom);
    if (isfinite(info->prior_var)) add_json_number(json, "prior_var", info->prior_var);
    add_json_number(json, "log_evidence", info->log_evidence);
    if (isfinite(info->mean_cos2)) add_json_number(json, "mean_cos2", info->mean_cos2);
    una_text_add(json, ",\n \"valid\": {\"rows\": %zu", info->valid_rows);
    if (info->valid_rows) {
        add_json_number(json, "rmse", info->valid_rmse);
        add_json_number(json, "log_lik", info->valid_log_lik);
    }
    una_text_add(json, "}");
}

/* What updates brought. */
static void add_json_updates(una_text *json, const una_fit_info *info)
{
    if (!info->updates) return;
    una_text_add(json, ",\n \"updates\": {\"count\": %zu, \"rows_added\": %zu", info->updates, info->rows_added);
    if (info->added_scored) {
        add_json_number(json, "mean_z2", info->added_z2);
        add_json_number(json, "log_lik", info->added_log_lik);
    }
    una_text_add(json, "}");
}

static void add_json_levels(una_text *json, const una_model *model)
{
    una_text_add(json, ",\n \"spec\": ");
    una_text_json(json, model->info.spec);
    una_text_add(json, ",\n \"options\": %s", model->options_json);
    add_json_sentences(json, "warnings", model->info.warnings, model->info.warning_count, model->columns.file_warnings);
    add_json_sentences(json, "notes", model->info.notes, model->info.note_count, model->columns.file_notes);
}

static void add_part(una_text *json, const una_model *part)
{
    una_text_json(json, part->info.target);
    una_text_add(json, ": {\"rows\": %zu", part->info.rows);
    add_findings(json, &part->info);
    add_json_updates(json, &part->info);
    add_json_relevance(json, part);
    una_text_add(json, ",\n \"steps\": %zu", part->info.steps);
    add_json_levels(json, part);
    una_text_add(json, "}");
}

static void add_json_targets(una_text *json, const una_model *model)
{
    una_text_add(json, "\"targets\": [");
    for (size_t t = 0; t < model->targets; t++) {
        if (t) una_text_add(json, ", ");
        una_text_json(json, model->target[t]->info.target);
    }
    una_text_add(json, "], \"joint\": %s", model->coupling.joint ? "true" : "false");
}

/* Rows of the matrix, one behind the other. */
static void add_correlation(una_text *json, const una_target_coupling *coupling)
{
    size_t n = coupling->outputs;
    if (!coupling->joint) return;
    una_text_add(json, ",\n \"noise_correlation\": [");
    for (size_t i = 0; i < n * n; i++) {
        if (i % n) una_text_add(json, ", ");
        else una_text_add(json, i ? "], [" : "[");
        una_text_number(json, una_correlation(coupling, i / n, i % n));
    }
    una_text_add(json, "]]");
}

static const char *header_of(const una_model *model, una_arena *arena, const una_run *run)
{
    static const char *const missing[] = { "error", "drop", "mean" };
    const una_fit_info *info = &model->info;
    una_text json = una_text_in(arena);

    una_text_add(&json, "{\"format\": \"una model\", \"una\": \"%s\", \"kind\": \"%s\", ", UNA_VERSION, info->kind);
    if (model->targets) {
        add_json_targets(&json, model);
    } else {
        una_text_add(&json, "\"target\": ");
        una_text_json(&json, info->target);
    }
    if (info->log_target) una_text_add(&json, ", \"log\": true");
    una_text_add(&json, ",\n \"columns\": [");
    add_json_names(&json, &una_model_target(model, 0)->columns);
    una_text_add(&json, "]");
    if (info->drop_count) add_json_sentences(&json, "dropped", info->drop, info->drop_count, 0);
    if (info->only_count) add_json_sentences(&json, "only", info->only, info->only_count, 0);
    if (info->group) {
        una_text_add(&json, ",\n \"group\": ");
        una_text_json(&json, info->group);
    }
    una_text_add(&json, ",\n \"missing\": \"%s\", \"other\": %zu, \"rows\": %zu, \"inputs\": %zu",
                 missing[info->missing], info->other, info->rows, info->inputs);
    if (!model->targets) add_findings(&json, info);
    add_json_updates(&json, info);
    add_correlation(&json, &model->coupling);
    add_json_relevance(&json, model);
    una_text_add(&json, ",\n \"steps\": %zu, \"kernels\": \"%s\"", info->steps, una_run_kernels(run));
    add_json_levels(&json, model);

    for (size_t t = 0; t < model->targets; t++) {
        una_text_add(&json, t ? ",\n " : ",\n \"parts\": {");
        add_part(&json, model->target[t]);
    }
    una_text_add(&json, model->targets ? "}}\n" : "}\n");
    return json.at;
}

/* A number that may be absent (NAN): absent is one block, present is two. */
static una_status exchange_maybe(una_archive *ar, const char *name, double *value)
{
    bool there = isfinite(*value);
    UNA_TRY(una_archive_flag(ar, name, &there));
    if (there) return una_archive_f64(ar, name, value);
    *value = NAN;
    return UNA_OK;
}

/* The first `own` sentences are about the file of the fit and not kept: models of equal tables have equal files. */
static una_status exchange_sentences(una_archive *ar, const char *name, const char *const **text, size_t *count,
                                     size_t own)
{
    size_t first = own < *count ? own : *count, kept = ar->loading ? 0 : *count - first;
    const char **list = NULL;
    UNA_TRY(una_archive_size(ar, name, &kept, 0, MOST_SENTENCES));
    UNA_TRY(una_archive_expect(ar, name, kept, LEAST_SENTENCE));
    if (ar->loading) UNA_NEW_AT(ar->arena, list, kept);
    for (size_t i = 0; i < kept; i++) {
        const char *sentence = ar->loading ? NULL : (*text)[first + i];
        UNA_TRY(una_archive_text(ar, name, &sentence));
        if (!sentence) return una_archive_refuse(ar, name, "holds no text");
        if (list) list[i] = sentence;
    }

    if (ar->loading) *text = list, *count = kept;
    return UNA_OK;
}

/* Absent in files older than this block, and where relevance was not learnt. */
static una_status exchange_relevance(una_model *model, una_archive *ar)
{
    const char *name = "column_relevance";
    size_t count = model->columns.source_count;
    double *values = (double *)model->info.relevance;    /* saving does not write */
    if (ar->loading ? !una_archive_next_is(ar, name) : !values) return UNA_OK;
    UNA_TRY(una_archive_f64s(ar, name, &values, count));
    if (!ar->loading) return UNA_OK;

    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0)) return una_archive_refuse(ar, name, "holds a number that is not greater than 0");
    model->info.relevance = values;
    return UNA_OK;
}

/* Absent in files older than this block, and where no rows were added since the fit. */
static una_status exchange_updates(una_fit_info *info, una_archive *ar)
{
    if (ar->loading ? !una_archive_next_is(ar, "updates") : !info->updates) return UNA_OK;
    UNA_TRY(una_archive_size(ar, "updates", &info->updates, 1, UINT64_MAX / 2));
    UNA_TRY(una_archive_size(ar, "updates.rows", &info->rows_added, 0, info->rows));
    UNA_TRY(una_archive_size(ar, "updates.scored", &info->added_scored, 0, info->rows_added));
    UNA_TRY(una_archive_f64(ar, "updates.z2", &info->added_z2));
    if (!(info->added_z2 >= 0)) return una_archive_refuse(ar, "updates.z2", "is negative");
    return una_archive_f64(ar, "updates.log_lik", &info->added_log_lik);
}

static una_status exchange_info(una_model *model, una_archive *ar)
{
    una_fit_info *info = &model->info;

    UNA_TRY(una_archive_text(ar, "spec", &info->spec));
    UNA_TRY(una_archive_text(ar, "options", &model->options_json));
    if (!info->spec || !model->options_json) return una_archive_refuse(ar, "spec", "is empty");
    if (ar->loading && !una_json_is_object(model->options_json)) return una_archive_refuse(ar, "options", "is no JSON");

    UNA_TRY(una_archive_size(ar, "rows", &info->rows, 0, UINT64_MAX / 2));
    UNA_TRY(una_archive_size(ar, "valid_rows", &info->valid_rows, 0, UINT64_MAX / 2));
    UNA_TRY(una_archive_size(ar, "steps", &info->steps, 0, UINT64_MAX / 2));
    UNA_TRY(una_archive_size(ar, "other", &info->other, 0, UINT64_MAX / 2));
    UNA_TRY(exchange_maybe(ar, "noise_std", &info->noise_std));
    UNA_TRY(exchange_maybe(ar, "prior_var", &info->prior_var));
    UNA_TRY(exchange_maybe(ar, "log_evidence", &info->log_evidence));
    UNA_TRY(exchange_maybe(ar, "mean_cos2", &info->mean_cos2));
    UNA_TRY(exchange_maybe(ar, "valid_rmse", &info->valid_rmse));
    UNA_TRY(exchange_maybe(ar, "valid_log_lik", &info->valid_log_lik));
    UNA_TRY(exchange_sentences(ar, "warnings", &info->warnings, &info->warning_count, model->columns.file_warnings));
    UNA_TRY(exchange_sentences(ar, "notes", &info->notes, &info->note_count, model->columns.file_notes));
    UNA_TRY(exchange_updates(info, ar));

    una_info_of_columns(info, &model->columns);
    return UNA_OK;
}

/* Absent in files older than this block, and where it is 1. */
static una_status exchange_spread(una_model *model, una_archive *ar)
{
    if (ar->loading) model->spread = 1;
    if (ar->loading ? !una_archive_next_is(ar, "spread") : model->spread == 1) return UNA_OK;
    UNA_TRY(una_archive_f64(ar, "spread", &model->spread));
    return model->spread > 0 && model->spread <= 1e3 ? UNA_OK : una_archive_refuse(ar, "spread", "is out of range");
}

/* Where the noise has heavy tails; other files have none of it. */
static una_status exchange_noise(una_fit_info *info, una_archive *ar)
{
    if (ar->loading) info->noise_scale = info->noise_std, info->noise_freedom = HUGE_VAL;
    if (ar->loading ? !una_archive_next_is(ar, "noise_scale") : !isfinite(info->noise_freedom)) return UNA_OK;
    UNA_TRY(una_archive_f64(ar, "noise_scale", &info->noise_scale));
    UNA_TRY(una_archive_f64(ar, "noise_freedom", &info->noise_freedom));
    return info->noise_scale > 0 && info->noise_freedom > 0 ? UNA_OK
                                                            : una_archive_refuse(ar, "noise_scale", "is no noise");
}

/* What was learnt, once kind and columns are known. */
static una_status exchange_learnt(una_model *model, una_archive *ar)
{
    UNA_TRY(exchange_info(model, ar));
    UNA_TRY(exchange_noise(&model->info, ar));
    UNA_TRY(exchange_relevance(model, ar));
    ar->inputs = model->columns.input_count;
    if (ar->loading) {
        UNA_NEW_BYTES_AT(ar->arena, model->state, una_calls(model->kind)->state_size);
    }
    UNA_TRY(una_kind_exchange(model->kind, una_calls(model->kind), model->state, ar));
    UNA_TRY(exchange_spread(model, ar));
    return una_beyond_exchange(&model->beyond, ar);
}

/* ---- several targets ------------------------------------------------------------------------------------------- */

/* Pairs may be valid while three contradict each other. */
static una_status check_noise_covariance(const una_target_coupling *coupling, una_archive *ar)
{
    size_t n = coupling->outputs;
    UNA_NEW(&ar->run->scratch, double, r, n * n);
    una_correlations(r, coupling, n);
    una_status status = una_chol(r, n, "the noise", ar->run);
    if (status != UNA_E_NUMERIC) return status;
    una_clear_message(ar->run);
    return una_archive_refuse(ar, "targets.noise", "is not a covariance");
}

static una_status exchange_coupling(una_target_coupling *coupling, size_t targets, una_archive *ar)
{
    bool joint = coupling->joint;
    UNA_TRY(una_archive_flag(ar, "targets.joint", &joint));
    if (ar->loading) *coupling = (una_target_coupling){ .outputs = targets, .joint = joint };
    if (!joint) return UNA_OK;
    UNA_TRY(una_archive_f64s(ar, "targets.noise", &coupling->noise, targets * targets));

    const double *noise = coupling->noise;
    for (size_t i = 0; ar->loading && i < targets * targets; i++) {
        size_t a = i / targets, b = i % targets;
        double own = sqrt(noise[a * (targets + 1)]) * sqrt(noise[b * (targets + 1)]);
        if (!(own > 0 && fabs(noise[i]) <= own * (1 + 1e-12) && noise[i] == noise[b * targets + a]))
            return una_archive_refuse(ar, "targets.noise", "is not a covariance");
    }
    if (ar->loading) UNA_SCOPED(ar->run, check_noise_covariance(coupling, ar));
    return UNA_OK;
}

/* Parts to save are copies, because exchange may write to its arguments. */
static una_status copy_parts(una_model *model, una_archive *ar)
{
    una_model *copies = UNA_GET(ar->arena, una_model, model->targets), **target = model->target;
    UNA_NEW_AT(ar->arena, model->target, model->targets);
    for (size_t t = 0; t < model->targets; t++) {
        copies[t] = *target[t];
        model->target[t] = &copies[t];
    }
    return UNA_OK;
}

/* No fit makes such a model: its answer columns would have equal names. */
static una_status refuse_shared_titles(const una_model *model, una_archive *ar)
{
    size_t one, other;
    const char *title;
    UNA_TRY(una_several_shared_title(&title, &one, &other, model, ar->run));
    if (!title) return UNA_OK;
    return una_archive_refuse(ar, "columns.target", "has names whose answers would be columns of one name");
}

/* The sources are written once; then each target's own; then what they have in common. */
static una_status exchange_several(una_model *model, una_archive *ar)
{
    size_t targets = model->targets;
    UNA_TRY(una_archive_size(ar, "targets", &targets, 2, MOST_TARGETS));
    UNA_TRY(una_archive_expect(ar, "targets", targets, LEAST_TARGET));
    UNA_TRY(ar->loading ? una_several_blank(model, targets, ar->run) : copy_parts(model, ar));

    UNA_NEW(ar->arena, una_columns *, columns, targets);
    for (size_t t = 0; t < targets; t++) {
        columns[t] = &model->target[t]->columns;
        model->target[t]->kind = model->kind;
        model->target[t]->info.kind = model->kind->name;
    }
    UNA_TRY(una_columns_exchange(columns, targets, ar));
    if (ar->loading) UNA_SCOPED(ar->run, refuse_shared_titles(model, ar));
    UNA_TRY(exchange_info(model, ar));
    for (size_t t = 0; t < targets; t++) UNA_TRY(exchange_learnt(model->target[t], ar));
    UNA_TRY(exchange_coupling(&model->coupling, targets, ar));
    return ar->loading ? una_several_describe(model) : UNA_OK;
}

static una_status exchange_model(una_model *model, una_archive *ar)
{
    UNA_TRY(una_kind_exchange_name(&model->kind, "kind", ar));
    model->info.kind = model->kind->name;
    if (ar->loading ? una_archive_next_is(ar, "targets") : model->targets > 0) return exchange_several(model, ar);
    UNA_TRY(una_columns_exchange(&(una_columns *){ &model->columns }, 1, ar));
    return exchange_learnt(model, ar);
}

static una_status save_in(const una_model *model, una_archive *ar, una_run *run)
{
    una_arena *arena = &run->scratch;
    const char *header = header_of(model, arena, run);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_archive_save_begin(ar, header, arena, run));
    una_model copy = *model;             /* exchange may write to its argument; saving does not */
    UNA_TRY(exchange_model(&copy, ar));
    return una_archive_save_end(ar);
}

/* A copy for the caller. */
static una_status give_bytes(void **to, const void *bytes, size_t size, una_run *run)
{
    *to = una_allocate(run, size);
    if (*to) memcpy(*to, bytes, size);
    return *to ? UNA_OK : UNA_E_MEMORY;
}

una_status una_model_save_memory(const una_model *model, void **bytes, size_t *size, una_run *run)
{
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_archive ar = {0};
    *bytes = NULL;
    *size = 0;

    una_status status = save_in(model, &ar, run);
    if (status == UNA_OK) status = give_bytes(bytes, ar.bytes, ar.size, run);
    if (status == UNA_OK) *size = ar.size;
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status save_to(const una_model *model, const char *path, una_run *run)
{
    una_archive ar = {0};
    una_file file = {0};
    UNA_TRY(save_in(model, &ar, run));
    UNA_TRY(una_file_begin(&file, path, &run->scratch, run));
    UNA_TRY(una_file_write(&file, ar.bytes, ar.size, run));
    return una_file_commit(&file, run);
}

una_status una_model_save(const una_model *model, const char *path, una_run *run)
{
    una_clear_message(run);
    UNA_SCOPED(run, save_to(model, path, run));
    return UNA_OK;
}

static una_status load_model(una_model **out, const void *bytes, size_t size, const char *origin, una_run *run)
{
    una_model *model;
    *out = NULL;
    UNA_TRY(una_model_blank(&model, run));
    una_archive ar = {0};
    una_status status = una_archive_load_begin(&ar, bytes, size, origin, NULL, &model->keep, run);
    if (status == UNA_OK) status = exchange_model(model, &ar);
    if (status == UNA_OK) status = una_archive_load_end(&ar);
    if (status == UNA_OK) status = una_arena_check(&model->keep);
    if (status == UNA_OK) *out = model;
    else una_model_free(model);
    return status;
}

una_status una_model_load_memory(una_model **model, const void *bytes, size_t size, una_run *run)
{
    una_clear_message(run);
    return load_model(model, bytes, size, "memory", run);
}

una_status una_model_load(una_model **model, const char *path, una_run *run)
{
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    unsigned char *bytes;
    size_t size;
    *model = NULL;
    una_status status = una_archive_slurp(&bytes, &size, path, &run->scratch, run);
    if (status == UNA_OK) status = load_model(model, bytes, size, path, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_file_info(char **json, const char *path, una_run *run)
{
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    const char *header;
    *json = NULL;

    una_status status = una_archive_header(&header, path, &run->scratch, run);
    if (status == UNA_OK && !una_json_is_object(header))
        status = una_fail(run, UNA_E_INPUT, "%s: the model file's header is no JSON; copy it again from where it came "
                          "from, or fit the model again", path);
    void *copy = NULL;
    if (status == UNA_OK) status = give_bytes(&copy, header, strlen(header) + 1, run);
    *json = copy;
    una_arena_release(&run->scratch, mark);
    return status;
}
