/* SPDX-License-Identifier: MIT
 *
 * Forward and backward passes of residual.h as a body, in float for training and in double for reference, and as another
 * one that ends before the Fourier features.
 */
#include "nn/residual.h"

#include "kern/real.h"

#define KERNELS REAL(una_kernels)
#define NETWORK REAL(una_network)
#define WORK REAL(una_residual_work)

enum { BLOCK = 240 };                            /* rows of a forward pass at a time */
static const double QUARTER = 1.57079632679489661923;

typedef struct WORK {
    const una_residual *net;
    const KERNELS *kern;
    const real *lift;                            /* A                                                   */
    REAL(una_fourier) fourier;
    real *h[UNA_MAX_LAYERS + 1], *d[UNA_MAX_LAYERS];     /* [rows, padded(width)]                               */
    real *z, *a, *g;                             /* [rows, padded(width)]                               */
    real *u, *phi, *dphi, *back;                 /* [rows, padded(features)]                            */
    real *f;                                     /* [rows, UNA_PAD]                                     */
    real *flipped, *flipped_spread, *flipped_head;       /* W' of one block, S', w'                         */
    const real *parameters;                      /* of the pass at hand                                 */
} WORK;

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

void REAL(una_fourier_of)(const REAL(una_fourier) *map, size_t rows, const real *h, real *z, real *phi, real *d)
{
    const KERNELS *kern = map->kernels;
    size_t wide = UNA_PADDED(map->features);
    real scale = (real)sqrt(2 / (double)map->features);
    kern->product(rows, wide, map->width, UNA_ROWS(h, UNA_PADDED(map->width)), UNA_ROWS(map->s, wide),
                  UNA_INTO(z, wide));
    kern->activate(UNA_SIN, rows, wide, map->p, (REAL(una_activated)){ z, phi, d, NULL });
    kern->scale(rows * wide, scale, phi, phi);
    kern->scale(rows * wide, scale, d, d);
}

/* A ~ N(0, 1/width), which keeps lengths on average, then Fourier's; W ~ N(0, 1/(4 width)), the rest zero. */
static void residual_initialise(const void *at, const una_weight_init *start, una_rng *rng, real *frozen,
                                real *parameters)
{
    const una_residual *net = at;
    size_t wide = UNA_PADDED(net->width);
    memset(frozen, 0, net->frozen * sizeof *frozen);
    memset(parameters, 0, net->parameters * sizeof *parameters);
    draw_normals(frozen, net->inputs, net->width, wide, 1 / sqrt((double)net->width), rng);
    REAL(una_fourier_draw)(net->width, net->features, start->lengthscale, rng, frozen + net->spread,
                           frozen + net->phase);
    for (size_t l = 0; l < net->depth; l++)
        draw_normals(parameters + l * net->layer, net->width, net->width, wide, 0.5 / sqrt((double)net->width), rng);
}

static una_status residual_work(void **work, const NETWORK *of, size_t rows, bool slopes, const KERNELS *kernels,
                                una_arena *arena)
{
    const una_residual *net = of->shape;
    const real *spread = of->frozen + net->spread;
    size_t wide = UNA_PADDED(net->width), features = UNA_PADDED(net->features), most = rows < BLOCK ? BLOCK : rows;
    (void)slopes;
    UNA_NEW(arena, WORK, w, 1);
    *w = (WORK){ .net = net, .kern = kernels, .lift = of->frozen,
                 .fourier = { net->width, net->features, spread, of->frozen + net->phase, kernels } };

    for (size_t l = 0; l <= net->depth; l++) w->h[l] = UNA_GET(arena, real, most * wide);
    for (size_t l = 0; l < net->depth; l++) w->d[l] = UNA_GET(arena, real, most * wide);
    real **const blocks[] = { &w->z, &w->a, &w->g }, **const ends[] = { &w->u, &w->phi, &w->dphi, &w->back };
    for (size_t i = 0; i < 3; i++) UNA_NEW_AT(arena, *blocks[i], most * wide);
    for (size_t i = 0; i < 4; i++) UNA_NEW_AT(arena, *ends[i], most * features);
    UNA_NEW_AT(arena, w->f, most * UNA_PAD);
    UNA_NEW_AT(arena, w->flipped, net->width * wide);
    UNA_NEW_AT(arena, w->flipped_spread, net->features * wide);
    UNA_NEW_AT(arena, w->flipped_head, features);

    kernels->transpose(net->width, net->features, spread, features, w->flipped_spread, wide);
    *work = w;
    return UNA_OK;
}

