/* SPDX-License-Identifier: MIT
 *
 * Whitening, rotation, and the split of the variance.
 */
#include "diagnose/axes.h"

#define DROPPED 1e-8             /* of the largest variance: directions in which rows do not differ         */
#define LEAST_EXCESS 1e-3        /* of the largest: a share that every direction gets, so that none is lost */
#define GAIN 1e-10               /* of the sum: less ends the alternation                                   */
enum { MOST_TURNS = 300 };

/* ---- whitening -------------------------------------------------------------------------------------------- */

/* Rows of L^-1 and columns of L, V^-1 = L L', turned by the reflection that makes the average row the last coordinate,
 * which is dropped. */
static una_status white_by_posterior(una_white *white, const una_head *head, una_run *run)
{
    size_t k = white->columns, wide = UNA_PADDED(k + 1);
    UNA_NEW(&run->scratch, double, mirror, k);
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) {
            white->dual[j * k + i] = head->whiten[i * wide + j];
            white->primal[j * k + i] = head->chol[i * k + j];
        }
    for (size_t j = 0; j < k; j++) mirror[j] = una_dot(white->dual + j * k, white->centre, k);
    mirror[k - 1] += (mirror[k - 1] < 0 ? -1 : 1) * sqrt(una_dot(mirror, mirror, k));

    double square = una_dot(mirror, mirror, k), *of[] = { white->dual, white->primal };
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < k; i++) {
            double along = 0;
            for (size_t j = 0; j < k; j++) along += mirror[j] * of[m][j * k + i];
            for (size_t j = 0; j < k; j++) of[m][j * k + i] -= 2 * along / square * mirror[j];
        }
    white->axes = k - 1;
    return UNA_OK;
}

/* Eigenvectors of the rows' covariance, by the root of their variance. */
static una_status white_by_rows(una_white *white, const una_stats *stats, una_run *run)
{
    size_t k = white->columns, l = k - 1;
    const double *centre = white->centre;
    double n = stats->gram[k * k - 1];
    UNA_NEW(&run->scratch, double, a, l * l);
    UNA_NEW(&run->scratch, double, var, l);
    for (size_t i = 0; i < l; i++)
        for (size_t j = 0; j < l; j++) a[i * l + j] = stats->gram[i * k + j] / n - centre[i] * centre[j];
    UNA_TRY(una_eigen(a, l, var, run));

    for (size_t i = l; i-- > 0 && var[i] > DROPPED * var[l - 1];) {
        double *dual = white->dual + white->axes * k, *primal = white->primal + white->axes * k;
        for (size_t j = 0; j < l; j++) {
            dual[j] = a[i * l + j] / sqrt(var[i]);
            primal[j] = a[i * l + j] * sqrt(var[i]);
        }
        dual[l] = -una_dot(dual, centre, l);
        white->axes++;
    }
    return UNA_OK;
}

una_status una_white_of(una_white *white, const una_head *head, int how, una_arena *arena, una_run *run)
{
    const una_stats *stats = &head->stats;
    size_t k = stats->features;
    *white = (una_white){ .columns = k, .dual = UNA_GET(arena, double, k * k), .primal = UNA_GET(arena, double, k * k),
                          .centre = UNA_GET(arena, double, k) };
    UNA_TRY(una_arena_check(arena));
    double n = stats->gram[k * k - 1];               /* the ones, squared, as often as each row counts */
    if (!(n > 0)) UNA_FAIL(run, UNA_E_NUMERIC, "a linear head that rests on no row cannot be explained");
    for (size_t i = 0; i < k; i++) white->centre[i] = stats->gram[i * k + k - 1] / n;

    return how == UNA_WHITE_ROWS ? white_by_rows(white, stats, run) : white_by_posterior(white, head, run);
}

/* ---- rotation --------------------------------------------------------------------------------------------- */

typedef struct rotation {
    size_t  concepts, each, axes;        /* axes: of the white coordinates                                  */
    double *excess;                      /* [concepts, axes, axes] positive parts, plus the share of every direction */
    double *vector, *value;              /* of each: eigenvectors as rows, ascending                        */
    double *turn, *pull;                 /* [concepts each, axes] R, and R_j E_j                            */
} rotation;

