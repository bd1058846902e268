/* SPDX-License-Identifier: MIT
 *
 * Spectral-normalised neural Gaussian process: a residual network that keeps distances, random Fourier features of its last
 * layer, which make a linear head a Gaussian process with an RBF kernel on it, and the posterior of that head.
 *   h <- h + act(W'h + b), singular values of W at most c;  phi = sqrt(2/F) cos(S'h + p);
 *   exact    V = (I/alpha + Phi'Phi/s2)^-1,  m = V Phi'y/s2
 *   laplace  V = (I/alpha + N G/s2)^-1 with G the running mean of phi phi' over batches, m the weights training ended with.
 * Source: Liu et al., Simple and principled uncertainty estimation with deterministic deep learning via distance awareness, 2020.
 */
#include "models/sngp.h"

#include <string.h>

enum { ROWS_AT_ONCE = 240 };

#define ROW(field, type, initial, low, high, may, help) \
    { #field, type, offsetof(una_sngp_options, field), initial, low, high, may, NULL, help }

static const una_option sngp_table[] = {
    UNA_BASIS_ROW(una_sngp_options, width, UNA_COUNT, "50", 1, 4096, false, NULL, "units of each residual block"),
    UNA_BASIS_ROW(una_sngp_options, depth, UNA_COUNT, "2", 1, UNA_MAX_LAYERS, false, NULL, "residual blocks"),
    UNA_BASIS_ROW(una_sngp_options, features, UNA_COUNT, "200", 1, 4096, false, NULL, "random Fourier features of the head"),
    UNA_BASIS_ROW(una_sngp_options, activation, UNA_WORD, "relu", 0, 0, false, UNA_ACTIVATIONS,
                  "activation of the residual blocks"),
    ROW(bound, UNA_REAL, "0.95", 1e-6, 1e6, false,
        "c: bound on the largest singular value of each block's weights; below 1 keeps distances"),
    ROW(lengthscale, UNA_REAL, "auto", 1e-6, 1e6, true,
        "length scale of the RBF kernel on the last layer; auto = square root of the number of inputs"),
    { "head", UNA_WORD, offsetof(una_sngp_options, head), "exact", 0, 0, false, "exact|laplace",
      "posterior of the head: exact, or a covariance gathered over batches around the trained weights" },
    ROW(covariance_momentum, UNA_REAL, "0.999", 0, 0.999999, false, "laplace: how slowly the covariance follows the batches"),
    UNA_BASIS_ROW(una_sngp_options, rate, UNA_REAL, "0.01", 1e-9, 10, false, NULL, "learning rate of Adam"),
    UNA_BASIS_ROW(una_sngp_options, rate_schedule, UNA_WORD, "cosine", 0, 0, false, UNA_RATE_SCHEDULES,
                  "how the learning rate falls over training"),
    UNA_BASIS_ROW(una_sngp_options, epochs, UNA_COUNT, "auto", 1, 1e7, true, NULL,
                  "passes over the data; auto = what the steps give"),
    UNA_BASIS_ROW(una_sngp_options, steps, UNA_COUNT, "auto", 1, 1e9, true, NULL,
                  "budget of optimiser steps; auto = by rule from the data, or epochs"),
    UNA_BASIS_ROW(una_sngp_options, batch, UNA_COUNT, "auto", 1, 1e9, true, NULL,
                  "rows a step; auto = 128, or all rows below 200"),
    UNA_BASIS_ROW(una_sngp_options, penalty, UNA_REAL, "0.1", 0, 1e6, false, NULL,
                  "gamma: weight of the squared parameters, per data set"),
    UNA_BASIS_ROW(una_sngp_options, train_noise_std, UNA_REAL, "auto", 1e-300, 1e300, true, NULL,
                  "noise std inside the training objective, where only its ratio to the penalty counts; "
                  "auto = 0.3 standardised"),
    UNA_BASIS_ROW(una_sngp_options, noise_std, UNA_REAL, "auto", 1e-300, 1e300, true, NULL,
                  "noise std of the target; auto = best likelihood of held-out rows"),
    UNA_BASIS_ROW(una_sngp_options, prior_var, UNA_REAL, "1", 1e-12, 1e12, true, NULL,
                  "alpha: prior variance of the head's weights on the standardised target; auto = chosen from the data"),
    UNA_BASIS_ROW(una_sngp_options, units, UNA_WORD, "own", 0, 0, false, "own|standardised",
                  "how noise is given: in the target's own units, or standardised (the thesis)"),
    { .name = NULL }
};

/* ---- features --------------------------------------------------------------------------------------------- */

typedef struct feature_pass { una_residual_work_f32 *work; float *x; double *phi; } feature_pass;

static una_status begin_pass(feature_pass *pass, const una_sngp *m, una_run *run)
{
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(una_residual_work_new_f32(&pass->work, &m->net, m->frozen, 1, una_kernels_named_f32(run->settings.kernels),
                                      &run->scratch));
    pass->x = UNA_GET(&run->scratch, float, ROWS_AT_ONCE * m->net.inputs);
    pass->phi = UNA_GET(&run->scratch, double, ROWS_AT_ONCE * (m->net.features + 1));
    return una_arena_check(&run->scratch);
}

static void pass_block(feature_pass *pass, const una_sngp *m, una_view x, size_t from, size_t count, double *phi)
{
    size_t inputs = m->net.inputs, k = m->net.features + 1;
    for (size_t r = 0; r < count; r++) {
        for (size_t d = 0; d < inputs; d++) pass->x[r * inputs + d] = (float)x.at[(from + r) * x.stride + d];
        phi[r * k + k - 1] = 1;
    }
    una_residual_forward_f32(&m->net, m->frozen, m->parameters, pass->x, count, phi, k, NULL, pass->work);
}

static size_t block_rows(size_t rows, size_t from)
{
    return rows - from < ROWS_AT_ONCE ? rows - from : ROWS_AT_ONCE;
}

una_status una_sngp_phi(const una_sngp *m, una_view x, double *phi, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    feature_pass pass;
    una_status status = begin_pass(&pass, m, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE)
        pass_block(&pass, m, x, from, block_rows(x.rows, from), phi + from * (m->net.features + 1));
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_sngp_absorb(const una_sngp *m, una_view x, const double *y, una_stats *stats, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    feature_pass pass;
    una_status status = begin_pass(&pass, m, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE) {
        size_t count = block_rows(x.rows, from);
        pass_block(&pass, m, x, from, count, pass.phi);
        una_stats_add(stats, pass.phi, y + from, count);
    }
    una_arena_release(&run->scratch, mark);
    return status;
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
    una_mark mark = una_arena_mark(&run->scratch);
    feature_pass pass;
    una_status status = begin_pass(&pass, m, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE) {
        size_t count = block_rows(x.rows, from);
        pass_block(&pass, m, x, from, count, pass.phi);
        double *var = out->mean_only ? NULL : out->var_model + from;
        status = una_head_predict(&m->head, pass.phi, count, out->mean + from, var, run);
        for (size_t r = 0; r < count; r++) out->var_noise[from + r] = m->head.noise_var;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status sngp_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep, una_run *run)
{
    una_sngp *m = state;
    (void)keep;
    if (m->laplace)
        UNA_FAIL(run, UNA_E_USAGE, "sngp with head=laplace has no exact update: fit it again on all rows, or use head=exact");
    una_mark mark = una_arena_mark(&run->scratch);
    una_stats sums;
    una_stats_init(&sums, m->head.stats.features, &run->scratch);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_sngp_absorb(m, more->x, more->y, &sums, run);
    if (status == UNA_OK) status = una_head_observe(&m->head, &sums, run);
    una_arena_release(&run->scratch, mark);
    result->log_evidence = m->head.log_evidence;
    return status;
}

static una_status sngp_draw(const void *state, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    const una_sngp *m = state;
    size_t k = m->net.features + 1;
    una_mark mark = una_arena_mark(&run->scratch);
    double *w = UNA_GET(&run->scratch, double, draws * k), *phi = UNA_GET(&run->scratch, double, x.rows * k);
    una_status status = una_arena_check(&run->scratch);
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, prior);
    if (status == UNA_OK) status = una_head_draw(&m->head, draws, prior, &rng, w, run);
    if (status == UNA_OK) status = una_sngp_phi(m, x, phi, run);
    for (size_t s = 0; status == UNA_OK && s < draws; s++)
        for (size_t r = 0; r < x.rows; r++) f[s * x.rows + r] = una_dot(phi + r * k, w + s * k, k);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* dmean = J m and dvar = 2 J V phi, J the exact slopes of phi. */
static una_status sngp_slope(const void *state, const double *x, double *dmean, double *dvar, una_run *run)
{
    const una_sngp *m = state;
    size_t inputs = m->net.inputs, features = m->net.features, k = features + 1;
    una_mark mark = una_arena_mark(&run->scratch);
    una_residual_work_f32 *work = NULL;
    float *point = UNA_GET(&run->scratch, float, inputs);
    double *j = UNA_GET(&run->scratch, double, inputs * features), *phi = UNA_GET(&run->scratch, double, k);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_sngp_phi(m, (una_view){ x, 1, inputs, inputs }, phi, run);
    if (status == UNA_OK)
        status = una_residual_work_new_f32(&work, &m->net, m->frozen, 1, una_kernels_named_f32(run->settings.kernels),
                                           &run->scratch);
    if (status == UNA_OK) {
        for (size_t d = 0; d < inputs; d++) point[d] = (float)x[d];
        una_residual_slopes_f32(&m->net, m->frozen, m->parameters, point, j, work);
        una_chol_solve(m->head.chol, k, phi, 1);         /* V phi */
        for (size_t d = 0; d < inputs; d++) {
            dmean[d] = una_dot(j + d * features, m->head.mean, features);
            dvar[d] = 2 * una_dot(j + d * features, phi, features);
        }
    }
    una_arena_release(&run->scratch, mark);
    return status;
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
    UNA_TRY(una_archive_u64(ar, "activation", &activation, 0, UNA_SIN));
    *net = (una_residual){ .inputs = (size_t)size[0], .width = (size_t)size[1], .depth = (size_t)size[2],
                           .features = (size_t)size[3], .activation = (una_activation)activation };
    una_residual_shape(net);
    return UNA_OK;
}

static una_status exchange_numbers(una_sngp *m, una_archive *ar)
{
    const una_residual *net = &m->net;
    size_t wide = UNA_PADDED(net->width), features = UNA_PADDED(net->features);
    UNA_TRY(exchange_rows(ar, "lift", m->frozen, net->inputs, net->width, wide));
    UNA_TRY(exchange_rows(ar, "spread", m->frozen + net->spread, net->width + 1, net->features, features));    /* S, p */
    for (size_t l = 0; l < net->depth; l++)
        UNA_TRY(exchange_rows(ar, "block", m->parameters + l * net->layer, net->width + 1, net->width, wide));
    return exchange_rows(ar, "weights", m->parameters + net->head, net->features + 1, 1, UNA_PAD);
}

static una_status sngp_exchange(void *state, una_archive *ar)
{
    una_sngp *m = state;
    uint64_t laplace = m->laplace;
    UNA_TRY(exchange_shape(&m->net, ar));
    UNA_TRY(una_archive_u64(ar, "laplace", &laplace, 0, 1));
    m->laplace = laplace == 1;
    if (ar->loading) {
        m->frozen = UNA_GET(ar->arena, float, m->net.frozen);
        m->parameters = UNA_GET(ar->arena, float, m->net.parameters);
        UNA_TRY(una_arena_check(ar->arena));
    }
    UNA_TRY(exchange_numbers(m, ar));
    UNA_TRY(una_head_exchange(&m->head, ar));
    if (m->head.stats.features != m->net.features + 1) return una_archive_refuse(ar, "features", "does not fit the network");
    if (ar->loading && m->laplace) una_sngp_take_trained(m);
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
              "rate_schedule=constant, epochs=20000, batch=32, penalty=0.1, train_noise_std=1, prior_var=1, units=standardised",
    .least_rows = 5,
    .learns_features = true,
    .fit = una_sngp_fit,
    .predict = sngp_predict,
    .exchange = sngp_exchange,
    .observe = sngp_observe,
    .draw = sngp_draw,
    .slope = sngp_slope,
};
