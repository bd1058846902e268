/* SPDX-License-Identifier: MIT
 *
 * Answers for a target that was learnt by its logarithm (log_target.h). Sums are relative to the mean, so that only
 * answers too large for a double are refused.
 */
#include "model/log_target.h"

#include "la/mixture.h"

#include <float.h>

static una_status refuse_beyond_numbers(const una_columns *c, double log_mean, double log_std, size_t row, una_run *run)
{
    char place[UNA_ROW_NAME_ROOM];
    UNA_FAIL(run, UNA_E_NUMERIC, "%s: log %.60s is %.3g there, give or take %.3g, so that %.60s itself is beyond all "
             "numbers; its inputs may be far beyond the training data: leave the row out",
             una_row_name(place, row, run), c->target, log_mean, log_std, c->target);
}

/* ---- one row ------------------------------------------------------------------------------------------------- */

typedef struct in_logs {                 /* part m of a row, in units of log y                              */
    double mean, function, noise;        /* variances of the function and of the noise                      */
} in_logs;

/* Parts that are samples are single functions, each with its own noise: there is nothing else in their variance. */
static bool parts_are_sure(const una_predictive *p, size_t r)
{
    double sum = 0;
    for (size_t m = 0; m < p->parts; m++) sum += p->part_weight[m] * p->part_var[r * p->parts + m];
    return p->parts && sum <= (1 + 1e-9) * p->var_noise[r] * una_mixture_weights(p->part_weight, p->parts);
}

/* Other parts have the noise of the row. */
static in_logs log_part(const una_columns *c, const una_predictive *p, size_t r, size_t m, bool sure)
{
    double unit = c->target_scale * c->target_scale, noise = unit * p->var_noise[r];
    if (!p->parts)
        return (in_logs){ c->target_centre + c->target_scale * p->mean[r], unit * p->var_model[r], noise };
    size_t at = r * p->parts + m;
    double total = unit * p->part_var[at];
    noise = sure ? total : fmin(noise, total);
    return (in_logs){ c->target_centre + c->target_scale * p->part_mean[at], total - noise, noise };
}

static double log_part_mean(in_logs part)        /* log a_m */
{
    return part.mean + 0.5 * (part.function + part.noise);
}

static una_status log_target_row(una_row_answer *y, const una_columns *c, const una_predictive *p, size_t r, size_t from,
                                 una_run *run)
{
    size_t parts = p->parts ? p->parts : 1;
    const double *weight = p->parts ? p->part_weight : NULL;
    bool sure = parts_are_sure(p, r);
    double most = -HUGE_VAL, sum = 0, all = una_mixture_weights(weight, parts), function = 0, noise = 0;
    for (size_t m = 0; m < parts; m++) most = fmax(most, log_part_mean(log_part(c, p, r, m, sure)));
    for (size_t m = 0; m < parts; m++)
        sum += una_part_weight(weight, m) / all * exp(log_part_mean(log_part(c, p, r, m, sure)) - most);
    double log_mean = most + log(sum), mean = exp(log_mean);

    for (size_t m = 0; m < parts; m++) {
        in_logs part = log_part(c, p, r, m, sure);
        double w = una_part_weight(weight, m) / all, a = parts > 1 ? exp(log_part_mean(part) - log_mean) : 1;
        function += w * (a * a * expm1(part.function) + (a - 1) * (a - 1));
        noise += w * a * a * exp(part.function) * expm1(part.noise);
    }
    *y = (una_row_answer){ fmax(mean, DBL_MIN), mean * sqrt(function), fmax(mean * sqrt(noise), DBL_MIN), 0 };
    y->std = hypot(y->std_epistemic, y->std_noise);
    if (isfinite(mean) && isfinite(y->std_epistemic) && isfinite(y->std_noise)) return UNA_OK;
    return refuse_beyond_numbers(c, c->target_centre + c->target_scale * p->mean[r],
                                 c->target_scale * sqrt(p->var_model[r] + p->var_noise[r]), from + r, run);
}

una_status una_answer_row(una_row_answer *y, const una_columns *c, const una_predictive *p, size_t r, size_t from,
                          una_run *run)
{
    double scale = c->target_scale;
    if (c->log_target) return log_target_row(y, c, p, r, from, run);
    *y = (una_row_answer){ c->target_centre + scale * p->mean[r], scale * sqrt(p->var_model[r]),
                       scale * sqrt(p->var_noise[r]), scale * sqrt(p->var_model[r] + p->var_noise[r]) };
    return UNA_OK;
}

