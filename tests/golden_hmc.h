/* SPDX-License-Identifier: MIT
 *
 * hmc_potential: U and its gradient as the model hmc gives them to the sampler, with every double kernel set.
 */
static bool put_potential_gradient(golden *file, const una_net *net, const double *packed, answer *results)
{
    for (size_t l = 0; l <= net->depth; l++) {
        size_t in = net->size[l], out = net->size[l + 1];
        char name[32];
        snprintf(name, sizeof name, "grad[%zu].W", l);
        double *weights = put(file, results, name, in, out);
        snprintf(name, sizeof name, "grad[%zu].b", l);
        double *bias = put(file, results, name, out, 0);
        if (!weights || !bias) return refuse(file, "%s", "out of memory");

        memcpy(weights, packed, in * out * sizeof(double));
        memcpy(bias, packed + in * out, out * sizeof(double));
        packed += (in + 1) * out;
    }
    return true;
}

static bool check_potential(golden *file, worst *exact, worst *single)
{
    (void)single;
    problem p = { .rows = 0 };
    if (!read_network(file, &p) || !read_vector(file, file->in, "y", &p.rows, &p.y)) return false;
    if (!read_positive(file, "noise_var", &p.noise_var) || !read_positive(file, "prior_var", &p.prior_var))
        return false;
    if (p.net.heads != 1)
        return refuse(file, "the output layer has %zu columns, not 1", p.net.heads);

    for (size_t i = 0; i < KERNEL_SETS; i++) {
        const una_kernels_f64 *kernels = una_kernels_named_f64(kernel_sets[i]);
        una_bnn bnn = { .net = p.net, .x = p.x, .y = p.y, .rows = p.rows, .prior_var = p.prior_var,
                        .noise_var = p.noise_var };
        answer results = { .count = 0 };
        if (!kernels) continue;                                  /* this machine cannot run it */
        if (una_bnn_take(&bnn, kernels, file->arena) != UNA_OK)
            return refuse(file, "%s", una_run_message(file->run));
        double *q = UNA_GET(file->arena, double, bnn.weights), *g = UNA_GET(file->arena, double, bnn.weights);
        if (!q || !g) return refuse(file, "%s", una_run_message(file->run));

        for (size_t k = 0; k < bnn.weights; k++) q[k] = p.parameters[bnn.place[k]];
        if (!put_scalar(file, &results, "U", una_bnn_potential(&bnn, q, g), 0)) return false;
        if (!put_potential_gradient(file, &p.net, g, &results) || !compare(file, &results, exact)) return false;
    }
    return true;
}
