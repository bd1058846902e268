/* SPDX-License-Identifier: MIT
 *
 * Chooses calendar parts by ridge regression on sums of products,
 *   w = (X'X + r I)^-1 X'y   without a fold,   error = y'y - 2 w'X'y + w'X'X w   on the fold,
 * all from the sums of five folds, so the rows are passed over twice and no row is kept. Parts are added one by one,
 * the best first, while the error falls clearly.
 */
#include "data/calendar_parts.h"

#include "la/la.h"

enum { FOLDS = 5, MOST_COLUMNS = UNA_CALENDAR_PARTS_COLUMNS, MOST_ROWS = 20000, LEAST_ROWS = 40,
       MOST = 2 + MOST_COLUMNS + 2 * UNA_PARTS,          /* 1, days, columns, pairs                     */
       WIDE = MOST + 1 };                                /* and y, the last                             */
static const double CLEARLY = 0.05;                      /* of the error, at least, must go             */
static const double PI = 3.14159265358979323846;

typedef struct ridge_trial {
    const una_calendar_parts_question *q;
    size_t  columns, stride, base;       /* base: columns of X that are always there                    */
    double  centre[2 + MOST_COLUMNS], scale[2 + MOST_COLUMNS];   /* days, columns, then y                */
    double  low, high;                   /* of the days                                                 */
    bool    has_hours;
    double  sum[FOLDS][WIDE][WIDE];
} ridge_trial;

static const double *ridge_column(const ridge_trial *t, size_t c)
{
    if (c == 0) return t->q->days;
    return c <= t->columns ? t->q->x[c - 1] : t->q->y;
}

/* ---- sums --------------------------------------------------------------------------------------------------- */

static una_status learn_ridge_scales(ridge_trial *t, una_run *run)
{
    size_t last = t->columns + 1;
    double sums[3 * (2 + MOST_COLUMNS)] = {0};
    for (int pass = 0; pass < 2; pass++) {
        memset(sums, 0, sizeof sums);
        for (size_t c = 0; c <= last; c++)
            for (size_t i = 0; i < t->q->rows; i += t->stride) {
                double value = ridge_column(t, c)[t->q->row[i]], off = value - t->centre[c];
                if (isnan(value)) continue;
                sums[2 * c] += 1;
                sums[2 * c + 1] += pass ? off * off : value;
            }
        UNA_TRY(una_run_sum_f64(sums, 2 * (last + 1), run));
        for (size_t c = 0; c <= last; c++) {
            double mean = sums[2 * c] > 0 ? sums[2 * c + 1] / sums[2 * c] : 0;
            if (pass == 0) t->centre[c] = mean;
            else t->scale[c] = mean > 0 ? sqrt(mean) : 1;
        }
    }
    return UNA_OK;
}

static void learn_span(ridge_trial *t, una_run *run)
{
    double low = INFINITY, high = -INFINITY;
    bool hours = false;
    for (size_t i = 0; i < t->q->rows; i++) {
        double days = t->q->days[t->q->row[i]];
        if (isnan(days)) continue;
        low = fmin(low, days);
        high = fmax(high, days);
        hours = hours || days != floor(days);
    }
    t->low = -una_run_max(-low, run);
    t->high = una_run_max(high, run);
    t->has_hours = una_run_any(hours, run);
}

/* One row as x [base + pairs] with y behind it. A missing number becomes the mean. False: there is no y or no date. */
static bool fill_ridge_row(const ridge_trial *t, size_t row, double z[WIDE])
{
    double days = t->q->days[row], y = t->q->y[row];
    if (isnan(days) || isnan(y)) return false;
    z[0] = 1;
    for (size_t c = 0; c <= t->columns; c++) {
        double value = (ridge_column(t, c)[row] - t->centre[c]) / t->scale[c];
        z[1 + c] = isfinite(value) ? value : 0;
    }
    for (size_t p = 0; p < UNA_PARTS; p++) {
        double angle = 2 * PI * una_calendar_phase((una_calendar_part)p, days);
        z[t->base + 2 * p] = sin(angle);
        z[t->base + 2 * p + 1] = cos(angle);
    }
    z[MOST] = (y - t->centre[t->columns + 1]) / t->scale[t->columns + 1];
    return isfinite(z[MOST]);
}

