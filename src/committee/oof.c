/* SPDX-License-Identifier: MIT
 *
 * Weights and noise from out-of-fold predictions. See oof.h. In each repeat one training predicts a row, while the
 * final mixture has many trainings of each stratum. So the error of the mixture's mean is neither that of one training
 * nor that of the mean of the few. With e_a = y - mean_a and weights W of the strata it is
 *   C = sum_f W_f^2 mean of e_a e_b over different repeats of f + sum_{f != g} W_f W_g mean of e_a e_b,
 * which is free of the randomness of single trainings; and trainings spread by S = sum_f W_f mean of e_a^2 - C. So the
 * noise s2 maximises, V_i being the trainings' own variance plus S_i,
 *   - 1/2 sum_i [ log(V_i + s2 g_i) + C_i / (V_i + s2 g_i) ].
 */
#include "committee/oof.h"

#include "la/la.h"

una_status una_oof_init(una_oof *oof, size_t repeats, size_t rows, const double *y, una_arena *arena)
{
    *oof = (una_oof){ .rows = rows, .repeats = repeats, .y = y };
    UNA_NEW_ROWS_AT(arena, oof->mean, repeats * rows);
    UNA_NEW_ROWS_AT(arena, oof->var, repeats * rows);
    UNA_NEW_AT(arena, oof->weight, repeats);
    UNA_NEW_AT(arena, oof->stratum, repeats);
    oof->strata = repeats;
    for (size_t i = 0; i < repeats * rows; i++) oof->mean[i] = oof->var[i] = NAN;
    for (size_t r = 0; r < repeats; r++) oof->weight[r] = 1 / (double)repeats, oof->stratum[r] = r;
    return UNA_OK;
}

static bool has_prediction(const una_oof *oof, size_t repeat, size_t row)
{
    return !isnan(oof->mean[repeat * oof->rows + row]);
}

/* Sums over the repeats that predict a row: weighted, or of one stratum. */
typedef struct sums { double weight, error, error2, mean, var; size_t repeats; } sums;

static void add_repeat(sums *t, const una_oof *oof, size_t repeat, size_t row, double weight)
{
    double mean = oof->mean[repeat * oof->rows + row], error = oof->y[row] - mean;
    t->repeats++;
    t->weight += weight;
    t->mean += weight * mean;
    t->var += weight * oof->var[repeat * oof->rows + row];
    t->error += weight * error;
    t->error2 += weight * error * error;
}

static sums sums_at(const una_oof *oof, size_t row)
{
    sums t = {0};
    for (size_t r = 0; r < oof->repeats; r++)
        if (has_prediction(oof, r, row)) add_repeat(&t, oof, r, row, oof->weight[r]);
    return t;
}

static sums sums_of_stratum(const una_oof *oof, size_t stratum, size_t row)
{
    sums t = {0};
    for (size_t r = 0; r < oof->repeats; r++)
        if (oof->stratum[r] == stratum && has_prediction(oof, r, row)) add_repeat(&t, oof, r, row, 1);
    return t;
}

size_t una_oof_predicted_rows(const una_oof *oof)
{
    size_t count = 0;
    for (size_t i = 0; i < oof->rows; i++) count += sums_at(oof, i).repeats > 0;
    return count;
}

bool una_oof_moments(const una_oof *oof, size_t row, double *mean, double *var)
{
    sums t = sums_at(oof, row);
    if (!(t.weight > 0)) return false;
    double middle = t.error / t.weight;                  /* from the errors, which are smaller; their spread is that
                                                            of the means */
    *mean = t.mean / t.weight;
    *var = t.var / t.weight + fmax(0, t.error2 / t.weight - middle * middle);
    return true;
}

static double shape_at(const una_oof *oof, size_t row)
{
    return oof->shape ? oof->shape[row] : 1;
}

static double part_log_lik(const una_oof *oof, size_t repeat, size_t row, double noise_var)
{
    double error = oof->y[row] - oof->mean[repeat * oof->rows + row], var = oof->var[repeat * oof->rows + row];
    if (oof->tails) return una_tails_log_pdf(oof->tails, error * error, var, noise_var * shape_at(oof, row));
    double total = var + noise_var * shape_at(oof, row);
    return -0.5 * (UNA_LOG_TWO_PI + log(total) + error * error / total);
}