/* ---- forward ---------------------------------------------------------------------------------------------- */

/* The last layer, of one block of rows. */
static const real *forward_blocks(WORK *w, const real *parameters, const real *x, size_t rows)
{
    const una_residual *net = w->net;
    size_t wide = UNA_PADDED(net->width);
    w->parameters = parameters;
    w->kern->product(rows, wide, net->inputs, UNA_ROWS(x, net->inputs), UNA_ROWS(w->lift, wide),
                     UNA_INTO(w->h[0], wide));
    for (size_t l = 0; l < net->depth; l++) {
        const real *at = parameters + l * net->layer;
        w->kern->product(rows, wide, net->width, UNA_ROWS(w->h[l], wide), UNA_ROWS(at, wide), UNA_INTO(w->z, wide));
        w->kern->activate(net->activation, rows, wide, at + bias_at(net),
                          (REAL(una_activated)){ w->z, w->h[l + 1], w->d[l], NULL });
        w->kern->add(rows * wide, w->h[l], w->h[l + 1]);
    }
    return w->h[net->depth];
}

/* And its features. */
static const real *forward_features(WORK *w, const real *parameters, const real *x, size_t rows)
{
    REAL(una_fourier_of)(&w->fourier, rows, forward_blocks(w, parameters, x, rows), w->u, w->phi, w->dphi);
    return w->phi;
}

static REAL(una_heads) heads_of(const WORK *w)
{
    return (REAL(una_heads)){ w->kern, w->net->features, 1, w->parameters + w->net->head };
}

static void residual_forward(void *work, const real *parameters, const real *x, size_t rows, una_outputs out)
{
    WORK *w = work;
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        const real *phi = forward_features(w, parameters, x + from * w->net->inputs, count);
        const REAL(una_heads) heads = heads_of(w);
        if (out.phi) REAL(una_copy_out)(phi, count, w->net->features, out.phi + from * out.stride, out.stride);
        if (!out.f) continue;
        REAL(una_heads_forward)(&heads, count, phi, w->f);
        REAL(una_copy_out)(w->f, count, 1, out.f + from, 1);
    }
}

/* f is still that of the Fourier features. */
static void forward_last(void *work, const real *parameters, const real *x, size_t rows, una_outputs out)
{
    WORK *w = work;
    for (size_t from = 0; out.phi && from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        const real *h = forward_blocks(w, parameters, x + from * w->net->inputs, count);
        REAL(una_copy_out)(h, count, w->net->width, out.phi + from * out.stride, out.stride);
    }
    if (out.f) residual_forward(w, parameters, x, rows, (una_outputs){ .f = out.f });
}

/* Row d of A is carried through the blocks as a slope, to w->g: s <- s + act'(z) (s W). */
static void carry_slope(WORK *w, size_t d)
{
    const una_residual *net = w->net;
    size_t wide = UNA_PADDED(net->width);
    memcpy(w->g, w->lift + d * wide, wide * sizeof(real));
    for (size_t l = 0; l < net->depth; l++) {
        w->kern->product(1, wide, net->width, UNA_ROWS(w->g, wide), UNA_ROWS(w->parameters + l * net->layer, wide),
                         UNA_INTO(w->a, wide));
        w->kern->multiply(wide, w->d[l], w->a);
        w->kern->add(wide, w->a, w->g);
    }
}

static void slopes_of_last(void *work, const real *parameters, const real *x, double *phi, double *j)
{
    WORK *w = work;
    size_t width = w->net->width;
    const real *h = forward_blocks(w, parameters, x, 1);
    if (phi) REAL(una_copy_out)(h, 1, width, phi, width);
    for (size_t d = 0; d < w->net->inputs; d++) {
        carry_slope(w, d);
        REAL(una_copy_out)(w->g, 1, width, j + d * width, width);
    }
}

