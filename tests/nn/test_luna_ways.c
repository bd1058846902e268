/* SPDX-License-Identifier: MIT
 *
 * The LUNA step on every way that the library takes through it, against the one of luna_reference.h: slopes by row and
 * by unit, the broken line, G formed or not, whole and in pieces, in every kernel set and both precisions; the plain
 * path against the others. That a shape takes the way it is here for is checked too. And the reference itself against
 * central differences of its loss.
 */
#include "luna_reference.h"
#include "singles.h"

/* All terms, none of which hides another; and the diversity alone. */
static const luna_weights all_terms = { .sigma2 = 9, .gamma = 1e-3, .lambda = 10 };
static const luna_weights diversity_alone = { .sigma2 = INFINITY, .lambda = 1 };
static const char *const set_names[] = { "generic", "avx2", "avx512" };

typedef struct shape {
    const char *name;
    una_activation act;
    size_t inputs, width, depth, heads, rows, directions;        /* directions 0: every input */
    bool own_probes;
    bool fans, line, forms_slopes;                               /* the way that it should take */
} shape;

static const shape shapes[] = {
    { "cubic, relu", UNA_RELU, 1, 50, 2, 25, 100, 0, true, false, true, true },
    { "cubic, tanh", UNA_TANH, 1, 50, 2, 25, 100, 0, true, false, false, true },
    { "boston, relu", UNA_RELU, 13, 50, 2, 50, 128, 0, true, true, false, false },
    { "boston, tanh", UNA_TANH, 13, 50, 2, 50, 128, 0, true, false, false, false },
    { "kin8nm, relu", UNA_RELU, 8, 50, 2, 50, 128, 0, true, true, false, false },
    { "kin8nm, tanh", UNA_TANH, 8, 50, 2, 50, 128, 0, true, false, false, false },
    { "one input, many heads", UNA_RELU, 1, 30, 3, 60, 90, 0, false, false, true, false },
    { "three inputs, relu by row", UNA_RELU, 3, 40, 2, 20, 70, 0, false, false, false, false },
    { "few directions of many", UNA_SOFTPLUS, 9, 20, 1, 5, 40, 2, true, false, false, true },
};
enum { SHAPES = sizeof shapes / sizeof *shapes, LIKE_PERF = 6 };         /* the first are the cases that are timed */

typedef struct trial {                           /* a shape with numbers in it, floats that are exact as doubles */
    una_net net;
    double *Psi_f64;
    float *Psi_f32;
    una_batch_f64 batch_f64;
    una_batch_f32 batch_f32;
} trial;

/* Normals that a float holds. */
static double *normals(una_run *run, una_rng *rng, size_t n, double scale)
{
    double *block = UNA_GET(&run->scratch, double, n);
    assert_non_null(block);
    for (size_t i = 0; i < n; i++) block[i] = (float)(scale * una_rng_normal(rng));
    return block;
}

static trial make_trial(const shape *s, una_run *run)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 7);
    trial t = { .net = { .depth = s->depth, .activation = s->act } };
    for (size_t l = 1; l <= s->depth; l++) t.net.size[l] = s->width;
    t.net.size[0] = s->inputs;
    t.net.size[s->depth + 1] = s->heads;
    una_net_shape(&t.net);
    size_t each = s->directions ? s->directions : s->inputs, all = s->rows * (s->own_probes ? 2 : 1);

    float *drawn = UNA_GET(&run->scratch, float, t.net.parameters);
    t.Psi_f64 = UNA_GET(&run->scratch, double, t.net.parameters);
    assert_non_null(t.Psi_f64);
    una_net_initialise_f32(&t.net, 0, 1, &rng, drawn, NULL);
    for (size_t l = 0; l <= s->depth; l++)
        for (size_t j = 0; j < t.net.size[l + 1]; j++)
            drawn[t.net.biases[l] + j] = (float)(0.3 * una_rng_normal(&rng));
    for (size_t i = 0; i < t.net.parameters; i++) t.Psi_f64[i] = drawn[i];
    t.Psi_f32 = drawn;

    double *delta = normals(run, &rng, s->rows * each, 0.1);
    for (size_t i = 0; i < s->rows * each; i++) delta[i] = (float)(delta[i] + (delta[i] < 0 ? -0.02 : 0.02));
    t.batch_f64 = (una_batch_f64){ .rows = s->rows, .probes = s->rows, .directions = each, .own_probes = s->own_probes,
                               .x = normals(run, &rng, all * s->inputs, 1), .target_heads = 1, .delta = delta };
    double *y = UNA_GET(&run->scratch, double, s->rows);
    assert_non_null(y);
    for (size_t i = 0; i < s->rows * s->inputs; i++)             /* of spread 1, as rows are for training */
        y[i / s->inputs] += pow(t.batch_f64.x[i], 3) / sqrt(15 * (double)s->inputs);
    for (size_t i = 0; i < s->rows; i++) y[i] = (float)y[i];
    t.batch_f64.target = y;

    if (s->directions) {
        double *direction = UNA_GET(&run->scratch, double, each * s->inputs);
        assert_non_null(direction);
        for (size_t d = 0; d < each; d++) direction[d * s->inputs + 2 * d] = 1;
        t.batch_f64.direction = direction;
    }

    t.batch_f32 = (una_batch_f32){ .rows = s->rows, .probes = s->rows, .directions = each,
                                   .own_probes = s->own_probes, .target_heads = 1,
                                   .x = singles(run, t.batch_f64.x, all * s->inputs),
                                   .target = singles(run, t.batch_f64.target, s->rows),
                                   .direction = singles(run, t.batch_f64.direction, each * s->inputs),
                                   .delta = singles(run, delta, s->rows * each) };
    return t;
}

