/* SPDX-License-Identifier: MIT
 *
 * The training loop of train.h. A step:  batch, probes, perturbations -> loss and gradient -> optimiser -> look.
 *   J = (1/M) sum_m sum_i (y_i - f_m(x_i))^2 fit_weight + gamma (n/N) |Psi|^2 (heads: a share of it) + lambda s(u) C P,
 *   C = 2n/(M (M-1))
 * Batches of an epoch differ in size by at most one row, so no ragged rest is left over. Large steps are cut into
 * pieces, by size alone, and a crew shares them: what is computed does not depend on how many threads there are.
 */
#include "nn/train.h"

#include "opt/schedule.h"

#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "kern/real.h"

#define DATA REAL(una_train_data)
#define HOOKS REAL(una_train_hooks)

typedef struct loop {
    const una_net *net;
    const DATA *data;
    const una_training *how;
    const HOOKS *hooks;
    const REAL(una_kernels) *kern;
    REAL(una_work) *work;
    una_crew *crew;                      /* NULL: one thread                                                */
    REAL(una_batch) batch;               /* the whole; its x holds piece by piece rows, then own probes     */
    REAL(una_batch) piece[UNA_MOST_PIECES];
    size_t pieces;
    size_t batches, most;                /* per epoch; rows of the largest                                  */
    size_t step, from;                   /* now; where its rows begin in order                              */
    bool   gather;                       /* its rows are not there yet                                      */
    uint32_t *order;                     /* [rows]                                                          */
    size_t *numeric, numeric_count;
    real *x, *target, *delta, *direction;
    size_t delta_room;                   /* of one piece                                                    */
    real *parameters, *gradient, *m, *v, *best;
    double lambda;
    una_losses losses;
    double loss_sum, cos2_sum;           /* since the last look                                             */
    size_t since, without_better;
} loop;

/* ---- the random parts of a step --------------------------------------------------------------------- */

static una_rng stream_at(const loop *t, una_purpose purpose, size_t step)
{
    return una_rng_at(t->how->seed, purpose, t->how->stream << 40 | step);
}

/* Rows of the batch before piece k, and so its probes. */
static size_t rows_before(const loop *t, size_t k)
{
    return k * t->batch.rows / t->pieces;
}

/* Where row or own probe i of the batch lies. */
static real *place_of(const loop *t, size_t i, bool probe)
{
    size_t k = 0;
    while (i >= rows_before(t, k + 1)) k++;
    size_t first = rows_before(t, k), probes_before = t->batch.own_probes ? first : 0;
    size_t rows_too = probe ? rows_before(t, k + 1) - first : 0;
    return t->x + (i + probes_before + rows_too) * t->net->size[0];
}

static void next_batch(loop *t, size_t step)
{
    size_t rows = t->data->rows, at = step % t->batches;
    t->gather = t->batches > 1 || step == 0;             /* all rows every step: already there */
    if (at == 0 && t->batches > 1) {
        una_rng rng = stream_at(t, UNA_FOR_BATCHES, step / t->batches);
        una_rng_permute(&rng, t->order, rows);
    }
    t->from = at * rows / t->batches;
    t->batch.rows = (at + 1) * rows / t->batches - t->from;
    t->batch.probes = t->batch.directions ? t->batch.rows : 0;
}

/* A random point between two training rows: numbers on the line, each category group whole from one of the two. */
static void place_between(const loop *t, una_rng *rng, const real *a, const real *b, real *probe)
{
    size_t inputs = t->net->size[0];
    const size_t *group = t->data->inputs.group;
    real s = (real)una_rng_uniform(rng);
    size_t last = SIZE_MAX;
    const real *from = a;
    for (size_t d = 0; d < inputs; d++) {
        if (!group || group[d] == SIZE_MAX) {
            probe[d] = s * a[d] + (1 - s) * b[d];
            continue;
        }
        if (group[d] != last) from = una_rng_u32(rng) & 1 ? a : b;
        last = group[d];
        probe[d] = from[d];
    }
}

