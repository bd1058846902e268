/* SPDX-License-Identifier: MIT
 *
 * What all models share: options from spec and preset, columns and scaling, the user's units.
 * Scaling happens once, here, so that no kind can leak or forget it.
 */
#include "model/log_target.h"
#include "model/several.h"
#include "model/new_words.h"

#include "base/clock.h"
#include "la/la.h"
#include "la/mixture.h"
#include "model/shared_fit.h"
#include "model/held_out.h"

enum { MOST_ROWS_AT_ONCE = 8192, MOST_PARTS_AT_ONCE = 1 << 20, ROWS_PER_TASK = 64 };

/* ---- options: table defaults, preset, spec, --set; later wins ------------------------------------------ */

una_status una_model_read_options(una_model *model, const char *text, const una_fit_settings *settings, una_run *run)
{
    una_spec spec, part;
    const char *initial = settings->preset ? "luna" : "auto";
    UNA_TRY(una_spec_parse(&spec, text ? text : initial, &model->keep, run));
    UNA_TRY(una_kind_need(&model->kind, spec.name, run));
    const una_kind *kind = model->kind;

    model->options = una_arena_get(&model->keep, 1, kind->options_size);
    model->state = una_arena_get(&model->keep, 1, una_calls(kind)->state_size);
    UNA_TRY(una_arena_check(&model->keep));
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

static void fill_info(una_model *model, const una_fit_result *r, size_t rows, size_t other)
{
    double scale = model->columns.target_scale;
    model->info = (una_fit_info){
        .kind = model->kind->name, .target = model->columns.target, .missing = model->columns.missing, .other = other,
        .rows = rows, .inputs = model->columns.input_count,
        .noise_std = sqrt(r->noise_var) * scale, .prior_var = r->prior_var, .log_evidence = r->log_evidence,
        .mean_cos2 = r->mean_cos2, .valid_rows = r->valid_rows,
        .valid_rmse = r->valid_rmse * scale, .valid_log_lik = r->valid_log_lik - log(scale), .steps = r->steps,
        .warning_count = r->warnings.count, .warnings = r->warnings.text, .note_count = r->notes.count,
        .notes = r->notes.text, .curve = r->curve,
        .drop = model->columns.selection.drop, .drop_count = model->columns.selection.drop_count,
        .only = model->columns.selection.only, .only_count = model->columns.selection.only_count,
        .log_target = model->columns.log_target,
    };
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

una_status una_model_take_result(una_model *model, const una_fit_result *result, size_t rows, size_t other,
                                 una_run *run)
{
    bool no_evidence = isnan(result->log_evidence) && una_calls(model->kind)->mixture;    /* samplers have none */
    if (!isfinite(result->noise_var) || (!isfinite(result->log_evidence) && !no_evidence))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s: the fit ended with a noise or evidence that is not a number",
                 model->kind->name);

    fill_info(model, result, rows, other);
    UNA_TRY(keep_relevance(model, result->relevance));
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
    double *x, *y;
    size_t rows, all, *kept = NULL;
    una_selection selection = { settings->drop, settings->drop_count, settings->only, settings->only_count };
    una_columns *columns = &model->columns;
    una_learning from = { data, &settings->target, 1, &selection, settings->missing, settings->other, &result->notes };
    UNA_TRY(una_columns_learn(&columns, &from, &model->keep, run));
    if (settings->log_target) UNA_TRY(una_columns_log_targets(&columns, 1, data, run));
    una_columns_warn_misread(&model->columns, &selection, data, &result->warnings, run);
    bool images = una_columns_image(&model->columns).height > 0;
    if (images) UNA_TRY(una_kind_need_images(model->kind, run));
    una_encoding to = { &x, &y, settings->missing == UNA_MISSING_DROP ? &kept : NULL, &rows };
    UNA_TRY(una_columns_encode(&model->columns, data, &to, &run->scratch));
    UNA_TRY(count_rows(&all, model->kind, rows, data, run));
    UNA_TRY(una_columns_warn_outliers(&model->columns, data, &(una_encoded){ images ? NULL : x, y, kept, rows },
                                      &result->warnings, run));
    UNA_TRY(una_shared_fit_warnings(&result->warnings, run));

    size_t inputs = model->columns.input_count;
    una_problem problem = { .x = { x, rows, inputs, inputs }, .y = y, .outputs = 1, .columns = &model->columns,
                            .data = data, .seed = run->settings.seed, .table_rows = all,
                            .part = una_shared_fit_part(run) };
    bool hold_out = settings->hold_out && all == rows;
    una_oof_predictions oof;
    if (hold_out) UNA_TRY(una_order_new(&problem.origin, rows, &run->scratch));
    UNA_TRY(una_problem_split(&problem, model->kind, model->options, settings, result, run));
    problem.rows_elsewhere = una_run_sum_size(problem.x.rows, run) - problem.x.rows;
    una_shared_fit_note(&result->notes, model->kind, run);
    UNA_TRY(una_oof_ask(&oof, result, &problem, run));

    UNA_TRY(una_model_learn(una_calls(model->kind)->fit, model, &problem, result, &model->keep, run));
    UNA_TRY(una_model_take_result(model, result, all, settings->other, run));
    UNA_TRY(una_log_target_log_lik(model, &problem, run));
    return hold_out ? una_oof_keep(model, &oof, &problem, kept, data, settings, run) : UNA_OK;
}

static una_status fit_one_target(una_model *model, const char *spec, const una_dataset *data,
                                 const una_fit_settings *settings, una_run *run)
{
    una_fit_result result = una_fit_result_in(&model->keep);
    UNA_TRY(una_model_read_options(model, spec, settings, run));
    UNA_TRY(una_shared_fit_restrict(model->options, model->kind, run));
    return fit_encoded(model, data, settings, &result, run);
}

static una_status new_model(una_model **out, una_run *run)
{
    una_model *model = una_allocate(run, sizeof *model);
    if (!model) return UNA_E_MEMORY;
    memset(model, 0, sizeof *model);
    model->run = run;
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
    UNA_TRY(new_model(model, run));
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

/* ---- predict: standardised inside, the user's units outside ------------------------------------------------- */

una_status una_fail_not_finite(const una_model *model, size_t row, una_run *run)
{
    char place[UNA_ROW_NAME_ROOM];
    UNA_FAIL(run, UNA_E_NUMERIC, "%s: the prediction for %s is not finite; its inputs may be far beyond the training "
             "data", model->kind->name, una_row_name(place, row, run));
}

/* What is finite when standardised may overflow in the target's units. */
static una_status predictions_in_users_units(const una_model *model, const una_predictive *p, size_t rows, double z,
                                             size_t from, una_prediction *out, una_run *run)
{
    const una_columns *c = &model->columns;
    bool spread = out->std || out->std_epistemic || out->std_noise || out->lower || out->upper;
    for (size_t r = 0; r < rows; r++) {
        double mean = c->target_centre + c->target_scale * p->mean[r];
        double std = c->target_scale * sqrt(p->var_model[r] + p->var_noise[r]);
        bool good = spread ? isfinite(mean - z * std) && isfinite(mean + z * std) : isfinite(mean);
        if (!good) return una_fail_not_finite(model, from + r, run);
        if (out->mean) out->mean[from + r] = mean;
        if (out->std) out->std[from + r] = std;
        if (out->std_epistemic) out->std_epistemic[from + r] = c->target_scale * sqrt(p->var_model[r]);
        if (out->std_noise) out->std_noise[from + r] = c->target_scale * sqrt(p->var_noise[r]);
        if (out->lower) out->lower[from + r] = mean - z * std;
        if (out->upper) out->upper[from + r] = mean + z * std;
    }
    return UNA_OK;
}

static una_status log_target_in_users_units(const una_columns *c, const una_predictive *p, size_t rows, size_t from,
                                            una_prediction *out, una_run *run)
{
    for (size_t r = 0; r < rows; r++) {
        una_log_target_answer y;
        UNA_TRY(una_log_target_row(&y, c, p, r, from, run));
        if (out->mean) out->mean[from + r] = y.mean;
        if (out->std) out->std[from + r] = hypot(y.std_epistemic, y.std_noise);
        if (out->std_epistemic) out->std_epistemic[from + r] = y.std_epistemic;
        if (out->std_noise) out->std_noise[from + r] = y.std_noise;
    }
    return UNA_OK;
}

static bool is_variance(double value)
{
    return value >= 0 && isfinite(value);
}

static una_status check_part_weights(const una_model *model, const una_predictive *p, una_run *run)
{
    bool good = true;
    double sum = 0;
    for (size_t m = 0; m < p->parts; m++) {
        good = good && p->part_weight[m] > 0;
        sum += p->part_weight[m];
    }
    if (p->parts && !(good && fabs(sum - 1) <= 1e-9))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s: the weights of its parts are not positive numbers that add up to 1; fit it "
                 "again", model->kind->name);
    return UNA_OK;
}

static una_status check_predictive(const una_model *model, const una_predictive *p, size_t rows, size_t from,
                                   una_run *run)
{
    UNA_TRY(check_part_weights(model, p, run));
    for (size_t r = 0; r < rows; r++) {
        bool good = isfinite(p->mean[r]) && is_variance(p->var_model[r]) && is_variance(p->var_noise[r]) &&
                    p->var_noise[r] > 0;
        for (size_t m = r * p->parts; m < (r + 1) * p->parts; m++)
            good = good && isfinite(p->part_mean[m]) && is_variance(p->part_var[m]) && p->part_var[m] > 0;
        if (!good) return una_fail_not_finite(model, from + r, run);
    }
    return UNA_OK;
}

/* Parts of a mixture are computed for few rows at once: both arrays of them fit into 16 MiB. */
static size_t block_rows(size_t rows, size_t parts)
{
    size_t most = rows < MOST_ROWS_AT_ONCE ? rows : MOST_ROWS_AT_ONCE;
    if (parts == 0 || parts <= MOST_PARTS_AT_ONCE / (most ? most : 1)) return most;
    return parts < MOST_PARTS_AT_ONCE ? MOST_PARTS_AT_ONCE / parts : 1;
}

/* Weights relative to the largest: equal ones are 1, and sums over them are those without weights, to the last bit. */
static void relative_weights(una_predictive *p)
{
    double most = 0;
    for (size_t m = 0; m < p->parts; m++) most = fmax(most, p->part_weight[m]);
    for (size_t m = 0; m < p->parts; m++) p->part_weight[m] /= most;
}

una_status una_model_each_block(const una_model *model, const double *x, size_t rows, una_detail detail,
                                una_block_task *task, void *context, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    size_t inputs = model->columns.input_count;
    const una_kind *calls = una_calls(model->kind);
    size_t parts = detail == UNA_PARTS && calls->mixture ? calls->mixture(model->state) : 0;
    size_t most = block_rows(rows, parts), before = run->first_row;
    una_predictive p = { .mean = UNA_GET(&run->scratch, double, most),
                         .var_model = UNA_GET(&run->scratch, double, most),
                         .var_noise = UNA_GET(&run->scratch, double, most), .mean_only = detail == UNA_ONLY_MEANS,
                         .parts = parts, .part_mean = parts ? UNA_GET(&run->scratch, double, most * parts) : NULL,
                         .part_var = parts ? UNA_GET(&run->scratch, double, most * parts) : NULL,
                         .part_weight = parts ? UNA_GET(&run->scratch, double, parts) : NULL };
    una_status status = una_arena_check(&run->scratch);

    for (size_t from = 0; status == UNA_OK && from < rows; from += most) {
        size_t count = rows - from < most ? rows - from : most;
        una_view view = { x + from * inputs, count, inputs, inputs };
        for (size_t m = 0; m < parts; m++) p.part_weight[m] = 1 / (double)parts;
        status = una_check_cancelled(run, "predicting");
        run->first_row = before + from;
        if (status == UNA_OK) status = una_kind_predict(calls, model->state, view, &p, run);
        run->first_row = before;
        if (status == UNA_OK) status = una_new_words_widen(&p, model, view, run);
        if (status == UNA_OK) status = una_check_cancelled(run, "predicting");
        if (status == UNA_OK) status = check_predictive(model, &p, count, from, run);
        if (status == UNA_OK) relative_weights(&p);
        if (status == UNA_OK) status = task(context, &p, from, count, run);
    }

    una_arena_release(&run->scratch, mark);
    return status;
}

typedef struct answer {
    const una_model   *model;
    const una_columns *columns;
    una_prediction    *out;
    double level, z;
    una_quantiles      asked;            /* count 0: none                                                   */
    const una_predictive *p;             /* of the present block, which has `rows` rows from `from` on      */
    size_t from, rows;
} answer;

static una_status answer_quantile(double *to, const answer *a, size_t r, double level, una_run *run)
{
    const una_predictive *p = a->p;
    double t = p->parts ? una_mixture_quantile(level, p->part_mean + r * p->parts, p->part_var + r * p->parts,
                                               p->part_weight, p->parts)
                        : p->mean[r] + una_normal_quantile(level) * sqrt(p->var_model[r] + p->var_noise[r]);
    if (a->columns->log_target) return una_log_target_value(to, a->columns, t, a->from + r, run);
    *to = una_target_value(a->columns, t);
    return isfinite(*to) ? UNA_OK : una_fail_not_finite(a->model, a->from + r, run);
}

/* Quantiles of a row, in ascending order even after rounding. */
static una_status next_quantile(double *to, double *most, const answer *a, size_t r, double level, una_run *run)
{
    UNA_TRY(answer_quantile(to, a, r, level, run));
    *to = *most = fmax(*to, *most);
    return UNA_OK;
}

/* The bands of a mixture end at its quantiles, and so do those of a logarithm; others are set already. */
static bool bands_are_quantiles(const answer *a)
{
    return (a->out->lower || a->out->upper) && (a->p->parts || a->columns->log_target);
}

static una_status find_quantiles(void *context, size_t index, una_run *run)
{
    const answer *a = context;
    size_t end = (index + 1) * ROWS_PER_TASK < a->rows ? (index + 1) * ROWS_PER_TASK : a->rows;
    double *lower = bands_are_quantiles(a) ? a->out->lower : NULL;
    double *upper = bands_are_quantiles(a) ? a->out->upper : NULL;

    for (size_t r = index * ROWS_PER_TASK; r < end; r++) {
        double of_band = -HUGE_VAL, of_asked = -HUGE_VAL;
        UNA_TRY(una_check_cancelled(run, "predicting"));
        if (lower) UNA_TRY(next_quantile(&lower[a->from + r], &of_band, a, r, 0.5 - a->level / 2, run));
        if (upper) UNA_TRY(next_quantile(&upper[a->from + r], &of_band, a, r, 0.5 + a->level / 2, run));
        for (size_t k = 0; k < a->asked.count; k++)
            UNA_TRY(next_quantile(&a->asked.q[(a->from + r) * a->asked.count + k], &of_asked, a, r, a->asked.level[k],
                                  run));
    }
    return UNA_OK;
}

static una_status answer_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    answer *a = context;
    a->p = p;
    a->from = from;
    a->rows = rows;
    if (a->columns->log_target) UNA_TRY(log_target_in_users_units(a->columns, p, rows, from, a->out, run));
    else UNA_TRY(predictions_in_users_units(a->model, p, rows, a->z, from, a->out, run));
    if (!bands_are_quantiles(a) && !a->asked.count) return UNA_OK;
    return una_pool(run, (rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK, find_quantiles, a);
}

una_status una_model_answer_encoded(const una_model *model, const double *x, size_t rows, double level,
                                    una_prediction *out, const una_quantiles *asked, una_run *run)
{
    if (!(level > 0 && level < 1))
        UNA_FAIL(run, UNA_E_USAGE, "the level of the bands is %g; it must lie between 0 and 1", level);
    answer a = { .model = model, .columns = &model->columns, .out = out, .level = level,
                 .z = una_normal_quantile(0.5 + level / 2) };
    if (asked) a.asked = *asked;
    una_detail detail = out->std || out->std_epistemic ? UNA_VARIANCES : UNA_ONLY_MEANS;
    if (out->lower || out->upper || a.asked.count || model->columns.log_target) detail = UNA_PARTS;
    return una_model_each_block(model, x, rows, detail, answer_block, &a, run);
}

una_status una_model_predict_encoded(const una_model *model, const double *x, size_t rows, double level,
                                     una_prediction *out, una_run *run)
{
    return una_model_answer_encoded(model, x, rows, level, out, NULL, run);
}

una_status una_quantiles_check(const double *level, size_t count, una_run *run)
{
    if (count == 0 || !level) UNA_FAIL(run, UNA_E_USAGE, "no quantile is named; 0.5 is the median");
    for (size_t k = 0; k < count; k++) {
        if (!(level[k] > 0 && level[k] < 1))
            UNA_FAIL(run, UNA_E_USAGE, "the quantile %g cannot be given: quantiles lie between 0 and 1, and 0.5 is the "
                     "median", level[k]);
        if (k && !(level[k] > level[k - 1]))
            UNA_FAIL(run, UNA_E_USAGE, "the quantile %g comes behind %g; name them in ascending order, each once",
                     level[k], level[k - 1]);
    }
    return UNA_OK;
}

static una_status model_encode(const una_model *model, const una_dataset *data, double **x, size_t *rows, una_run *run)
{
    una_clear_message(run);
    UNA_TRY(una_model_need_one(model, run));
    return una_columns_encode(&model->columns, data, &(una_encoding){ x, NULL, NULL, rows }, &run->scratch);
}

una_status una_model_predict(const una_model *model, const una_dataset *data, double level, const una_prediction *out,
                             una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_table_row_namer named;
    una_prediction asked;
    double *x;
    size_t rows;
    una_status status = UNA_TAKE(&asked, out, una_prediction, run);
    if (status == UNA_OK) status = model_encode(model, data, &x, &rows, run);
    una_table_name_rows(&named, data, NULL, run);
    if (status == UNA_OK) status = una_model_predict_encoded(model, x, rows, level, &asked, run);
    una_table_name_rows_end(&named, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_model_quantiles(const una_model *model, const una_dataset *data, const double *levels, size_t count,
                               double *q, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_prediction none = { .size = sizeof none };
    const una_quantiles asked = { count, levels, q };
    una_table_row_namer named;
    double *x;
    size_t rows;
    una_status status = model_encode(model, data, &x, &rows, run);
    if (status == UNA_OK) status = una_quantiles_check(levels, count, run);
    una_table_name_rows(&named, data, NULL, run);
    if (status == UNA_OK) status = una_model_answer_encoded(model, x, rows, 0.95, &none, &asked, run);
    una_table_name_rows_end(&named, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status standardise_row(const una_columns *c, const double *given, double *x, size_t row, una_run *run)
{
    for (size_t d = 0; d < c->input_count; d++) {
        double value = given[c->inputs[d].source];
        if (c->inputs[d].level == UNA_LEVEL_MISSING) {
            x[d] = isnan(value);
            continue;
        }
        if (isnan(value) && c->missing == UNA_MISSING_MEAN) value = c->sources[c->inputs[d].source].mean;
        if (!isfinite(value))
            UNA_FAIL(run, UNA_E_INPUT, "row %zu, column '%s': the value is not a finite number", row + 1,
                     c->sources[c->inputs[d].source].name);
        x[d] = (una_input_value(&c->inputs[d], value) - c->inputs[d].centre) / c->inputs[d].scale;
    }
    return UNA_OK;
}

static una_status model_predict_rows(const una_model *model, const double *given, size_t rows, double level,
                                     una_prediction *out, una_run *run)
{
    const una_columns *c = &model->columns;
    size_t most = rows < MOST_ROWS_AT_ONCE ? rows : MOST_ROWS_AT_ONCE;
    UNA_NEW(&run->scratch, double, x, most * c->input_count);

    for (size_t from = 0; from < rows; from += most) {
        size_t count = rows - from < most ? rows - from : most;
        for (size_t r = 0; r < count; r++)
            UNA_TRY(standardise_row(c, given + (from + r) * c->source_count, x + r * c->input_count, from + r, run));
        una_prediction part = { sizeof part, out->mean ? out->mean + from : NULL, out->std ? out->std + from : NULL,
                                out->std_epistemic ? out->std_epistemic + from : NULL,
                                out->std_noise ? out->std_noise + from : NULL, out->lower ? out->lower + from : NULL,
                                out->upper ? out->upper + from : NULL };
        UNA_TRY(una_model_predict_encoded(model, x, count, level, &part, run));
    }
    return UNA_OK;
}

/* instead: the call to use for a table. */
static una_status need_numbers(const una_model *model, const char *instead, una_run *run)
{
    una_clear_message(run);
    UNA_TRY(una_model_need_one(model, run));
    if (una_columns_image(&model->columns).height && !instead)
        UNA_FAIL(run, UNA_E_USAGE, "the model sees images that the column '%s' names, and slopes are there for numbers "
                 "only", model->columns.sources[0].name);
    if (una_columns_image(&model->columns).height)
        UNA_FAIL(run, UNA_E_USAGE, "the model sees images that the column '%s' names: make a table, give it the images "
                 "(una_dataset_add_images), and call %s with it", model->columns.sources[0].name, instead);
    for (size_t i = 0; i < model->columns.source_count; i++) {
        if (!model->columns.sources[i].is_text) continue;
        const char *name = model->columns.sources[i].name;
        if (!instead)
            UNA_FAIL(run, UNA_E_USAGE, "the column '%s' holds words, and slopes are there for numbers only", name);
        UNA_FAIL(run, UNA_E_USAGE, "the column '%s' holds words: make a table of columns (una_dataset_from_columns), "
                 "and call %s with it", name, instead);
    }
    return UNA_OK;
}

una_status una_model_predict_rows(const una_model *model, const double *given, size_t rows, double level,
                                  const una_prediction *out, una_run *run)
{
    una_prediction asked;
    UNA_TRY(need_numbers(model, "una_model_predict", run));
    UNA_TRY(UNA_TAKE(&asked, out, una_prediction, run));
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = model_predict_rows(model, given, rows, level, &asked, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_model_draw_encoded(const una_model *model, una_view x, const una_drawing *how, double *f, una_run *run)
{
    if (!model->kind->draw) UNA_FAIL(run, UNA_E_USAGE, "%s cannot draw functions", model->kind->name);
    UNA_SCOPED(run, una_calls(model->kind)->draw(model->state, x, how, f, run));
    if (!how->prior) UNA_TRY(una_new_words_draw(f, how->draws, model, x, 0, run));
    return una_functions_in_units(model, x.at, x.rows, how->draws, f, run);
}

una_status una_model_draw(const una_model *model, const una_dataset *data, size_t draws, int prior, double *f,
                          una_run *run)
{
    const una_drawing how = { .draws = draws, .prior = prior != 0 };
    una_mark mark = una_arena_mark(&run->scratch);
    una_table_row_namer named;
    double *x;
    size_t rows, inputs = una_model_target(model, 0)->columns.input_count;
    una_status status = model_encode(una_model_target(model, 0), data, &x, &rows, run);
    una_table_name_rows(&named, data, NULL, run);
    for (size_t t = 0; status == UNA_OK && t < una_model_target_count(model); t++)
        status = una_several_draw(model, t, (una_view){ x, rows, inputs, inputs }, &how, f + t * draws * rows, run);
    una_table_name_rows_end(&named, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_model_functions(const una_model *model, const una_dataset *data, size_t *count, double *f, una_run *run)
{
    *count = 0;
    UNA_TRY(una_model_need_one(model, run));
    if (!model->kind->functions && !model->kind->learns_features) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    double *x;
    size_t rows, inputs = model->columns.input_count;
    una_status status = model_encode(model, data, &x, &rows, run);
    if (status == UNA_OK)
        status = una_calls(model->kind)->functions(model->state, (una_view){ x, rows, inputs, inputs }, count, f, run);
    if (status == UNA_OK && f) status = una_functions_in_units(model, x, rows, *count, f, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- slopes ------------------------------------------------------------------------------------------------- */

/* From slope [inputs], by the numbers that the kind sees, to the slope by each column of the table, in units of `unit`;
 * parts of a date add up. */
static void slopes_of_columns(const una_columns *c, const double *given, const double *slope, double unit, double *out)
{
    for (size_t d = 0; out && d < c->input_count; d++) {
        const una_input *input = &c->inputs[d];
        if (input->level == UNA_LEVEL_MISSING) continue;
        double own = unit / input->scale * una_input_slope(input, given[input->source]) * slope[d];
        out[input->source] = (input->turn ? out[input->source] : 0) + own;
    }
}

/* dm, dv [inputs] of the kind to dmean, dstd [columns] of the user; either of these may be NULL. */
static void slopes_in_users_units(const una_columns *c, const double *given, double var, const double *dm,
                                  const double *dv, double *dmean, double *dstd)
{
    slopes_of_columns(c, given, dm, c->target_scale, dmean);
    slopes_of_columns(c, given, dv, var > 0 ? c->target_scale / (2 * sqrt(var)) : 0, dstd);
}

static una_status log_target_slope_at(const una_model *model, const double *given, double *x, double *dmean,
                                      double *dstd, una_run *run)
{
    const una_columns *c = &model->columns;
    double *dm = UNA_GET(&run->scratch, double, c->input_count), *ds = UNA_GET(&run->scratch, double, c->input_count);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_log_target_slope(model, x, dm, ds, run));
    slopes_of_columns(c, given, dm, 1, dmean);
    slopes_of_columns(c, given, ds, 1, dstd);
    return UNA_OK;
}

static una_status model_slope_at(const una_model *model, const double *given, double *dmean, double *dstd, una_run *run)
{
    size_t inputs = model->columns.input_count;
    double *x = UNA_GET(&run->scratch, double, inputs);
    una_slope at = { .dmean = UNA_GET(&run->scratch, double, inputs), .dvar = UNA_GET(&run->scratch, double, inputs) };
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(standardise_row(&model->columns, given, x, 0, run));
    if (model->columns.log_target) return log_target_slope_at(model, given, x, dmean, dstd, run);
    UNA_TRY(una_kind_slope(una_calls(model->kind), model->state, x, inputs, &at, run));
    slopes_in_users_units(&model->columns, given, at.var, at.dmean, at.dvar, dmean, dstd);
    return UNA_OK;
}

static una_status check_slopes(const una_model *model, const double *dmean, const double *dstd, una_run *run)
{
    for (size_t i = 0; i < model->columns.source_count; i++)
        if ((dmean && !isfinite(dmean[i])) || (dstd && !isfinite(dstd[i])))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s: the slope along '%.60s' is not finite; the point may be far beyond the "
                     "training data", model->kind->name, model->columns.sources[i].name);
    return UNA_OK;
}

una_status una_model_slope(const una_model *model, const double *x, double *dmean, double *dstd, una_run *run)
{
    UNA_TRY(need_numbers(model, NULL, run));
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = model_slope_at(model, x, dmean, dstd, run);
    if (status == UNA_OK) status = check_slopes(model, dmean, dstd, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- the function as a mixture ------------------------------------------------------------------------------- */

size_t una_model_part_count(const una_model *model)
{
    return model->targets ? 0 : una_kind_part_count(una_calls(model->kind), model->state);
}

/* Rows at a time: enough for products of many rows, few enough for their slopes. */
enum { PARTS_AT_ONCE = 1 << 16 };

static una_status take_gaussians(una_gaussians *g, size_t rows, size_t inputs, bool slopes, una_run *run)
{
    g->weight = UNA_GET(&run->scratch, double, g->parts);
    g->mean = UNA_GET(&run->scratch, double, rows * g->parts);
    g->var = UNA_GET(&run->scratch, double, rows * g->parts);
    g->dmean = slopes ? UNA_GET(&run->scratch, double, rows * g->parts * inputs) : NULL;
    g->dvar = slopes ? UNA_GET(&run->scratch, double, rows * g->parts * inputs) : NULL;
    return una_arena_check(&run->scratch);
}

/* Parts of `rows` rows from `from` on. */
static una_status give_parts(const una_model *model, const una_gaussians *g, const double *given, size_t from,
                             size_t rows, const una_parts *out, una_run *run)
{
    const una_columns *c = &model->columns;
    for (size_t k = 0; k < rows * g->parts; k++) {
        size_t to = from * g->parts + k, column = to * c->source_count;
        if (!isfinite(g->mean[k]) || !is_variance(g->var[k]))
            return una_fail_not_finite(model, from + k / g->parts, run);
        double mean = c->target_centre + c->target_scale * g->mean[k], std = c->target_scale * sqrt(g->var[k]);
        if (!isfinite(mean) || !isfinite(std)) return una_fail_not_finite(model, from + k / g->parts, run);
        if (out->mean) out->mean[to] = mean;
        if (out->std) out->std[to] = std;
        if (g->dmean)
            slopes_in_users_units(c, given + (from + k / g->parts) * c->source_count, g->var[k],
                                  g->dmean + k * c->input_count, g->dvar + k * c->input_count,
                                  out->dmean ? out->dmean + column : NULL, out->dstd ? out->dstd + column : NULL);
    }
    return UNA_OK;
}

static una_status parts_of_rows(const una_model *model, const double *given, size_t rows, const una_parts *out,
                                una_run *run)
{
    const una_columns *c = &model->columns;
    bool slopes = out->dmean || out->dstd;
    una_gaussians g = { .parts = una_model_part_count(model) };
    size_t most = PARTS_AT_ONCE / (g.parts * (slopes ? c->input_count : 1));
    if (most == 0) most = 1;
    if (most > rows) most = rows;
    double *x = UNA_GET(&run->scratch, double, most * c->input_count);
    UNA_TRY(take_gaussians(&g, most, c->input_count, slopes, run));

    for (size_t from = 0; from < rows; from += most) {
        size_t count = rows - from < most ? rows - from : most;
        for (size_t r = 0; r < count; r++)
            UNA_TRY(standardise_row(c, given + (from + r) * c->source_count, x + r * c->input_count, from + r, run));
        una_view view = { x, count, c->input_count, c->input_count };
        UNA_SCOPED(run, una_kind_parts(una_calls(model->kind), model->state, view, &g, run));
        UNA_TRY(give_parts(model, &g, given, from, count, out, run));
    }
    if (out->weight) memcpy(out->weight, g.weight, g.parts * sizeof *g.weight);
    return UNA_OK;
}

una_status una_model_parts(const una_model *model, const double *x, size_t rows, const una_parts *out, una_run *run)
{
    una_parts asked;
    UNA_TRY(need_numbers(model, NULL, run));
    UNA_TRY(UNA_TAKE(&asked, out, una_parts, run));
    if (rows == 0) UNA_FAIL(run, UNA_E_USAGE, "una_model_parts needs at least one row");
    if (model->columns.log_target)
        UNA_FAIL(run, UNA_E_USAGE, "the model learnt the logarithm of '%.60s', which makes it no mixture of Gaussians: "
                 "fit it without --log, or ask for quantiles", model->columns.target);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = parts_of_rows(model, x, rows, &asked, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- more rows ---------------------------------------------------------------------------------------------- */

una_status una_model_observe_encoded(una_model *model, const double *x, const double *y, size_t rows, una_run *run)
{
    size_t inputs = model->columns.input_count;
    if (!model->kind->observe)
        UNA_FAIL(run, UNA_E_USAGE, "%s has no exact update: fit it again on all rows", model->kind->name);
    una_problem more = { .x = { x, rows, inputs, inputs }, .y = y, .outputs = 1, .columns = &model->columns,
                         .seed = run->settings.seed };
    una_fit_result result = { .log_evidence = model->info.log_evidence };
    UNA_SCOPED(run, una_calls(model->kind)->observe(model->state, &more, &result, &model->keep, run));
    model->info.log_evidence = result.log_evidence;
    model->info.rows += rows;
    return UNA_OK;
}

una_status una_model_update(una_model *model, const una_dataset *data, una_run *run)
{
    una_clear_message(run);
    if (model->targets) return una_several_update(model, data, run);
    una_mark mark = una_arena_mark(&run->scratch);
    double *x, *y;
    size_t rows;
    una_encoding to = { &x, &y, NULL, &rows };
    una_status status = una_columns_encode(&model->columns, data, &to, &run->scratch);
    if (status == UNA_OK) status = una_model_observe_encoded(model, x, y, rows, run);
    una_arena_release(&run->scratch, mark);
    return status;
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
    UNA_TRY(need_numbers(una_model_target(model, 0), "una_model_update", run));
    if (!x || !y) UNA_FAIL(run, UNA_E_USAGE, "an update needs both x and y");

    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = rows_table(&data, model, x, y, rows, run);
    if (status == UNA_OK) status = una_model_update(model, data, run);
    una_dataset_free(data);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- relearning --------------------------------------------------------------------------------------------- */

una_status una_model_options(void **options, const una_model *model, una_arena *arena, una_run *run)
{
    const una_kind *kind = model->kind;
    una_spec spec;
    *options = una_arena_get(arena, 1, kind->options_size);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_options_default(*options, kind->options, run));
    UNA_TRY(una_spec_parse(&spec, model->info.spec, arena, run));
    return una_options_apply(*options, kind->options, kind->name, &spec, arena, run);
}

/* The options of the fit, then those set now. Noise and prior variance belong to the posterior, everything else to the
 * features. */
static una_status posterior_options(una_model *model, const char *const *set, size_t count, una_run *run)
{
    const una_kind *kind = model->kind;
    UNA_TRY(una_model_options(&model->options, model, &model->keep, run));

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
    size_t inputs = model->columns.input_count, rows, all;
    double *x, *y;
    UNA_TRY(una_shared_fit_check(model->kind, run));
    UNA_TRY(posterior_options(model, set, set_count, run));
    UNA_TRY(una_columns_encode(&model->columns, data, &(una_encoding){ &x, &y, NULL, &rows }, &run->scratch));
    UNA_TRY(count_rows(&all, model->kind, rows, data, run));
    UNA_TRY(rescale_target(&model->columns, y, rows, all, data, run));

    una_problem problem = { .x = { x, rows, inputs, inputs }, .y = y, .outputs = 1, .columns = &model->columns,
                            .data = data, .seed = run->settings.seed };
    una_fit_result result = una_fit_result_in(&model->keep);
    const double *relevance = model->info.relevance;     /* it belongs to the features */
    UNA_TRY(una_model_learn(una_calls(model->kind)->relearn, model, &problem, &result, &model->keep, run));
    result.mean_cos2 = model->info.mean_cos2;
    una_notes_add(&result.notes, "The features are those of another fit: these rows taught the posterior alone, so the "
                  "spec would not repeat it.");
    UNA_TRY(una_model_take_result(model, &result, all, model->info.other, run));
    UNA_TRY(una_log_target_log_lik(model, &problem, run));
    if (!model->info.relevance) model->info.relevance = relevance;
    return UNA_OK;
}

static una_status model_relearn(una_model **out, const una_model *model, const una_dataset *data,
                                const char *const *set, size_t set_count, una_run *run)
{
    void *bytes = NULL;
    size_t size;
    UNA_TRY(una_model_save_memory(model, &bytes, &size, run));
    una_status status = una_model_load_memory(out, bytes, size, run);
    una_memory_free(bytes, run);
    UNA_TRY(status);
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
    void *bytes = NULL;
    size_t size;
    drawn.state = una_arena_get(arena, 1, calls->state_size);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(calls->sample(drawn.state, model->state, &rng, arena, run));
    UNA_TRY(una_model_add_note(&drawn.info, "This is one function drawn from the posterior: it knows no ignorance, and "
                               "the spec would not repeat it.", arena));

    UNA_TRY(una_model_save_memory(&drawn, &bytes, &size, run));
    una_status status = una_model_load_memory(out, bytes, size, run);
    una_memory_free(bytes, run);
    return status;
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

una_status una_model_blank(una_model **model, una_run *run)
{
    return new_model(model, run);
}
