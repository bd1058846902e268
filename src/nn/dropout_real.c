/* SPDX-License-Identifier: MIT
 *
 * Forward and backward with units dropped: h = m act(z), so dL/dz = m act'(z) dL/dh; with the mask multiplied into both
 * h and act' the rest is that of the plain network.
 */
#include "nn/dropout.h"
#include "nn/work.h"

#include <string.h>

static void forward(const una_net *net, const real *parameters, const BATCH *batch, real *const *mask, WORK *w)
{
    const real *below = batch->x;
    size_t below_width = net->size[0], rows = batch->rows;
    for (size_t l = 0; l < net->depth; l++) {
        layer *at = &w->layer[l];
        size_t width = UNA_PADDED(net->size[l + 1]);
        w->kern->product(rows, width, net->size[l], below, below_width, 1, parameters + net->weights[l], width, at->z,
                         width, false);
        w->kern->activate(net->activation, rows, width, parameters + net->biases[l], at->z, at->h, at->d, NULL);
        w->kern->multiply(rows * width, mask[l], at->h);
        w->kern->multiply(rows * width, mask[l], at->d);
        below = at->h;
        below_width = width;
    }
    size_t heads = UNA_PADDED(una_net_heads(net));
    for (size_t r = 0; r < rows; r++)
        memcpy(w->f + r * heads, parameters + net->biases[net->depth], heads * sizeof(real));
    w->kern->product(rows, heads, net->size[net->depth], below, below_width, 1, parameters + net->weights[net->depth],
                     heads, w->f, heads, true);
}

/* From dL/df in w->f down to the first layer; adds to the gradient. */
static void backward(const una_net *net, const real *parameters, const BATCH *batch, real *gradient, WORK *w)
{
    size_t rows = batch->rows;
    real *g = w->f, *below = w->g[0], *spare = w->g[1];
    for (size_t l = net->depth + 1; l-- > 0;) {
        size_t in = net->size[l], out = net->size[l + 1], width = UNA_PADDED(out), below_width = UNA_PADDED(in);
        if (l < net->depth) w->kern->multiply(rows * width, w->layer[l].d, g);
        const real *h = l > 0 ? w->layer[l - 1].h : batch->x;
        w->kern->product(in, width, rows, h, 1, l > 0 ? below_width : in, g, width, gradient + net->weights[l], width,
                         true);
        w->kern->add_rows(rows, width, g, gradient + net->biases[l]);
        if (l == 0) break;
        w->kern->transpose(in, out, parameters + net->weights[l], width, w->flipped[l], below_width);
        w->kern->product(rows, below_width, out, g, width, 1, w->flipped[l], below_width, below, below_width, false);
        g = below;
        below = spare;
        spare = g;
    }
}

static double penalise(const una_net *net, const real *parameters, double penalty, real *gradient, WORK *w)
{
    double square = 0;
    memset(gradient, 0, net->parameters * sizeof *gradient);
    for (size_t l = 0; l <= net->depth; l++) {
        size_t at = net->weights[l], n = net->biases[l] - at;
        w->kern->scale(n, (real)(2 * penalty), parameters + at, gradient + at);
        square += w->kern->square(n, parameters + at);
    }
    return penalty * square;
}

void REAL(una_dropout_gradient)(const una_net *net, const real *parameters, const BATCH *batch,
                                const OBJECTIVE *objective, real *const *mask, real *gradient, una_losses *losses,
                                WORK *w)
{
    size_t heads = una_net_heads(net);
    losses->penalty = penalise(net, parameters, objective->penalty, gradient, w);
    forward(net, parameters, batch, mask, w);
    losses->fit = w->kern->residual(batch->rows, heads, UNA_PADDED(heads), objective->fit_weight, batch->target,
                                    batch->target_heads == 1 ? 0 : UNA_PADDED(batch->target_heads), w->f);
    losses->diverse = 0;
    losses->mean_cos2 = NAN;
    backward(net, parameters, batch, gradient, w);
    losses->total = losses->fit + losses->penalty;
}