/* Of the repeats of one stratum, with equal weights, or (ALL) of the whole mixture; NAN: there is no prediction. */
enum { ALL = -1 };
static double mixture_log_lik(const una_oof *oof, int stratum, size_t row, double noise_var)
{
    double most = -HUGE_VAL, sum = 0, weight = 0;
    for (int turn = 0; turn < 2; turn++)                 /* first the largest: the others are relative to it   */
        for (size_t r = 0; r < oof->repeats; r++) {
            if ((stratum != ALL && oof->stratum[r] != (size_t)stratum) || !has_prediction(oof, r, row)) continue;
            double own = stratum == ALL ? oof->weight[r] : 1, log_lik = part_log_lik(oof, r, row, noise_var);
            if (turn == 0) most = fmax(most, log_lik);
            else sum += own * exp(log_lik - most), weight += own;
        }
    return weight > 0 ? most + log(sum / weight) : NAN;
}

double una_oof_log_lik(const una_oof *oof, size_t row, double noise_var)
{
    return mixture_log_lik(oof, ALL, row, noise_var);
}

static double weight_of_stratum(const una_oof *oof, size_t stratum) /* of each of its repeats */
{
    for (size_t r = 0; r < oof->repeats; r++)
        if (oof->stratum[r] == stratum) return oof->weight[r];
    return 0;
}

/* ---- noise ------------------------------------------------------------------------------------------------------ */

/* C and V of the row. */
bool una_oof_square(const una_oof *oof, size_t row, double *square, double *var)
{
    sums all = sums_at(oof, row);
    double middle = 0, own = 0;                          /* sum W_f mean e; the part of its square that single
                                                            trainings add */
    if (!(all.weight > 0)) return false;
    for (size_t f = 0; f < oof->strata; f++) {
        sums t = sums_of_stratum(oof, f, row);
        if (t.repeats == 0) continue;
        double n = (double)t.repeats, share = n * weight_of_stratum(oof, f) / all.weight, mean = t.error / n;
        middle += share * mean;
        if (t.repeats > 1) own += share * share * (mean * mean - (t.error * t.error - t.error2) / (n * (n - 1)));
    }
    *square = middle * middle - own;
    *var = all.var / all.weight + fmax(0, all.error2 / all.weight - *square);
    return true;
}

static double minus_log_lik(double log_noise, void *context)
{
    const una_oof *oof = context;
    double noise_var = exp(log_noise), loss = 0, square, var;
    for (size_t i = 0; i < oof->rows; i++) {
        if (!oof->repeats_are_sample) {
            double log_lik = una_oof_log_lik(oof, i, noise_var);
            if (!isnan(log_lik)) loss -= log_lik;
        } else if (una_oof_square(oof, i, &square, &var)) {
            double noise = noise_var * shape_at(oof, i), total = var + noise;
            loss += oof->tails ? -una_tails_log_pdf(oof->tails, fmax(square, 0), var, noise)
                               : 0.5 * (log(total) + square / total);
        }
    }
    return loss;
}

double una_oof_mean_log_lik(una_oof *oof, double noise_var, double *z2)
{
    double sum = 0, square, var, rows = (double)una_oof_predicted_rows(oof);
    for (size_t i = 0; z2 && i < oof->rows; i++)
        if (una_oof_square(oof, i, &square, &var)) sum += square / (var + noise_var * shape_at(oof, i));
    if (z2) *z2 = sum / rows;
    return -minus_log_lik(log(noise_var), oof) / rows;
}

enum { NOISE_GRID = 24 };
static const double MOST_LOSS = 0.5;     /* nats a row */

/* Of the trainings as a mixture, which is what predicts. */
static double minus_mixture_log_lik(double log_noise, void *context)
{
    const una_oof *oof = context;
    double noise_var = exp(log_noise), loss = 0;
    for (size_t i = 0; i < oof->rows; i++) {
        double log_lik = mixture_log_lik(oof, ALL, i, noise_var);
        if (!isnan(log_lik)) loss -= log_lik;
    }
    return loss / (double)una_oof_predicted_rows(oof);
}

/* Where the trainings differ so much that they seem to explain all errors, hardly any noise would be left, and a mixture
 * of parts so narrow that a row between them is all but impossible. The least noise under which the mixture loses
 * MOST_LOSS nats a row against the noise that suits it best; at least log_noise. */
