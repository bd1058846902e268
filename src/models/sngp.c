/* SPDX-License-Identifier: MIT
 *
 * Spectral-normalised neural Gaussian process: a residual network that keeps distances, random Fourier features of its
 * last layer, which make a linear head a Gaussian process with an RBF kernel on it, and the posterior of that head.
 *   h <- h + act(W'h + b), singular values of W at most c;  phi = sqrt(2/F) cos(S'h + p);
 *   exact    V = (I/alpha + Phi'Phi/s2)^-1,  m = V Phi'y/s2
 *   laplace  V = (I/alpha + N G/s2)^-1 with G the running mean of phi phi' over batches, m the weights training ended
 *   with
 *   gp       the process itself, alpha rbf(h) with the same length scale: see sngp_gp.c.
 * Source: Liu et al., Simple and principled uncertainty estimation with deterministic deep learning via distance
 * awareness, 2020.
 */
#include "models/sngp.h"

#include <string.h>

#define ROW(field, type, initial, low, high, may, choices, help) \
    { #field, type, offsetof(una_sngp_options, field), initial, low, high, may, choices, help }

static const una_option sngp_table[] = {
    UNA_ROWS_SHAPE(una_sngp_options, basis, "2", "residual block", "residual blocks"),
    UNA_ROW(una_sngp_options, basis, features, UNA_COUNT, "200", 1, 4096, false, NULL, "random Fourier features of the "
            "head"),
    UNA_ROW_ACTIVATION(una_sngp_options, basis, "residual blocks"),
    ROW(bound, UNA_REAL, "0.95", 1e-6, 1e6, false, NULL,
        "c: bound on the largest singular value of each block's weights; below 1 keeps distances"),
    ROW(lengthscale, UNA_REAL, "auto", 1e-6, 1e6, true, NULL,
        "length scale of the RBF kernel on the last layer; auto = square root of the number of inputs"),
    ROW(head, UNA_WORD, "exact", 0, 0, false, "exact|laplace|gp",
        "posterior: exact on the features; a covariance gathered over batches around the trained weights; or an exact "
        "Gaussian process on the last layer, without random features (rows^3)"),
    ROW(covariance_momentum, UNA_REAL, "0.999", 0, 0.999999, false, NULL,
        "laplace: how slowly the covariance follows the batches"),
    UNA_ROWS_RATE(una_sngp_options, basis, "0.01", "learning rate of Adam"),
    UNA_ROWS_BUDGET(una_sngp_options, basis, "budget of optimiser steps", "auto"),
    UNA_ROW_PENALTY(una_sngp_options, basis, "0.1", ""),
    UNA_ROW_TRAIN_NOISE(una_sngp_options, basis, UNA_TRAIN_NOISE_RATIO),
    UNA_ROW_NOISE(una_sngp_options, basis, "best likelihood of held-out rows"),
    UNA_ROW_PRIOR(una_sngp_options, basis, "1", "alpha: prior variance of the head's weights, or of the process, on "
                  "the "
                                                "standardised target; auto = chosen from held-out rows"),
    UNA_ROW_UNITS(una_sngp_options, basis, UNA_NOISE_UNITS),
    { .name = NULL }
};

/* ---- features --------------------------------------------------------------------------------------------- */

una_feature_map una_sngp_map(const una_sngp *m)
{
    bool process = m->posterior == UNA_SNGP_GP;
    una_network_f32 net = { process ? &una_body_residual_last_f32 : &una_body_residual_f32, &m->net, m->frozen };
    return una_map_of(net, m->parameters, !process);
}

void una_sngp_take_trained(una_sngp *m)
{
    double *mean = m->head.mean;
    for (size_t k = 0; k <= m->net.features; k++) mean[k] = (double)m->parameters[m->net.head + k * UNA_PAD];
    una_head_set_mean(&m->head, mean);
}

/* ---- the model interface ---------------------------------------------------------------------------------- */

static una_status sngp_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    return m->posterior == UNA_SNGP_GP ? una_sngp_gp_predict(m, x, out, run)
                                       : una_map_predict(&map, &m->head, x, out, run);
}

static una_status sngp_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    if (m->posterior == UNA_SNGP_LAPLACE)
        UNA_FAIL(run, UNA_E_USAGE, "sngp with head=laplace has no exact update: fit it again on all rows "
                 "(una update --with OLD.csv does that), or use head=exact");
    return m->posterior == UNA_SNGP_GP ? una_sngp_gp_observe(m, more, result, keep, run)
                                       : una_map_observe(&map, &m->head, more, result, run);
}

static una_status sngp_draw(const void *state, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    const una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    return m->posterior == UNA_SNGP_GP ? una_sngp_gp_draw(m, x, draws, prior, f, run)
                                       : una_map_draw(&map, &m->head, x, draws, prior, f, run);
}

