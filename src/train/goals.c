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

#include "train/joint_targets.h"
#include "infer/head.h"
#include "infer/vi.h"
#include "nn/anchor.h"
#include "nn/dropout.h"
#include "nn/spectral.h"

una_rng una_goal_random(const una_training_context *t, una_purpose purpose, size_t step)
{
    return una_rng_at(t->job->how.seed, purpose, t->job->how.stream << 40 | step);
}

una_status una_goal_batches(una_training_context *t, una_run *run)
{
    const una_training_rows *r = t->job->rows;
    const una_training_settings *how = &t->job->how;
    una_batches *b = &t->batches;
    bool whole = how->batch == 0 || how->batch >= r->rows || how->descent.optimiser == UNA_GD;
    t->kern = una_kernels_named_f32(run->settings.kernels);
    b->count = whole ? 1 : (r->rows + how->batch / 2) / how->batch;
    b->most = (r->rows + b->count - 1) / b->count;
    UNA_NEW_AT(&run->scratch, b->x, b->most * r->inputs);
    UNA_NEW_AT(&run->scratch, b->target, b->most);
    return una_order_new(&b->order, r->rows, &run->scratch);
}

void una_goal_next_batch(una_training_context *t)
{
    const una_training_rows *r = t->job->rows;
    una_batches *b = &t->batches;
    size_t at = b->step % b->count, from = at * r->rows / b->count;
    if (at == 0 && b->count > 1) {
        una_rng rng = una_goal_random(t, UNA_FOR_BATCHES, b->step / b->count);
        una_rng_permute(&rng, b->order, r->rows);
    }
    b->rows = (at + 1) * r->rows / b->count - from;
    for (size_t i = 0; i < b->rows; i++) {
        size_t row = b->order[from + i];
        memcpy(b->x + i * r->inputs, r->x + row * r->inputs, r->inputs * sizeof(float));
        b->target[i] = r->target[row];
    }
    b->step++;
}

/* Batches, and work for them. */
static una_status begin_batches(una_training_context *t, una_run *run)
{
    UNA_TRY(una_goal_batches(t, run));
    return una_network_work_f32(&t->work, &t->net, t->batches.most, run);
}

/* Of goals that look inside a multi-layer perceptron, whose shape is a una_net. */
static una_status need_perceptron(const una_training_job *job, const char *goal, una_run *run)
{
    if (job->body == &una_body_mlp_f32) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s trains multi-layer perceptrons alone, and this network is of the body '%s'; give it "
             "another goal, or take a perceptron", goal, job->body->name);
}

/* ---- bounds of singular values ---------------------------------------------------------------------------- */

struct una_bounded { una_spectral_f32 spectral; size_t at; };

una_status una_bounds_new(una_training_context *t, una_run *run)
{
    const una_training_job *job = t->job;
    una_rng rng = t->rng;
    una_matrix m;
    size_t matrices = 0;
    if (!(job->goal_options.squares.bound > 0)) return UNA_OK;
    while (job->body->matrix(job->shape, matrices, &m)) matrices++;
    UNA_NEW_AT(&run->scratch, t->bounded, matrices);
    for (size_t i = 0; job->body->matrix(job->shape, i, &m); i++) {
        if (m.frozen || m.weights == 0 || m.at == t->size.head) continue;
        struct una_bounded *to = &t->bounded[t->bounds++];
        to->at = m.at;
        una_spectral_init_f32(&to->spectral, m.weights, m.cols, m.stride, &rng, &run->scratch);
    }
    return una_arena_check(&run->scratch);
}

void una_bounds_hold(const una_training_context *t, float *p, bool last)
{
    for (size_t i = 0; i < t->bounds; i++) {
        una_spectral_f32 *s = &t->bounded[i].spectral;
        float *w = p + t->bounded[i].at;
        una_spectral_bound_f32(s, last ? una_spectral_norm_f32(s, w) : una_spectral_step_f32(s, w),
                               t->job->goal_options.squares.bound, w);
    }
}

