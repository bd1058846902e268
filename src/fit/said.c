/* SPDX-License-Identifier: MIT
 *
 * Weights and noise from rows foretold. See said.h.
 *
 * Where one training of each round speaks of a row, while the mixture will have many of each sort, the error of the
 * mixture's mean is not that of a training, nor of the mean of the few. With e_a = y - mean_a and weights W of the
 * sorts it is
 *   C = sum_f W_f^2 mean of e_a e_b over different rounds of f + sum_{f != g} W_f W_g mean of e_a e_b,
 * in which the chance of one training drops out; and trainings spread by S = sum_f W_f mean of e_a^2 - C. So the noise
 * s2 maximises, V_i being the trainings' own variance and S_i,
 *   - 1/2 sum_i [ log(V_i + s2 g_i) + C_i / (V_i + s2 g_i) ].
 */
#include "fit/said.h"

#include "la/la.h"

#include <string.h>

una_status una_said_init(una_said *s, size_t rounds, size_t rows, const double *y, una_arena *arena)
{
    *s = (una_said){ .rows = rows, .rounds = rounds, .y = y };
    s->mean = UNA_GET_ROWS(arena, double, rounds * rows);
    s->var = UNA_GET_ROWS(arena, double, rounds * rows);
    s->weight = UNA_GET(arena, double, rounds);
    s->sort = UNA_GET(arena, size_t, rounds);
    UNA_TRY(una_arena_check(arena));
    s->sorts = rounds;
    for (size_t i = 0; i < rounds * rows; i++) s->mean[i] = s->var[i] = NAN;
    for (size_t r = 0; r < rounds; r++) s->weight[r] = 1 / (double)rounds, s->sort[r] = r;
    return UNA_OK;
}

static bool speaks(const una_said *s, size_t round, size_t row)
{
    return !isnan(s->mean[round * s->rows + row]);
}

/* Sums over the rounds that speak of a row: weighted, or of one sort. */
typedef struct sums { double weight, error, error2, mean, var; size_t rounds; } sums;

static void add(sums *t, const una_said *s, size_t round, size_t row, double weight)
{
    double mean = s->mean[round * s->rows + row], error = s->y[row] - mean;
    t->rounds++;
    t->weight += weight;
    t->mean += weight * mean;
    t->var += weight * s->var[round * s->rows + row];
    t->error += weight * error;
    t->error2 += weight * error * error;
}

static sums sums_at(const una_said *s, size_t row)
{
    sums t = {0};
    for (size_t r = 0; r < s->rounds; r++)
        if (speaks(s, r, row)) add(&t, s, r, row, s->weight[r]);
    return t;
}