una_status una_log_target_value(double *y, const una_columns *c, double standard, size_t row, una_run *run)
{
    *y = fmax(una_target_value(c, standard), DBL_MIN);
    if (isfinite(*y)) return UNA_OK;
    char place[UNA_ROW_NAME_ROOM];
    UNA_FAIL(run, UNA_E_NUMERIC, "%s: log %.60s may be as large as %.3g there, so that %.60s itself is beyond all "
             "numbers; its inputs may be far beyond the training data: leave the row out",
             una_row_name(place, row, run), c->target, c->target_centre + c->target_scale * standard, c->target);
}

/* ---- functions ------------------------------------------------------------------------------------------------- */

static una_status noise_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    double *noise = context;
    (void)run;
    memcpy(noise + from, p->var_noise, rows * sizeof *noise);
    return UNA_OK;
}

/* E[y | f] = exp(f + n/2). */
static una_status log_target_functions(const una_model *model, const double *x, size_t rows, size_t count, double *f,
                                       una_run *run)
{
    const una_columns *c = &model->columns;
    UNA_NEW(&run->scratch, double, noise, rows);
    UNA_TRY(una_model_each_block(model, x, rows, UNA_ONLY_MEANS, noise_block, noise, run));
    for (size_t i = 0; i < count * rows; i++)
        UNA_TRY(una_log_target_value(&f[i], c, f[i] + 0.5 * c->target_scale * noise[i % rows], i % rows, run));
    return UNA_OK;
}

una_status una_functions_in_units(const una_model *model, const double *x, size_t rows, size_t count, double *f,
                                  una_run *run)
{
    const una_columns *c = &model->columns;
    if (c->log_target) {
        UNA_SCOPED(run, log_target_functions(model, x, rows, count, f, run));
        return UNA_OK;
    }
    for (size_t i = 0; i < count * rows; i++) {
        f[i] = c->target_centre + c->target_scale * f[i];
        if (!isfinite(f[i])) return una_fail_not_finite(model, i % rows, run);
    }
    return UNA_OK;
}

/* ---- slopes ---------------------------------------------------------------------------------------------------- */

/* Networks compute in float: steps are long, and four points make up for it. */
una_status una_log_target_slope(const una_model *model, double *x, double *dmean, double *dstd, una_run *run)
{
    const double step = 5e-3, off[4] = { -2, -1, 1, 2 };
    double mean[4], std[4];
    for (size_t d = 0; d < model->columns.input_count; d++) {
        double at = x[d];
        una_status status = UNA_OK;
        for (size_t k = 0; status == UNA_OK && k < 4; k++) {
            const una_bands asked = { .level = 0.95, .out = { .mean = &mean[k], .std_epistemic = &std[k] } };
            x[d] = at + off[k] * step;
            status = una_model_answer_encoded(model, x, 1, &asked, run);
        }
        x[d] = at;
        UNA_TRY(status);
        dmean[d] = (8 * (mean[2] - mean[1]) - (mean[3] - mean[0])) / (12 * step);
        dstd[d] = (8 * (std[2] - std[1]) - (std[3] - std[0])) / (12 * step);
    }
    return UNA_OK;
}

/* ---- scores of a fit ------------------------------------------------------------------------------------------- */

/* p(y) = p(log y) / y. */
una_status una_log_target_log_lik(una_model *model, const una_problem *problem, una_run *run)
{
    const una_columns *c = &model->columns;
    una_fit_info *info = &model->info;
    bool held = !problem->folds && problem->valid_x.rows > 0;            /* else all rows, fold by fold */
    const double *y = held ? problem->valid_y : problem->y;
    size_t rows = held ? problem->valid_x.rows : problem->x.rows;
    double sum[2] = { 0, (double)rows };
    if (!c->log_target) return UNA_OK;
    for (size_t i = 0; i < rows; i++) sum[0] += c->target_centre + c->target_scale * y[i];
    UNA_TRY(una_run_sum_f64(sum, 2, run));
    info->valid_log_lik -= sum[0] / sum[1];
    for (size_t i = 0; i < info->curve.count; i++) info->curve.valid_log_lik[i] -= sum[0] / sum[1];
    return UNA_OK;
}
