/* SPDX-License-Identifier: MIT
 *
 * Joint draws at a group of questions, of which every row tells something. The values f at the questions come first,
 * then the rows, block by block, each given f and the nearest of the rows before it:
 *   p(f) prod_b p(y_b | f, y_near(b)),  f = L v, v ~ N(0, I),  M = I + sum_b B_b'B_b,  cov f = L M^-1 L'
 * B_b and e_b, with h = sum_b B_b'e_b and mean f = L M^-1 h, are the last rows of L_rr^-1 L_rf and L_rr^-1 y, where L is
 * the factor of the covariance of f, y_near and y_b. With one block it is the exact process of all rows. The cost is
 * that of the rows times a square, and no row is left out: rows of which each says little together say much.
 * Source: Katzfuss, Guinness, Gong and Zilber, Vecchia approximations of Gaussian-process predictions, 2020 (predicted
 * values first); Quiroz, Prates, Dey and Rue, Fast Bayesian inference of block nearest neighbor Gaussian process for
 * large data, 2023 (blocks).
 */
#include "gp/near.h"

enum { BLOCK = 256, EARLIER = 768, MOST = BLOCK + EARLIER };

typedef struct group {
    const una_gp   *gp;
    const una_row_tree *tree;
    una_view  x;                         /* the questions                                                     */
    double    jitter;
    size_t    asked, count, earlier;     /* questions; rows of the block and before it; those before it       */
    double   *at, *y, *noise;            /* [asked + MOST, inputs]: questions, then rows; [MOST] [MOST]       */
    una_side  side;                      /* of at                                                             */
    double   *l;                         /* [asked + MOST, stride]                                            */
    size_t    stride;
    double   *tiles;                     /* [columns / UNA_TILE] of [MOST, UNA_TILE]                          */
    size_t    columns;                   /* asked + 1, the last is y, in whole tiles                          */
    double   *sum;                       /* [columns, columns] lower tiles: sum of [B, e]'[B, e]              */
    una_neighbours heap;                 /* places of the tree                                                */
    double   *middle;                    /* of the block                                                      */
} group;

/* ---- covariances ------------------------------------------------------------------------------------------------- */

typedef struct filling { const group *g; size_t first, last; } filling;

/* The lower triangle of the covariance, some rows of it. */
static una_status fill_some(void *context, size_t index, una_run *child)
{
    const filling *f = context;
    const group *g = f->g;
    size_t from = f->first + index * UNA_TILE, to = UNA_MIN(from + UNA_TILE, f->last);
    double out[UNA_TILE];
    una_pairs pairs;
    UNA_TRY(una_pairs_init(&pairs, g->gp->kernel, &child->scratch, child));
    for (size_t i = from; i < to; i++) {
        double *row = g->l + i * g->stride;
        for (size_t first = 0; first <= i; first += UNA_TILE) {
            size_t count = UNA_MIN(UNA_TILE, i + 1 - first);
            una_pairs_values(&pairs, (una_pair_tile){ &g->side, i, &g->side, first, UNA_PADDED(count) }, out);
            memcpy(row + first, out, count * sizeof *out);
        }
        row[i] += g->jitter + (i < g->asked ? 0 : g->noise[i - g->asked]);
    }
    return UNA_OK;
}

