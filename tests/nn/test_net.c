/* SPDX-License-Identifier: MIT
 *
 * Networks: every part of the loss against the plain form of net_truth.h, its gradient against central differences of
 * that form, floats of every kernel set against doubles; and the hazards of the similarity penalty.
 */
#include "net_truth.h"
#include "singles.h"

enum { SIZES_MOST = 6 };
static const char *const set_names[] = { "generic", "avx2", "avx512" };

typedef struct trial {                           /* one random case, doubles and the same numbers as floats */
    una_net net;
    double *parameters;
    una_batch_f64 batch;
    una_objective_f64 objective;
    una_batch_f32 batch_f32;
    float *parameters_f32;
} trial;

static double *normals(una_run *run, una_rng *rng, size_t n, double scale)
{
    double *block = UNA_GET(&run->scratch, double, n);
    assert_non_null(block);
    for (size_t i = 0; i < n; i++) block[i] = scale * una_rng_normal(rng);
    return block;
}

static una_net net_of(una_activation act, size_t count, const size_t *sizes)
{
    una_net net = { .depth = count - 2, .activation = act };
    memcpy(net.size, sizes, count * sizeof *sizes);
    una_net_shape(&net);
    return net;
}

/* Random weights and biases; the padding stays zero. */
static double *random_parameters(una_run *run, una_rng *rng, const una_net *net)
{
    double *parameters = UNA_GET(&run->scratch, double, net->parameters);
    assert_non_null(parameters);
    una_net_initialise_f64(net, 2, 1.3, rng, parameters, NULL);
    for (size_t l = 0; l <= net->depth; l++)
        for (size_t j = 0; j < net->size[l + 1]; j++) parameters[net->biases[l] + j] = 0.3 * una_rng_normal(rng);
    return parameters;
}

/* Unit vectors; or, for `inputs` of them, a choice of inputs. */
static double *random_directions(una_run *run, una_rng *rng, size_t count, size_t inputs, bool unit)
{
    double *direction = normals(run, rng, count * inputs, 1);
    for (size_t k = 0; k < count; k++) {
        double square = 0;
        for (size_t i = 0; i < inputs; i++) square += direction[k * inputs + i] * direction[k * inputs + i];
        size_t chosen = una_rng_below(rng, inputs);
        for (size_t i = 0; i < inputs; i++)
            direction[k * inputs + i] = unit ? direction[k * inputs + i] / sqrt(square) : i == chosen;
    }
    return direction;
}

typedef struct design {                          /* what a case should look like */
    una_activation act;
    size_t count, sizes[SIZES_MOST], rows, probes, directions;   /* directions 0: every input */
    bool own_probes, exact, per_point, target_per_head, unit;
    size_t targets;                              /* > 1: a third of their cells are missing */
    bool jacobian;
} design;

/* Cells of several targets that are missing: NAN until the heads say something. */
static void make_holes(trial *t, size_t targets, una_run *run, una_rng *rng)
{
    size_t heads = t->net.heads, wide = UNA_PADDED(heads), each = heads / targets;
    size_t *missing = UNA_GET(&run->scratch, size_t, t->batch.rows * targets);
    assert_non_null(missing);
    t->batch.missing = t->batch_f32.missing = missing;
    for (size_t r = 0; r < t->batch.rows; r++)
        for (size_t n = 0; n < targets; n++) {
            if (una_rng_below(rng, 3)) continue;
            missing[t->batch.missing_count++] = r * wide + n * each;
            for (size_t m = 0; m < each; m++)
                t->batch.open[r * wide + n * each + m] = t->batch_f32.open[r * wide + n * each + m] = NAN;
        }
    t->batch_f32.missing_count = t->batch.missing_count;
}

static void make_trial(trial *t, una_run *run, una_rng *rng, const design *d)
{
    memset(t, 0, sizeof *t);
    t->net = net_of(d->act, d->count, d->sizes);
    t->parameters = random_parameters(run, rng, &t->net);
    size_t inputs = d->sizes[0], heads = t->net.heads, all = d->rows + (d->own_probes ? d->probes : 0);
    size_t wide = d->target_per_head ? UNA_PADDED(heads) : 1, each = d->directions ? d->directions : inputs;
    t->batch = (una_batch_f64){ .rows = d->rows, .probes = d->probes, .directions = d->probes ? each : 0,
                                .own_probes = d->own_probes, .target_heads = d->target_per_head ? heads : 1 };
    t->batch.x = normals(run, rng, all * inputs, 1);
    t->batch.target = t->batch.open = normals(run, rng, d->rows * wide, 1);
    if (d->probes && d->directions) t->batch.direction = random_directions(run, rng, each, inputs, d->unit);
    double *delta = normals(run, rng, d->probes * each, 0.1);
    for (size_t i = 0; i < d->probes * each; i++) delta[i] += delta[i] < 0 ? -0.02 : 0.02;
    if (d->probes && !d->exact) t->batch.delta = delta;
    t->objective = (una_objective_f64){ .fit_weight = 0.4, .penalty = 0.03, .diversity = 0.7,
        .per_point = d->per_point };

    t->parameters_f32 = singles(run, t->parameters, t->net.parameters);
    t->batch_f32 = (una_batch_f32){ .rows = d->rows, .probes = d->probes, .directions = t->batch.directions,
                                    .own_probes = d->own_probes, .target_heads = t->batch.target_heads };
    t->batch_f32.x = singles(run, t->batch.x, all * inputs);
    t->batch_f32.target = t->batch_f32.open = singles(run, t->batch.target, d->rows * wide);
    t->batch_f32.direction = singles(run, t->batch.direction, each * inputs);
    t->batch_f32.delta = singles(run, t->batch.delta, d->probes * each);
    if (d->targets > 1) make_holes(t, d->targets, run, rng);
}

