/* SPDX-License-Identifier: MIT
 *
 * The step of luna_step.h:  batch, probes, perturbations -> loss and gradient;  the optimiser follows in opt/descent.
 *   J = (1/M) sum_m sum_i (y_i - f_m(x_i))^2 fit_weight + gamma (n/N) |Psi|^2 (heads: a share of it) + lambda s(u) C P,
 *   C = 2n/(M (M-1))
 * Of T targets each has M heads; the fit is the sum over all, and P, the mean over targets or that of whole Jacobians
 * (diversity_real.c), counts T times: each target weighs fit against similarity as it would alone.
 * Batches of an epoch differ in size by at most one row, so no ragged rest is left over. Large steps are cut into
 * pieces, by size alone, and a crew shares them: what is computed does not depend on how many threads there are.
 * Of ranks that train together each goes through its own rows in as many batches an epoch; n and N are those of all, so
 * that the ranks' losses and gradients add up to those of the whole batch.
 */
#include "nn/luna_step.h"

#include "opt/schedule.h"

#include "kern/real.h"

#define DATA REAL(una_train_data)

typedef struct luna_step {
    const una_net *net;
    const DATA *data;
    const una_training_settings *how;
    const REAL(una_kernels) *kern;
    REAL(una_work) *work;
    una_crew *crew;                      /* NULL: one thread                                                */
    REAL(una_batch) batch;               /* the whole; its x holds piece by piece rows, then own probes     */
    REAL(una_batch) piece[UNA_MOST_PIECES];
    size_t pieces;
    size_t batches, most;                /* per epoch; rows of the largest, of any rank                     */
    size_t ranks, all;                   /* that train together; their rows                                 */
    size_t *rank_rows;                   /* [ranks] of each                                                 */
    double at_once;                      /* rows of the batch, of all ranks                                 */
    uint64_t seed;                       /* of what each rank draws for its own rows                        */
    size_t step, from;                   /* now; where its rows begin in order                              */
    bool   gather;                       /* its rows are not there yet                                      */
    uint32_t *order;                     /* [rows]                                                          */
    size_t *numeric, numeric_count;
    real *x, *target, *delta, *direction;
    size_t *missing;                     /* [most, targets] of the batch, piece after piece; NULL: no cell is missing */
    size_t missing_count[UNA_MOST_PIECES];
    size_t delta_room;                   /* of one piece                                                    */
    double lambda, mean_cos2;            /* as it is steered; when slopes were last compared                */
} luna_step;

/* ---- the random parts of a step --------------------------------------------------------------------- */

static una_rng stream_of(const luna_step *t, uint64_t seed, una_purpose purpose, size_t step)
{
    return una_rng_at(seed, purpose, t->how->stream << 40 | step);
}

static una_rng random_stream(const luna_step *t, una_purpose purpose, size_t step)
{
    return stream_of(t, t->seed, purpose, step);
}

/* Rows of the batch before piece k, and so its probes. */
static size_t rows_before(const luna_step *t, size_t k)
{
    return k * t->batch.rows / t->pieces;
}

/* Where row or own probe i of the batch lies. */
static real *batch_row(const luna_step *t, size_t i, bool probe)
{
    size_t k = 0;
    while (i >= rows_before(t, k + 1)) k++;
    size_t first = rows_before(t, k), probes_before = t->batch.own_probes ? first : 0;
    size_t rows_too = probe ? rows_before(t, k + 1) - first : 0;
    return t->x + (i + probes_before + rows_too) * t->net->size[0];
}

static void next_batch(luna_step *t, size_t step)
{
    size_t rows = t->data->rows, at = step % t->batches;
    t->gather = t->batches > 1 || step == 0;             /* all rows every step: already there */
    if (at == 0 && t->batches > 1) {
        una_rng rng = random_stream(t, UNA_FOR_BATCHES, step / t->batches);
        una_rng_permute(&rng, t->order, rows);
    }
    t->from = at * rows / t->batches;
    t->batch.rows = (at + 1) * rows / t->batches - t->from;
    t->at_once = 0;
    for (size_t r = 0; r < t->ranks; r++)
        t->at_once += (double)((at + 1) * t->rank_rows[r] / t->batches - at * t->rank_rows[r] / t->batches);
    t->batch.probes = t->batch.directions && una_compares_slopes(t->how, step) ? t->batch.rows : 0;
}

