/* SPDX-License-Identifier: MIT
 *
 * What all models share: options from spec and preset, columns and scaling, the user's units.
 * Scaling happens once, here, so that no kind can leak or forget it.
 */
#include "model/log_target.h"
#include "model/several.h"
#include "model/beyond.h"

#include "la/la.h"
#include "la/mixture.h"
#include "model/shared_fit.h"
#include "model/held_out.h"
#include "model/teams.h"

/* ---- options: table defaults, preset, spec, --set; later wins ------------------------------------------ */

una_status una_model_read_options(una_model *model, const char *text, const una_fit_settings *settings, una_run *run)
{
    una_spec spec, part;
    const char *initial = settings->preset ? "luna" : "auto";
    UNA_TRY(una_spec_parse(&spec, text ? text : initial, &model->keep, run));
    UNA_TRY(una_kind_need(&model->kind, spec.name, run));
    const una_kind *kind = model->kind;

    model->options = una_arena_get(&model->keep, 1, kind->options_size);
    UNA_NEW_BYTES_AT(&model->keep, model->state, una_calls(kind)->state_size);
    UNA_TRY(una_options_default(model->options, kind->options, run));

    if (settings->preset) {
        if (strcmp(settings->preset, "thesis") != 0)
            UNA_FAIL(run, UNA_E_USAGE, "there is no preset '%s'; the only preset is 'thesis'", settings->preset);
        UNA_TRY(una_spec_parse_items(&part, kind->thesis, &model->keep, run));
        UNA_TRY(una_kind_set(model->options, kind, &part, &model->keep, run));
    }
    UNA_TRY(una_kind_set(model->options, kind, &spec, &model->keep, run));
    for (size_t i = 0; i < settings->set_count; i++) {
        UNA_TRY(una_spec_parse_items(&part, settings->set[i], &model->keep, run));
        UNA_TRY(una_kind_set(model->options, kind, &part, &model->keep, run));
    }
    return UNA_OK;
}

static una_status check_row_count(const una_kind *kind, size_t rows, const una_dataset *data, una_run *run)
{
    if (rows >= kind->least_rows) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s: %s needs at least %zu rows, and there %s only %zu", data->origin, kind->name,
             kind->least_rows, rows == 1 ? "is" : "are", rows);
}

/* ---- notes and warnings ------------------------------------------------------------------------------------- */

void una_info_of_columns(una_fit_info *info, const una_columns *c)
{
    info->target = c->target;
    info->missing = c->missing;
    info->inputs = c->input_count;
    info->drop = c->selection.drop;
    info->drop_count = c->selection.drop_count;
    info->only = c->selection.only;
    info->only_count = c->selection.only_count;
    info->log_target = c->log_target;
    info->group = c->selection.group;
}

static void fill_info(una_model *model, const una_fit_result *r, size_t rows, size_t other)
{
    double scale = model->columns.target_scale;
    model->info = (una_fit_info){
        .kind = model->kind->name, .other = other, .rows = rows,
        .noise_std = sqrt(r->noise_var) * scale, .noise_freedom = r->freedom,
        .noise_scale = sqrt(isinf(r->freedom) ? r->noise_var : r->scale_var) * scale, .prior_var = r->prior_var,
        .log_evidence = r->log_evidence,
        .mean_cos2 = r->mean_cos2, .valid_rows = r->valid_rows,
        .valid_rmse = r->valid_rmse * scale, .valid_log_lik = r->valid_log_lik - log(scale), .steps = r->steps,
        .warning_count = r->warnings.count, .warnings = r->warnings.text, .note_count = r->notes.count,
        .notes = r->notes.text, .curve = r->curve,
    };
    una_info_of_columns(&model->info, &model->columns);
    for (size_t i = 0; i < r->curve.count; i++) model->info.curve.valid_log_lik[i] -= log(scale);
}