static una_work_size size_of(const trial *t)
{
    const una_batch_f64 *b = &t->batch;
    return (una_work_size){ .rows = b->rows, .probes = b->probes, .own_probes = b->own_probes,
                            .directions = b->directions, .exact = b->probes && !b->delta,
                            .per_point = t->objective.per_point };
}

static una_work_f64 *work_for(const trial *t, const una_kernels_f64 *kernels, una_run *run)
{
    una_work_f64 *work = NULL;
    una_work_size size = size_of(t);
    assert_ok(una_work_new_f64(&work, &t->net, &size, kernels, &run->scratch), run);
    return work;
}

static double *gradient_of(const trial *t, una_losses *losses, una_run *run)
{
    double *gradient = UNA_GET(&run->scratch, double, t->net.parameters);
    assert_non_null(gradient);
    una_work_f64 *work = work_for(t, una_kernels_named_f64("generic"), run);
    una_net_gradient_f64(work, t->parameters, &t->batch, &t->objective, gradient, losses);
    return gradient;
}

/* Is parameter i padding? */
static bool is_padding(const una_net *net, size_t i)
{
    for (size_t l = net->depth + 1; l-- > 0;)
        if (i >= net->weights[l]) return (i - net->weights[l]) % UNA_PADDED(net->size[l + 1]) >= net->size[l + 1];
    return true;
}

static void check_losses(const una_losses *got, const una_losses *truth, double rtol)
{
    assert_near(got->fit, truth->fit, rtol, 1e-12);
    assert_near(got->penalty, truth->penalty, rtol, 1e-12);
    assert_near(got->diverse, truth->diverse, rtol, 1e-12);
    assert_near(got->total, truth->total, rtol, 1e-12);
    if (isnan(truth->mean_cos2)) assert_true(isnan(got->mean_cos2));
    else assert_near(got->mean_cos2, truth->mean_cos2, rtol, 1e-12);
}

/* Central differences of the plain form on `tries` parameters chosen at random. A kink (relu, leaky, elu) within the
 * step spoils a difference, so there one in ten may be off. */
static void check_differences(trial *t, const double *gradient, size_t tries, una_rng *rng)
{
    const double step = 1e-5;
    size_t checked = 0, off = 0;
    double size = 0;

    for (size_t i = 0; i < t->net.parameters; i++) {
        size = fmax(size, fabs(gradient[i]));
        if (is_padding(&t->net, i)) assert_true(gradient[i] == 0);
    }

    while (checked < tries) {
        size_t i = una_rng_below(rng, t->net.parameters);
        if (is_padding(&t->net, i)) continue;
        checked++;
        double kept = t->parameters[i];
        t->parameters[i] = kept + step;
        double above = truth_losses(&t->net, t->parameters, &t->batch, &t->objective).total;
        t->parameters[i] = kept - step;
        double below = truth_losses(&t->net, t->parameters, &t->batch, &t->objective).total;
        t->parameters[i] = kept;
        double slope = (above - below) / (2 * step);
        bool met = fabs(slope - gradient[i]) <= 1e-6 * fabs(slope) + 3e-7 * (1 + size);
        if (!met && !has_kink((int)t->net.activation))
            fail_msg("parameter %zu: gradient %.12g, difference %.12g", i, gradient[i], slope);
        off += !met;
    }

    if (off * 10 > checked) fail_msg("%zu of %zu parameters off", off, checked);
}

static void check_sets(const trial *t, const double *gradient, const una_losses *losses, una_run *run)
{
    size_t n = t->net.parameters;
    double size = 0, *again = UNA_GET(&run->scratch, double, n);
    float *single = UNA_GET(&run->scratch, float, n);
    assert_non_null(single);
    const una_batch_f32 *b = &t->batch_f32;
    una_objective_f32 objective = { t->objective.fit_weight, t->objective.penalty, t->objective.diversity,
                                    t->objective.per_point, t->objective.head_relief, t->objective.free_biases,
                                    t->objective.targets, t->objective.jacobian, NULL };

    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(gradient[i]));
    /* slopes of a cosine cancel: what counts is the size of their terms */
    size = fmax(size, 0.01 * t->objective.diversity);

    for (size_t s = 0; s < 3; s++) {
        const una_kernels_f64 *doubles = una_kernels_named_f64(set_names[s]);
        const una_kernels_f32 *floats = una_kernels_named_f32(set_names[s]);
        una_work_f32 *work;
        una_losses got;
        if (!doubles || !floats) continue;
        una_net_gradient_f64(work_for(t, doubles, run), t->parameters, &t->batch, &t->objective, again, &got);
        check_losses(&got, losses, 1e-11);
        assert_arrays_near(again, gradient, n, 0, 1e-11 * (1 + size));

        una_work_size room = size_of(t);
        assert_ok(una_work_new_f32(&work, &t->net, &room, floats, &run->scratch), run);
        una_net_gradient_f32(work, t->parameters_f32, b, &objective, single, &got);
        check_losses(&got, losses, 1e-4);
        for (size_t i = 0; i < n; i++) {
            if (is_padding(&t->net, i)) assert_true(single[i] == 0);
            again[i] = (double)single[i];
        }
        assert_arrays_near(again, gradient, n, 0, 1e-4 * size);
    }
}

