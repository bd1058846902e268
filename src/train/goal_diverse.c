/* SPDX-License-Identifier: MIT
 *
 * Goals of bodies whose rows go through all at once (images). LUNA's: the batch, probes, and probes moved a little along
 * shared random unit directions go through the network together; the statistics of normalisation are those of the batch
 * alone.
 *   (1/M) sum_m sum_i (y_i - f_m(x_i))^2/(2 sigma^2) + gamma (n/N) |Psi|^2 (heads: a share) + lambda s(u) C P,
 *   C = 2n/(M (M-1))
 * as for perceptrons (nn/luna_step.h), with the same random numbers. Dropout's: inside the body nothing is dropped;
 * features are, again for each row and step, before the head:
 *   (1/n) sum (y - w'(m phi) - b)^2 + l^2 (1 - p)/(2 N tau) |W|^2,   m = 0 with probability p, else 1/(1 - p),
 * W holds all weights, those of the head included, but no bias and no scale or shift of a normalisation: Gal's recipe
 * decays weights, not biases.
 */
#include "train/training_job.h"

#include "nn/diverse.h"
#include "nn/dropout.h"
#include "opt/schedule.h"

typedef struct diverse {
    una_training_context *t;
    una_diverse_shape most, now;
    una_diverse_work_f32 *similar;
    float *x;                            /* batch, probes and moved probes [rows, inputs]                   */
    float *spare;                        /* [inputs]                                                        */
    float *phi, *dphi;                   /* [rows, padded(features)]                                        */
    float *delta, *direction;            /* [probes, directions], [directions, inputs]                      */
    float *mask;                         /* [rows, padded(features)] what is dropped; NULL: nothing         */
    double lambda, mean_cos2;
} diverse;

/* ---- mirrored and moved images --------------------------------------------------------------------------------- */

/* The nearest place inside of a side of `size` to place `at`, which may lie beyond its ends. */
static size_t nearest_place(ptrdiff_t at, size_t size)
{
    if (at < 0) return 0;
    return (size_t)at >= size ? size - 1 : (size_t)at;
}

static ptrdiff_t draw_shift(una_rng *rng, size_t shifts)
{
    return shifts ? (ptrdiff_t)una_rng_below(rng, 2 * shifts + 1) - (ptrdiff_t)shifts : 0;
}

void una_augment_rows(const una_augment *how, una_rng *rng, float *x, size_t rows, float *spare)
{
    una_image_shape s = how->image;
    size_t each = s.height * s.width * s.channels;
    if (!how->flips && how->shifts == 0) return;
    for (size_t r = 0; r < rows; r++) {
        bool flip = how->flips && (una_rng_u32(rng) & 1);
        ptrdiff_t down = draw_shift(rng, how->shifts), right = draw_shift(rng, how->shifts);
        float *image = x + r * each;
        if (!flip && down == 0 && right == 0) continue;
        memcpy(spare, image, each * sizeof *spare);
        for (size_t i = 0; i < s.height; i++)
            for (size_t j = 0; j < s.width; j++) {
                size_t from_row = nearest_place((ptrdiff_t)i - down, s.height);
                size_t from = nearest_place((ptrdiff_t)j - right, s.width);
                if (flip) from = s.width - 1 - from;
                memcpy(image + (i * s.width + j) * s.channels, spare + (from_row * s.width + from) * s.channels,
                       s.channels * sizeof *image);
            }
    }
}

/* ---- the rows of a step ---------------------------------------------------------------------------------------- */

/* Points between two training rows, or on the line through them. */
static void diverse_place_probes(diverse *d, size_t step)
{
    const una_training_rows *r = d->t->job->rows;
    una_rng rng = una_goal_random(d->t, UNA_FOR_PROBES, step);
    for (size_t i = 0; d->now.own_probes && i < d->now.probes; i++) {
        const float *one = r->x + una_rng_below(&rng, r->rows) * r->inputs;
        const float *other = r->x + una_rng_below(&rng, r->rows) * r->inputs;
        double u = una_rng_uniform(&rng);
        float s = (float)(d->t->job->how.probes == UNA_PROBES_BEYOND ? 3 * u - 1 : u);
        float *to = d->x + (d->now.plain + i) * r->inputs;
        for (size_t k = 0; k < r->inputs; k++) to[k] = s * one[k] + (1 - s) * other[k];
    }
}

