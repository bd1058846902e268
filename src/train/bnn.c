/* SPDX-License-Identifier: MIT
 *
 * The posterior of a network's weights w given rows (x, y), as minus its logarithm:
 *   U = sum (y - f)^2/(2 s2) + N/2 log(2 pi s2) + sum_i (w_i^2/(2 a_i) + log(2 pi a_i)/2)   [- log p(log s)]
 * The prior variances a_i are alpha, or (fan_in) alpha/n for the weights of a layer that sees n units.
 * With the noise sampled too, q ends in e = log s, and s2 = exp(2e). Its prior, with c the noise std that is expected:
 *   lognormal      e ~ N(log c, 1)
 *   inverse_gamma  s2 ~ IG(2, c^2), mean c^2:  log p(e) = 2 log c^2 - 4 e - c^2 exp(-2e) + log 2
 *
 * The posterior of a network's hidden weights w, with those of the head integrated out (v and its bias; prior N(0,
 * alpha I), after the features are multiplied by the head's prior std over sqrt(alpha)). Given the features Phi [N, K]
 * of the rows, with a column of ones, the head is a Bayesian linear model, so
 *   U = 1/2 (N log(2 pi s2) + |y - Phi m|^2/s2 + |m|^2/alpha + log|B|) - log p(w) [- log p(log s)]
 *   B = I + rho Phi'Phi,  rho = alpha/s2,  m = rho B^-1 Phi'y,
 *   dU/dPhi = rho Phi B^-1 + (Phi m - y) m'/s2,   dU/d log s = N - tr(I - B^-1) - |y - Phi m|^2/s2.
 * The data determine mostly the head: without it the density is nearly round, and steps are a hundred times longer.
 * With fewer rows than features the same follows from the rows' side, with C = I + rho Phi Phi' and a = C^-1 y:
 *   U = 1/2 (N log(2 pi s2) + y'a/s2 + log|C|) + ...,  m = rho Phi'a,
 *   dU/dPhi = (rho C^-1 - rho/s2 a a') Phi,   dU/d log s = tr C^-1 - |a|^2/s2.
 * Given the hidden weights the head is drawn exactly. With w ~ N(0, alpha I), e ~ N(0, s2 I) it is
 *   w + rho B^-1 Phi'(y - e - Phi w)
 * (Hoffman and Ribak, Constrained realizations of Gaussian fields, 1991): only the inverse is needed, in either form.
 */
#include "train/bnn.h"

#include "la/la.h"

enum { FEW_INPUTS = 12,     /* up to which one pass through a network of one hidden layer beats layer by layer */
       PANEL = 12 };        /* rows of Phi'Phi at a time: of the part above the diagonal only corners are computed */

una_status una_bnn_take(una_bnn *bnn, const una_kernels_f64 *kernels, una_arena *arena)
{
    const una_net *net = &bnn->net;
    bnn->kernels = kernels;
    bnn->weights = una_matrices_packed(una_net_matrix, net);

    bnn->place = UNA_GET(arena, size_t, bnn->weights);
    bnn->precision = UNA_GET(arena, double, bnn->weights);
    bnn->padded = UNA_GET(arena, double, net->parameters);
    bnn->gradient = UNA_GET(arena, double, net->parameters);
    if (net->depth == 1 && net->size[0] <= FEW_INPUTS) {
        bnn->head = UNA_GET(arena, double, 2 * UNA_PADDED(net->size[1]));
        bnn->block = UNA_GET(arena, double, 2 * UNA_SHALLOW_ROWS * UNA_PADDED(net->size[1]));
    }
    UNA_TRY(una_arena_check(arena));

    una_bnn_precision(net, bnn->prior_var, bnn->fan_in, bnn->precision, bnn->place);
    return una_work_new_f64(&bnn->work, net, &(una_work_size){ .rows = bnn->rows }, kernels, arena);
}

void una_bnn_precision(const una_net *net, double prior_var, bool fan_in, double *precision, size_t *place)
{
    for (size_t l = 0; l <= net->depth; l++)
        for (size_t i = 0; i <= net->size[l]; i++)               /* the bias is the row after the weights */
            for (size_t j = 0; j < net->size[l + 1]; j++) {
                if (place) *place++ = net->weights[l] + i * UNA_PADDED(net->size[l + 1]) + j;
                *precision++ = (fan_in && i < net->size[l] ? (double)net->size[l] : 1) / prior_var;
            }
}