/* Piece k of `pieces` of a trial's batch; with own probes, x is laid out anew. */
static una_batch_f64 piece_of(const trial *t, size_t k, size_t pieces, una_run *run)
{
    una_batch_f64 piece = t->batch;
    size_t rows = t->batch.rows, probes = t->batch.probes, inputs = t->net.size[0];
    size_t wide = piece.target_heads == 1 ? 1 : UNA_PADDED(piece.target_heads);
    size_t r0 = k * rows / pieces, r1 = (k + 1) * rows / pieces;
    size_t p0 = k * probes / pieces, p1 = (k + 1) * probes / pieces;

    if (!piece.own_probes) {                     /* the first rows are probes: the last pieces may have none */
        p0 = r0 < probes ? r0 : probes;
        p1 = r1 < probes ? r1 : probes;
    }

    piece.rows = r1 - r0;
    piece.probes = p1 - p0;
    piece.target += r0 * wide;
    piece.open += r0 * wide;
    size_t *missing = UNA_GET(&run->scratch, size_t, t->batch.missing_count);
    assert_non_null(missing);
    piece.missing = missing;
    piece.missing_count = 0;
    for (size_t i = 0; i < t->batch.missing_count; i++)
        if (t->batch.missing[i] >= r0 * wide && t->batch.missing[i] < r1 * wide)
            missing[piece.missing_count++] = t->batch.missing[i] - r0 * wide;
    if (piece.delta) piece.delta += p0 * piece.directions;
    piece.x += r0 * inputs;
    if (!piece.own_probes) return piece;

    double *x = UNA_GET(&run->scratch, double, (r1 - r0 + p1 - p0) * inputs);
    assert_non_null(x);
    memcpy(x, piece.x, (r1 - r0) * inputs * sizeof *x);
    memcpy(x + (r1 - r0) * inputs, t->batch.x + (rows + p0) * inputs, (p1 - p0) * inputs * sizeof *x);
    piece.x = x;
    return piece;
}

/* A step in pieces is the whole step but for rounding, and to the bit the same for any number of members. */
static void check_pieces(const trial *t, const double *gradient, const una_losses *losses, una_run *run)
{
    size_t n = t->net.parameters;
    double size = 0, *sum = UNA_GET(&run->scratch, double, n), *first = UNA_GET(&run->scratch, double, n);
    assert_ok(una_arena_check(&run->scratch), run);
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(gradient[i]));

    for (size_t pieces = 2; pieces <= UNA_MOST_PIECES; pieces++) {
        const una_batch_f64 *b = &t->batch;
        una_batch_f64 batch[UNA_MOST_PIECES];
        una_work_f64 *work;
        for (size_t k = 0; k < pieces; k++) batch[k] = piece_of(t, k, pieces, run);
        size_t most = (b->rows + pieces - 1) / pieces, most_probes = (b->probes + pieces - 1) / pieces;
        if (b->probes && !b->own_probes) most_probes = most;

        una_work_size room = size_of(t);
        room.rows = most;
        room.probes = most_probes;
        room.pieces = pieces;
        assert_ok(una_work_new_f64(&work, &t->net, &room, una_kernels_named_f64(NULL), &run->scratch), run);

        for (int members = 1; members <= 3; members++) {
            una_crew *crew = NULL;
            una_losses got;
            if (members > 1) assert_ok(una_crew_new(&crew, members, &run->scratch), run);
            una_net_gradient_in_pieces_f64(work, t->parameters, batch, &t->objective, sum, &got, crew);
            una_crew_free(crew);
            check_losses(&got, losses, 1e-11);
            assert_arrays_near(sum, gradient, n, 0, 1e-11 * (1 + size));
            if (members == 1) memcpy(first, sum, n * sizeof *sum);
            else assert_memory_equal(sum, first, n * sizeof *sum);
        }
    }
}

static void run_trial(const design *d, una_objective_f64 objective, una_run *run, una_rng *rng)
{
    una_mark mark = una_arena_mark(&run->scratch);
    trial t;
    una_losses losses, truth;
    make_trial(&t, run, rng, d);
    objective.per_point = d->per_point;
    objective.targets = d->targets;
    objective.jacobian = d->jacobian;
    t.objective = objective;

    double *gradient = gradient_of(&t, &losses, run);
    truth = truth_losses(&t.net, t.parameters, &t.batch, &t.objective);
    check_losses(&losses, &truth, 1e-9);
    check_differences(&t, gradient, 30, rng);
    check_sets(&t, gradient, &losses, run);
    check_pieces(&t, gradient, &losses, run);
    una_arena_release(&run->scratch, mark);
}

/* ---- gradients ------------------------------------------------------------------------------------------ */

static const una_objective_f64 parts[] = {
    { .fit_weight = 0.4 }, { .penalty = 0.03 }, { .diversity = 0.7 }, { .fit_weight = 0.4, .penalty = 0.03,
        .diversity = 0.7 },
    { .fit_weight = 0.2, .penalty = 0.5, .head_relief = 0.75 },
};

/* Several targets: the similarity of each target's heads or of whole Jacobians, in all ways through the slopes; cells
 * that are missing teach nothing, and no NAN gets anywhere. */
static void several_targets(void **state)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 12);
    const una_activation acts[] = { UNA_TANH, UNA_RELU };
    for (size_t i = 0; i < 32; i++) {
        design d = { .act = acts[i % 2], .count = 4, .sizes = { 1 + i / 2 % 2 * 4, 7, 9, 0 }, .rows = 8, .probes = 8,
                     .target_per_head = true, .jacobian = i / 4 % 2, .own_probes = i / 8 % 2, .exact = i / 16 % 2,
                     .targets = 2 + i % 3 };
        d.per_point = i % 5 == 4 && d.sizes[0] > 1;
        d.sizes[3] = d.targets * (2 + i % 4);
        run_trial(&d, parts[i % 2 ? 2 : 3], *state, &rng);
    }
}

