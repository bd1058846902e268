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
static una_status check_scored_row(const una_scored_rows *all, size_t i, const char *name, una_run *run)
{
    const una_mixture *p = &all->parts;
    double y = all->y[i], epistemic = all->std_epistemic[i], noise = all->std_noise[i], std = whole_std(epistemic, noise);
    if (p->log_target && !(y > 0))
        UNA_FAIL(run, UNA_E_INPUT, "%s cannot be scored: its target is %g, and what is predicted is always above 0", name,
                 y);
    if (!isfinite(y)) UNA_FAIL(run, UNA_E_INPUT, "%s cannot be scored: its target is not finite", name);
    for (size_t m = i * p->count; m < (i + 1) * p->count; m++)
        if (!isfinite(p->mean[m]) || !(p->var[m] > 0 && isfinite(p->var[m])))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: part %zu of its prediction has the mean %g and the variance "
                     "%g, and they must be finite, the variance above 0", name, m - i * p->count + 1, p->mean[m],
                     p->var[m]);
    if (p->count && !isfinite(std))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: its standard deviations %g (epistemic) and %g (noise) are not "
                 "finite numbers of at least 0", name, epistemic, noise);
    if (p->count) return UNA_OK;
    if (!isfinite(all->mean[i])) UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: its mean is not finite", name);
    if (!(std > 0) || !isfinite(std))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s cannot be scored: its standard deviations %g (epistemic) and %g (noise) do not "
                 "make a positive, finite one", name, epistemic, noise);
    return UNA_OK;
}

static una_status check_scored_rows(const una_score_sums *sums, const una_scored_rows *all, una_run *run)
{
    char name[UNA_ROW_NAME_ROOM];
    for (size_t i = 0; i < all->rows; i++)
        UNA_TRY(check_scored_row(all, i, una_row_name(name, sums->rows - sums->begun + i, run), run));
    return UNA_OK;
}

static void count_calibration(una_score_sums *sums, double probability)
{
    size_t first = 0;
    while (first < UNA_CALIBRATION_LEVELS && level_of_index(first) < probability) first++;
    for (size_t i = first; i < UNA_CALIBRATION_LEVELS; i++) sums->below[i]++;
}

typedef struct row_score { double error, log_lik, crps, below; } row_score;

/* off_centre: how far from the middle of what is predicted; it lies within `reach` in the central intervals of 50, 90 and
 * 95 %. */
static void add_row_score(una_score_sums *sums, const row_score *score, double off_centre, const double reach[3])
{
    sums->square += score->error * score->error;
    sums->log_lik += score->log_lik;
    sums->crps += score->crps;
    sums->inside_50 += off_centre <= reach[0];
    sums->inside_90 += off_centre <= reach[1];
    sums->inside_95 += off_centre <= reach[2];
    count_calibration(sums, score->below);
}

static void add_stds(una_score_sums *sums, const una_scored_rows *all)
{
    for (size_t i = 0; i < all->rows; i++) {
        sums->std_epistemic += all->std_epistemic[i];
        sums->std_noise += all->std_noise[i];
    }
    sums->rows += all->rows;
}

una_status una_score_add(una_score_sums *sums, const una_scored_rows *all, una_run *run)
{
    const double reach[3] = { una_normal_quantile(0.75), una_normal_quantile(0.95), una_normal_quantile(0.975) };
    UNA_TRY(check_scored_rows(sums, all, run));
    for (size_t i = 0; i < all->rows; i++) {
        double std = whole_std(all->std_epistemic[i], all->std_noise[i]), error = all->y[i] - all->mean[i], z = error / std;
        double below = una_normal_cdf(z);
        const row_score score = { error, -(0.5 * UNA_LOG_TWO_PI + log(std) + 0.5 * z * z),
                                  std * (z * (2 * below - 1) + 2 * una_normal_pdf(z) - ROOT_INVERSE_PI), below };
        add_row_score(sums, &score, fabs(z), reach);
    }
    add_stds(sums, all);
    return UNA_OK;
}

