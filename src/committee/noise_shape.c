/* SPDX-License-Identifier: MIT
 *
 * The shape of a noise that varies: its value, and files.
 *   log g(x) = offset + sum_t slope_t (x_d(t) - knot_t)+ + sum_p slope_p (x_i(p) - c_p)(x_j(p) - c'_p),
 * every x_d clipped to the range of the rows that taught it, and log g to +-log 100.
 */
#include "committee/noise_inside.h"

enum { MOST_TERMS = 1 << 16 };
static const double LOG_MOST = 4.60517018598809136804;        /* log 100: the bound of log g */
static const double MOST_CHANGE = 1e9;                        /* of log g by one term, in files */

static double clipped(const una_noise *noise, size_t d, const double *x)
{
    return fmin(fmax(x[d], noise->low[d]), noise->high[d]);
}

double una_noise_term(const una_noise *noise, size_t t, const double *x)
{
    return fmax(clipped(noise, (size_t)noise->input[t], x) - noise->knot[t], 0);
}

double una_noise_pair(const una_noise *noise, size_t p, const double *x)
{
    const double *input = noise->pair_input + 2 * p, *centre = noise->pair_centre + 2 * p;
    return (clipped(noise, (size_t)input[0], x) - centre[0]) * (clipped(noise, (size_t)input[1], x) - centre[1]);
}

bool una_noise_is_linear(const una_noise *noise, size_t t)
{
    return noise->knot[t] == noise->low[(size_t)noise->input[t]];
}

double una_noise_bounded(double log_g)
{
    return fmin(fmax(log_g, -LOG_MOST), LOG_MOST);
}

void una_noise_shape(const una_noise *noise, una_view x, double *g)
{
    for (size_t r = 0; r < x.rows; r++) {
        const double *row = x.at + r * x.stride;
        double sum = noise->offset;
        for (size_t t = 0; t < noise->terms; t++) sum += noise->slope[t] * una_noise_term(noise, t, row);
        for (size_t p = 0; p < noise->pairs; p++) sum += noise->pair_slope[p] * una_noise_pair(noise, p, row);
        g[r] = exp(una_noise_bounded(sum));
    }
}

const una_noise *una_noise_without(const una_noise *noise, size_t part)
{
    return noise->groups ? &noise->shape_per_fold[part % noise->groups] : noise;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool names_input(const una_noise *noise, double input)
{
    return input >= 0 && input < (double)noise->inputs && input == floor(input);
}

static bool in_range(const una_noise *noise, double input, double value)
{
    return value >= noise->low[(size_t)input] && value <= noise->high[(size_t)input];
}

static double width(const una_noise *noise, double input)
{
    return noise->high[(size_t)input] - noise->low[(size_t)input];
}

static una_status check_loaded_pairs(const una_noise *noise, una_archive *ar)
{
    for (size_t p = 0; p < noise->pairs; p++) {
        const double *input = noise->pair_input + 2 * p, *centre = noise->pair_centre + 2 * p;
        for (size_t side = 0; side < 2; side++) {
            if (!names_input(noise, input[side]))
                return una_archive_refuse(ar, "noise.pair_input", "does not name an input");
            if (!in_range(noise, input[side], centre[side]))
                return una_archive_refuse(ar, "noise.pair_centre", "is outside of the range of its input");
        }
        if (!(fabs(noise->pair_slope[p]) * width(noise, input[0]) * width(noise, input[1]) <= MOST_CHANGE))
            return una_archive_refuse(ar, "noise.pair_slope", "is too steep");
    }
    return UNA_OK;
}

static una_status check_loaded_noise(const una_noise *noise, una_archive *ar)
{
    if (!(fabs(noise->offset) <= 1e9)) return una_archive_refuse(ar, "noise.offset", "is out of range");
    for (size_t d = 0; d < noise->inputs; d++)
        if (!(noise->low[d] <= noise->high[d])) return una_archive_refuse(ar, "noise.high", "is below noise.low");
    for (size_t t = 0; t < noise->terms; t++) {
        if (!names_input(noise, noise->input[t]))
            return una_archive_refuse(ar, "noise.input", "does not name an input");
        if (!in_range(noise, noise->input[t], noise->knot[t]))
            return una_archive_refuse(ar, "noise.knot", "is outside of the range of its input");
        if (!(fabs(noise->slope[t]) * width(noise, noise->input[t]) <= MOST_CHANGE))
            return una_archive_refuse(ar, "noise.slope", "is too steep");
    }
    return check_loaded_pairs(noise, ar);
}

/* Only where there are some: files from before they existed have none. */
static una_status exchange_pairs(una_noise *n, una_archive *ar)
{
    if (ar->loading ? !una_archive_next_is(ar, "noise.pairs") : n->pairs == 0) return UNA_OK;
    UNA_TRY(una_archive_size(ar, "noise.pairs", &n->pairs, 1, MOST_TERMS));
    UNA_TRY(una_archive_f64s(ar, "noise.pair_input", &n->pair_input, 2 * n->pairs));
    UNA_TRY(una_archive_f64s(ar, "noise.pair_centre", &n->pair_centre, 2 * n->pairs));
    return una_archive_f64s(ar, "noise.pair_slope", &n->pair_slope, n->pairs);
}

una_status una_noise_exchange(una_noise **noise, una_archive *ar)
{
    bool varies = !ar->loading && *noise;
    UNA_TRY(una_archive_flag(ar, "noise.varies", &varies));
    if (ar->loading) *noise = NULL;
    if (!varies) return UNA_OK;
    if (ar->loading) UNA_NEW_AT(ar->arena, *noise, 1);
    una_noise *n = *noise;
    UNA_TRY(una_archive_size(ar, "noise.terms", &n->terms, 0, MOST_TERMS));
    n->inputs = ar->inputs;
    UNA_TRY(una_archive_f64(ar, "noise.offset", &n->offset));
    UNA_TRY(una_archive_f64s(ar, "noise.low", &n->low, n->inputs));
    UNA_TRY(una_archive_f64s(ar, "noise.high", &n->high, n->inputs));
    UNA_TRY(una_archive_f64s(ar, "noise.input", &n->input, n->terms));
    UNA_TRY(una_archive_f64s(ar, "noise.knot", &n->knot, n->terms));
    UNA_TRY(una_archive_f64s(ar, "noise.slope", &n->slope, n->terms));
    UNA_TRY(exchange_pairs(n, ar));
    return check_loaded_noise(n, ar);
}
