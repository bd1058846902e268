/* SPDX-License-Identifier: MIT
 *
 * See beyond.h.
 */
#include "model/beyond.h"

static const double MOST_RATE = 5;       /* of the input itself: beyond it no row of the ends tells any more */
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

static double rate_of(const side *s, double scale)
{
    double rate = FEW * sqrt(rate_square(s));
    return isfinite(rate) ? fmin(rate, MOST_RATE / (scale * scale)) : 0;
}

void una_beyond_rates(double *below, double *above, const una_ends *ends, const una_problem *p,
                      const double *relevance)
{
    double low, high, scale = relevance ? relevance[ends->input] : 1;
    side sides[2] = {0};
    *below = *above = 0;
    if (!(scale > 0)) return;
    inner_range(&low, &high, ends, p->x);
    for (size_t i = 0; i < p->x.rows; i++) {
        double at = p->x.at[i * p->x.stride + ends->input], off = p->y[i] - ends->mean[i];
        if (!ends->rows[i] || isnan(ends->mean[i]) || (at >= low && at <= high)) continue;
        side *s = &sides[at > high];
        s->rows++;
        s->error += off * off - ends->noise[i];
        s->growth += pow(scale * (at > high ? at - high : low - at), 4);
    }
    *below = rate_of(&sides[0], scale);
    *above = rate_of(&sides[1], scale);
}

una_status una_beyond_set(una_beyond *beyond, const una_problem *p, const double *relevance, una_arena *keep)
{
    if (!una_beyond_any(beyond)) return UNA_OK;
    UNA_NEW_AT(keep, beyond->scale, p->x.cols);
    for (size_t d = 0; d < p->x.cols; d++)
        if (una_columns_input(p->columns, d)->level == SIZE_MAX) beyond->scale[d] = relevance ? relevance[d] : 1;
    return UNA_OK;
}

/* ---- the range, and the variance --------------------------------------------------------------------------------- */

una_status una_beyond_take_range(una_beyond *beyond, una_view x, una_arena *keep)
{
    if (!una_beyond_any(beyond)) return UNA_OK;
    UNA_NEW_AT(keep, beyond->low, x.cols);
    UNA_NEW_AT(keep, beyond->high, x.cols);
    for (size_t d = 0; d < x.cols; d++) beyond->low[d] = HUGE_VAL, beyond->high[d] = -HUGE_VAL;
    una_beyond_extend(beyond, x);
    return UNA_OK;
}

void una_beyond_extend(una_beyond *beyond, una_view x)
{
    if (!una_beyond_any(beyond)) return;
    for (size_t i = 0; i < x.rows; i++)
        for (size_t d = 0; d < x.cols; d++) {
            beyond->low[d] = fmin(beyond->low[d], x.at[i * x.stride + d]);
            beyond->high[d] = fmax(beyond->high[d], x.at[i * x.stride + d]);
        }
}

/* How far x lies outside, along input d. */
static double distance_along(const una_beyond *beyond, size_t d, double x)
{
    return beyond->scale[d] * (x - fmin(fmax(x, beyond->low[d]), beyond->high[d]));
}

static double rate_along(const una_beyond *beyond, size_t d, double out)
{
    if (d == beyond->input) return out < 0 ? beyond->below : beyond->above;
    return sqrt(0.5 * (beyond->below * beyond->below + beyond->above * beyond->above));
}

double una_beyond_var(const una_beyond *beyond, const double *x, size_t inputs, double *slope)
{
    double std = 0;
    if (!una_beyond_any(beyond)) return 0;
    for (size_t d = 0; d < inputs; d++) {
        double out = distance_along(beyond, d, x[d]);
        std += rate_along(beyond, d, out) * out * out;
    }
    for (size_t d = 0; slope && d < inputs; d++) {
        double out = distance_along(beyond, d, x[d]);
        slope[d] += 4 * std * rate_along(beyond, d, out) * out * beyond->scale[d];
    }
    return std * std;
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

una_status una_beyond_exchange(una_beyond *beyond, una_archive *ar)
{
    if (ar->loading) *beyond = (una_beyond){0};
    if (ar->loading ? !una_archive_next_is(ar, "beyond.below") : !una_beyond_any(beyond)) return UNA_OK;
    UNA_TRY(una_archive_f64(ar, "beyond.below", &beyond->below));
    UNA_TRY(una_archive_f64(ar, "beyond.above", &beyond->above));
    UNA_TRY(una_archive_size(ar, "beyond.input", &beyond->input, 0, ar->inputs - 1));
    UNA_TRY(una_archive_f64s(ar, "beyond.scale", &beyond->scale, ar->inputs));
    UNA_TRY(una_archive_f64s(ar, "beyond.low", &beyond->low, ar->inputs));
    UNA_TRY(una_archive_f64s(ar, "beyond.high", &beyond->high, ar->inputs));
    if (!(beyond->below >= 0 && beyond->above >= 0 && una_beyond_any(beyond)))
        return una_archive_refuse(ar, "beyond.below", "is negative, or there is no growth at all");
    for (size_t d = 0; d < ar->inputs; d++) {
        if (!(beyond->scale[d] >= 0)) return una_archive_refuse(ar, "beyond.scale", "holds a negative number");
        if (!(beyond->low[d] <= beyond->high[d])) return una_archive_refuse(ar, "beyond.high", "is below beyond.low");
    }
    return UNA_OK;
}
