/* SPDX-License-Identifier: MIT
 *
 * Looks at held-out rows while a network trains: what its own head says of them, or what a Bayesian linear head says
 * that has seen the training rows. Both score the log-likelihood at the noise that suits it best; of several targets,
 * each with a linear head of its own, the mean over the cells that are there.
 */
#include "fit/lesson.h"

#include "base/company.h"
#include "fit/together.h"
#include "infer/head.h"
#include "la/la.h"

enum { LOOK_ROWS = 4096 };               /* of each sort, at most                                           */

typedef struct watch {
    const una_pupil *pupil;
    const float *x, *held_x;             /* [rows, inputs], [held, inputs]                                  */
    const double *y, *held_y;            /* [rows, outputs], [held, outputs]                                */
    size_t rows, held, outputs;
    una_cells cells, held_cells;         /* of the target at hand                                           */
    double *f;                           /* error: [held]                                                   */
    double *phi, *held_phi;              /* posterior: [rows, features + 1], [held, features + 1]           */
    una_stats stats;
    void  *work;
} watch;

static una_status look_at_error(void *context, const float *p, double *score, una_run *run)
{
    const watch *w = context;
    (void)run;
    double square = una_network_square_f32(&w->pupil->net, p, w->held_x, w->held_y, w->held, w->f, w->work);
    *score = -0.5 * (UNA_LOG_TWO_PI + 1 + log(fmax(square / (double)w->held, 1e-12)));
    return UNA_OK;
}

static una_status look_at_posterior(void *context, const float *p, double *score, una_run *run)
{
    watch *w = context;
    const una_network_f32 *net = &w->pupil->net;
    size_t k = w->stats.features;
    net->body->forward(net, p, w->x, w->rows, w->phi, k, NULL, w->work);
    net->body->forward(net, p, w->held_x, w->held, w->held_phi, k, NULL, w->work);
    double noise_var, rmse, own = 0, sum = 0, all = 0;
    for (size_t t = 0; t < w->outputs; t++) {
        una_cells_pick(&w->cells, w->phi, w->y, w->rows, t);
        una_cells_pick(&w->held_cells, w->held_phi, w->held_y, w->held, t);
        if (w->held_cells.rows == 0) continue;
        una_stats_clear(&w->stats);
        UNA_TRY(una_stats_add(&w->stats, w->cells.phi, w->cells.y, w->cells.rows, run));
        UNA_TRY(una_stats_of_all(&w->stats, run));
        UNA_TRY(una_choose_valid(&noise_var, 1, &w->stats, w->held_cells.phi, w->held_cells.y, w->held_cells.rows, &own,
                                 &rmse, run));
        sum += own * (double)w->held_cells.rows;
        all += (double)w->held_cells.rows;
    }
    *score = w->outputs == 1 ? own : all > 0 ? sum / all : 0;
    return UNA_OK;
}

/* Of `rows`; ranks that train together look at as many in all. */
static size_t looked_at(size_t rows, una_run *run)
{
    size_t all = una_company_sum_size(rows, run);
    return all > LOOK_ROWS && all > rows ? 1 + (size_t)((double)LOOK_ROWS * (double)rows / (double)all) : LOOK_ROWS;
}

static una_status take_features(watch *w, const una_held *r, una_run *run)
{
    size_t k = w->pupil->size.features + 1;
    float *x = r->x, *held_x = r->held_x;
    double *y = r->y, *held_y = r->held_y;

    UNA_TRY(una_held_thin(&x, &y, &w->rows, r->inputs, w->outputs, looked_at(r->rows, run), &run->scratch));
    UNA_TRY(una_held_thin(&held_x, &held_y, &w->held, r->inputs, w->outputs, looked_at(r->held, run), &run->scratch));
    w->x = x;
    w->y = y;
    w->held_x = held_x;
    w->held_y = held_y;

    w->phi = una_phi_with_one(w->rows, k, &run->scratch);
    w->held_phi = una_phi_with_one(w->held, k, &run->scratch);
    una_stats_init(&w->stats, k, &run->scratch);
    UNA_TRY(una_cells_take(&w->cells, w->rows, k, w->outputs, &run->scratch));
    return una_cells_take(&w->held_cells, w->held, k, w->outputs, &run->scratch);
}

una_status una_watch_new(una_watch_f32 *out, const una_pupil *pupil, una_run *run)
{
    const una_held *r = pupil->lesson->rows;
    bool posterior = pupil->lesson->look == UNA_LOOK_POSTERIOR;
    watch *w = UNA_GET(&run->scratch, watch, 1);
    UNA_TRY(una_arena_check(&run->scratch));
    *w = (watch){ .pupil = pupil, .held_x = r->held_x, .held_y = r->held_y, .rows = r->rows, .held = r->held,
                  .outputs = una_held_outputs(r) };
    if (posterior) UNA_TRY(take_features(w, r, run));
    else w->f = UNA_GET_ROWS(&run->scratch, double, r->held);
    UNA_TRY(una_arena_check(&run->scratch));
    *out = (una_watch_f32){ w, posterior ? look_at_posterior : look_at_error };
    return una_network_work_f32(&w->work, &pupil->net, 0, run);
}