static void place_probes(loop *t, size_t step)
{
    if (!t->batch.own_probes) return;
    una_rng rng = stream_at(t, UNA_FOR_PROBES, step);
    size_t inputs = t->net->size[0];
    for (size_t i = 0; i < t->batch.probes; i++) {
        const real *a = t->data->x + una_rng_below(&rng, t->data->rows) * inputs;
        const real *b = t->data->x + una_rng_below(&rng, t->data->rows) * inputs;
        place_between(t, &rng, a, b, place_of(t, i, true));
    }
}

static void choose_directions(loop *t, size_t step)
{
    if (!t->direction) return;
    size_t inputs = t->net->size[0], count = t->batch.directions;
    una_rng rng = stream_at(t, UNA_FOR_DIRECTIONS, step);
    memset(t->direction, 0, count * inputs * sizeof(real));
    for (size_t k = 0; k < count; k++) {
        real *row = t->direction + k * inputs;
        if (!t->how->unit_directions) {
            size_t pick = k + una_rng_below(&rng, t->numeric_count - k), kept = t->numeric[k];
            t->numeric[k] = t->numeric[pick];            /* the first `count` of a partial shuffle */
            t->numeric[pick] = kept;
            row[t->numeric[k]] = 1;
            continue;
        }
        double norm = 0;
        for (size_t i = 0; i < t->numeric_count; i++) {
            double z = una_rng_normal(&rng);
            row[t->numeric[i]] = (real)z;
            norm += z * z;
        }
        for (size_t i = 0; i < t->numeric_count; i++) row[t->numeric[i]] /= (real)sqrt(norm);
    }
}

/* delta ~ N(0, std^2), one per probe and direction, kept away from zero: rounding grows as 1/delta. Each piece draws
 * its own, with the generator's counter set to the block that holds the first:
 * the numbers are those of one long draw. */
static const real *draw_perturbations(const loop *t, size_t k)
{
    enum { BLOCK = 64 };
    una_rng rng = stream_at(t, UNA_FOR_PERTURBATION, t->step);
    float std = (float)t->how->perturbation_std;
    size_t first = rows_before(t, k) * t->batch.directions, end = rows_before(t, k + 1) * t->batch.directions;
    size_t from = first / BLOCK * BLOCK;
    real *room = t->delta + k * t->delta_room;
    rng.counter[0] += (uint32_t)(from / 4);
    t->kern->normals(end - from, rng.key, rng.counter, std, 1e-3f * std, room);
    return room + (first - from);
}

/* A row that will be read soon, from anywhere in a large table. */
static void fetch(const real *row, size_t inputs)
{
    __builtin_prefetch(row);
    __builtin_prefetch(row + inputs - 1);
}

/* Piece k of the batch: its rows, its targets, its perturbations. */
static void fill_piece(void *context, size_t k)
{
    enum { AHEAD = 8 };
    loop *t = context;
    REAL(una_batch) *piece = &t->piece[k];
    size_t inputs = t->net->size[0], wide = t->data->target_heads == 1 ? 1 : UNA_PADDED(t->data->target_heads);
    size_t first = rows_before(t, k), end = rows_before(t, k + 1);
    *piece = t->batch;
    piece->rows = end - first;
    piece->probes = t->batch.probes ? piece->rows : 0;
    piece->x = place_of(t, first, false);
    piece->target = t->target + first * wide;
    if (t->delta) piece->delta = draw_perturbations(t, k);
    for (size_t i = first; t->gather && i < end; i++) {
        size_t row = t->order[t->from + i];
        if (i + AHEAD < end) fetch(t->data->x + t->order[t->from + i + AHEAD] * inputs, inputs);
        memcpy(place_of(t, i, false), t->data->x + row * inputs, inputs * sizeof(real));
        memcpy(t->target + i * wide, t->data->target + row * wide, wide * sizeof(real));
    }
}