/* One number for each column of the table: the levels of a text column share theirs. */
static una_status keep_relevance(una_model *model, const double *scale)
{
    const una_columns *c = &model->columns;
    if (!scale) return UNA_OK;
    UNA_NEW(&model->keep, double, relevance, c->source_count);
    for (size_t d = 0; d < c->input_count; d++) {
        const una_input *input = una_columns_input(c, d);
        double *at = &relevance[input->source];
        bool first = !input->turn && input->level != UNA_LEVEL_MISSING;
        *at = first ? scale[d] : fmax(*at, scale[d]);
    }
    model->info.relevance = relevance;
    return UNA_OK;
}

una_status una_model_describe(una_model *model)
{
    una_text spec = una_text_in(&model->keep), json = una_text_in(&model->keep);
    una_options_text(&spec, model->options, model->kind->options, model->kind->name);
    una_options_json(&json, model->options, model->kind->options);
    model->info.spec = spec.at;
    model->options_json = json.at;
    return una_arena_check(&model->keep);
}

una_status una_model_take_result(una_model *model, const una_fit_result *result, const una_problem *problem,
                                 size_t other, una_run *run)
{
    bool no_evidence = isnan(result->log_evidence) && una_calls(model->kind)->mixture;    /* samplers have none */
    if (!isfinite(result->noise_var) || (!isfinite(result->log_evidence) && !no_evidence))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s: the fit ended with a noise or evidence that is not a number",
                 model->kind->name);

    fill_info(model, result, problem->table_rows, other);
    UNA_TRY(keep_relevance(model, result->relevance));
    model->spread = result->spread > 0 ? result->spread : 1;
    model->beyond = result->beyond;
    UNA_TRY(una_beyond_take_range(&model->beyond, problem->x, &model->keep));
    if (problem->valid_x.rows) una_beyond_extend(&model->beyond, problem->valid_x);
    UNA_TRY(una_log_target_log_lik(model, problem, run));
    return una_model_describe(model);
}

una_status una_model_learn(una_status (*how)(una_fitting *fitting), const una_model *model, const una_problem *problem,
                           una_fit_result *result, una_arena *keep, una_run *run)
{
    una_fit_target target = { model->state, model->options, result };
    una_fitting f = { .kind = model->kind, .problem = problem, .target = &target, .keep = keep, .run = run };
    UNA_TRY(how(&f));
    return una_arena_check(keep);
}

una_status una_model_fit_problem(una_model *model, una_fit_result *result, const una_problem *problem,
                                 const una_fit_settings *settings, bool hold_out, una_run *run)
{
    una_oof_predictions oof;
    UNA_TRY(una_oof_ask(&oof, result, problem, run));
    UNA_TRY(una_model_learn(una_calls(model->kind)->fit, model, problem, result, &model->keep, run));
    UNA_TRY(una_model_take_result(model, result, problem, settings->other, run));
    return hold_out ? una_oof_keep(model, &oof, problem, settings, run) : UNA_OK;
}

/* ---- fit ---------------------------------------------------------------------------------------------------- */

/* Also of other parts of the table; each must have at least one. */
static una_status count_rows(size_t *all, const una_kind *kind, size_t rows, const una_dataset *data, una_run *run)
{
    UNA_TRY(check_row_count(kind, rows, data, run));
    *all = una_run_sum_size(rows, run);
    return una_run_sums_check(run);
}

