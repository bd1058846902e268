/* SPDX-License-Identifier: MIT
 *
 * Slope rows through the network, a block of probes at a time so that they stay in the cache:
 *   u_l = s_(l-1) W_l,  s_l = (act(z_l + delta u_l) - act(z_l))/delta  (or act'(z_l) u_l),
 *   J = s of the last hidden layer.
 * For ReLU and many directions fans_real.c does the same with less work, and for one input line_real.c gives u_1.
 */
#include "nn/work.h"

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
void REAL(una_slopes_seed)(const una_net *net, const real *parameters, const BATCH *batch, real *u, const WORK *w)
{
    size_t width = UNA_PADDED(net->size[1]);
    const real *weights = parameters + net->weights[0];
    if (!batch->direction) memcpy(u, weights, batch->directions * width * sizeof(real));
    else w->kern->product(batch->directions, width, net->size[0], batch->direction, net->size[0], 1, weights, width,
                          u, width, false);
}

static void activate_slopes(const una_net *net, const BATCH *batch, size_t l, probe_block block, WORK *w)
{
    layer *at = &w->layer[l];
    size_t width = UNA_PADDED(net->size[l + 1]), row = first_row(batch, block) * width,
           from = slopes_at(batch, block, width);
    una_slope_shape shape = { block.count, batch->directions, width };
    const real *u = u_of(batch, l, width, block, w);
    if (!batch->delta) w->kern->slopes->tangent(shape, at->d + row, u, u_step(batch, l, width), at->s + from);
    else w->kern->slopes->secant(net->activation, shape, at->z + row, at->h + row, at->d + row, u,
                                 u_step(batch, l, width), batch->delta + block.first * batch->directions,
                                 at->s + from, at->e + from);
}

void REAL(una_slopes_forward)(const una_net *net, const real *parameters, const BATCH *batch, probe_block block,
                              WORK *w)
{
    for (size_t l = first_sloped(w); l < net->depth; l++) {
        size_t width = UNA_PADDED(net->size[l + 1]), below = UNA_PADDED(net->size[l]);
        if (l == 1 && w->line) REAL(una_line_slopes)(batch, block, u_of(batch, l, width, block, w), w);
        else if (l > 0)
            w->kern->product(block.count * batch->directions, width, net->size[l],
                             w->layer[l - 1].s + slopes_at(batch, block, below), below, 1, parameters + net->weights[l],
                             width, u_of(batch, l, width, block, w), width, false);
        activate_slopes(net, batch, l, block, w);
    }
}

/* Sum over probes of the slopes' gradient [directions, width], times what made u of the first layer's weights. */
void REAL(una_slopes_first)(const una_net *net, const BATCH *batch, const real *sum, real *weights, const WORK *w)
{
    size_t width = UNA_PADDED(net->size[1]);
    if (!batch->direction) w->kern->add(batch->directions * width, sum, weights);
    else w->kern->product(net->size[0], width, batch->directions, batch->direction, 1, net->size[0], sum, width,
                          weights, width, true);
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
            w->kern->slopes->secant_back(shape, at->d + row, at->e + slopes_at(batch, block, width),
                                         batch->delta + block.first * batch->directions, gs, dz);
        else w->kern->slopes->tangent_back(shape, at->d + row, at->dd + row, u_of(batch, l, width, block, w),
                                           u_step(batch, l, width), gs, dz);

        if (l == 1 && w->line) {
            REAL(una_line_slopes_back)(net, batch, block, gs, gradient, w);
            return;
        }
        real *weights = gradient + net->weights[l];
        if (l == 0) {
            memset(w->slope_sum, 0, batch->directions * width * sizeof(real));
            w->kern->add_rows(block.count, batch->directions * width, gs, w->slope_sum);
            REAL(una_slopes_first)(net, batch, w->slope_sum, weights, w);
            return;
        }

        size_t in = net->size[l], in_wide = UNA_PADDED(in), rows = block.count * batch->directions;
        w->kern->product(in, width, rows, w->layer[l - 1].s + slopes_at(batch, block, in_wide), 1, in_wide, gs, width,
                         weights, width, true);
        w->kern->product(rows, in_wide, net->size[l + 1], gs, width, 1, w->flipped[l], in_wide, below, in_wide, false);
        real *kept = gs;
        gs = below;
        below = kept;
    }
}
