/* SPDX-License-Identifier: MIT
 *
 * How large the noise is, judged by rows that did not train: a plain network of the same shape is trained on the other
 * rows and its error on those left out is taken for the noise. A chain per fold would be the pure way and cost five
 * times the sampling.
 */
#include "models/held.h"
#include "models/hmc.h"

typedef struct trials { const una_net *net; const una_problem *problem; double *square; size_t *held; } trials;

typedef struct watch { const una_net *net; const una_held *r; double *f; una_work_f32 *work; } watch;

/* Minus the mean square error of the rows left out. */
static una_status look(void *context, const float *parameters, double *score, una_run *run)
{
    watch *w = context;
    (void)run;
    double sum = 0;
    una_net_forward_f32(w->net, parameters, w->r->held_x, w->r->held, NULL, 0, w->f, w->work);
    for (size_t i = 0; i < w->r->held; i++) sum += pow(w->r->held_y[i] - w->f[i], 2);
    *score = -sum / (double)w->r->held;
    return UNA_OK;
}

static una_training settings(size_t rows, uint64_t seed, size_t index)
{
    const double assumed = 0.01;         /* noise variance: small, since the best look stops the fitting of noise */
    size_t batch = rows < 500 ? 0 : 128, epochs = batch ? 12 * (rows / batch) : 0;
    size_t steps = epochs > 20000 ? 20000 : epochs > 2000 ? epochs : 2000;
    return (una_training){ .steps = steps, .batch = batch, .rate = 0.01, .rate_schedule = 1,
                           .fit_weight = 1 / (2 * assumed), .penalty = 0.5, .look_every = steps / 40, .seed = seed,
                           .stream = (uint64_t)1 << 17 | index };
}

static una_status trial(void *context, size_t index, una_run *run)
{
    trials *all = context;
    const una_net *net = all->net;
    una_held r;
    UNA_TRY(una_held_split(&r, all->problem, all->problem->folds ? index : SIZE_MAX, &run->scratch));
    watch w = { .net = net, .r = &r };
    float *parameters = UNA_GET(&run->scratch, float, net->parameters);
    w.f = UNA_GET(&run->scratch, double, r.held);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_work_new_f32(&w.work, net, &(una_work_size){ .rows = 1 }, una_kernels_named_f32(run->settings.kernels),
                             &run->scratch));
    una_rng rng = una_rng_at(all->problem->seed, UNA_FOR_INIT, (uint64_t)1 << 33 | index);
    una_net_initialise_f32(net, 1, 1, &rng, parameters);
    una_training how = settings(r.rows, all->problem->seed, index);
    una_train_hooks_f32 hooks = { .context = &w, .look = look };
    una_train_data_f32 data = { r.x, r.target, r.rows, 1, { net->size[0], NULL } };
    una_trained trained;
    UNA_TRY(una_train_f32(net, parameters, &data, &how, &hooks, "measuring the noise", &trained, &run->scratch, run));
    all->square[index] = -trained.best_look * (double)r.held;
    all->held[index] = r.held;
    return UNA_OK;
}

una_status una_hmc_noise(double *rmse, size_t *rows, const una_net *net, const una_problem *problem, una_run *run)
{
    size_t count = problem->folds ? problem->folds : 1;
    *rmse = 0.3;
    *rows = 0;
    if (!problem->folds && problem->valid_x.rows == 0) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    trials all = { net, problem, UNA_GET(&run->scratch, double, count), UNA_GET(&run->scratch, size_t, count) };
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_pool(run, count, trial, &all);
    double sum = 0;
    for (size_t i = 0; status == UNA_OK && i < count; i++) {
        sum += all.square[i];
        *rows += all.held[i];
    }
    /* Exact data: the sampler needs some noise. */
    if (status == UNA_OK) *rmse = fmax(sqrt(sum / (double)*rows), 1e-3);
    una_arena_release(&run->scratch, mark);
    return status;
}
