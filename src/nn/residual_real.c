/* SPDX-License-Identifier: MIT
 *
 * Forward and backward passes of residual.h, in float for training and in double for reference; at the end the network
 * as a body.
 */
#include "nn/residual.h"

#include "kern/real.h"

#define KERNELS REAL(una_kernels)
#define WORK REAL(una_residual_work)

enum { BLOCK = 240 };                            /* rows of a forward pass at a time */
static const double QUARTER = 1.57079632679489661923;

struct WORK {
    const KERNELS *kern;
    real *h[UNA_MAX_LAYERS + 1], *d[UNA_MAX_LAYERS];     /* [rows, padded(width)]                               */
    real *z, *a, *g;                             /* [rows, padded(width)]                               */
    real *u, *phi, *dphi, *back;                 /* [rows, padded(features)]                            */
    real *f;                                     /* [rows, UNA_PAD]                                     */
    real *flipped, *flipped_spread, *flipped_head;       /* W' of one block, S', w'                         */
};

static real *const_layer_weights(const una_residual *net, real *parameters, size_t l)
{
    return parameters + l * net->layer;
}

static const real *layer_weights(const una_residual *net, const real *parameters, size_t l)
{
    return parameters + l * net->layer;
}

static size_t bias_at(const una_residual *net)
{
    return net->width * UNA_PADDED(net->width);
}

static void draw_normals(real *out, size_t rows, size_t cols, size_t stride, double std, una_rng *rng)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[i * stride + j] = (real)(std * una_rng_normal(rng));
}

void REAL(una_fourier_draw)(size_t width, size_t features, double lengthscale, una_rng *rng, real *s, real *p)
{
    draw_normals(s, width, features, UNA_PADDED(features), 1 / lengthscale, rng);
    for (size_t j = 0; j < features; j++) p[j] = (real)(QUARTER + 4 * QUARTER * una_rng_uniform(rng));
}

void REAL(una_residual_initialise)(const una_residual *net, double lengthscale, una_rng *rng, real *frozen,
                                   real *parameters)
{
    size_t wide = UNA_PADDED(net->width);
    memset(frozen, 0, net->frozen * sizeof *frozen);
    memset(parameters, 0, net->parameters * sizeof *parameters);
    draw_normals(frozen, net->inputs, net->width, wide, 1 / sqrt((double)net->width), rng);
    REAL(una_fourier_draw)(net->width, net->features, lengthscale, rng, frozen + net->spread, frozen + net->phase);
    for (size_t l = 0; l < net->depth; l++)
        draw_normals(const_layer_weights(net, parameters, l), net->width, net->width, wide,
                     0.5 / sqrt((double)net->width), rng);
}

una_status REAL(una_residual_work_new)(WORK **out, const una_residual *net, const real *frozen, size_t rows,
                                       const KERNELS *kernels, una_arena *arena)
{
    size_t wide = UNA_PADDED(net->width), features = UNA_PADDED(net->features), most = rows < BLOCK ? BLOCK : rows;
    UNA_NEW(arena, WORK, w, 1);
    w->kern = kernels;

    for (size_t l = 0; l <= net->depth; l++) w->h[l] = UNA_GET(arena, real, most * wide);
    for (size_t l = 0; l < net->depth; l++) w->d[l] = UNA_GET(arena, real, most * wide);
    UNA_NEW_AT(arena, w->z, most * wide);
    UNA_NEW_AT(arena, w->a, most * wide);
    UNA_NEW_AT(arena, w->g, most * wide);
    UNA_NEW_AT(arena, w->u, most * features);
    UNA_NEW_AT(arena, w->phi, most * features);
    UNA_NEW_AT(arena, w->dphi, most * features);
    UNA_NEW_AT(arena, w->back, most * features);
    UNA_NEW_AT(arena, w->f, most * UNA_PAD);
    UNA_NEW_AT(arena, w->flipped, net->width * wide);
    UNA_NEW_AT(arena, w->flipped_spread, net->features * wide);
    UNA_NEW_AT(arena, w->flipped_head, features);

    kernels->transpose(net->width, net->features, frozen + net->spread, features, w->flipped_spread, wide);
    *out = w;
    return UNA_OK;
}

