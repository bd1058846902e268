/* SPDX-License-Identifier: MIT
 *
 * The residual network of convolutions, beyond what every body promises (test_body.c): statistics of some of the rows,
 * what is carried along, threads that change no bit, and oneDNN beside windows and products.
 */
#include "test_support.h"

#include "nn/conv.h"

enum { ROWS = 37, PLAIN = 20, MOST = 20000, HEIGHT = 9, WIDTH = 8, CHANNELS = 2, INPUTS = HEIGHT * WIDTH * CHANNELS,
       FEATURES = 16 };

static una_conv shape_of(const una_body_f64 *body, bool small, size_t heads)
{
    una_conv net;
    una_body_spec outline = { .width = 8, .heads = heads, .image = { HEIGHT, WIDTH, CHANNELS }, .small_stem = small,
                              .stages = 2, .blocks = { 1, 2 } };
    body->shape(&net, &outline);
    return net;
}

/* ---- statistics of some of the rows ---------------------------------------------------------------------------- */

typedef struct scene {
    una_conv shape;
    una_network_f64 net;
    una_body_size size;
    double parameters[MOST], gradient[MOST], x[ROWS * INPUTS], phi[ROWS * FEATURES], dphi[ROWS * FEATURES];
    void *work;
} scene;

static void make(scene *s, bool small, una_run *run)
{
    const una_body_f64 *body = &una_body_conv_f64;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, small);
    una_weight_init start = { .scale = 1 };
    memset(s, 0, sizeof *s);
    s->shape = shape_of(body, small, 2);
    s->net = (una_network_f64){ body, &s->shape, NULL };
    s->size = body->size(&s->shape);
    assert_true(s->size.parameters <= MOST && s->size.features == FEATURES && s->size.inputs == INPUTS);
    body->initialise(&s->shape, &start, &rng, NULL, s->parameters);
    for (size_t i = 0; i < s->shape.carried; i++) s->parameters[i] += 0.05 * una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS * INPUTS; i++) s->x[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS * FEATURES; i++) s->dphi[i] = una_rng_normal(&rng);
    assert_ok(una_network_work_f64(&s->work, &s->net, ROWS, run), run);
}

static double loss_of(scene *s)
{
    double sum = 0;
    s->net.body->learn(s->work, s->parameters, s->x, ROWS, PLAIN, s->phi);
    for (size_t i = 0; i < ROWS * FEATURES; i++) sum += s->phi[i] * s->dphi[i];
    return sum;
}

static void gradient_of_rows_that_do_not_count(void **state)
{
    static scene s;
    (void)state;
    for (int small = 0; small < 2; small++) {
        una_run *run = quiet_run();
        make(&s, small, run);
        loss_of(&s);
        s.net.body->learn_back(s.work, s.dphi, s.gradient);
        for (size_t i = 0; i < s.shape.head; i += sanitized ? 101 : 13) {
            double step = 1e-6, kept = s.parameters[i];
            s.parameters[i] = kept + step;
            double above = loss_of(&s);
            s.parameters[i] = kept - step;
            assert_near(s.gradient[i], (above - loss_of(&s)) / (2 * step), 1e-5, 1e-5);
            s.parameters[i] = kept;
        }
        for (size_t i = s.shape.head; i < s.size.parameters; i++) assert_true(s.gradient[i] == 0);
        una_run_free(run);
    }
}

/* Rows that do not count change nothing in those that do; and all rows are normalised by those alone. */
static void other_rows_leave_no_trace(void **state)
{
    una_run *run = quiet_run();
    static scene s;
    static double alone[ROWS * FEATURES];
    (void)state;
    make(&s, false, run);
    loss_of(&s);
    memcpy(alone, s.phi, sizeof alone);
    for (size_t i = PLAIN * INPUTS; i < ROWS * INPUTS; i++) s.x[i] *= 3;
    loss_of(&s);
    for (size_t i = 0; i < PLAIN * FEATURES; i++) assert_near(s.phi[i], alone[i], 1e-12, 1e-13);
    assert_true(fabs(s.phi[PLAIN * FEATURES] - alone[PLAIN * FEATURES]) > 1e-3);
    una_run_free(run);
}

/* ---- what is carried ------------------------------------------------------------------------------------------- */

/* After many steps on the same rows it is their statistics (variances unbiased), and a forward pass of them all says
 * nearly what training did. */
static void statistics_are_carried(void **state)
{
    una_run *run = quiet_run();
    static scene s;
    static double phi[ROWS * FEATURES];
    (void)state;
    make(&s, true, run);
    double first = s.parameters[s.shape.convolution[0].mean];
    s.net.body->learn(s.work, s.parameters, s.x, ROWS, ROWS, s.phi);
    s.net.body->after_step(s.work, s.parameters);
    double moved = s.parameters[s.shape.convolution[0].mean];
    for (size_t i = 0; i < 200; i++) s.net.body->after_step(s.work, s.parameters);
    double end = s.parameters[s.shape.convolution[0].mean];
    assert_near(moved - first, 0.1 * (end - first), 1e-8, 0);

    s.net.body->forward(s.work, s.parameters, s.x, ROWS, (una_outputs){ .phi = phi, .stride = FEATURES });
    double off = 0, size = 0;
    for (size_t i = 0; i < ROWS * FEATURES; i++) {
        off += pow(phi[i] - s.phi[i], 2);
        size += pow(s.phi[i], 2);
    }
    assert_true(off > 0 && off < 1e-4 * size);
    una_run_free(run);
}

