/* SPDX-License-Identifier: MIT
 *
 * ResNet-18, and a small residual network, beside PyTorch's at the same weights: what the heads say, the loss, and the
 * gradient of every tensor, to 1e-4 of its norm. Skipped where there is no PyTorch (Debian: python3-torch).
 */
#include "test_support.h"

#include "nn/conv.h"

#include <stdlib.h>

enum { ROWS = 24 };
static const double FIT_WEIGHT = 0.5;

typedef struct pair {                    /* a network of ours, and the numbers for PyTorch                  */
    una_conv shape;
    una_network_f32 net;
    una_body_size size;
    float  *parameters, *gradient, *x, target[ROWS];
    double *numbers;
    size_t  count;                       /* of numbers                                                      */
} pair;

static void make(pair *p, const una_body_spec *outline, una_run *run)
{
    const una_body_f32 *body = &una_body_conv_f32;
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 0);
    una_weight_init start = { .scale = 1 };
    body->shape(&p->shape, outline);
    p->net = (una_network_f32){ body, &p->shape, NULL };
    p->size = body->size(&p->shape);
    p->parameters = UNA_GET(&run->scratch, float, p->size.parameters);
    p->gradient = UNA_GET(&run->scratch, float, p->size.parameters);
    p->x = UNA_GET(&run->scratch, float, ROWS * p->size.inputs);
    p->numbers = UNA_GET(&run->scratch, double, 32 + p->size.parameters + ROWS * (p->size.inputs + 1));
    assert_ok(una_arena_check(&run->scratch), run);
    body->initialise(&p->shape, &start, &rng, NULL, p->parameters);
    for (size_t i = 0; i < ROWS * p->size.inputs; i++) p->x[i] = (float)una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) p->target[i] = (float)una_rng_normal(&rng);
}

static void put(pair *p, double number)
{
    p->numbers[p->count++] = number;
}

/* Matrices without their padding, those that are trained. */
static void put_numbers(pair *p)
{
    const una_conv *s = &p->shape;
    una_matrix m;
    p->count = 0;
    const size_t sizes[] = { ROWS, s->image.height, s->image.width, s->image.channels, s->small, s->width, s->heads,
                             s->stages };
    for (size_t i = 0; i < 8; i++) put(p, (double)sizes[i]);
    for (size_t i = 0; i < s->stages; i++) put(p, (double)s->blocks[i]);
    put(p, FIT_WEIGHT);
    for (size_t i = 0; una_conv_matrix(s, i, &m) && m.at < s->carried; i++)
        for (size_t k = 0; k < m.rows * m.cols; k++)
            put(p, (double)p->parameters[m.at + k / m.cols * m.stride + k % m.cols]);
    for (size_t i = 0; i < ROWS * p->size.inputs; i++) put(p, (double)p->x[i]);
    for (size_t i = 0; i < ROWS; i++) put(p, (double)p->target[i]);
}

/* PyTorch's answers, in scratch; false: there is no PyTorch. */
static bool ask_torch(const pair *p, double **answers, size_t count, una_run *run)
{
    char command[1024];
    const char *in = temp_path("torch.in"), *out = temp_path("torch.out");
    if (system("/usr/bin/python3 -c 'import torch' >/dev/null 2>&1") != 0) return false;
    FILE *file = fopen(in, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(p->numbers, sizeof(double), p->count, file), p->count);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "/usr/bin/python3 tests/nn/torch_resnet.py %s %s", in, out);
    assert_int_equal(system(command), 0);

    *answers = UNA_GET(&run->scratch, double, count + 1);
    assert_ok(una_arena_check(&run->scratch), run);
    file = fopen(out, "rb");
    assert_non_null(file);
    assert_int_equal(fread(*answers, sizeof(double), count + 1, file), count);
    fclose(file);
    return true;
}

static void near_in_norm(const float *ours, const una_matrix *m, const double *theirs)
{
    double off = 0, size = 0;
    for (size_t k = 0; k < m->rows * m->cols; k++) {
        double own = (double)ours[m->at + k / m->cols * m->stride + k % m->cols];
        off += pow(own - theirs[k], 2);
        size += pow(theirs[k], 2);
    }
    assert_true(size > 0 && sqrt(off) < 1e-4 * sqrt(size));
}

static void compare(const una_body_spec *outline)
{
    una_run *run = quiet_run();
    static pair p;
    double *theirs = NULL;
    una_losses losses;
    una_matrix m;
    void *work;
    make(&p, outline, run);
    put_numbers(&p);
    size_t answer = 1 + ROWS * p.shape.heads, trained = 0;
    for (size_t i = 0; una_conv_matrix(&p.shape, i, &m) && m.at < p.shape.carried; i++) trained += m.rows * m.cols;
    if (!ask_torch(&p, &theirs, answer + trained, run)) {
        una_run_free(run);
        puts("skipped: there is no PyTorch (python3-torch) to compare with");
        skip();
    }

    assert_ok(una_network_work_f32(&work, &p.net, ROWS, run), run);
    p.net.body->gradient(work, p.parameters, &(una_squares_f32){ p.x, p.target, ROWS, FIT_WEIGHT, 0 }, p.gradient,
                         &losses);
    assert_near(losses.fit, theirs[0], 1e-4, 0);
    const double *at = theirs + answer;
    for (size_t i = 0; una_conv_matrix(&p.shape, i, &m) && m.at < p.shape.carried; i++, at += m.rows * m.cols)
        near_in_norm(p.gradient, &m, at);
    una_run_free(run);
}

static void resnet18(void **state)
{
    skip_if_sanitized();
    (void)state;
    compare(&(una_body_spec){ .width = 64, .heads = 3, .image = { 32, 32, 1 }, .stages = 4, .blocks = { 2, 2, 2, 2 } });
}

static void small_network(void **state)
{
    skip_if_sanitized();
    (void)state;
    compare(&(una_body_spec){ .width = 16, .heads = 1, .image = { 11, 14, 3 }, .small_stem = true, .stages = 3,
                              .blocks = { 1, 2, 1 } });
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(resnet18), cmocka_unit_test(small_network) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