/* -log N of the first `count` weights under the prior; adds its gradient. */
static double weights_prior(const una_bnn *bnn, const double *q, size_t count, double *gradient)
{
    double square = 0, logs = 0;
    for (size_t i = 0; i < count; i++) {
        double pull = q[i] * bnn->precision[i];
        gradient[i] += pull;
        square += q[i] * pull;
    }
    for (size_t i = 0; i < count;) {                     /* layer by layer: runs of equal ones */
        size_t from = i;
        while (i < count && bnn->precision[i] == bnn->precision[from]) i++;
        logs += (double)(i - from) * (UNA_LOG_TWO_PI - log(bnn->precision[from]));
    }
    return (square + logs) / 2;
}

size_t una_bnn_dimension(const una_bnn *bnn)
{
    return bnn->weights + (bnn->sample_noise ? 1 : 0);
}

void una_bnn_unpack(const una_bnn *bnn, const double *q, double *padded)
{
    for (size_t i = 0; i < bnn->weights; i++) padded[bnn->place[i]] = q[i];
}

/* u and its slope by e = log s, with -log p(e). */
static double add_noise_prior(const una_bnn *bnn, double u, double slope, double e, double *gradient)
{
    double centre = bnn->noise_var, off = e - log(centre) / 2, ratio = centre * exp(-2 * e);
    bool lognormal = bnn->noise_prior == UNA_NOISE_LOGNORMAL;
    *gradient = slope + (lognormal ? off : 4 - 2 * ratio);
    return u + (lognormal ? off * off / 2 + UNA_LOG_TWO_PI / 2 : -2 * log(centre) + 4 * e + ratio - log(2));
}

/* Layer by layer: gives sum (y - f)^2/(2 s2) and puts its gradient. */
static double deep_fit(una_bnn *bnn, const double *q, double var, double *gradient)
{
    una_batch_f64 batch = { .rows = bnn->rows, .x = bnn->x, .target = bnn->y, .target_heads = 1 };
    una_objective_f64 objective = { .fit_weight = 1 / (2 * var) };
    una_losses losses;
    una_bnn_unpack(bnn, q, bnn->padded);
    una_net_gradient_f64(bnn->work, bnn->padded, &batch, &objective, bnn->gradient, &losses);
    for (size_t i = 0; i < bnn->weights; i++) gradient[i] = bnn->gradient[bnn->place[i]];
    return losses.fit;
}

/* The same in one pass. q holds the rows of the hidden weights, their biases, the head, its bias:
 * each of them `units` long. */
static double shallow_fit(una_bnn *bnn, const double *q, double var, double *gradient)
{
    size_t inputs = bnn->net.size[0], units = bnn->net.size[1], width = UNA_PADDED(units),
           bytes = units * sizeof(double);
    double *p = bnn->padded, *g = bnn->gradient, *dhead = bnn->head + width, bias = 0;

    for (size_t i = 0; i <= inputs; i++) memcpy(p + i * width, q + i * units, bytes);
    memcpy(bnn->head, q + (inputs + 1) * units, bytes);
    memset(g, 0, (inputs + 1) * width * sizeof(double));
    memset(dhead, 0, width * sizeof(double));

    const una_shallow_f64 at = { bnn->net.activation, inputs, width, p, p + inputs * width, bnn->head,
                                 q[bnn->weights - 1] };
    const una_shallow_gradient_f64 to = { g, g + inputs * width, dhead, &bias };
    double fit = bnn->kernels->density->shallow(&at, bnn->rows, bnn->x, bnn->y, 1 / (2 * var), &to, bnn->block);

    for (size_t i = 0; i <= inputs; i++) memcpy(gradient + i * units, g + i * width, bytes);
    memcpy(gradient + (inputs + 1) * units, dhead, bytes);
    gradient[bnn->weights - 1] = bias;
    return fit;
}

double una_bnn_potential(void *context, const double *q, double *gradient)
{
    una_bnn *bnn = context;
    double e = bnn->sample_noise ? q[bnn->weights] : 0, var = bnn->sample_noise ? exp(2 * e) : bnn->noise_var;
    double n = (double)bnn->rows;
    double fit = bnn->head ? shallow_fit(bnn, q, var, gradient) : deep_fit(bnn, q, var, gradient);
    double u = fit + weights_prior(bnn, q, bnn->weights, gradient) + n / 2 * (UNA_LOG_TWO_PI + log(var));
    return bnn->sample_noise ? add_noise_prior(bnn, u, n - 2 * fit, e, gradient + bnn->weights) : u;
}