/* ---- forward ---------------------------------------------------------------------------------------------- */

void REAL(una_fourier)(size_t rows, size_t width, size_t features, const real *h, const real *s, const real *p,
                       real *z, real *phi, real *d, const KERNELS *kernels)
{
    size_t wide = UNA_PADDED(features);
    real scale = (real)sqrt(2 / (double)features);
    kernels->product(rows, wide, width, h, UNA_PADDED(width), 1, s, wide, z, wide, false);
    kernels->activate(UNA_SIN, rows, wide, p, z, phi, d, NULL);
    kernels->scale(rows * wide, scale, phi, phi);
    kernels->scale(rows * wide, scale, d, d);
}

static void forward_blocks(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                           size_t rows, WORK *w)
{
    size_t wide = UNA_PADDED(net->width);
    w->kern->product(rows, wide, net->inputs, x, net->inputs, 1, frozen, wide, w->h[0], wide, false);
    for (size_t l = 0; l < net->depth; l++) {
        const real *at = layer_weights(net, parameters, l);
        w->kern->product(rows, wide, net->width, w->h[l], wide, 1, at, wide, w->z, wide, false);
        w->kern->activate(net->activation, rows, wide, at + bias_at(net), w->z, w->h[l + 1], w->d[l], NULL);
        w->kern->add(rows * wide, w->h[l], w->h[l + 1]);
    }
}

static void forward_block_rows(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                               size_t rows, WORK *w)
{
    forward_blocks(net, frozen, parameters, x, rows, w);
    REAL(una_fourier)(rows, net->width, net->features, w->h[net->depth], frozen + net->spread, frozen + net->phase,
                      w->u, w->phi, w->dphi, w->kern);
}

static void forward_head(const una_residual *net, const real *parameters, size_t rows, WORK *w)
{
    const real *head = parameters + net->head, *bias = head + net->features * UNA_PAD;
    for (size_t r = 0; r < rows; r++) memcpy(w->f + r * UNA_PAD, bias, UNA_PAD * sizeof(real));
    w->kern->product(rows, UNA_PAD, net->features, w->phi, UNA_PADDED(net->features), 1, head, UNA_PAD, w->f, UNA_PAD,
                     true);
}

void REAL(una_residual_forward)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                                size_t rows, double *phi, size_t stride, double *f, WORK *w)
{
    size_t wide = UNA_PADDED(net->features);
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        forward_block_rows(net, frozen, parameters, x + from * net->inputs, count, w);
        for (size_t r = 0; phi && r < count; r++)
            for (size_t j = 0; j < net->features; j++) phi[(from + r) * stride + j] = (double)w->phi[r * wide + j];
        if (!f) continue;
        forward_head(net, parameters, count, w);
        for (size_t r = 0; r < count; r++) f[from + r] = (double)w->f[r * UNA_PAD];
    }
}

void REAL(una_residual_last)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                             size_t rows, double *h, size_t stride, WORK *w)
{
    size_t wide = UNA_PADDED(net->width);
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        forward_blocks(net, frozen, parameters, x + from * net->inputs, count, w);
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < net->width; j++) h[(from + r) * stride + j] = (double)w->h[net->depth][r * wide + j];
    }
}

/* Row d of A is carried through the blocks as a slope, to w->g: s <- s + act'(z) (s W). */
static void carry_slope(const una_residual *net, const real *frozen, const real *parameters, size_t d, WORK *w)
{
    size_t wide = UNA_PADDED(net->width);
    memcpy(w->g, frozen + d * wide, wide * sizeof(real));
    for (size_t l = 0; l < net->depth; l++) {
        w->kern->product(1, wide, net->width, w->g, wide, 1, layer_weights(net, parameters, l), wide, w->a, wide,
                         false);
        w->kern->multiply(wide, w->d[l], w->a);
        w->kern->add(wide, w->a, w->g);
    }
}