static void fit_and_penalty(void **state)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 2);
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for (size_t part = 0; part < 5; part++) {
            design d = { .act = (una_activation)act, .rows = 7, .target_per_head = part % 2 };
            d.count = 3 + part % 4;
            for (size_t l = 0; l < d.count; l++) d.sizes[l] = 1 + una_rng_below(&rng, 23);
            run_trial(&d, parts[part], *state, &rng);
        }
}

/* Everything at once: 7 activations, depth 1 to 4, both forms of the cosine and of the slopes, probes of their own and
 * shared, all inputs, some inputs, unit vectors. */
static void diversity(void **state)
{
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 2);
    static const size_t shapes[][SIZES_MOST + 1] = {
        { 3, 3, 5, 4 }, { 4, 2, 17, 9, 5 }, { 5, 4, 7, 19, 6, 3 }, { 6, 3, 6, 18, 5, 7, 4 }, { 3, 5, 33, 2 }, { 4,
            6, 3, 5, 21 },
    };

    size_t turn = 0;
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for (size_t exact = 0; exact < 2; exact++)
            for (size_t per_point = 0; per_point < 2; per_point++)
                for (size_t way = 0; way < 3; way++, turn++) {
                    const size_t *shape = shapes[turn % 6];
                    design d = { .act = (una_activation)act, .count = shape[0], .rows = 4, .probes = 3, .exact = exact,
                                 .per_point = per_point, .own_probes = turn / 6 % 2, .target_per_head = turn % 2,
                                 .directions = way == 0 ? 0 : way + 1, .unit = way == 2 };
                    memcpy(d.sizes, shape + 1, shape[0] * sizeof *shape);
                    run_trial(&d, parts[turn % 5 == 4 ? 2 : 2 + turn % 2], *state, &rng);
                }
}

/* Slopes by unit: ReLU with many directions, whole and half vectors of them, probes with all units off, steps long
 * enough that many cross the kink. */
static void many_directions(void **state)
{
    una_rng rng = una_rng_at(31, UNA_FOR_TEST, 2);
    static const size_t inputs[] = { 4, 5, 8, 9, 13, 16, 17, 24, 33 };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (size_t depth = 1; depth < 4; depth++) {
            design d = { .act = UNA_RELU, .count = depth + 2, .rows = 4, .probes = 3, .own_probes = (i + depth) % 2,
                         .directions = i % 3 == 2 ? 6 : 0, .unit = i % 2 };
            d.sizes[0] = inputs[i];
            for (size_t l = 1; l <= depth; l++) d.sizes[l] = l == 2 && i == 1 ? 2 : 3 + una_rng_below(&rng, 80);
            d.sizes[depth + 1] = 2 + una_rng_below(&rng, 9);
            run_trial(&d, parts[2 + depth % 2], *state, &rng);
        }
}

/* One input and ReLU, where the first two layers are a broken line: rows that stand for few and for many units, units
 * probes of their own, backwards, several directions (where there is no line), steps across many bends. */
static void one_input(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(32, UNA_FOR_TEST, 2);
    static const size_t several[] = { 0, 0, 2, 1, 0, 3, 1, 5 };          /* of one input: unit vectors */
    for (size_t turn = 0; turn < 24; turn++) {
        size_t depth = 2 + turn % 3;
        design d = { .act = UNA_RELU, .count = depth + 2, .rows = 9 + turn % 5, .probes = 9, .own_probes = turn % 2,
                     .directions = several[turn % 8], .unit = true, .target_per_head = turn % 3 == 1 };
        d.sizes[0] = 1;
        for (size_t l = 1; l <= depth; l++) d.sizes[l] = 4 + una_rng_below(&rng, turn % 6 == 5 ? 60 : 15);
        d.sizes[depth + 1] = 2 + una_rng_below(&rng, 30);
        run_trial(&d, parts[2 + turn % 2], run, &rng);
    }
}

/* Where a unit has no bend, and where all have the same. */
static void one_input_without_bends(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(33, UNA_FOR_TEST, 2);
    for (size_t turn = 0; turn < 6; turn++) {
        una_mark mark = una_arena_mark(&run->scratch);
        design d = { .act = UNA_RELU, .count = 4, .sizes = { 1, 13, 11, 5 }, .rows = 9, .probes = 8 };
        trial t;
        una_losses losses, truth;
        make_trial(&t, run, &rng, &d);

        for (size_t j = 0; j < 13; j++) {
            double *w = &t.parameters[t.net.weights[0] + j], *b = &t.parameters[t.net.biases[0] + j];
            if (turn < 3 ? j % 3 == turn : turn == 3) *w = j % 2 ? 0.0 : -0.0;
            if (turn == 4) *b = 0.25 * *w;
            if (turn == 5) *b = *w < 0 ? 9 * *w : -9 * *w;                       /* off at every row: dead */
            t.parameters_f32[t.net.weights[0] + j] = (float)*w;
            t.parameters_f32[t.net.biases[0] + j] = (float)*b;
        }

        const double *gradient = gradient_of(&t, &losses, run);
        truth = truth_losses(&t.net, t.parameters, &t.batch, &t.objective);
        check_losses(&losses, &truth, 1e-9);
        check_differences(&t, gradient, 60, &rng);
        if (turn != 5) check_sets(&t, gradient, &losses, run);
        una_arena_release(&run->scratch, mark);
    }
}