/* ---- squares, with a penalty or an anchor ------------------------------------------------------------------ */

typedef struct squares {
    una_training_context *t;
    float *anchor;                       /* NULL: the penalty                                               */
    double weight;                       /* of the distance from it                                         */
} squares;

static una_status squares_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                   una_run *run)
{
    const squares *s = context;
    una_training_context *t = s->t;
    (void)step, (void)run;
    una_goal_next_batch(t);
    double rows = (double)t->batches.rows, share = rows / (double)t->job->rows->rows;
    const una_squares_f32 of = { t->batches.x, t->batches.target, t->batches.rows,
                                 s->anchor ? 1 / rows : t->job->how.fit_weight,
                                 s->anchor ? 0 : t->job->how.penalty * share };
    t->net.body->gradient(t->work, p, &of, g, losses);
    if (!s->anchor) return UNA_OK;
    losses->penalty = una_anchor_add_f32(t->size.parameters, s->weight, p, s->anchor, g);
    losses->total += losses->penalty;
    return UNA_OK;
}

static void hold_bounds(void *context, float *p, bool last)
{
    una_bounds_hold(((const squares *)context)->t, p, last);
}

/* First weights ~ N(0, init_var) instead of the usual ones; one anchor for all folds of a member. */
static una_status draw_anchor(squares *s, una_run *run)
{
    const una_training_job *job = s->t->job;
    una_rng first = una_rng_at(job->how.seed, UNA_FOR_INIT, job->init_stream ? job->init_stream : job->how.stream);
    una_rng anchors = una_rng_at(job->how.seed, UNA_FOR_INIT, 1u << 20);
    UNA_NEW_AT(&run->scratch, s->anchor, s->t->size.parameters);
    una_anchor_draw_f32(job->body->matrix, job->shape, job->goal_options.anchor.init_var, &first, s->t->parameters);
    una_anchor_draw_f32(job->body->matrix, job->shape, job->goal_options.anchor.prior_var, &anchors, s->anchor);
    s->weight = job->goal_options.anchor.noise_var / (job->goal_options.anchor.prior_var * (double)job->rows->rows);
    return UNA_OK;
}

una_status una_goal_squares(una_trainable_f32 *what, una_training_context *t, una_run *run)
{
    UNA_NEW(&run->scratch, squares, s, 1);
    s->t = t;
    *what = (una_trainable_f32){ .context = s, .gradient = squares_gradient, .after_step = hold_bounds };
    UNA_TRY(t->job->goal == UNA_GOAL_ANCHOR ? draw_anchor(s, run) : una_bounds_new(t, run));
    return begin_batches(t, run);
}

/* ---- evidence --------------------------------------------------------------------------------------------- */

typedef struct evidence {
    const una_training_context *t;
    double *phi, *dphi, *narrow;         /* [rows, features + 1] with the column of ones; without it        */
    una_cells cells;                     /* of the target at hand                                           */
    una_head head;
} evidence;

/* d(-log evidence)/dPhi of one target, added. */
static una_status add_target(evidence *e, size_t target, double *log_evidence, una_run *run)
{
    const una_training_job *job = e->t->job;
    const una_cells *c = &e->cells;
    size_t features = e->t->size.features, k = features + 1;
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
    const una_net *net = e->t->job->shape;
    const una_training_rows *r = e->t->job->rows;
    double penalty = e->t->job->how.penalty, square = 0, log_evidence = 0;
    size_t features = net->features, k = features + 1;
    (void)step;
    una_net_forward_f32(e->t->work, p, r->x, r->rows, (una_outputs){ .phi = e->phi, .stride = k });
    memset(e->narrow, 0, r->rows * features * sizeof(double));
    for (size_t t = 0; t < r->outputs; t++) UNA_TRY(add_target(e, t, &log_evidence, run));
    memset(g, 0, net->parameters * sizeof *g);
    for (size_t i = 0; i < net->hidden_parameters; i++) {
        square += (double)p[i] * (double)p[i];
        g[i] = (float)(2 * penalty) * p[i];
    }
    una_net_backward_f32(e->t->work, p, r->x, r->rows, e->narrow, g);
    *losses = (una_losses){ .penalty = penalty * square, .mean_cos2 = NAN };
    losses->total = losses->penalty - log_evidence;
    return UNA_OK;
}