/* What a step looks at. Random numbers that follow one another are drawn here, before the pieces part. */
static void prepare(loop *t, size_t step)
{
    next_batch(t, step);
    if (t->batch.directions) {
        place_probes(t, step);
        choose_directions(t, step);
    }
    una_crew_do(t->crew, t->pieces, fill_piece, t);
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

static void find_numeric(loop *t, una_arena *scratch)
{
    t->numeric = UNA_GET(scratch, size_t, t->data->inputs.count);
    if (!t->numeric) return;
    for (size_t d = 0; d < t->data->inputs.count; d++)
        if (!t->data->inputs.group || t->data->inputs.group[d] == SIZE_MAX) t->numeric[t->numeric_count++] = d;
}

static void plan_slopes(loop *t, una_arena *scratch)
{
    const una_training *how = t->how;
    size_t inputs = t->net->size[0], wanted = how->directions ? how->directions : t->numeric_count;
    if (!how->unit_directions && wanted > t->numeric_count) wanted = t->numeric_count;
    t->batch.directions = wanted;
    t->batch.own_probes = how->probes == UNA_PROBES_BETWEEN;
    if (how->unit_directions || wanted < inputs) t->direction = UNA_GET(scratch, real, wanted * inputs);
    t->batch.direction = t->direction;
}

/* Pieces of a step, by what it has to multiply; a small one would lose more by waiting than it gains. */
static size_t pieces_of(const loop *t)
{
    enum { FEWEST_ROWS = 16 };
    if (t->hooks && t->hooks->gradient) return 1;
    double most = (double)t->most, work = (most + most * (double)t->batch.directions) * (double)t->net->parameters;
    size_t pieces = work < 2e6 ? 1 : work < 10e6 ? 2 : UNA_MOST_PIECES;
    return t->most / FEWEST_ROWS < pieces ? 1 : pieces;
}

static una_status set_up(loop *t, bool slopes, una_run *run)
{
    una_arena *scratch = &run->scratch;
    size_t rows = t->data->rows, inputs = t->net->size[0];
    bool whole = t->how->batch == 0 || t->how->batch >= rows || t->how->optimiser == UNA_GD;
    t->batches = whole ? 1 : (rows + t->how->batch / 2) / t->how->batch;
    t->most = (rows + t->batches - 1) / t->batches;
    UNA_TRY(una_order_new(&t->order, rows, scratch));
    find_numeric(t, scratch);
    UNA_TRY(una_arena_check(scratch));
    if (slopes && t->numeric_count == 0)
        UNA_FAIL(run, UNA_E_INPUT, "every input is a category: slopes of the heads need at least one numeric input; "
                 "use nlm instead of luna");
    if (slopes) plan_slopes(t, scratch);
    t->pieces = pieces_of(t);
    size_t each = (t->most + t->pieces - 1) / t->pieces;
    size_t target_wide = t->data->target_heads == 1 ? 1 : UNA_PADDED(t->data->target_heads);
    t->x = UNA_GET(scratch, real, t->most * inputs * (t->batch.own_probes ? 2 : 1));
    t->target = UNA_GET(scratch, real, t->most * target_wide);
    t->delta_room = UNA_PADDED(each * t->batch.directions + 64);
    if (slopes && !t->how->exact) t->delta = UNA_GET(scratch, real, t->pieces * t->delta_room);
    t->gradient = UNA_GET(scratch, real, t->net->parameters);
    t->m = UNA_GET(scratch, real, t->net->parameters);
    t->v = UNA_GET(scratch, real, t->net->parameters);
    t->best = UNA_GET(scratch, real, t->net->parameters);
    UNA_TRY(una_arena_check(scratch));
    t->batch.x = t->x;
    t->batch.target = t->target;
    t->batch.target_heads = t->data->target_heads;
    una_work_size size = { .rows = each, .probes = slopes ? each : 0, .directions = t->batch.directions,
                           .own_probes = t->batch.own_probes, .exact = t->how->exact, .per_point = t->how->per_point,
                           .pieces = t->pieces, .path = una_path_of(run) };
    UNA_TRY(REAL(una_work_new)(&t->work, t->net, &size, t->kern, scratch));
    size_t members = (size_t)una_threads(run) < t->pieces ? (size_t)una_threads(run) : t->pieces;
    return members > 1 ? una_crew_new(&t->crew, (int)members, scratch) : UNA_OK;
}

/* ---- a step ----------------------------------------------------------------------------------------------- */

static REAL(una_objective) objective_at(const loop *t, double u)
{
    double n = (double)t->batch.rows, heads = (double)una_net_heads(t->net);
    double scale = heads > 1 ? 2 * n / (heads * (heads - 1)) : 0;
    return (REAL(una_objective)){
        .fit_weight = t->how->fit_weight / heads,
        .penalty = t->how->penalty * n / (double)t->data->rows,
        .head_relief = t->how->head_relief,
        .diversity = t->lambda * una_schedule(t->how->schedule, u) * scale,
        .per_point = t->how->per_point,
    };
}

static una_status loss_and_gradient(loop *t, size_t step, una_run *run)
{
    double u = (double)(step + 1) / (double)t->how->steps;
    t->step = step;
    if (t->hooks && t->hooks->gradient)
        return t->hooks->gradient(t->hooks->context, t->parameters, t->gradient, &t->losses, run);
    prepare(t, step);
    REAL(una_objective) objective = objective_at(t, u);
    REAL(una_net_gradient_in_pieces)(t->net, t->parameters, t->piece, &objective, t->gradient, &t->losses, t->work,
                                     t->crew);
    return UNA_OK;
}

/* Steps the parameters of one piece. */
static void descend(void *context, size_t index)
{
    loop *t = context;
    una_range range = una_net_range(t->net, index, t->pieces);
    const double beta1 = 0.9, beta2 = 0.999, k = (double)(t->step + 1);
    double rate = t->how->rate * una_rate_schedule(t->how->rate_schedule, k / (double)t->how->steps);
    real *parameters = t->parameters + range.first, *m = t->m + range.first, *v = t->v + range.first;
    const real *gradient = t->gradient + range.first;
    if (t->how->optimiser == UNA_ADAM)
        t->kern->adam(range.count, parameters, m, v, gradient, (real)rate, (real)beta1, (real)beta2,
                      (real)(1 - pow(beta1, k)), (real)(1 - pow(beta2, k)));
    else t->kern->descend(range.count, parameters, v, gradient, (real)rate, (real)t->how->momentum);
}

/* The controller: lambda moves by at most 1 % a step towards the target, slower when near. */
static void steer(loop *t)
{
    if (!t->how->steer || !isfinite(t->losses.mean_cos2)) return;
    double pull = log((t->losses.mean_cos2 + 1e-6) / (t->how->target_cos2 + 1e-6));
    t->lambda *= exp(0.01 * fmax(-1, fmin(1, pull)));
    t->lambda = fmax(1e-8, fmin(1e8, t->lambda));
}

static una_status look(loop *t, size_t step, una_trained *out, bool *stop, una_run *run)
{
    double score = NAN, since = (double)t->since, u = (double)step / (double)t->how->steps;
    bool last = step == t->how->steps;
    if (t->hooks && t->hooks->look) {
        UNA_TRY(t->hooks->look(t->hooks->context, t->parameters, &score, run));
        if (u >= t->how->look_from || last) {
            bool better = !isfinite(out->best_look) || score > out->best_look;
            t->without_better = better ? 0 : t->without_better + 1;
            if (better) {
                out->best_look = score;
                out->best_step = step;
                memcpy(t->best, t->parameters, t->net->parameters * sizeof(real));
            }
            *stop = t->how->patience && t->without_better >= t->how->patience;
        }
    }
    out->mean_cos2 = t->cos2_sum / since;
    out->step[out->looks] = (double)step;
    out->loss[out->looks] = t->loss_sum / since;
    out->look[out->looks] = score;
    out->cos2[out->looks++] = out->mean_cos2;
    t->loss_sum = t->cos2_sum = 0;
    t->since = 0;
    return UNA_OK;
}

static una_status one_step(loop *t, size_t step, una_run *run)
{
    UNA_TRY(loss_and_gradient(t, step, run));
    if (!isfinite(t->losses.total))
        UNA_FAIL(run, UNA_E_NUMERIC, "training diverged at step %zu: the loss is not finite (fit %g, penalty %g, "
                 "diversity %g); use a smaller rate (now %g)", step + 1, t->losses.fit, t->losses.penalty,
                 t->losses.diverse, t->how->rate);
    una_crew_do(t->crew, t->pieces, descend, t);
    steer(t);
    t->loss_sum += t->losses.total;
    t->cos2_sum += t->losses.mean_cos2;
    t->since++;
    return UNA_OK;
}

static una_status run_loop(loop *t, const char *stage, una_trained *out, una_run *run)
{
    size_t end = t->how->steps, tick_every = 1 + end / 200;
    bool stop = false;
    for (size_t step = 0; step < end && !stop; step++) {
        UNA_TRY(one_step(t, step, run));
        out->steps = step + 1;
        if ((step + 1) % t->how->look_every == 0 || step + 1 == end) UNA_TRY(look(t, step + 1, out, &stop, run));
        if (step % tick_every == 0) UNA_TRY(una_tick(run, stage, (double)step / (double)end, t->losses.total));
    }
    return UNA_OK;
}

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

una_status REAL(una_train)(const una_net *net, real *parameters, const DATA *data, const una_training *how,
                           const HOOKS *hooks, const char *stage, una_trained *trained, una_arena *arena, una_run *run)
{
    size_t looks = how->steps / how->look_every + 2;
    *trained = (una_trained){ .mean_cos2 = NAN, .best_look = NAN };
    trained->step = UNA_GET(arena, double, looks);
    trained->loss = UNA_GET(arena, double, looks);
    trained->look = UNA_GET(arena, double, looks);
    trained->cos2 = UNA_GET(arena, double, looks);
    UNA_TRY(una_arena_check(arena));
    una_mark mark = una_arena_mark(&run->scratch);
    loop t = { .net = net, .data = data, .how = how, .hooks = hooks,
               .kern = REAL(una_kernels_named)(run->settings.kernels), .parameters = parameters,
               .lambda = how->diversity };
    una_status status = set_up(&t, how->diversity > 0 || how->steer, run);
    if (status == UNA_OK) {
        unsigned before = flush_denormals();
        status = run_loop(&t, stage, trained, run);
        restore_denormals(before);
    }
    if (status == UNA_OK && isfinite(trained->best_look)) memcpy(parameters, t.best, net->parameters * sizeof(real));
    trained->diversity = t.lambda;
    trained->pieces = t.pieces;
    una_crew_free(t.crew);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status REAL(una_mean_cos2)(double *mean_cos2, const una_net *net, const real *parameters, const DATA *data,
                               const una_training *how, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_training one = *how;
    one.batch = 512;
    one.directions = 0;
    one.unit_directions = false;
    loop t = { .net = net, .data = data, .how = &one, .kern = REAL(una_kernels_named)(run->settings.kernels) };
    una_status status = set_up(&t, true, run);
    if (status == UNA_OK) {
        prepare(&t, 0);
        REAL(una_objective) objective = { .per_point = how->per_point };
        REAL(una_net_gradient_in_pieces)(net, parameters, t.piece, &objective, t.gradient, &t.losses, t.work, t.crew);
        *mean_cos2 = t.losses.mean_cos2;
    }
    una_crew_free(t.crew);
    una_arena_release(&run->scratch, mark);
    return status;
}
