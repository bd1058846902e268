/* SPDX-License-Identifier: MIT
 *
 * Networks judged by their own errors. See plain.h.
 */
#include "fit/plain.h"

#include "la/la.h"

una_status una_plain_finish(void *context, void *trial, una_run *run)
{
    una_plain_trial *t = trial;
    const una_lesson *l = &t->base.lesson;
    const una_held *r = l->rows;
    const una_network_f32 net = { l->body, l->shape, t->base.frozen };
    bool held = r->held > 0;
    void *work;
    (void)context;

    t->judged = held ? r->held : r->rows;
    double *f = UNA_GET_ROWS(&run->scratch, double, t->judged);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_network_work_f32(&work, &net, 0, run));

    t->square = una_network_square_f32(&net, t->base.parameters, held ? r->held_x : r->x, held ? r->held_y : r->y,
                                       t->judged, f, work);
    if (!isfinite(t->square))
        UNA_FAIL(run, UNA_E_NUMERIC, "%s: the network's answers are not finite; use a smaller rate, or look for "
                 "extreme values in the inputs", l->how.descent.stage);
    return UNA_OK;
}

double una_plain_log_lik(double square, size_t rows, double noise_var)
{
    return -0.5 * ((double)rows * (UNA_LOG_TWO_PI + log(noise_var)) + square / noise_var);
}

una_status una_plain_judge(void *context, const void *const *trial, size_t count, const una_question *question,
                           una_answer *answer, una_run *run)
{
    const una_plain_trial *t = trial[0];
    (void)context, (void)count, (void)run;               /* one: an ensemble mixes networks */
    answer->loss -= una_plain_log_lik(t->square, t->judged, question->noise_var);
    answer->square += t->square;
    answer->rows += t->judged;
    return UNA_OK;
}
