/* SPDX-License-Identifier: MIT
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

enum { PANEL = 12 };     /* rows of Phi'Phi at a time: of the part above the diagonal only corners are computed */

una_status una_bnn_marginal_take(una_bnn *bnn, una_arena *arena)
{
    size_t features = una_net_features(&bnn->net);
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
    double e = bnn->sample_noise ? q[count] : 0, var = bnn->sample_noise ? exp(2 * e) : bnn->noise_var, slope;

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
             + una_bnn_prior(bnn, q, count, gradient);
    if (!bnn->sample_noise) return u;
    u += una_bnn_noise_prior(bnn, e, &slope);
    gradient[count] = t.trace + slope;
    return u;
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