/* ---- in float -------------------------------------------------------------------------------------------------- */

typedef struct narrow {
    una_conv shape;
    una_network_f32 net;
    float parameters[MOST], gradient[MOST], x[ROWS * INPUTS], target[ROWS];
} narrow;

static void make_narrow(narrow *n)
{
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);
    una_weight_init start = { .scale = 1 };
    memset(n, 0, sizeof *n);
    n->shape = shape_of(&una_body_conv_f64, false, 1);
    n->net = (una_network_f32){ &una_body_conv_f32, &n->shape, NULL };
    n->net.body->initialise(&n->shape, &start, &rng, NULL, n->parameters);
    for (size_t i = 0; i < ROWS * INPUTS; i++) n->x[i] = (float)una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) n->target[i] = (float)una_rng_normal(&rng);
}

static void gradient_with(narrow *n, int threads, float *gradient, double *phi, una_run *run)
{
    una_losses losses;
    una_crew *crew = NULL;
    void *work;
    una_mark mark = una_arena_mark(&run->scratch);
    assert_ok(una_network_work_f32(&work, &n->net, ROWS, run), run);
    if (threads > 1) assert_ok(una_crew_new(&crew, threads, &run->scratch), run);
    n->net.body->share(work, crew);
    n->net.body->gradient(work, n->parameters, &(una_squares_f32){ n->x, n->target, ROWS, 0.7, 1e-3 }, gradient,
                          &losses);
    n->net.body->forward(work, n->parameters, n->x, ROWS, (una_outputs){ .phi = phi, .stride = FEATURES });
    una_crew_free(crew);
    una_arena_release(&run->scratch, mark);
}

static void threads_change_no_bit(void **state)
{
    una_run *run = quiet_run();
    static narrow n;
    static float other[MOST];
    static double phi[ROWS * FEATURES], other_phi[ROWS * FEATURES];
    (void)state;
    make_narrow(&n);
    gradient_with(&n, 1, n.gradient, phi, run);
    for (int threads = 2; threads <= 4; threads++) {
        gradient_with(&n, threads, other, other_phi, run);
        assert_memory_equal(other, n.gradient, sizeof other);
        assert_memory_equal(other_phi, phi, sizeof phi);
    }
    una_run_free(run);
}

static void one_way_is_as_good_as_the_other(void **state)
{
    (void)state;
#ifdef UNA_HAS_dnnl
    if (una_conv_way_here() != UNA_CONV_DNNL) {
        puts("skipped: the library of oneDNN is not installed");
        skip();
    }
    una_run *run = quiet_run();
    una_arena *arena = &run->scratch;
    static narrow n;
    make_narrow(&n);
    una_conv_ops_size_f32 size = { &n.shape, 2, 7, true, una_kernels_named_f32(NULL) };
    una_conv_ops_f32 *ways[2];
    assert_ok(una_conv_plain_new_f32(&ways[0], &size, arena), run);
    assert_ok(una_conv_dnnl_new_f32(&ways[1], &size, arena), run);
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 0);
    for (size_t c = 0; c < n.shape.count; c++) {
        const una_convolution *at = &n.shape.convolution[c];
        size_t in = 7 * at->at.in_height * at->at.in_width * at->at.in_channels;
        size_t out = 7 * una_conv_places(at) * at->channels;
        size_t weights = at->at.kernel * at->at.kernel * at->at.in_channels * at->channels;
        float *x = UNA_GET(arena, float, in), *dy = UNA_GET(arena, float, out), *to[2][2];
        for (size_t i = 0; i < in; i++) x[i] = (float)una_rng_normal(&rng);
        for (size_t i = 0; i < out; i++) dy[i] = i < out / 7 * 5 ? (float)una_rng_normal(&rng) : 0;
        static float gradient[2][MOST];
        memset(gradient, 0, sizeof gradient);
        for (size_t w = 0; w < 2; w++) {
            to[w][0] = UNA_GET(arena, float, out);
            to[w][1] = UNA_GET(arena, float, in);
            ways[w]->weights(ways[w], c, n.parameters);
            ways[w]->forward(ways[w], 1, c, x, to[w][0], 7);
            ways[w]->back(ways[w], 1, c, dy, to[w][1], 5);
            for (size_t piece = 0; piece < 2; piece++) ways[w]->learn(ways[w], piece, c, x, dy, 5);
            ways[w]->collect(ways[w], c, gradient[w]);
        }
        for (size_t i = 0; i < out; i++) assert_near((double)to[1][0][i], (double)to[0][0][i], 1e-4, 1e-4);
        for (size_t i = 0; i < in / 7 * 5; i++) assert_near((double)to[1][1][i], (double)to[0][1][i], 1e-4, 1e-4);
        for (size_t i = 0; i < weights; i++)
            assert_near((double)gradient[1][at->weights + i], (double)gradient[0][at->weights + i], 1e-4, 1e-3);
    }
    una_run_free(run);
#else
    puts("skipped: una was built without oneDNN");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_of_rows_that_do_not_count), cmocka_unit_test(other_rows_leave_no_trace),
        cmocka_unit_test(statistics_are_carried), cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(one_way_is_as_good_as_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
