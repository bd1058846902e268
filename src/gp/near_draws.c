/* SPDX-License-Identifier: MIT
 *
 * Joint draws of a process of nearest rows, question by question (near.h). What a question stands on, and with which
 * weights, does not depend on the values that were drawn: so that part is done by tasks, a chunk of questions at a time,
 * and once for all draws; the draws then run through the chunk.
 */
#include "gp/near.h"

enum { CHUNK = 512 };

static const double exact_noise = 1e-10;         /* share of the prior variance: a drawn value has no noise     */

typedef struct chain {
    const una_gp   *gp;
    const una_tree *tree;
    una_view  x;
    double   *at;                        /* [rows, count] coordinates of the questions                        */
    size_t    first;                     /* of the chunk; what follows is per question of it                  */
    double   *base, *std;                /* [CHUNK] the part of the mean that the rows give                   */
    size_t   *count;                     /* [CHUNK] earlier questions that it stands on                       */
    size_t   *earlier;                   /* [CHUNK, neighbours] which                                         */
    double   *weight;                    /* [CHUNK, neighbours]                                               */
} chain;

static double square_between(const chain *c, size_t i, size_t j)
{
    double sum = 0;
    const double *one = c->at + i * c->tree->count, *two = c->at + j * c->tree->count;
    for (size_t d = 0; d < c->tree->count; d++) sum += (one[d] - two[d]) * (one[d] - two[d]);
    return sum;
}

/* The nearest of the rows and of the earlier questions, which are numbered behind the rows. */
static void find_links(const chain *c, una_near_local *local, size_t i)
{
    local->heap.count = 0;
    una_tree_nearest(c->tree, c->at + i * c->tree->count, &local->heap, local->kernels);
    for (size_t j = 0; j < i; j++) una_neighbours_add(&local->heap, square_between(c, i, j), c->gp->rows + j);
    una_neighbours_by_row(&local->heap);
}

static void add_links(const chain *c, una_near_local *local)
{
    const una_gp *gp = c->gp;
    for (size_t n = 0; n < local->heap.count; n++) {
        size_t row = local->heap.at[n].row;
        const double *x = row < gp->rows ? gp->x + row * gp->inputs : c->x.at + (row - gp->rows) * c->x.stride;
        double noise = row >= gp->rows ? exact_noise * una_kernel_prior_var(gp->kernel, x)
                                       : gp->noise_var / (gp->weight ? gp->weight[row] : 1);
        una_near_local_add(local, x, row < gp->rows ? gp->y[row] : 0, noise);
    }
}

static una_status link_question(void *context, size_t index, una_run *child)
{
    const chain *c = context;
    size_t i = c->first + index, most = c->gp->neighbours, *earlier = c->earlier + index * most, count = 0;
    double *weight = c->weight + index * most;
    una_near_local local;
    UNA_TRY(una_near_local_new(&local, c->gp, c->tree, child));
    find_links(c, &local, i);
    add_links(c, &local);
    UNA_TRY(una_near_local_solve(&local, c->x.at + i * c->x.stride, child));
    c->std[index] = sqrt(local.var);
    c->base[index] = una_dot(local.weight, local.y, local.heap.count);
    for (size_t n = 0; n < local.heap.count; n++) {
        size_t row = local.heap.at[n].row;
        if (row < c->gp->rows) continue;
        weight[count] = local.weight[n];
        earlier[count++] = row - c->gp->rows;
    }
    c->count[index] = count;
    return UNA_OK;
}

/* Normals at the questions of the chunk become values. */
static void run_through(const chain *c, size_t rows, double *f)
{
    for (size_t i = 0; i < rows; i++) {
        const size_t *earlier = c->earlier + i * c->gp->neighbours;
        const double *weight = c->weight + i * c->gp->neighbours;
        double value = c->base[i] + c->std[i] * f[c->first + i];
        for (size_t n = 0; n < c->count[i]; n++) value += weight[n] * f[earlier[n]];
        f[c->first + i] = value;
    }
}

static una_status new_chain(chain *c, una_run *run)
{
    const una_metric metric = una_kernel_metric(c->gp->kernel, c->gp->inputs);
    size_t most = c->gp->neighbours, count = c->tree->count;
    UNA_NEW_AT(&run->scratch, c->at, c->x.rows * count);
    UNA_NEW_AT(&run->scratch, c->base, CHUNK);
    UNA_NEW_AT(&run->scratch, c->std, CHUNK);
    UNA_NEW_AT(&run->scratch, c->count, CHUNK);
    UNA_NEW_AT(&run->scratch, c->earlier, CHUNK * most);
    UNA_NEW_AT(&run->scratch, c->weight, CHUNK * most);
    for (size_t i = 0; i < c->x.rows; i++)
        for (size_t d = 0; d < count; d++)
            c->at[i * count + d] = una_metric_at(&metric, c->x.at + i * c->x.stride, d);
    return UNA_OK;
}

static una_status draw_chain(chain *c, size_t draws, double *f, una_run *run)
{
    size_t rows = c->x.rows;
    UNA_TRY(new_chain(c, run));
    for (c->first = 0; c->first < rows; c->first += CHUNK) {
        size_t count = UNA_MIN(CHUNK, rows - c->first);
        UNA_TRY(una_pool(run, count, link_question, c));
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
        for (size_t s = 0; s < draws; s++) run_through(c, count, f + s * rows);
    }
    return UNA_OK;
}

una_status una_near_draw(const una_gp *gp, una_view x, size_t draws, una_rng *rng, double *f, una_run *run)
{
    chain c = { .gp = gp, .x = x };
    UNA_TRY(una_near_tree(&c.tree, gp, run));
    for (size_t i = 0; i < draws * x.rows; i++) f[i] = una_rng_normal(rng);
    UNA_SCOPED(run, draw_chain(&c, draws, f, run));
    return UNA_OK;
}
