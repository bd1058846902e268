/* SPDX-License-Identifier: MIT
 *
 * Noise that varies with the inputs:  e_i = y_i - mean_i ~ N(0, var_i + s2 g(x_i)),
 *   log g(x) = offset + sum_t slope_t (x_d(t) - knot_t)+,   every x_d clipped to the range of the rows that taught it,
 * so piecewise linear in each input: a term at the lower edge, and for inputs of more than two values hinges at some
 * quantiles. Slopes by Fisher scoring with a ridge penalty on standardised columns. Parts of the rows, left out in
 * turn, decide how large the penalty is, whether it spares strong terms (most inputs do not affect the noise, and most
 * of the others need no hinges), and whether the shape is worth keeping. A few rows must not dominate the shape
 * (outliers, a mean that is wrong in places): beyond three standard deviations the squared error counts by its
 * logarithm, c2 (1 + log(z2/c2)), so that the influence of a row is bounded (Huber 1981, chapter 5), and log g stays
 * within +-log 100.
 */
#include "committee/noise.h"

#include "infer/head.h"

enum {
    MOST_ROWS = 4000, FEWEST_ROWS = 40, KNOTS = 5, MOST_HINGED = 40, MOST_INPUTS = 200, MOST_TERMS = 1 << 16,
    GROUPS = 5, MOST_GROUPS = 8, PENALTIES = 6, WAYS = 2 * PENALTIES, STEPS = 25, HALVINGS = 12, BLOCK = 64,
    SCALE_GRID = 25
};
static const double LOG_MOST = 4.60517018598809136804;        /* log 100: the bound of log g                       */
static const double CUT = 9;                                  /* z2 beyond it counts by its logarithm              */
static const double CLEAR = 2;                                /* standard errors by which a shape must be better   */
static const double LEAST_GAIN = 2;                           /* and nats, of all rows together                    */
static const double LEAST_STRENGTH = 0.02;                    /* of the mean strength: what is weak is not quite
                                                                 excluded */
static const double INTERCEPT_PENALTY = 0.1;                  /* keeps s2 finite where var explains all errors     */
static const double PENALTY[PENALTIES] = { 1e4, 2e3, 400, 80, 16, 3 };   /* of columns of variance 1               */

struct una_noise {
    size_t  inputs, terms;
    double  offset;
    double *low, *high;                  /* [inputs] the range of the rows that taught it                   */
    double *input, *knot, *slope;        /* [terms] of which input (a whole number), from where, how steep  */
    size_t  groups;                      /* of rows, each left out of one shape; no file has them */
    una_noise *shape_per_fold;           /* [groups]                                                        */
};

/* ---- the shape ------------------------------------------------------------------------------------------------- */

static double term_at(const una_noise *noise, size_t t, const double *x)
{
    size_t d = (size_t)noise->input[t];
    double value = fmin(fmax(x[d], noise->low[d]), noise->high[d]);
    return fmax(value - noise->knot[t], 0);
}

static bool is_linear_term(const una_noise *noise, size_t t)
{
    return noise->knot[t] == noise->low[(size_t)noise->input[t]];
}

static double bounded(double log_g)
{
    return fmin(fmax(log_g, -LOG_MOST), LOG_MOST);
}

void una_noise_shape(const una_noise *noise, una_view x, double *g)
{
    for (size_t r = 0; r < x.rows; r++) {
        double sum = noise->offset;
        for (size_t t = 0; t < noise->terms; t++) sum += noise->slope[t] * term_at(noise, t, x.at + r * x.stride);
        g[r] = exp(bounded(sum));
    }
}

const una_noise *una_noise_without(const una_noise *noise, size_t part)
{
    return noise->groups ? &noise->shape_per_fold[part % noise->groups] : noise;
}

/* ---- rows and columns ------------------------------------------------------------------------------------------- */