static sums sums_of(const una_said *s, size_t sort, size_t row)
{
    sums t = {0};
    for (size_t r = 0; r < s->rounds; r++)
        if (s->sort[r] == sort && speaks(s, r, row)) add(&t, s, r, row, 1);
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

/* Of the rounds of one sort, which weigh the same, or (ALL) of the whole mixture; NAN: none speaks. */
enum { ALL = -1 };
static double mixed_log_lik(const una_said *s, int sort, size_t row, double noise_var)
{
    double most = -HUGE_VAL, sum = 0, weight = 0;
    for (int turn = 0; turn < 2; turn++)                 /* the largest first: the others count as parts of it */
        for (size_t r = 0; r < s->rounds; r++) {
            if ((sort != ALL && s->sort[r] != (size_t)sort) || !speaks(s, r, row)) continue;
            double own = sort == ALL ? s->weight[r] : 1, log_lik = part_log_lik(s, r, row, noise_var);
            if (turn == 0) most = fmax(most, log_lik);
            else sum += own * exp(log_lik - most), weight += own;
        }
    return weight > 0 ? most + log(sum / weight) : NAN;
}

double una_said_log_lik(const una_said *s, size_t row, double noise_var)
{
    return mixed_log_lik(s, ALL, row, noise_var);
}

static double weight_of(const una_said *s, size_t sort)          /* of each of its rounds */
{
    for (size_t r = 0; r < s->rounds; r++)
        if (s->sort[r] == sort) return s->weight[r];
    return 0;
}

/* ---- noise ------------------------------------------------------------------------------------------------------ */

/* C and V of the row. */
static bool expected(const una_said *s, size_t row, double *square, double *var)
{
    sums all = sums_at(s, row);
    double middle = 0, own = 0;                          /* sum W_f mean e; what its square has of single trainings */
    if (!(all.weight > 0)) return false;
    for (size_t f = 0; f < s->sorts; f++) {
        sums t = sums_of(s, f, row);
        if (t.rounds == 0) continue;
        double n = (double)t.rounds, share = n * weight_of(s, f) / all.weight, mean = t.error / n;
        middle += share * mean;
        if (t.rounds > 1) own += share * share * (mean * mean - (t.error * t.error - t.error2) / (n * (n - 1)));
    }
    *square = middle * middle - own;
    *var = all.var / all.weight + fmax(0, all.error2 / all.weight - *square);
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

double una_said_fit(una_said *s, double noise_var, double *z2)
{
    double sum = 0, square, var, rows = (double)una_said_rows(s);
    for (size_t i = 0; z2 && i < s->rows; i++)
        if (expected(s, i, &square, &var)) sum += square / (var + noise_var * shape_at(s, i));
    if (z2) *z2 = sum / rows;
    return -minus_log_lik(log(noise_var), s) / rows;
}

double una_said_noise(una_said *s)
{
    enum { GRID = 24 };
    double log_noise = una_search(minus_log_lik, s, log(1e-8), log(4), GRID, 1e-6);
    return exp(log_noise + (s->samples ? 0 : sqrt(2 / (double)una_said_rows(s))));
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

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

static size_t rounds_of(const una_said *s, size_t sort)
{
    size_t count = 0;
    for (size_t r = 0; r < s->rounds; r++) count += s->sort[r] == sort;
    return count;
}

/* Of all targets. */
static double sort_log_lik(const una_said *said, size_t targets, const double *noise_var, size_t sort, size_t row)
{
    double sum = mixed_log_lik(said, (int)sort, row, noise_var[0]);
    for (size_t t = 1; t < targets; t++) sum += mixed_log_lik(&said[t], (int)sort, row, noise_var[t]);
    return sum;
}

/* By rows of which all rounds speak. */
una_status una_said_weigh_together(una_said *s, size_t targets, const double *noise_var, una_run *run)
{
    const double doubt = 10;
    if (s->sorts < 2) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    double *log_lik = UNA_GET_ROWS(&run->scratch, double, s->sorts * s->rows);
    double *weight = UNA_GET(&run->scratch, double, s->sorts);
    size_t *row = UNA_GET_ROWS(&run->scratch, size_t, s->rows), rows = 0;
    una_status status = una_arena_check(&run->scratch);

    for (size_t i = 0; status == UNA_OK && i < s->rows; i++)
        if (sums_at(s, i).rounds == s->rounds) row[rows++] = i;
    for (size_t f = 0; status == UNA_OK && f < s->sorts; f++)
        for (size_t i = 0; i < rows; i++) log_lik[f * rows + i] = sort_log_lik(s, targets, noise_var, f, row[i]);
    if (status == UNA_OK) {
        una_stack(weight, log_lik, s->sorts, rows, doubt);
        for (size_t t = 0; t < targets; t++)
            for (size_t r = 0; r < s->rounds; r++)
                s[t].weight[r] = weight[s->sort[r]] / (double)rounds_of(s, s->sort[r]);
    }

    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_said_weigh(una_said *s, double noise_var, una_run *run)
{
    return una_said_weigh_together(s, 1, &noise_var, run);
}

/* ---- the shape of the noise, and what the result is told --------------------------------------------------------- */

enum { PARTS = 5 };
static size_t part_of(const una_problem *p, size_t row)
{
    return p->folds ? p->fold[row] : row % PARTS;
}

una_status una_said_shape(una_noise **noise, una_said *said, const una_problem *p, bool must, una_arena *keep,
                          una_run *run)
{
    una_view x = una_judged_x(p);
    size_t rows = 0, cols = x.cols;
    double *at = UNA_GET_ROWS(&run->scratch, double, x.rows * cols), *y = UNA_GET_ROWS(&run->scratch, double, x.rows);
    double *mean = UNA_GET_ROWS(&run->scratch, double, x.rows), *var = UNA_GET_ROWS(&run->scratch, double, x.rows);
    unsigned char *part = UNA_GET_ROWS(&run->scratch, unsigned char, x.rows);
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t i = 0; i < x.rows; i++) {
        if (!una_said_middle(said, i, &mean[rows], &var[rows])) continue;
        memcpy(at + rows * cols, x.at + i * x.stride, cols * sizeof *at);
        y[rows] = said->y[i];
        part[rows] = (unsigned char)part_of(p, i);
        rows++;
    }
    una_foretold told = { { at, rows, cols, cols }, y, mean, var, part, p->folds ? p->folds : PARTS, said->apart };
    UNA_TRY(una_noise_learn(noise, &told, must, keep, run));
    if (!*noise) return UNA_OK;

    said->shape = UNA_GET_ROWS(&run->scratch, double, x.rows);
    UNA_TRY(una_arena_check(&run->scratch));
    una_noise_shape(*noise, x, said->shape);
    return UNA_OK;
}

una_status una_said_shape_apart(una_said *said, const una_noise *noise, const una_problem *p, una_run *run)
{
    una_view x = una_judged_x(p);
    said->shape = UNA_GET_ROWS(&run->scratch, double, x.rows);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < x.rows; i++) {
        una_view row = { x.at + i * x.stride, 1, x.cols, x.stride };
        una_noise_shape(una_noise_without(noise, part_of(p, i)), row, said->shape + i);
    }
    return UNA_OK;
}

void una_said_score(const una_said *said, double noise_var, una_fit_result *result)
{
    double square = 0, log_lik = 0, mean, var;
    size_t rows = 0;
    for (size_t i = 0; i < said->rows; i++) {
        if (!una_said_middle(said, i, &mean, &var)) continue;
        double own = una_said_log_lik(said, i, noise_var);
        if (result->foretold) result->foretold[i] = own;
        square += (said->y[i] - mean) * (said->y[i] - mean);
        log_lik += own;
        rows++;
    }
    result->valid_rows = rows;
    result->valid_rmse = sqrt(square / (double)rows);
    result->valid_log_lik = log_lik / (double)rows;
}

static double below_y(const una_said *s, size_t row, double noise_var)
{
    double below = 0, weight = 0;
    for (size_t r = 0; r < s->rounds; r++) {
        if (!speaks(s, r, row)) continue;
        double whole = s->var[r * s->rows + row] + noise_var * shape_at(s, row);
        below += s->weight[r] * una_normal_cdf((s->y[row] - s->mean[r * s->rows + row]) / sqrt(whole));
        weight += s->weight[r];
    }
    return below / weight;
}

void una_said_tell(const una_said *said, double noise_var, size_t folds, una_fit_result *result)
{
    una_unseen *u = result->unseen;
    if (!u) return;
    u->rows = 0;
    u->folds = folds;
    for (size_t i = 0; i < said->rows; i++) {
        double mean, var;
        if (!una_said_middle(said, i, &mean, &var)) continue;
        u->mean[i] = mean;
        u->var_model[i] = var;
        u->var_noise[i] = noise_var * shape_at(said, i);
        u->below[i] = below_y(said, i, noise_var);
        u->rows++;
    }
}
