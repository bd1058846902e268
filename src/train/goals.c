/* SPDX-License-Identifier: MIT
 *
 * What is minimised, each as a gradient for the loop of opt/descent, over N rows in batches of n:
 *   squares    sum (y - f)^2/(2 sigma^2) + gamma (n/N) |theta|^2, singular values of weights at most c
 *   evidence   -log N(y; 0, s2 I + alpha Phi Phi') + gamma |theta hidden|^2, all rows every step; of several targets
 *              the sum, each over the rows that have it
 *   anchor     |y - f|^2/n + (sigma_eps^2/(sigma_prior^2 N)) |theta - theta_anchor|^2
 *   dropout    |y - f|^2/n + l^2 (1 - p)/(2 N tau) |W|^2, units dropped with probability p, tau = 1/sigma^2
 *   bound      KL(q | prior) - (N/n) E_q log N(y; f, sigma^2),  q = prod N(mu, softplus(rho)^2)
 * Sources: with the kinds that train so (nlm.c, nn.c, mcd.c, bbvi.c, sngp.c).
 */
#include "train/training_job.h"

#include "committee/several_targets.h"
#include "infer/head.h"
#include "infer/vi.h"
#include "nn/anchor.h"
#include "nn/dropout.h"
#include "nn/spectral.h"

una_status una_training_job_batches(una_batches *batches, const una_training_job *job, una_run *run)
{
    const una_training_rows *r = job->rows;
    size_t batch = job->how.descent.optimiser == UNA_GD ? 0 : job->how.batch;
    return una_batches_init(batches, r->x, r->target, r->rows, r->inputs, batch, job->how.seed, job->how.stream,
                            &run->scratch);
}

/* ---- bounds of singular values ---------------------------------------------------------------------------- */

struct una_bounded { una_spectral_f32 spectral; size_t at; };

una_status una_bounds_new(una_bounds *bounds, const una_training_context *training, double most, una_run *run)
{
    const una_training_job *job = training->job;
    una_rng rng = training->rng;
    una_matrix m;
    size_t matrices = 0;
    while (job->body->matrix(job->shape, matrices, &m)) matrices++;
    *bounds = (una_bounds){ .of = UNA_GET(&run->scratch, struct una_bounded, matrices), .most = most };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; job->body->matrix(job->shape, i, &m); i++) {
        if (m.frozen || m.weights == 0 || m.at == training->size.head) continue;
        struct una_bounded *to = &bounds->of[bounds->count++];
        to->at = m.at;
        una_spectral_init_f32(&to->spectral, m.weights, m.cols, m.stride, &rng, &run->scratch);
    }
    return una_arena_check(&run->scratch);
}

void una_bounds_hold(const una_bounds *bounds, float *p, bool last)
{
    for (size_t i = 0; i < bounds->count; i++) {
        una_spectral_f32 *s = &bounds->of[i].spectral;
        float *w = p + bounds->of[i].at;
        una_spectral_bound_f32(s, last ? una_spectral_norm_f32(s, w) : una_spectral_step_f32(s, w), bounds->most, w);
    }
}

/* ---- squares ---------------------------------------------------------------------------------------------- */

typedef struct squares {
    const una_training_context *training;
    una_batches batches;
    void *work;
    una_bounds bounds;
} squares;

static una_status squares_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                   una_run *run)
{
    squares *s = context;
    const una_network_f32 *net = &s->training->net;
    const una_training_settings *how = &s->training->job->how;
    (void)step, (void)run;
    una_batches_next(&s->batches);
    double share = (double)s->batches.rows / (double)s->batches.all;
    net->body->gradient(net, p, s->batches.x, s->batches.target, s->batches.rows, how->fit_weight, how->penalty * share,
                        g, losses, s->work);
    return UNA_OK;
}

static void hold_bounds(void *context, float *p, bool last)
{
    una_bounds_hold(&((squares *)context)->bounds, p, last);
}

una_status una_goal_squares(una_trainable_f32 *what, const una_training_context *training, una_run *run)
{
    const una_training_job *job = training->job;
    UNA_NEW(&run->scratch, squares, s, 1);
    s->training = training;
    *what = (una_trainable_f32){ .context = s, .gradient = squares_gradient };

    if (job->goal_options.squares.bound > 0) {
        UNA_TRY(una_bounds_new(&s->bounds, training, job->goal_options.squares.bound, run));
        what->after_step = hold_bounds;
    }
    UNA_TRY(una_training_job_batches(&s->batches, job, run));
    return una_network_work_f32(&s->work, &training->net, s->batches.most, run);
}