typedef struct shape_data {
    size_t  rows, terms, columns;        /* columns: the terms, and the one at the end                      */
    size_t  groups;                      /* left out in turn                                                */
    double *x;                           /* [rows, inputs] those that are used                              */
    double *phi;                         /* [rows, columns] of mean 0 and variance 1                        */
    double *centre, *scale;              /* [columns] of the terms                                          */
    size_t *bundle;                      /* [columns] terms that are strong or weak together, see make_columns */
    double *square, *var;                /* [rows] squared error; variance of the model                     */
    size_t  first[MOST_GROUPS + 1];      /* rows are sorted by group: where each begins                      */
    double *gram;                        /* [groups + 1, columns, columns] Fisher information; the last: of all */
    double  low, high, constant;         /* log s2: bounds, and the best without a shape                    */
} shape_data;

static una_status check_noise_rows(const una_noise_rows *f, una_run *run)
{
    for (size_t r = 0; r < f->x.rows; r++) {
        if (isfinite(f->y[r]) && isfinite(f->mean[r]) && isfinite(f->var[r]) && f->var[r] >= 0) continue;
        UNA_FAIL(run, UNA_E_NUMERIC, "the noise cannot be learnt: predictions of some rows are not finite; "
                 "scale the data, or set noise=constant");
    }
    return UNA_OK;
}

static size_t row_used(const shape_data *s, size_t i, size_t all)
{
    return (size_t)((uint64_t)i * all / s->rows);
}

static size_t group_of_row(const shape_data *s, const una_noise_rows *f, size_t i, size_t row)
{
    return (f->part && f->parts >= 2 ? f->part[row] : i) % s->groups;
}

/* Rows of one group stand together. */
static una_status gather_groups(shape_data *s, const una_noise_rows *f, una_run *run)
{
    size_t all = f->x.rows, inputs = f->x.cols, n = s->rows = all < MOST_ROWS ? all : MOST_ROWS, at = 0;
    s->groups = f->part && f->parts >= 2 && f->parts <= MOST_GROUPS ? f->parts : GROUPS;
    UNA_NEW_AT(&run->scratch, s->x, n * inputs);
    UNA_NEW_AT(&run->scratch, s->square, n);
    UNA_NEW_AT(&run->scratch, s->var, n);

    for (size_t g = 0; g < s->groups; g++, s->first[g] = at) {
        for (size_t i = 0; i < n; i++) {
            size_t row = row_used(s, i, all);
            if (group_of_row(s, f, i, row) != g) continue;
            memcpy(s->x + at * inputs, f->x.at + row * f->x.stride, inputs * sizeof(double));
            s->square[at] = pow(f->y[row] - f->mean[row], 2);
            s->var[at++] = f->var[row];
        }
    }
    return UNA_OK;
}

/* Of very many inputs, those most correlated with the mean: choosing by the errors would use the rows that validate. */
static una_status choose_inputs(bool *used, const una_noise_rows *f, una_run *run)
{
    size_t inputs = f->x.cols, rows = f->x.rows;
    double *tie = UNA_GET(&run->scratch, double, 2 * inputs), *sorted = tie + inputs, centre = 0;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t d = 0; d < inputs; d++) used[d] = true;
    if (inputs <= MOST_INPUTS) return UNA_OK;

    for (size_t r = 0; r < rows; r++) centre += f->mean[r] / (double)rows;
    for (size_t r = 0; r < rows; r++)
        for (size_t d = 0; d < inputs; d++) tie[d] += (f->mean[r] - centre) * f->x.at[r * f->x.stride + d];
    for (size_t d = 0; d < inputs; d++) sorted[d] = tie[d] = fabs(tie[d]);
    qsort(sorted, inputs, sizeof *sorted, una_by_number);

    double least = sorted[inputs - MOST_INPUTS];
    for (size_t d = 0, count = 0; d < inputs; d++) count += used[d] = tie[d] >= least && count < MOST_INPUTS;
    return UNA_OK;
}

static void add_term(una_noise *noise, size_t input, double knot)
{
    noise->input[noise->terms] = (double)input;
    noise->knot[noise->terms++] = knot;
}

/* An input of one value has no term, one of two values only the linear one. */
static void add_terms(una_noise *noise, size_t d, const double *sorted, size_t rows, bool hinges)
{
    double low = noise->low[d] = sorted[0], high = noise->high[d] = sorted[rows - 1], last = low;
    if (!(high > low) || !isfinite(high - low)) return;
    add_term(noise, d, low);

    bool two = true;
    for (size_t r = 0; r < rows && two; r++) two = sorted[r] == low || sorted[r] == high;
    for (size_t k = 0; hinges && !two && k < KNOTS; k++) {
        double knot = sorted[(size_t)((0.1 + 0.8 * (double)k / (KNOTS - 1)) * (double)(rows - 1))];
        if (knot > last && knot < high) add_term(noise, d, last = knot);
    }
}

