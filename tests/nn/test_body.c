/* SPDX-License-Identifier: MIT
 *
 * Every body of the list is held to the contract of body.h, through its table alone: gradient and slopes against
 * differences, rows that do not see their neighbours, parameters that are its matrices and nothing else, float against
 * double.
 */
#include "test_support.h"

#include "nn/body.h"

enum { ROWS = 7, MOST_INPUTS = 50, MANY = 500, MOST = 8192 };
static const double FIT_WEIGHT = 0.7, PENALTY = 0.03;

typedef struct specimen {                /* one network of a body, and rows                                 */
    _Alignas(64) unsigned char shape[1 << 15];
    double frozen[MOST], parameters[MOST];
    una_network_f64 net;
    una_body_size size;
    size_t trained;                      /* parameters that are not carried                                 */
    double x[MANY * MOST_INPUTS], t[MANY];
    void *work;
} specimen;

static void make(specimen *s, const una_body_f64 *body, una_activation activation, una_run *run)
{
    bool images = body == &una_body_conv_f64 || body == &una_body_conv_fourier_f64, small = activation == UNA_SILU;
    una_body_spec outline = { .inputs = 3, .width = images ? 8 : 5, .depth = 2, .features = 6, .heads = 1,
                              .activation = activation, .image = { 5, small ? 4 : 5, 2 }, .small_stem = small,
                              .stages = 2, .blocks = { 1, 1 } };
    una_weight_init start = { .scale = 1, .lengthscale = 1.3 };
    una_rng rng = una_rng_at(1, UNA_FOR_INIT, 0), rows = una_rng_at(1, UNA_FOR_TEST, 0);
    memset(s, 0, sizeof *s);
    assert_true(body->shape_size <= sizeof s->shape);
    body->shape(s->shape, &outline);
    s->size = body->size(s->shape);
    s->trained = s->size.parameters - s->size.carried;
    assert_true(s->size.parameters <= MOST && s->size.frozen <= MOST && s->size.inputs <= MOST_INPUTS);

    body->initialise(s->shape, &start, &rng, s->frozen, s->parameters);
    una_matrix m;
    for (size_t i = 0; body->matrix(s->shape, i, &m); i++)               /* first biases and heads may be zero */
        for (size_t k = 0; !m.frozen && k < m.rows * m.cols; k++)
            s->parameters[m.at + k / m.cols * m.stride + k % m.cols] += 0.1 * una_rng_normal(&rng);
    for (size_t i = 0; i < MANY * s->size.inputs; i++) s->x[i] = una_rng_normal(&rows);
    for (size_t i = 0; i < MANY; i++) s->t[i] = una_rng_normal(&rows);
    s->net = (una_network_f64){ body, s->shape, s->size.frozen ? s->frozen : NULL };
    assert_ok(una_network_work_f64(&s->work, &s->net, ROWS, run), run);
}

static void each_body(void (*check)(specimen *s, una_run *run))
{
    static const una_activation smooth[] = { UNA_TANH, UNA_SILU };
    static specimen s;
    for (size_t i = 0; una_bodies_f64[i]; i++)
        for (size_t k = 0; k < 2; k++) {
            una_run *run = quiet_run();
            make(&s, una_bodies_f64[i], smooth[k], run);
            check(&s, run);
            una_run_free(run);
        }
}

static double loss_of(const specimen *s, const double *parameters)
{
    double gradient[MOST];
    una_losses losses;
    s->net.body->gradient(s->work, parameters, &(una_squares_f64){ s->x, s->t, ROWS, FIT_WEIGHT, PENALTY }, gradient,
                          &losses);
    return losses.total;
}

/* f [ROWS] while it trains: that of a forward pass, unless rows meet. */
static void f_in_training(const specimen *s, double *f)
{
    static double phi[ROWS * 64];
    size_t wide = UNA_PADDED(s->size.features);
    una_matrix m = {0};
    if (!s->net.body->learn) {
        s->net.body->forward(s->work, s->parameters, s->x, ROWS, (una_outputs){ .f = f });
        return;
    }
    for (size_t i = 0; s->net.body->matrix(s->shape, i, &m) && strcmp(m.name, "heads") != 0; i++) continue;
    assert_int_equal(m.rows, s->size.features + 1);
    assert_true(wide <= 64);
    s->net.body->learn(s->work, s->parameters, s->x, ROWS, ROWS, phi);
    for (size_t r = 0; r < ROWS; r++) {
        f[r] = s->parameters[m.at + s->size.features * m.stride];
        for (size_t k = 0; k < s->size.features; k++) f[r] += phi[r * wide + k] * s->parameters[m.at + k * m.stride];
    }
}

