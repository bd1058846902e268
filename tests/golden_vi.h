/* SPDX-License-Identifier: MIT
 *
 * The negative evidence bound of mean-field variational inference for one draw, by the library's own una_vi_loss and
 * network gradient, in double with every kernel set. Included by golden.c.
 */
#ifndef UNA_GOLDEN_VI_H
#define UNA_GOLDEN_VI_H

#include "infer/vi.h"

typedef struct elbo { /* padded like the network; `live` lists the entries that are parameters */
    problem p;
    double *rho, *eps;
    double weight_var;
    size_t *live, count;
    double *packed, *gradient;                   /* [3 count]: mu, rho, eps; [net.parameters] */
    una_work_f64 *work;
} elbo;

/* One list of layers, into an array in the order of the network's parameters. */
static bool read_layers(golden *file, const char *key, elbo *e, double **values)
{
    json_t *layers = json_object_get(file->in, key);
    const una_net *net = &e->p.net;
    if (json_array_size(layers) != net->depth + 1)
        return refuse(file, "`%s` is no list of %zu layers", key, net->depth + 1);
    *values = UNA_GET(file->arena, double, net->parameters);
    if (!*values) return refuse(file, "%s", una_run_message(file->run));

    for (size_t l = 0; l <= net->depth; l++) {
        size_t in = net->size[l], out = net->size[l + 1], wide = UNA_PADDED(out);
        double *w, *b;
        json_t *layer = json_array_get(layers, l);
        if (!read_matrix(file, layer, "W", &in, &out, &w) || !read_vector(file, layer, "b", &out, &b)) return false;
        for (size_t i = 0; i < in; i++) memcpy(*values + net->weights[l] + i * wide, w + i * out, out * sizeof(double));
        memcpy(*values + net->biases[l], b, out * sizeof(double));
    }
    return true;
}

static bool read_elbo(golden *file, elbo *e)
{
    memset(e, 0, sizeof *e);
    json_object_set(file->in, "layers", json_object_get(file->in, "mu"));
    if (!read_network(file, &e->p)) return false;
    if (!read_vector(file, file->in, "y", &e->p.rows, &e->p.y) || !read_positive(file, "noise_var", &e->p.noise_var))
        return false;
    if (!read_positive(file, "weight_var", &e->weight_var)) return false;
    if (!read_layers(file, "rho", e, &e->rho) || !read_layers(file, "eps", e, &e->eps)) return false;

    const una_net *net = &e->p.net;
    e->live = UNA_GET(file->arena, size_t, net->parameters);
    e->packed = UNA_GET(file->arena, double, 3 * net->parameters);
    e->gradient = UNA_GET(file->arena, double, net->parameters);
    if (una_arena_check(file->arena) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));

    for (size_t l = 0; l <= net->depth; l++)
        for (size_t i = 0; i <= net->size[l]; i++)
            for (size_t j = 0; j < net->size[l + 1]; j++)
                e->live[e->count++] = net->weights[l] + i * UNA_PADDED(net->size[l + 1]) + j;
    for (size_t i = 0; i < e->count; i++) {
        e->packed[i] = e->p.parameters[e->live[i]];
        e->packed[e->count + i] = e->rho[e->live[i]];
        e->packed[2 * e->count + i] = e->eps[e->live[i]];
    }
    return true;
}

static una_status elbo_likelihood(void *context, const double *theta, double *log_lik, double *gradient, una_run *run)
{
    elbo *e = context;
    double *parameters = e->p.parameters;
    (void)run;
    for (size_t i = 0; i < e->count; i++) parameters[e->live[i]] = theta[i];
    una_batch_f64 batch = { .rows = e->p.rows, .x = e->p.x, .target = e->p.y, .target_heads = 1 };
    una_objective_f64 objective = { .fit_weight = 1 / (2 * e->p.noise_var) };
    una_losses losses;
    una_net_gradient_f64(e->work, parameters, &batch, &objective, e->gradient, &losses);
    for (size_t i = 0; i < e->count; i++) gradient[i] = -e->gradient[e->live[i]];
    *log_lik = -losses.fit - noise_constant(&e->p);
    return UNA_OK;
}

static bool put_layers(golden *file, const una_net *net, const double *packed, answer *results)
{
    results->count = 0;
    for (size_t l = 0; l <= net->depth; l++) {
        char name[32];
        size_t in = net->size[l], out = net->size[l + 1];
        snprintf(name, sizeof name, "grad[%zu].W", l);
        double *w = put(file, results, name, in, out);
        snprintf(name, sizeof name, "grad[%zu].b", l);
        double *b = put(file, results, name, out, 0);
        if (!w || !b) return refuse(file, "%s", "out of memory");

        memcpy(w, packed, in * out * sizeof *w);
        memcpy(b, packed + in * out, out * sizeof *b);
        packed += (in + 1) * out;
    }
    return true;
}

static bool compare_elbo(golden *file, elbo *e, worst *exact)
{
    double *out = UNA_GET(file->arena, double, 5 * e->count);
    if (!out) return refuse(file, "%s", una_run_message(file->run));
    una_vi q = { e->count, e->weight_var, e->packed, e->packed + e->count, out, out + e->count };
    una_vi_terms terms;
    answer results = { .count = 0 };

    if (una_vi_loss(&q, e->packed + 2 * e->count, 1, &(una_vi_target){ elbo_likelihood, e }, &terms, out + 2 * e->count,
                    file->run) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));
    if (!put_scalar(file, &results, "log_lik", terms.log_lik, 0) || !put_scalar(file, &results, "kl", terms.kl, 0)
        || !put_scalar(file, &results, "loss", terms.loss, 0)) return false;

    static const char *const scalars[] = { "log_lik", "kl", "loss" };
    for (int i = 0; i < 3; i++)
        if (!compare_tensor(file, &results, scalars[i], json_object_get(file->out, scalars[i]), exact)) return false;

    return put_layers(file, &e->p.net, out, &results)
        && compare_gradient(file, &results, json_object_get(file->out, "grad_mu"), exact)
        && put_layers(file, &e->p.net, out + e->count, &results)
        && compare_gradient(file, &results, json_object_get(file->out, "grad_rho"), exact);
}

static bool check_elbo(golden *file, worst *exact, worst *single)
{
    (void)single;
    elbo e;
    if (!read_elbo(file, &e)) return false;
    for (size_t i = 0; i < KERNEL_SETS; i++) {
        const una_kernels_f64 *kernels = una_kernels_named_f64(kernel_sets[i]);
        if (!kernels) continue;                                  /* this machine cannot run it */
        if (una_work_new_f64(&e.work, &e.p.net, &(una_work_size){ .rows = e.p.rows }, kernels, file->arena) != UNA_OK)
            return refuse(file, "%s", una_run_message(file->run));
        if (!compare_elbo(file, &e, exact)) return false;
    }
    return true;
}

#endif
