/* SPDX-License-Identifier: MIT
 *
 * Anchored loss, random Fourier features, spectral norm, expected improvement and test functions, by the library's own
 * functions, in double with every kernel set where there are kernels. Included by golden.c.
 */
#ifndef UNA_GOLDEN_ENS_H
#define UNA_GOLDEN_ENS_H

#include "bo/acquisition.h"
#include "known_functions.h"
#include "nn/anchor.h"
#include "nn/residual.h"
#include "nn/spectral.h"

/* A list of layers in the shape of the network, into an array like its parameters. */
static bool read_anchor(golden *file, const una_net *net, double *anchor)
{
    json_t *layers = json_object_get(file->in, "anchor");
    if (json_array_size(layers) != net->depth + 1)
        return refuse(file, "`anchor` is no list of %zu layers", net->depth + 1);
    for (size_t l = 0; l <= net->depth; l++) {
        size_t in = net->size[l], out = net->size[l + 1], wide = UNA_PADDED(out);
        double *w, *b;
        json_t *layer = json_array_get(layers, l);
        if (!read_matrix(file, layer, "W", &in, &out, &w) || !read_vector(file, layer, "b", &out, &b)) return false;
        for (size_t i = 0; i < in; i++) memcpy(anchor + net->weights[l] + i * wide, w + i * out, out * sizeof *w);
        memcpy(anchor + net->biases[l], b, out * sizeof *b);
    }
    return true;
}

static bool anchored_once(golden *file, const problem *p, const double *anchor, const una_kernels_f64 *kernels,
                          worst *exact)
{
    evaluation_f64 e;
    answer results;
    una_losses losses;
    if (!begin_f64(&e, file, p, kernels, &results)) return false;
    una_batch_f64 batch = { .rows = p->rows, .x = e.x, .target = p->y, .target_heads = 1 };
    una_objective_f64 objective = { .fit_weight = 1 / (double)p->rows };
    una_net_gradient_f64(e.work, e.parameters, &batch, &objective, e.gradient, &losses);
    losses.total += una_anchor_add_f64(p->net.parameters, p->noise_var / (p->prior_var * (double)p->rows),
                                       e.parameters, anchor, e.gradient);
    return put_scalar(file, &results, "loss", losses.total, 0) && put_gradient_f64(&e, p->net.depth + 1)
        && compare(file, &results, exact);
}

static bool check_anchored(golden *file, worst *exact, worst *single)
{
    problem p;
    (void)single;
    memset(&p, 0, sizeof p);
    if (!read_network(file, &p) || !read_vector(file, file->in, "y", &p.rows, &p.y)) return false;
    if (p.net.heads != 1) return refuse(file, "%s", "the output layer has more than one column");
    if (!read_positive(file, "noise_var", &p.noise_var) || !read_positive(file, "prior_var", &p.prior_var))
        return false;

    double *anchor = UNA_GET(file->arena, double, p.net.parameters);
    if (!anchor) return refuse(file, "%s", una_run_message(file->run));
    if (!read_anchor(file, &p.net, anchor)) return false;

    for (size_t i = 0; i < KERNEL_SETS; i++) {
        const una_kernels_f64 *kernels = una_kernels_named_f64(kernel_sets[i]);
        if (kernels && !anchored_once(file, &p, anchor, kernels, exact)) return false;
    }
    return true;
}

