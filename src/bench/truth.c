/* SPDX-License-Identifier: MIT
 *
 * Rows whose true function is known. See truth.h.
 */
#include "bench/truth.h"

#include "bench/experiment.h"

static const double band_95 = 1.959963984540054;

void una_moments(double *mean, double *std, const double *value, size_t count)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < count; i++) sum += value[i];
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) square += (value[i] - *mean) * (value[i] - *mean);
    *std = sqrt(square / (double)count);
}

una_status una_truth_new(una_truth *t, size_t rows, size_t inputs, una_arena *arena)
{
    *t = (una_truth){ .rows = rows, .inputs = inputs };
    UNA_NEW_AT(arena, t->x, rows * inputs);
    UNA_NEW_AT(arena, t->f, rows);
    UNA_NEW_AT(arena, t->noise, rows);
    UNA_NEW_AT(arena, t->y, rows);
    return UNA_OK;
}

void una_truth_add_noise(una_truth *t, una_rng *rng)
{
    for (size_t i = 0; i < t->rows; i++) t->y[i] = t->f[i] + t->noise[i] * una_rng_normal(rng);
}

una_status una_truth_table(una_dataset **data, const una_truth *t, una_run *run)
{
    static const char *const names[] = { "x", "y" };
    UNA_TRY(una_dataset_from_arrays(data, t->x, t->y, t->rows, t->inputs, t->inputs == 1 ? names : NULL, run));
    return una_keep_dataset(&run->scratch, *data);
}

una_status una_truth_fit(una_model **model, const char *spec, const una_truth *t, una_run *run)
{
    una_dataset *data;
    una_fit_settings settings = { .size = sizeof settings, .target = "y" };
    UNA_TRY(una_truth_table(&data, t, run));
    return una_held_fit(model, spec, data, &settings, run);
}

static void truth_compare_rows(una_truth_scores *v, const una_truth *t, const double *mean, const double *std,
                               const double *noise)
{
    double n = (double)t->rows, inside = 0, std_sum = 0, off_noise = 0, error = 0;
    double predicted = 0, true_noise = 0, least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double off = mean[i] - t->f[i];
        inside += fabs(off) <= band_95 * std[i];
        std_sum += std[i];
        off_noise += fabs(noise[i] / t->noise[i] - 1);
        error += off * off;
        predicted += noise[i] * noise[i];
        true_noise += t->noise[i] * t->noise[i];
        least = fmin(least, noise[i]);
        most = fmax(most, noise[i]);
    }
    v->inside = inside / n;
    v->std_epistemic = std_sum / n;
    v->noise_error = off_noise / n;
    v->error = sqrt(error / n);
    v->noise_ratio = sqrt(predicted / true_noise);
    v->noise_range = most / least;
}

una_status una_truth_score(una_truth_scores *v, const una_model *model, const una_truth *t, una_run *run)
{
    una_score score = UNA_INIT(una_score);
    una_dataset *data;
    UNA_NEW(&run->scratch, double, mean, t->rows);
    UNA_NEW(&run->scratch, double, std, t->rows);
    UNA_NEW(&run->scratch, double, noise, t->rows);
    una_prediction p = { .size = sizeof p, .mean = mean, .std_epistemic = std, .std_noise = noise };
    UNA_TRY(una_truth_table(&data, t, run));
    UNA_TRY(una_model_predict(model, data, 0.95, &p, run));
    UNA_TRY(una_model_score(&score, model, data, run));
    truth_compare_rows(v, t, mean, std, noise);
    v->coverage_95 = score.coverage_95;
    v->log_lik = score.log_lik;
    v->rmse = score.rmse;
    return UNA_OK;
}
