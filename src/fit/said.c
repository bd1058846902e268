/* SPDX-License-Identifier: MIT
 *
 * Weights and noise from rows foretold. See said.h.
 *
 * Where one training of each round speaks of a row, while the mixture will have many, the error of the mixture's mean
 * is not that of a training, nor of the mean of the few: with e_a = y - mean_a it is the mean of e_a e_b over different
 * rounds, in which the chance of one training drops out. The spread of trainings is known from their differences. So
 * the noise s2 maximises
 *   - 1/2 sum_i [ log(V_i + s2 g_i) + C_i / (V_i + s2 g_i) ],   V_i = variances + spread,  C_i = mean of e_a e_b.
 */
#include "fit/said.h"

#include "la/la.h"

una_status una_said_init(una_said *s, size_t rounds, size_t rows, const double *y, una_arena *arena)
{
    *s = (una_said){ .rows = rows, .rounds = rounds, .y = y };
    s->mean = UNA_GET_ROWS(arena, double, rounds * rows);
    s->var = UNA_GET_ROWS(arena, double, rounds * rows);
    s->weight = UNA_GET(arena, double, rounds);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < rounds * rows; i++) s->mean[i] = s->var[i] = NAN;
    for (size_t r = 0; r < rounds; r++) s->weight[r] = 1 / (double)rounds;
    return UNA_OK;
}

static bool speaks(const una_said *s, size_t round, size_t row)
{
    return !isnan(s->mean[round * s->rows + row]);
}

/* Sums over the rounds that speak of a row. */
typedef struct sums { double weight, weight2, error, error2, own_error2, mean, var; size_t rounds; } sums;

static sums sums_at(const una_said *s, size_t row)
{
    sums t = {0};
    for (size_t r = 0; r < s->rounds; r++) {
        if (!speaks(s, r, row)) continue;
        double w = s->weight[r], mean = s->mean[r * s->rows + row], error = s->y[row] - mean;
        t.rounds++;
        t.weight += w;
        t.weight2 += w * w;
        t.mean += w * mean;
        t.var += w * s->var[r * s->rows + row];
        t.error += w * error;
        t.error2 += w * error * error;
        t.own_error2 += w * w * error * error;
    }
    return t;
}

size_t una_said_rows(const una_said *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->rows; i++) count += sums_at(s, i).rounds > 0;
    return count;
}

bool una_said_middle(const una_said *s, size_t row, double *mean, double *var)
{
    sums t = sums_at(s, row);
    if (!(t.weight > 0)) return false;
    double middle = t.error / t.weight;                  /* of the errors: their spread is that of the means */
    *mean = t.mean / t.weight;
    *var = t.var / t.weight + fmax(0, t.error2 / t.weight - middle * middle);
    return true;
}

static double shape_at(const una_said *s, size_t row)
{
    return s->shape ? s->shape[row] : 1;
}

static double part_log_lik(const una_said *s, size_t round, size_t row, double noise_var)
{
    double error = s->y[row] - s->mean[round * s->rows + row];
    double whole = s->var[round * s->rows + row] + noise_var * shape_at(s, row);
    return -0.5 * (UNA_LOG_TWO_PI + log(whole) + error * error / whole);
}

double una_said_log_lik(const una_said *s, size_t row, double noise_var)
{
    double most = -HUGE_VAL, sum = 0, weight = 0;
    for (size_t r = 0; r < s->rounds; r++)
        if (speaks(s, r, row)) most = fmax(most, part_log_lik(s, r, row, noise_var));
    for (size_t r = 0; r < s->rounds; r++) {
        if (!speaks(s, r, row)) continue;
        sum += s->weight[r] * exp(part_log_lik(s, r, row, noise_var) - most);
        weight += s->weight[r];
    }
    return weight > 0 ? most + log(sum / weight) : NAN;
}

/* ---- noise ------------------------------------------------------------------------------------------------------ */

/* The squared error that the mixture's mean is expected to have at the row, and its variance there. */
static bool expected(const una_said *s, size_t row, double *square, double *var)
{
    sums t = sums_at(s, row);
    double pairs = t.weight * t.weight - t.weight2;      /* sum of w_a w_b over a != b */
    if (!(t.weight > 0)) return false;
    bool one = t.rounds < 2 || !(pairs > 1e-9 * t.weight * t.weight);
    *square = one ? t.error2 / t.weight : (t.error * t.error - t.own_error2) / pairs;
    *var = t.var / t.weight;
    if (!one) *var += (t.weight * t.error2 - t.error * t.error) / pairs;
    return true;
}

static double minus_log_lik(double log_noise, void *context)
{
    const una_said *s = context;
    double noise_var = exp(log_noise), loss = 0, square, var;
    for (size_t i = 0; i < s->rows; i++) {
        if (!s->samples) {
            double log_lik = una_said_log_lik(s, i, noise_var);
            if (!isnan(log_lik)) loss -= log_lik;
        } else if (expected(s, i, &square, &var)) {
            double whole = var + noise_var * shape_at(s, i);
            loss += 0.5 * (log(whole) + square / whole);
        }
    }
    return loss;
}

double una_said_noise(una_said *s)
{
    enum { GRID = 24 };
    double log_noise = una_search(minus_log_lik, s, log(1e-8), log(4), GRID, 1e-6);
    return exp(log_noise + sqrt(2 / (double)una_said_rows(s)));
}

/* ---- weights ------------------------------------------------------------------------------------------------------ */

void una_stack(double *weight, const double *log_lik, size_t count, size_t rows, double doubt)
{
    enum { TURNS = 200 };
    for (size_t k = 0; k < count; k++) weight[k] = 1 / (double)count;

    for (size_t turn = 0; turn < TURNS; turn++) {
        double next[UNA_MOST_MEMBERS] = {0}, all = doubt, moved = 0;
        for (size_t i = 0; i < rows; i++) {
            double most = -HUGE_VAL, sum = 0;
            for (size_t k = 0; k < count; k++) most = fmax(most, log_lik[k * rows + i]);
            if (!isfinite(most)) continue;
            for (size_t k = 0; k < count; k++) sum += weight[k] * exp(log_lik[k * rows + i] - most);
            for (size_t k = 0; k < count; k++) next[k] += weight[k] * exp(log_lik[k * rows + i] - most) / sum;
            all++;
        }
        for (size_t k = 0; k < count; k++) {
            double w = (next[k] + doubt / (double)count) / all;
            moved = fmax(moved, fabs(w - weight[k]));
            weight[k] = w;
        }
        if (moved < 1e-6) break;
    }
}

una_status una_said_weigh(una_said *s, double noise_var, una_run *run)
{
    const double doubt = 10;
    if (s->rounds < 2) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    double *log_lik = UNA_GET_ROWS(&run->scratch, double, s->rounds * s->rows);
    size_t *row = UNA_GET_ROWS(&run->scratch, size_t, s->rows), rows = 0;
    una_status status = una_arena_check(&run->scratch);

    for (size_t i = 0; status == UNA_OK && i < s->rows; i++)
        if (sums_at(s, i).rounds == s->rounds) row[rows++] = i;
    for (size_t r = 0; status == UNA_OK && r < s->rounds; r++)
        for (size_t i = 0; i < rows; i++) log_lik[r * rows + i] = part_log_lik(s, r, row[i], noise_var);
    if (status == UNA_OK) una_stack(s->weight, log_lik, s->rounds, rows, doubt);

    una_arena_release(&run->scratch, mark);
    return status;
}