static una_status fit_encoded(una_model *model, const una_dataset *data, const una_fit_settings *settings,
                              una_fit_result *result, una_run *run)
{
    una_problem problem;
    size_t all;
    una_selection selection = { settings->drop, settings->drop_count, settings->only, settings->only_count,
                                settings->group };
    una_columns *columns = &model->columns;
    una_learning from = { data, &settings->target, 1, &selection, settings->missing, settings->other, &result->notes };
    UNA_TRY(una_columns_learn(&columns, &from, &model->keep, run));
    if (settings->log_target) UNA_SCOPED(run, una_columns_log_targets(&columns, 1, data, run));
    una_columns_warn_misread(&model->columns, &selection, data, &result->warnings, run);
    bool images = una_columns_image(&model->columns).height > 0;
    if (images) UNA_TRY(una_kind_need_images(model->kind, run));
    UNA_TRY(una_problem_encode(&problem, model, data, run));
    size_t rows = problem.x.rows;
    UNA_TRY(count_rows(&all, model->kind, rows, data, run));
    una_encoded encoded = { images ? NULL : problem.x.at, problem.y, problem.origin, rows };
    UNA_TRY(una_columns_warn_outliers(&model->columns, data, &encoded, &result->warnings, run));
    UNA_TRY(una_shared_fit_warnings(&result->warnings, run));
    problem.part = una_rank_group_rank(run);
    bool hold_out = settings->hold_out && all == rows;
    if (all == rows) UNA_TRY(una_teams_find(&problem, &result->warnings, run));
    else problem.table_rows = all;
    if (!hold_out) problem.origin = NULL;
    UNA_TRY(una_problem_split(&problem, model->kind, model->options, settings, result, run));
    problem.rows_elsewhere = una_run_sum_size(problem.x.rows, run) - problem.x.rows;
    una_shared_fit_note(&result->notes, model->kind, run);
    return una_model_fit_problem(model, result, &problem, settings, hold_out, run);
}

static una_status fit_one_target(una_model *model, const char *spec, const una_dataset *data,
                                 const una_fit_settings *settings, una_run *run)
{
    una_fit_result result = una_fit_result_in(&model->keep);
    UNA_TRY(una_model_read_options(model, spec, settings, run));
    UNA_TRY(una_shared_fit_restrict(model->options, model->kind, run));
    return fit_encoded(model, data, settings, &result, run);
}

una_status una_model_blank(una_model **out, una_run *run)
{
    una_model *model = una_allocate(run, sizeof *model);
    if (!model) return UNA_E_MEMORY;
    memset(model, 0, sizeof *model);
    model->run = run;
    model->spread = 1;
    una_arena_init(&model->keep, run);
    *out = model;
    return UNA_OK;
}

/* Several names stay a list; a list of one is that target. */
static una_status name_target(una_fit_settings *settings, una_run *run)
{
    if (settings->target_count == 0) return UNA_OK;
    if (settings->target)
        UNA_FAIL(run, UNA_E_USAGE, "the settings name a target and targets; only one of them can be given");
    for (size_t t = 0; t < settings->target_count; t++)
        if (!settings->targets || !settings->targets[t])
            UNA_FAIL(run, UNA_E_USAGE, "target %zu of %zu has no name", t + 1, settings->target_count);
    if (settings->target_count > 1) return UNA_OK;
    settings->target = settings->targets[0];
    settings->target_count = 0;
    return UNA_OK;
}

static una_status fit_targets(una_model *model, const char *spec, const una_dataset *data,
                              const una_fit_settings *settings, una_run *run)
{
    UNA_TRY(una_shared_fit_agree(&spec, settings, run));
    return settings->target_count ? una_several_fit(model, spec, data, settings, run)
                                  : fit_one_target(model, spec, data, settings, run);
}

static una_status fit_new_model(una_model **model, const char *spec, const una_dataset *data,
                                const una_fit_settings *settings, una_run *run)
{
    bool before = run->no_files;
    UNA_TRY(una_model_blank(model, run));
    run->no_files = before || settings->no_files;
    una_status status = fit_targets(*model, spec, data, settings, run);
    run->no_files = before;
    bool stopped = status == UNA_E_NUMERIC && una_cancelled(run);
    return stopped ? una_check_cancelled(run, "fitting") : status;
}

una_status una_fit(una_model **out, const char *spec, const una_dataset *data, const una_fit_settings *given,
                   una_run *run)
{
    *out = NULL;
    una_clear_message(run);
    una_fit_settings settings;
    una_model *model = NULL;
    una_status status;
    double start = una_clock();
    UNA_TRY(UNA_TAKE(&settings, given, una_fit_settings, run));
    UNA_TRY(una_fit_settings_check(&settings, run));
    UNA_TRY(name_target(&settings, run));

    if (!spec && data->images) spec = "luna";            /* auto cannot see images */

    una_mark mark = una_arena_mark(&run->scratch);
    UNA_SHARED_CALL(status, run, fit_new_model(&model, spec, data, &settings, run));
    una_arena_release(&run->scratch, mark);

    if (status != UNA_OK) {
        una_model_free(model);
        return status;
    }
    model->info.seconds = una_clock() - start;
    *out = model;
    return UNA_OK;
}