static bool check_rff(golden *file, worst *exact, worst *single)
{
    const double quarter = 1.57079632679489661923;       /* phases are stored a quarter turn on */
    size_t rows = 0, width = 0, features = 0;
    double *h, *w, *b;
    (void)single;
    if (!read_matrix(file, file->in, "h", &rows, &width, &h)) return false;
    if (!read_matrix(file, file->in, "W", &width, &features, &w)) return false;
    if (!read_vector(file, file->in, "b", &features, &b)) return false;

    size_t wide = UNA_PADDED(width), out = UNA_PADDED(features);
    double *ph = converted_f64(file->arena, h, rows, width, wide);
    double *pw = converted_f64(file->arena, w, width, features, out);
    double *pb = converted_f64(file->arena, b, 1, features, out), *work = UNA_GET(file->arena, double, 3 * rows * out);
    if (!ph || !pw || !pb || !work) return refuse(file, "%s", una_run_message(file->run));
    for (size_t j = 0; j < features; j++) pb[j] += quarter;

    for (size_t i = 0; i < KERNEL_SETS; i++) {
        const una_kernels_f64 *kernels = una_kernels_named_f64(kernel_sets[i]);
        answer results = { .count = 0 };
        if (!kernels) continue;
        una_fourier_of_f64(&(una_fourier_f64){ width, features, pw, pb, kernels }, rows, ph, work, work + rows * out,
                           work + 2 * rows * out);
        double *phi = put(file, &results, "phi", rows, features);
        if (!phi) return refuse(file, "%s", una_run_message(file->run));
        for (size_t r = 0; r < rows; r++) memcpy(phi + r * features, work + (rows + r) * out, features * sizeof *phi);
        if (!compare(file, &results, exact)) return false;
    }
    return true;
}

static bool check_spectral(golden *file, worst *exact, worst *single)
{
    size_t rows = 0, cols = 0;
    double *w, c;
    answer results = { .count = 0 };
    una_spectral_f64 s;
    una_rng rng = una_rng_at(0, UNA_FOR_TEST, 0);
    (void)single;
    if (!read_matrix(file, file->in, "W", &rows, &cols, &w) || !read_positive(file, "c", &c)) return false;

    una_spectral_init_f64(&s, rows, cols, cols, &rng, file->arena);
    double *bounded = put(file, &results, "W", rows, cols);
    if (!bounded || una_arena_check(file->arena) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));

    double sigma = una_spectral_norm_f64(&s, w);
    memcpy(bounded, w, rows * cols * sizeof *w);
    una_spectral_bound_f64(&s, sigma, c, bounded);
    return put_scalar(file, &results, "sigma", sigma, 0) && compare(file, &results, exact);
}

static bool check_improvement(golden *file, worst *exact, worst *single)
{
    size_t count = 0;
    double *mean, *std, best;
    answer results = { .count = 0 };
    (void)single;
    if (!read_vector(file, file->in, "mean", &count, &mean) || !read_vector(file, file->in, "std", &count, &std))
        return false;
    if (!read_number(file, file->in, "best", -HUGE_VAL, &best)) return false;
    double *ei = put(file, &results, "ei", count, 0);
    if (!ei) return refuse(file, "%s", una_run_message(file->run));
    for (size_t i = 0; i < count; i++) ei[i] = una_expected_improvement(mean[i], std[i], best);
    return compare(file, &results, exact);
}

static bool check_log_improvement(golden *file, worst *exact, worst *single)
{
    size_t count = 0;
    double *z;
    answer results = { .count = 0 };
    (void)single;
    if (!read_vector(file, file->in, "z", &count, &z)) return false;
    double *log_h = put(file, &results, "log_h", count, 0);
    if (!log_h) return refuse(file, "%s", una_run_message(file->run));
    for (size_t i = 0; i < count; i++) log_h[i] = una_log_improvement(z[i]);
    return compare(file, &results, exact);
}

static bool check_functions(golden *file, worst *exact, worst *single)
{
    static const char *const names[] = { "branin", "hartmann6" };
    answer results = { .count = 0 };
    (void)single;

    for (size_t n = 0; n < 2; n++) {
        const known_function *function = known_function_find(names[n]);
        char key[32];
        size_t points = 0, inputs = function->inputs;
        double *x;
        snprintf(key, sizeof key, "%s_x", names[n]);
        if (!read_matrix(file, file->in, key, &points, &inputs, &x)) return false;

        double *value = put(file, &results, names[n], points, 0);
        if (!value) return refuse(file, "%s", una_run_message(file->run));
        for (size_t i = 0; i < points; i++) value[i] = function->value(x + i * inputs);
    }
    return compare(file, &results, exact);
}

#endif