/* More heads than any layer is wide: the slopes of the heads need the room of the heads. */
static void many_heads(void **state)
{
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 2);
    for (size_t per_point = 0; per_point < 2; per_point++) {
        design d = { .act = UNA_TANH, .count = 4, .sizes = { 3, 5, 7, 45 }, .rows = 5, .probes = 20, .own_probes = true,
                     .per_point = per_point };
        run_trial(&d, parts[3], *state, &rng);
    }
}

/* Buffers made for probes serve a batch without them, and a smaller batch. */
static void work_is_reused(void **state)
{
    una_run *run = *state;
    una_mark mark = una_arena_mark(&run->scratch);
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 2);
    design d = { .act = UNA_TANH, .count = 4, .sizes = { 3, 9, 7, 5 }, .rows = 6, .probes = 6 };
    trial t;
    una_losses losses, again;
    make_trial(&t, run, &rng, &d);

    una_work_f64 *work = work_for(&t, una_kernels_named_f64("generic"), run);
    double *gradient = UNA_GET(&run->scratch, double, t.net.parameters);
    assert_non_null(gradient);
    una_net_gradient_f64(work, t.parameters, &t.batch, &t.objective, gradient, &losses);

    for (size_t i = 0; i < t.net.parameters; i++) t.parameters[i] *= 0.5;        /* what was kept of it is stale now */
    t.batch.rows = 4;
    t.batch.probes = t.batch.directions = 0;
    t.batch.delta = NULL;
    una_net_gradient_f64(work, t.parameters, &t.batch, &t.objective, gradient, &losses);

    const double *fresh = gradient_of(&t, &again, run);
    assert_arrays_near(gradient, fresh, t.net.parameters, 0, 0);
    assert_near(losses.total, again.total, 0, 0);
    assert_true(isnan(losses.mean_cos2));
    una_arena_release(&run->scratch, mark);
}

/* The exact slopes are the limit of the differences, and so is their gradient. */
static void exact_is_the_limit(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 2);
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++) {
        if (act == UNA_ELU) continue;                            /* its second derivative jumps: no limit near 0 */
        una_mark mark = una_arena_mark(&run->scratch);
        design d = { .act = (una_activation)act, .count = 4, .sizes = { 3, 9, 7, 5 }, .rows = 5, .probes = 5 };
        trial t;
        una_losses close, exact;
        make_trial(&t, run, &rng, &d);

        double *delta = UNA_GET(&run->scratch, double, 15);
        assert_non_null(delta);
        for (size_t i = 0; i < 15; i++) delta[i] = 1e-6;
        t.batch.delta = delta;

        const double *by_differences = gradient_of(&t, &close, run);
        t.batch.delta = NULL;
        const double *by_slopes = gradient_of(&t, &exact, run);
        check_losses(&close, &exact, 1e-4);
        assert_arrays_near(by_differences, by_slopes, t.net.parameters, 1e-4, 1e-4);
        una_arena_release(&run->scratch, mark);
    }
}

/* ---- hazards of the similarity ---------------------------------------------------------------------------- */

/* In one dimension two slopes at one point are parallel: the cosine per point is 1 and nothing can be learnt
 * from it. */
static void one_input_per_point(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 2);
    for (size_t exact = 0; exact < 2; exact++) {
        una_mark mark = una_arena_mark(&run->scratch);
        design d = { .act = UNA_TANH, .count = 4, .sizes = { 1, 9, 7, 5 }, .rows = 5, .probes = 5, .exact = exact,
            .per_point = true };
        trial t;
        una_losses losses;
        make_trial(&t, run, &rng, &d);

        t.objective = (una_objective_f64){ .diversity = 1, .per_point = true };
        const double *gradient = gradient_of(&t, &losses, run);
        assert_near(losses.mean_cos2, 1, 1e-9, 0);
        for (size_t i = 0; i < t.net.parameters; i++) assert_near(gradient[i], 0, 0, 1e-8);
        una_arena_release(&run->scratch, mark);
    }
}

/* Identical heads: as similar as can be, and no gradient to part them. */
static void collapse_is_stationary(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, 2);
    for (size_t per_point = 0; per_point < 2; per_point++) {
        una_mark mark = una_arena_mark(&run->scratch);
        design d = { .act = UNA_TANH, .count = 4, .sizes = { 3, 9, 7, 5 }, .rows = 6, .probes = 6,
            .per_point = per_point };
        trial t;
        una_losses losses;
        make_trial(&t, run, &rng, &d);

        double *w = t.parameters + t.net.weights[2];
        for (size_t j = 0; j < 7; j++)
            for (size_t m = 1; m < 5; m++) w[j * UNA_PADDED(5) + m] = w[j * UNA_PADDED(5)];

        t.objective = (una_objective_f64){ .diversity = 1, .per_point = per_point };
        const double *gradient = gradient_of(&t, &losses, run);
        assert_near(losses.mean_cos2, 1, 1e-9, 0);
        for (size_t i = 0; i < t.net.parameters; i++) assert_near(gradient[i], 0, 0, 1e-9);
        una_arena_release(&run->scratch, mark);
    }
}