/* The start of a chain need not be exact: one penalty for all weights, the mean of theirs. */
static double mean_penalty(const una_bnn *bnn)
{
    double sum = 0;
    for (size_t i = 0; i < bnn->weights; i++) sum += bnn->precision[i];
    return sum / (2 * (double)bnn->weights);
}

una_status una_bnn_start(una_bnn *bnn, size_t steps, uint64_t seed, size_t chain, double *q, una_run *run)
{
    const una_net *net = &bnn->net;
    una_rng rng = una_rng_at(seed, UNA_FOR_INIT, (uint64_t)1 << 32 | chain);
    una_net_initialise_f64(net, 1, 1, &rng, bnn->padded, run);

    una_training_settings how = { .descent = { .steps = steps, .rate = 0.01, .rate_schedule = 1,
                                               .validate_every = steps + 1, .stage = "looking for a start" },
                                  .batch = bnn->rows > 1000 ? 256 : 0, .fit_weight = 1 / (2 * bnn->noise_var),
                                  .penalty = mean_penalty(bnn), .seed = seed, .stream = (uint64_t)1 << 16 | chain };
    una_train_data_f64 data = { bnn->x, bnn->y, bnn->rows, 1, { net->size[0], NULL } };

    una_trained trained;
    if (steps) UNA_SCOPED(run, una_train_f64(net, bnn->padded, &data, &how, NULL, &trained, &run->scratch, run));
    for (size_t i = 0; i < bnn->weights; i++) q[i] = bnn->padded[bnn->place[i]];
    if (bnn->sample_noise) q[bnn->weights] = log(bnn->noise_var) / 2;
    return UNA_OK;
}

/* ---- with the head integrated out ------------------------------------------------------------------------------ */

una_status una_bnn_marginal_take(una_bnn *bnn, una_arena *arena)
{
    size_t features = bnn->net.features;
    bnn->terms = features + 1;
    bnn->wide = UNA_PADDED(features + 2);
    bnn->unit = bnn->fan_in ? 1 / sqrt((double)features) : 1;
    bool by_rows = bnn->rows < bnn->terms;
    bnn->order = (by_rows ? bnn->rows : bnn->terms) + 1;
    bnn->stride = by_rows ? UNA_PADDED(bnn->order) : bnn->wide;

    bnn->joined = UNA_GET(arena, double, bnn->rows * bnn->wide);
    bnn->turned = by_rows ? UNA_GET(arena, double, bnn->terms * bnn->stride) : NULL;
    UNA_NEW_AT(arena, bnn->system, bnn->order * bnn->stride);
    UNA_NEW_AT(arena, bnn->column, bnn->stride);
    UNA_NEW_AT(arena, bnn->force, bnn->order * bnn->stride);
    UNA_NEW_AT(arena, bnn->mean, bnn->terms);
    UNA_NEW_AT(arena, bnn->off, bnn->rows);

    for (size_t r = 0; r < bnn->rows; r++) {
        bnn->joined[r * bnn->wide + features] = 1;
        bnn->joined[r * bnn->wide + features + 1] = bnn->y[r];
    }
    return UNA_OK;
}

static size_t hidden_weights(const una_bnn *bnn)
{
    return bnn->weights - bnn->terms;
}

size_t una_bnn_marginal_dimension(const una_bnn *bnn)
{
    return hidden_weights(bnn) + (bnn->sample_noise ? 1 : 0);
}

/* ---- the linear system ---------------------------------------------------------------------------------------- */

/* [B, rho Phi'y; ., .], lower part, from products of the columns of `joined`. */
static void columns_system(una_bnn *bnn, double rho)
{
    size_t n = bnn->order, stride = bnn->stride;
    for (size_t i = 0; i < n; i += PANEL) {
        size_t rows = n - i < PANEL ? n - i : PANEL;
        bnn->kernels->product(rows, UNA_PADDED(i + rows), bnn->rows, UNA_COLUMNS(bnn->joined + i, bnn->wide),
                              UNA_ROWS(bnn->joined, bnn->wide), UNA_INTO(bnn->force + i * stride, stride));
    }
    bnn->kernels->scale(n * stride, rho, bnn->force, bnn->system);
    for (size_t i = 0; i + 1 < n; i++) bnn->system[i * (stride + 1)] += 1;
}

