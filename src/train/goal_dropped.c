/* SPDX-License-Identifier: MIT
 *
 * Dropout's goal for bodies whose rows go through all at once (images): inside the body nothing is dropped; features
 * are, again for each row and step, before the head:
 *   (1/n) sum (y - w'(m phi) - b)^2 + l^2 (1 - p)/(2 N tau) |W|^2,   m = 0 with probability p, else 1/(1 - p),
 * W holds all weights, those of the head included, but no bias and no scale or shift of a normalisation: Gal's recipe
 * decays weights, not biases.
 */
#include "train/training_job.h"

#include "nn/diverse.h"
#include "nn/dropout.h"

typedef struct dropping {
    const una_training_context *training;
    const una_kernels_f32 *kern;
    una_batches batches;
    una_diverse_work_f32 *fit;
    void  *work;
    double decay;
    float *spare;                        /* [inputs]                                                        */
    float *phi, *dphi, *mask;            /* [rows, padded(features)]                                        */
} dropping;

/* Gradient of the weights into g; everything else in g becomes zero. */
static double decay_weights(const dropping *d, const float *p, float *g)
{
    const una_training_job *job = d->training->job;
    double square = 0;
    una_matrix m;
    memset(g, 0, d->training->size.parameters * sizeof *g);
    for (size_t i = 0; job->body->matrix(job->shape, i, &m); i++)
        if (!m.frozen && m.weights)
            square += d->kern->ridge(m.weights * m.stride, (float)(2 * d->decay), p + m.at, g + m.at);
    return d->decay * square;
}

static void features_dropout_rows(dropping *d, size_t step)
{
    const una_training_job *job = d->training->job;
    uint64_t stream = job->how.stream << 40 | step;
    una_rng images = una_rng_at(job->how.seed, UNA_FOR_AUGMENT, stream);
    una_rng units = una_rng_at(job->how.seed, UNA_FOR_PERTURBATION, stream);
    una_batches_next(&d->batches);
    una_augment_rows(&job->augment, &images, d->batches.x, d->batches.rows, d->spare);
    una_dropout_mask(&units, job->goal_options.dropout.rate,
                     d->batches.rows * UNA_PADDED(d->training->size.features), d->mask);
}

static una_status features_dropout_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                            una_run *run)
{
    dropping *d = context;
    const una_network_f32 *net = &d->training->net;
    const una_body_size *size = &d->training->size;
    (void)run;
    features_dropout_rows(d, step);
    size_t rows = d->batches.rows, numbers = rows * UNA_PADDED(size->features);
    double penalty = decay_weights(d, p, g);
    net->body->learn(net, p, d->batches.x, rows, rows, d->phi, d->work);
    d->kern->multiply(numbers, d->mask, d->phi);
    una_diverse_shape shape = { .features = size->features, .heads = size->heads, .plain = rows };
    una_diverse_rows_f32 all = { .phi = d->phi, .target = d->batches.target };
    una_diverse_gradient_f32(&shape, &all, p + size->head, 1 / (double)rows, 0, d->dphi, g + size->head, losses,
                             d->fit);
    d->kern->multiply(numbers, d->mask, d->dphi);
    net->body->learn_back(net, p, d->dphi, g, d->work);
    losses->penalty = penalty;
    losses->total += penalty;
    return UNA_OK;
}

static void dropped_after_step(void *context, float *p, bool last)
{
    dropping *d = context;
    if (!last) d->training->net.body->after_step(&d->training->net, p, d->work);
}

una_status una_goal_dropout_learn(una_trainable_f32 *what, const una_training_context *training, una_run *run)
{
    const una_training_job *job = training->job;
    UNA_NEW(&run->scratch, dropping, d, 1);
    *d = (dropping){ .training = training, .kern = una_kernels_named_f32(run->settings.kernels),
                     .decay = una_dropout_decay(job) };
    UNA_TRY(una_training_job_batches(&d->batches, job, run));

    size_t rows = d->batches.most, wide = UNA_PADDED(training->size.features);
    una_diverse_shape most = { .features = training->size.features, .heads = training->size.heads, .plain = rows };
    UNA_NEW_AT(&run->scratch, d->spare, training->size.inputs);
    UNA_NEW_AT(&run->scratch, d->phi, rows * wide);
    UNA_NEW_AT(&run->scratch, d->dphi, rows * wide);
    UNA_NEW_AT(&run->scratch, d->mask, rows * wide);
    UNA_TRY(una_diverse_work_new_f32(&d->fit, &most, d->kern, &run->scratch));
    *what = (una_trainable_f32){ .context = d, .gradient = features_dropout_gradient,
                                 .after_step = dropped_after_step };
    return una_network_work_f32(&d->work, &training->net, rows, run);
}