/* A random point between two training rows, or on the line through them, as far beyond each as they lie apart: numbers
 * on the line, each category group whole from one of the two. */
static void place_probe(const luna_step *t, una_rng *rng, const real *a, const real *b, real *probe)
{
    size_t inputs = t->net->size[0];
    const size_t *group = t->data->inputs.group;
    double u = una_rng_uniform(rng);
    real s = (real)(t->how->probes == UNA_PROBES_BEYOND ? 3 * u - 1 : u);
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

static void place_step_probes(luna_step *t, size_t step)
{
    if (!t->batch.own_probes) return;
    una_rng rng = random_stream(t, UNA_FOR_PROBES, step);
    size_t inputs = t->net->size[0];
    for (size_t i = 0; i < t->batch.probes; i++) {
        const real *a = t->data->x + una_rng_below(&rng, t->data->rows) * inputs;
        const real *b = t->data->x + una_rng_below(&rng, t->data->rows) * inputs;
        place_probe(t, &rng, a, b, batch_row(t, i, true));
    }
}

static void choose_step_directions(luna_step *t, size_t step)
{
    if (!t->direction) return;
    size_t inputs = t->net->size[0], count = t->batch.directions;
    una_rng rng = stream_of(t, t->how->seed, UNA_FOR_DIRECTIONS, step);          /* the same for all ranks */
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
static const real *draw_perturbations(const luna_step *t, size_t k)
{
    enum { BLOCK = 64 };
    una_rng rng = random_stream(t, UNA_FOR_PERTURBATION, t->step);
    float std = (float)t->how->perturbation_std;
    size_t first = rows_before(t, k) * t->batch.directions, end = rows_before(t, k + 1) * t->batch.directions;
    size_t from = first / BLOCK * BLOCK;
    real *room = t->delta + k * t->delta_room;
    rng.counter[0] += (uint32_t)(from / 4);
    t->kern->normals(end - from, rng.key, rng.counter, std, 1e-3f * std, room);
    return room + (first - from);
}

/* A row that will be read soon, from anywhere in a large table. */
static void prefetch_row(const real *row, size_t inputs)
{
    __builtin_prefetch(row);
    __builtin_prefetch(row + inputs - 1);
}

static size_t targets_of(const luna_step *t)
{
    return t->how->targets > 1 ? t->how->targets : 1;
}

/* Columns of the batch's target, and, but for several targets, of the data's. */
static size_t target_stride(const luna_step *t)
{
    return t->data->target_heads == 1 ? 1 : UNA_PADDED(t->data->target_heads);
}

/* The targets of row i of the batch, one for each head; a missing one is noted for piece k, which begins at `first`. */
static void spread_targets(luna_step *t, size_t k, size_t first, size_t i, const real *y)
{
    size_t targets = t->how->targets, each = t->data->target_heads / targets, wide = target_stride(t);
    for (size_t n = 0; n < targets; n++) {
        real *to = t->target + i * wide + n * each;
        const real scaled = t->how->target_scale ? (real)t->how->target_scale[n] * y[n] : y[n];
        for (size_t m = 0; m < each; m++) to[m] = scaled;
        if (isnan(y[n])) t->missing[first * targets + t->missing_count[k]++] = (i - first) * wide + n * each;
    }
}

/* Piece k of the batch: its rows, its targets, its perturbations. */
static void fill_piece(void *context, size_t k)
{
    enum { AHEAD = 8 };
    luna_step *t = context;
    REAL(una_batch) *piece = &t->piece[k];
    size_t inputs = t->net->size[0], wide = target_stride(t);
    size_t first = rows_before(t, k), end = rows_before(t, k + 1);

    *piece = t->batch;
    piece->rows = end - first;
    piece->probes = t->batch.probes ? piece->rows : 0;
    piece->x = batch_row(t, first, false);
    piece->target = t->target + first * wide;
    if (t->delta && piece->probes) piece->delta = draw_perturbations(t, k);

    if (t->gather) t->missing_count[k] = 0;
    for (size_t i = first; t->gather && i < end; i++) {
        size_t row = t->order[t->from + i];
        if (i + AHEAD < end) prefetch_row(t->data->x + t->order[t->from + i + AHEAD] * inputs, inputs);
        memcpy(batch_row(t, i, false), t->data->x + row * inputs, inputs * sizeof(real));
        if (t->missing) spread_targets(t, k, first, i, t->data->target + row * t->how->targets);
        else memcpy(t->target + i * wide, t->data->target + row * wide, wide * sizeof(real));
    }
    if (!t->missing) return;
    piece->missing = t->missing + first * targets_of(t);
    piece->missing_count = t->missing_count[k];
    piece->open = t->target + first * wide;
}

/* What a step looks at. Random numbers that follow one another are drawn here, before the pieces part. */
static void prepare_step(luna_step *t, size_t step)
{
    next_batch(t, step);
    if (t->batch.probes) {
        place_step_probes(t, step);
        choose_step_directions(t, step);
    }
    una_crew_do(t->crew, t->pieces, fill_piece, t);
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

static void find_numeric(luna_step *t, una_arena *scratch)
{
    t->numeric = UNA_GET(scratch, size_t, t->data->inputs.count);
    if (!t->numeric) return;
    for (size_t d = 0; d < t->data->inputs.count; d++)
        if (!t->data->inputs.group || t->data->inputs.group[d] == SIZE_MAX) t->numeric[t->numeric_count++] = d;
}

static void plan_slopes(luna_step *t, una_arena *scratch)
{
    const una_training_settings *how = t->how;
    size_t inputs = t->net->size[0], wanted = how->directions ? how->directions : t->numeric_count;
    if (!how->unit_directions && wanted > t->numeric_count) wanted = t->numeric_count;
    t->batch.directions = wanted;
    t->batch.own_probes = how->probes != UNA_PROBES_DATA;
    if (how->unit_directions || wanted < inputs) t->direction = UNA_GET(scratch, real, wanted * inputs);
    t->batch.direction = t->direction;
}

/* Pieces of a step, by what it has to multiply; a small one would lose more by waiting than it gains. */
static size_t pieces_of(const luna_step *t)
{
    enum { FEWEST_ROWS = 16 };
    double most = (double)t->most, work = (most + most * (double)t->batch.directions) * (double)t->net->parameters;
    size_t pieces = UNA_MOST_PIECES;
    if (work < 2e6) pieces = 1;
    else if (work < 10e6) pieces = 2;
    return t->most / FEWEST_ROWS < pieces ? 1 : pieces;
}

/* Batches of an epoch, by the rows of all ranks. */
static una_status cut_epochs(luna_step *t, una_run *run)
{
    size_t fewest = SIZE_MAX, most = 0;
    t->ranks = una_rank_group_count(run);
    t->seed = t->how->seed + 0x9E3779B97F4A7C15u * una_rank_group_rank(run);
    UNA_NEW_AT(&run->scratch, t->rank_rows, t->ranks);
    UNA_TRY(una_rank_group_gather_sizes(t->rank_rows, t->data->rows, run));
    for (size_t r = 0; r < t->ranks; r++) {
        size_t rows = t->rank_rows[r];
        t->all += rows;
        fewest = rows < fewest ? rows : fewest;
        most = rows > most ? rows : most;
    }
    bool whole = t->how->batch == 0 || t->how->batch >= t->all || t->how->descent.optimiser == UNA_GD;
    t->batches = whole ? 1 : (t->all + t->how->batch / 2) / t->how->batch;
    t->most = (most + t->batches - 1) / t->batches;
    if (t->ranks > 1 && fewest < t->batches)
        UNA_FAIL(run, UNA_E_USAGE, "a batch of %zu rows is too small to be shared: the smallest of the %zu parts has "
                 "%zu rows, one in %.3g of all; use a larger batch, or parts of equal size", t->how->batch, t->ranks,
                 fewest, (double)t->all / (double)fewest);
    return UNA_OK;
}

static una_status set_up_step(luna_step *t, bool slopes, una_run *run)
{
    una_arena *scratch = &run->scratch;
    size_t rows = t->data->rows, inputs = t->net->size[0];
    UNA_TRY(cut_epochs(t, run));

    UNA_TRY(una_order_new(&t->order, rows, scratch));
    find_numeric(t, scratch);
    UNA_TRY(una_arena_check(scratch));
    if (slopes && t->numeric_count == 0)
        UNA_FAIL(run, UNA_E_INPUT, "every input is a category: slopes of the heads need at least one numeric input; "
                 "use nlm instead of luna");
    if (slopes) plan_slopes(t, scratch);

    t->pieces = pieces_of(t);
    size_t each = (t->most + t->pieces - 1) / t->pieces;
    t->x = UNA_GET(scratch, real, t->most * inputs * (t->batch.own_probes ? 2 : 1));
    t->target = UNA_GET(scratch, real, t->most * target_stride(t));
    if (t->how->targets > 1) t->missing = UNA_GET(scratch, size_t, t->most * t->how->targets);
    t->delta_room = UNA_PADDED(each * t->batch.directions + 64);
    if (slopes && !t->how->exact) t->delta = UNA_GET(scratch, real, t->pieces * t->delta_room);
    UNA_TRY(una_arena_check(scratch));

    t->batch.x = t->x;
    t->batch.target = t->target;
    t->batch.target_heads = t->data->target_heads;
    una_work_size size = { .rows = each, .probes = slopes ? each : 0, .directions = t->batch.directions,
                           .own_probes = t->batch.own_probes, .exact = t->how->exact, .per_point = t->how->per_point,
                           .pieces = t->pieces, .path = una_path_of(run) };
    UNA_TRY(REAL(una_work_new)(&t->work, t->net, &size, t->kern, scratch));

    return una_scratch_crew(&t->crew, t->pieces, run);
}

/* ---- a step ----------------------------------------------------------------------------------------------- */

static REAL(una_objective) objective_at(const luna_step *t, double u, una_run *run)
{
    double n = t->at_once, targets = (double)targets_of(t);
    double heads = (double)(t->net->heads / targets_of(t));
    double scale = heads > 1 ? 2 * n / (heads * (heads - 1)) : 0;
    return (REAL(una_objective)){
        .fit_weight = t->how->fit_weight / heads,
        .penalty = t->how->penalty * (double)t->batch.rows / (double)t->all,
        .head_relief = t->how->head_relief,
        .diversity = t->lambda * una_schedule(t->how->schedule, u) * scale * targets * una_slopes_count(t->how),
        .per_point = t->how->per_point,
        .targets = t->how->targets,
        .jacobian = t->how->jacobian,
        .run = run
    };
}

static una_status loss_and_gradient(void *context, size_t step, const real *parameters, real *gradient,
                                    una_losses *losses, una_run *run)
{
    luna_step *t = context;
    t->step = step;
    prepare_step(t, step);
    REAL(una_objective) objective = objective_at(t, (double)(step + 1) / (double)t->how->descent.steps, run);
    REAL(una_net_gradient_in_pieces)(t->work, parameters, t->piece, &objective, gradient, losses, t->crew);
    if (t->batch.probes || !t->batch.directions) t->mean_cos2 = losses->mean_cos2;
    losses->mean_cos2 = t->mean_cos2;                    /* between two comparisons that of the last */
    if (!una_run_counts(run)) losses->diverse *= 0, losses->mean_cos2 *= 0;
    return una_run_sums_check(run);
}

static void steer_diversity(void *context, real *parameters, bool last)
{
    luna_step *t = context;
    (void)parameters;
    if (last || !t->how->steer || !isfinite(t->mean_cos2)) return;
    t->lambda = una_steer_diversity(t->lambda, t->mean_cos2, t->how->target_cos2);
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

una_status REAL(una_luna_step)(REAL(una_trainable) *what, const una_net *net, const DATA *data,
                               const una_training_settings *how, una_run *run)
{
    UNA_NEW(&run->scratch, luna_step, t, 1);
    *t = (luna_step){ .net = net, .data = data, .how = how, .kern = REAL(una_kernels_named)(run->settings.kernels),
                 .lambda = how->diversity };
    UNA_TRY(set_up_step(t, how->diversity > 0 || how->steer, run));
    *what = (REAL(una_trainable)){ .parameters = net->parameters, .context = t, .gradient = loss_and_gradient,
                                   .after_step = steer_diversity, .pieces = t->pieces, .crew = t->crew };
    return UNA_OK;
}

double REAL(una_luna_step_diversity)(const REAL(una_trainable) *what)
{
    return ((const luna_step *)what->context)->lambda;
}

una_status REAL(una_train)(const una_net *net, real *parameters, const DATA *data, const una_training_settings *how,
                           const REAL(una_validator) *validator, una_trained *trained, una_arena *arena, una_run *run)
{
    REAL(una_trainable) what;
    UNA_TRY(REAL(una_luna_step)(&what, net, data, how, run));
    if (validator) what.validator = *validator;
    return REAL(una_descend)(&what, parameters, &how->descent, trained, arena, run);
}
