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

void REAL(una_fans_take)(WORK *w, una_arena *arena)
{
    fan_work *f = w->fans;
    const fan_work *first = w->piece[0]->fans;
    size_t probes = w->most_probes, directions = w->most_directions, widest = w->widest;
    f->lanes = UNA_PADDED(directions);

    for (size_t l = 0; l < w->net->depth; l++) {
        fan_layer *at = &f->layer[l];
        size_t units = w->net->size[l + 1], width = UNA_PADDED(units);
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

/* A layer at one probe, and the slopes of its listed units there. */
static REAL(una_fan_layer) layer_at(const WORK *w, size_t l, size_t probe)
{
    const fan_work *f = w->fans;
    return (REAL(una_fan_layer)){
        .lanes = f->lanes, .units = w->net->size[l + 1], .step = f->step, .inverse = f->inverses + probe * f->lanes,
        .z = w->layer[l].rows.z + (probes_at(w->batch) + probe) * width_of(w, l),
        .list = f->layer[l].list + probe * UNA_LIST_LENGTH(w->net->size[l + 1]),
        .e = f->layer[l].e + f->layer[l].e_at[probe]
    };
}

static REAL(una_fans) slopes_of(const WORK *w, size_t l, size_t probe)
{
    const fan_layer *at = &w->fans->layer[l];
    return (REAL(una_fans)){ at->list + probe * UNA_LIST_LENGTH(w->net->size[l + 1]), at->s + at->s_at[probe] };
}

/* ---- forward --------------------------------------------------------------------------------------- */

static void take_sizes(size_t n, const real *a, real *size)
{
    for (size_t i = 0; i < n; i++) size[i] = a[i] < 0 ? -a[i] : a[i];
}

/* bound = the most |u| can be along each direction; reach = the most along any. */
static void find_reach(WORK *w)
{
    size_t directions = w->batch->directions;
    for (size_t l = 0; l < w->net->depth; l++) {
        fan_layer *at = &w->fans->layer[l];
        size_t width = width_of(w, l), in = w->net->size[l];
        if (l == 0) take_sizes(directions * width, w->slope_sum, at->bound);
        else {
            take_sizes(in * width, weights_of(w, l), w->fans->size);
            w->kern->product(directions, width, in, UNA_ROWS(w->fans->layer[l - 1].bound, UNA_PADDED(in)),
                             UNA_ROWS(w->fans->size, width), UNA_INTO(at->bound, width));
        }

        memcpy(at->reach, at->bound, width * sizeof(real));
        for (size_t d = 1; d < directions; d++)
            for (size_t j = 0; j < width; j++)
                if (at->bound[d * width + j] > at->reach[j]) at->reach[j] = at->bound[d * width + j];
    }
}

/* u of the first layer, by row in slope_sum and by unit in turned, and how large those above can be. */
void REAL(una_fans_seed)(WORK *w)
{
    size_t units = w->net->size[1];
    REAL(una_slopes_seed)(w, w->slope_sum);
    memset(w->fans->turned, 0, units * w->fans->lanes * sizeof(real));
    w->kern->transpose(w->batch->directions, units, w->slope_sum, width_of(w, 0), w->fans->turned, w->fans->lanes);
    find_reach(w);
}

static void forward_probe(WORK *w, size_t probe)
{
    const BATCH *batch = w->batch;
    fan_work *f = w->fans;
    size_t lanes = f->lanes, last = w->net->depth - 1, wide = width_of(w, last);
    real longest = w->kern->fans->steps(batch->directions, lanes, batch->delta + probe * batch->directions, f->step,
                                        f->inverses + probe * lanes);

    for (size_t l = 0; l <= last; l++) {
        fan_layer *to = &f->layer[l];
        const REAL(una_fan_layer) at = layer_at(w, l, probe);
        w->kern->fans->candidates(at.units, at.z, to->reach, longest, f->candidates);
        if (l > 0)
            w->kern->fans->product(lanes, slopes_of(w, l - 1, probe), UNA_ROWS(weights_of(w, l), width_of(w, l)),
                                   f->candidates, f->far);
        w->kern->fans->relu(&at, f->candidates, l > 0 ? f->far : f->turned, l == 0, to->s + to->s_at[probe]);
        to->s_at[probe + 1] = to->s_at[probe] + at.list[0] * lanes;
        to->e_at[probe + 1] = to->e_at[probe] + at.list[1] * lanes;
    }

    const REAL(una_fans) j = slopes_of(w, last, probe);
    w->kern->fans->outer(batch->directions, j, j, wide, true, f->flat, w->similarity.a);
}

void REAL(una_fans_forward)(WORK *w)
{
    for (size_t l = 0; l < w->net->depth; l++) w->fans->layer[l].s_at[0] = w->fans->layer[l].e_at[0] = 0;
    for (size_t p = 0; p < w->batch->probes; p++) forward_probe(w, p);
}

/* ---- backward -------------------------------------------------------------------------------------- */

static void backward_probe(WORK *w, size_t probe)
{
    size_t lanes = w->fans->lanes, top = w->net->depth - 1;
    real *g = w->gs[0], *g_below = w->gs[1];
    REAL(una_fans) slopes = slopes_of(w, top, probe);
    w->kern->fans->product(lanes, slopes, UNA_ROWS(w->similarity.b, width_of(w, top)), slopes.list, g);
                                                                                                     /* J W'K W */
    for (size_t l = w->net->depth; l-- > 0;) {
        const REAL(una_fan_layer) at = layer_at(w, l, probe);
        size_t width = width_of(w, l);
        w->kern->fans->relu_back(&at, g, w->layer[l].dz + probe * width);
        const REAL(una_fans) gradient = { at.list, g };
        if (l == 0) {
            w->kern->fans->add(lanes, gradient, w->fans->turned_sum);
            break;
        }

        slopes = slopes_of(w, l - 1, probe);
        w->kern->fans->outer(w->batch->directions, slopes, gradient, width, false, w->fans->flat,
                             weights_gradient(w, l));
        w->kern->fans->product(lanes, gradient, UNA_COLUMNS(weights_of(w, l), width), slopes.list, g_below);
        real *kept = g;
        g = g_below;
        g_below = kept;
    }
}

void REAL(una_fans_backward)(WORK *w)
{
    size_t units = w->net->size[1];
    memset(w->fans->turned_sum, 0, units * w->fans->lanes * sizeof(real));
    for (size_t p = 0; p < w->batch->probes; p++) backward_probe(w, p);
    w->kern->transpose(units, w->batch->directions, w->fans->turned_sum, w->fans->lanes, w->slope_sum, width_of(w, 0));
    REAL(una_slopes_first)(w);
}
