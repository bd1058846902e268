/* SPDX-License-Identifier: MIT
 *
 * Validation during training: the error of the network's own head on validation rows, or the likelihood of a Bayesian
 * linear head that has learnt from the training rows. Both score the log-likelihood at the noise that suits it best;
 * with several targets, each with its own linear head, the mean over the cells that exist.
 */
#include "train/training_job.h"

#include "committee/several_targets.h"
#include "infer/head.h"
#include "la/la.h"

enum { MOST_ROWS = 4096 };               /* training rows, and validation rows, at most                     */

typedef struct validation {
    const una_training_context *training;
    const float *x, *valid_x;            /* [rows, inputs], [valid_rows, inputs]                            */
    const double *y, *valid_y;           /* [rows, outputs], [valid_rows, outputs]                          */
    size_t rows, valid_rows, outputs;
    una_cells cells, valid_cells;        /* of the present target                                           */
    double *f;                           /* error: [valid_rows]                                             */
    double *phi, *valid_phi;             /* posterior: [rows, features + 1], [valid_rows, features + 1]     */
    una_stats stats;
    void  *work;
} validation;

static una_status validate_error(void *context, const float *p, double *score, una_run *run)
{
    const validation *w = context;
    (void)run;
    double square = una_network_sum_of_squares_f32(&w->training->net, p, w->valid_x, w->valid_y, w->valid_rows, w->f,
                                                   w->work);
    *score = -0.5 * (UNA_LOG_TWO_PI + 1 + log(fmax(square / (double)w->valid_rows, 1e-12)));
    return UNA_OK;
}

static una_status validate_posterior(void *context, const float *p, double *score, una_run *run)
{
    validation *w = context;
    const una_network_f32 *net = &w->training->net;
    size_t k = w->stats.features;
    net->body->forward(net, p, w->x, w->rows, w->phi, k, NULL, w->work);
    net->body->forward(net, p, w->valid_x, w->valid_rows, w->valid_phi, k, NULL, w->work);
    double noise_var, rmse, own = 0, sum = 0, all = 0;
    for (size_t t = 0; t < w->outputs; t++) {
        una_cells_pick(&w->cells, w->phi, w->y, w->rows, t);
        una_cells_pick(&w->valid_cells, w->valid_phi, w->valid_y, w->valid_rows, t);
        if (w->valid_cells.rows == 0) continue;
        una_stats_clear(&w->stats);
        UNA_TRY(una_stats_add(&w->stats, w->cells.phi, w->cells.y, w->cells.rows, run));
        UNA_TRY(una_stats_sum(&w->stats, run));
        UNA_TRY(una_choose_by_validation(&noise_var, 1, &w->stats, w->valid_cells.phi, w->valid_cells.y,
                                         w->valid_cells.rows, &own, &rmse, run));
        sum += own * (double)w->valid_cells.rows;
        all += (double)w->valid_cells.rows;
    }
    *score = all > 0 ? sum / all : 0;
    if (w->outputs == 1) *score = own;
    return UNA_OK;
}

/* Of `rows`; processes that train together validate on as many in all. */
static size_t rows_to_validate(size_t rows, una_run *run)
{
    size_t all = una_run_sum_size(rows, run);
    return all > MOST_ROWS && all > rows ? 1 + (size_t)((double)MOST_ROWS * (double)rows / (double)all) : MOST_ROWS;
}

static una_status new_validation_features(validation *w, const una_training_rows *r, una_run *run)
{
    size_t k = w->training->size.features + 1;
    float *x = r->x, *valid_x = r->valid_x;
    double *y = r->y, *valid_y = r->valid_y;

    UNA_TRY(una_rows_thin(&x, &y, &w->rows, r->inputs, w->outputs, rows_to_validate(r->rows, run), &run->scratch));
    UNA_TRY(una_rows_thin(&valid_x, &valid_y, &w->valid_rows, r->inputs, w->outputs,
                          rows_to_validate(r->valid_rows, run), &run->scratch));
    w->x = x;
    w->y = y;
    w->valid_x = valid_x;
    w->valid_y = valid_y;

    w->phi = una_phi_with_one(w->rows, k, &run->scratch);
    w->valid_phi = una_phi_with_one(w->valid_rows, k, &run->scratch);
    una_stats_init(&w->stats, k, &run->scratch);
    UNA_TRY(una_cells_take(&w->cells, w->rows, k, w->outputs, &run->scratch));
    return una_cells_take(&w->valid_cells, w->valid_rows, k, w->outputs, &run->scratch);
}

una_status una_validator_new(una_validator_f32 *validator, const una_training_context *training, una_run *run)
{
    const una_training_rows *r = training->job->rows;
    bool posterior = training->job->validate == UNA_VALIDATE_POSTERIOR;
    UNA_NEW(&run->scratch, validation, w, 1);
    *w = (validation){ .training = training, .valid_x = r->valid_x, .valid_y = r->valid_y, .rows = r->rows,
                       .valid_rows = r->valid_rows, .outputs = una_training_rows_outputs(r) };
    if (posterior) UNA_TRY(new_validation_features(w, r, run));
    else w->f = UNA_GET_ROWS(&run->scratch, double, r->valid_rows);
    UNA_TRY(una_arena_check(&run->scratch));
    *validator = (una_validator_f32){ w, posterior ? validate_posterior : validate_error };
    return una_network_work_f32(&w->work, &training->net, 0, run);
}
