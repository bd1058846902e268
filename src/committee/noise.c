/* SPDX-License-Identifier: MIT
 *
 * Noise that varies with the inputs:  e_i = y_i - mean_i ~ N(0, var_i + s2 g(x_i)),
 *   log g(x) = offset + sum_t slope_t (x_d(t) - knot_t)+ + products of two inputs,
 * every x_d clipped to the range of the rows that taught it: piecewise linear in each input, a term at the lower edge,
 * and for inputs of more than two values hinges at some quantiles; and products of those pairs of inputs that the rows
 * ask for. Slopes by Fisher scoring with a ridge penalty on standardised columns. A few rows must not dominate the
 * shape (outliers, a mean that is wrong in places): beyond three standard deviations the squared error counts by its
 * logarithm, c2 (1 + log(z2/c2)), so that the influence of a row is bounded (Huber 1981, chapter 5), and log g stays
 * within +-log 100.
 *
 * Groups of rows, left out in turn, decide how large the penalty is, whether it spares strong terms (most inputs do not
 * affect the noise, and most of the others need no hinges), and how much of the shape is kept: log g counts w times.
 * w is the likeliest for the rows that are left out, times how sure it is that a shape gains anything. So a shape that
 * is clear is kept whole, noise without one stays constant, and in between nothing jumps. Groups go by the
 * inputs, not by the folds of a fit; where it is open, rows are dealt into groups anew, several times.
 */
#include "committee/noise_inside.h"

enum { PARTITIONS = 4, GROUPS = 5, WEIGHTS = 10 };
static const double LEAST_GAIN = 2;                           /* nats, of all rows together: what chance gains     */
static const double OPEN = 0.8, CLEAR = 1.6;                  /* standard errors beyond them: from where a shape
                                                                 counts, and from where it counts in full */
static const double NEVER = -0.5, ALWAYS = 3.2;               /* no further partition is needed below and beyond   */
static const double LEAST_WEIGHT = 0.25;                      /* of a shape that is kept at all                    */

/* ---- rows that are left out -------------------------------------------------------------------------------------- */

/* What a shape, or a part of it, is worth: gain [rows] for each, of log-likelihood over a constant noise. */
typedef struct trial {
    una_noise_scoring *q;
    unsigned char *group;                /* [PARTITIONS, rows]                                              */
    size_t  partitions;                  /* in use                                                          */
    double *gain;                        /* [UNA_NOISE_WAYS, rows], or [WEIGHTS, rows]                      */
    double *gaussian;                    /* [WEIGHTS, rows] by the likelihood by which models are scored    */
    size_t  way;                         /* the likeliest                                                   */
    double  weight;                      /* of log g                                                        */
} trial;

typedef struct contest { double weight, shaped, constant; bool robust; } contest;

/* Of the rows that q leaves out: g^weight with a noise of log variance shaped, against a constant one. */
static void add_gain(double *gain, const una_noise_scoring *q, contest c)
{
    const una_noise_data *s = q->s;
    for (size_t r = 0; r < s->rows; r++) {
        if (s->group[r] != q->out) continue;
        double with = s->var[r] + exp(c.shaped + c.weight * una_noise_bounded(q->log_g[r]));
        double cost = una_noise_cost(s->square[r], s->var[r] + exp(c.constant), c.robust) -
                      una_noise_cost(s->square[r], with, c.robust);
        gain[r] += 0.5 * cost;
    }
}

/* By the likelihood that was maximised. An uneven penalty starts from the even one, and so does the next. */
static una_status try_ways(const trial *t, una_run *run)
{
    una_noise_scoring *q = t->q;
    size_t n = q->s->rows, k = q->s->columns;
    contest c = { 1, 0, una_noise_scale(q, 0, q->s->constant, true), true };
    for (size_t p = 0; p < UNA_NOISE_PENALTIES; p++) {
        UNA_TRY(una_noise_fit_way(q, p, run));
        c.shaped = q->b[k - 1];
        add_gain(t->gain + p * n, q, c);
        memcpy(q->before, q->b, k * sizeof *q->b);
        UNA_TRY(una_noise_spare_the_strong(q, p, run));
        c.shaped = q->b[k - 1];
        add_gain(t->gain + (UNA_NOISE_PENALTIES + p) * n, q, c);
        memcpy(q->b, q->before, k * sizeof *q->b);
    }
    return UNA_OK;
}

static double weight_of(size_t i)
{
    return (double)(i + 1) / WEIGHTS;
}