static una_status make_terms(una_noise *noise, const shape_data *s, const una_noise_rows *f, una_arena *keep,
                             una_run *run)
{
    size_t inputs = noise->inputs, used_inputs = inputs < MOST_INPUTS ? inputs : MOST_INPUTS;
    size_t most = used_inputs * (inputs <= MOST_HINGED ? KNOTS + 1 : 1);
    bool *used = UNA_GET(&run->scratch, bool, inputs);
    double *sorted = UNA_GET(&run->scratch, double, s->rows);
    UNA_NEW_AT(keep, noise->low, inputs);
    UNA_NEW_AT(keep, noise->high, inputs);
    UNA_NEW_AT(keep, noise->input, most);
    UNA_NEW_AT(keep, noise->knot, most);
    UNA_NEW_AT(keep, noise->slope, most);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(choose_inputs(used, f, run));

    for (size_t d = 0; d < inputs; d++) {
        for (size_t r = 0; r < s->rows; r++) sorted[r] = s->x[r * inputs + d];
        qsort(sorted, s->rows, sizeof *sorted, una_by_number);
        if (used[d] && s->rows > 0) add_terms(noise, d, sorted, s->rows, inputs <= MOST_HINGED);
    }
    return UNA_OK;
}

static una_status make_columns(shape_data *s, const una_noise *noise, una_run *run)
{
    size_t n = s->rows, k = s->columns = noise->terms + 1;
    s->terms = noise->terms;
    s->phi = una_phi_with_one(n, k, &run->scratch);
    UNA_NEW_AT(&run->scratch, s->centre, k);
    UNA_NEW_AT(&run->scratch, s->scale, k);
    UNA_NEW_AT(&run->scratch, s->bundle, k);
    UNA_NEW_AT(&run->scratch, s->gram, (s->groups + 1) * k * k);

    for (size_t t = 0; t < s->terms; t++) {              /* bundles: the linear term of an input is one, its hinges
                                                            are another */
        bool begins = t > 0 && (is_linear_term(noise, t) || is_linear_term(noise, t - 1));
        s->bundle[t] = t > 0 ? s->bundle[t - 1] + begins : 0;
        double sum = 0, square = 0;
        for (size_t r = 0; r < n; r++) sum += s->phi[r * k + t] = term_at(noise, t, s->x + r * noise->inputs);
        for (size_t r = 0; r < n; r++) square += pow(s->phi[r * k + t] - sum / (double)n, 2);
        s->centre[t] = sum / (double)n;
        s->scale[t] = square > 0 ? sqrt(square / (double)n) : 1;
        for (size_t r = 0; r < n; r++) s->phi[r * k + t] = (s->phi[r * k + t] - s->centre[t]) / s->scale[t];
    }
    return UNA_OK;
}

/* ---- likelihood -------------------------------------------------------------------------------------------------- */

/* Twice minus the log density of a squared error, less a constant. */
static double cost_of(double square, double whole, bool robust)
{
    double z2 = square / whole;
    return log(whole) + (robust && z2 > CUT ? CUT * (1 + log(z2 / CUT)) : z2);
}

static bool left_out(const shape_data *s, size_t group, size_t r)
{
    return group < s->groups && r >= s->first[group] && r < s->first[group + 1];
}

typedef struct scale_search {            /* for the best s2 of a given shape                                */
    const shape_data  *s;
    const double *log_g;                 /* [rows]; NULL: constant                                          */
    size_t        out;                   /* group left out; s->groups: none                                 */
    bool          robust;
} scale_search;

static double scale_cost(double t, void *context)
{
    const scale_search *q = context;
    const shape_data *s = q->s;
    double sum = 0;
    for (size_t r = 0; r < s->rows; r++) {
        if (left_out(s, q->out, r)) continue;
        sum += cost_of(s->square[r], s->var[r] + exp(t + (q->log_g ? bounded(q->log_g[r]) : 0)), q->robust);
    }
    return sum;
}