static void residual_slopes(void *work, const real *parameters, const real *x, double *phi, double *j)
{
    WORK *w = work;
    size_t width = w->net->width, features = w->net->features, wide = UNA_PADDED(features);
    forward_features(w, parameters, x, 1);
    if (phi) REAL(una_copy_out)(w->phi, 1, features, phi, features);
    for (size_t d = 0; d < w->net->inputs; d++) {
        carry_slope(w, d);
        w->kern->product(1, wide, width, UNA_ROWS(w->g, UNA_PADDED(width)), UNA_ROWS(w->fourier.s, wide),
                         UNA_INTO(w->back, wide));
        w->kern->multiply(wide, w->dphi, w->back);
        REAL(una_copy_out)(w->back, 1, features, j + d * features, features);
    }
}

/* ---- backward --------------------------------------------------------------------------------------------- */

/* From dL/dphi in w->back. */
static void backward_blocks(WORK *w, size_t rows, real *gradient)
{
    const una_residual *net = w->net;
    size_t wide = UNA_PADDED(net->width), features = UNA_PADDED(net->features);
    w->kern->multiply(rows * features, w->dphi, w->back);
    w->kern->product(rows, wide, net->features, UNA_ROWS(w->back, features), UNA_ROWS(w->flipped_spread, wide),
                     UNA_INTO(w->g, wide));
    for (size_t l = net->depth; l-- > 0;) {
        real *at = gradient + l * net->layer;
        memcpy(w->a, w->g, rows * wide * sizeof(real));
        w->kern->multiply(rows * wide, w->d[l], w->a);
        w->kern->product(net->width, wide, rows, UNA_COLUMNS(w->h[l], wide), UNA_ROWS(w->a, wide), UNA_ONTO(at, wide));
        w->kern->add_rows(rows, wide, w->a, at + bias_at(net));
        w->kern->transpose(net->width, net->width, w->parameters + l * net->layer, wide, w->flipped, wide);
        w->kern->product(rows, wide, net->width, UNA_ROWS(w->a, wide), UNA_ROWS(w->flipped, wide),
                         UNA_ONTO(w->g, wide));
    }
}

static void residual_gradient(void *work, const real *parameters, const REAL(una_squares) *of, real *gradient,
                              una_losses *losses)
{
    WORK *w = work;
    double square = w->kern->ridge(w->net->parameters, (real)(2 * of->penalty), parameters, gradient);
    *losses = (una_losses){ .mean_cos2 = NAN, .penalty = of->penalty * square };
    forward_features(w, parameters, of->x, of->rows);
    const REAL(una_heads) heads = heads_of(w);
    REAL(una_heads_forward)(&heads, of->rows, w->phi, w->f);
    losses->fit = w->kern->residual(of->rows, 1, of->fit_weight, of->target, 0, w->f);
    REAL(una_heads_back)(&heads, of->rows, w->phi, w->f, w->flipped_head, gradient + w->net->head, w->back);
    backward_blocks(w, of->rows, gradient);
    losses->total = losses->fit + losses->penalty;
}

/* ---- as a body ---------------------------------------------------------------------------------------------- */

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
    una_body_size size = residual_size(at);
    size.features = ((const una_residual *)at)->width;
    return size;
}

/* What both have. */
#define CALLS                                                                                                        \
    .shape_size = sizeof(una_residual), .shape = residual_shape, .matrix = una_residual_matrix,                      \
    .initialise = residual_initialise, .work = residual_work, .gradient = residual_gradient

const REAL(una_body) REAL(una_body_residual) = { .name = "residual", .size = residual_size,
                                                 .forward = residual_forward, .slopes = residual_slopes, CALLS };
const REAL(una_body) REAL(una_body_residual_last) = { .name = "residual_last", .size = last_size,
                                                      .forward = forward_last, .slopes = slopes_of_last, CALLS };