/* By both likelihoods: with few of its rows outliers, a shape that is right can lose by the Gaussian one. */
static una_status try_weights(const trial *t, una_run *run)
{
    una_noise_scoring *q = t->q;
    size_t n = q->s->rows;
    UNA_TRY(una_noise_fit_way(q, t->way, run));
    for (int robust = 0; robust < 2; robust++) {
        double constant = una_noise_scale(q, 0, q->s->constant, robust), scale = constant;
        for (size_t i = 0; i < WEIGHTS; i++) {
            scale = una_noise_scale(q, weight_of(i), scale, robust);
            add_gain((robust ? t->gain : t->gaussian) + i * n, q, (contest){ weight_of(i), scale, constant, robust });
        }
    }
    return UNA_OK;
}

/* Leaves out each group of a partition; pairs are looked for without it, too. */
static una_status leave_out_in_turn(const trial *t, size_t partition, una_status (*one)(const trial *, una_run *),
                                    una_run *run)
{
    t->q->s->group = t->group + partition * t->q->s->rows;
    for (size_t g = 0; g < GROUPS; g++) {
        una_noise_begin(t->q, g);
        UNA_TRY(una_noise_choose_pairs(t->q, run));
        UNA_TRY(one(t, run));
    }
    return UNA_OK;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static double total_of(const double *value, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += value[i];
    return sum;
}

/* By how many standard errors a shape is better than none, after some nats: with the gains of all partitions. */
static double errors_of(const trial *t, const double *gain)
{
    size_t n = t->q->s->rows;
    double sum = total_of(gain, n), square = 0;
    for (size_t i = 0; i < n; i++) square += pow(gain[i] - sum / (double)n, 2);
    return square > 0 ? (sum - LEAST_GAIN * (double)t->partitions) / sqrt(square) : -HUGE_VAL;
}

static size_t likeliest_way(const trial *t)
{
    size_t n = t->q->s->rows, best = 0;
    for (size_t way = 1; way < UNA_NOISE_WAYS; way++)
        if (total_of(t->gain + way * n, n) > total_of(t->gain + best * n, n)) best = way;
    return best;
}

/* The way with the largest out-of-fold likelihood. One partition of the rows after the other, until it is clear. */
static una_status choose_way(trial *t, const una_noise *noise, una_run *run)
{
    size_t n = t->q->s->rows;
    UNA_NEW_AT(&run->scratch, t->gain, UNA_NOISE_WAYS * n);
    UNA_NEW_AT(&run->scratch, t->group, PARTITIONS * n);
    for (size_t p = 0; p < PARTITIONS; p++) {
        UNA_TRY(una_noise_deal(t->group + p * n, t->q->s, noise, p, GROUPS, run));
        UNA_TRY(leave_out_in_turn(t, p, try_ways, run));
        t->partitions++;
        t->way = likeliest_way(t);
        double errors = errors_of(t, t->gain + t->way * n);
        if (errors < NEVER || errors > ALWAYS) break;
    }
    return UNA_OK;
}

/* The weight with the largest gain, in WEIGHTS-ths. */
static size_t best_weight(const double *gain, size_t n)
{
    double most = 0;
    size_t best = 0;
    for (size_t i = 0; i < WEIGHTS; i++) {
        double own = total_of(gain + i * n, n);
        if (own > most) most = own, best = i + 1;
    }
    return best;
}

/* How much of the shape is kept: as much as is likeliest, less where it is not clear, and nothing where that is no
 * better by the Gaussian likelihood. */
static una_status choose_weight(double *weight, bool *worth, trial *t, una_run *run)
{
    size_t n = t->q->s->rows;
    *weight = LEAST_WEIGHT;
    *worth = false;
    if (errors_of(t, t->gain + t->way * n) < 0) return UNA_OK;
    UNA_NEW_AT(&run->scratch, t->gain, WEIGHTS * n);
    UNA_NEW_AT(&run->scratch, t->gaussian, WEIGHTS * n);
    for (size_t p = 0; p < t->partitions; p++) UNA_TRY(leave_out_in_turn(t, p, try_weights, run));
    size_t best = best_weight(t->gain, n);
    if (best == 0) return UNA_OK;
    double sure = (errors_of(t, t->gain + (best - 1) * n) - OPEN) / (CLEAR - OPEN);
    double wanted = (double)best / WEIGHTS * fmin(fmax(sure, 0), 1);
    size_t nearest = (size_t)fmin(ceil(wanted * WEIGHTS), (double)best);
    *worth = wanted >= LEAST_WEIGHT && total_of(t->gaussian + (nearest - 1) * n, n) > 0;
    *weight = fmax(wanted, LEAST_WEIGHT);
    return UNA_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Geometric mean 1, bounds included: each turn moves the sum by what is missing, and rows at a bound do not follow. */
static void set_offset(una_noise *noise, const double *log_g, size_t rows)
{
    for (int i = 0; i < 200; i++) {
        double mean = 0;
        for (size_t r = 0; r < rows; r++) mean += una_noise_bounded(noise->offset + log_g[r]) / (double)rows;
        noise->offset -= mean;
        if (fabs(mean) < 1e-15) return;
    }
}

/* Those that count. */
static una_status keep_pairs(una_noise *noise, const trial *t, una_arena *keep)
{
    const una_noise_data *s = t->q->s;
    UNA_NEW_AT(keep, noise->pair_input, 2 * s->pairs);
    UNA_NEW_AT(keep, noise->pair_centre, 2 * s->pairs);
    UNA_NEW_AT(keep, noise->pair_slope, s->pairs);
    noise->pairs = 0;
    for (size_t p = 0; p < s->pairs; p++) {
        double slope = t->weight * t->q->b[s->terms + p] / s->scale[s->terms + p];
        if (slope == 0) continue;
        for (size_t side = 0; side < 2; side++) {
            size_t d = s->pair[2 * p + side];
            noise->pair_input[2 * noise->pairs + side] = (double)d;
            noise->pair_centre[2 * noise->pairs + side] = s->input_mean[d];
            slope /= s->input_std[d];
        }
        noise->pair_slope[noise->pairs++] = slope;
    }
    return UNA_OK;
}

static una_status keep_shape(una_noise *noise, const trial *t, una_arena *keep)
{
    const una_noise_scoring *q = t->q;
    const una_noise_data *s = q->s;
    UNA_NEW_AT(keep, noise->slope, s->terms);
    noise->offset = 0;
    for (size_t i = 0; i < s->terms; i++) noise->slope[i] = t->weight * q->b[i] / s->scale[i];
    UNA_TRY(keep_pairs(noise, t, keep));
    for (size_t r = 0; r < s->rows; r++) {
        const double *x = s->x + r * noise->inputs;
        q->log_g[r] = 0;
        for (size_t i = 0; i < s->terms; i++) q->log_g[r] += noise->slope[i] * una_noise_term(noise, i, x);
        for (size_t p = 0; p < noise->pairs; p++) q->log_g[r] += noise->pair_slope[p] * una_noise_pair(noise, p, x);
    }
    set_offset(noise, q->log_g, s->rows);
    return UNA_OK;
}

/* By the rows of all groups but `out`. */
static una_status learn_without(una_noise *noise, const trial *t, size_t out, una_arena *keep, una_run *run)
{
    una_noise_begin(t->q, out);
    UNA_TRY(una_noise_choose_pairs(t->q, run));
    UNA_TRY(una_noise_fit_way(t->q, t->way, run));
    return keep_shape(noise, t, keep);
}

/* The same way and weight, without each part in turn. */
static una_status learn_without_parts(una_noise *noise, size_t parts, const trial *t, una_arena *keep, una_run *run)
{
    UNA_NEW_AT(keep, noise->shape_per_fold, parts);
    t->q->s->group = t->q->s->part;
    for (size_t g = 0; g < parts; g++) {
        noise->shape_per_fold[g] = *noise;
        UNA_TRY(learn_without(&noise->shape_per_fold[g], t, g, keep, run));
    }
    noise->groups = parts;
    return UNA_OK;
}

static una_status learn_shape(una_noise *noise, bool *worth, const una_noise_rows *rows, una_arena *keep,
                              una_run *run)
{
    una_noise_data s = {0};
    una_noise_scoring q;
    trial t = { .q = &q };
    bool known, per_part = rows->shape_per_fold && rows->part && rows->parts >= 2;
    *worth = false;
    UNA_TRY(una_noise_gather(&s, noise, &known, rows, keep, run));
    if (!known) return UNA_OK;
    UNA_TRY(una_noise_scoring_new(&q, &s, run));
    UNA_TRY(choose_way(&t, noise, run));
    UNA_TRY(choose_weight(&t.weight, worth, &t, run));
    UNA_TRY(learn_without(noise, &t, UNA_NOISE_NO_GROUP, keep, run));
    return per_part ? learn_without_parts(noise, rows->parts, &t, keep, run) : UNA_OK;
}

una_status una_noise_learn(una_noise **noise, const una_noise_rows *noise_rows, bool required, una_arena *keep,
                           una_run *run)
{
    bool worth;
    *noise = NULL;
    UNA_NEW(keep, una_noise, found, 1);
    found->inputs = noise_rows->x.cols;
    UNA_SCOPED(run, learn_shape(found, &worth, noise_rows, keep, run));
    if (worth || required) *noise = found;
    return UNA_OK;
}