/* ---- evidence --------------------------------------------------------------------------------------------- */

typedef struct evidence {
    const una_training_context *training;
    double *phi, *dphi, *narrow;         /* [rows, features + 1] with the column of ones; without it        */
    una_cells cells;                     /* of the target at hand                                           */
    una_head head;
    una_work_f32 *work;
} evidence;

/* d(-log evidence)/dPhi of one target, added. */
static una_status add_target(evidence *e, size_t target, double *log_evidence, una_run *run)
{
    const una_training_job *job = e->training->job;
    const una_cells *c = &e->cells;
    size_t features = una_net_features(job->shape), k = features + 1;
    double scale = job->how.target_scale ? job->how.target_scale[target] : 1;
    una_cells_pick(&e->cells, e->phi, job->rows->y, job->rows->rows, target);
    una_stats_clear(&e->head.stats);
    UNA_TRY(una_stats_add(&e->head.stats, c->phi, c->y, c->rows, run));
    e->head.noise_var = job->goal_options.evidence.noise_var / (scale * scale);
    UNA_TRY(una_head_solve(&e->head, run));

    una_head_phi_gradient(&e->head, c->phi, c->y, c->rows, e->dphi);
    for (size_t i = 0; i < c->rows; i++) {
        double *to = e->narrow + (c->row ? c->row[i] : i) * features;
        for (size_t j = 0; j < features; j++) to[j] += e->dphi[i * k + j];
    }
    *log_evidence += e->head.log_evidence;
    return UNA_OK;
}

static una_status evidence_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                    una_run *run)
{
    evidence *e = context;
    const una_net *net = e->training->job->shape;
    const una_training_rows *r = e->training->job->rows;
    double penalty = e->training->job->how.penalty, square = 0, log_evidence = 0;
    size_t features = una_net_features(net), k = features + 1;
    (void)step;
    una_net_forward_f32(net, p, r->x, r->rows, e->phi, k, NULL, e->work);
    memset(e->narrow, 0, r->rows * features * sizeof(double));
    for (size_t t = 0; t < una_training_rows_outputs(r); t++) UNA_TRY(add_target(e, t, &log_evidence, run));
    memset(g, 0, net->parameters * sizeof *g);
    for (size_t i = 0; i < net->hidden_parameters; i++) {
        square += (double)p[i] * (double)p[i];
        g[i] = (float)(2 * penalty) * p[i];
    }
    una_net_backward_f32(net, p, r->x, r->rows, e->narrow, g, e->work);
    *losses = (una_losses){ .penalty = penalty * square, .mean_cos2 = NAN };
    losses->total = losses->penalty - log_evidence;
    return UNA_OK;
}

una_status una_goal_evidence(una_trainable_f32 *what, const una_training_context *training, una_run *run)
{
    const una_training_job *job = training->job;
    size_t k = training->size.features + 1, rows = job->rows->rows;
    UNA_NEW(&run->scratch, evidence, e, 1);

    *e = (evidence){ .training = training, .phi = una_phi_with_one(rows, k, &run->scratch),
                     .dphi = UNA_GET(&run->scratch, double, rows * k),
                     .narrow = UNA_GET(&run->scratch, double, rows * k) };
    una_head_init(&e->head, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));

    e->head.prior_var = job->goal_options.evidence.prior_var;
    UNA_TRY(una_cells_take(&e->cells, rows, k, una_training_rows_outputs(job->rows), &run->scratch));
    *what = (una_trainable_f32){ .context = e, .gradient = evidence_gradient };
    return una_work_new_f32(&e->work, job->shape, &(una_work_size){ .rows = 1 },
                            una_kernels_named_f32(run->settings.kernels), &run->scratch);
}

/* ---- anchor ----------------------------------------------------------------------------------------------- */

typedef struct anchored {
    const una_training_context *training;
    una_batches batches;
    void  *work;
    float *anchor;
    double weight;
} anchored;