una_status una_goal_evidence(una_trainable_f32 *what, una_training_context *t, una_run *run)
{
    const una_training_job *job = t->job;
    size_t k = t->size.features + 1, rows = job->rows->rows;
    UNA_TRY(need_perceptron(job, "the evidence", run));
    UNA_NEW(&run->scratch, evidence, e, 1);
    *e = (evidence){ .t = t, .phi = una_phi_with_one(rows, k, &run->scratch),
                     .dphi = UNA_GET(&run->scratch, double, rows * k),
                     .narrow = UNA_GET(&run->scratch, double, rows * k) };
    UNA_TRY(una_head_init(&e->head, k, &run->scratch));
    e->head.prior_var = job->goal_options.evidence.prior_var;
    UNA_TRY(una_cells_take(&e->cells, rows, k, job->rows->outputs, &run->scratch));
    *what = (una_trainable_f32){ .context = e, .gradient = evidence_gradient };
    return una_network_work_f32(&t->work, &t->net, 1, run);
}

/* ---- dropout ---------------------------------------------------------------------------------------------- */

typedef struct dropping {
    una_training_context *t;
    float *mask[UNA_MAX_LAYERS], *input_mask;
} dropping;

/* A step: a batch, masks for each of its rows, the loss. */
static una_status dropout_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                   una_run *run)
{
    dropping *d = context;
    una_batches *b = &d->t->batches;
    const una_training_job *job = d->t->job;
    const una_net *net = job->shape;
    double drop = job->goal_options.dropout.rate;
    (void)run;
    una_rng rng = una_goal_random(d->t, UNA_FOR_PERTURBATION, step);
    una_goal_next_batch(d->t);
    size_t numbers = job->goal_options.dropout.inputs ? b->rows * net->size[0] : 0;
    una_dropout_mask(&rng, drop, numbers, d->input_mask);
    for (size_t i = 0; i < numbers; i++) b->x[i] *= d->input_mask[i];
    for (size_t k = 0; k < net->depth; k++)
        una_dropout_mask(&rng, drop, b->rows * UNA_PADDED(net->size[k + 1]), d->mask[k]);

    una_batch_f32 batch = { .rows = b->rows, .x = b->x, .target = b->target, .target_heads = 1, .mask = d->mask };
    una_objective_f32 objective = { .fit_weight = 1 / (double)b->rows, .penalty = una_dropout_decay(job),
                                    .free_biases = true };
    una_net_gradient_f32(d->t->work, p, &batch, &objective, g, losses);
    return UNA_OK;
}

double una_dropout_decay(const una_training_job *job)
{
    double noise_var = 1 / (2 * job->how.fit_weight);
    double length_scale = job->goal_options.dropout.length_scale, keep = 1 - job->goal_options.dropout.rate;
    return pow(length_scale, 2) * keep * noise_var / (2 * (double)job->rows->rows);
}

una_status una_goal_dropout(una_trainable_f32 *what, una_training_context *t, una_run *run)
{
    const una_net *net = t->job->shape;
    UNA_TRY(need_perceptron(t->job, "dropout", run));
    UNA_NEW(&run->scratch, dropping, d, 1);
    d->t = t;
    *what = (una_trainable_f32){ .context = d, .gradient = dropout_gradient };
    UNA_TRY(begin_batches(t, run));
    for (size_t k = 0; k < net->depth; k++)
        UNA_NEW_AT(&run->scratch, d->mask[k], t->batches.most * UNA_PADDED(net->size[k + 1]));
    UNA_NEW_AT(&run->scratch, d->input_mask, t->batches.most * net->size[0]);
    return UNA_OK;
}

/* ---- bound ------------------------------------------------------------------------------------------------ */

