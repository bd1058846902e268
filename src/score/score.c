/* SPDX-License-Identifier: MIT
 *
 * Scores of predictions. For Gaussians N(mean, std^2), z = (y - mean)/std:
 *   rmse;  log-likelihood;  CRPS = std (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi))  (Gneiting & Raftery 2007, eq. 21);
 *   coverage of the central 50, 90 and 95 % intervals;
 *   calibration error = mean over p = 0.01 .. 0.99 of |fraction of rows with Phi(z) <= p, minus p|.
 * For a mixture of Gaussians F takes the place of Phi(z): y lies in the central interval of level q if |2 F(y) - 1| <=
 * q.
 */
#include "score/score.h"

#include "la/la.h"
#include "la/mixture.h"

static const double ROOT_INVERSE_PI = 0.56418958354775628695;

static double level_of_index(size_t index)
{
    return (double)(index + 1) / (UNA_CALIBRATION_LEVELS + 1);
}

static double whole_std(double std_epistemic, double std_noise)
{
    return std_epistemic >= 0 && std_noise >= 0 ? hypot(std_epistemic, std_noise) : NAN;
}

/* All rows are looked at before any is counted: a refused chunk leaves the sums as they were. */
static una_status check_scored_rows(size_t before, const double *y, const double *mean, const double *std_epistemic,
                                    const double *std_noise, size_t rows, una_run *run)
{
    char row[UNA_ROW_NAME_ROOM];
    for (size_t i = 0; i < rows; i++) {
        double std = whole_std(std_epistemic[i], std_noise[i]);
        if (!isfinite(y[i]))
            UNA_FAIL(run, UNA_E_INPUT, "%s cannot be scored: its target is not finite",
                     una_row_name(row, before + i, run));
        if (!isfinite(mean[i]))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: its mean is not finite",
                     una_row_name(row, before + i, run));
        if (!(std > 0) || !isfinite(std)) {
            UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: its standard deviations %g (epistemic) and %g "
                     "(noise) do not make a positive, finite one", una_row_name(row, before + i, run),
                     std_epistemic[i], std_noise[i]);
        }
    }
    return UNA_OK;
}

static void count_calibration(una_score_sums *sums, double probability)
{
    size_t first = 0;
    while (first < UNA_CALIBRATION_LEVELS && level_of_index(first) < probability) first++;
    for (size_t i = first; i < UNA_CALIBRATION_LEVELS; i++) sums->below[i]++;
}

una_status una_score_add(una_score_sums *sums, const double *y, const double *mean, const double *std_epistemic,
                         const double *std_noise, size_t rows, una_run *run)
{
    UNA_TRY(check_scored_rows(sums->rows - sums->begun, y, mean, std_epistemic, std_noise, rows, run));
    double reach_50 = una_normal_quantile(0.75), reach_90 = una_normal_quantile(0.95);
    double reach_95 = una_normal_quantile(0.975);

    for (size_t i = 0; i < rows; i++) {
        double std = whole_std(std_epistemic[i], std_noise[i]), error = y[i] - mean[i], z = error / std;
        double below = una_normal_cdf(z);
        sums->square += error * error;
        sums->log_lik -= 0.5 * UNA_LOG_TWO_PI + log(std) + 0.5 * z * z;
        sums->crps += std * (z * (2 * below - 1) + 2 * una_normal_pdf(z) - ROOT_INVERSE_PI);
        sums->std_epistemic += std_epistemic[i];
        sums->std_noise += std_noise[i];
        sums->inside_50 += fabs(z) <= reach_50;
        sums->inside_90 += fabs(z) <= reach_90;
        sums->inside_95 += fabs(z) <= reach_95;
        count_calibration(sums, below);
    }

    sums->rows += rows;
    return UNA_OK;
}

/* ---- mixtures ------------------------------------------------------------------------------------------- */