/* Flat heads have no direction: they take no part and nothing becomes NAN, down to heads that are all flat. */
static void flat_heads(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 2);
    for (size_t per_point = 0; per_point < 2; per_point++)
        for (size_t flat = 1; flat <= 5; flat += 2) {
            una_mark mark = una_arena_mark(&run->scratch);
            design d = { .act = UNA_RELU, .count = 4, .sizes = { 3, 9, 7, 5 }, .rows = 6, .probes = 6,
                .per_point = per_point };
            trial t;
            una_losses losses;
            make_trial(&t, run, &rng, &d);

            for (size_t j = 0; j < 7; j++)
                for (size_t m = 0; m < flat; m++)
                    t.parameters[t.net.weights[2] + j * UNA_PADDED(t.net.heads) + m] = 0;

            const double *gradient = gradient_of(&t, &losses, run);
            una_losses truth = truth_losses(&t.net, t.parameters, &t.batch, &t.objective);
            check_losses(&losses, &truth, 1e-9);
            for (size_t i = 0; i < t.net.parameters; i++) assert_true(isfinite(gradient[i]));
            if (flat == 5) assert_true(losses.diverse == 0);
            t.parameters_f32 = singles(run, t.parameters, t.net.parameters);
            check_sets(&t, gradient, &losses, run);
            una_arena_release(&run->scratch, mark);
        }
}

/* Heads a thousand times flatter than the others still have their cosine, in float as well. */
static void nearly_flat_heads(void **state)
{
    una_run *run = *state;
    una_mark mark = una_arena_mark(&run->scratch);
    una_rng rng = una_rng_at(16, UNA_FOR_TEST, 2);
    design d = { .act = UNA_TANH, .count = 4, .sizes = { 3, 9, 7, 5 }, .rows = 6, .probes = 6 };
    trial t;
    una_losses losses;
    make_trial(&t, run, &rng, &d);

    for (size_t j = 0; j < 7; j++)
        for (size_t m = 0; m < 2; m++)
            t.parameters[t.net.weights[2] + j * UNA_PADDED(t.net.heads) + m] *= 1e-3;

    const double *gradient = gradient_of(&t, &losses, run);
    una_losses truth = truth_losses(&t.net, t.parameters, &t.batch, &t.objective);
    check_losses(&losses, &truth, 1e-9);
    t.parameters_f32 = singles(run, t.parameters, t.net.parameters);
    check_sets(&t, gradient, &losses, run);
    una_arena_release(&run->scratch, mark);
}

/* One head has nobody to differ from. */
static void single_head(void **state)
{
    una_run *run = *state;
    una_mark mark = una_arena_mark(&run->scratch);
    una_rng rng = una_rng_at(9, UNA_FOR_TEST, 2);
    design d = { .act = UNA_TANH, .count = 3, .sizes = { 2, 5, 1 }, .rows = 3, .probes = 3 };
    trial t;
    una_losses losses;
    make_trial(&t, run, &rng, &d);
    gradient_of(&t, &losses, run);
    assert_true(losses.diverse == 0);
    assert_true(isnan(losses.mean_cos2));
    una_arena_release(&run->scratch, mark);
}

/* The sign: steps down the gradient make heads less alike, and the more so the larger the diversity. */
static double after_descent(double weight, bool per_point, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_rng rng = una_rng_at(10, UNA_FOR_TEST, 2);
    design d = { .act = UNA_TANH, .count = 4, .sizes = { 3, 12, 10, 5 }, .rows = 12, .probes = 12,
        .per_point = per_point };
    trial t;
    una_losses losses = { .total = 0 };
    make_trial(&t, run, &rng, &d);

    double *w = t.parameters + t.net.weights[2];
    for (size_t j = 0; j < 10; j++)                              /* alike at first, but not the same */
        for (size_t m = 1; m < 5; m++)
            w[j * UNA_PADDED(5) + m] = 0.7 * w[j * UNA_PADDED(5)] + 0.3 * una_rng_normal(&rng);
    t.objective = (una_objective_f64){ .fit_weight = 0.1, .diversity = weight, .per_point = per_point };

    for (int step = 0; step < 40; step++) {
        una_mark each = una_arena_mark(&run->scratch);
        const double *gradient = gradient_of(&t, &losses, run);
        for (size_t i = 0; i < t.net.parameters; i++) t.parameters[i] -= 0.02 * gradient[i];
        una_arena_release(&run->scratch, each);
    }

    una_arena_release(&run->scratch, mark);
    return losses.mean_cos2;
}

static void diversity_lowers_similarity(void **state)
{
    for (int per_point = 0; per_point < 2; per_point++) {
        double none = after_descent(0, per_point, *state), some = after_descent(0.5, per_point, *state);
        double much = after_descent(2, per_point, *state);
        assert_true(some < none - 0.01);
        assert_true(much < some - 0.01);
    }
}

/* ---- forward, slopes, backward ------------------------------------------------------------------------------ */

static void forward_is_the_plain_form(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(11, UNA_FOR_TEST, 2);
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_net net = net_of((una_activation)act, 5, (const size_t[]){ 3, 19, 7, 21, 5 });
        const double *parameters = random_parameters(run, &rng, &net);
        const size_t rows = 250;
        const double *x = normals(run, &rng, rows * 3, 1);
        double *phi = UNA_GET(&run->scratch, double, rows * 23), *f = UNA_GET(&run->scratch, double, rows * 5);
        una_work_f64 *work;
        assert_ok(una_work_new_f64(&work, &net, &(una_work_size){ 0 }, una_kernels_named_f64(NULL),
                                   &run->scratch), run);

        for (size_t r = 0; r < rows; r++) phi[r * 23 + 21] = phi[r * 23 + 22] = 1;
        una_net_forward_f64(work, parameters, x, rows, (una_outputs){ phi, 23, f });
        for (size_t r = 0; r < rows; r++) {
            double truth[MOST_WIDE];
            truth_phi(&net, parameters, x + r * 3, NULL, truth, NULL);
            assert_arrays_near(phi + r * 23, truth, 21, 1e-12, 1e-12);
            assert_true(phi[r * 23 + 21] == 1 && phi[r * 23 + 22] == 1);         /* columns beyond: untouched */
            for (size_t m = 0; m < 5; m++) assert_near(f[r * 5 + m], truth_head(&net, parameters, truth, m, true),
                1e-12, 1e-12);
        }
        una_arena_release(&run->scratch, mark);
    }
}

