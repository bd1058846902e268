/* SPDX-License-Identifier: MIT
 *
 * What the Radial Uncertainty Benchmark measures: 3 epistemic std along rays from the centre, and what that curve looks
 * like. See radial.h.
 */
#include "radial/radial.h"

#include "select/evaluation.h"

static const double step = 0.1, stds = 3;

const char *const una_radial_prior[UNA_RADIAL_PRIORS] = { "1e-5", "3e-5", "1e-4", "3e-4", "0.001", "0.003", "0.01",
                                                          "0.03", "0.1", "0.3", "1", "3", "10", "30", "100" };

double una_radial_radius(size_t at)
{
    return step * (double)at;
}

/* ---- rays ------------------------------------------------------------------------------------------------------- */

/* Directions [*count, inputs]: both of a line, 1000 at random else; the same for all models of a seed. */
static una_status draw_rays(double **ray, size_t *count, size_t inputs, uint64_t seed, una_arena *arena)
{
    *count = inputs == 1 ? 2 : UNA_RADIAL_RAYS;
    UNA_NEW_AT(arena, *ray, *count * inputs);
    if (inputs == 1) {
        (*ray)[0] = 1, (*ray)[1] = -1;
        return UNA_OK;
    }

    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < *count; i++) {
        double *one = *ray + i * inputs, square = 0;
        while (square == 0)
            for (size_t d = 0; d < inputs; d++) {
                one[d] = una_rng_normal(&rng);
                square += one[d] * one[d];
            }
        for (size_t d = 0; d < inputs; d++) one[d] /= sqrt(square);
    }
    return UNA_OK;
}

una_status una_radial_curve(double *mean, double *sd, una_radial_std *std, const void *context, size_t inputs,
                            uint64_t seed, una_run *run)
{
    double *ray;
    size_t count;
    UNA_TRY(draw_rays(&ray, &count, inputs, seed, &run->scratch));
    UNA_NEW(&run->scratch, double, x, UNA_RADIAL_RAYS * inputs);
    UNA_NEW(&run->scratch, double, out, UNA_RADIAL_RAYS);
    for (size_t r = 0; r < UNA_RADIAL_RADII; r++) {
        size_t rows = r == 0 ? 1 : count;        /* all rays begin at the same point */
        for (size_t i = 0; i < rows * inputs; i++) x[i] = una_radial_radius(r) * ray[i];
        UNA_TRY(std(context, x, rows, out, run));
        for (size_t i = 0; i < rows; i++) out[i] *= stds;
        una_moments(&mean[r], &sd[r], out, rows);
    }
    return UNA_OK;
}

/* ---- numbers of a curve ----------------------------------------------------------------------------------------- */

double una_radial_symmetry(const double *mean, const double *sd)
{
    double level = 0, spread = 0;
    for (size_t r = 0; r <= UNA_RADIAL_EDGE; r++) level += mean[r], spread += sd[r];
    return level > 0 ? spread / level : NAN;
}

double una_radial_roughness(const double *mean)
{
    double bends = 0, low = mean[0], high = mean[0];
    for (size_t r = 1; r <= UNA_RADIAL_EDGE; r++) low = fmin(low, mean[r]), high = fmax(high, mean[r]);
    for (size_t r = 1; r < UNA_RADIAL_EDGE; r++) bends += fabs(mean[r - 1] - 2 * mean[r] + mean[r + 1]);
    return high > low ? bends / (high - low) : NAN;
}

double una_radial_distance(const double *a, const double *b, size_t from, size_t to)
{
    double square = 0;
    for (size_t r = from; r <= to; r++) square += (a[r] - b[r]) * (a[r] - b[r]);
    return sqrt(square / (double)(to - from + 1));
}

/* ---- of a model ------------------------------------------------------------------------------------------------- */

static una_status std_of_model(const void *context, const double *x, size_t rows, double *std, una_run *run)
{
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    return una_model_predict_rows(context, x, rows, 0.95, &out, run);
}

static una_status measure_hole(double *value, const una_model *model, const una_radial_rows *rows, una_run *run)
{
    una_truth_scores hole;
    UNA_NEW(&run->scratch, double, in, rows->hole.rows);
    UNA_NEW(&run->scratch, double, out, rows->fresh.rows);
    UNA_TRY(una_truth_score(&hole, model, &rows->hole, run));
    UNA_TRY(std_of_model(model, rows->hole.x, rows->hole.rows, in, run));
    UNA_TRY(std_of_model(model, rows->fresh.x, rows->fresh.rows, out, run));
    value[UNA_RADIAL_HOLE_AUROC] = una_auroc(in, rows->hole.rows, out, rows->fresh.rows);
    value[UNA_RADIAL_HOLE_INSIDE] = hole.inside;
    value[UNA_RADIAL_HOLE_LOG_LIK] = hole.log_lik;
    return UNA_OK;
}

una_status una_radial_measure(double *value, const una_model *model, const una_radial_set *set,
                              const una_radial_rows *rows, uint64_t seed, una_run *run)
{
    una_truth_scores fresh;
    double *mean = value + UNA_RADIAL_MEAN, *sd = value + UNA_RADIAL_SD;
    UNA_TRY(una_radial_curve(mean, sd, std_of_model, model, set->inputs, seed, run));
    value[UNA_RADIAL_CENTRE] = mean[0];
    value[UNA_RADIAL_OFF_IDEAL] = fabs(mean[0] - set->ideal);
    value[UNA_RADIAL_SYMMETRY] = una_radial_symmetry(mean, sd);
    value[UNA_RADIAL_ROUGHNESS] = una_radial_roughness(mean);

    UNA_TRY(una_truth_score(&fresh, model, &rows->fresh, run));
    value[UNA_RADIAL_LOG_LIK] = fresh.log_lik;
    value[UNA_RADIAL_RMSE] = fresh.rmse;
    return rows->hole.rows ? measure_hole(value, model, rows, run) : UNA_OK;
}

/* ---- prior variances -------------------------------------------------------------------------------------------- */

static una_status try_prior(double *value, const una_model *model, size_t prior, const una_radial_rows *rows,
                            una_run *run)
{
    char setting[48];
    double origin[UNA_RADIAL_MOST_INPUTS] = { 0 }, *centre = &value[UNA_RADIAL_PRIOR_CENTRE + prior];
    una_model *relearnt;
    una_dataset *data;
    una_truth_scores fresh;
    snprintf(setting, sizeof setting, "prior_var=%s", una_radial_prior[prior]);
    UNA_TRY(una_truth_table(&data, &rows->train, run));
    UNA_TRY(una_posterior_with(&relearnt, model, data, setting, run));
    UNA_TRY(una_truth_score(&fresh, relearnt, &rows->fresh, run));
    UNA_TRY(std_of_model(relearnt, origin, 1, centre, run));
    value[UNA_RADIAL_PRIOR_LOG_LIK + prior] = fresh.log_lik;
    *centre *= stds;
    return UNA_OK;
}

una_status una_radial_priors(double *value, const una_model *model, const una_radial_rows *rows, una_run *run)
{
    for (size_t p = 0; p < UNA_RADIAL_PRIORS; p++) UNA_SCOPED(run, try_prior(value, model, p, rows, run));
    return UNA_OK;
}
