/* SPDX-License-Identifier: MIT
 *
 * The multi-layer perceptron of net.h as a body.
 */
#include "nn/body.h"
#include "nn/net.h"

#include "kern/real.h"

#define NETWORK REAL(una_network)

static void mlp_shape(void *at, const una_body_spec *outline)
{
    una_net *net = at;
    *net = (una_net){ .depth = outline->depth, .activation = outline->activation };
    net->size[0] = outline->inputs;
    for (size_t l = 1; l < net->depth; l++) net->size[l] = outline->width;
    net->size[net->depth] = outline->features;
    net->size[net->depth + 1] = outline->heads;
    una_net_shape(net);
}

static una_body_size mlp_size(const void *at)
{
    const una_net *net = at;
    return (una_body_size){ .inputs = net->size[0], .features = net->features, .heads = net->heads,
                            .head = net->weights[net->depth], .parameters = net->parameters };
}

static void mlp_set_heads(void *at, size_t heads)
{
    una_net *net = at;
    net->size[net->depth + 1] = heads;
    una_net_shape(net);
}

static void mlp_initialise(const void *at, const una_weight_init *start, una_rng *rng, real *frozen, real *parameters)
{
    (void)frozen;
    REAL(una_net_initialise)(at, start->initialisation, start->scale, rng, parameters, start->run);
}

static una_status mlp_work(void **work, const NETWORK *net, size_t rows, bool slopes, const REAL(una_kernels) *kernels,
                           una_arena *arena)
{
    const una_net *at = net->shape;
    REAL(una_work) *made = NULL;
    una_work_size size = { .rows = rows, .probes = slopes, .directions = slopes ? at->size[0] : 0, .exact = slopes,
                           .per_point = slopes, .one_point = slopes };
    UNA_TRY(REAL(una_work_new)(&made, at, &size, kernels, arena));
    *work = made;
    return UNA_OK;
}

static void mlp_gradient(void *work, const real *parameters, const REAL(una_squares) *of, real *gradient,
                         una_losses *losses)
{
    const REAL(una_batch) batch = { .rows = of->rows, .x = of->x, .target = of->target, .target_heads = 1 };
    const REAL(una_objective) objective = { .fit_weight = of->fit_weight, .penalty = of->penalty };
    REAL(una_net_gradient)(work, parameters, &batch, &objective, gradient, losses);
}

const REAL(una_body) REAL(una_body_mlp) = {
    .name = "mlp",
    .shape_size = sizeof(una_net),
    .shape = mlp_shape,
    .size = mlp_size,
    .set_heads = mlp_set_heads,
    .matrix = una_net_matrix,
    .initialise = mlp_initialise,
    .work = mlp_work,
    .gradient = mlp_gradient,
    .forward = REAL(una_net_forward),
    .slopes = REAL(una_net_slopes)
};
