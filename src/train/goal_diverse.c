/* SPDX-License-Identifier: MIT
 *
 * LUNA's goal for bodies whose rows go through all at once (images): the batch, probes, and probes moved a little along
 * shared random unit directions go through the network together; the statistics of normalisation are those of the batch
 * alone.
 *   (1/M) sum_m sum_i (y_i - f_m(x_i))^2/(2 sigma^2) + gamma (n/N) |Psi|^2 (heads: a share) + lambda s(u) C P,
 *   C = 2n/(M (M-1))
 * as for perceptrons (nn/luna_step.h), with the same random numbers.
 */
#include "train/training_job.h"

#include "nn/diverse.h"
#include "opt/schedule.h"

typedef struct diverse {
    const una_training_context *training;
    const una_kernels_f32 *kern;
    una_batches batches;
    una_diverse_shape most, now;
    una_diverse_work_f32 *similar;
    void  *work;
    float *x;                            /* batch, probes and moved probes [rows, inputs]                   */
    float *spare;                        /* [inputs]                                                        */
    float *phi, *dphi;                   /* [rows, padded(features)]                                        */
    float *delta, *direction;            /* [probes, directions], [directions, inputs]                      */
    una_bounds bounds;                   /* SNGP's; none otherwise                                          */
    double lambda, mean_cos2;
} diverse;

static una_rng diverse_random(const diverse *d, una_purpose purpose, size_t step)
{
    const una_training_settings *how = &d->training->job->how;
    return una_rng_at(how->seed, purpose, how->stream << 40 | step);
}

/* ---- the rows of a step ---------------------------------------------------------------------------------------- */

/* Points between two training rows, or on the line through them. */
static void diverse_place_probes(diverse *d, size_t step)
{
    const una_batches *b = &d->batches;
    una_rng rng = diverse_random(d, UNA_FOR_PROBES, step);
    for (size_t i = 0; d->now.own_probes && i < d->now.probes; i++) {
        const float *one = b->all_x + una_rng_below(&rng, b->all) * b->inputs;
        const float *other = b->all_x + una_rng_below(&rng, b->all) * b->inputs;
        double u = una_rng_uniform(&rng);
        float s = (float)(d->training->job->how.probes == UNA_PROBES_BEYOND ? 3 * u - 1 : u);
        float *to = d->x + (d->now.plain + i) * b->inputs;
        for (size_t k = 0; k < b->inputs; k++) to[k] = s * one[k] + (1 - s) * other[k];
    }
}

static void diverse_directions(diverse *d, size_t step)
{
    size_t inputs = d->batches.inputs;
    una_rng rng = diverse_random(d, UNA_FOR_DIRECTIONS, step);
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
    const una_training_settings *how = &d->training->job->how;
    const una_diverse_shape *at = &d->now;
    size_t inputs = d->batches.inputs, first = at->plain + (at->own_probes ? at->probes : 0);
    float std = (float)how->perturbation_std;
    una_rng rng = diverse_random(d, UNA_FOR_PERTURBATION, step);
    d->kern->normals(at->probes * at->directions, rng.key, rng.counter, std, 1e-3f * std, d->delta);
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
    una_rng rng = diverse_random(d, UNA_FOR_AUGMENT, step);
    una_batches_next(&d->batches);
    una_augment_rows(&d->training->job->augment, &rng, d->batches.x, d->batches.rows, d->spare);
    d->now = d->most;
    d->now.plain = d->batches.rows;
    if (d->now.probes) d->now.probes = d->batches.rows;
    memcpy(d->x, d->batches.x, d->batches.rows * d->batches.inputs * sizeof *d->x);
    if (d->now.probes == 0) return;
    diverse_place_probes(d, step);
    diverse_directions(d, step);
    diverse_move_probes(d, step);
}

/* ---- loss and gradient ------------------------------------------------------------------------------------------ */

