/* SPDX-License-Identifier: MIT
 *
 * The buffers of one training step, shared by net_real.c and diversity_real.c; in the precision of kern/real.h.
 */
#include "nn/net.h"

#include "kern/real.h"

#define KERNELS REAL(una_kernels)
#define BATCH REAL(una_batch)
#define OBJECTIVE REAL(una_objective)
#define WORK REAL(una_work)

enum { BLOCK = 240 };                    /* rows of a forward pass at a time; a multiple of every tile's rows */

typedef struct layer {
    real *z, *h, *d, *dd;                /* plain rows [rows, width]: before, after, first and second derivative */
    real *u, *s, *e;                     /* slope rows [probes*directions, width]: before, after, act' at the far end */
} layer;

struct REAL(una_work) {
    const KERNELS *kern;
    size_t most_rows, most_probes, most_directions, widest;
    layer  layer[UNA_MAX_LAYERS];
    real  *f;                            /* [rows, heads] outputs, then their gradient                 */
    real  *g[2], *gs[2];                 /* gradients of plain and slope rows, in turns                */
    real  *flipped;                      /* a layer's weights transposed                               */
    real  *slope_sum;
    /* the similarity penalty: */
    real  *heads_flipped;                /* W [M, padded(L)], kept for the backward pass of the heads  */
    real  *a;                            /* A = J'J [L, padded(L)]                                     */
    real  *wa, *kw, *b, *dw;             /* W A, K W, W'K W, K W A                                     */
    real  *s, *k;                        /* S = W A W', K  [M, padded(M)]                              */
    real  *slopes;                       /* per point: G [probes*directions, padded(M)]                */
    double *cosine;                      /* K in double [M, M]                                         */
};

void REAL(una_net_flip)(const una_net *net, const real *parameters, size_t l, real *flipped, WORK *w);
void REAL(una_diversity_take)(WORK *w, const una_net *net, bool per_point, una_arena *arena);
/* Fills losses->diverse and mean_cos2, w->gs[0] = diversity dP/dJ, adds to the heads' gradient. */
void REAL(una_diversity)(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                         real *gradient, una_losses *losses, WORK *w);
