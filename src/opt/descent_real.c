/* SPDX-License-Identifier: MIT
 *
 * The training loop of descent.h. The crew of a large step shares the optimiser too, a range of parameters each: what
 * is computed does not depend on how many threads there are. Ranks that train together
 * (base/rank_group.c) each compute the gradient of their own rows; all take the same step, along the sum.
 */
#include "opt/descent.h"

#include "opt/schedule.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "kern/real.h"

#define TRAINABLE REAL(una_trainable)

enum { LOSSES = 5 };                     /* numbers of a una_losses                                         */

typedef struct loop {
    const TRAINABLE *what;
    const una_descent *how;
    const REAL(una_kernels) *kern;
    size_t pieces;
    real *p, *g, *m, *v, *best;          /* [parameters]: where it is, gradient, moments, best looked at; g has room
                                            for losses behind it                                            */
    size_t step;                         /* now                                                             */
    una_losses losses;
    double loss_sum, cos2_sum;           /* since the last score                                            */
    size_t since, without_better;
} loop;

static una_status set_up_loop(loop *t, una_trained *trained, una_arena *arena, una_run *run)
{
    size_t count = t->what->parameters, validations = t->how->steps / t->how->validate_every + 2;
    una_arena *scratch = &run->scratch;

    *trained = (una_trained){ .mean_cos2 = NAN, .best_validation = NAN };
    UNA_NEW_AT(arena, trained->step, validations);
    UNA_NEW_AT(arena, trained->loss, validations);
    UNA_NEW_AT(arena, trained->validation, validations);
    UNA_NEW_AT(arena, trained->cos2, validations);

    t->g = UNA_GET(scratch, real, count + LOSSES);
    t->v = UNA_GET(scratch, real, count);
    if (t->how->optimiser == UNA_ADAM) t->m = UNA_GET(scratch, real, count);
    if (t->what->validator.validate) t->best = UNA_GET(scratch, real, count);
    return una_arena_check(scratch);
}

/* ---- a step ----------------------------------------------------------------------------------------------- */

/* Steps the parameters of one piece. */
static void step_piece(void *context, size_t index)
{
    loop *t = context;
    una_range range = una_piece_range(t->what->parameters, index, t->pieces);
    const double beta1 = 0.9, beta2 = 0.999, k = (double)(t->step + 1);
    double rate = t->how->rate * una_rate_schedule(t->how->rate_schedule, k / (double)t->how->steps);
    real *p = t->p + range.first, *v = t->v + range.first;
    const real *g = t->g + range.first;

    if (t->how->optimiser == UNA_ADAM)
        t->kern->adam(range.count, p, t->m + range.first, v, g,
                      &(REAL(una_adam)){ (real)rate, (real)beta1, (real)beta2, (real)(1 - pow(beta1, k)),
                                         (real)(1 - pow(beta2, k)) });
    else t->kern->descend(range.count, p, v, g, (real)rate, (real)t->how->momentum);
}

/* Adds up over the ranks what each found on its own rows, in one message. */
static una_status add_over_ranks(loop *t, una_run *run)
{
    una_losses *l = &t->losses;
    double *loss[LOSSES] = { &l->fit, &l->penalty, &l->diverse, &l->mean_cos2, &l->total };
    real *tail = t->g + t->what->parameters;
    for (size_t i = 0; i < LOSSES; i++) tail[i] = (real)*loss[i];
    UNA_TRY(REAL(una_run_sum)(t->g, t->what->parameters + LOSSES, run));
    for (size_t i = 0; i < LOSSES; i++) *loss[i] = (double)tail[i];
    return UNA_OK;
}

static una_status one_step(loop *t, size_t step, una_run *run)
{
    const TRAINABLE *what = t->what;
    t->step = step;
    UNA_TRY(what->gradient(what->context, step, t->p, t->g, &t->losses, run));
    if (run->rank_group) UNA_TRY(add_over_ranks(t, run));
    if (!isfinite(t->losses.total))
        UNA_TRY(una_check_cancelled(run, t->how->stage));      /* of a step that was broken off */
    if (!isfinite(t->losses.total))
        UNA_FAIL(run, UNA_E_NUMERIC, "training diverged at step %zu: the loss is not finite (fit %g, penalty %g, "
                 "diversity %g); use a smaller rate (now %g)", step + 1, t->losses.fit, t->losses.penalty,
                 t->losses.diverse, t->how->rate);

    una_crew_do(what->crew, t->pieces, step_piece, t);
    if (what->after_step) what->after_step(what->context, t->p, false);

    t->loss_sum += t->losses.total;
    t->cos2_sum += t->losses.mean_cos2;
    t->since++;
    return UNA_OK;
}

