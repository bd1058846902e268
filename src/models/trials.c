/* SPDX-License-Identifier: MIT
 *
 * Trials: trainings of one feature network on the task pool, one per restart or fold, each judged on rows it did not
 * see.
 */
#include "models/trials.h"

#include "models/held.h"

#include <string.h>

enum { LOOK_ROWS = 4096 };               /* looks at held-out rows use at most so many                      */

/* ---- one training --------------------------------------------------------------------------------------- */

typedef struct watch {                   /* what a look needs: posterior of training rows, judged on others */
    const una_net *net;
    const float *x, *watch_x;            /* [rows, inputs], [watch_rows, inputs]                            */
    const double *y, *watch_y;
    size_t rows, watch_rows;
    double *phi, *watch_phi;
    una_stats stats;
    una_work_f32 *work;
} watch;

static una_status look(void *context, const float *parameters, double *score, una_run *run)
{
    watch *w = context;
    size_t k = una_net_features(w->net) + 1;
    una_net_forward_f32(w->net, parameters, w->x, w->rows, w->phi, k, NULL, w->work);
    una_net_forward_f32(w->net, parameters, w->watch_x, w->watch_rows, w->watch_phi, k, NULL, w->work);
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

static una_status evidence_gradient(void *context, const float *parameters, float *gradient, una_losses *losses,
                                    una_run *run)
{
    marginal *e = context;
    size_t features = una_net_features(e->net), k = features + 1;
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

/* Every step-th row, at most LOOK_ROWS: looks must stay cheap on large data. */
static void thin(float **x, double **y, size_t *rows, size_t inputs, una_arena *arena)
{
    if (*rows <= LOOK_ROWS) return;
    float *few = UNA_GET(arena, float, LOOK_ROWS * inputs);
    double *few_y = UNA_GET(arena, double, LOOK_ROWS);
    for (size_t i = 0; few && few_y && i < LOOK_ROWS; i++) {
        size_t row = i * *rows / LOOK_ROWS;
        memcpy(few + i * inputs, *x + row * inputs, inputs * sizeof(float));
        few_y[i] = (*y)[row];
    }
    *x = few;
    *y = few_y;
    *rows = LOOK_ROWS;
}

static una_status prepare_watch(watch *w, const una_net *net, const una_held *r, una_run *run)
{
    size_t k = una_net_features(net) + 1;
    float *x = r->x, *held_x = r->held_x;
    double *y = r->y, *held_y = r->held_y;
    *w = (watch){ .net = net, .rows = r->rows, .watch_rows = r->held };
    thin(&x, &y, &w->rows, net->size[0], &run->scratch);
    thin(&held_x, &held_y, &w->watch_rows, net->size[0], &run->scratch);
    w->x = x;
    w->y = y;
    w->watch_x = held_x;
    w->watch_y = held_y;
    w->phi = ones_at_end(UNA_GET(&run->scratch, double, w->rows * k), w->rows, k);
    w->watch_phi = ones_at_end(UNA_GET(&run->scratch, double, w->watch_rows * k), w->watch_rows, k);
    una_stats_init(&w->stats, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_work_new_f32(&w->work, net, &(una_work_size){ .rows = 1 }, una_kernels_named_f32(run->settings.kernels),
                            &run->scratch);
}

static una_status prepare_evidence(marginal *e, const una_trials *all, const una_held *r, una_run *run)
{
    const una_net *net = &all->basis->net;
    size_t k = una_net_features(net) + 1;
    *e = (marginal){ .net = net, .x = r->x, .y = r->y, .rows = r->rows, .penalty = all->options->penalty };
    e->phi = ones_at_end(UNA_GET(&run->scratch, double, r->rows * k), r->rows, k);
    e->dphi = UNA_GET(&run->scratch, double, r->rows * k);
    e->narrow = UNA_GET(&run->scratch, double, r->rows * k);
    una_head_init(&e->head, k, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    e->head.noise_var = all->train_noise_var;
    e->head.prior_var = all->prior_var;
    return una_work_new_f32(&e->work, net, &(una_work_size){ .rows = 1 }, una_kernels_named_f32(run->settings.kernels),
                            &run->scratch);
}

/* What the choice of the noise needs of a finished job: its training statistics, features of its held-out rows. */
static una_status finish_job(una_trial *j, const una_trials *all, const una_held *r, una_run *run)
{
    una_basis basis = { .net = all->basis->net, .parameters = j->parameters };
    size_t k = una_net_features(&basis.net) + 1, inputs = basis.net.size[0];
    una_work_f32 *work;
    UNA_TRY(una_work_new_f32(&work, &basis.net, &(una_work_size){ .rows = 1 },
                             una_kernels_named_f32(run->settings.kernels), &run->scratch));
    una_stats_init(&j->stats, k, &j->arena);
    j->held_phi = ones_at_end(UNA_GET_ROWS(&j->arena, double, r->held * k), r->held, k);
    j->held_y = UNA_GET_ROWS(&j->arena, double, r->held);
    enum { AT_ONCE = 960 };
    double *phi = ones_at_end(UNA_GET(&run->scratch, double, AT_ONCE * k), AT_ONCE, k);
    UNA_TRY(una_arena_check(&j->arena));
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t from = 0; from < r->rows; from += AT_ONCE) {
        size_t count = r->rows - from < AT_ONCE ? r->rows - from : AT_ONCE;
        una_net_forward_f32(&basis.net, j->parameters, r->x + from * inputs, count, phi, k, NULL, work);
        una_stats_add(&j->stats, phi, r->y + from, count);
    }
    una_net_forward_f32(&basis.net, j->parameters, r->held_x, r->held, j->held_phi, k, NULL, work);
    memcpy(j->held_y, r->held_y, r->held * sizeof(double));
    j->held_rows = r->held;
    if (r->held == 0) return UNA_OK;
    double noise_var = UNA_AUTO; /* prior variance 1, as in looks: a chosen one could not be passed back otherwise */
    return una_choose_valid(&noise_var, 1, &j->stats, j->held_phi, j->held_y, r->held, &j->valid_log_lik,
                            &j->valid_rmse, run);
}

static una_status train_job(void *context, size_t index, una_run *run)
{
    una_trials *all = context;
    una_trial *j = &all->job[index];
    const una_net *net = &all->basis->net;
    una_held r;
    watch w;
    marginal e;
    UNA_TRY(una_held_split(&r, all->problem, all->folds ? index : SIZE_MAX, &run->scratch));
    j->parameters = UNA_GET(&j->arena, float, net->parameters);
    UNA_TRY(una_arena_check(&j->arena));
    una_rng rng = una_rng_at(all->problem->seed, UNA_FOR_INIT, all->stream + index);
    una_net_initialise_f32(net, all->options->initialisation, 1, &rng, j->parameters);
    una_train_hooks_f32 hooks = {0};
    if (r.held) {
        UNA_TRY(prepare_watch(&w, net, &r, run));
        hooks = (una_train_hooks_f32){ .context = &w, .look = look };
    }
    una_training none = {0}, how = una_basis_training(all->options, r.rows, all->plain ? &none : &all->plan->training,
                                                      all->train_noise_var, all->problem->seed, all->stream + index);
    if (all->steps) how.steps = all->steps;
    if (all->plan->marginal && !all->plain) {
        UNA_TRY(prepare_evidence(&e, all, &r, run));
        hooks = (una_train_hooks_f32){ .context = &e, .gradient = evidence_gradient };
    }
    una_train_data_f32 data = { r.x, r.target, r.rows, 1, { r.rows ? net->size[0] : 0, all->group } };
    UNA_TRY(una_train_f32(net, j->parameters, &data, &how, &hooks, all->stage, &j->trained, &j->arena, run));
    return finish_job(j, all, &r, run);
}

una_status una_trials_run(una_trials *all, size_t count, una_run *run)
{
    const una_problem *given = all->problem;
    una_problem shared = *given;
    una_held held;
    all->job = UNA_GET(&run->scratch, una_trial, count);
    UNA_TRY(una_arena_check(&run->scratch));
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = all->folds ? UNA_OK : una_held_split(&held, given, SIZE_MAX, &run->scratch);
    if (!all->folds) shared.shared = &held;
    all->problem = &shared;
    if (status == UNA_OK) status = una_jobs_run(run, all->job, sizeof *all->job, count, train_job, all);
    all->problem = given;
    una_arena_release(&run->scratch, mark);
    return status;
}

void una_trials_free(una_trials *all, size_t count)
{
    una_jobs_free(all->job, sizeof *all->job, count);
}