static double best_scale(const shape_data *s, const double *log_g, size_t out, bool robust)
{
    scale_search q = { s, log_g, out, robust };
    return una_search(scale_cost, &q, s->low, s->high, SCALE_GRID, 1e-4);
}

/* Bounds of log s2, and the constant noise: the median gives the size of most errors, whatever the others are. *known
 * is false where there are no errors, or squares beyond a double. */
static una_status find_constant_noise(shape_data *s, bool *known, una_run *run)
{
    size_t n = s->rows;
    UNA_NEW(&run->scratch, double, sorted, n);
    memcpy(sorted, s->square, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, una_by_number);
    double most = sorted[n - 1], middle = sorted[n / 2];
    *known = most > 0 && isfinite(most);
    if (!*known) return UNA_OK;
    s->low = log(middle > 0 ? middle : most) - 25;
    s->high = log(most) + 5;
    s->constant = best_scale(s, NULL, s->groups, true);
    return UNA_OK;
}

/* ---- Fisher scoring ---------------------------------------------------------------------------------------------- */

/* Information 1/2 sum r^2 phi phi', r the share of the noise in the variance at the constant noise: of each group, and
 * of all. It hardly depends on the shape, so all fits of the study use the same. */
static una_status make_information(shape_data *s, una_run *run)
{
    size_t k = s->columns;
    double *part = UNA_GET(&run->scratch, double, BLOCK * k), *all = s->gram + s->groups * k * k;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t g = 0; g < s->groups; g++) {
        double *gram = s->gram + g * k * k;
        for (size_t from = s->first[g]; from < s->first[g + 1]; from += BLOCK) {
            size_t count = s->first[g + 1] - from < BLOCK ? s->first[g + 1] - from : BLOCK;
            for (size_t r = 0; r < count; r++) {
                double share = sqrt(0.5) / (1 + s->var[from + r] * exp(-s->constant));
                for (size_t j = 0; j < k; j++) part[r * k + j] = share * s->phi[(from + r) * k + j];
            }
            UNA_TRY(una_gram_add(gram, part, count, k, run));
        }
        for (size_t i = 0; i < k * k; i++) all[i] += gram[i];
    }
    return UNA_OK;
}

typedef struct scoring {                 /* one training: of all groups but `out`, under one penalty        */
    const shape_data *s;
    size_t  out;                         /* s->groups: none is left out                                     */
    double *penalty;                     /* [columns]                                                       */
    double *b;                           /* [columns] the last is log s2                                    */
    double *before;                      /* [columns] work                                                  */
    double *log_g;                       /* [rows] the terms' sum, not bounded                              */
    double *step, *slope, *along, *pull; /* [columns] [columns] [rows] [rows]                               */
    double *factor;                      /* [columns, columns] of information and penalty                   */
} scoring;

static una_status new_scoring(scoring *q, const shape_data *s, una_run *run)
{
    size_t k = s->columns, n = s->rows;
    una_arena *arena = &run->scratch;
    *q = (scoring){ .s = s, .penalty = UNA_GET(arena, double, k), .b = UNA_GET(arena, double, k),
                    .before = UNA_GET(arena, double, k), .log_g = UNA_GET(arena, double, n),
                    .step = UNA_GET(arena, double, k), .slope = UNA_GET(arena, double, k),
                    .along = UNA_GET(arena, double, n), .pull = UNA_GET(arena, double, n),
                    .factor = UNA_GET(arena, double, k * k) };
    return una_arena_check(arena);
}

static double penalty_at(const scoring *q, double t)
{
    size_t terms = q->s->terms;
    double sum = q->penalty[terms] * pow(q->b[terms] + t * q->step[terms] - q->s->constant, 2);
    for (size_t j = 0; j < terms; j++) sum += q->penalty[j] * pow(q->b[j] + t * q->step[j], 2);
    return 0.5 * sum;
}

/* Minus the penalised log-likelihood at b + t step. */
static double penalised_loss(const scoring *q, double t)
{
    const shape_data *s = q->s;
    double sum = 0, log_s2 = q->b[s->terms] + t * q->step[s->terms];
    for (size_t r = 0; r < s->rows; r++) {
        if (left_out(s, q->out, r)) continue;
        double noise = exp(log_s2 + bounded(q->log_g[r] + t * q->along[r]));
        sum += cost_of(s->square[r], s->var[r] + noise, true);
    }
    return 0.5 * sum + penalty_at(q, t);
}