static una_status check_mixture(size_t before, const double *y, const double *part_mean, const double *part_var,
                                size_t parts, const double *std_epistemic, const double *std_noise, size_t rows,
                                una_run *run)
{
    char row[UNA_ROW_NAME_ROOM];
    for (size_t i = 0; i < rows; i++) {
        if (!isfinite(y[i]))
            UNA_FAIL(run, UNA_E_INPUT, "%s cannot be scored: its target is not finite",
                     una_row_name(row, before + i, run));
        for (size_t m = i * parts; m < (i + 1) * parts; m++)
            if (!isfinite(part_mean[m]) || !(part_var[m] > 0 && isfinite(part_var[m])))
                UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: part %zu of its prediction has the mean %g and "
                         "the variance %g, and they must be finite, the variance above 0",
                         una_row_name(row, before + i, run), m - i * parts + 1, part_mean[m], part_var[m]);

        if (!isfinite(whole_std(std_epistemic[i], std_noise[i])))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: its standard deviations %g (epistemic) and %g "
                     "(noise) are not finite numbers of at least 0", una_row_name(row, before + i, run),
                     std_epistemic[i], std_noise[i]);
    }
    return UNA_OK;
}

typedef struct row_score { double error, log_lik, crps, below; } row_score;

typedef struct mixture_rows {
    const double *y, *part_mean, *part_var, *weight;
    size_t parts, rows;
    double weights;                      /* their sum */
    bool   log_target;                       /* parts are those of log y */
    row_score *score;
} mixture_rows;

enum { SLICE = 64 };                     /* rows of one task */

/* p(y) = p(log y) / y, and P(Y < y) = P(log Y < log y). */
static una_status score_lognormals(row_score *score, const mixture_rows *all, size_t i, una_run *run)
{
    const double *mean = all->part_mean + i * all->parts, *var = all->part_var + i * all->parts;
    double y = all->y[i], sum = 0;
    for (size_t m = 0; m < all->parts; m++) sum += una_part_weight(all->weight, m) * exp(mean[m] + 0.5 * var[m]);
    score->error = y - sum / all->weights;
    score->log_lik = una_mixture_log_pdf(log(y), mean, var, all->weight, all->parts) - log(y);
    score->below = una_mixture_cdf(log(y), mean, var, all->weight, all->parts);
    UNA_TRY(una_crps_lognormals(&score->crps, y, mean, var, all->weight, all->parts, run));
    if (isfinite(score->error) && isfinite(score->log_lik) && isfinite(score->crps)) return UNA_OK;
    UNA_FAIL(run, UNA_E_NUMERIC, "a row with the target %g cannot be scored: what is predicted for it is beyond all "
             "numbers; its inputs may be far beyond the training data", y);
}

static una_status score_slice(void *context, size_t index, una_run *run)
{
    const mixture_rows *all = context;
    size_t end = (index + 1) * SLICE < all->rows ? (index + 1) * SLICE : all->rows;

    for (size_t i = index * SLICE; i < end; i++) {
        const double *mean = all->part_mean + i * all->parts, *var = all->part_var + i * all->parts;
        row_score *score = &all->score[i];
        double sum = 0;
        if (all->log_target) {
            UNA_TRY(score_lognormals(score, all, i, run));
            continue;
        }
        for (size_t m = 0; m < all->parts; m++) sum += una_part_weight(all->weight, m) * mean[m];
        score->error = all->y[i] - sum / all->weights;
        score->log_lik = una_mixture_log_pdf(all->y[i], mean, var, all->weight, all->parts);
        score->below = una_mixture_cdf(all->y[i], mean, var, all->weight, all->parts);
        UNA_TRY(una_crps_mixture(&score->crps, all->y[i], mean, var, all->weight, all->parts, run));
    }
    return UNA_OK;
}

static void add_mixture_row(una_score_sums *sums, const row_score *score)
{
    double off_centre = fabs(2 * score->below - 1);
    sums->square += score->error * score->error;
    sums->log_lik += score->log_lik;
    sums->crps += score->crps;
    sums->inside_50 += off_centre <= 0.5;
    sums->inside_90 += off_centre <= 0.9;
    sums->inside_95 += off_centre <= 0.95;
    count_calibration(sums, score->below);
}

static una_status check_mixture_weights(const double *weight, size_t parts, una_run *run)
{
    if (parts == 0) UNA_FAIL(run, UNA_E_USAGE, "a mixture without parts cannot be scored");
    for (size_t m = 0; weight && m < parts; m++)
        if (!(weight[m] > 0 && isfinite(weight[m])))
            UNA_FAIL(run, UNA_E_NUMERIC, "a mixture cannot be scored: part %zu has the weight %g, and weights must be "
                     "finite and above 0", m + 1, weight[m]);
    return UNA_OK;
}