static void diverse_directions(diverse *d, size_t step)
{
    size_t inputs = d->t->size.inputs;
    una_rng rng = una_goal_random(d->t, UNA_FOR_DIRECTIONS, step);
    for (size_t k = 0; k < d->now.directions; k++) {
        float *to = d->direction + k * inputs;
        double square = 0;
        for (size_t i = 0; i < inputs; i++) {
            to[i] = (float)una_rng_normal(&rng);
            square += (double)to[i] * (double)to[i];
        }
        for (size_t i = 0; i < inputs; i++) to[i] /= (float)sqrt(square);
    }
}

static void diverse_move_probes(diverse *d, size_t step)
{
    const una_training_settings *how = &d->t->job->how;
    const una_diverse_shape *at = &d->now;
    size_t inputs = d->t->size.inputs, first = at->plain + (at->own_probes ? at->probes : 0);
    float std = (float)how->perturbation_std;
    una_rng rng = una_goal_random(d->t, UNA_FOR_PERTURBATION, step);
    d->t->kern->normals(at->probes * at->directions, rng.key, rng.counter, std, 1e-3f * std, d->delta);
    for (size_t i = 0; i < at->probes; i++)
        for (size_t k = 0; k < at->directions; k++) {
            const float *restrict from = d->x + (at->own_probes ? at->plain + i : i) * inputs;
            const float *restrict along = d->direction + k * inputs, by = d->delta[i * at->directions + k];
            float *restrict to = d->x + (first + i * at->directions + k) * inputs;
            for (size_t j = 0; j < inputs; j++) to[j] = from[j] + by * along[j];
        }
}

static void diverse_rows_of_step(diverse *d, size_t step)
{
    const una_training_job *job = d->t->job;
    una_batches *b = &d->t->batches;
    una_rng rng = una_goal_random(d->t, UNA_FOR_AUGMENT, step), units = una_goal_random(d->t, UNA_FOR_PERTURBATION, step);
    una_goal_next_batch(d->t);
    una_augment_rows(&job->augment, &rng, b->x, b->rows, d->spare);
    d->now = d->most;
    d->now.plain = b->rows;
    if (d->mask)
        una_dropout_mask(&units, job->goal_options.dropout.rate, b->rows * UNA_PADDED(d->now.features), d->mask);
    if (!una_compares_slopes(&d->t->job->how, step)) d->now.probes = 0;
    if (d->now.probes == 0) return;
    d->now.probes = b->rows;
    memcpy(d->x, b->x, b->rows * d->t->size.inputs * sizeof *d->x);
    diverse_place_probes(d, step);
    diverse_directions(d, step);
    diverse_move_probes(d, step);
}

/* ---- loss and gradient ------------------------------------------------------------------------------------------ */

/* Of all parameters but the running statistics; heads have a share of it. */
static double diverse_penalty(const una_training_context *t, const float *p, float *g)
{
    const una_training_settings *how = &t->job->how;
    const una_body_size *size = &t->size;
    double weight = how->penalty * (double)t->batches.rows / (double)t->job->rows->rows, share = 1 - how->head_relief;
    size_t heads = size->parameters - size->carried - size->head;
    double square = t->kern->ridge(size->head, (float)(2 * weight), p, g);
    square += share * t->kern->ridge(heads, (float)(2 * weight * share), p + size->head, g + size->head);
    memset(g + size->head + heads, 0, size->carried * sizeof *g);
    return weight * square;
}

/* Gradient of the weights into g; everything else in g becomes zero. */
static double decay_weights(const una_training_context *t, const float *p, float *g)
{
    double square = 0, decay = una_dropout_decay(t->job);
    una_matrix m;
    memset(g, 0, t->size.parameters * sizeof *g);
    for (size_t i = 0; t->job->body->matrix(t->job->shape, i, &m); i++)
        if (!m.frozen && m.weights)
            square += t->kern->ridge(m.weights * m.stride, (float)(2 * decay), p + m.at, g + m.at);
    return decay * square;
}