/* ---- validation ------------------------------------------------------------------------------------------------ */

/* Keeps the best parameters, and counts how long there was none better. */
static void weigh_score(loop *t, size_t step, double score, una_trained *out, bool *stop)
{
    bool better = !isfinite(out->best_validation) || score > out->best_validation;
    t->without_better = better ? 0 : t->without_better + 1;
    if (better) {
        out->best_validation = score;
        out->best_step = step;
        memcpy(t->best, t->p, t->what->parameters * sizeof(real));
    }
    *stop = t->how->patience && t->without_better >= t->how->patience;
}

static size_t end_of(const una_descent *how)
{
    return how->stop && how->stop < how->steps ? how->stop : how->steps;
}

/* All ranks must have the same parameters, to the bit. For a hash h of 20 bits, whose sums are exact, (sum h)^2 = count
 * sum h^2 holds only if all are equal. */
static una_status compare_ranks(const loop *t, una_run *run)
{
    uint64_t hash = 14695981039346656037u;
    const unsigned char *byte = (const unsigned char *)t->p;
    for (size_t i = 0; i < t->what->parameters * sizeof(real); i++) hash = (hash ^ byte[i]) * 1099511628211u;
    double h = (double)(hash >> 44), sum[2] = { h, h * h };
    UNA_TRY(una_run_sum_f64(sum, 2, run));
    if (sum[0] * sum[0] == (double)una_rank_group_count(run) * sum[1]) return UNA_OK;
    UNA_FAIL(run, UNA_E_NUMERIC, "the ranks have come apart: their networks differ after %zu steps; run the same build "
             "of una with the same kernels (--kernels generic) on machines of one kind", t->step + 1);
}

static una_status validate_step(loop *t, size_t step, una_trained *out, bool *stop, una_run *run)
{
    if (run->rank_group) UNA_TRY(compare_ranks(t, run));
    const REAL(una_validator) *validator = &t->what->validator;
    double score = NAN, since = (double)t->since, u = (double)step / (double)t->how->steps;
    if (validator->validate) {
        UNA_TRY(validator->validate(validator->context, t->p, &score, run));
        if (u >= t->how->validate_from || step == end_of(t->how)) weigh_score(t, step, score, out, stop);
    }

    out->mean_cos2 = t->cos2_sum / since;
    out->step[out->validations] = (double)step;
    out->loss[out->validations] = t->loss_sum / since;
    out->validation[out->validations] = score;
    out->cos2[out->validations++] = out->mean_cos2;

    t->loss_sum = t->cos2_sum = 0;
    t->since = 0;
    return UNA_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* Denormal numbers slow a step down tenfold once weights have died: flush them to zero while training. */
static unsigned flush_denormals(void)
{
#if defined(__SSE__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040u);
    return before;
#else
    return 0;
#endif
}

static void restore_denormals(unsigned before)
{
#if defined(__SSE__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

static una_status run_loop(loop *t, una_trained *out, una_run *run)
{
    size_t end = end_of(t->how), tick_every = 1 + end / 200;
    bool stop = false;
    for (size_t step = 0; step < end && !stop; step++) {
        UNA_TRY(una_check_cancelled(run, t->how->stage));                  /* ticks may be seconds apart */
        UNA_TRY(one_step(t, step, run));
        out->steps = step + 1;
        if ((step + 1) % t->how->validate_every == 0 || step + 1 == end)
            UNA_TRY(validate_step(t, step + 1, out, &stop, run));
        if (step % tick_every == 0) UNA_TRY(una_tick(run, t->how->stage, (double)step / (double)end, t->losses.total));
    }
    return UNA_OK;
}

/* At last goes back to the best parameters, with a last after_step. */
static una_status descend_alone(loop *t, una_trained *trained, una_arena *arena, una_run *run)
{
    UNA_TRY(set_up_loop(t, trained, arena, run));
    unsigned before = flush_denormals();
    una_status status = run_loop(t, trained, run);
    if (status == UNA_OK) {
        if (isfinite(trained->best_validation)) memcpy(t->p, t->best, t->what->parameters * sizeof(real));
        if (t->what->after_step) t->what->after_step(t->what->context, t->p, true);
    }
    restore_denormals(before);
    return status;
}

una_status REAL(una_descend)(const TRAINABLE *what, real *p, const una_descent *how, una_trained *trained,
                             una_arena *arena, una_run *run)
{
    loop t = { .what = what, .how = how, .kern = REAL(una_kernels_named)(run->settings.kernels),
               .pieces = what->pieces ? what->pieces : 1, .p = p };
    UNA_SCOPED(run, descend_alone(&t, trained, arena, run));
    return UNA_OK;
}
