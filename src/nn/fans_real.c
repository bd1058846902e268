/* SPDX-License-Identifier: MIT
 *
 * Slopes of slopes_real.c for ReLU and many directions, by unit instead of by row: at one probe a unit's slopes along
 * all directions lie side by side, its *fan*. About half the units are off at a probe and all around it: they are left
 * out of every product, on both sides. Most of the others are on all along the steps, and their slope s is u as it
 * comes; only where a step crosses the kink is there something to compute.
 *   u_l = s_(l-1) W_l,  s_l = (relu(z_l + delta u_l) - relu(z_l))/delta,  A = sum J'J,  J = s of the last hidden layer.
 * Units that may be on are known before u is: |u_l| <= |u_(l-1)| |W_l|, because |s| <= |u|.
 */
#include "nn/work.h"

void REAL(una_fans_take)(WORK *w, const una_net *net, una_arena *arena)
{
    fan_work *f = w->fans;
    const fan_work *first = w->piece[0]->fans;
    size_t probes = w->most_probes, directions = w->most_directions, widest = w->widest;
    f->lanes = UNA_PADDED(directions);

    for (size_t l = 0; l < net->depth; l++) {
        fan_layer *at = &f->layer[l];
        size_t units = net->size[l + 1], width = UNA_PADDED(units);
        at->list = UNA_GET(arena, uint16_t, probes * UNA_LIST_LENGTH(units));
        at->s = UNA_GET(arena, real, (probes * units + 1) * f->lanes);   /* the last fan may be written and not kept */
        at->e = UNA_GET(arena, real, probes * units * f->lanes);
        at->s_at = UNA_GET(arena, size_t, probes + 1);
        at->e_at = UNA_GET(arena, size_t, probes + 1);
        if (is_first(w)) at->bound = UNA_GET(arena, real, directions * width);
        at->reach = is_first(w) ? UNA_GET(arena, real, width) : first->layer[l].reach;
    }

    f->candidates = UNA_GET(arena, uint16_t, UNA_LIST_LENGTH(widest));
    f->step = UNA_GET(arena, real, f->lanes);
    f->inverses = UNA_GET(arena, real, probes * f->lanes);
    f->far = UNA_GET(arena, real, widest * f->lanes);
    f->turned = is_first(w) ? UNA_GET(arena, real, widest * f->lanes) : first->turned;
    f->turned_sum = UNA_GET(arena, real, widest * f->lanes);
    if (is_first(w)) f->size = UNA_GET(arena, real, widest * widest);
    f->flat = UNA_GET(arena, real, f->lanes * (widest + 1));
}

static uint16_t *units_of_probe(const una_net *net, size_t l, size_t probe, const WORK *w)
{
    return w->fans->layer[l].list + probe * UNA_LIST_LENGTH(net->size[l + 1]);
}

static const real *z_of(const una_net *net, const BATCH *batch, size_t l, size_t probe, const WORK *w)
{
    return w->layer[l].z + ((batch->own_probes ? batch->rows : 0) + probe) * UNA_PADDED(net->size[l + 1]);
}

/* ---- forward --------------------------------------------------------------------------------------- */

static void take_sizes(size_t n, const real *a, real *size)
{
    for (size_t i = 0; i < n; i++) size[i] = a[i] < 0 ? -a[i] : a[i];
}

/* bound = the most |u| can be along each direction; reach = the most along any. */
static void find_reach(const una_net *net, const real *parameters, const BATCH *batch, WORK *w)
{
    for (size_t l = 0; l < net->depth; l++) {
        fan_layer *at = &w->fans->layer[l];
        size_t width = UNA_PADDED(net->size[l + 1]), below = UNA_PADDED(net->size[l]);
        if (l == 0) take_sizes(batch->directions * width, w->slope_sum, at->bound);
        else {
            take_sizes(net->size[l] * width, parameters + net->weights[l], w->fans->size);
            w->kern->product(batch->directions, width, net->size[l], w->fans->layer[l - 1].bound, below, 1,
                             w->fans->size, width, at->bound, width, false);
        }

        memcpy(at->reach, at->bound, width * sizeof(real));
        for (size_t d = 1; d < batch->directions; d++)
            for (size_t j = 0; j < width; j++)
                if (at->bound[d * width + j] > at->reach[j]) at->reach[j] = at->bound[d * width + j];
    }
}

/* u of the first layer, by row in slope_sum and by unit in turned, and how large those above can be. */
void REAL(una_fans_seed)(const una_net *net, const real *parameters, const BATCH *batch, WORK *w)
{
    size_t width = UNA_PADDED(net->size[1]);
    REAL(una_slopes_seed)(net, parameters, batch, w->slope_sum, w);
    memset(w->fans->turned, 0, net->size[1] * w->fans->lanes * sizeof(real));
    w->kern->transpose(batch->directions, net->size[1], w->slope_sum, width, w->fans->turned, w->fans->lanes);
    find_reach(net, parameters, batch, w);
}

