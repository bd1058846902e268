/* SPDX-License-Identifier: MIT
 *
 * Slope rows through the network, a block of probes at a time so that they stay in the cache:
 *   u_l = s_(l-1) W_l,  s_l = (act(z_l + delta u_l) - act(z_l))/delta  (or act'(z_l) u_l),  J = s of the last hidden layer.
 * Only u_l is kept from forward to backward; s_l and act' follow from it and are made again. The slopes of one probe
 * along its directions share their zeros (units that are off at the probe), which the products skip.
 */
#include "nn/work.h"

#include <string.h>

static size_t first_row(const BATCH *batch, probe_block block)
{
    return (batch->own_probes ? batch->rows : 0) + block.first;
}

static size_t u_step(const BATCH *batch, size_t l, size_t width)
{
    return l > 0 ? batch->directions * width : 0;
}

static real *u_of(const BATCH *batch, size_t l, size_t width, probe_block block, WORK *w)
{
    return w->layer[l].u + block.first * u_step(batch, l, width);
}

/* u of the first layer: rows of its weights, or directions times weights. */
void REAL(una_slopes_seed)(const una_net *net, const real *parameters, const BATCH *batch, WORK *w)
{
    size_t width = UNA_PADDED(net->size[1]);
    const real *weights = parameters + net->weights[0];
    if (!batch->direction) memcpy(w->layer[0].u, weights, batch->directions * width * sizeof(real));
    else w->kern->product(batch->directions, width, net->size[0], batch->direction, net->size[0], 1, weights, width,
                          w->layer[0].u, width, false);
    for (size_t l = 0; l < net->depth; l++)
        memset(w->layer[l].dz, 0, batch->probes * UNA_PADDED(net->size[l + 1]) * sizeof(real));
}

static void activate_slopes(const una_net *net, const BATCH *batch, size_t l, probe_block block, WORK *w)
{
    layer *at = &w->layer[l];
    size_t width = UNA_PADDED(net->size[l + 1]), row = first_row(batch, block) * width;
    una_slope_shape shape = { block.count, batch->directions, width };
    const real *u = u_of(batch, l, width, block, w);
    if (!batch->delta) w->kern->tangent(shape, at->d + row, u, u_step(batch, l, width), at->s);
    else w->kern->secant(net->activation, shape, at->z + row, at->h + row, at->d + row, u, u_step(batch, l, width),
                         batch->delta + block.first * batch->directions, at->s, at->e);
}

static uint16_t *active_of(const una_net *net, size_t l, probe_block block, const WORK *w)
{
    return w->layer[l].active ? w->layer[l].active + block.first * UNA_ACTIVE_STRIDE(net->size[l + 1]) : NULL;
}

void REAL(una_slopes_forward)(const una_net *net, const real *parameters, const BATCH *batch, probe_block block, WORK *w)
{
    for (size_t l = 0; l < net->depth; l++) {
        size_t width = UNA_PADDED(net->size[l + 1]);
        if (l > 0)
            w->kern->product_active(block.count, batch->directions, width, net->size[l], w->layer[l - 1].s, UNA_PADDED(net->size[l]),
                                    parameters + net->weights[l], width, u_of(batch, l, width, block, w), width,
                                    active_of(net, l - 1, block, w));
        activate_slopes(net, batch, l, block, w);
        if (w->layer[l].active)
            w->kern->find_active(block.count, batch->directions, net->size[l + 1], w->layer[l].s, w->layer[l].e, width,
                                 active_of(net, l, block, w));
    }
}

/* s and e of every layer once more, from the u that were kept. */
void REAL(una_slopes_again)(const una_net *net, const BATCH *batch, probe_block block, WORK *w)
{
    for (size_t l = 0; l < net->depth; l++) activate_slopes(net, batch, l, block, w);
}

static void first_layer_gradient(const una_net *net, const BATCH *batch, probe_block block, const real *gs, real *weights, WORK *w)
{
    size_t width = UNA_PADDED(net->size[1]);
    if (!batch->direction) {
        w->kern->add_rows(block.count, batch->directions * width, gs, weights);
        return;
    }
    memset(w->slope_sum, 0, batch->directions * width * sizeof(real));
    w->kern->add_rows(block.count, batch->directions * width, gs, w->slope_sum);
    w->kern->product(net->size[0], width, batch->directions, batch->direction, 1, net->size[0], w->slope_sum, width, weights, width, true);
}

void REAL(una_slopes_backward)(const una_net *net, const BATCH *batch, probe_block block, real *gradient, WORK *w)
{
    real *gs = w->gs[0], *below = w->gs[1];
    for (size_t l = net->depth; l-- > 0;) {
        layer *at = &w->layer[l];
        size_t width = UNA_PADDED(net->size[l + 1]), row = first_row(batch, block) * width;
        una_slope_shape shape = { block.count, batch->directions, width };
        real *dz = at->dz + block.first * width;
        if (batch->delta)
            w->kern->secant_back(shape, at->d + row, at->e, batch->delta + block.first * batch->directions, gs, dz);
        else w->kern->tangent_back(shape, at->d + row, at->dd + row, u_of(batch, l, width, block, w), u_step(batch, l, width), gs, dz);
        real *weights = gradient + net->weights[l];
        if (l == 0) {
            first_layer_gradient(net, batch, block, gs, weights, w);
            return;
        }
        size_t in = net->size[l], in_wide = UNA_PADDED(in);
        w->kern->outer_active(block.count, batch->directions, in, width, w->layer[l - 1].s, in_wide, gs, width, weights, width, false,
                              active_of(net, l - 1, block, w));
        w->kern->product_active(block.count, batch->directions, in_wide, net->size[l + 1], gs, width, w->flipped[l], in_wide, below, in_wide,
                                active_of(net, l, block, w));
        real *kept = gs;
        gs = below;
        below = kept;
    }
}