/* [C, y; y', .] from products of rows. */
static void rows_system(una_bnn *bnn, double rho)
{
    size_t n = bnn->rows, stride = bnn->stride;
    bnn->kernels->transpose(n, bnn->terms, bnn->joined, bnn->wide, bnn->turned, stride);
    bnn->kernels->product(n, UNA_PADDED(n), bnn->terms, UNA_ROWS(bnn->joined, bnn->wide), UNA_ROWS(bnn->turned, stride),
                          UNA_INTO(bnn->system, stride));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) bnn->system[i * stride + j] *= rho;
        bnn->system[i * (stride + 1)] = 1 + rho * bnn->system[i * (stride + 1)];
    }
    memcpy(bnn->system + n * stride, bnn->y, n * sizeof(double));
}

/* The system at hidden weights q, swept: its lower part holds minus the inverse, its last row m or a. Gives log|B|. */
static double solve_system(una_bnn *bnn, const double *q, double var)
{
    size_t features = bnn->terms - 1, h_wide = UNA_PADDED(features), n = bnn->order;
    for (size_t i = 0; i < hidden_weights(bnn); i++) bnn->padded[bnn->place[i]] = q[i];
    const double *h = una_net_phi_f64(bnn->work, bnn->padded, bnn->x, bnn->rows);
    for (size_t r = 0; r < bnn->rows; r++)
        for (size_t j = 0; j < features; j++) bnn->joined[r * bnn->wide + j] = bnn->unit * h[r * h_wide + j];

    if (bnn->turned) rows_system(bnn, bnn->prior_var / var);
    else columns_system(bnn, bnn->prior_var / var);
    double log_det = bnn->kernels->density->sweep(n, n - 1, bnn->stride, bnn->system, bnn->column);

    const double *last = bnn->system + (n - 1) * bnn->stride;
    if (!bnn->turned) memcpy(bnn->mean, last, bnn->terms * sizeof(double));
    else {
        memset(bnn->mean, 0, bnn->terms * sizeof(double));
        una_combine(bnn->mean, last, bnn->joined, bnn->wide, bnn->rows, bnn->terms);
        for (size_t j = 0; j < bnn->terms; j++) bnn->mean[j] *= bnn->prior_var / var;
    }
    return log_det;
}

/* ---- potential and gradient -------------------------------------------------------------------------------------- */

typedef struct terms { double fit, trace; } terms;       /* |y - Phi m|^2/s2 + |m|^2/alpha;  dU/d log s */

static terms columns_terms(const una_bnn *bnn, double var)
{
    size_t k = bnn->terms;
    double square = 0, freedom = 0;
    for (size_t r = 0; r < bnn->rows; r++) {
        double off = bnn->y[r] - una_dot(bnn->joined + r * bnn->wide, bnn->mean, k);
        square += off * off;
    }
    for (size_t i = 0; i < k; i++) freedom += 1 + bnn->system[i * (bnn->stride + 1)];
    return (terms){ square / var + una_dot(bnn->mean, bnn->mean, k) / bnn->prior_var,
                    (double)bnn->rows - freedom - square / var };
}

static terms rows_terms(const una_bnn *bnn, double var)
{
    size_t n = bnn->rows;
    const double *a = bnn->system + n * bnn->stride;
    double trace = 0;
    for (size_t i = 0; i < n; i++) trace -= bnn->system[i * (bnn->stride + 1)];
    return (terms){ una_dot(bnn->y, a, n) / var, trace - una_dot(a, a, n) / var };
}

/* force = first by the inverse + second by last last', both triangles. */
static void fill_force(una_bnn *bnn, double first, double second)
{
    size_t n = bnn->order - 1, stride = bnn->stride;
    const double *last = bnn->system + n * stride;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            bnn->force[i * stride + j] = bnn->force[j * stride + i]
                = second * last[i] * last[j] - first * bnn->system[i * stride + j];
}