static double least_for_mixture(una_oof *oof, double log_noise)
{
    double best = una_search(minus_mixture_log_lik, oof, log_noise, log(4), NOISE_GRID, 1e-4);
    double most = minus_mixture_log_lik(best, oof) + MOST_LOSS, low = log_noise, high = best;
    if (!(minus_mixture_log_lik(log_noise, oof) > most)) return log_noise;
    while (high - low > 1e-3) {
        double middle = 0.5 * (low + high);
        if (minus_mixture_log_lik(middle, oof) > most) low = middle;
        else high = middle;
    }
    return high;
}

double una_oof_noise(una_oof *oof)
{
    double log_noise = una_search(minus_log_lik, oof, log(1e-8), log(4), NOISE_GRID, 1e-6);
    if (oof->repeats_are_sample) log_noise = least_for_mixture(oof, log_noise);
    return exp(log_noise + (oof->repeats_are_sample ? 0 : sqrt(2 / (double)una_oof_predicted_rows(oof))));
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

void una_stack(double *weight, size_t count, const una_stack_rows *of, double equal_rows)
{
    enum { TURNS = 200 };
    const double *log_lik = of->log_lik;
    size_t rows = of->rows;
    for (size_t k = 0; k < count; k++) weight[k] = 1 / (double)count;

    for (size_t turn = 0; turn < TURNS; turn++) {
        double next[UNA_MOST_MEMBERS] = {0}, all = equal_rows, moved = 0;
        for (size_t i = 0; i < rows; i++) {
            double most = -HUGE_VAL, sum = 0, times = of->times ? of->times[i] : 1;
            for (size_t k = 0; k < count; k++) most = fmax(most, log_lik[k * rows + i]);
            if (!isfinite(most)) continue;
            for (size_t k = 0; k < count; k++) sum += weight[k] * exp(log_lik[k * rows + i] - most);
            for (size_t k = 0; k < count; k++) next[k] += times * weight[k] * exp(log_lik[k * rows + i] - most) / sum;
            all += times;
        }
        for (size_t k = 0; k < count; k++) {
            double w = (next[k] + equal_rows / (double)count) / all;
            moved = fmax(moved, fabs(w - weight[k]));
            weight[k] = w;
        }
        if (moved < 1e-6) break;
    }
}

static size_t repeats_of_stratum(const una_oof *oof, size_t stratum)
{
    size_t count = 0;
    for (size_t r = 0; r < oof->repeats; r++) count += oof->stratum[r] == stratum;
    return count;
}

/* Summed over all targets. */
static double stratum_log_lik(una_oof *const *oof, size_t targets, const double *noise_var, size_t stratum, size_t row)
{
    double sum = mixture_log_lik(oof[0], (int)stratum, row, noise_var[0]);
    for (size_t t = 1; t < targets; t++) sum += mixture_log_lik(oof[t], (int)stratum, row, noise_var[t]);
    return sum;
}

/* By rows that all repeats predict. */
static una_status weigh_strata(una_oof *const *oof, size_t targets, const double *noise_var, una_run *run)
{
    const double equal_rows = 10;
    const una_oof *first = oof[0];
    size_t rows = 0;
    UNA_NEW_ROWS(&run->scratch, double, log_lik, first->strata * first->rows);
    UNA_NEW(&run->scratch, double, weight, first->strata);
    UNA_NEW_ROWS(&run->scratch, size_t, row, first->rows);
    for (size_t i = 0; i < first->rows; i++)
        if (sums_at(first, i).repeats == first->repeats) row[rows++] = i;
    for (size_t s = 0; s < first->strata; s++)
        for (size_t i = 0; i < rows; i++) log_lik[s * rows + i] = stratum_log_lik(oof, targets, noise_var, s, row[i]);
    una_stack(weight, first->strata, &(una_stack_rows){ log_lik, NULL, rows }, equal_rows);
    for (size_t t = 0; t < targets; t++)
        for (size_t r = 0; r < first->repeats; r++)
            oof[t]->weight[r] = weight[first->stratum[r]] / (double)repeats_of_stratum(first, first->stratum[r]);
    return UNA_OK;
}

una_status una_oof_weigh(una_oof *const *oof, size_t targets, const double *noise_var, una_run *run)
{
    if (oof[0]->strata >= 2) UNA_SCOPED(run, weigh_strata(oof, targets, noise_var, run));
    return UNA_OK;
}

/* ---- the shape of the noise, and what the result reports --------------------------------------------------------- */

enum { BLOCKS = 5 };
static size_t block_of_row(const una_problem *p, size_t row)
{
    return p->folds ? p->fold[row] : row % BLOCKS;
}

una_status una_oof_noise_shape(una_noise **noise, una_oof *oof, const una_problem *p, bool required, una_arena *keep,
                               una_run *run)
{
    una_view x = una_oof_x(p);
    size_t rows = 0, cols = x.cols;
    double *at = UNA_GET_ROWS(&run->scratch, double, x.rows * cols), *y = UNA_GET_ROWS(&run->scratch, double, x.rows);
    double *mean = UNA_GET_ROWS(&run->scratch, double, x.rows), *var = UNA_GET_ROWS(&run->scratch, double, x.rows);
    UNA_NEW_ROWS(&run->scratch, unsigned char, part, x.rows);
    uint32_t *team = p->correlated ? UNA_GET_ROWS(&run->scratch, uint32_t, x.rows) : NULL;
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t i = 0; i < x.rows; i++) {
        if (!una_oof_moments(oof, i, &mean[rows], &var[rows])) continue;
        if (team) team[rows] = p->team[(p->folds ? 0 : p->x.rows) + i];
        memcpy(at + rows * cols, x.at + i * x.stride, cols * sizeof *at);
        y[rows] = oof->y[i];
        part[rows] = (unsigned char)block_of_row(p, i);
        rows++;
    }
    una_noise_rows noise_rows = { { at, rows, cols, cols }, y, mean, var, part, p->folds ? p->folds : BLOCKS,
                                  team, oof->shape_per_fold };
    UNA_TRY(una_noise_learn(noise, &noise_rows, required, keep, run));
    if (!*noise) return UNA_OK;

    UNA_NEW_ROWS_AT(&run->scratch, oof->shape, x.rows);
    una_noise_shape(*noise, x, oof->shape);
    return UNA_OK;
}

