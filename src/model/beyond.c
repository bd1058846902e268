/* SPDX-License-Identifier: MIT
 *
 * See beyond.h.
 */
#include "model/beyond.h"

static const double MOST_RATE = 5;       /* beyond which no row of the ends tells any more */
static const double FEW = 1.6;          /* an end is one observation of how the function bends: it counts so often */

/* ---- learning ---------------------------------------------------------------------------------------------------- */

enum { LEAST_ROWS = 3 };
typedef struct side { double error, growth; size_t rows; } side; /* sums over rows beyond one end              */

static double rate_square(const side *s)
{
    return s->rows >= LEAST_ROWS && s->growth > 0 ? fmax(0, s->error / s->growth) : 0;
}

/* The range of the input among the rows that are not at its ends. */
static void inner_range(double *low, double *high, const una_ends *ends, una_view x)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t i = 0; i < x.rows; i++) {
        if (ends->rows[i]) continue;
        *low = fmin(*low, x.at[i * x.stride + ends->input]);
        *high = fmax(*high, x.at[i * x.stride + ends->input]);
    }
}

double una_beyond_rate(const una_ends *ends, const una_problem *p, const double *relevance)
{
    double low, high, scale = relevance ? relevance[ends->input] : 1;
    side sides[2] = {0};
    inner_range(&low, &high, ends, p->x);
    for (size_t i = 0; i < p->x.rows; i++) {
        double at = p->x.at[i * p->x.stride + ends->input], off = p->y[i] - ends->mean[i];
        if (!ends->rows[i] || isnan(ends->mean[i]) || (at >= low && at <= high)) continue;
        side *s = &sides[at > high];
        s->rows++;
        s->error += off * off - ends->noise[i];
        s->growth += pow(scale * (at > high ? at - high : low - at), 4);
    }
    double rate = FEW * sqrt(fmax(rate_square(&sides[0]), rate_square(&sides[1])));
    return isfinite(rate) ? fmin(rate, MOST_RATE) : 0;
}

una_status una_beyond_set(una_beyond *beyond, double rate, const una_problem *p, const double *relevance,
                          una_arena *keep)
{
    *beyond = (una_beyond){ .rate = rate };
    if (!(rate > 0)) return UNA_OK;
    UNA_NEW_AT(keep, beyond->scale, p->x.cols);
    for (size_t d = 0; d < p->x.cols; d++)
        if (una_columns_input(p->columns, d)->level == SIZE_MAX) beyond->scale[d] = relevance ? relevance[d] : 1;
    return UNA_OK;
}

/* ---- the range, and the variance --------------------------------------------------------------------------------- */

una_status una_beyond_take_range(una_beyond *beyond, una_view x, una_arena *keep)
{
    if (!(beyond->rate > 0)) return UNA_OK;
    UNA_NEW_AT(keep, beyond->low, x.cols);
    UNA_NEW_AT(keep, beyond->high, x.cols);
    for (size_t d = 0; d < x.cols; d++) beyond->low[d] = HUGE_VAL, beyond->high[d] = -HUGE_VAL;
    una_beyond_extend(beyond, x);
    return UNA_OK;
}

void una_beyond_extend(una_beyond *beyond, una_view x)
{
    if (!(beyond->rate > 0)) return;
    for (size_t i = 0; i < x.rows; i++)
        for (size_t d = 0; d < x.cols; d++) {
            beyond->low[d] = fmin(beyond->low[d], x.at[i * x.stride + d]);
            beyond->high[d] = fmax(beyond->high[d], x.at[i * x.stride + d]);
        }
}

double una_beyond_var(const una_beyond *beyond, const double *x, size_t inputs, double *slope)
{
    double square = 0;
    if (!(beyond->rate > 0)) return 0;
    for (size_t d = 0; d < inputs; d++) {
        double out = beyond->scale[d] * (x[d] - fmin(fmax(x[d], beyond->low[d]), beyond->high[d]));
        square += out * out;
    }
    for (size_t d = 0; slope && d < inputs; d++) {
        double out = beyond->scale[d] * (x[d] - fmin(fmax(x[d], beyond->low[d]), beyond->high[d]));
        slope[d] += 4 * beyond->rate * beyond->rate * square * out * beyond->scale[d];
    }
    return beyond->rate * beyond->rate * square * square;
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

una_status una_beyond_exchange(una_beyond *beyond, una_archive *ar)
{
    if (ar->loading) *beyond = (una_beyond){0};
    if (ar->loading ? !una_archive_next_is(ar, "beyond.rate") : !(beyond->rate > 0)) return UNA_OK;
    UNA_TRY(una_archive_f64(ar, "beyond.rate", &beyond->rate));
    UNA_TRY(una_archive_f64s(ar, "beyond.scale", &beyond->scale, ar->inputs));
    UNA_TRY(una_archive_f64s(ar, "beyond.low", &beyond->low, ar->inputs));
    UNA_TRY(una_archive_f64s(ar, "beyond.high", &beyond->high, ar->inputs));
    if (!(beyond->rate > 0)) return una_archive_refuse(ar, "beyond.rate", "is not positive");
    for (size_t d = 0; d < ar->inputs; d++) {
        if (!(beyond->scale[d] >= 0)) return una_archive_refuse(ar, "beyond.scale", "holds a negative number");
        if (!(beyond->low[d] <= beyond->high[d])) return una_archive_refuse(ar, "beyond.high", "is below beyond.low");
    }
    return UNA_OK;
}
