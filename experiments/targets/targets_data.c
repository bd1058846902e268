/* SPDX-License-Identifier: MIT
 *
 * Rows of two targets, the fits to them, and the measures on fresh rows.
 */
#include "targets/targets.h"

#include "data/table.h"

const char *const una_targets_laws[UNA_TARGETS_LAWS + 1] = { "related", "independent", "noise" };
static const double gap_end = 1.5, far_end = 4;          /* of |x|: a is not seen below; x goes so far */
static const double noise_std = 0.5, noise_correlation = 0.8, wide = 1.959963984540054;
static const char *const names[] = { "x", "a", "b" };

/* ---- rows ---------------------------------------------------------------------------------------------------- */

void una_targets_functions(double *a, double *b, una_targets_law law, double x)
{
    switch (law) {
    case UNA_RELATED:    *b = 3 * sin(1.5 * x); break;
    case UNA_CORRELATED: *b = 5 * cos(1.3 * x) + x / 2; break;
    default:             *b = 4 * tanh(x) + x * x / 4; break;
    }
    *a = 6 * sin(1.5 * x) + x * x / 4 - x;
}

typedef enum region { EVERYWHERE, OUTSIDE, INSIDE } region;

static double draw_x(region where, una_rng *rng)
{
    double u = 2 * una_rng_uniform(rng) - 1, size = fabs(u);
    if (where == EVERYWHERE) return far_end * u;
    if (where == INSIDE) return gap_end * u;
    return copysign(gap_end + (far_end - gap_end) * size, u);
}

/* Rows that train on related targets lack a in its gap. */
static una_status make_table(una_dataset **data, size_t rows, una_targets_law law, region where, una_rng *rng,
                             una_run *run)
{
    bool complete = law != UNA_RELATED || where != EVERYWHERE;
    double rho = law == UNA_CORRELATED ? noise_correlation : 0;
    UNA_NEW(&run->scratch, double, x, 3 * rows);
    double *a = x + rows, *b = a + rows;
    for (size_t i = 0; i < rows; i++) {
        x[i] = draw_x(where, rng);
        una_targets_functions(&a[i], &b[i], law, x[i]);
        double first = una_rng_normal(rng), second = una_rng_normal(rng);
        a[i] += noise_std * first;
        b[i] += noise_std * (rho * first + sqrt(1 - rho * rho) * second);
        if (!complete && fabs(x[i]) < gap_end) a[i] = NAN;
    }
    const double *const numbers[] = { x, a, b };
    UNA_TRY(una_dataset_from_columns(data, names, numbers, NULL, 3, rows, run));
    return una_keep_dataset(&run->scratch, *data);
}

una_status una_targets_rows_make(una_targets_rows *rows, una_targets_law law, uint64_t seed, una_run *run)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, law);
    UNA_TRY(make_table(&rows->train, UNA_TARGETS_TRAIN, law, EVERYWHERE, &rng, run));
    UNA_TRY(make_table(&rows->outside, UNA_TARGETS_TEST, law, law == UNA_RELATED ? OUTSIDE : EVERYWHERE, &rng, run));
    return make_table(&rows->gap, UNA_TARGETS_TEST, law, INSIDE, &rng, run);
}

una_targets_law una_targets_law_of(const char *data)
{
    size_t law = 0;
    while (law < UNA_TARGETS_LAWS && strncmp(data, una_targets_laws[law], strlen(una_targets_laws[law])) != 0) law++;
    return (una_targets_law)law;
}

bool una_targets_is_joint(const char *data)
{
    return strstr(data, ", together") != NULL;
}

double una_targets_point(size_t point)
{
    return far_end * (2 * (double)point / (UNA_TARGETS_POINTS - 1) - 1);
}

/* ---- fits ---------------------------------------------------------------------------------------------------- */

/* A table without the other target, and without the rows that lack this one. */
static una_status one_target(una_dataset **data, const una_dataset *both, size_t target, una_run *run)
{
    const double *x = una_dataset_numbers(both, 0), *y = una_dataset_numbers(both, 1 + target);
    const char *const its[] = { names[0], names[1 + target] };
    size_t rows = una_dataset_row_count(both), count = 0;
    UNA_NEW(&run->scratch, double, own_x, rows);
    UNA_NEW(&run->scratch, double, own_y, rows);
    for (size_t i = 0; i < rows; i++) {
        if (isnan(y[i])) continue;
        own_x[count] = x[i];
        own_y[count++] = y[i];
    }
    UNA_TRY(una_dataset_from_arrays(data, own_x, own_y, count, 1, its, run));
    return una_keep_dataset(&run->scratch, *data);
}

