/* SPDX-License-Identifier: MIT
 *
 * LUNA's goal for convolutions: loss and gradient of one step beside the equation in double, with the same probes, unit
 * directions and moves, and differences of it.
 *   (1/M) sum_m sum_i (t_i - f_m(x_i))^2/(2 sigma^2) + gamma (n/N) (|body|^2 + (1 - r) |heads|^2)
 *     + lambda s(u) 2n/(M (M-1)) sum_{i<j} cos^2(g_i, g_j)
 */
#include "test_support.h"

#include "train/training_job.h"
#include "nn/conv.h"
#include "nn/diverse.h"

const una_kind *const una_kinds[] = { NULL };    /* no kind is needed to teach */

enum { ROWS = 7, SIDE = 4, INPUTS = SIDE * SIDE, HEADS = 3, DIRECTIONS = 2, MOVES = ROWS * DIRECTIONS, FEATURES = 16,
       ALL = 2 * ROWS + MOVES, MOST = 8192, STEP = 4, STEPS = 9 };
static const double STD = 0.5, FIT = 0.8, PENALTY = 0.05, RELIEF = 0.3, LAMBDA = 3;

typedef struct scene {
    una_conv shape;
    una_training_rows rows;
    una_diverse_shape at;
    float  x[ROWS * INPUTS], target[ROWS], parameters[MOST], gradient[MOST], delta[MOVES + 64];
    double wide_x[ALL * INPUTS], wide[MOST];     /* rows that fit, own probes, moves                                */
    una_training_job job;
    una_training_context training;
    una_trainable_f32 what;
    void *work;                                  /* in double                                                       */
} scene;

static una_rng stream_of(una_purpose purpose)
{
    return una_rng_at(3, purpose, (uint64_t)2 << 40 | STEP);
}

/* Points on the line through two rows: between them, or up to their distance beyond. */
static void place_probes(scene *s, int probes)
{
    una_rng rng = stream_of(UNA_FOR_PROBES);
    for (size_t i = 0; i < ROWS; i++) {
        const double *one = s->wide_x + una_rng_below(&rng, ROWS) * INPUTS;
        const double *other = s->wide_x + una_rng_below(&rng, ROWS) * INPUTS;
        double u = una_rng_uniform(&rng), t = probes == UNA_PROBES_BEYOND ? -1 + 3 * u : u;
        for (size_t k = 0; k < INPUTS; k++) s->wide_x[(ROWS + i) * INPUTS + k] = other[k] + t * (one[k] - other[k]);
    }
}

static void move_probes(scene *s, una_run *run)
{
    double unit[DIRECTIONS][INPUTS];
    una_rng rng = stream_of(UNA_FOR_DIRECTIONS), moves = stream_of(UNA_FOR_PERTURBATION);
    const una_kernels_f32 *kern = una_kernels_named_f32(run->settings.kernels);
    kern->normals(MOVES, moves.key, moves.counter, (float)STD, (float)(1e-3 * STD), s->delta);
    for (size_t d = 0; d < DIRECTIONS; d++) {
        double square = 0;
        for (size_t k = 0; k < INPUTS; k++) square += pow(unit[d][k] = una_rng_normal(&rng), 2);
        for (size_t k = 0; k < INPUTS; k++) unit[d][k] /= sqrt(square);
    }
    size_t base = s->at.own_probes ? ROWS : 0, first = base + ROWS;
    for (size_t i = 0; i < MOVES; i++)
        for (size_t k = 0; k < INPUTS; k++)
            s->wide_x[(first + i) * INPUTS + k] = s->wide_x[(base + i / DIRECTIONS) * INPUTS + k] +
                                                  (double)s->delta[i] * unit[i % DIRECTIONS][k];
}