/* The losses are what f and the parameters say, and the gradient is their slope; in the padding, and where parameters
 * are carried, it is zero. */
static void check_gradient(specimen *s, una_run *run)
{
    double gradient[MOST], f[ROWS], fit = 0, square = 0;
    bool live[MOST] = {0};
    una_losses losses;
    una_matrix m;
    (void)run;
    s->net.body->gradient(s->work, s->parameters, &(una_squares_f64){ s->x, s->t, ROWS, FIT_WEIGHT, PENALTY }, gradient,
                          &losses);
    f_in_training(s, f);
    for (size_t r = 0; r < ROWS; r++) fit += FIT_WEIGHT * pow(s->t[r] - f[r], 2);
    for (size_t i = 0; i < s->trained; i++) square += PENALTY * pow(s->parameters[i], 2);
    assert_near(losses.fit, fit, 1e-12, 0);
    assert_near(losses.penalty, square, 1e-12, 0);
    assert_near(losses.total, fit + square, 1e-12, 0);

    for (size_t i = 0; s->net.body->matrix(s->shape, i, &m); i++)
        for (size_t k = 0; !m.frozen && k < m.rows * m.cols; k++)
            live[m.at + k / m.cols * m.stride + k % m.cols] = true;
    for (size_t i = 0; i < s->size.parameters; i++) {
        if (!live[i]) assert_true(s->parameters[i] == 0);
        if (!live[i] || i >= s->trained) {
            assert_true(gradient[i] == 0);
            continue;
        }
        if (i % (1 + s->trained / 1000)) continue;       /* a thousand are enough */
        double moved[MOST], step = 1e-5;
        memcpy(moved, s->parameters, sizeof moved);
        moved[i] += step;
        double above = loss_of(s, moved);
        moved[i] -= 2 * step;
        assert_near(gradient[i], (above - loss_of(s, moved)) / (2 * step), 1e-6, 1e-7);
    }
}

static void gradients_against_differences(void **state)
{
    (void)state;
    each_body(check_gradient);
}

static void check_slopes(specimen *s, una_run *run)
{
    size_t features = s->size.features;
    double j[MOST], phi[64], above[64], below[64], step = 1e-5;
    void *work;

    assert_true(features <= 64);
    assert_ok(una_network_slope_work_f64(&work, &s->net, run), run);
    s->net.body->slopes(work, s->parameters, s->x, phi, j);
    s->net.body->forward(s->work, s->parameters, s->x, 1, (una_outputs){ .phi = above, .stride = features });
    assert_memory_equal(phi, above, features * sizeof *phi);

    for (size_t d = 0; d < s->size.inputs; d++) {
        double x[MOST_INPUTS];
        memcpy(x, s->x, sizeof x);
        x[d] += step;
        s->net.body->forward(s->work, s->parameters, x, 1, (una_outputs){ .phi = above, .stride = features });
        x[d] -= 2 * step;
        s->net.body->forward(s->work, s->parameters, x, 1, (una_outputs){ .phi = below, .stride = features });
        for (size_t k = 0; k < features; k++)
            assert_near(j[d * features + k], (above[k] - below[k]) / (2 * step), 1e-7, 1e-8);
    }
}

static void slopes_against_differences(void **state)
{
    (void)state;
    each_body(check_slopes);
}

/* More rows than a block, one by one and together, and columns beyond the features left alone. */
static void check_forward(specimen *s, una_run *run)
{
    static double phi[MANY * 70], f[MANY];
    size_t features = s->size.features, stride = features + 2;
    double one_phi[64], one_f;
    (void)run;
    assert_int_equal(s->size.heads, 1);

    for (size_t i = 0; i < MANY * stride; i++) phi[i] = -77;
    s->net.body->forward(s->work, s->parameters, s->x, MANY, (una_outputs){ phi, stride, f });
    for (size_t r = 0; r < MANY; r += 13) {
        s->net.body->forward(s->work, s->parameters, s->x + r * s->size.inputs, 1,
                             (una_outputs){ one_phi, features, &one_f });
        assert_memory_equal(one_phi, phi + r * stride, features * sizeof *phi);
        assert_true(one_f == f[r]);
        assert_true(phi[r * stride + features] == -77 && phi[r * stride + features + 1] == -77);
    }

    double square = 0, work_f[MANY];
    for (size_t r = 0; r < MANY; r++) square += pow(s->t[r] - f[r], 2);
    assert_near(una_network_sum_of_squares_f64(&s->net, s->parameters, s->x, s->t, MANY, work_f, s->work), square,
                1e-14, 0);
}

