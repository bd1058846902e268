/* SPDX-License-Identifier: MIT
 *
 * What a model answers: standardised inside, the user's units outside. Predictions, quantiles, draws, slopes, parts.
 */
#include "model/log_target.h"
#include "model/several.h"
#include "model/beyond.h"
#include "model/widen.h"

#include "la/la.h"
#include "la/mixture.h"

enum { MOST_ROWS_AT_ONCE = 8192, MOST_PARTS_AT_ONCE = 1 << 20, ROWS_PER_TASK = 64 };

una_status una_fail_not_finite(const una_model *model, size_t row, una_run *run)
{
    char place[UNA_ROW_NAME_ROOM];
    UNA_FAIL(run, UNA_E_NUMERIC, "%s: the prediction for %s is not finite; its inputs may be far beyond the training "
             "data", model->kind->name, una_row_name(place, row, run));
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

static una_status each_block(const una_model *model, una_view x, una_detail detail, una_block_task *task, void *context,
                             una_run *run)
{
    const una_kind *calls = una_calls(model->kind);
    size_t parts = detail == UNA_PARTS && calls->mixture ? calls->mixture(model->state) : 0;
    size_t most = block_rows(x.rows, parts), before = run->first_row;
    una_predictive p = { .mean_only = detail == UNA_ONLY_MEANS, .parts = parts };
    UNA_TRY(una_predictive_new(&p, most, &run->scratch));

    for (size_t from = 0; from < x.rows; from += most) {
        size_t count = x.rows - from < most ? x.rows - from : most;
        una_view view = { x.at + from * x.stride, count, x.cols, x.stride };
        for (size_t m = 0; m < parts; m++) p.part_weight[m] = 1 / (double)parts;
        UNA_TRY(una_check_cancelled(run, "predicting"));
        run->first_row = before + from;
        una_status status = una_kind_predict(calls, model->state, view, &p, run);
        run->first_row = before;
        UNA_TRY(status);
        UNA_TRY(una_widen(&p, model, view, run));
        UNA_TRY(una_check_cancelled(run, "predicting"));
        UNA_TRY(check_predictive(model, &p, count, from, run));
        relative_weights(&p);
        UNA_TRY(task(context, &p, from, count, run));
    }
    return UNA_OK;
}

una_status una_model_each_block(const una_model *model, const double *x, size_t rows, una_detail detail,
                                una_block_task *task, void *context, una_run *run)
{
    size_t inputs = model->columns.input_count;
    UNA_SCOPED(run, each_block(model, (una_view){ x, rows, inputs, inputs }, detail, task, context, run));
    return UNA_OK;
}

typedef struct answer {
    const una_model     *model;
    const una_bands     *asked;
    double               z;
    const una_predictive *p;             /* of the present block, which has `rows` rows from `from` on      */
    size_t from, rows;
} answer;

/* What is finite when standardised may overflow in the target's units. */
static una_status answer_in_units(const answer *a, una_run *run)
{
    const una_columns *c = &a->model->columns;
    const una_prediction *out = &a->asked->out;
    bool spread = out->std || out->std_epistemic || out->std_noise || out->lower || out->upper;
    for (size_t r = 0, to = a->from; r < a->rows; r++, to++) {
        una_row_answer y;
        UNA_TRY(una_answer_row(&y, c, a->p, r, a->from, run));
        double low = y.mean - a->z * y.std, high = y.mean + a->z * y.std;
        bool good = spread ? isfinite(low) && isfinite(high) : isfinite(y.mean);
        if (!good && !c->log_target) return una_fail_not_finite(a->model, to, run);
        if (out->mean) out->mean[to] = y.mean;
        if (out->std) out->std[to] = y.std;
        if (out->std_epistemic) out->std_epistemic[to] = y.std_epistemic;
        if (out->std_noise) out->std_noise[to] = y.std_noise;
        if (out->lower) out->lower[to] = low;
        if (out->upper) out->upper[to] = high;
    }
    return UNA_OK;
}

static una_status answer_quantile(double *to, const answer *a, size_t r, double level, una_run *run)
{
    const una_predictive *p = a->p;
    double t = p->parts ? una_mixture_quantile(level, p->part_mean + r * p->parts, p->part_var + r * p->parts,
                                               p->part_weight, p->parts)
                        : p->mean[r] + una_normal_quantile(level) * sqrt(p->var_model[r] + p->var_noise[r]);
    const una_columns *c = &a->model->columns;
    if (c->log_target) return una_log_target_value(to, c, t, a->from + r, run);
    *to = una_target_value(c, t);
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
    return (a->asked->out.lower || a->asked->out.upper) && (a->p->parts || a->model->columns.log_target);
}

static una_status find_quantiles(void *context, size_t index, una_run *run)
{
    const answer *a = context;
    const una_quantiles *asked = &a->asked->quantiles;
    size_t end = (index + 1) * ROWS_PER_TASK < a->rows ? (index + 1) * ROWS_PER_TASK : a->rows;
    double level = a->asked->level, *lower = bands_are_quantiles(a) ? a->asked->out.lower : NULL;
    double *upper = bands_are_quantiles(a) ? a->asked->out.upper : NULL;

    for (size_t r = index * ROWS_PER_TASK; r < end; r++) {
        double of_band = -HUGE_VAL, of_asked = -HUGE_VAL;
        UNA_TRY(una_check_cancelled(run, "predicting"));
        if (lower) UNA_TRY(next_quantile(&lower[a->from + r], &of_band, a, r, 0.5 - level / 2, run));
        if (upper) UNA_TRY(next_quantile(&upper[a->from + r], &of_band, a, r, 0.5 + level / 2, run));
        for (size_t k = 0; k < asked->count; k++)
            UNA_TRY(next_quantile(&asked->q[(a->from + r) * asked->count + k], &of_asked, a, r, asked->level[k], run));
    }
    return UNA_OK;
}

static una_status answer_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    answer *a = context;
    a->p = p;
    a->from = from;
    a->rows = rows;
    UNA_TRY(answer_in_units(a, run));
    if (!bands_are_quantiles(a) && !a->asked->quantiles.count) return UNA_OK;
    return una_pool(run, (rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK, find_quantiles, a);
}

una_status una_model_answer_encoded(const una_model *model, const double *x, size_t rows, const una_bands *asked,
                                    una_run *run)
{
    const una_prediction *out = &asked->out;
    if (!(asked->level > 0 && asked->level < 1))
        UNA_FAIL(run, UNA_E_USAGE, "the level of the bands is %g; it must lie between 0 and 1", asked->level);
    answer a = { .model = model, .asked = asked, .z = una_normal_quantile(0.5 + asked->level / 2) };
    una_detail detail = out->std || out->std_epistemic ? UNA_VARIANCES : UNA_ONLY_MEANS;
    if (out->lower || out->upper || asked->quantiles.count || model->columns.log_target) detail = UNA_PARTS;
    return una_model_each_block(model, x, rows, detail, answer_block, &a, run);
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

una_status una_model_ask_rows(const una_model *model, const una_dataset *data, bool with_targets, una_rows_task *task,
                              void *asked, una_run *run)
{
    const una_columns **columns = una_several_columns(model, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    una_table_row_namer named;
    double *x, *y = NULL;
    size_t rows, *kept, inputs = columns[0]->input_count;
    una_encoding to = { &x, with_targets ? &y : NULL, &kept, &rows };
    UNA_TRY(una_columns_encode_several(columns, una_model_target_count(model), data, &to, &run->scratch));
    una_table_name_rows(&named, data, with_targets ? kept : NULL, run);
    una_status status = task(model, (una_view){ x, rows, inputs, inputs }, y, asked, run);
    una_table_name_rows_end(&named, run);
    return status;
}

static una_status ask_bands(const una_model *model, una_view x, double *y, void *asked, una_run *run)
{
    (void)y;
    return una_model_answer_encoded(model, x.at, x.rows, asked, run);
}

una_status una_model_predict(const una_model *model, const una_dataset *data, double level, const una_prediction *out,
                             una_run *run)
{
    una_bands asked = { .level = level };
    UNA_TRY(UNA_TAKE(&asked.out, out, una_prediction, run));
    una_clear_message(run);
    UNA_TRY(una_model_need_one(model, run));
    UNA_SCOPED(run, una_model_ask_rows(model, data, false, ask_bands, &asked, run));
    return UNA_OK;
}

una_status una_model_quantiles(const una_model *model, const una_dataset *data, const double *levels, size_t count,
                               double *q, una_run *run)
{
    una_bands asked = { .level = 0.95, .quantiles = { count, levels, q } };
    una_clear_message(run);
    UNA_TRY(una_model_need_one(model, run));
    UNA_TRY(una_quantiles_check(levels, count, run));
    UNA_SCOPED(run, una_model_ask_rows(model, data, false, ask_bands, &asked, run));
    return UNA_OK;
}

/* A row of given numbers, to x [inputs]. */
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

static una_status standardise_rows(double *x, const una_columns *c, const double *given, size_t from, size_t rows,
                                   una_run *run)
{
    for (size_t r = 0; r < rows; r++)
        UNA_TRY(standardise_row(c, given + (from + r) * c->source_count, x + r * c->input_count, from + r, run));
    return UNA_OK;
}

static double *from_row(double *at, size_t row)
{
    return at ? at + row : NULL;
}

static una_status model_predict_rows(const una_model *model, const double *given, size_t rows, double level,
                                     const una_prediction *out, una_run *run)
{
    const una_columns *c = &model->columns;
    size_t most = rows < MOST_ROWS_AT_ONCE ? rows : MOST_ROWS_AT_ONCE;
    UNA_NEW(&run->scratch, double, x, most * c->input_count);

    for (size_t from = 0; from < rows; from += most) {
        size_t count = rows - from < most ? rows - from : most;
        UNA_TRY(standardise_rows(x, c, given, from, count, run));
        const una_bands asked = { level, { sizeof asked.out, from_row(out->mean, from), from_row(out->std, from),
                                           from_row(out->std_epistemic, from), from_row(out->std_noise, from),
                                           from_row(out->lower, from), from_row(out->upper, from) }, { 0 } };
        UNA_TRY(una_model_answer_encoded(model, x, count, &asked, run));
    }
    return UNA_OK;
}

/* instead: the call to use for a table. */
una_status una_model_need_numbers(const una_model *model, const char *instead, una_run *run)
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
    UNA_TRY(una_model_need_numbers(model, "una_model_predict", run));
    UNA_TRY(UNA_TAKE(&asked, out, una_prediction, run));
    UNA_SCOPED(run, model_predict_rows(model, given, rows, level, &asked, run));
    return UNA_OK;
}

una_status una_model_draw_encoded(const una_model *model, una_view x, const una_drawing *how, double *f, una_run *run)
{
    if (!model->kind->draw) UNA_FAIL(run, UNA_E_USAGE, "%s cannot draw functions", model->kind->name);
    UNA_SCOPED(run, una_calls(model->kind)->draw(model->state, x, how, f, run));
    if (!how->prior) UNA_TRY(una_widen_draws(f, how->draws, model, x, 0, run));
    return una_functions_in_units(model, x.at, x.rows, how->draws, f, run);
}

typedef struct functions { const una_drawing *how; size_t *count; double *f; } functions;

static una_status ask_draws(const una_model *model, una_view x, double *y, void *asked, una_run *run)
{
    (void)y;
    const functions *a = asked;
    for (size_t t = 0; t < una_model_target_count(model); t++)
        UNA_TRY(una_several_draw(model, t, x, a->how, a->f + t * a->how->draws * x.rows, run));
    return UNA_OK;
}

una_status una_model_draw(const una_model *model, const una_dataset *data, size_t draws, int prior, double *f,
                          una_run *run)
{
    functions asked = { &(una_drawing){ .draws = draws, .prior = prior != 0 }, NULL, f };
    una_clear_message(run);
    UNA_SCOPED(run, una_model_ask_rows(model, data, false, ask_draws, &asked, run));
    return UNA_OK;
}

static una_status ask_functions(const una_model *model, una_view x, double *y, void *asked, una_run *run)
{
    (void)y;
    const functions *a = asked;
    UNA_SCOPED(run, una_calls(model->kind)->functions(model->state, x, a->count, a->f, run));
    return a->f ? una_functions_in_units(model, x.at, x.rows, *a->count, a->f, run) : UNA_OK;
}

una_status una_model_functions(const una_model *model, const una_dataset *data, size_t *count, double *f, una_run *run)
{
    functions asked = { NULL, count, f };
    *count = 0;
    UNA_TRY(una_model_need_one(model, run));
    if (!model->kind->functions && !model->kind->validation) return UNA_OK;
    una_clear_message(run);
    UNA_SCOPED(run, una_model_ask_rows(model, data, false, ask_functions, &asked, run));
    return UNA_OK;
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
    UNA_NEW(&run->scratch, double, dm, c->input_count);
    UNA_NEW(&run->scratch, double, ds, c->input_count);
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
    una_widen_slope(&at, model, x);
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
    UNA_TRY(una_model_need_numbers(model, NULL, run));
    UNA_SCOPED(run, model_slope_at(model, x, dmean, dstd, run));
    return check_slopes(model, dmean, dstd, run);
}

/* ---- the function as a mixture ------------------------------------------------------------------------------- */

size_t una_model_part_count(const una_model *model)
{
    return model->targets ? 0 : una_kind_part_count(una_calls(model->kind), model->state);
}

una_status una_model_parts_encoded(const una_model *model, una_view x, const una_gaussians *g, una_run *run)
{
    UNA_SCOPED(run, una_kind_parts(una_calls(model->kind), model->state, x, g, run));
    if (model->spread != 1 || una_beyond_any(&model->beyond)) una_widen_parts(g, model, x);
    return UNA_OK;
}

/* Rows at a time: enough for products of many rows, few enough for their slopes. */
enum { PARTS_AT_ONCE = 1 << 16 };

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
    UNA_TRY(una_gaussians_new(&g, most, slopes ? c->input_count : 0, &run->scratch));

    for (size_t from = 0; from < rows; from += most) {
        size_t count = rows - from < most ? rows - from : most;
        UNA_TRY(standardise_rows(x, c, given, from, count, run));
        una_view view = { x, count, c->input_count, c->input_count };
        UNA_TRY(una_model_parts_encoded(model, view, &g, run));
        UNA_TRY(give_parts(model, &g, given, from, count, out, run));
    }
    if (out->weight) memcpy(out->weight, g.weight, g.parts * sizeof *g.weight);
    return UNA_OK;
}

una_status una_model_parts(const una_model *model, const double *x, size_t rows, const una_parts *out, una_run *run)
{
    una_parts asked;
    UNA_TRY(una_model_need_numbers(model, NULL, run));
    UNA_TRY(UNA_TAKE(&asked, out, una_parts, run));
    if (rows == 0) UNA_FAIL(run, UNA_E_USAGE, "una_model_parts needs at least one row");
    if (model->columns.log_target)
        UNA_FAIL(run, UNA_E_USAGE, "the model learnt the logarithm of '%.60s', which makes it no mixture of Gaussians: "
                 "fit it without --log, or ask for quantiles", model->columns.target);
    UNA_SCOPED(run, parts_of_rows(model, x, rows, &asked, run));
    return UNA_OK;
}