void una_model_free(una_model *model)
{
    if (!model) return;
    una_run *run = model->run;
    for (size_t t = 0; t < model->targets; t++) una_model_free(model->target[t]);
    una_arena_free(&model->keep);
    una_release(run, model);
}

const una_fit_info *una_model_info(const una_model *model) { return &model->info; }
const char *una_model_options_json(const una_model *model) { return model->options_json; }

size_t una_model_input_count(const una_model *model)
{
    return una_model_target(model, 0)->columns.source_count;
}

const char *una_model_input_name(const una_model *model, size_t input)
{
    const una_columns *columns = &una_model_target(model, 0)->columns;
    return input < columns->source_count ? columns->sources[input].name : NULL;
}

/* ---- more rows ---------------------------------------------------------------------------------------------- */

static una_status adapt_to(una_model *model, const una_problem *more, una_fit_result *result, una_run *run)
{
    const una_kind *kind = model->kind, *calls = una_calls(kind);
    const una_adapting how = { more, model->info.rows, model->spread * model->spread };
    if (!kind->rescale || !calls->adapt)
        UNA_FAIL(run, UNA_E_USAGE, "%s cannot adapt its noise to new rows: fit it again on all rows (una update --with "
                 "OLD.csv --adapt does that)", kind->name);
    UNA_SCOPED(run, calls->adapt(model->state, &how, result, &model->keep, run));
    double before = model->info.noise_std, noise = sqrt(result->noise_var) * model->columns.target_scale;
    if (!(noise > 0 && isfinite(noise)))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s: the noise that suits the new rows is not a number", kind->name);
    model->info.noise_scale *= noise / before;
    model->info.noise_std = noise;
    return una_new_rows_note(model, "the noise was adapted to new rows: %.4g, before %.4g; the spec would not repeat it",
                             noise, before);
}

una_status una_model_observe_encoded(una_model *model, una_view x, const double *y, bool adapt, una_run *run)
{
    if (!model->kind->observe)
        UNA_FAIL(run, UNA_E_USAGE, "%s has no exact update: fit it again on all rows", model->kind->name);
    una_problem more = { .x = x, .y = y, .outputs = 1, .columns = &model->columns, .seed = run->settings.seed };
    una_fit_result result = { .log_evidence = model->info.log_evidence };
    if (adapt) UNA_TRY(adapt_to(model, &more, &result, run));
    else UNA_SCOPED(run, una_calls(model->kind)->observe(model->state, &more, &result, &model->keep, run));
    una_beyond_extend(&model->beyond, more.x);
    model->info.log_evidence = result.log_evidence;
    model->info.rows += x.rows;
    return UNA_OK;
}

una_status una_model_update_with(una_model *model, const una_dataset *data, const una_update_settings *given,
                                 una_run *run)
{
    una_update_settings settings;
    una_clear_message(run);
    UNA_TRY(UNA_TAKE(&settings, given, una_update_settings, run));
    UNA_SCOPED(run, una_several_update(model, data, settings.adapt, run));
    return UNA_OK;
}

una_status una_model_update(una_model *model, const una_dataset *data, una_run *run)
{
    return una_model_update_with(model, data, NULL, run);
}

/* Names and columns of x [rows, inputs] and y [rows, targets], in the run's scratch. */
static una_status rows_table(una_dataset **data, const una_model *model, const double *x, const double *y, size_t rows,
                             una_run *run)
{
    size_t inputs = una_model_input_count(model), targets = una_model_target_count(model), columns = inputs + targets;
    UNA_NEW(&run->scratch, const char *, names, columns);
    UNA_NEW(&run->scratch, const double *, numbers, columns);
    UNA_NEW_ROWS(&run->scratch, double, cells, columns * rows);

    for (size_t c = 0; c < columns; c++) {
        bool input = c < inputs;
        names[c] = input ? una_model_input_name(model, c) : una_model_target(model, c - inputs)->columns.target;
        numbers[c] = cells + c * rows;
        for (size_t i = 0; i < rows; i++)
            cells[c * rows + i] = input ? x[i * inputs + c] : y[i * targets + c - inputs];
    }
    return una_dataset_from_columns(data, names, numbers, NULL, columns, rows, run);
}