/* In white coordinates: D E D'. */
static void whiten_excess(const una_white *white, const double *excess, double *half, double *out)
{
    size_t k = white->columns, r = white->axes;
    for (size_t i = 0; i < r; i++) {
        memset(half, 0, k * sizeof *half);
        una_combine(half, white->dual + i * k, excess, k, k, k);
        for (size_t j = 0; j < r; j++) out[i * r + j] = una_dot(half, white->dual + j * k, k);
    }
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < i; j++) out[i * r + j] = out[j * r + i] = (out[i * r + j] + out[j * r + i]) / 2;
}

static una_status take_rotation(rotation *t, const una_white *white, const double *excess, una_run *run)
{
    size_t k = white->columns, r = t->axes = white->axes, all = t->concepts * t->each;
    double most = 0;
    UNA_NEW_AT(&run->scratch, t->excess, t->concepts * r * r);
    UNA_NEW_AT(&run->scratch, t->vector, t->concepts * r * r);
    UNA_NEW_AT(&run->scratch, t->value, t->concepts * r);
    UNA_NEW_AT(&run->scratch, t->pull, all * r);
    UNA_NEW(&run->scratch, double, half, k);
    for (size_t c = 0; c < t->concepts; c++) {
        whiten_excess(white, excess + c * k * k, half, t->vector + c * r * r);
        UNA_TRY(una_eigen(t->vector + c * r * r, r, t->value + c * r, run));
        most = fmax(most, t->value[c * r + r - 1]);
    }

    double least = most > 0 ? LEAST_EXCESS * most : 1;   /* where no concept has any, all directions are equal */
    for (size_t c = 0; c < t->concepts; c++) {
        double *e = t->excess + c * r * r;
        for (size_t i = 0; i < r; i++) e[i * r + i] = least;
        for (size_t v = 0; v < r; v++) {
            const double *vector = t->vector + (c * r + v) * r, value = t->value[c * r + v];
            for (size_t i = 0; value > 0 && i < r; i++)
                for (size_t j = 0; j < r; j++) e[i * r + j] += value * vector[i] * vector[j];
        }
    }
    return UNA_OK;
}

/* Removes from `row` its components along the `count` orthonormal rows before it, twice because of rounding; whether
 * enough is left, which then has length 1. */
static bool stands_out(double *row, const double *turn, const bool *taken, size_t count, size_t r)
{
    for (size_t again = 0; again < 2; again++)
        for (size_t j = 0; j < count; j++) {
            if (!taken[j]) continue;
            double along = una_dot(row, turn + j * r, r);
            for (size_t i = 0; i < r; i++) row[i] -= along * turn[j * r + i];
        }
    double length = sqrt(una_dot(row, row, r));
    for (size_t i = 0; i < r; i++) row[i] /= length > 0 ? length : 1;
    return length > 1e-6;
}

/* Start of the alternation: each concept's eigenvectors, those of the largest excess first, orthogonal to those taken
 * before. */
static una_status start_rotation(const rotation *t, una_run *run)
{
    size_t r = t->axes, all = t->concepts * t->each;
    UNA_NEW(&run->scratch, bool, taken, all);
    UNA_NEW(&run->scratch, size_t, next, t->concepts);
    UNA_NEW(&run->scratch, size_t, has, t->concepts);
    for (size_t found = 0; found < all;) {
        size_t best = SIZE_MAX;
        double most = -HUGE_VAL;
        for (size_t c = 0; c < t->concepts; c++) {
            if (has[c] == t->each || next[c] == r || !(t->value[c * r + r - 1 - next[c]] > most)) continue;
            best = c;
            most = t->value[c * r + r - 1 - next[c]];
        }
        if (best == SIZE_MAX) UNA_FAIL(run, UNA_E_NUMERIC, "the features of the rows that show the concepts are not "
                                       "finite or too large");
        double *row = t->turn + (best * t->each + has[best]) * r;
        memcpy(row, t->vector + (best * r + r - 1 - next[best]++) * r, r * sizeof *row);
        if (!stands_out(row, t->turn, taken, all, r)) continue;
        taken[best * t->each + has[best]++] = true;
        found++;
    }
    return UNA_OK;
}

/* R_j E_j; returns the sum of traces R_j E_j R_j'. */
static double pull(const rotation *t)
{
    size_t r = t->axes;
    double sum = 0;
    memset(t->pull, 0, t->concepts * t->each * r * sizeof *t->pull);
    for (size_t j = 0; j < t->concepts * t->each; j++) {
        una_combine(t->pull + j * r, t->turn + j * r, t->excess + j / t->each * r * r, r, r, r);
        sum += una_dot(t->pull + j * r, t->turn + j * r, r);
    }
    return sum;
}