#define UNA_IN_BOTH "nn/luna_ways.h"
#include "kern/both.h"

/* |a - b| / |b| */
static double distance(const double *a, const double *b, size_t n)
{
    double off = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

/* ---- the reference ---------------------------------------------------------------------------------------- */

/* Central differences of J; near a kink (relu) one in ten may be off. */
static void reference_gradient(void **state)
{
    una_run *run = *state;
    static const shape small[] = {
        { "one input", UNA_TANH, 1, 7, 2, 4, 9, 0, true, false, false, false },
        { "three inputs", UNA_SILU, 3, 9, 3, 5, 6, 0, false, false, false, false },
        { "two of five", UNA_TANH, 5, 8, 1, 3, 6, 2, true, false, false, false },
        { "relu", UNA_RELU, 3, 9, 2, 4, 6, 0, true, false, false, false },
    };
    const double step = 1e-5;
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        una_mark mark = una_arena_mark(&run->scratch);
        trial t = make_trial(&small[k], run);
        size_t n = t.net.parameters, off = 0;
        double *gradient = UNA_GET(&run->scratch, double, 2 * n), *ignored = gradient + n;
        assert_non_null(gradient);
        una_losses J = luna_step(&t.net, t.Psi_f64, &t.batch_f64, all_terms, gradient);
        assert_near(J.total, J.fit + J.penalty + all_terms.lambda * (double)t.batch_f64.rows * J.mean_cos2, 1e-12, 0);

        for (size_t i = 0; i < n; i++) {
            double kept = t.Psi_f64[i];
            if (kept == 0) continue;                             /* padding */
            t.Psi_f64[i] = kept + step;
            double above = luna_step(&t.net, t.Psi_f64, &t.batch_f64, all_terms, ignored).total;
            t.Psi_f64[i] = kept - step;
            double below = luna_step(&t.net, t.Psi_f64, &t.batch_f64, all_terms, ignored).total;
            t.Psi_f64[i] = kept;
            bool met = fabs(gradient[i] - (above - below) / (2 * step)) <= 1e-6 * (1 + fabs(gradient[i]));
            if (!met && !has_kink((int)small[k].act)) fail_msg("%s: parameter %zu", small[k].name, i);
            off += !met;
        }
        assert_true(off * 10 <= n);
        una_arena_release(&run->scratch, mark);
    }
}

/* ---- the library ------------------------------------------------------------------------------------------ */

static void check_way(const shape *s, una_path path, size_t pieces, una_slope_method way)
{
    bool plain = path == UNA_PATH_PLAIN;
    size_t slopes = s->rows / pieces * (s->directions ? s->directions : s->inputs);
    if (way.fans == (s->fans && !plain) && way.line == (s->line && !plain) && way.pieces == pieces &&
        way.forms_slopes == (s->forms_slopes && !plain) && (way.blocks > 1) == (slopes > 110)) return;
    fail_msg("%s: fans %d, line %d, forms slopes %d, %zu blocks, %zu pieces", s->name, way.fans, way.line,
             way.forms_slopes, way.blocks, way.pieces);
}

static void check_losses(const shape *s, const una_losses *got, const una_losses *is, double rtol)
{
    if (fabs(got->fit - is->fit) <= rtol * is->fit && fabs(got->penalty - is->penalty) <= rtol * is->penalty
        && fabs(got->diverse - is->diverse) <= rtol * is->diverse
        && fabs(got->total - is->total) <= rtol * is->total
        && fabs(got->mean_cos2 - is->mean_cos2) <= rtol * is->mean_cos2) return;
    fail_msg("%s: total %.15g, not %.15g (fit %.15g, %.15g; P %.15g, %.15g)", s->name, got->total, is->total,
             got->fit, is->fit, got->diverse, is->diverse);
}

typedef struct truth { luna_weights how; una_losses losses; double *gradient; } truth;
typedef struct off { double twice, single; } off;                /* the largest distances, by precision */