/* Through a table, so that arrays and tables follow the same rules. */
una_status una_model_update_rows(una_model *model, const double *x, const double *y, size_t rows, una_run *run)
{
    una_dataset *data = NULL;
    UNA_TRY(una_model_need_numbers(una_model_target(model, 0), "una_model_update", run));
    if (!x || !y) UNA_FAIL(run, UNA_E_USAGE, "an update needs both x and y");

    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = rows_table(&data, model, x, y, rows, run);
    if (status == UNA_OK) status = una_model_update(model, data, run);
    una_dataset_free(data);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- relearning --------------------------------------------------------------------------------------------- */

/* The options of the fit, from its spec (a loaded model has no others), then those set now. Noise and prior variance belong to the posterior, everything else to the
 * features. */
static una_status posterior_options(una_model *model, const char *const *set, size_t count, una_run *run)
{
    const una_kind *kind = model->kind;
    UNA_TRY(una_kind_options(&model->options, kind, model->info.spec, &model->keep, run));

    for (size_t i = 0; i < count; i++) {
        una_spec part;
        UNA_TRY(una_spec_parse_items(&part, set[i], &model->keep, run));
        for (size_t k = 0; k < part.count; k++)
            if (strcmp(part.items[k].key, "noise_std") != 0 && strcmp(part.items[k].key, "prior_var") != 0)
                UNA_FAIL(run, UNA_E_USAGE, "%s: %.80s is part of what is kept; only noise_std and prior_var can be "
                         "other ones", kind->name, part.items[k].key);
        UNA_TRY(una_options_apply(model->options, kind->options, kind->name, &part, &model->keep, run));
    }
    return UNA_OK;
}

/* The target may be another quantity: its centre and scale are those of these rows. */
static una_status rescale_target(una_columns *c, double *y, size_t rows, size_t all, const una_dataset *data,
                                 una_run *run)
{
    double mean = 0, slack = 0, square = 0, n = (double)all;
    for (size_t i = 0; i < rows; i++) mean += y[i] / n;
    UNA_TRY(una_run_sum_f64(&mean, 1, run));
    for (size_t i = 0; i < rows; i++) slack += (y[i] - mean) / n;
    UNA_TRY(una_run_sum_f64(&slack, 1, run));
    mean += slack;
    for (size_t i = 0; i < rows; i++) square += (y[i] - mean) * (y[i] - mean) / n;
    UNA_TRY(una_run_sum_f64(&square, 1, run));

    /* y was computed from numbers as large as the old centre and these, and is as exact as they are. */
    double std = sqrt(square);
    if (!(std > UNA_ROUNDING * (fabs(c->target_centre) / c->target_scale + fabs(mean))))
        UNA_FAIL(run, UNA_E_INPUT, "%s: every value of the target %s is the same, so there is nothing to learn",
                 data->origin, c->target);

    for (size_t i = 0; i < rows; i++) y[i] = (y[i] - mean) / std;
    c->target_centre += c->target_scale * mean;
    c->target_scale *= std;
    return UNA_OK;
}

una_status una_model_relearn_here(una_model *model, const una_dataset *data, const char *const *set, size_t set_count,
                                  una_run *run)
{
    una_problem problem;
    size_t all;
    UNA_TRY(una_shared_fit_check(model->kind, run));
    UNA_TRY(posterior_options(model, set, set_count, run));
    UNA_TRY(una_problem_encode(&problem, model, data, run));
    UNA_TRY(count_rows(&all, model->kind, problem.x.rows, data, run));
    double unit = model->columns.target_scale;
    UNA_TRY(rescale_target(&model->columns, (double *)problem.y, problem.x.rows, all, data, run));

    una_fit_result result = una_fit_result_in(&model->keep);
    const double *relevance = model->info.relevance;     /* it belongs to the features */
    UNA_TRY(una_model_learn(una_calls(model->kind)->relearn, model, &problem, &result, &model->keep, run));
    result.mean_cos2 = model->info.mean_cos2;
    result.beyond = model->beyond;
    result.beyond.below *= unit / model->columns.target_scale;
    result.beyond.above *= unit / model->columns.target_scale;
    result.spread = model->spread;
    una_notes_add(&result.notes, "The features are those of another fit: these rows taught the posterior alone, so the "
                  "spec would not repeat it.");
    problem.table_rows = all;
    UNA_TRY(una_model_take_result(model, &result, &problem, model->info.other, run));
    if (!model->info.relevance) model->info.relevance = relevance;
    return UNA_OK;
}

/* Through its own file format. */
static una_status copy_model(una_model **out, const una_model *model, una_run *run)
{
    void *bytes = NULL;
    size_t size;
    UNA_TRY(una_model_save_memory(model, &bytes, &size, run));
    una_status status = una_model_load_memory(out, bytes, size, run);
    una_memory_free(bytes, run);
    return status;
}

static una_status model_relearn(una_model **out, const una_model *model, const una_dataset *data,
                                const char *const *set, size_t set_count, una_run *run)
{
    UNA_TRY(copy_model(out, model, run));
    return (*out)->targets ? una_several_relearn(*out, data, set, set_count, run)
                           : una_model_relearn_here(*out, data, set, set_count, run);
}

una_status una_model_relearn(una_model **out, const una_model *model, const una_dataset *data, const char *const *set,
                             size_t set_count, una_run *run)
{
    *out = NULL;
    una_clear_message(run);
    if (!model->kind->relearn)
        UNA_FAIL(run, UNA_E_USAGE, "%s keeps no features apart from its posterior: fit it again", model->kind->name);
    UNA_TRY(una_texts_check(set, set_count, "set", run));

    una_mark mark = una_arena_mark(&run->scratch);
    una_status status;
    UNA_SHARED_CALL(status, run, model_relearn(out, model, data, set, set_count, run));
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) return UNA_OK;
    una_model_free(*out);
    *out = NULL;
    return status;
}