void REAL(una_residual_last_slopes)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                                    double *h, double *j, WORK *w)
{
    forward_blocks(net, frozen, parameters, x, 1, w);
    for (size_t k = 0; h && k < net->width; k++) h[k] = (double)w->h[net->depth][k];
    for (size_t d = 0; d < net->inputs; d++) {
        carry_slope(net, frozen, parameters, d, w);
        for (size_t k = 0; k < net->width; k++) j[d * net->width + k] = (double)w->g[k];
    }
}

void REAL(una_residual_slopes)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                               double *phi, double *j, WORK *w)
{
    size_t wide = UNA_PADDED(net->width), features = UNA_PADDED(net->features);
    forward_block_rows(net, frozen, parameters, x, 1, w);
    for (size_t k = 0; phi && k < net->features; k++) phi[k] = (double)w->phi[k];
    for (size_t d = 0; d < net->inputs; d++) {
        carry_slope(net, frozen, parameters, d, w);
        w->kern->product(1, features, net->width, w->g, wide, 1, frozen + net->spread, features, w->back, features,
                         false);
        w->kern->multiply(features, w->dphi, w->back);
        for (size_t k = 0; k < net->features; k++) j[d * net->features + k] = (double)w->back[k];
    }
}

/* ---- backward --------------------------------------------------------------------------------------------- */

/* From df in w->f: the head's gradient, and dL/dh of the last block into w->g. */
static void backward_head(const una_residual *net, const real *parameters, size_t rows, real *gradient, WORK *w)
{
    size_t wide = UNA_PADDED(net->width), features = UNA_PADDED(net->features);
    real *head = gradient + net->head;
    w->kern->product(net->features, UNA_PAD, rows, w->phi, 1, features, w->f, UNA_PAD, head, UNA_PAD, true);
    w->kern->add_rows(rows, UNA_PAD, w->f, head + net->features * UNA_PAD);
    w->kern->transpose(net->features, 1, parameters + net->head, UNA_PAD, w->flipped_head, features);
    w->kern->product(rows, features, 1, w->f, UNA_PAD, 1, w->flipped_head, features, w->back, features, false);
    w->kern->multiply(rows * features, w->dphi, w->back);
    w->kern->product(rows, wide, net->features, w->back, features, 1, w->flipped_spread, wide, w->g, wide, false);
}

static void backward_blocks(const una_residual *net, const real *parameters, size_t rows, real *gradient, WORK *w)
{
    size_t wide = UNA_PADDED(net->width);
    for (size_t l = net->depth; l-- > 0;) {
        real *at = const_layer_weights(net, gradient, l);
        memcpy(w->a, w->g, rows * wide * sizeof(real));
        w->kern->multiply(rows * wide, w->d[l], w->a);
        w->kern->product(net->width, wide, rows, w->h[l], 1, wide, w->a, wide, at, wide, true);
        w->kern->add_rows(rows, wide, w->a, at + bias_at(net));
        w->kern->transpose(net->width, net->width, layer_weights(net, parameters, l), wide, w->flipped, wide);
        w->kern->product(rows, wide, net->width, w->a, wide, 1, w->flipped, wide, w->g, wide, true);
    }
}

void REAL(una_residual_gradient)(const una_residual *net, const real *frozen, const real *parameters, const real *x,
                                 const real *t, size_t rows, double fit_weight, double penalty, real *gradient,
                                 una_losses *losses, WORK *w)
{
    double square = w->kern->ridge(net->parameters, (real)(2 * penalty), parameters, gradient);
    *losses = (una_losses){ .mean_cos2 = NAN, .penalty = penalty * square };
    forward_block_rows(net, frozen, parameters, x, rows, w);
    forward_head(net, parameters, rows, w);
    losses->fit = w->kern->residual(rows, 1, UNA_PAD, fit_weight, t, 0, w->f);
    backward_head(net, parameters, rows, gradient, w);
    backward_blocks(net, parameters, rows, gradient, w);
    losses->total = losses->fit + losses->penalty;
}

