/* SPDX-License-Identifier: MIT
 *
 * Trainings of a feature network on the task pool, and what they say of rows they did not see. See trials.h.
 */
#include "fit/trials.h"

#include <string.h>

enum { LOOK_ROWS = 4096 };               /* looks at held-out rows use at most so many                      */

/* ---- one training --------------------------------------------------------------------------------------- */

typedef struct watch {                   /* what a look needs: posterior of training rows, judged on others */
    una_network_f32 net;
    const float *x, *watch_x;            /* [rows, inputs], [watch_rows, inputs]                            */
    const double *y, *watch_y;
    size_t rows, watch_rows;
    double *phi, *watch_phi;
    una_stats stats;
    void  *work;
} watch;

static una_status look(void *context, const float *parameters, double *score, una_run *run)
{
    watch *w = context;
    size_t k = w->stats.features;
    w->net.body->forward(&w->net, parameters, w->x, w->rows, w->phi, k, NULL, w->work);
    w->net.body->forward(&w->net, parameters, w->watch_x, w->watch_rows, w->watch_phi, k, NULL, w->work);
    memset(w->stats.gram, 0, k * k * sizeof(double));
    memset(w->stats.moment, 0, k * sizeof(double));
    w->stats.square = w->stats.rows = 0;
    una_stats_add(&w->stats, w->phi, w->y, w->rows);
    double noise_var = UNA_AUTO, rmse;
    return una_choose_valid(&noise_var, 1, &w->stats, w->watch_phi, w->watch_y, w->watch_rows, score, &rmse, run);
}

typedef struct marginal {                /* marginal likelihood as a loss of the hidden layers              */
    const una_net *net;
    const float *x;
    const double *y;
    size_t rows;
    double penalty;
    double *phi, *dphi, *narrow;
    una_head head;
    una_work_f32 *work;
} marginal;

static una_status evidence_gradient(void *context, size_t step, const float *parameters, float *gradient,
                                    una_losses *losses, una_run *run)
{
    marginal *e = context;
    size_t features = una_net_features(e->net), k = features + 1;
    (void)step;
    una_net_forward_f32(e->net, parameters, e->x, e->rows, e->phi, k, NULL, e->work);
    memset(e->head.stats.gram, 0, k * k * sizeof(double));
    memset(e->head.stats.moment, 0, k * sizeof(double));
    e->head.stats.square = e->head.stats.rows = 0;
    una_stats_add(&e->head.stats, e->phi, e->y, e->rows);
    UNA_TRY(una_head_solve(&e->head, run));
    una_head_phi_gradient(&e->head, e->phi, e->y, e->rows, e->dphi);
    for (size_t r = 0; r < e->rows; r++) memcpy(e->narrow + r * features, e->dphi + r * k, features * sizeof(double));
    double square = 0;
    memset(gradient, 0, e->net->parameters * sizeof *gradient);
    for (size_t i = 0; i < e->net->hidden_parameters; i++) {
        square += (double)parameters[i] * (double)parameters[i];
        gradient[i] = (float)(2 * e->penalty) * parameters[i];
    }
    una_net_backward_f32(e->net, parameters, e->x, e->rows, e->narrow, gradient, e->work);
    losses->penalty = e->penalty * square;
    losses->total = losses->penalty - e->head.log_evidence;
    return UNA_OK;
}

static double *ones_at_end(double *phi, size_t rows, size_t k)
{
    for (size_t r = 0; phi && r < rows; r++) phi[r * k + k - 1] = 1;
    return phi;
}