/* slope = minus the gradient of the objective at b. */
static void noise_slope(scoring *q)
{
    const shape_data *s = q->s;
    size_t k = s->columns;
    memset(q->slope, 0, k * sizeof *q->slope);
    double common = 0;                   /* rows at the bound of log g still inform s2 */
    for (size_t r = 0; r < s->rows; r++) {
        double noise = exp(q->b[s->terms] + bounded(q->log_g[r])), whole = s->var[r] + noise;
        double pull = left_out(s, q->out, r) ? 0 : 0.5 * noise / whole * (fmin(s->square[r] / whole, CUT) - 1);
        common += pull;
        q->pull[r] = fabs(q->log_g[r]) < LOG_MOST ? pull : 0;
    }
    una_combine(q->slope, q->pull, s->phi, k, s->rows, k);
    for (size_t j = 0; j < s->terms; j++) q->slope[j] -= q->penalty[j] * q->b[j];
    q->slope[s->terms] = common - q->penalty[s->terms] * (q->b[s->terms] - s->constant);
}

static una_status factorise(scoring *q, una_run *run)
{
    const shape_data *s = q->s;
    size_t k = s->columns;
    const double *all = s->gram + s->groups * k * k, *without = q->out < s->groups ? s->gram + q->out * k * k : NULL;
    for (size_t i = 0; i < k * k; i++) q->factor[i] = all[i] - (without ? without[i] : 0);
    for (size_t j = 0; j < k; j++) q->factor[j * k + j] += q->penalty[j];
    return una_chol(q->factor, k, "the information about the noise (set noise=constant)", run);
}

/* From b, which may be that of another penalty. */
static una_status score_on(scoring *q, una_run *run)
{
    const shape_data *s = q->s;
    size_t k = s->columns;
    UNA_TRY(factorise(q, run));
    memset(q->step, 0, k * sizeof *q->step);
    for (size_t r = 0; r < s->rows; r++) q->log_g[r] = una_dot(s->phi + r * k, q->b, s->terms);
    double now = penalised_loss(q, 0);

    for (int i = 0; i < STEPS; i++) {
        UNA_TRY(una_check_cancelled(run, "learning the noise"));
        noise_slope(q);
        memcpy(q->step, q->slope, k * sizeof *q->step);
        una_chol_solve(q->factor, k, q->step, 1);
        for (size_t r = 0; r < s->rows; r++) q->along[r] = una_dot(s->phi + r * k, q->step, s->terms);

        double t = 1, next = penalised_loss(q, t);
        for (int h = 0; h < HALVINGS && !(next < now); h++) next = penalised_loss(q, t *= 0.5);
        if (!(next < now)) return UNA_OK;
        for (size_t j = 0; j < k; j++) q->b[j] += t * q->step[j];
        for (size_t r = 0; r < s->rows; r++) q->log_g[r] += t * q->along[r];
        if (now - next < 1e-3) return UNA_OK;
        now = next;
    }
    return UNA_OK;
}

/* ---- choosing the penalty ---------------------------------------------------------------------------------------- */

static void set_penalty(scoring *q, double penalty)
{
    for (size_t j = 0; j < q->s->terms; j++) q->penalty[j] = penalty;
    q->penalty[q->s->terms] = INTERCEPT_PENALTY;
}

/* The penalty by the strength of each bundle in the fit under an even one: the mean square of what it adds to log g, by
 * the information. Strong bundles are spared, weak ones vanish (as in adaptive ridge, a step towards subset
 * selection). */
static void spare_the_strong(scoring *q, double penalty)
{
    const shape_data *s = q->s;
    size_t k = s->columns, bundles = s->bundle[s->terms - 1] + 1;
    const double *all = s->gram + s->groups * k * k;
    double *strength = q->step, mean = 0;
    memset(strength, 0, k * sizeof *strength);
    for (size_t i = 0; i < s->terms; i++)
        for (size_t j = 0; j < s->terms; j++)
            if (s->bundle[i] == s->bundle[j]) strength[s->bundle[i]] += q->b[i] * all[i * k + j] * q->b[j];
    for (size_t g = 0; g < bundles; g++) mean += strength[g] / (double)bundles;
    for (size_t j = 0; j < s->terms && mean > 0; j++)
        q->penalty[j] = penalty / (strength[s->bundle[j]] / mean + LEAST_STRENGTH);
}

