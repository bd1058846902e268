/* SPDX-License-Identifier: MIT
 *
 * Joint draws of a process of nearest rows, as a group or question by question (near.h). What a question stands on, and with which
 * weights, does not depend on the values that were drawn: so that part is done by tasks, a chunk of questions at a
 * time, and once for all draws; the draws then run through the chunk.
 */
#include "gp/near.h"

enum { CHUNK = 512 };

static const double exact_noise = 1e-10;         /* share of the prior variance: a drawn value has no noise     */

typedef struct chain {
    const una_gp   *gp;
    const una_row_tree *tree;
    una_view  x;
    double   *at;                        /* [rows, count] coordinates of the questions                        */
    double   *mean;                      /* [rows] as predicted                                               */
    size_t    first;                     /* of the chunk; what follows is per question of it                  */
    double   *std;                       /* [CHUNK]                                                           */
    una_neighbours *earlier;             /* [CHUNK] earlier questions that it stands on                       */
    double   *weight;                    /* [CHUNK, neighbours] theirs                                        */
} chain;

static double square_between(const chain *c, size_t i, size_t j)
{
    double sum = 0;
    const double *one = c->at + i * c->tree->count, *two = c->at + j * c->tree->count;
    for (size_t d = 0; d < c->tree->count; d++) sum += (one[d] - two[d]) * (one[d] - two[d]);
    return sum;
}

static void add_earlier(const chain *c, una_near_local *local, size_t i, una_neighbours *earlier)
{
    earlier->count = 0;
    for (size_t j = 0; j < i; j++) una_neighbours_add(earlier, square_between(c, i, j), j);
    una_neighbours_by_row(earlier);
    for (size_t n = 0; n < earlier->count; n++) {
        const double *x = c->x.at + earlier->at[n].row * c->x.stride;
        una_near_local_add(local, x, 0, exact_noise * una_kernel_prior_var(c->gp->kernel, x));
    }
}

static una_status link_question(void *context, size_t index, una_run *child)
{
    const chain *c = context;
    size_t i = c->first + index, most = c->gp->neighbours;
    const double *x = c->x.at + i * c->x.stride;
    una_neighbours *earlier = &c->earlier[index];
    una_near_local local;
    UNA_TRY(una_near_local_new(&local, c->gp, c->tree, 2 * most, child));
    una_near_local_find(&local, x);
    una_near_local_add_found(&local);
    UNA_TRY(una_near_local_solve(&local, x, child));
    c->mean[i] = una_dot(local.weight, local.y, local.heap.count);
    if (i > 0) {
        una_near_local_add_found(&local);
        add_earlier(c, &local, i, earlier);
        UNA_TRY(una_near_local_solve(&local, x, child));
        memcpy(c->weight + index * most, local.weight + local.heap.count, earlier->count * sizeof *c->weight);
    }
    c->std[index] = sqrt(local.var);
    return UNA_OK;
}

/* Normals at the questions of the chunk become values. */
static void run_through(const chain *c, size_t rows, double *f)
{
    for (size_t i = 0; i < rows; i++) {
        const una_neighbours *earlier = &c->earlier[i];
        const double *weight = c->weight + i * c->gp->neighbours;
        double value = c->mean[c->first + i] + c->std[i] * f[c->first + i];
        for (size_t n = 0; n < earlier->count; n++) {
            size_t j = earlier->at[n].row;
            value += weight[n] * (f[j] - c->mean[j]);
        }
        f[c->first + i] = value;
    }
}

static una_status new_chain(chain *c, una_run *run)
{
    const una_metric metric = una_kernel_metric(c->gp->kernel, c->gp->inputs);
    size_t most = c->gp->neighbours, count = c->tree->count;
    UNA_NEW_AT(&run->scratch, c->at, c->x.rows * count);
    UNA_NEW_AT(&run->scratch, c->mean, c->x.rows);
    UNA_NEW_AT(&run->scratch, c->std, CHUNK);
    UNA_NEW_AT(&run->scratch, c->earlier, CHUNK);
    UNA_NEW_AT(&run->scratch, c->weight, CHUNK * most);
    UNA_NEW(&run->scratch, una_neighbour, earlier, CHUNK * most);
    for (size_t i = 0; i < CHUNK; i++) c->earlier[i] = (una_neighbours){ earlier + i * most, 0, most };
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
    if (x.rows <= UNA_MOST_GROUP && gp->rows <= UNA_MOST_GROUP_ROWS)
        return una_near_draw_group(gp, c.tree, x, draws, f, run);
    UNA_SCOPED(run, draw_chain(&c, draws, f, run));
    return UNA_OK;
}