/* dU/dPhi, as one product; of the features themselves, by the unit in the force. */
static void push_back(una_bnn *bnn, double var)
{
    size_t n = bnn->order - 1, stride = bnn->stride, h_wide = UNA_PADDED(bnn->terms - 1);
    double *dphi = una_net_dphi_f64(bnn->work), rho = bnn->unit * bnn->prior_var / var, one = bnn->unit / var;
    if (bnn->turned) {
        fill_force(bnn, rho, -rho / var);
        bnn->kernels->product(n, h_wide, n, UNA_ROWS(bnn->force, stride), UNA_ROWS(bnn->joined, bnn->wide),
                              UNA_INTO(dphi, h_wide));
        return;
    }
    fill_force(bnn, rho, one);
    for (size_t j = 0; j < n; j++) bnn->force[n * stride + j] = -bnn->mean[j] * one;
    bnn->kernels->product(bnn->rows, h_wide, n + 1, UNA_ROWS(bnn->joined, bnn->wide), UNA_ROWS(bnn->force, stride),
                          UNA_INTO(dphi, h_wide));
}

double una_bnn_marginal(void *context, const double *q, double *gradient)
{
    una_bnn *bnn = context;
    size_t count = hidden_weights(bnn);
    double e = bnn->sample_noise ? q[count] : 0, var = bnn->sample_noise ? exp(2 * e) : bnn->noise_var;

    double log_det = solve_system(bnn, q, var);
    if (!isfinite(log_det)) {
        memset(gradient, 0, una_bnn_marginal_dimension(bnn) * sizeof(double));
        return HUGE_VAL;
    }

    terms t = bnn->turned ? rows_terms(bnn, var) : columns_terms(bnn, var);
    push_back(bnn, var);
    memset(bnn->gradient, 0, bnn->net.hidden_parameters * sizeof(double));
    una_net_phi_back_f64(bnn->work, bnn->x, bnn->rows, bnn->gradient);
    for (size_t i = 0; i < count; i++) gradient[i] = bnn->gradient[bnn->place[i]];

    double u = ((double)bnn->rows * (UNA_LOG_TWO_PI + log(var)) + t.fit + log_det) / 2
             + weights_prior(bnn, q, count, gradient);
    return bnn->sample_noise ? add_noise_prior(bnn, u, t.trace, e, gradient + count) : u;
}

/* ---- the head given the rest ------------------------------------------------------------------------------------- */

/* out [n] = -(lower part of the system) in. */
static void apply_inverse(const una_bnn *bnn, const double *in, double *out)
{
    size_t n = bnn->order - 1;
    for (size_t i = 0; i < n; i++) {
        const double *row = bnn->system + i * bnn->stride;
        double sum = una_dot(row, in, i + 1);
        for (size_t j = i + 1; j < n; j++) sum += bnn->system[j * bnn->stride + i] * in[j];
        out[i] = -sum;
    }
}

void una_bnn_complete(una_bnn *bnn, const double *q, una_rng *rng, double *whole)
{
    size_t count = hidden_weights(bnn), k = bnn->terms;
    double var = bnn->sample_noise ? exp(2 * q[count]) : bnn->noise_var, rho = bnn->prior_var / var,
           *head = whole + count;
    solve_system(bnn, q, var);
    memcpy(whole, q, count * sizeof(double));
    if (bnn->sample_noise) whole[bnn->weights] = q[count];

    for (size_t j = 0; j < k; j++) head[j] = sqrt(bnn->prior_var) * una_rng_normal(rng);
    for (size_t r = 0; r < bnn->rows; r++)
        bnn->off[r] = bnn->y[r] - sqrt(var) * una_rng_normal(rng) - una_dot(bnn->joined + r * bnn->wide, head, k);

    double *moved = bnn->mean, *in = bnn->column;
    memset(moved, 0, k * sizeof(double));
    if (bnn->turned) {
        apply_inverse(bnn, bnn->off, in);
        una_combine(moved, in, bnn->joined, bnn->wide, bnn->rows, k);
    } else {
        memset(in, 0, bnn->stride * sizeof(double));
        una_combine(in, bnn->off, bnn->joined, bnn->wide, bnn->rows, k);
        apply_inverse(bnn, in, moved);
        memset(in, 0, bnn->stride * sizeof(double));
    }
    for (size_t j = 0; j < k; j++) head[j] += rho * moved[j];
    for (size_t j = 0; j + 1 < k; j++) head[j] *= bnn->unit;
}