static void make(scene *s, int probes, una_run *run)
{
    una_body_spec outline = { .width = 8, .heads = HEADS, .image = { SIDE, SIDE, 1 }, .small_stem = true, .stages = 2,
                              .blocks = { 1, 1 } };
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    *s = (scene){ .at = { FEATURES, HEADS, ROWS, ROWS, DIRECTIONS, probes != UNA_PROBES_DATA } };
    una_body_conv_f32.shape(&s->shape, &outline);
    una_body_conv_f32.initialise(&s->shape, &(una_weight_init){ .scale = 1 }, &rng, NULL, s->parameters);
    for (size_t i = 0; i < ROWS * INPUTS; i++) s->wide_x[i] = (double)(s->x[i] = (float)una_rng_normal(&rng));
    for (size_t i = 0; i < ROWS; i++) s->target[i] = (float)una_rng_normal(&rng);
    s->rows = (una_training_rows){ .x = s->x, .target = s->target, .rows = ROWS, .inputs = INPUTS, .outputs = 1 };
    s->job = (una_training_job){ .body = &una_body_conv_f32, .shape = &s->shape, .goal = UNA_GOAL_SQUARES,
                                 .rows = &s->rows,
                                 .how = { .descent.steps = STEPS, .fit_weight = FIT, .penalty = PENALTY, .seed = 3,
                                          .stream = 2, .head_relief = RELIEF, .diversity = LAMBDA, .schedule = 1,
                                          .probes = probes, .perturbation_std = STD, .directions = DIRECTIONS } };
    s->training = (una_training_context){ .job = &s->job, .net = { &una_body_conv_f32, &s->shape, NULL },
                                         .size = una_body_conv_f32.size(&s->shape), .parameters = s->parameters };
    assert_int_equal(s->training.size.features, FEATURES);
    assert_true(s->training.size.parameters <= MOST);
    for (size_t i = 0; i < s->training.size.parameters; i++) s->wide[i] = (double)s->parameters[i];
    assert_ok(una_goal_learn(&s->what, &s->training, run), run);
    if (s->at.own_probes) place_probes(s, probes);
    move_probes(s, run);
    assert_ok(una_network_work_f64(&s->work, &(una_network_f64){ &una_body_conv_f64, &s->shape, NULL }, ALL, run),
              run);
}

static double answer(const double *head, const double *phi, size_t m)
{
    double f = head[FEATURES * UNA_PAD + m];
    for (size_t k = 0; k < FEATURES; k++) f += head[k * UNA_PAD + m] * phi[k];
    return f;
}

static double loss_of(const scene *s, const double *p)
{
    static double phi[ALL * FEATURES];
    const una_network_f64 net = { &una_body_conv_f64, &s->shape, NULL };
    const double *head = p + s->shape.head;
    double fit = 0, body = 0, heads = 0, slope[HEADS][MOVES], alike = 0;
    size_t base = s->at.own_probes ? ROWS : 0, first = base + ROWS;
    net.body->learn(s->work, p, s->wide_x, una_diverse_rows(&s->at), ROWS, phi);
    for (size_t m = 0; m < HEADS; m++) {
        for (size_t r = 0; r < ROWS; r++) fit += pow((double)s->target[r] - answer(head, phi + r * FEATURES, m), 2);
        for (size_t i = 0; i < MOVES; i++)
            slope[m][i] = (answer(head, phi + (first + i) * FEATURES, m) -
                           answer(head, phi + (base + i / DIRECTIONS) * FEATURES, m)) / (double)s->delta[i];
    }
    for (size_t a = 0; a < HEADS; a++)
        for (size_t b = 0; b < a; b++) {
            double ab = 0, aa = 0, bb = 0;
            for (size_t i = 0; i < MOVES; i++) {
                ab += slope[a][i] * slope[b][i];
                aa += slope[a][i] * slope[a][i];
                bb += slope[b][i] * slope[b][i];
            }
            alike += ab * ab / (aa * bb);
        }
    for (size_t i = 0; i < s->shape.head; i++) body += p[i] * p[i];
    for (size_t i = s->shape.head; i < s->shape.carried; i++) heads += p[i] * p[i];
    return FIT / HEADS * fit + PENALTY * (body + (1 - RELIEF) * heads) +
           LAMBDA * sqrt((STEP + 1.0) / STEPS) * 2 * ROWS / (HEADS * (HEADS - 1)) * alike;
}