una_status una_oof_noise_shape_without(una_oof *oof, const una_noise *noise, const una_problem *p, una_run *run)
{
    una_view x = una_oof_x(p);
    UNA_NEW_ROWS_AT(&run->scratch, oof->shape, x.rows);
    for (size_t i = 0; i < x.rows; i++) {
        una_view row = { x.at + i * x.stride, 1, x.cols, x.stride };
        una_noise_shape(una_noise_without(noise, block_of_row(p, i)), row, oof->shape + i);
    }
    return UNA_OK;
}

void una_oof_score(const una_oof *oof, double noise_var, una_fit_result *result)
{
    double square = 0, log_lik = 0, mean, var;
    size_t rows = 0;
    for (size_t i = 0; i < oof->rows; i++) {
        if (!una_oof_moments(oof, i, &mean, &var)) continue;
        double own = una_oof_log_lik(oof, i, noise_var);
        if (result->oof && result->oof->log_lik) result->oof->log_lik[i] = own;
        square += (oof->y[i] - mean) * (oof->y[i] - mean);
        log_lik += own;
        rows++;
    }
    result->valid_rows = rows;
    result->valid_rmse = sqrt(square / (double)rows);
    result->valid_log_lik = log_lik / (double)rows;
}

static double probability_below_y(const una_oof *oof, size_t row, double noise_var)
{
    double below = 0, weight = 0;
    for (size_t r = 0; r < oof->repeats; r++) {
        if (!has_prediction(oof, r, row)) continue;
        double error = oof->y[row] - oof->mean[r * oof->rows + row], var = oof->var[r * oof->rows + row];
        double noise = noise_var * shape_at(oof, row);
        below += oof->weight[r] * (oof->tails ? una_tails_cdf(oof->tails, error, var, noise)
                                              : una_normal_cdf(error / sqrt(var + noise)));
        weight += oof->weight[r];
    }
    return below / weight;
}

bool una_oof_wanted(const una_fit_result *result)
{
    return result->oof && result->oof->mean;
}

void una_oof_report(const una_oof *oof, double noise_var, size_t folds, una_fit_result *result)
{
    una_oof_predictions *u = result->oof;
    if (!una_oof_wanted(result)) return;
    u->rows = 0;
    u->folds = folds;
    for (size_t i = 0; i < oof->rows; i++) {
        double mean, var;
        if (!una_oof_moments(oof, i, &mean, &var)) continue;
        u->mean[i] = mean;
        u->var_model[i] = var;
        u->var_noise[i] = noise_var * shape_at(oof, i);
        u->below[i] = probability_below_y(oof, i, noise_var);
        if (oof->tails) u->reach[i] = una_tails_reach(oof->tails, 0.95, var, u->var_noise[i]);
        u->rows++;
    }
}