/* ---- one function of many ------------------------------------------------------------------------------------- */

/* The information about the model, with a note that it is one function of many. */
una_status una_model_add_note(una_fit_info *info, const char *note, una_arena *arena)
{
    UNA_NEW(arena, const char *, notes, info->note_count + 1);
    for (size_t i = 0; i < info->note_count; i++) notes[i] = info->notes[i];
    notes[info->note_count++] = note;
    info->notes = notes;
    return UNA_OK;
}

static una_status model_sample(una_model **out, const una_model *model, uint64_t index, una_arena *arena, una_run *run)
{
    const una_kind *calls = una_calls(model->kind);
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, index);
    una_model drawn = *model;            /* used for the file alone */
    drawn.beyond.below = drawn.beyond.above = 0;
    drawn.spread = 1;
    UNA_NEW_BYTES_AT(arena, drawn.state, calls->state_size);
    UNA_TRY(calls->sample(drawn.state, model->state, &rng, arena, run));
    UNA_TRY(una_model_add_note(&drawn.info, "This is one function drawn from the posterior: it knows no ignorance, and "
                               "the spec would not repeat it.", arena));

    return copy_model(out, &drawn, run);
}

una_status una_model_sample(una_model **function, const una_model *model, uint64_t index, una_run *run)
{
    una_arena arena;
    *function = NULL;
    una_clear_message(run);
    UNA_TRY(una_model_need_one(model, run));
    if (!una_calls(model->kind)->sample)
        UNA_FAIL(run, UNA_E_USAGE, "%s cannot give a function for all rows at once: una_model_draw gives it at rows "
                 "that are named beforehand", model->kind->name);
    una_arena_init(&arena, run);
    una_status status = model_sample(function, model, index, &arena, run);
    una_arena_free(&arena);
    return status;
}