typedef struct bounding {
    una_training_context *t;
    const una_kernels_f64 *normals;
    size_t count;                        /* packed parameters: half of what is trained                      */
    double fit_weight;                   /* of this batch                                                   */
    double *eps, *spare;                 /* [samples, count], [3 count]                                     */
    float *packed, *parameters, *gradient;
} bounding;

/* log p of the batch, N/n times, without the constant. */
static una_status log_likelihood(void *context, const double *theta, double *log_lik, double *gradient, una_run *run)
{
    bounding *b = context;
    const una_network_f32 *net = &b->t->net;
    const una_batches *rows = &b->t->batches;
    una_losses losses;
    (void)run;
    for (size_t i = 0; i < b->count; i++) b->packed[i] = (float)theta[i];
    una_matrices_unpack(net->body->matrix, net->shape, b->packed, b->parameters);
    const una_squares_f32 of = { rows->x, rows->target, rows->rows, b->fit_weight, 0 };
    net->body->gradient(b->t->work, b->parameters, &of, b->gradient, &losses);
    una_matrices_pack(net->body->matrix, net->shape, b->gradient, b->packed);
    for (size_t i = 0; i < b->count; i++) gradient[i] = -(double)b->packed[i];
    *log_lik = -losses.fit;
    return UNA_OK;
}

/* A step; p is mu, then rho. */
static una_status bound_gradient(void *context, size_t step, const double *p, double *g, una_losses *losses,
                                 una_run *run)
{
    bounding *b = context;
    const una_training_job *job = b->t->job;
    size_t samples = job->goal_options.elbo.samples;
    una_rng rng = una_goal_random(b->t, UNA_FOR_PERTURBATION, step);
    b->normals->normals(samples * b->count, rng.key, rng.counter, 1, 0, b->eps);
    una_goal_next_batch(b->t);
    b->fit_weight = job->how.fit_weight * (double)job->rows->rows / (double)b->t->batches.rows;

    const una_vi q = { b->count, job->goal_options.elbo.prior_var, p, p + b->count, g, g + b->count };
    una_vi_terms terms;
    UNA_TRY(una_vi_loss(&q, b->eps, samples, &(una_vi_target){ log_likelihood, b }, &terms, b->spare, run));
    *losses = (una_losses){ .fit = -terms.log_lik, .penalty = terms.kl, .mean_cos2 = NAN, .total = terms.loss };
    return UNA_OK;
}

/* Starts narrow around the usual first weights: a wide start drowns the data in its own noise. */
una_status una_train_elbo(una_trained_job *to, una_training_context *t, una_run *run)
{
    const una_training_job *job = t->job;
    una_arena *scratch = &run->scratch;
    size_t count = una_matrices_packed(job->body->matrix, job->shape);
    bounding b = { .t = t, .normals = una_kernels_named_f64(run->settings.kernels), .count = count };
    una_trainable_f64 what = { .parameters = 2 * count, .context = &b, .gradient = bound_gradient };
    UNA_NEW_AT(&to->arena, to->numbers, 2 * count);
    UNA_NEW_AT(scratch, b.eps, job->goal_options.elbo.samples * count);
    UNA_NEW_AT(scratch, b.spare, 3 * count);
    UNA_NEW_AT(scratch, b.packed, count);
    UNA_NEW_AT(scratch, b.parameters, t->size.parameters);
    UNA_NEW_AT(scratch, b.gradient, t->size.parameters);
    UNA_TRY(begin_batches(t, run));

    una_matrices_pack(job->body->matrix, job->shape, t->parameters, b.packed);
    for (size_t i = 0; i < count; i++) {
        to->numbers[i] = (double)b.packed[i];
        to->numbers[count + i] = una_softplus_inverse(job->goal_options.elbo.start_std);
    }
    UNA_TRY(una_descend_f64(&what, to->numbers, &job->how.descent, &to->trained, &to->arena, run));
    for (size_t i = count; i < 2 * count; i++) to->numbers[i] = una_softplus(to->numbers[i]);
    return UNA_OK;
}