/* ---- as a body ---------------------------------------------------------------------------------------------- */

#define NETWORK REAL(una_network)

static void residual_shape(void *at, const una_body_spec *outline)
{
    una_residual *net = at;
    *net = (una_residual){ .inputs = outline->inputs, .width = outline->width, .depth = outline->depth,
                           .features = outline->features, .activation = outline->activation };
    una_residual_shape(net);
}

static una_body_size residual_size(const void *at)
{
    const una_residual *net = at;
    return (una_body_size){ net->inputs, net->features, 1, net->head, net->parameters, net->frozen, 0 };
}

static una_body_size last_size(const void *at)
{
    const una_residual *net = at;
    return (una_body_size){ net->inputs, net->width, 1, net->head, net->parameters, net->frozen, 0 };
}

static void residual_initialise(const void *at, const una_weight_init *start, una_rng *rng, real *frozen,
                                real *parameters)
{
    REAL(una_residual_initialise)(at, start->lengthscale, rng, frozen, parameters);
}

static una_status residual_work(void **work, const NETWORK *net, size_t rows, bool slopes, const KERNELS *kernels,
                                una_arena *arena)
{
    WORK *made = NULL;
    (void)slopes;
    UNA_TRY(REAL(una_residual_work_new)(&made, net->shape, net->frozen, rows, kernels, arena));
    *work = made;
    return UNA_OK;
}

static void residual_gradient(const NETWORK *net, const real *parameters, const real *x, const real *t, size_t rows,
                              double fit_weight, double penalty, real *gradient, una_losses *losses, void *work)
{
    REAL(una_residual_gradient)(net->shape, net->frozen, parameters, x, t, rows, fit_weight, penalty, gradient, losses,
                                work);
}

static void residual_forward(const NETWORK *net, const real *parameters, const real *x, size_t rows, double *phi,
                             size_t stride, double *f, void *work)
{
    REAL(una_residual_forward)(net->shape, net->frozen, parameters, x, rows, phi, stride, f, work);
}

static void forward_last(const NETWORK *net, const real *parameters, const real *x, size_t rows, double *phi,
                         size_t stride, double *f, void *work)
{
    if (phi) REAL(una_residual_last)(net->shape, net->frozen, parameters, x, rows, phi, stride, work);
    if (f) REAL(una_residual_forward)(net->shape, net->frozen, parameters, x, rows, NULL, 0, f, work);
}

static void residual_slopes(const NETWORK *net, const real *parameters, const real *x, double *phi, double *j,
                            void *work)
{
    REAL(una_residual_slopes)(net->shape, net->frozen, parameters, x, phi, j, work);
}

static void slopes_of_last(const NETWORK *net, const real *parameters, const real *x, double *phi, double *j,
                           void *work)
{
    REAL(una_residual_last_slopes)(net->shape, net->frozen, parameters, x, phi, j, work);
}

const REAL(una_body) REAL(una_body_residual) = {
    .name = "residual",
    .shape_size = sizeof(una_residual),
    .shape = residual_shape,
    .size = residual_size,
    .matrix = una_residual_matrix,
    .initialise = residual_initialise,
    .work = residual_work,
    .gradient = residual_gradient,
    .forward = residual_forward,
    .slopes = residual_slopes,
};

const REAL(una_body) REAL(una_body_residual_last) = {
    .name = "residual_last",
    .shape_size = sizeof(una_residual),
    .shape = residual_shape,
    .size = last_size,
    .matrix = una_residual_matrix,
    .initialise = residual_initialise,
    .work = residual_work,
    .gradient = residual_gradient,
    .forward = forward_last,
    .slopes = slopes_of_last,
};
