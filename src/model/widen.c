/* SPDX-License-Identifier: MIT
 *
 * See widen.h.
 */
#include "model/widen.h"

#include "model/beyond.h"
#include "model/new_words.h"

static const uint64_t STREAM = (uint64_t)3 << 60;        /* of UNA_FOR_DRAWS: behind those of all kinds */

/* A kind without epistemic variance does not get any. */
bool una_widens(const una_model *model)
{
    return !model->kind->function && (una_new_words_any(&model->columns) || una_beyond_any(&model->beyond));
}

una_status una_widen_extra(double *extra, const una_model *model, una_view x, una_run *run)
{
    for (size_t r = 0; r < x.rows; r++) extra[r] = una_beyond_var(&model->beyond, x.at + r * x.stride, x.cols, NULL);
    return una_new_words_any(&model->columns) ? una_new_words_extra(extra, model, x, run) : UNA_OK;
}

static bool is_scaled(const una_model *model)
{
    return model->spread != 1 && !model->kind->function;
}

/* Parts of a row are drawn towards their mean, and share the loss of variance: of a part's own only the sum with its
 * noise is known, so all lose the same share of that. */
static void draw_parts_together(una_predictive *p, size_t row, double spread)
{
    double *mean = p->part_mean + row * p->parts, *var = p->part_var + row * p->parts, own = 0, share = spread * spread;
    for (size_t m = 0; m < p->parts; m++) own += p->part_weight[m] * var[m];
    double kept = 1 - (1 - share) * fmax(0, own - p->var_noise[row]) / own;
    for (size_t m = 0; m < p->parts; m++) {
        mean[m] = p->mean[row] + spread * (mean[m] - p->mean[row]);
        var[m] *= kept;
    }
}

static void scale_spread(una_predictive *p, size_t rows, double spread)
{
    for (size_t r = 0; r < rows; r++) {
        if (p->part_mean) draw_parts_together(p, r, spread);
        p->var_model[r] *= spread * spread;
    }
}

static una_status add_extra(una_predictive *p, const una_model *model, una_view x, una_run *run)
{
    UNA_NEW(&run->scratch, double, extra, x.rows);
    UNA_TRY(una_widen_extra(extra, model, x, run));
    for (size_t r = 0; r < x.rows; r++) {
        p->var_model[r] += extra[r];
        for (size_t m = 0; p->part_var && m < p->parts; m++) p->part_var[r * p->parts + m] += extra[r];
    }
    return UNA_OK;
}

una_status una_widen(una_predictive *p, const una_model *model, una_view x, una_run *run)
{
    if (p->mean_only) return UNA_OK;
    if (is_scaled(model)) scale_spread(p, x.rows, model->spread);
    if (una_widens(model)) UNA_SCOPED(run, add_extra(p, model, x, run));
    return UNA_OK;
}

static una_status draw_together(double *f, size_t draws, const una_model *model, una_view x, una_run *run)
{
    una_predictive p = { .mean_only = true };
    UNA_TRY(una_predictive_new(&p, x.rows, &run->scratch));
    UNA_TRY(una_kind_predict(una_calls(model->kind), model->state, x, &p, run));
    for (size_t i = 0; i < draws * x.rows; i++) {
        double mean = p.mean[i % x.rows];
        f[i] = mean + model->spread * (f[i] - mean);
    }
    return UNA_OK;
}

static una_status add_extra_to_draws(double *f, size_t draws, const una_model *model, una_view x, uint64_t stream,
                                     una_run *run)
{
    UNA_NEW(&run->scratch, double, extra, x.rows);
    UNA_TRY(una_widen_extra(extra, model, x, run));
    for (size_t k = 0; k < draws; k++) {
        una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, STREAM + (stream << 32) + k);
        double z = una_rng_normal(&rng);
        for (size_t r = 0; r < x.rows; r++) f[k * x.rows + r] += z * sqrt(extra[r]);
    }
    return UNA_OK;
}

una_status una_widen_draws(double *f, size_t draws, const una_model *model, una_view x, uint64_t stream, una_run *run)
{
    if (is_scaled(model)) UNA_SCOPED(run, draw_together(f, draws, model, x, run));
    if (una_widens(model)) UNA_SCOPED(run, add_extra_to_draws(f, draws, model, x, stream, run));
    return UNA_OK;
}

void una_widen_slope(una_slope *at, const una_model *model, const double *x)
{
    double share = is_scaled(model) ? model->spread * model->spread : 1;
    size_t inputs = model->columns.input_count;
    at->var *= share;
    for (size_t d = 0; d < inputs; d++) at->dvar[d] *= share;
    at->var += una_beyond_var(&model->beyond, x, inputs, at->dvar);
}

/* value [parts, width] drawn towards its mean. */
static void contract(double *value, const una_gaussians *g, size_t width, double spread)
{
    for (size_t d = 0; d < width; d++) {
        double mean = 0;
        for (size_t m = 0; m < g->parts; m++) mean += g->weight[m] * value[m * width + d];
        for (size_t m = 0; m < g->parts; m++)
            value[m * width + d] = mean + spread * (value[m * width + d] - mean);
    }
}

void una_widen_parts(const una_gaussians *g, const una_model *model, una_view x)
{
    double spread = is_scaled(model) ? model->spread : 1;
    for (size_t r = 0; r < x.rows; r++) {
        double *var = g->var + r * g->parts, *dvar = g->dvar ? g->dvar + r * g->parts * x.cols : NULL;
        if (spread != 1) contract(g->mean + r * g->parts, g, 1, spread);
        if (spread != 1 && g->dmean) contract(g->dmean + r * g->parts * x.cols, g, x.cols, spread);
        for (size_t m = 0; m < g->parts; m++) {
            double *slope = dvar ? dvar + m * x.cols : NULL;
            for (size_t d = 0; slope && d < x.cols; d++) slope[d] *= spread * spread;
            var[m] = spread * spread * var[m] + una_beyond_var(&model->beyond, x.at + r * x.stride, x.cols, slope);
        }
    }
}