/* One shape, one set, one path, so many pieces: both precisions against the reference. */
static void check_step(const shape *s, const trial *t, const char *set, una_path path, size_t pieces, const truth *is,
                       off *worst, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    size_t n = t->net.parameters;
    una_losses losses;
    una_slope_method way;

    const double *got = gradient_f64(t, is->how, set, path, pieces, &losses, &way, run);
    check_way(s, path, pieces, way);
    check_losses(s, &losses, &is->losses, 1e-11);
    worst->twice = fmax(worst->twice, distance(got, is->gradient, n));

    got = gradient_f32(t, is->how, set, path, pieces, &losses, &way, run);
    check_way(s, path, pieces, way);
    check_losses(s, &losses, &is->losses, 1e-5);
    worst->single = fmax(worst->single, distance(got, is->gradient, n));
    una_arena_release(&run->scratch, mark);
}

static off check_shape(const shape *s, luna_weights how, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    off worst = { 0, 0 };
    trial t = make_trial(s, run);
    truth is = { .how = how, .gradient = UNA_GET(&run->scratch, double, t.net.parameters) };
    assert_non_null(is.gradient);
    is.losses = luna_step(&t.net, t.Psi_f64, &t.batch_f64, how, is.gradient);

    for (size_t i = 0; i < 3; i++)
        for (int plain = 0; una_kernels_named_f64(set_names[i]) && plain < 2; plain++)
            for (size_t pieces = 1; pieces <= UNA_MOST_PIECES; pieces *= 2)
                check_step(s, &t, set_names[i], plain ? UNA_PATH_PLAIN : UNA_PATH_AUTO, pieces, &is, &worst, run);
    una_arena_release(&run->scratch, mark);
    return worst;
}

static void every_way_is_the_reference(void **state)
{
    for (size_t k = 0; k < SHAPES; k++) {
        off whole = check_shape(&shapes[k], all_terms, *state);
        off alone = sanitized ? whole : check_shape(&shapes[k], diversity_alone, *state);
        print_message("%s: gradient off by %.1e in double, %.1e in float; of the diversity alone %.1e, %.1e\n",
                      shapes[k].name, whole.twice, whole.single, alone.twice, alone.single);
        assert_true(whole.twice < 1e-12 && alone.twice < 1e-12);
        assert_true(whole.single < 2e-5 && alone.single < 2e-5);
    }
}

typedef struct paths { const double *automatic, *plain; } paths;

#define BOTH_PATHS(real, t, how, set, run)                                                                            \
    { gradient_##real(t, how, set, UNA_PATH_AUTO, 1, &(una_losses){ 0 }, &(una_slope_method){ 0 }, run),               \
      gradient_##real(t, how, set, UNA_PATH_PLAIN, 1, &(una_losses){ 0 }, &(una_slope_method){ 0 }, run) }

/* The two paths against each other, in steps weighted as in training (noise 0.3, gamma 0.1, lambda 1); in double for
 * the diversity alone too. In float that is good to some 1e-5 only, on either path: where the slopes of heads are
 * nearly parallel, as they are at first, it is a difference of large terms. */
static void plain_is_auto(void **state)
{
    skip_if_sanitized();
    una_run *run = *state;
    const luna_weights trained = { .sigma2 = 0.09, .gamma = 0.1, .lambda = 1 };
    for (size_t k = 0; k < LIKE_PERF; k++)
        for (size_t i = 0; i < 3; i++) {
            const char *set = set_names[i];
            if (!una_kernels_named_f64(set)) continue;
            una_mark mark = una_arena_mark(&run->scratch);
            trial t = make_trial(&shapes[k], run);
            size_t n = t.net.parameters;
            paths twice = BOTH_PATHS(f64, &t, trained, set, run), single = BOTH_PATHS(f32, &t, trained, set, run);
            paths alone = BOTH_PATHS(f64, &t, diversity_alone, set, run);
            paths alone_f32 = BOTH_PATHS(f32, &t, diversity_alone, set, run);

            double of_twice = distance(twice.automatic, twice.plain, n);
            double of_single = distance(single.automatic, single.plain, n);
            double of_alone = distance(alone.automatic, alone.plain, n);
            print_message("%s, %s: auto and plain %.1e apart in double, %.1e in float; the diversity %.1e, %.1e\n",
                          shapes[k].name, set, of_twice, of_single, of_alone,
                          distance(alone_f32.automatic, alone_f32.plain, n));
            assert_true(of_twice < 1e-12 && of_alone < 1e-12);
            assert_true(of_single < 1e-6);
            una_arena_release(&run->scratch, mark);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_gradient),
        cmocka_unit_test(every_way_is_the_reference),
        cmocka_unit_test(plain_is_auto),
    };
    return cmocka_run_group_tests(tests, begin_run, end_run);
}