static void drop_features(const diverse *d, float *of)
{
    if (d->mask) d->t->kern->multiply(d->now.plain * UNA_PADDED(d->now.features), d->mask, of);
}

static una_status diverse_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                   una_run *run)
{
    diverse *d = context;
    una_training_context *t = d->t;
    const una_training_settings *how = &t->job->how;
    (void)run;
    diverse_rows_of_step(d, step);
    double u = (double)(step + 1) / (double)how->descent.steps;
    double heads = (double)d->now.heads, rows = (double)d->now.plain;
    double diversity = heads > 1 ? d->lambda * una_schedule(how->schedule, u) * 2 * rows / (heads * (heads - 1)) : 0;
    diversity *= una_slopes_count(how);

    double penalty = d->mask ? decay_weights(t, p, g) : diverse_penalty(t, p, g);
    const una_diverse_rows_f32 all = { d->phi, t->batches.target, d->delta, p + t->size.head,
                                       d->mask ? 1 / rows : how->fit_weight, diversity };
    t->net.body->learn(t->work, p, d->now.probes ? d->x : t->batches.x, una_diverse_rows(&d->now), d->now.plain, d->phi);
    drop_features(d, d->phi);
    una_diverse_gradient_f32(&d->now, &all, d->dphi, g + t->size.head, losses, d->similar);
    drop_features(d, d->dphi);
    t->net.body->learn_back(t->work, d->dphi, g);
    losses->penalty = penalty;
    losses->total += penalty;
    if (d->now.probes || !d->most.probes) d->mean_cos2 = losses->mean_cos2;
    losses->mean_cos2 = d->mean_cos2;
    return UNA_OK;
}

/* The running statistics follow; the diversity is steered as in nn/luna_step_real.c. */
static void diverse_after_step(void *context, float *p, bool last)
{
    diverse *d = context;
    const una_training_settings *how = &d->t->job->how;
    if (!last) d->t->net.body->after_step(d->t->work, p);
    una_bounds_hold(d->t, p, last);
    if (!last && how->steer && isfinite(d->mean_cos2))
        d->lambda = una_steer_diversity(d->lambda, d->mean_cos2, how->target_cos2);
}

una_status una_goal_learn(una_trainable_f32 *what, una_training_context *t, una_run *run)
{
    const una_training_job *job = t->job;
    una_arena *scratch = &run->scratch;
    bool slopes = job->how.diversity > 0 || job->how.steer;
    UNA_NEW(scratch, diverse, d, 1);
    UNA_TRY(una_goal_batches(t, run));
    if (job->goal == UNA_GOAL_SQUARES) UNA_TRY(una_bounds_new(t, run));

    size_t rows = t->batches.most, inputs = t->size.inputs, wide = UNA_PADDED(t->size.features);
    *d = (diverse){ .t = t, .lambda = job->how.diversity,
                    .most = { t->size.features, t->size.heads, rows, slopes ? rows : 0,
                              slopes ? job->how.directions : 0, slopes && job->how.probes != UNA_PROBES_DATA } };
    size_t all = una_diverse_rows(&d->most);
    if (slopes) UNA_NEW_AT(scratch, d->x, all * inputs);
    if (job->goal == UNA_GOAL_DROPOUT) UNA_NEW_AT(scratch, d->mask, rows * wide);
    UNA_NEW_AT(scratch, d->spare, inputs);
    UNA_NEW_AT(scratch, d->phi, all * wide);
    UNA_NEW_AT(scratch, d->dphi, all * wide);
    UNA_NEW_AT(scratch, d->delta, d->most.probes * d->most.directions + 64);
    UNA_NEW_AT(scratch, d->direction, d->most.directions * inputs);
    UNA_TRY(una_diverse_work_new_f32(&d->similar, &d->most, t->kern, scratch));
    *what = (una_trainable_f32){ .context = d, .gradient = diverse_gradient, .after_step = diverse_after_step };
    return una_network_work_f32(&t->work, &t->net, all, run);
}
