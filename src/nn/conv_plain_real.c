/* SPDX-License-Identifier: MIT
 *
 * Convolutions by windows and products, in either precision: u holds the windows of some maps as rows.
 *   out = u W      du = dout W', din = du folded back      dW = u'dout
 */
#include "nn/conv.h"

#include "kern/real.h"

enum { WINDOWS = 64 };                   /* at once, or those of one map                                    */

#define OPS REAL(una_conv_ops)
#define SIZE REAL(una_conv_ops_size)

typedef struct plain {
    OPS   calls;                         /* first                                                           */
    SIZE  size;
    const real **weights;                /* [count] where they stand                                        */
    real **turned;                       /* [count] W' [channels, width of a window]                        */
    real **u;                            /* [pieces]                                                        */
    real **gradient;                     /* [pieces, count], or NULL                                        */
} plain;

static size_t window_size(const una_convolution *c)   /* numbers of one                                          */
{
    return c->at.kernel * c->at.kernel * c->at.in_channels;
}

static size_t maps_at_once(const una_convolution *c)
{
    size_t places = una_conv_places(c);
    return places < WINDOWS ? WINDOWS / places : 1;
}

static size_t map_size(const una_convolution *c)
{
    return c->at.in_height * c->at.in_width * c->at.in_channels;
}

static void turn_plain_weights(OPS *ops, size_t index, const real *parameters)
{
    plain *p = (plain *)ops;
    const una_convolution *c = &p->size.net->convolution[index];
    p->weights[index] = parameters + c->weights;
    p->size.kernels->transpose(window_size(c), c->channels, p->weights[index], c->channels, p->turned[index],
                               UNA_PADDED(window_size(c)));
}

/* Windows of maps from .. from + count. */
static void unfold_maps(const plain *p, const una_convolution *c, const real *in, size_t count, real *u)
{
    size_t stride = UNA_PADDED(window_size(c)), places = una_conv_places(c);
    for (size_t i = 0; i < count; i++)
        p->size.kernels->channels->unfold(&c->at, in + i * map_size(c), u + i * places * stride, stride);
}

static void plain_forward(OPS *ops, size_t piece, size_t index, const real *in, real *out, size_t rows)
{
    const plain *p = (const plain *)ops;
    const una_convolution *c = &p->size.net->convolution[index];
    size_t places = una_conv_places(c), stride = UNA_PADDED(window_size(c)), step = maps_at_once(c);
    for (size_t from = 0; from < rows; from += step) {
        size_t count = rows - from < step ? rows - from : step;
        unfold_maps(p, c, in + from * map_size(c), count, p->u[piece]);
        p->size.kernels->product(count * places, c->channels, window_size(c), UNA_ROWS(p->u[piece], stride),
                                 UNA_ROWS(p->weights[index], c->channels),
                                 UNA_INTO(out + from * places * c->channels, c->channels));
    }
}

static void plain_back(OPS *ops, size_t piece, size_t index, const real *dout, real *din, size_t rows)
{
    const plain *p = (const plain *)ops;
    const una_convolution *c = &p->size.net->convolution[index];
    size_t places = una_conv_places(c), stride = UNA_PADDED(window_size(c)), step = maps_at_once(c);
    memset(din, 0, rows * map_size(c) * sizeof *din);
    for (size_t from = 0; from < rows; from += step) {
        size_t count = rows - from < step ? rows - from : step;
        p->size.kernels->product(count * places, stride, c->channels,
                                 UNA_ROWS(dout + from * places * c->channels, c->channels),
                                 UNA_ROWS(p->turned[index], stride), UNA_INTO(p->u[piece], stride));
        for (size_t i = 0; i < count; i++)
            p->size.kernels->channels->fold(&c->at, p->u[piece] + i * places * stride, stride,
                                            din + (from + i) * map_size(c));
    }
}

static void plain_weight_gradient(OPS *ops, size_t piece, size_t index, const real *in, const real *dout, size_t rows)
{
    const plain *p = (const plain *)ops;
    const una_convolution *c = &p->size.net->convolution[index];
    size_t places = una_conv_places(c), stride = UNA_PADDED(window_size(c)), step = maps_at_once(c);
    real *gradient = p->gradient[piece * p->size.net->count + index];
    memset(gradient, 0, window_size(c) * c->channels * sizeof *gradient);
    for (size_t from = 0; from < rows; from += step) {
        size_t count = rows - from < step ? rows - from : step;
        unfold_maps(p, c, in + from * map_size(c), count, p->u[piece]);
        p->size.kernels->product(window_size(c), c->channels, count * places, UNA_COLUMNS(p->u[piece], stride),
                                 UNA_ROWS(dout + from * places * c->channels, c->channels),
                                 UNA_ONTO(gradient, c->channels));
    }
}

static void plain_collect(OPS *ops, size_t index, real *gradient)
{
    const plain *p = (const plain *)ops;
    const una_convolution *c = &p->size.net->convolution[index];
    for (size_t i = 0; i < p->size.pieces; i++)
        p->size.kernels->add(window_size(c) * c->channels, p->gradient[i * p->size.net->count + index],
                             gradient + c->weights);
}

una_status REAL(una_conv_plain_new)(OPS **ops, const SIZE *size, una_arena *arena)
{
    size_t count = size->net->count, most = 0;
    UNA_NEW(arena, plain, p, 1);
    *p = (plain){ .calls = { turn_plain_weights, plain_forward, plain_back, plain_weight_gradient, plain_collect },
                  .size = *size, .weights = UNA_GET(arena, const real *, count), .turned = UNA_GET(arena, real *, count),
                  .u = UNA_GET(arena, real *, size->pieces),
                  .gradient = UNA_GET(arena, real *, size->pieces * count) };
    UNA_TRY(una_arena_check(arena));

    for (size_t i = 0; i < count; i++) {
        const una_convolution *c = &size->net->convolution[i];
        size_t need = maps_at_once(c) * una_conv_places(c) * UNA_PADDED(window_size(c));
        if (need > most) most = need;
        p->turned[i] = UNA_GET(arena, real, c->channels * UNA_PADDED(window_size(c)));
        for (size_t k = 0; size->learns && k < size->pieces; k++)
            p->gradient[k * count + i] = UNA_GET(arena, real, window_size(c) * c->channels);
    }
    for (size_t k = 0; k < size->pieces; k++) p->u[k] = UNA_GET(arena, real, most);
    *ops = &p->calls;
    return una_arena_check(arena);
}