static una_status prepare_watch(watch *w, const una_net *net, const una_held *r, una_run *run)
{
    size_t k = una_net_features(net) + 1;
    float *x = r->x, *held_x = r->held_x;
    double *y = r->y, *held_y = r->held_y;
    *w = (watch){ .net = { &una_body_mlp_f32, net, NULL }, .rows = r->rows, .watch_rows = r->held };
    UNA_TRY(una_held_thin(&x, &y, &w->rows, net->size[0], LOOK_ROWS, &run->scratch));
    UNA_TRY(una_held_thin(&held_x, &held_y, &w->watch_rows, net->size[0], LOOK_ROWS, &run->scratch));
    w->x = x;
    w->y = y;
    w->watch_x = held_x;
    w->watch_y = held_y;
    w->phi = ones_at_end(UNA_GET(&run->scratch, double, w->rows * k), w->rows, k);
    w->watch_phi = ones_at_end(UNA_GET(&run->scratch, double, w->watch_rows * k), w->watch_rows, k);
    una_stats_init(&w->stats, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_network_work_f32(&w->work, &w->net, 1, run);
}

static una_status prepare_evidence(marginal *e, const una_basis_lesson *all, const una_held *r, una_run *run)
{
    const una_net *net = all->net;
    size_t k = una_net_features(net) + 1;
    *e = (marginal){ .net = net, .x = r->x, .y = r->y, .rows = r->rows, .penalty = all->options->penalty };
    e->phi = ones_at_end(UNA_GET(&run->scratch, double, r->rows * k), r->rows, k);
    e->dphi = UNA_GET(&run->scratch, double, r->rows * k);
    e->narrow = UNA_GET(&run->scratch, double, r->rows * k);
    una_head_init(&e->head, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    e->head.noise_var = all->train_noise_var;
    e->head.prior_var = all->prior_var;
    return una_work_new_f32(&e->work, net, 1, 0, false, 0, false, false, una_kernels_named_f32(run->settings.kernels),
                            &run->scratch);
}

/* What judging needs of a finished training: statistics of its rows, features of those held out. */
static una_status finish(una_basis_trial *t, const una_net *net, const una_held *r, una_run *run)
{
    enum { AT_ONCE = 960 };
    size_t k = una_net_features(net) + 1, inputs = net->size[0];
    una_network_f32 network = { &una_body_mlp_f32, net, NULL };
    void *work;
    UNA_TRY(una_network_work_f32(&work, &network, 1, run));
    una_stats_init(&t->stats, k, &t->base.arena);
    t->held_phi = ones_at_end(UNA_GET_ROWS(&t->base.arena, double, r->held * k), r->held, k);
    t->held_y = UNA_GET_ROWS(&t->base.arena, double, r->held);
    double *phi = ones_at_end(UNA_GET(&run->scratch, double, AT_ONCE * k), AT_ONCE, k);
    UNA_TRY(una_arena_check(&t->base.arena));
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t from = 0; from < r->rows; from += AT_ONCE) {
        size_t count = r->rows - from < AT_ONCE ? r->rows - from : AT_ONCE;
        network.body->forward(&network, t->parameters, r->x + from * inputs, count, phi, k, NULL, work);
        una_stats_add(&t->stats, phi, r->y + from, count);
    }
    network.body->forward(&network, t->parameters, r->held_x, r->held, t->held_phi, k, NULL, work);
    memcpy(t->held_y, r->held_y, r->held * sizeof(double));

    t->base.held = r->held;
    t->base.score = -t->base.trained.loss[t->base.trained.looks - 1];
    if (r->held == 0) return UNA_OK;
    double noise_var, rmse; /* prior variance 1, as in looks: a chosen one could not be passed back otherwise */
    return una_choose_valid(&noise_var, 1, &t->stats, t->held_phi, t->held_y, r->held, &t->base.score, &rmse, run);
}

static una_status train_by_evidence(una_basis_trial *t, const una_basis_lesson *all, const una_held *r,
                                    const una_descent *how, una_run *run)
{
    marginal e;
    UNA_TRY(prepare_evidence(&e, all, r, run));
    una_trainable_f32 what = { .parameters = e.net->parameters, .context = &e, .gradient = evidence_gradient };
    return una_descend_f32(&what, t->parameters, how, &t->base.trained, &t->base.arena, run);
}

typedef struct lesson_round {
    const una_basis_lesson *lesson;
    const una_round *round;
    una_basis_trial *trial;
} lesson_round;

static una_status train_one(void *context, size_t index, una_run *run)
{
    const lesson_round *at = context;
    const una_basis_lesson *all = at->lesson;
    const una_problem *p = at->round->problem;
    una_basis_trial *t = &at->trial[index];
    const una_net *net = all->net;
    uint64_t stream = at->round->stream + index;
    una_held r;
    watch w;
    UNA_TRY(una_held_split(&r, p, una_round_fold(at->round, index), &run->scratch));
    t->parameters = UNA_GET(&t->base.arena, float, net->parameters);
    UNA_TRY(una_arena_check(&t->base.arena));
    una_rng rng = una_rng_at(p->seed, UNA_FOR_INIT, stream);
    una_net_initialise_f32(net, all->options->initialisation, 1, &rng, t->parameters);
    if (r.held) UNA_TRY(prepare_watch(&w, net, &r, run));

    una_training how = una_basis_training(all->options, r.rows, &all->plan->training, all->train_noise_var, p->seed,
                                          stream);
    how.descent.stage = all->plan->stage;
    if (at->round->steps) how.descent.steps = at->round->steps;
    una_watch_f32 held_out = { &w, look };
    una_train_data_f32 data = { r.x, r.target, r.rows, 1, { r.rows ? net->size[0] : 0, all->group } };
    if (all->plan->marginal) UNA_TRY(train_by_evidence(t, all, &r, &how.descent, run));
    else UNA_TRY(una_train_f32(net, t->parameters, &data, &how, r.held ? &held_out : NULL, &t->base.trained,
                               &t->base.arena, run));
    return finish(t, net, &r, run);
}

una_status una_basis_trials(void *lesson, const una_round *round, void *trials, una_run *run)
{
    lesson_round at = { lesson, round, trials };
    return una_jobs_run(run, trials, sizeof *at.trial, round->count, train_one, &at);
}

una_status una_basis_judge(void *lesson, const void *const *trial, size_t count, const una_question *question,
                           una_answer *answer, una_run *run)
{
    const una_basis_trial *t = trial[0];
    una_head head;
    double log_lik, rmse;
    (void)lesson, (void)count;                           /* one: feature networks are not mixed */
    una_head_init(&head, t->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    head.noise_var = question->noise_var;
    head.prior_var = question->prior_var;
    if (question->evidence) {
        una_stats_add(&head.stats, t->held_phi, t->held_y, t->base.held);
        UNA_TRY(una_head_solve(&head, run));
        answer->loss -= head.log_evidence;
    }

    head.stats = t->stats;
    UNA_TRY(una_head_solve(&head, run));
    UNA_TRY(una_head_score(&head, t->held_phi, t->held_y, t->base.held, &log_lik, &rmse, run));
    if (!question->evidence) answer->loss -= log_lik * (double)t->base.held;
    answer->square += rmse * rmse * (double)t->base.held;
    answer->rows += t->base.held;
    return UNA_OK;
}
