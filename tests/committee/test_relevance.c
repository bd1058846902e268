/* SPDX-License-Identifier: MIT
 *
 * Which inputs matter: on functions whose inputs are known to matter or not, tables with copies, words, one input, and
 * nothing to learn.
 */
#include "test_support.h"

#include "committee/relevance.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

enum { MOST_ROWS = 900, MOST_INPUTS = 25 };

typedef struct table {
    size_t rows, inputs;
    double x[MOST_ROWS * MOST_INPUTS], y[MOST_ROWS];
    una_source source[MOST_INPUTS];
    una_input input[MOST_INPUTS];
    una_columns columns;
    una_problem problem;
} table;

/* Uniform inputs of variance 1 and noise as the target: every test writes the targets that it wants. */
static table *new_table(size_t rows, size_t inputs)
{
    static table t;
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, rows * 100 + inputs);
    t.rows = rows;
    t.inputs = inputs;
    for (size_t i = 0; i < rows * inputs; i++) t.x[i] = sqrt(12) * (una_rng_uniform(&rng) - 0.5);
    for (size_t i = 0; i < rows; i++) t.y[i] = una_rng_normal(&rng);
    for (size_t d = 0; d < inputs; d++) {
        t.source[d] = (una_source){ .name = "x" };
        t.input[d] = (una_input){ .source = d, .level = SIZE_MAX, .scale = 1 };
    }
    t.columns = (una_columns){ .sources = t.source, .source_count = inputs, .inputs = t.input, .input_count = inputs,
                               .target_scale = 1 };
    t.problem = (una_problem){ .x = { t.x, rows, inputs, inputs }, .y = t.y, .outputs = 1, .columns = &t.columns,
                               .seed = 3 };
    return &t;
}

/* A function of the first two inputs, and a little noise. */
static void two_matter(table *t)
{
    for (size_t i = 0; i < t->rows; i++)
        t->y[i] = sin(2 * t->x[i * t->inputs]) + 0.5 * t->x[i * t->inputs + 1] * t->x[i * t->inputs + 1] - 0.5 +
                  0.1 * t->y[i];
}

static double mean_square(const double *scale, size_t inputs)
{
    double sum = 0;
    for (size_t d = 0; d < inputs; d++) sum += scale[d] * scale[d] / (double)inputs;
    return sum;
}

static void ask(const table *t, int threads, double *scale)
{
    una_run *run = quiet_run_threads(threads);
    assert_ok(una_relevance_learn(scale, &t->problem, run), run);
    assert_string_equal(una_run_message(run), "");
    una_run_free(run);
    assert_near(mean_square(scale, t->inputs), 1, 1e-12, 0);
}

static void finds_what_matters(void **state)
{
    skip_if_sanitized();
    (void)state;
    size_t sizes[][2] = { { 100, 8 }, { 400, 8 }, { 900, 8 }, { 200, 22 }, { 200, 5 } };
    for (size_t k = 0; k < 5; k++) {
        double scale[MOST_INPUTS];
        table *t = new_table(sizes[k][0], sizes[k][1]);
        two_matter(t);
        ask(t, 1, scale);
        assert_true(scale[0] > 1 && scale[1] > 0.5);
        for (size_t d = 2; d < t->inputs; d++) assert_true(scale[d] < 0.15 && scale[d] > 0.005);
    }
}

/* A draw of a process whose lengths are known, as a sum of many random waves: the ratios are found again. */
static void scales_follow_speed(void **state)
{
    skip_if_sanitized();
    (void)state;
    double scale[3], speed[3] = { 0.7, 1.4, 2.8 };
    table *t = new_table(700, 3);
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 1);
    double w[300][4];
    for (size_t k = 0; k < 300; k++) {
        for (size_t d = 0; d < 3; d++) w[k][d] = speed[d] * una_rng_normal(&rng);
        w[k][3] = 6.283185307179586 * una_rng_uniform(&rng);
    }
    for (size_t i = 0; i < t->rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < 300; k++)
            sum += sqrt(2.0 / 300) * cos(w[k][0] * t->x[3 * i] + w[k][1] * t->x[3 * i + 1] +
                                         w[k][2] * t->x[3 * i + 2] + w[k][3]);
        t->y[i] = sum + 0.05 * t->y[i];
    }
    ask(t, 1, scale);
    assert_near(scale[1] / scale[0], 2, 0.25, 0);
    assert_near(scale[2] / scale[1], 2, 0.25, 0);
}