/* A batch equals one by one bit for bit: floats, every kernel set, more rows than a block. */
static void batch_equals_one_by_one(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(12, UNA_FOR_TEST, 2);
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for (size_t s = 0; s < 3; s++) {
            const una_kernels_f32 *kernels = una_kernels_named_f32(set_names[s]);
            if (!kernels) continue;
            una_mark mark = una_arena_mark(&run->scratch);
            una_net net = net_of((una_activation)act, 4, (const size_t[]){ 3, 19, 37, 5 });
            const size_t rows = 501;
            const float *parameters = singles(run, random_parameters(run, &rng, &net), net.parameters);
            const float *x = singles(run, normals(run, &rng, rows * 3, 2), rows * 3);
            double *phi = UNA_GET(&run->scratch, double, rows * 37), *f = UNA_GET(&run->scratch, double, rows * 5);
            una_work_f32 *work;
            assert_ok(una_work_new_f32(&work, &net, &(una_work_size){ 0 }, kernels, &run->scratch), run);

            una_net_forward_f32(work, parameters, x, rows, (una_outputs){ phi, 37, f });
            for (size_t r = 0; r < rows; r++) {
                double phi_alone[37], f_alone[5];
                una_net_forward_f32(work, parameters, x + r * 3, 1, (una_outputs){ .phi = phi_alone, .stride = 37 });
                una_net_forward_f32(work, parameters, x + r * 3, 1, (una_outputs){ .f = f_alone });
                assert_memory_equal(phi_alone, phi + r * 37, sizeof phi_alone);
                assert_memory_equal(f_alone, f + r * 5, sizeof f_alone);
            }
            una_arena_release(&run->scratch, mark);
        }
}

static void slopes_are_differences(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(13, UNA_FOR_TEST, 2);
    const double step = 1e-6;
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_net net = net_of((una_activation)act, 4, (const size_t[]){ 5, 19, 7, 3 });
        const double *parameters = random_parameters(run, &rng, &net);
        double *x = normals(run, &rng, 5, 1), j[5 * 7];
        una_work_f64 *work;
        assert_ok(una_work_new_f64(&work, &net,
                                   &(una_work_size){ .rows = 1, .probes = 1, .directions = 5, .exact = true },
                                   una_kernels_named_f64(NULL), &run->scratch), run);

        una_net_slopes_f64(work, parameters, x, NULL, j);
        for (size_t d = 0; d < 5; d++) {
            double above[MOST_WIDE], below[MOST_WIDE], kept = x[d];
            x[d] = kept + step;
            truth_phi(&net, parameters, x, NULL, above, NULL);
            x[d] = kept - step;
            truth_phi(&net, parameters, x, NULL, below, NULL);
            x[d] = kept;
            for (size_t k = 0; k < 7; k++) assert_near(j[d * 7 + k], (above[k] - below[k]) / (2 * step), 1e-7, 1e-7);
        }
        una_arena_release(&run->scratch, mark);
    }
}

static double weighted_features(const una_net *net, const double *parameters, const double *x, const double *c,
    size_t rows)
{
    double sum = 0, phi[MOST_WIDE];
    for (size_t r = 0; r < rows; r++) {
        truth_phi(net, parameters, x + r * net->size[0], NULL, phi, NULL);
        for (size_t j = 0; j < net->features; j++) sum += c[r * net->features + j] * phi[j];
    }
    return sum;
}

/* Back from dL/dphi of L = sum c phi, over several blocks; the result is added to what stands there. */
static void backward_is_differences(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(14, UNA_FOR_TEST, 2);
    const double step = 1e-6;
    const size_t rows = 300;
    for (int act = 1; act < UNA_ACTIVATION_COUNT; act++) {
        if (act == UNA_LEAKY) continue;                          /* too many kinks among 300 rows */
        una_mark mark = una_arena_mark(&run->scratch);
        una_net net = net_of((una_activation)act, 5, (const size_t[]){ 2, 9, 17, 6, 1 });
        double *parameters = random_parameters(run, &rng, &net), *gradient = UNA_GET(&run->scratch, double,
            net.parameters);
        const double *x = normals(run, &rng, rows * 2, 1), *c = normals(run, &rng, rows * 6, 1);
        una_work_f64 *work;
        assert_ok(una_work_new_f64(&work, &net, &(una_work_size){ .rows = 10 }, una_kernels_named_f64(NULL),
                                   &run->scratch), run);

        for (size_t i = 0; i < net.parameters; i++) gradient[i] = 5;
        una_net_backward_f64(work, parameters, x, rows, c, gradient);
        for (size_t i = 0; i < net.parameters; i++) {
            if (i >= net.hidden_parameters || is_padding(&net, i)) {
                assert_true(gradient[i] == 5);
                continue;
            }
            if (i % 5) continue;

            double kept = parameters[i];
            parameters[i] = kept + step;
            double above = weighted_features(&net, parameters, x, c, rows);
            parameters[i] = kept - step;
            double below = weighted_features(&net, parameters, x, c, rows);
            parameters[i] = kept;
            assert_near(gradient[i] - 5, (above - below) / (2 * step), 1e-5, 1e-5);
        }
        una_arena_release(&run->scratch, mark);
    }
}