typedef struct nearest { double *turn, *gram, *value, *along; } nearest;  /* [all, r], [all, all], [all], [r] */

/* The orthonormal rows nearest to M [all, r], the pull: (M M')^-1/2 M. Not *found: M has not that many directions. */
static una_status nearest_orthonormal(bool *found, const nearest *to, const rotation *t, una_run *run)
{
    size_t count = t->concepts * t->each, r = t->axes;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) to->gram[i * count + j] = una_dot(t->pull + i * r, t->pull + j * r, r);
    una_status status = una_eigen(to->gram, count, to->value, run);
    *found = status == UNA_OK && to->value[0] > 1e-14 * to->value[count - 1];
    if (status == UNA_E_NUMERIC) una_clear_message(run);         /* such rows have no nearest ones either         */
    else UNA_TRY(status);
    if (!*found) return UNA_OK;

    memset(to->turn, 0, count * r * sizeof *to->turn);
    for (size_t e = 0; e < count; e++) {
        const double *vector = to->gram + e * count;
        memset(to->along, 0, r * sizeof *to->along);
        una_combine(to->along, vector, t->pull, r, count, r);
        for (size_t c = 0; c < count; c++)
            for (size_t i = 0; i < r; i++) to->turn[c * r + i] += vector[c] / sqrt(to->value[e]) * to->along[i];
    }
    return UNA_OK;
}

static una_status alternate_rotation(const rotation *t, una_run *run)
{
    size_t r = t->axes, all = t->concepts * t->each;
    nearest to;
    UNA_NEW_AT(&run->scratch, to.gram, all * all);
    UNA_NEW_AT(&run->scratch, to.value, all);
    UNA_NEW_AT(&run->scratch, to.along, r);
    UNA_NEW_AT(&run->scratch, to.turn, all * r);
    double sum = pull(t);
    for (size_t turns = 0; turns < MOST_TURNS; turns++) {
        bool found;
        UNA_TRY(nearest_orthonormal(&found, &to, t, run));
        if (!found) break;
        memcpy(t->turn, to.turn, all * r * sizeof *to.turn);
        double now = pull(t);
        if (!(now > sum * (1 + GAIN))) break;
        sum = now;
    }
    return UNA_OK;
}

una_status una_axes_of(una_axes *axes, const una_white *white, const double *excess, size_t concepts, size_t each,
                       una_arena *arena, una_run *run)
{
    size_t k = white->columns, r = white->axes, all = concepts * each;
    *axes = (una_axes){ .columns = k, .concepts = concepts, .each = each, .turn = UNA_GET(arena, double, all * r),
                        .dual = UNA_GET(arena, double, all * k), .primal = UNA_GET(arena, double, all * k) };
    UNA_TRY(una_arena_check(arena));

    rotation t = { .concepts = concepts, .each = each, .turn = axes->turn };
    UNA_TRY(take_rotation(&t, white, excess, run));
    UNA_TRY(start_rotation(&t, run));
    UNA_TRY(alternate_rotation(&t, run));
    for (size_t j = 0; j < all; j++) {
        una_combine(axes->dual + j * k, axes->turn + j * r, white->dual, k, r, k);
        una_combine(axes->primal + j * k, axes->turn + j * r, white->primal, k, r, k);
    }
    return UNA_OK;
}

/* ---- the split -------------------------------------------------------------------------------------------- */

una_status una_axes_split(const una_axes *axes, const una_head *head, const double *p, double weight, double *part,
                          double *mean, una_run *run)
{
    size_t k = axes->columns;
    double whole, var, share = head->sure ? 0 : weight;
    UNA_NEW(&run->scratch, double, u, k);
    UNA_NEW(&run->scratch, double, rest, k);
    UNA_TRY(una_head_at(head, p, &whole, &var, u, run));
    memset(mean, 0, (axes->concepts + 1) * sizeof *mean);
    memcpy(rest, p, k * sizeof *rest);
    for (size_t j = 0; j < axes->concepts * axes->each; j++) {
        const double *primal = axes->primal + j * k;
        double z = una_dot(axes->dual + j * k, p, k);
        part[j / axes->each] += share * z * una_dot(primal, u, k);
        mean[j / axes->each] += z * una_dot(primal, head->mean, k);
        for (size_t i = 0; i < k; i++) rest[i] -= z * primal[i];
    }
    part[axes->concepts] += share * una_dot(rest, u, k);
    mean[axes->concepts] = una_dot(rest, head->mean, k);
    return UNA_OK;
}