static void begin_without(scoring *q, size_t out)
{
    q->out = out;
    memset(q->b, 0, q->s->columns * sizeof *q->b);
    q->b[q->s->terms] = q->s->constant;
}

/* One of WAYS: a penalty, even (way < PENALTIES) or uneven. Starts from what q holds. */
static una_status fit_shape(scoring *q, size_t way, una_run *run)
{
    double penalty = PENALTY[way % PENALTIES];
    set_penalty(q, penalty);
    UNA_TRY(score_on(q, run));
    if (way < PENALTIES) return UNA_OK;
    spare_the_strong(q, penalty);
    return score_on(q, run);
}

/* gain [rows]: log-likelihood of the left-out group under the shape in q, minus that under the constant noise. */
static void gain_of_shape(const scoring *q, double shaped, double constant, bool robust, double *gain)
{
    const shape_data *s = q->s;
    for (size_t r = s->first[q->out]; r < s->first[q->out + 1]; r++) {
        double with = s->var[r] + exp(shaped + bounded(q->log_g[r])), without = s->var[r] + exp(constant);
        gain[r] = 0.5 * (cost_of(s->square[r], without, robust) - cost_of(s->square[r], with, robust));
    }
}

/* gain [WAYS, rows] by the likelihood that was maximised. An uneven penalty starts from the even one, and so does the
 * next. */
static una_status gains_of_penalties(double *gain, scoring *q, una_run *run)
{
    const shape_data *s = q->s;
    for (size_t g = 0; g < s->groups; g++) {
        double constant = best_scale(s, NULL, g, true);
        begin_without(q, g);
        for (size_t p = 0; p < PENALTIES; p++) {
            UNA_TRY(fit_shape(q, p, run));
            gain_of_shape(q, q->b[s->terms], constant, true, gain + p * s->rows);
            memcpy(q->before, q->b, s->columns * sizeof *q->b);
            spare_the_strong(q, PENALTY[p]);
            UNA_TRY(score_on(q, run));
            gain_of_shape(q, q->b[s->terms], constant, true, gain + (PENALTIES + p) * s->rows);
            memcpy(q->b, q->before, s->columns * sizeof *q->b);
        }
    }
    return UNA_OK;
}

/* gain [rows] of one way by the Gaussian likelihood, by which models are scored. */
static una_status gain_by_gaussian(double *gain, size_t way, scoring *q, una_run *run)
{
    const shape_data *s = q->s;
    for (size_t g = 0; g < s->groups; g++) {
        begin_without(q, g);
        UNA_TRY(fit_shape(q, way, run));
        gain_of_shape(q, best_scale(s, q->log_g, g, false), best_scale(s, NULL, g, false), false, gain);
    }
    return UNA_OK;
}

static double total_of(const double *value, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += value[i];
    return sum;
}

/* Clearly more than nothing: by some standard errors, and by some nats. */
static bool is_clear(const double *gain, size_t n)
{
    double sum = total_of(gain, n), square = 0;
    for (size_t i = 0; i < n; i++) square += pow(gain[i] - sum / (double)n, 2);
    return sum > LEAST_GAIN && sum > CLEAR * sqrt(square);
}

