/* SPDX-License-Identifier: MIT
 *
 * Dropout of the features of convolutions: loss and gradient of one step beside the equation in double, with the same
 * features dropped, and differences of it.
 */
#include "test_support.h"

#include "train/training_job.h"
#include "nn/conv.h"
#include "nn/dropout.h"

const una_kind *const una_kinds[] = { NULL };    /* no kind is needed to teach */

enum { ROWS = 9, HEIGHT = 5, WIDTH = 4, INPUTS = HEIGHT * WIDTH, FEATURES = 16, MOST = 8192, STEP = 4 };
static const double DROP = 0.4, LENGTH_SCALE = 3, NOISE_VAR = 0.5;

typedef struct scene {
    una_conv shape;
    una_training_rows rows;
    float  x[ROWS * INPUTS], target[ROWS], parameters[MOST], gradient[MOST], mask[ROWS * FEATURES];
    double wide_x[ROWS * INPUTS], wide[MOST];
    una_training_job job;
    una_training_context training;
    una_trainable_f32 what;
    void *work;                          /* in double                                                       */
} scene;

static void make(scene *s, una_run *run)
{
    una_body_spec outline = { .width = 8, .heads = 1, .image = { HEIGHT, WIDTH, 1 }, .small_stem = true, .stages = 2,
                              .blocks = { 1, 1 } };
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    una_body_conv_f32.shape(&s->shape, &outline);
    una_body_conv_f32.initialise(&s->shape, &(una_weight_init){ .scale = 1 }, &rng, NULL, s->parameters);
    for (size_t i = 0; i < ROWS * INPUTS; i++) s->wide_x[i] = (double)(s->x[i] = (float)una_rng_normal(&rng));
    for (size_t i = 0; i < ROWS; i++) s->target[i] = (float)una_rng_normal(&rng);
    s->rows = (una_training_rows){ .x = s->x, .target = s->target, .rows = ROWS, .inputs = INPUTS, .outputs = 1 };
    s->job = (una_training_job){ .body = &una_body_conv_f32, .shape = &s->shape, .goal = UNA_GOAL_DROPOUT,
                                 .goal_options.dropout = { DROP, LENGTH_SCALE, false }, .rows = &s->rows,
                                 .how = { .fit_weight = 1 / (2 * NOISE_VAR), .seed = 3, .stream = 2 } };
    s->training = (una_training_context){ .job = &s->job, .net = { &una_body_conv_f32, &s->shape, NULL },
                                         .size = una_body_conv_f32.size(&s->shape), .parameters = s->parameters };
    assert_int_equal(s->training.size.features, FEATURES);
    assert_true(s->training.size.parameters <= MOST);
    for (size_t i = 0; i < s->training.size.parameters; i++) s->wide[i] = (double)s->parameters[i];
    assert_ok(una_goal_learn(&s->what, &s->training, run), run);

    una_rng units = una_rng_at(3, UNA_FOR_PERTURBATION, (uint64_t)2 << 40 | STEP);
    una_dropout_mask(&units, DROP, ROWS * FEATURES, s->mask);
    assert_ok(una_network_work_f64(&s->work, &(una_network_f64){ &una_body_conv_f64, &s->shape, NULL }, ROWS, run),
              run);
}

/* (1/n) sum (t - w'(m phi) - b)^2 + l^2 (1 - p) sigma^2/(2 N) |W|^2: kernels of convolutions, and w. */
static double loss_of(const scene *s, const double *p)
{
    static double phi[ROWS * FEATURES];
    const una_network_f64 net = { &una_body_conv_f64, &s->shape, NULL };
    const double *head = p + s->shape.head;
    double fit = 0, square = 0;
    net.body->learn(s->work, p, s->wide_x, ROWS, ROWS, phi);
    for (size_t r = 0; r < ROWS; r++) {
        double f = head[FEATURES * UNA_PAD];
        for (size_t k = 0; k < FEATURES; k++)
            f += head[k * UNA_PAD] * (double)s->mask[r * FEATURES + k] * phi[r * FEATURES + k];
        fit += pow((double)s->target[r] - f, 2) / ROWS;
    }
    for (size_t c = 0; c < s->shape.count; c++) {
        const una_convolution *at = &s->shape.convolution[c];
        size_t weights = at->at.kernel * at->at.kernel * at->at.in_channels * at->channels;
        for (size_t i = 0; i < weights; i++) square += pow(p[at->weights + i], 2);
    }
    for (size_t k = 0; k < FEATURES; k++) square += pow(head[k * UNA_PAD], 2);
    return fit + LENGTH_SCALE * LENGTH_SCALE * (1 - DROP) * NOISE_VAR / (2 * ROWS) * square;
}

static void gradient_of_a_step(void **state)
{
    static scene s;
    una_run *run = quiet_run();
    una_losses losses;
    (void)state;
    make(&s, run);
    assert_ok(s.what.gradient(s.what.context, STEP, s.parameters, s.gradient, &losses, run), run);
    assert_near(losses.total, loss_of(&s, s.wide), 1e-5, 0);

    double off = 0, size = 0;
    size_t dropped = 0;
    for (size_t i = 0; i < ROWS * FEATURES; i++) dropped += s.mask[i] == 0;
    assert_true(dropped > ROWS && dropped < ROWS * FEATURES / 2 + ROWS);
    for (size_t i = 0; i < s.training.size.parameters; i += i < s.shape.head ? 7 : 1) {
        double kept = s.wide[i], step = 1e-5;
        s.wide[i] = kept + step;
        double above = loss_of(&s, s.wide);
        s.wide[i] = kept - step;
        double slope = (above - loss_of(&s, s.wide)) / (2 * step);
        s.wide[i] = kept;
        off += pow(slope - (double)s.gradient[i], 2);
        size += slope * slope;
        if (i >= s.shape.carried) assert_true(s.gradient[i] == 0);
    }
    assert_true(off < 1e-8 * size);
    una_run_free(run);
}

/* What is carried follows the batch, until the end. */
static void carried_follow(void **state)
{
    static scene s;
    una_run *run = quiet_run();
    una_losses losses;
    (void)state;
    make(&s, run);
    size_t carried = s.shape.carried;
    assert_ok(s.what.gradient(s.what.context, STEP, s.parameters, s.gradient, &losses, run), run);
    s.what.after_step(s.what.context, s.parameters, true);
    for (size_t i = 0; i < s.training.size.parameters; i++) assert_true((double)s.parameters[i] == s.wide[i]);
    s.what.after_step(s.what.context, s.parameters, false);
    for (size_t i = 0; i < s.training.size.parameters; i++)
        assert_true(((double)s.parameters[i] != s.wide[i]) == (i >= carried));
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(gradient_of_a_step), cmocka_unit_test(carried_follow) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
