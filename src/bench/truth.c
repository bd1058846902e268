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
    static const char *const single[] = { "x", "y" };
    const char *const *usual = t->inputs == 1 ? single : NULL;
    UNA_TRY(una_dataset_from_arrays(data, t->x, t->y, t->rows, t->inputs, t->names ? t->names : usual, run));
    return una_keep_dataset(&run->scratch, *data);
}

una_status una_truth_fit(una_model **model, const char *spec, const una_truth *t, una_run *run)
{
    una_dataset *data;
    una_fit_settings settings = { .size = sizeof settings, .target = "y", .group = t->group };
    UNA_TRY(una_truth_table(&data, t, run));
    return una_held_fit(model, spec, data, &settings, run);
}

typedef struct row_predictions { double *mean, *std, *noise, *lower, *upper; } row_predictions;

static void compare_function(una_truth_scores *v, const una_truth *t, const row_predictions *p)
{
    double n = (double)t->rows, inside = 0, std_sum = 0, error = 0, z2 = 0;
    bool stated = true;
    for (size_t i = 0; i < t->rows; i++) {
        double off = p->mean[i] - t->f[i];
        inside += fabs(off) <= band_95 * p->std[i];
        std_sum += p->std[i];
        error += off * off;
        stated = stated && p->std[i] > 0;
        if (stated) z2 += off / p->std[i] * (off / p->std[i]);
    }
    v->inside = inside / n;
    v->z2 = stated ? z2 / n : NAN;
    v->std_epistemic = std_sum / n;
    v->error = sqrt(error / n);
}

static void compare_noise(una_truth_scores *v, const una_truth *t, const double *noise)
{
    double off_noise = 0, predicted = 0, true_noise = 0, true_scale = 0, least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double scale = t->scale ? t->scale[i] : t->noise[i];
        off_noise += fabs(noise[i] / t->noise[i] - 1);
        predicted += noise[i] * noise[i];
        true_noise += t->noise[i] * t->noise[i];
        true_scale += scale * scale;
        least = fmin(least, noise[i]);
        most = fmax(most, noise[i]);
    }
    v->noise_error = off_noise / (double)t->rows;
    v->noise_ratio = sqrt(predicted / true_noise);
    v->scale_ratio = sqrt(predicted / true_scale);
    v->noise_range = most / least;
}

/* Share of the rows with `of` whose y is in its band; NAN where no row has it, or each. */
static double coverage_of(const una_truth *t, const row_predictions *p, const bool *of)
{
    size_t count = 0, covered = 0;
    for (size_t i = 0; i < t->rows; i++) {
        if (!of[i]) continue;
        covered += p->lower[i] <= t->y[i] && t->y[i] <= p->upper[i];
        count++;
    }
    return count > 0 && count < t->rows ? (double)covered / (double)count : NAN;
}

static una_status compare_bands(una_truth_scores *v, const una_truth *t, const row_predictions *p, una_run *run)
{
    UNA_NEW(&run->scratch, bool, of, t->rows);
    UNA_NEW(&run->scratch, double, noise, t->rows);
    memcpy(noise, t->noise, t->rows * sizeof *noise);
    qsort(noise, t->rows, sizeof *noise, una_by_number);
    for (size_t i = 0; i < t->rows; i++) of[i] = t->noise[i] > noise[t->rows - 1 - t->rows / 3];
    v->loud_coverage = coverage_of(t, p, of);
    for (size_t i = 0; i < t->rows; i++) of[i] = !t->odd || !t->odd[i];
    v->clean_coverage = coverage_of(t, p, of);
    return UNA_OK;
}

una_status una_truth_score(una_truth_scores *v, const una_model *model, const una_truth *t, una_run *run)
{
    una_score score = UNA_INIT(una_score);
    una_dataset *data;
    row_predictions row;
    double **array[] = { &row.mean, &row.std, &row.noise, &row.lower, &row.upper };
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) UNA_NEW_AT(&run->scratch, *array[i], t->rows);
    una_prediction p = { .size = sizeof p, .mean = row.mean, .std_epistemic = row.std, .std_noise = row.noise,
                         .lower = row.lower, .upper = row.upper };
    UNA_TRY(una_truth_table(&data, t, run));
    UNA_TRY(una_model_predict(model, data, 0.95, &p, run));
    UNA_TRY(una_model_score(&score, model, data, run));
    compare_function(v, t, &row);
    compare_noise(v, t, row.noise);
    v->scale_ratio *= una_model_info(model)->noise_scale / una_model_info(model)->noise_std;
    UNA_TRY(compare_bands(v, t, &row, run));
    v->coverage_95 = score.coverage_95;
    v->log_lik = score.log_lik;
    v->rmse = score.rmse;
    return UNA_OK;
}
