/* SPDX-License-Identifier: MIT
 *
 * Networks whose errors are evaluated as they are. See plain.h.
 */
#include "train/plain.h"

#include "la/la.h"

una_status una_plain_finish(void *context, void *training, una_run *run)
{
    una_plain_training *t = training;
    const una_training_job *job = &t->base.job;
    const una_training_rows *r = job->rows;
    const una_network_f32 net = { job->body, job->shape, t->base.frozen };
    bool valid = r->valid_rows > 0;
    void *work;
    (void)context;

    t->scored = valid ? r->valid_rows : r->rows;
    UNA_NEW_ROWS(&run->scratch, double, f, t->scored);
    UNA_TRY(una_network_work_f32(&work, &net, 0, run));

    t->square = una_network_sum_of_squares_f32(&net, t->base.parameters, valid ? r->valid_x : r->x,
                                               valid ? r->valid_y : r->y, t->scored, f, work);
    if (!isfinite(t->square))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s: the network's answers are not finite; use a smaller rate, or look for "
                 "extreme values in the inputs", job->how.descent.stage);
    return UNA_OK;
}

double una_plain_log_lik(double square, size_t rows, double noise_var)
{
    return -0.5 * ((double)rows * (UNA_LOG_TWO_PI + log(noise_var)) + square / noise_var);
}

una_status una_plain_evaluate(void *context, const void *const *training, size_t count, const una_variances *variances,
                              una_valid_loss *sums, una_run *run)
{
    const una_plain_training *t = training[0];
    (void)context, (void)count, (void)run;               /* one training: only ensembles mix networks */
    sums->loss -= una_plain_log_lik(t->square, t->scored, variances->noise_var);
    sums->square += t->square;
    sums->rows += t->scored;
    return UNA_OK;
}