static void rows_do_not_see_their_neighbours(void **state)
{
    (void)state;
    each_body(check_forward);
}

/* Matrices lie in the block without overlapping, hold all that is not zero, and come back from the packed form. */
static void check_matrices(specimen *s, una_run *run)
{
    static float block[MOST], packed[MOST], back[MOST];
    bool taken[2][MOST] = {{0}};
    size_t live = 0;
    una_matrix m;
    (void)run;
    for (size_t i = 0; s->net.body->matrix(s->shape, i, &m); i++) {
        assert_true(m.cols <= m.stride && m.stride % UNA_PAD == 0 && m.weights <= m.rows);
        assert_true(m.at + m.rows * m.stride <= (m.frozen ? s->size.frozen : s->size.parameters));
        for (size_t k = 0; k < m.rows * m.stride; k++) {
            assert_false(taken[m.frozen][m.at + k]);
            taken[m.frozen][m.at + k] = true;
            if (k % m.stride >= m.cols) assert_true((m.frozen ? s->frozen : s->parameters)[m.at + k] == 0);
        }
        live += m.frozen ? 0 : m.rows * m.cols;
    }
    for (size_t i = 0; i < s->size.parameters; i++) assert_true(taken[0][i]);
    for (size_t i = 0; i < s->size.frozen; i++) assert_true(taken[1][i]);

    for (size_t i = 0; i < s->size.parameters; i++) block[i] = (float)s->parameters[i];
    assert_int_equal(una_matrices_packed(s->net.body->matrix, s->shape), live);
    una_matrices_pack(s->net.body->matrix, s->shape, block, packed);
    for (size_t i = 0; i < live; i++) assert_true(packed[i] != 0);
    memset(back, 0x7f, sizeof back);
    una_matrices_unpack(s->net.body->matrix, s->shape, packed, back);
    assert_memory_equal(back, block, s->size.parameters * sizeof *back);
}

static void parameters_are_matrices(void **state)
{
    (void)state;
    each_body(check_matrices);
}

/* The two lists name the same bodies, no name twice, and the float one computes what the double one does. */
static void float_follows_double(void **state)
{
    (void)state;
    static specimen s;
    for (size_t i = 0; una_bodies_f64[i]; i++) {
        una_run *run = quiet_run();
        make(&s, una_bodies_f64[i], UNA_TANH, run);
        assert_non_null(una_bodies_f32[i]);
        assert_string_equal(una_bodies_f32[i]->name, una_bodies_f64[i]->name);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(una_bodies_f64[k]->name, una_bodies_f64[i]->name);

        static float frozen[MOST], parameters[MOST], x[ROWS * MOST_INPUTS], t[ROWS], gradient[MOST];
        double wide[MOST];
        for (size_t k = 0; k < s.size.frozen; k++) frozen[k] = (float)s.frozen[k];
        for (size_t k = 0; k < s.size.parameters; k++) parameters[k] = (float)s.parameters[k];
        for (size_t k = 0; k < ROWS * s.size.inputs; k++) x[k] = (float)s.x[k];
        for (size_t k = 0; k < ROWS; k++) t[k] = (float)s.t[k];
        una_network_f32 net = { una_bodies_f32[i], s.shape, s.size.frozen ? frozen : NULL };
        una_losses narrow, losses;
        void *work;
        assert_ok(una_network_work_f32(&work, &net, ROWS, run), run);
        net.body->gradient(work, parameters, &(una_squares_f32){ x, t, ROWS, FIT_WEIGHT, PENALTY }, gradient, &narrow);
        s.net.body->gradient(s.work, s.parameters, &(una_squares_f64){ s.x, s.t, ROWS, FIT_WEIGHT, PENALTY }, wide,
                             &losses);
        assert_near(narrow.total, losses.total, 1e-5, 0);
        for (size_t k = 0; k < s.size.parameters; k++) assert_near((double)gradient[k], wide[k], 1e-4, 1e-5);
        una_run_free(run);
    }
    assert_non_null(una_bodies_f64[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_against_differences), cmocka_unit_test(slopes_against_differences),
        cmocka_unit_test(rows_do_not_see_their_neighbours), cmocka_unit_test(parameters_are_matrices),
        cmocka_unit_test(float_follows_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