static void forward_probe(const una_net *net, const real *parameters, const BATCH *batch, size_t probe, WORK *w)
{
    size_t lanes = w->fans->lanes;
    real *inverse = w->fans->inverses + probe * lanes;
    real longest = w->kern->fans->steps(batch->directions, lanes, batch->delta + probe * batch->directions,
                                        w->fans->step, inverse);

    for (size_t l = 0; l < net->depth; l++) {
        fan_layer *at = &w->fans->layer[l], *below = &w->fans->layer[l - (l > 0)];
        uint16_t *list = units_of_probe(net, l, probe, w);
        const real *z = z_of(net, batch, l, probe, w);
        w->kern->fans->candidates(net->size[l + 1], z, at->reach, longest, w->fans->candidates);
        if (l > 0)
            w->kern->fans->product(lanes, units_of_probe(net, l - 1, probe, w), below->s + below->s_at[probe],
                                   parameters + net->weights[l], UNA_PADDED(net->size[l + 1]), 1, w->fans->candidates,
                                   w->fans->far);
        w->kern->fans->relu(lanes, net->size[l + 1], w->fans->step, inverse, z, w->fans->candidates,
                            l > 0 ? w->fans->far : w->fans->turned, l == 0, list, at->s + at->s_at[probe],
                            at->e + at->e_at[probe]);
        at->s_at[probe + 1] = at->s_at[probe] + list[0] * lanes;
        at->e_at[probe + 1] = at->e_at[probe] + list[1] * lanes;
    }

    size_t last = net->depth - 1, wide = UNA_PADDED(una_net_features(net));
    const uint16_t *list = units_of_probe(net, last, probe, w);
    const real *j = w->fans->layer[last].s + w->fans->layer[last].s_at[probe];
    w->kern->fans->outer(batch->directions, lanes, list, j, list, j, wide, true, w->fans->flat,
                         w->similarity.features->a, wide);
}

void REAL(una_fans_forward)(const una_net *net, const real *parameters, const BATCH *batch, WORK *w)
{
    for (size_t l = 0; l < net->depth; l++) w->fans->layer[l].s_at[0] = w->fans->layer[l].e_at[0] = 0;
    for (size_t p = 0; p < batch->probes; p++) forward_probe(net, parameters, batch, p, w);
}

/* ---- backward -------------------------------------------------------------------------------------- */

static void backward_probe(const una_net *net, const real *parameters, const BATCH *batch, size_t probe, real *gradient,
                           WORK *w)
{
    size_t lanes = w->fans->lanes, top = net->depth - 1;
    real *g = w->gs[0], *g_below = w->gs[1];
    const uint16_t *list = units_of_probe(net, top, probe, w);
    w->kern->fans->product(lanes, list, w->fans->layer[top].s + w->fans->layer[top].s_at[probe],
                           w->similarity.features->b, UNA_PADDED(una_net_features(net)), 1, list, g);     /* J W'K W */

    for (size_t l = net->depth; l-- > 0;) {
        fan_layer *at = &w->fans->layer[l];
        size_t width = UNA_PADDED(net->size[l + 1]);
        w->kern->fans->relu_back(lanes, net->size[l + 1], w->fans->inverses + probe * lanes,
                                 z_of(net, batch, l, probe, w), list, at->e + at->e_at[probe], g,
                                 w->layer[l].dz + probe * width);
        if (l == 0) break;

        const fan_layer *below = &w->fans->layer[l - 1];
        const uint16_t *list_below = units_of_probe(net, l - 1, probe, w);
        w->kern->fans->outer(batch->directions, lanes, list_below, below->s + below->s_at[probe], list, g, width, false,
                             w->fans->flat, gradient + net->weights[l], width);
        w->kern->fans->product(lanes, list, g, parameters + net->weights[l], 1, width, list_below, g_below);
        real *kept = g;
        g = g_below;
        g_below = kept;
        list = list_below;
    }

    w->kern->fans->add(lanes, list, g, w->fans->turned_sum);
}

void REAL(una_fans_backward)(const una_net *net, const real *parameters, const BATCH *batch, real *gradient, WORK *w)
{
    size_t units = net->size[1], width = UNA_PADDED(units);
    memset(w->fans->turned_sum, 0, units * w->fans->lanes * sizeof(real));
    for (size_t p = 0; p < batch->probes; p++) backward_probe(net, parameters, batch, p, gradient, w);
    w->kern->transpose(units, batch->directions, w->fans->turned_sum, w->fans->lanes, w->slope_sum, width);
    REAL(una_slopes_first)(net, batch, w->slope_sum, gradient + net->weights[0], w);
}