/* ---- shapes, beginnings, memory ------------------------------------------------------------------------------- */

static void layout(void **state)
{
    (void)state;
    una_net net = net_of(UNA_RELU, 4, (const size_t[]){ 3, 17, 16, 5 });
    assert_int_equal(net.weights[0], 0);
    assert_int_equal(net.biases[0], 3 * UNA_PADDED(17));
    assert_int_equal(net.weights[1], 4 * UNA_PADDED(17));
    assert_int_equal(net.biases[1], 4 * UNA_PADDED(17) + 17 * 16);
    assert_int_equal(net.weights[2], net.hidden_parameters);
    assert_int_equal(net.hidden_parameters, 4 * UNA_PADDED(17) + 18 * 16);
    assert_int_equal(net.parameters, 4 * UNA_PADDED(17) + 18 * 16 + 17 * UNA_PADDED(5));
    assert_int_equal(net.features, 16);
    assert_int_equal(net.heads, 5);
}

/* Spread as named, biases and padding zero, floats are the doubles rounded. */
static void initialisations(void **state)
{
    una_run *run = *state;
    una_mark mark = una_arena_mark(&run->scratch);
    una_net net = net_of(UNA_RELU, 3, (const size_t[]){ 40, 90, 20 });
    double *parameters = UNA_GET(&run->scratch, double, net.parameters);
    float *single = UNA_GET(&run->scratch, float, net.parameters);
    assert_non_null(single);
    const double expected[] = { sqrt(2 / 40.), sqrt(2 / 130.), sqrt(1 / 40.), 1 };

    for (int initialisation = 0; initialisation < 4; initialisation++) {
        una_rng rng = una_rng_at(15, UNA_FOR_TEST, 2), same = una_rng_at(15, UNA_FOR_TEST, 2);
        una_net_initialise_f64(&net, initialisation, 0.5, &rng, parameters, NULL);
        una_net_initialise_f32(&net, initialisation, 0.5, &same, single, NULL);
        double square = 0, sum = 0;
        for (size_t i = 0; i < net.parameters; i++) {
            assert_true(single[i] == (float)parameters[i]);
            if (is_padding(&net, i) || (i >= net.biases[0] && i < net.weights[1]) || i >= net.biases[1])
                assert_true(parameters[i] == 0);
            if (i < net.biases[0]) square += parameters[i] * parameters[i], sum += parameters[i];
        }

        double std = 0.5 * expected[initialisation];             /* 3600 draws: 1.2 % one standard error */
        assert_near(sqrt(square / 3600), std, 0.05, 0);
        assert_near(sum / 3600, 0, 0, std * 0.07);
    }
    una_arena_release(&run->scratch, mark);
}

static una_status take_work(void *context, una_run *run)
{
    const una_net *net = context;
    for (int per_point = 0; per_point < 2; per_point++) {
        una_work_f32 *work = NULL;
        una_mark mark = una_arena_mark(&run->scratch);
        una_work_size size = { .rows = 3000, .probes = 900, .own_probes = true, .directions = 3, .exact = per_point,
                               .per_point = per_point };
        una_status status = una_work_new_f32(&work, net, &size, una_kernels_named_f32(NULL), &run->scratch);
        una_arena_release(&run->scratch, mark);
        if (status != UNA_OK) return status;

        size = (una_work_size){ .rows = 1000, .probes = 300, .directions = net->size[0] > 1 ? 5 : 1, .own_probes = true,
                                .pieces = 3, .per_point = per_point };
        status = una_work_new_f32(&work, net, &size, una_kernels_named_f32(NULL), &run->scratch);
        una_arena_release(&run->scratch, mark);
        if (status != UNA_OK) return status;
    }
    return UNA_OK;
}

static void memory_may_fail(void **state)
{
    (void)state;
    una_net net = net_of(UNA_RELU, 5, (const size_t[]){ 3, 50, 60, 50, 25 });
    assert_true(sweep_allocations(take_work, &net) > 3);
    net = net_of(UNA_RELU, 5, (const size_t[]){ 1, 50, 60, 50, 25 });    /* a broken line */
    assert_true(sweep_allocations(take_work, &net) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),
        cmocka_unit_test(initialisations),
        cmocka_unit_test(forward_is_the_plain_form),
        cmocka_unit_test(batch_equals_one_by_one),
        cmocka_unit_test(slopes_are_differences),
        cmocka_unit_test(backward_is_differences),
        cmocka_unit_test(fit_and_penalty),
        cmocka_unit_test(several_targets),
        cmocka_unit_test(diversity),
        cmocka_unit_test(many_directions),
        cmocka_unit_test(one_input),
        cmocka_unit_test(one_input_without_bends),
        cmocka_unit_test(many_heads),
        cmocka_unit_test(work_is_reused),
        cmocka_unit_test(exact_is_the_limit),
        cmocka_unit_test(one_input_per_point),
        cmocka_unit_test(collapse_is_stationary),
        cmocka_unit_test(flat_heads),
        cmocka_unit_test(nearly_flat_heads),
        cmocka_unit_test(single_head),
        cmocka_unit_test(diversity_lowers_similarity),
        cmocka_unit_test(memory_may_fail),
    };

    return cmocka_run_group_tests(tests, begin_run, end_run);
}