/* ---- mixtures ------------------------------------------------------------------------------------------- */

typedef struct mixture_rows { const una_scored_rows *rows; double weights; row_score *score; } mixture_rows;

enum { SLICE = 64 };                     /* rows of one task */

/* Of lognormals p(y) = p(log y) / y, and P(Y < y) = P(log Y < log y). */
static una_status score_mixture(row_score *score, const mixture_rows *all, size_t i, una_run *run)
{
    una_mixture p = all->rows->parts;
    double y = all->rows->y[i], t = p.log_target ? log(y) : y, sum = 0;
    p.mean += i * p.count;
    p.var += i * p.count;
    for (size_t m = 0; m < p.count; m++)
        sum += una_part_weight(p.weight, m) * (p.log_target ? exp(p.mean[m] + 0.5 * p.var[m]) : p.mean[m]);
    score->error = y - sum / all->weights;
    score->log_lik = una_mixture_log_pdf(t, p.mean, p.var, p.weight, p.count) - (p.log_target ? t : 0);
    score->below = una_mixture_cdf(t, p.mean, p.var, p.weight, p.count);
    UNA_TRY(una_crps(&score->crps, y, &p, run));
    if (!p.log_target || (isfinite(score->error) && isfinite(score->log_lik) && isfinite(score->crps))) return UNA_OK;
    UNA_FAIL(run, UNA_E_NUMERIC, "a row with the target %g cannot be scored: what is predicted for it is beyond all "
             "numbers; its inputs may be far beyond the training data", y);
}

static una_status score_slice(void *context, size_t index, una_run *run)
{
    const mixture_rows *all = context;
    for (size_t i = index * SLICE; i < (index + 1) * SLICE && i < all->rows->rows; i++)
        UNA_TRY(score_mixture(&all->score[i], all, i, run));
    return UNA_OK;
}

static una_status check_mixture_weights(const una_mixture *p, una_run *run)
{
    if (p->count == 0) UNA_FAIL(run, UNA_E_USAGE, "a mixture without parts cannot be scored");
    for (size_t m = 0; p->weight && m < p->count; m++)
        if (!(p->weight[m] > 0 && isfinite(p->weight[m])))
            UNA_FAIL(run, UNA_E_NUMERIC, "a mixture cannot be scored: part %zu has the weight %g, and weights must be "
                     "finite and above 0", m + 1, p->weight[m]);
    return UNA_OK;
}

static una_status add_mixtures(una_score_sums *sums, const una_scored_rows *rows, una_run *run)
{
    const double reach[3] = { 0.5, 0.9, 0.95 };
    mixture_rows all = { .rows = rows, .weights = una_mixture_weights(rows->parts.weight, rows->parts.count) };
    UNA_NEW_AT(&run->scratch, all.score, rows->rows);
    UNA_TRY(una_pool(run, (rows->rows + SLICE - 1) / SLICE, score_slice, &all));
    for (size_t i = 0; i < rows->rows; i++)
        add_row_score(sums, &all.score[i], fabs(2 * all.score[i].below - 1), reach);
    add_stds(sums, rows);
    return UNA_OK;
}

una_status una_score_add_mixture(una_score_sums *sums, const una_scored_rows *rows, una_run *run)
{
    UNA_TRY(check_mixture_weights(&rows->parts, run));
    UNA_TRY(check_scored_rows(sums, rows, run));
    UNA_SCOPED(run, add_mixtures(sums, rows, run));
    return UNA_OK;
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
        .mean_std_noise = sums->std_noise / rows
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
    UNA_TRY(una_score_add(&sums, &(una_scored_rows){ .y = y, .rows = rows, .mean = mean, .std_epistemic = std_epistemic,
                                                   .std_noise = std_noise }, run));
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