una_status una_targets_fit_make(una_targets_fit *fit, const una_row_key *key, const una_targets_rows *rows,
                                una_run *run)
{
    una_fit_settings settings = { .size = sizeof settings, .targets = names + 1, .target_count = 2 };
    *fit = (una_targets_fit){ .whole = NULL };
    if (una_targets_is_joint(key->data)) {
        UNA_TRY(una_held_fit(&fit->whole, key->spec, rows->train, &settings, run));
        for (size_t t = 0; t < 2; t++) fit->part[t] = una_model_target(fit->whole, t);
        return UNA_OK;
    }
    for (size_t t = 0; t < 2; t++) {
        una_dataset *data;
        una_model *single;
        UNA_TRY(one_target(&data, rows->train, t, run));
        UNA_TRY(una_held_fit(&single, key->spec, data, NULL, run));
        fit->part[t] = single;
    }
    return UNA_OK;
}

/* ---- what they say ------------------------------------------------------------------------------------------- */

/* Share of rows whose true function is inside the band of ignorance of a. */
static una_status share_inside_band(double *share, const una_model *model, una_targets_law law, const una_dataset *data,
                                    una_run *run)
{
    size_t rows = una_dataset_row_count(data), hits = 0;
    const double *x = una_dataset_numbers(data, 0);
    UNA_NEW(&run->scratch, double, mean, rows);
    UNA_NEW(&run->scratch, double, std, rows);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    UNA_TRY(una_model_predict(model, data, 0.95, &out, run));
    for (size_t i = 0; i < rows; i++) {
        double a, b;
        una_targets_functions(&a, &b, law, x[i]);
        hits += fabs(mean[i] - a) <= wide * std[i];
    }
    *share = (double)hits / (double)rows;
    return UNA_OK;
}

/* Of the noise, from what the covariance has more with it than without. Targets that were fitted apart have none. */
static una_status fitted_noise_correlation(double *value, const una_model *whole, const una_dataset *data, una_run *run)
{
    size_t rows = una_dataset_row_count(data);
    UNA_NEW(&run->scratch, double, all, rows * 4);
    UNA_NEW(&run->scratch, double, function, rows * 4);
    UNA_TRY(una_model_covariance(whole, data, 1, all, run));
    UNA_TRY(una_model_covariance(whole, data, 0, function, run));
    *value = (all[1] - function[1]) / sqrt((all[0] - function[0]) * (all[3] - function[3]));
    return UNA_OK;
}

static una_status measure_joint(double *value, const una_targets_fit *fit, const una_targets_rows *rows, una_run *run)
{
    value[UNA_TARGETS_JOINT] = value[UNA_TARGETS_LOG_LIK_A] + value[UNA_TARGETS_LOG_LIK_B];
    value[UNA_TARGETS_CORRELATION] = 0;
    if (!fit->whole) return UNA_OK;
    UNA_TRY(una_model_joint_log_lik(&value[UNA_TARGETS_JOINT], NULL, fit->whole, rows->outside, run));
    return fitted_noise_correlation(&value[UNA_TARGETS_CORRELATION], fit->whole, rows->outside, run);
}

una_status una_targets_measure(double *value, const una_targets_fit *fit, una_targets_law law,
                               const una_targets_rows *rows, una_run *run)
{
    for (size_t t = 0; t < 2; t++) {
        una_score outside = UNA_INIT(una_score), gap = UNA_INIT(una_score);
        UNA_TRY(una_model_score(&outside, fit->part[t], rows->outside, run));
        UNA_TRY(una_model_score(&gap, fit->part[t], rows->gap, run));
        value[UNA_TARGETS_LOG_LIK_A + t] = outside.log_lik;
        value[UNA_TARGETS_GAP_LOG_LIK_A + t] = gap.log_lik;
        value[UNA_TARGETS_GAP_STD_A + t] = gap.mean_std_epistemic;
        if (t == 0) value[UNA_TARGETS_GAP_RMSE_A] = gap.rmse;
    }
    UNA_TRY(share_inside_band(&value[UNA_TARGETS_GAP_INSIDE_A], fit->part[0], law, rows->gap, run));
    return measure_joint(value, fit, rows, run);
}