/* The way with the largest out-of-fold likelihood; *worth: whether its shape is worth keeping. */
static una_status choose_penalty(size_t *best, bool *worth, scoring *q, una_run *run)
{
    size_t n = q->s->rows;
    UNA_NEW(&run->scratch, double, gain, WAYS * n);
    UNA_TRY(gains_of_penalties(gain, q, run));
    *best = 0;
    for (size_t way = 1; way < WAYS; way++)
        if (total_of(gain + way * n, n) > total_of(gain + *best * n, n)) *best = way;

    *worth = is_clear(gain + *best * n, n);
    if (!*worth) return UNA_OK;
    UNA_TRY(gain_by_gaussian(gain, *best, q, run));
    *worth = total_of(gain, n) > 0;
    return UNA_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Geometric mean 1, bounds included: each turn moves the sum by what is missing, and rows at a bound do not follow. */
static void set_offset(una_noise *noise, const double *log_g, size_t rows)
{
    for (int i = 0; i < 200; i++) {
        double mean = 0;
        for (size_t r = 0; r < rows; r++) mean += bounded(noise->offset + log_g[r]) / (double)rows;
        noise->offset -= mean;
        if (fabs(mean) < 1e-15) return;
    }
}

static void keep_slopes(una_noise *noise, const shape_data *s, scoring *q)
{
    for (size_t t = 0; t < s->terms; t++) noise->slope[t] = q->b[t] / s->scale[t];
    for (size_t r = 0; r < s->rows; r++) {
        q->log_g[r] = 0;
        for (size_t t = 0; t < s->terms; t++)
            q->log_g[r] += noise->slope[t] * term_at(noise, t, s->x + r * noise->inputs);
    }
    set_offset(noise, q->log_g, s->rows);
}

/* The same terms, with slopes learnt without each group in turn. */
static una_status learn_without_groups(una_noise *noise, scoring *q, size_t way, una_arena *keep, una_run *run)
{
    const shape_data *s = q->s;
    UNA_NEW_AT(keep, noise->shape_per_fold, s->groups);
    for (size_t g = 0; g < s->groups; g++) {
        una_noise *own = &noise->shape_per_fold[g];
        *own = *noise;
        own->offset = 0;
        UNA_NEW_AT(keep, own->slope, noise->terms);
        begin_without(q, g);
        UNA_TRY(fit_shape(q, way, run));
        keep_slopes(own, s, q);
    }
    noise->groups = s->groups;
    return UNA_OK;
}

static una_status learn_shape(una_noise *noise, bool *worth, const una_noise_rows *noise_rows, una_arena *keep,
                              una_run *run)
{
    shape_data s = {0};
    scoring q;
    size_t best;
    bool known = false;
    *worth = false;
    UNA_TRY(check_noise_rows(noise_rows, run));
    UNA_TRY(gather_groups(&s, noise_rows, run));
    UNA_TRY(make_terms(noise, &s, noise_rows, keep, run));
    if (s.rows >= FEWEST_ROWS && noise->terms > 0) UNA_TRY(find_constant_noise(&s, &known, run));
    if (!known) {
        noise->terms = 0;                        /* nothing to learn: g = 1 */
        return UNA_OK;
    }
    UNA_TRY(make_columns(&s, noise, run));
    UNA_TRY(make_information(&s, run));
    UNA_TRY(new_scoring(&q, &s, run));
    UNA_TRY(choose_penalty(&best, worth, &q, run));
    begin_without(&q, s.groups);
    UNA_TRY(fit_shape(&q, best, run));
    keep_slopes(noise, &s, &q);
    return noise_rows->shape_per_fold ? learn_without_groups(noise, &q, best, keep, run) : UNA_OK;
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

/* ---- files ------------------------------------------------------------------------------------------------------- */

static una_status check_loaded_noise(const una_noise *noise, una_archive *ar)
{
    if (!(fabs(noise->offset) <= 1e9)) return una_archive_refuse(ar, "noise.offset", "is out of range");
    for (size_t d = 0; d < noise->inputs; d++)
        if (!(noise->low[d] <= noise->high[d])) return una_archive_refuse(ar, "noise.high", "is below noise.low");
    for (size_t t = 0; t < noise->terms; t++) {
        double input = noise->input[t];
        if (!(input >= 0) || !(input < (double)noise->inputs) || input != floor(input))
            return una_archive_refuse(ar, "noise.input", "does not name an input");
        double low = noise->low[(size_t)input], high = noise->high[(size_t)input];
        if (!(noise->knot[t] >= low) || !(noise->knot[t] <= high))
            return una_archive_refuse(ar, "noise.knot", "is outside of the range of its input");
        if (!(fabs(noise->slope[t]) * (high - low) <= 1e9))
            return una_archive_refuse(ar, "noise.slope", "is too steep");
    }
    return UNA_OK;
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
    return check_loaded_noise(n, ar);
}