/* A text column of four words: one length, whichever of its words the target hangs on. */
static void categories_share(void **state)
{
    (void)state;
    double scale[6];
    table *t = new_table(300, 6);
    una_rng rng = una_rng_at(9, UNA_FOR_TEST, 0);
    static const char *levels[] = { "p", "q", "r", "s" };
    t->source[2] = (una_source){ .name = "word", .levels = levels, .level_count = 4 };
    for (size_t d = 2; d < 6; d++) t->input[d].source = 2, t->input[d].level = d - 2;
    for (size_t i = 0; i < t->rows; i++) {
        size_t word = una_rng_below(&rng, 4);
        for (size_t d = 2; d < 6; d++) t->x[6 * i + d] = d - 2 == word;
        t->y[i] = sin(2 * t->x[6 * i]) * (word == 1 ? -1 : 1) + 0.1 * t->y[i];
    }
    ask(t, 1, scale);
    for (size_t d = 3; d < 6; d++) assert_true(scale[d] == scale[2]);
    assert_true(scale[0] > 0.5 && scale[2] > 0.5 && scale[1] < 0.15);
}

static void same_bits(void **state)
{
    (void)state;
    double one[4], other[4];
    table *t = new_table(900, 4);
    two_matter(t);
    ask(t, 1, one);
    for (int threads = 2; threads <= (sanitized ? 2 : 4); threads += 2) {
        ask(t, threads, other);
        assert_memory_equal(one, other, sizeof one);
    }
    t->problem.seed++;                                   /* other rows of the 900 */
    ask(t, 1, other);
    assert_memory_not_equal(one, other, sizeof one);
}

/* Every row five times over says what it says once: copies, targets and all, are not remembered by short lengths. */
static void copies_count_once(void **state)
{
    (void)state;
    double once[4], often[4];
    table *t = new_table(120, 4);
    two_matter(t);
    for (size_t i = 0; i < t->rows; i++) t->y[i] += 2 * sin(1000.0 * (double)i);
    ask(t, 1, once);

    for (size_t k = 1; k < 5; k++) {
        memcpy(t->x + 4 * 120 * k, t->x, 4 * 120 * sizeof *t->x);
        memcpy(t->y + 120 * k, t->y, 120 * sizeof *t->y);
    }
    t->rows = t->problem.x.rows = 600;
    ask(t, 1, often);
    assert_arrays_near(often, once, 4, 0.02, 0.02);      /* the same rows in another order */
}

static void nothing_to_say(void **state)
{
    (void)state;
    double scale[8];
    table *t = new_table(50, 1);
    ask(t, 1, scale);
    assert_true(scale[0] == 1);

    t = new_table(300, 8);                               /* noise */
    ask(t, 1, scale);
    for (size_t d = 0; d < 8; d++) assert_true(scale[d] == 1);

    for (size_t i = 0; i < t->rows; i++) t->y[i] = 0.25; /* the same everywhere */
    ask(t, 1, scale);
    for (size_t d = 0; d < 8; d++) assert_true(scale[d] == 1);

    t = new_table(40, 8);                                /* one place only */
    for (size_t i = 8; i < 40 * 8; i++) t->x[i] = t->x[i - 8];
    ask(t, 1, scale);
    for (size_t d = 0; d < 8; d++) assert_true(scale[d] == 1);

    t = new_table(2, 8);
    ask(t, 1, scale);
    for (size_t d = 0; d < 8; d++) assert_true(scale[d] == 1);
}

/* Without noise, and with a target of enormous and of tiny size. */
static void extremes(void **state)
{
    (void)state;
    double sizes[] = { 1e-8, 1, 1e12 }, scale[4];
    for (size_t k = 0; k < 3; k++) {
        table *t = new_table(300, 4);
        for (size_t i = 0; i < t->rows; i++) t->y[i] = sizes[k] * (t->x[4 * i] > 0 ? 1 : -1);
        ask(t, 1, scale);
        assert_true(scale[0] > 1.9);
        for (size_t d = 1; d < 4; d++) assert_true(scale[d] < 0.15);
    }
}

static una_status learn_once(void *context, una_run *run)
{
    double scale[3];
    return una_relevance_learn(scale, &((table *)context)->problem, run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    table *t = new_table(60, 3);
    two_matter(t);
    assert_true(sweep_allocations(learn_once, t) > 0);
    t = new_table(20, 3);
    two_matter(t);
    assert_true(sweep_allocations_threads(learn_once, t, 2) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_matters), cmocka_unit_test(scales_follow_speed),
        cmocka_unit_test(categories_share), cmocka_unit_test(same_bits), cmocka_unit_test(copies_count_once),
        cmocka_unit_test(nothing_to_say), cmocka_unit_test(extremes), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