/* Rows [first, last) of the factor; those before are there. */
static una_status factor_rows(group *g, size_t first, size_t last, una_run *run)
{
    const una_view all = { g->at, last, g->gp->inputs, g->gp->inputs };
    filling f = { g, first, last };
    una_side_fill(&g->side, g->gp->kernel, all);
    UNA_TRY(una_pool(run, (last - first + UNA_TILE - 1) / UNA_TILE, fill_some, &f));
    return una_large_chol(g->l, first, last, g->stride, "the covariance of questions and rows", run);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void gather_row(group *g, size_t place)
{
    const una_gp *gp = g->gp;
    size_t row = g->tree->row[place];
    memcpy(g->at + (g->asked + g->count) * gp->inputs, gp->x + row * gp->inputs, gp->inputs * sizeof *g->at);
    g->y[g->count] = gp->y[row];
    g->noise[g->count++] = una_gp_row_noise(gp, row);
}

static double square_to_middle(const group *g, size_t place)
{
    const una_row_tree *t = g->tree;
    double sum = 0;
    for (size_t d = 0; d < t->count; d++) {
        double away = t->at[d * t->stride + place] - g->middle[d];
        sum += away * away;
    }
    return sum;
}

/* Places [first, last) of the tree, which lie together, after those of the places before that are nearest to them. */
static void take_block(group *g, size_t first, size_t last)
{
    const una_row_tree *t = g->tree;
    g->count = g->heap.count = 0;
    for (size_t d = 0; d < t->count; d++) {
        g->middle[d] = 0;
        for (size_t i = first; i < last; i++) g->middle[d] += t->at[d * t->stride + i] / (double)(last - first);
    }
    for (size_t i = 0; i < first; i++) una_neighbours_add(&g->heap, square_to_middle(g, i), i);
    una_neighbours_by_row(&g->heap);
    for (size_t n = 0; n < g->heap.count; n++) gather_row(g, g->heap.at[n].row);
    g->earlier = g->count;
    for (size_t i = first; i < last; i++) gather_row(g, i);
}

/* Some columns of -L_rr^-1 [L_rf, y]. */
static una_status solve_tile(void *context, size_t index, una_run *child)
{
    const group *g = context;
    double *tile = g->tiles + index * MOST * UNA_TILE;
    size_t first = index * UNA_TILE;
    for (size_t r = 0; r < g->count; r++)
        for (size_t c = 0; c < UNA_TILE; c++) {
            size_t column = first + c;
            double value = column == g->asked ? g->y[r] : 0;
            if (column < g->asked) value = g->l[(g->asked + r) * g->stride + column];
            tile[r * UNA_TILE + c] = value;
        }
    una_large_lower_solve(g->l + g->asked * g->stride + g->asked, g->count, g->stride, tile, UNA_TILE, 0, child);
    return UNA_OK;
}

/* One tile row of the sum. */
static una_status add_tile_row(void *context, size_t index, una_run *child)
{
    const group *g = context;
    double part[UNA_TILE * UNA_TILE], *sum = g->sum + index * UNA_TILE * g->columns;
    for (size_t other = 0; other <= index; other++) {
        una_large_gram(g->tiles + index * MOST * UNA_TILE, g->tiles + other * MOST * UNA_TILE, g->earlier, g->count,
                       part, child);
        for (size_t r = 0; r < UNA_TILE; r++)
            for (size_t c = 0; c < UNA_TILE; c++) sum[r * g->columns + other * UNA_TILE + c] += part[r * UNA_TILE + c];
    }
    return UNA_OK;
}

/* Places [first, last) of the tree as one more block. */
static una_status add_block(group *g, size_t first, size_t last, una_run *run)
{
    UNA_TRY(una_tick(run, "drawing functions", (double)first / (double)g->gp->rows, NAN));
    take_block(g, first, last);
    UNA_TRY(factor_rows(g, g->asked, g->asked + g->count, run));
    UNA_TRY(una_pool(run, g->columns / UNA_TILE, solve_tile, g));
    return una_pool(run, g->columns / UNA_TILE, add_tile_row, g);
}

/* Leaves [first, last) of the tree: blocks are its largest nodes of at most BLOCK rows, since their rows lie together. */
static una_status add_leaves(group *g, size_t first, size_t last, una_run *run)
{
    size_t middle = first + (last - first) / 2;
    if (last - first <= BLOCK / UNA_TILE)
        return add_block(g, first * UNA_TILE, UNA_MIN(last * UNA_TILE, g->gp->rows), run);
    UNA_TRY(add_leaves(g, first, middle, run));
    return add_leaves(g, middle, last, run);
}

/* ---- the posterior of the questions ------------------------------------------------------------------------------ */

/* Some columns of -R^-1 L', where M = R R'. */
static una_status spread_tile(void *context, size_t index, una_run *child)
{
    const group *g = context;
    double *tile = g->tiles + index * MOST * UNA_TILE;
    memset(tile, 0, g->asked * UNA_TILE * sizeof *tile);
    for (size_t c = 0; c < UNA_TILE && index * UNA_TILE + c < g->asked; c++) {
        const double *l = g->l + (index * UNA_TILE + c) * g->stride;
        for (size_t k = 0; k <= index * UNA_TILE + c; k++) tile[k * UNA_TILE + c] = l[k];
    }
    una_large_lower_solve(g->sum, g->asked, g->columns, tile, UNA_TILE, 0, child);
    return UNA_OK;
}

/* The sum becomes R, the tiles -R^-1 L', and mean [asked] what it says. */
static una_status solve_posterior(group *g, double *mean, una_run *run)
{
    size_t asked = g->asked;
    UNA_NEW(&run->scratch, double, h, asked);
    memcpy(h, g->sum + asked * g->columns, asked * sizeof *h);
    for (size_t i = 0; i < asked; i++) g->sum[i * g->columns + i] += 1;
    UNA_TRY(una_large_chol(g->sum, 0, asked, g->columns, "the posterior precision", run));
    UNA_TRY(una_pool(run, g->columns / UNA_TILE, spread_tile, g));
    una_large_forward(g->sum, asked, g->columns, h);
    for (size_t i = 0; i < asked; i++) {
        const double *tile = g->tiles + i / UNA_TILE * MOST * UNA_TILE + i % UNA_TILE;
        mean[i] = 0;
        for (size_t k = 0; k < asked; k++) mean[i] -= tile[k * UNA_TILE] * h[k];
    }
    return UNA_OK;
}

/* The sum becomes the covariance of the questions, and its factor. */
static una_status factor_posterior(group *g, una_run *run)
{
    memset(g->sum, 0, g->columns * g->columns * sizeof *g->sum);
    g->earlier = 0;
    g->count = g->asked;
    UNA_TRY(una_pool(run, g->columns / UNA_TILE, add_tile_row, g));
    for (size_t i = 0; i < g->asked; i++) g->sum[i * g->columns + i] += g->jitter;
    return una_large_chol(g->sum, 0, g->asked, g->columns, "the posterior covariance", run);
}

static una_status new_group(group *g, una_run *run)
{
    una_arena *arena = &run->scratch;
    const una_gp *gp = g->gp;
    size_t rows = g->asked + UNA_MIN(MOST, gp->rows);
    g->stride = una_large_stride(rows);
    g->columns = (g->asked + UNA_TILE) / UNA_TILE * UNA_TILE;
    g->heap = (una_neighbours){ UNA_GET(arena, una_neighbour, EARLIER), 0, EARLIER };
    UNA_NEW_AT(arena, g->middle, g->tree->count);
    UNA_NEW_AT(arena, g->at, rows * gp->inputs);
    UNA_NEW_AT(arena, g->y, MOST);
    UNA_NEW_AT(arena, g->noise, MOST);
    UNA_NEW_AT(arena, g->l, rows * g->stride);
    UNA_NEW_AT(arena, g->tiles, g->columns * MOST);
    UNA_NEW_AT(arena, g->sum, g->columns * g->columns);
    for (size_t i = 0; i < g->asked; i++)
        memcpy(g->at + i * gp->inputs, g->x.at + i * g->x.stride, gp->inputs * sizeof *g->at);
    return una_side_room(&g->side, gp->kernel, rows, arena);
}

/* Normals become values; the last first, since a value needs the normals up to its own. */
static void draw_values(const group *g, const double *mean, size_t draws, double *f)
{
    for (size_t s = 0; s < draws; s++, f += g->asked)
        for (size_t i = g->asked; i-- > 0;) f[i] = mean[i] + una_dot(g->sum + i * g->columns, f, i + 1);
}

static una_status draw_group(group *g, size_t draws, double *f, una_run *run)
{
    UNA_NEW(&run->scratch, double, mean, g->asked);
    UNA_TRY(new_group(g, run));
    UNA_TRY(factor_rows(g, 0, g->asked, run));
    UNA_TRY(add_leaves(g, 0, g->tree->leaves, run));
    UNA_TRY(solve_posterior(g, mean, run));
    UNA_TRY(factor_posterior(g, run));
    draw_values(g, mean, draws, f);
    return UNA_OK;
}

una_status una_near_draw_group(const una_gp *gp, const una_row_tree *tree, una_view x, size_t draws, double *f,
                               una_run *run)
{
    const double first = 1e-10, last = 1e-4;
    double prior = 0;
    for (size_t i = 0; i < x.rows; i++) prior += una_kernel_prior_var(gp->kernel, x.at + i * x.stride) / (double)x.rows;
    for (double share = first; share < 2 * last; share *= 10) {
        group g = { .gp = gp, .tree = tree, .x = x, .asked = x.rows, .jitter = gp->jitter_var + share * prior };
        una_mark mark = una_arena_mark(&run->scratch);
        una_status status = draw_group(&g, draws, f, run);
        una_arena_release(&run->scratch, mark);
        if (status == UNA_OK) una_clear_message(run);
        if (status != UNA_E_NUMERIC) return status;
    }
    UNA_FAIL(run, UNA_E_NUMERIC, "gp: the covariance of %zu questions and the rows has no Cholesky factor even with %g "
             "of the prior variance added to its diagonal; draw at fewer rows", x.rows, last);
}