static una_status anchored_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                    una_run *run)
{
    anchored *a = context;
    const una_network_f32 *net = &a->training->net;
    (void)step, (void)run;
    una_batches_next(&a->batches);
    net->body->gradient(net, p, a->batches.x, a->batches.target, a->batches.rows, 1 / (double)a->batches.rows, 0, g,
                        losses, a->work);
    losses->penalty = una_anchor_add_f32(a->training->size.parameters, a->weight, p, a->anchor, g);
    losses->total += losses->penalty;
    return UNA_OK;
}

/* First weights ~ N(0, init_var) instead of the usual ones; one anchor for all folds of a member. */
una_status una_goal_anchor(una_trainable_f32 *what, const una_training_context *training, una_run *run)
{
    const una_training_job *job = training->job;
    una_rng first = una_rng_at(job->how.seed, UNA_FOR_INIT, job->init_stream ? job->init_stream : job->how.stream);
    una_rng anchors = una_rng_at(job->how.seed, UNA_FOR_INIT, 1u << 20);
    UNA_NEW(&run->scratch, anchored, a, 1);
    UNA_NEW(&run->scratch, float, anchor, training->size.parameters);
    una_anchor_draw_f32(job->shape, job->goal_options.anchor.init_var, &first, training->parameters);
    una_anchor_draw_f32(job->shape, job->goal_options.anchor.prior_var, &anchors, anchor);

    *a = (anchored){ .training = training, .anchor = anchor,
                     .weight = job->goal_options.anchor.noise_var /
                               (job->goal_options.anchor.prior_var * (double)job->rows->rows) };
    *what = (una_trainable_f32){ .context = a, .gradient = anchored_gradient };
    UNA_TRY(una_training_job_batches(&a->batches, job, run));
    return una_network_work_f32(&a->work, &training->net, a->batches.most, run);
}

/* ---- dropout ---------------------------------------------------------------------------------------------- */

typedef struct dropping {
    const una_training_context *training;
    una_batches batches;
    una_work_f32 *work;
    double decay;
    float *mask[UNA_MAX_LAYERS], *input_mask;
} dropping;

/* A step: a batch, masks for each of its rows, the loss. */
static una_status dropout_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                   una_run *run)
{
    dropping *d = context;
    const una_training_job *job = d->training->job;
    const una_net *net = job->shape;
    double drop = job->goal_options.dropout.rate;
    (void)run;
    una_rng rng = una_rng_at(job->how.seed, UNA_FOR_PERTURBATION, job->how.stream << 40 | step);
    una_batches_next(&d->batches);
    size_t rows = d->batches.rows, inputs = net->size[0];
    if (job->goal_options.dropout.inputs) {
        una_dropout_mask(&rng, drop, rows * inputs, d->input_mask);
        for (size_t i = 0; i < rows * inputs; i++) d->batches.x[i] *= d->input_mask[i];
    }
    for (size_t k = 0; k < net->depth; k++)
        una_dropout_mask(&rng, drop, rows * UNA_PADDED(net->size[k + 1]), d->mask[k]);

    una_batch_f32 batch = { .rows = rows, .x = d->batches.x, .target = d->batches.target, .target_heads = 1,
                            .mask = d->mask };
    una_objective_f32 objective = { .fit_weight = 1 / (double)rows, .penalty = d->decay, .free_biases = true };
    una_net_gradient_f32(net, p, &batch, &objective, g, losses, d->work);
    return UNA_OK;
}

double una_dropout_decay(const una_training_job *job)
{
    double noise_var = 1 / (2 * job->how.fit_weight);
    double length_scale = job->goal_options.dropout.length_scale, keep = 1 - job->goal_options.dropout.rate;
    return pow(length_scale, 2) * keep * noise_var / (2 * (double)job->rows->rows);
}

una_status una_goal_dropout(una_trainable_f32 *what, const una_training_context *training, una_run *run)
{
    const una_training_job *job = training->job;
    const una_net *net = job->shape;
    UNA_NEW(&run->scratch, dropping, d, 1);
    *d = (dropping){ .training = training, .decay = una_dropout_decay(job) };
    *what = (una_trainable_f32){ .context = d, .gradient = dropout_gradient };

    UNA_TRY(una_training_job_batches(&d->batches, job, run));
    for (size_t k = 0; k < net->depth; k++)
        d->mask[k] = UNA_GET(&run->scratch, float, d->batches.most * UNA_PADDED(net->size[k + 1]));
    UNA_NEW_AT(&run->scratch, d->input_mask, d->batches.most * net->size[0]);
    return una_work_new_f32(&d->work, net, &(una_work_size){ .rows = d->batches.most },
                            una_kernels_named_f32(run->settings.kernels), &run->scratch);
}