/* Of all parameters but the running statistics; heads have a share of it. */
static double diverse_penalty(const diverse *d, const float *p, float *g)
{
    const una_training_settings *how = &d->training->job->how;
    const una_body_size *size = &d->training->size;
    double weight = how->penalty * (double)d->batches.rows / (double)d->batches.all, share = 1 - how->head_relief;
    size_t heads = size->parameters - size->carried - size->head;
    double square = d->kern->ridge(size->head, (float)(2 * weight), p, g);
    square += share * d->kern->ridge(heads, (float)(2 * weight * share), p + size->head, g + size->head);
    memset(g + size->head + heads, 0, size->carried * sizeof *g);
    return weight * square;
}

static una_status diverse_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                   una_run *run)
{
    diverse *d = context;
    const una_training_settings *how = &d->training->job->how;
    const una_network_f32 *net = &d->training->net;
    double u = (double)(step + 1) / (double)how->descent.steps;
    (void)run;
    diverse_rows_of_step(d, step);
    double heads = (double)d->now.heads, rows = (double)d->now.plain;
    double diversity = heads > 1 ? d->lambda * una_schedule(how->schedule, u) * 2 * rows / (heads * (heads - 1)) : 0;

    double penalty = diverse_penalty(d, p, g);
    una_diverse_rows_f32 all = { d->phi, d->batches.target, d->delta };
    net->body->learn(net, p, d->x, una_diverse_rows(&d->now), d->now.plain, d->phi, d->work);
    una_diverse_gradient_f32(&d->now, &all, p + d->training->size.head, how->fit_weight, diversity, d->dphi,
                             g + d->training->size.head, losses, d->similar);
    net->body->learn_back(net, p, d->dphi, g, d->work);
    losses->penalty = penalty;
    losses->total += penalty;
    d->mean_cos2 = losses->mean_cos2;
    return UNA_OK;
}

/* The running statistics follow; the diversity is steered as in nn/luna_step_real.c. */
static void diverse_after_step(void *context, float *p, bool last)
{
    diverse *d = context;
    const una_training_settings *how = &d->training->job->how;
    if (!last) d->training->net.body->after_step(&d->training->net, p, d->work);
    una_bounds_hold(&d->bounds, p, last);
    if (last) return;
    if (how->steer && isfinite(d->mean_cos2))
        d->lambda = una_steer_diversity(d->lambda, d->mean_cos2, how->target_cos2);
}

una_status una_goal_squares_learn(una_trainable_f32 *what, const una_training_context *training, una_run *run)
{
    const una_training_job *job = training->job;
    bool slopes = job->how.diversity > 0 || job->how.steer;
    UNA_NEW(&run->scratch, diverse, d, 1);
    *d = (diverse){ .training = training, .kern = una_kernels_named_f32(run->settings.kernels),
                    .lambda = job->how.diversity };
    UNA_TRY(una_training_job_batches(&d->batches, job, run));
    double bound = job->goal_options.squares.bound;
    if (bound > 0) UNA_TRY(una_bounds_new(&d->bounds, training, bound, run));

    size_t rows = d->batches.most, inputs = training->size.inputs, wide = UNA_PADDED(training->size.features);
    d->most = (una_diverse_shape){ training->size.features, training->size.heads, rows, slopes ? rows : 0,
                                   slopes ? job->how.directions : 0, slopes && job->how.probes != UNA_PROBES_DATA };
    size_t all = una_diverse_rows(&d->most);
    UNA_NEW_AT(&run->scratch, d->x, all * inputs);
    UNA_NEW_AT(&run->scratch, d->spare, inputs);
    UNA_NEW_AT(&run->scratch, d->phi, all * wide);
    UNA_NEW_AT(&run->scratch, d->dphi, all * wide);
    UNA_NEW_AT(&run->scratch, d->delta, d->most.probes * d->most.directions + 64);
    UNA_NEW_AT(&run->scratch, d->direction, d->most.directions * inputs);
    UNA_TRY(una_diverse_work_new_f32(&d->similar, &d->most, d->kern, &run->scratch));
    *what = (una_trainable_f32){ .context = d, .gradient = diverse_gradient, .after_step = diverse_after_step };
    return una_network_work_f32(&d->work, &training->net, all, run);
}
