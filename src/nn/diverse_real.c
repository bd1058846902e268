/* SPDX-License-Identifier: MIT
 *
 * The objective of diverse.h. With J [probes x directions, features] the slopes of the features and W the heads:
 *   G = J W,   S = G'G,   P and K from S (as in diversity_real.c),   dP/dG = G K,   dP/dW = J'G K,   dP/dJ = G K W'
 */
#include "nn/diverse.h"

#include "kern/real.h"

#define WORK REAL(una_diverse_work)
#define ROWS REAL(una_diverse_rows)

struct WORK {
    const REAL(una_kernels) *kern;
    real *f;                             /* [plain, padded(heads)]                                          */
    real *j, *dj;                        /* [probes x directions, padded(features)]                         */
    real *g, *gk;                        /* [probes x directions, padded(heads)]                            */
    real *s, *k;                         /* [heads, padded(heads)]                                          */
    real *turned;                        /* W' [heads, padded(features)]                                    */
    double *inverse;
};

una_status REAL(una_diverse_work_new)(WORK **work, const una_diverse_shape *most, const REAL(una_kernels) *kernels,
                                      una_arena *arena)
{
    size_t wide = UNA_PADDED(most->features), heads = UNA_PADDED(most->heads), moves = most->probes * most->directions;
    WORK *w = *work = UNA_GET(arena, WORK, 1);
    UNA_TRY(una_arena_check(arena));
    *w = (WORK){ .kern = kernels, .f = UNA_GET(arena, real, most->plain * heads),
                 .j = UNA_GET(arena, real, moves * wide), .dj = UNA_GET(arena, real, moves * wide),
                 .g = UNA_GET(arena, real, moves * heads), .gk = UNA_GET(arena, real, moves * heads),
                 .s = UNA_GET(arena, real, most->heads * heads), .k = UNA_GET(arena, real, most->heads * heads),
                 .turned = UNA_GET(arena, real, most->heads * wide), .inverse = UNA_GET(arena, double, most->heads) };
    return una_arena_check(arena);
}

/* Rows of phi that probe i is, and its first move. */
static size_t probe_row(const una_diverse_shape *at, size_t i)
{
    return at->own_probes ? at->plain + i : i;
}

static size_t move_row(const una_diverse_shape *at, size_t i)
{
    return at->plain + (at->own_probes ? at->probes : 0) + i * at->directions;
}

static double fit_gradient(const una_diverse_shape *at, const ROWS *rows, real *dphi, real *gradient, WORK *w)
{
    const REAL(una_heads) heads = { w->kern, at->features, at->heads, rows->head };
    REAL(una_heads_forward)(&heads, at->plain, rows->phi, w->f);
    double loss = w->kern->residual(at->plain, at->heads, rows->fit_weight / (double)at->heads, rows->target, 0, w->f);
    REAL(una_heads_back)(&heads, at->plain, rows->phi, w->f, w->turned, gradient, dphi);
    return loss;
}

/* J, a row for every move. */
static void difference_slopes(const una_diverse_shape *at, const ROWS *rows, WORK *w)
{
    size_t wide = UNA_PADDED(at->features);
    for (size_t i = 0; i < at->probes; i++)
        for (size_t d = 0; d < at->directions; d++) {
            const real *restrict base = rows->phi + probe_row(at, i) * wide;
            const real *restrict moved = rows->phi + (move_row(at, i) + d) * wide;
            real *restrict to = w->j + (i * at->directions + d) * wide, share = 1 / rows->delta[i * at->directions + d];
            for (size_t k = 0; k < wide; k++) to[k] = share * (moved[k] - base[k]);
        }
}

static void give_slopes(const una_diverse_shape *at, const ROWS *rows, real *dphi, const WORK *w)
{
    size_t wide = UNA_PADDED(at->features);
    for (size_t i = 0; i < at->probes; i++)
        for (size_t d = 0; d < at->directions; d++) {
            const real *restrict from = w->dj + (i * at->directions + d) * wide;
            const real share = 1 / rows->delta[i * at->directions + d];
            real *restrict base = dphi + probe_row(at, i) * wide, *restrict moved = dphi + (move_row(at, i) + d) * wide;
            for (size_t k = 0; k < wide; k++) {
                moved[k] = share * from[k];
                base[k] -= share * from[k];
            }
        }
}

static double add_similarity_gradient(const una_diverse_shape *at, const ROWS *rows, real *dphi, real *gradient, WORK *w)
{
    size_t wide = UNA_PADDED(at->features), heads = UNA_PADDED(at->heads), moves = at->probes * at->directions;
    difference_slopes(at, rows, w);
    w->kern->product(moves, heads, at->features, UNA_ROWS(w->j, wide), UNA_ROWS(rows->head, heads), UNA_INTO(w->g, heads));
    w->kern->product(at->heads, heads, moves, UNA_COLUMNS(w->g, heads), UNA_ROWS(w->g, heads), UNA_INTO(w->s, heads));
    double p = w->kern->slopes->similarity(at->heads, heads, w->s, rows->diversity, w->k, w->inverse);

    w->kern->product(moves, heads, at->heads, UNA_ROWS(w->g, heads), UNA_ROWS(w->k, heads), UNA_INTO(w->gk, heads));
    w->kern->product(at->features, heads, moves, UNA_COLUMNS(w->j, wide), UNA_ROWS(w->gk, heads),
                     UNA_ONTO(gradient, heads));
    w->kern->product(moves, wide, at->heads, UNA_ROWS(w->gk, heads), UNA_ROWS(w->turned, wide), UNA_INTO(w->dj, wide));
    give_slopes(at, rows, dphi, w);
    return p;
}

void REAL(una_diverse_gradient)(const una_diverse_shape *at, const ROWS *rows, real *dphi, real *gradient,
                                una_losses *losses, WORK *w)
{
    double pairs = 0.5 * (double)at->heads * (double)(at->heads - 1);
    memset(dphi, 0, una_diverse_rows(at) * UNA_PADDED(at->features) * sizeof *dphi);
    *losses = (una_losses){ .mean_cos2 = NAN, .fit = fit_gradient(at, rows, dphi, gradient, w) };
    if (at->probes) {
        losses->diverse = add_similarity_gradient(at, rows, dphi, gradient, w);
        losses->mean_cos2 = losses->diverse / pairs;
    }
    losses->total = losses->fit + rows->diversity * losses->diverse;
}
