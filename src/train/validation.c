/* SPDX-License-Identifier: MIT
 *
 * Validation during training: the error of the network's own head on validation rows, or the likelihood of a Bayesian
 * linear head that has learnt from the training rows. Both score the log-likelihood at the noise that suits it best;
 * with several targets, each with its own linear head, the mean over the cells that exist.
 */
#include "train/training_job.h"

#include "train/joint_targets.h"
#include "infer/head.h"
#include "la/la.h"

enum { MOST_ROWS = 4096 };               /* training rows, and validation rows, at most                     */

typedef struct validation {
    const una_training_context *training;
    una_training_rows rows;              /* not too many                                                    */
    una_cells cells, valid_cells;        /* of the present target                                           */
    double *f;                           /* error: [valid_rows]                                             */
    double *phi, *valid_phi;             /* posterior: [rows, features + 1], [valid_rows, features + 1]     */
    una_stats stats;
    void  *work;
} validation;

static una_status validate_error(void *context, const float *p, double *score, una_run *run)
{
    const validation *w = context;
    const una_training_rows *r = &w->rows;
    (void)run;
    double square = una_network_sum_of_squares_f32(&w->training->net, p, r->valid_x, r->valid_y, r->valid_rows, w->f,
                                                   w->work);
    *score = -0.5 * (UNA_LOG_TWO_PI + 1 + log(fmax(square / (double)r->valid_rows, 1e-12)));
    return UNA_OK;
}

static una_status validate_posterior(void *context, const float *p, double *score, una_run *run)
{
    validation *w = context;
    const una_network_f32 *net = &w->training->net;
    const una_training_rows *r = &w->rows;
    size_t k = w->stats.features, outputs = r->outputs;
    net->body->forward(w->work, p, r->x, r->rows, (una_outputs){ .phi = w->phi, .stride = k });
    net->body->forward(w->work, p, r->valid_x, r->valid_rows, (una_outputs){ .phi = w->valid_phi, .stride = k });
    una_cell_scores scores = { .targets = outputs };
    for (size_t t = 0; t < outputs; t++) {
        una_cells_pick(&w->cells, w->phi, r->y, r->rows, t);
        una_cells_pick(&w->valid_cells, w->valid_phi, r->valid_y, r->valid_rows, t);
        if (w->valid_cells.rows == 0) continue;
        una_stats_clear(&w->stats);
        UNA_TRY(una_stats_add(&w->stats, w->cells.phi, w->cells.y, w->cells.rows, run));
        UNA_TRY(una_stats_sum(&w->stats, run));
        UNA_TRY(una_cell_scores_add(&scores, &w->stats, &w->valid_cells, run));
    }
    *score = una_cell_scores_mean(&scores);
    return UNA_OK;
}

/* Of `rows`; processes that train together validate on as many in all. */
static size_t rows_to_validate(size_t rows, una_run *run)
{
    size_t all = una_run_sum_size(rows, run);
    return all > MOST_ROWS && all > rows ? 1 + (size_t)((double)MOST_ROWS * (double)rows / (double)all) : MOST_ROWS;
}

static una_status new_validation_features(validation *w, una_run *run)
{
    una_training_rows *r = &w->rows;
    size_t k = w->training->size.features + 1, outputs = r->outputs;
    size_t most = rows_to_validate(r->rows, run), most_valid = rows_to_validate(r->valid_rows, run);
    UNA_TRY(una_training_rows_thin(r, most, most_valid, &run->scratch));
    w->phi = una_phi_with_one(r->rows, k, &run->scratch);
    w->valid_phi = una_phi_with_one(r->valid_rows, k, &run->scratch);
    una_stats_init(&w->stats, k, &run->scratch);
    UNA_TRY(una_cells_take(&w->cells, r->rows, k, outputs, &run->scratch));
    return una_cells_take(&w->valid_cells, r->valid_rows, k, outputs, &run->scratch);
}

una_status una_validator_new(una_validator_f32 *validator, const una_training_context *training, una_run *run)
{
    bool posterior = training->job->validate == UNA_VALIDATE_POSTERIOR;
    UNA_NEW(&run->scratch, validation, w, 1);
    *w = (validation){ .training = training, .rows = *training->job->rows };
    if (posterior) UNA_TRY(new_validation_features(w, run));
    else w->f = UNA_GET_ROWS(&run->scratch, double, w->rows.valid_rows);
    UNA_TRY(una_arena_check(&run->scratch));
    *validator = (una_validator_f32){ w, posterior ? validate_posterior : validate_error };
    return una_network_work_f32(&w->work, &training->net, 0, run);
}