static una_status add_ridge_rows(ridge_trial *t, size_t *count, una_run *run)
{
    double z[WIDE] = {0};
    *count = 0;
    for (size_t i = 0, k = 0; i < t->q->rows; i += t->stride) {
        if (!fill_ridge_row(t, t->q->row[i], z)) continue;
        double (*sum)[WIDE] = t->sum[k++ % FOLDS];
        for (size_t a = 0; a < WIDE; a++)
            for (size_t b = 0; b < WIDE; b++) sum[a][b] += z[a] * z[b];
        ++*count;
    }
    *count = una_run_sum_size(*count, run);
    return una_run_sum_f64(&t->sum[0][0][0], FOLDS * WIDE * WIDE, run);
}

/* ---- errors --------------------------------------------------------------------------------------------------- */

/* Squared errors on each fold, by ridge regression on the others. */
static bool errors_of(const ridge_trial *t, unsigned parts, double error[FOLDS], una_run *run)
{
    size_t at[MOST], n = 0;
    for (size_t c = 0; c < t->base; c++) at[n++] = c;
    for (size_t p = 0; p < 2 * UNA_PARTS; p++)
        if (parts >> p / 2 & 1) at[n++] = t->base + p;
    for (size_t f = 0; f < FOLDS; f++) {
        double a[MOST * MOST], w[MOST], rows = 0;
        for (size_t g = 0; g < FOLDS; g++) rows += g == f ? 0 : t->sum[g][0][0];
        for (size_t i = 0; i < n; i++) {
            w[i] = 0;
            for (size_t g = 0; g < FOLDS; g++) w[i] += g == f ? 0 : t->sum[g][at[i]][MOST];
            for (size_t j = 0; j < n; j++) {
                a[i * n + j] = i == j ? 1e-3 * rows + 1e-9 : 0;
                for (size_t g = 0; g < FOLDS; g++) a[i * n + j] += g == f ? 0 : t->sum[g][at[i]][at[j]];
            }
        }
        if (una_chol(a, n, "calendar", run) != UNA_OK) {
            una_clear_message(run);
            return false;
        }
        una_chol_solve(a, n, w, 1);
        error[f] = t->sum[f][MOST][MOST];
        for (size_t i = 0; i < n; i++) {
            error[f] -= 2 * w[i] * t->sum[f][at[i]][MOST];
            for (size_t j = 0; j < n; j++) error[f] += w[i] * w[j] * t->sum[f][at[i]][at[j]];
        }
    }
    return true;
}

static double total_error(const double error[FOLDS])
{
    double sum = 0;
    for (size_t f = 0; f < FOLDS; f++) sum += error[f];
    return sum;
}

/* ---- choice ---------------------------------------------------------------------------------------------------- */

static unsigned add_best_part(const ridge_trial *t, unsigned parts, double error[FOLDS], una_run *run)
{
    static const double least[UNA_PARTS] = { 0, 14, 350 };       /* days that cover the whole circle of the part */
    double best[FOLDS] = {0};
    unsigned found = parts;
    for (unsigned p = 0; p < UNA_PARTS; p++) {
        double now[FOLDS];
        size_t better = 0;
        bool varies = p == UNA_PART_HOUR ? t->has_hours : !t->q->time_only && t->high - t->low >= least[p];
        if (parts >> p & 1 || !varies || !errors_of(t, parts | 1u << p, now, run)) continue;
        for (size_t f = 0; f < FOLDS; f++) better += now[f] < error[f];
        if (better < FOLDS - 1 || !(total_error(now) < (1 - CLEARLY) * total_error(error))) continue;
        if (found != parts && total_error(now) >= total_error(best)) continue;
        memcpy(best, now, sizeof best);
        found = parts | 1u << p;
    }
    if (found != parts) memcpy(error, best, sizeof best);
    return found;
}

una_status una_calendar_parts_choose(unsigned *parts, double *gain, const una_calendar_parts_question *question,
                                     una_run *run)
{
    size_t count;
    double error[FOLDS];
    *parts = 0;
    *gain = 0;
    UNA_NEW(&run->scratch, ridge_trial, t, 1);
    t->q = question;
    t->columns = question->columns < MOST_COLUMNS ? question->columns : MOST_COLUMNS;
    t->base = 2 + t->columns;
    t->stride = 1 + question->rows / MOST_ROWS;
    learn_span(t, run);
    UNA_TRY(learn_ridge_scales(t, run));
    UNA_TRY(add_ridge_rows(t, &count, run));
    UNA_TRY(una_run_sums_check(run));
    if (count < LEAST_ROWS || !errors_of(t, 0, error, run)) return UNA_OK;

    double before = total_error(error);
    for (unsigned last = ~0u; *parts != last;) {
        last = *parts;
        *parts = add_best_part(t, *parts, error, run);
    }
    if (*parts) *gain = 1 - total_error(error) / before;
    return UNA_OK;
}