static una_status add_scored_rows(una_score_sums *sums, mixture_rows all, const double *std_epistemic,
                                  const double *std_noise, una_run *run)
{
    size_t rows = all.rows;
    UNA_TRY(check_mixture_weights(all.weight, all.parts, run));
    UNA_TRY(check_mixture(sums->rows - sums->begun, all.y, all.part_mean, all.part_var, all.parts, std_epistemic,
                          std_noise, rows, run));

    una_mark mark = una_arena_mark(&run->scratch);
    all.weights = una_mixture_weights(all.weight, all.parts);
    all.score = UNA_GET(&run->scratch, row_score, rows);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_pool(run, (rows + SLICE - 1) / SLICE, score_slice, &all);

    for (size_t i = 0; status == UNA_OK && i < rows; i++) {
        add_mixture_row(sums, &all.score[i]);
        sums->std_epistemic += std_epistemic[i];
        sums->std_noise += std_noise[i];
    }
    if (status == UNA_OK) sums->rows += rows;
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_score_add_mixture(una_score_sums *sums, const double *y, const double *part_mean, const double *part_var,
                                 const double *part_weight, size_t parts, const double *std_epistemic,
                                 const double *std_noise, size_t rows, una_run *run)
{
    mixture_rows all = { .y = y, .part_mean = part_mean, .part_var = part_var, .weight = part_weight, .parts = parts,
                         .rows = rows };
    return add_scored_rows(sums, all, std_epistemic, std_noise, run);
}

una_status una_score_add_lognormals(una_score_sums *sums, const double *y, const double *part_mean,
                                    const double *part_var, const double *part_weight, size_t parts,
                                    const double *std_epistemic, const double *std_noise, size_t rows, una_run *run)
{
    mixture_rows all = { .y = y, .part_mean = part_mean, .part_var = part_var, .weight = part_weight, .parts = parts,
                         .rows = rows, .log_target = true };
    char row[UNA_ROW_NAME_ROOM];
    for (size_t i = 0; i < rows; i++)
        if (!(y[i] > 0))
            UNA_FAIL(run, UNA_E_INPUT, "%s cannot be scored: its target is %g, and what is predicted is always "
                     "above 0", una_row_name(row, sums->rows - sums->begun + i, run), y[i]);
    return add_scored_rows(sums, all, std_epistemic, std_noise, run);
}

una_status una_score_finish(una_score *score, const una_score_sums *sums, una_run *run)
{
    UNA_TRY(UNA_CHECK_SIZE(score, una_score, run));
    if (sums->rows == 0) UNA_FAIL(run, UNA_E_INPUT, "there are no rows to score");

    double rows = (double)sums->rows, off = 0;
    for (size_t i = 0; i < UNA_CALIBRATION_LEVELS; i++) off += fabs((double)sums->below[i] / rows - level_of_index(i));
    una_score whole = {
        .size = sizeof whole,
        .rows = sums->rows,
        .rmse = sqrt(sums->square / rows),
        .log_lik = sums->log_lik / rows,
        .crps = sums->crps / rows,
        .coverage_50 = (double)sums->inside_50 / rows,
        .coverage_90 = (double)sums->inside_90 / rows,
        .coverage_95 = (double)sums->inside_95 / rows,
        .calibration_error = off / UNA_CALIBRATION_LEVELS,
        .mean_std_epistemic = sums->std_epistemic / rows,
        .mean_std_noise = sums->std_noise / rows,
    };

    if (!isfinite(whole.rmse) || !isfinite(whole.log_lik) || !isfinite(whole.crps) ||
        !isfinite(whole.mean_std_epistemic + whole.mean_std_noise))
        UNA_FAIL(run, UNA_E_NUMERIC, "the scores are beyond all numbers: the errors are too large, or the standard "
                 "deviations too small; take other units, or look for rows far beyond the training data");
    una_struct_give(score, &whole, sizeof whole);
    return UNA_OK;
}

una_status una_score_gaussian(una_score *score, const double *y, const double *mean, const double *std_epistemic,
                              const double *std_noise, size_t rows, una_run *run)
{
    una_score_sums sums = {0};
    UNA_TRY(una_score_add(&sums, y, mean, std_epistemic, std_noise, rows, run));
    return una_score_finish(score, &sums, run);
}

double una_auroc(const double *inside, size_t a, const double *outside, size_t b)
{
    double above = 0;
    for (size_t i = 0; i < a; i++)
        for (size_t j = 0; j < b; j++) {
            if (inside[i] > outside[j]) above += 1;
            else if (inside[i] == outside[j]) above += 0.5;
        }
    return above / ((double)a * (double)b);
}