/* ---- bound ------------------------------------------------------------------------------------------------ */

typedef struct bounding {
    const una_training_context *training;
    const una_kernels_f64 *normals;
    una_batches batches;
    void  *work;
    size_t count;                        /* packed parameters: half of what is trained                      */
    double fit_weight;                   /* of this batch                                                   */
    double *eps, *spare;                 /* [samples, count], [3 count]                                     */
    float *packed, *parameters, *gradient;
} bounding;

/* log p of the batch, N/n times, without the constant. */
static una_status log_likelihood(void *context, const double *theta, double *log_lik, double *gradient, una_run *run)
{
    bounding *b = context;
    const una_network_f32 *net = &b->training->net;
    una_losses losses;
    (void)run;
    for (size_t i = 0; i < b->count; i++) b->packed[i] = (float)theta[i];
    una_net_unpack(net->shape, b->packed, b->parameters);
    net->body->gradient(net, b->parameters, b->batches.x, b->batches.target, b->batches.rows, b->fit_weight, 0,
                        b->gradient, &losses, b->work);
    una_net_pack(net->shape, b->gradient, b->packed);
    for (size_t i = 0; i < b->count; i++) gradient[i] = -(double)b->packed[i];
    *log_lik = -losses.fit;
    return UNA_OK;
}

/* A step; p is mu, then rho. */
static una_status bound_gradient(void *context, size_t step, const double *p, double *g, una_losses *losses,
                                 una_run *run)
{
    bounding *b = context;
    const una_training_job *job = b->training->job;
    una_rng rng = una_rng_at(job->how.seed, UNA_FOR_PERTURBATION, job->how.stream << 40 | step);
    b->normals->normals(job->goal_options.elbo.samples * b->count, rng.key, rng.counter, 1, 0, b->eps);
    una_batches_next(&b->batches);
    b->fit_weight = job->how.fit_weight * (double)b->batches.all / (double)b->batches.rows;

    una_vi q = { b->count, job->goal_options.elbo.prior_var, p, p + b->count };
    una_vi_terms terms;
    UNA_TRY(una_vi_loss(&q, b->eps, job->goal_options.elbo.samples, log_likelihood, b, &terms, g, g + b->count,
                        b->spare, run));
    *losses = (una_losses){ .fit = -terms.log_lik, .penalty = terms.kl, .mean_cos2 = NAN, .total = terms.loss };
    return UNA_OK;
}

/* Starts narrow around the usual first weights: a wide start drowns the data in its own noise. */
una_status una_goal_elbo(una_trainable_f64 *what, double **p, const una_training_context *training, una_run *run)
{
    const una_training_job *job = training->job;
    una_arena *scratch = &run->scratch;
    size_t count = una_net_packed(job->shape), samples = job->goal_options.elbo.samples;
    bounding *b = UNA_GET(scratch, bounding, 1);
    *p = UNA_GET(scratch, double, 2 * count);
    UNA_TRY(una_arena_check(scratch));
    *b = (bounding){ .training = training, .normals = una_kernels_named_f64(run->settings.kernels), .count = count,
                     .eps = UNA_GET(scratch, double, samples * count), .spare = UNA_GET(scratch, double, 3 * count),
                     .packed = UNA_GET(scratch, float, count),
                     .parameters = UNA_GET(scratch, float, training->size.parameters),
                     .gradient = UNA_GET(scratch, float, training->size.parameters) };
    UNA_TRY(una_arena_check(scratch));
    *what = (una_trainable_f64){ .parameters = 2 * count, .context = b, .gradient = bound_gradient };

    una_net_pack(job->shape, training->parameters, b->packed);
    for (size_t i = 0; i < count; i++) {
        (*p)[i] = (double)b->packed[i];
        (*p)[count + i] = una_softplus_inverse(job->goal_options.elbo.start_std);
    }
    UNA_TRY(una_training_job_batches(&b->batches, job, run));
    return una_network_work_f32(&b->work, &training->net, b->batches.most, run);
}