static una_status sngp_slope(const void *state, const double *x, double *dmean, double *dvar, una_run *run)
{
    const una_sngp *m = state;
    una_feature_map map = una_sngp_map(m);
    return m->posterior == UNA_SNGP_GP ? una_sngp_gp_slope(m, x, dmean, dvar, run)
                                       : una_map_slope(&map, &m->head, x, dmean, dvar, run);
}

/* ---- saving: without padding, which is a matter of the kernels -------------------------------------------- */

static una_status exchange_rows(una_archive *ar, const char *name, float *at, size_t rows, size_t cols, size_t stride)
{
    float *packed = ar->loading ? NULL : UNA_GET(ar->arena, float, rows * cols);
    for (size_t r = 0; packed && r < rows; r++) memcpy(packed + r * cols, at + r * stride, cols * sizeof *packed);
    UNA_TRY(una_arena_check(ar->arena));
    UNA_TRY(una_archive_f32s(ar, name, &packed, rows * cols));
    for (size_t r = 0; ar->loading && r < rows; r++) memcpy(at + r * stride, packed + r * cols, cols * sizeof *packed);
    return UNA_OK;
}

static una_status exchange_shape(una_residual *net, una_archive *ar)
{
    uint64_t activation = (uint64_t)net->activation, size[4] = { net->inputs, net->width, net->depth, net->features };
    UNA_TRY(una_archive_u64(ar, "inputs", &size[0], ar->inputs, ar->inputs));
    UNA_TRY(una_archive_u64(ar, "width", &size[1], 1, 4096));
    UNA_TRY(una_archive_u64(ar, "depth", &size[2], 1, UNA_MAX_LAYERS));
    UNA_TRY(una_archive_u64(ar, "fourier", &size[3], 1, 4096));
    UNA_TRY(una_archive_u64(ar, "activation", &activation, 0, UNA_ACTIVATION_COUNT - 1));
    *net = (una_residual){ .inputs = (size_t)size[0], .width = (size_t)size[1], .depth = (size_t)size[2],
                           .features = (size_t)size[3], .activation = (una_activation)activation };
    una_residual_shape(net);
    return UNA_OK;
}

static una_status exchange_numbers(una_sngp *m, una_archive *ar)
{
    una_matrix at;
    for (size_t i = 0; una_residual_matrix(&m->net, i, &at); i++)
        UNA_TRY(exchange_rows(ar, at.name, (at.frozen ? m->frozen : m->parameters) + at.at, at.rows, at.cols,
                              at.stride));
    return UNA_OK;
}

static una_status sngp_exchange(void *state, una_archive *ar)
{
    una_sngp *m = state;
    uint64_t posterior = (uint64_t)m->posterior;
    UNA_TRY(exchange_shape(&m->net, ar));
    UNA_TRY(una_archive_u64(ar, "laplace", &posterior, UNA_SNGP_EXACT, UNA_SNGP_GP));    /* named when there were two */
    m->posterior = (int)posterior;
    if (ar->loading) {
        m->frozen = UNA_GET(ar->arena, float, m->net.frozen);
        m->parameters = UNA_GET(ar->arena, float, m->net.parameters);
        UNA_TRY(una_arena_check(ar->arena));
    }
    UNA_TRY(exchange_numbers(m, ar));
    if (m->posterior == UNA_SNGP_GP) return una_sngp_gp_exchange(m, ar);
    UNA_TRY(una_head_exchange(&m->head, ar));
    if (m->head.stats.features != m->net.features + 1)
        return una_archive_refuse(ar, "features", "does not fit the network");
    if (ar->loading && m->posterior == UNA_SNGP_LAPLACE) una_sngp_take_trained(m);
    return UNA_OK;
}

const una_kind una_sngp_kind = {
    .name = "sngp",
    .summary = "spectral-normalised neural Gaussian process: distance-keeping features under random Fourier features",
    .source = "Liu et al., Simple and principled uncertainty estimation, 2020",
    .options = sngp_table,
    .options_size = sizeof(una_sngp_options),
    .state_size = sizeof(una_sngp),
    .thesis = "width=50, depth=2, features=200, activation=relu, bound=1, lengthscale=1, head=exact, rate=0.001, "
              "rate_schedule=constant, epochs=20000, batch=32, penalty=0.1, train_noise_std=1, prior_var=1, "
              "units=standardised",
    .least_rows = 5,
    .learns_features = true,
    .fit = una_sngp_fit,
    .predict = sngp_predict,
    .exchange = sngp_exchange,
    .observe = sngp_observe,
    .draw = sngp_draw,
    .slope = sngp_slope,
};