static void one_step(int probes)
{
    static scene s;
    una_run *run = quiet_run();
    una_losses losses;
    make(&s, probes, run);
    assert_ok(s.what.gradient(s.what.context, STEP, s.parameters, s.gradient, &losses, run), run);
    assert_near(losses.total, loss_of(&s, s.wide), 1e-5, 0);

    double off = 0, size = 0;
    for (size_t i = 0; i < s.training.size.parameters; i += i < s.shape.head ? 11 : 1) {
        double kept = s.wide[i], step = 1e-6;
        s.wide[i] = kept + step;
        double above = loss_of(&s, s.wide);
        s.wide[i] = kept - step;
        double slope = (above - loss_of(&s, s.wide)) / (2 * step);
        s.wide[i] = kept;
        if (i >= s.shape.carried) assert_true(s.gradient[i] == 0);
        else if (i >= s.shape.head && (i - s.shape.head) % UNA_PAD >= HEADS) continue;   /* no head is there */
        off += pow(slope - (double)s.gradient[i], 2);
        size += slope * slope;
    }
    assert_true(off < 1e-6 * size);
    una_run_free(run);
}

static void probes_at_the_rows(void **state)
{
    (void)state;
    one_step(UNA_PROBES_DATA);
}

static void probes_between(void **state)
{
    (void)state;
    one_step(UNA_PROBES_BETWEEN);
}

static void probes_beyond(void **state)
{
    (void)state;
    one_step(UNA_PROBES_BEYOND);
}

/* What comes out of the first convolution at a place of an image, by hand. */
static double first_map(const scene *s, const double *image, size_t row, size_t column, size_t channel)
{
    const una_convolution *c = &s->shape.convolution[0];
    double z = 0;
    for (size_t i = 0; i < c->at.kernel; i++)
        for (size_t j = 0; j < c->at.kernel; j++) {
            size_t y = row + i - c->at.pad, x = column + j - c->at.pad;          /* below 0 it is huge */
            if (y < SIDE && x < SIDE)
                z += image[y * SIDE + x] *
                     s->wide[c->weights + (i * c->at.kernel + j) * c->at.in_channels * c->channels + channel];
        }
    return z;
}

/* A tenth of the way to the mean and the unbiased variance of the rows that fit, and of no probe. */
static void carried_follow_the_rows_that_fit(void **state)
{
    static scene s;
    una_run *run = quiet_run();
    una_losses losses;
    (void)state;
    make(&s, UNA_PROBES_BETWEEN, run);
    assert_ok(s.what.gradient(s.what.context, STEP, s.parameters, s.gradient, &losses, run), run);
    s.what.after_step(s.what.context, s.parameters, false);

    const una_convolution *c = &s.shape.convolution[0];
    assert_int_equal(c->at.stride, 1);
    for (size_t k = 0; k < c->channels; k++) {
        double mean = 0, var = 0, count = ROWS * INPUTS;
        for (size_t i = 0; i < ROWS * INPUTS; i++)
            mean += first_map(&s, s.wide_x + i / INPUTS * INPUTS, i % INPUTS / SIDE, i % SIDE, k) / count;
        for (size_t i = 0; i < ROWS * INPUTS; i++)
            var += pow(first_map(&s, s.wide_x + i / INPUTS * INPUTS, i % INPUTS / SIDE, i % SIDE, k) - mean, 2);
        assert_near((double)s.parameters[c->mean + k], 0.1 * mean, 1e-5, 1e-6);
        assert_near((double)s.parameters[c->var + k], 0.9 + 0.1 * var / (count - 1), 1e-5, 0);
    }
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(probes_at_the_rows), cmocka_unit_test(probes_between),
                                        cmocka_unit_test(probes_beyond),
                                        cmocka_unit_test(carried_follow_the_rows_that_fit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
