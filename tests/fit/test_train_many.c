/* SPDX-License-Identifier: MIT
 *
 * Trainings as data: every goal goes down; a lesson gives the same bits alone, among others, copied, and for any number
 * of threads; one that cannot be trained ends all with its sentence; gradients of the goals against differences.
 */
#include "fit/lesson.h"
#include "nn/residual.h"
#include "test_support.h"

const una_kind *const una_kinds[] = { NULL };    /* no kind is needed to teach */

enum { ROWS = 60, HELD = 20, INPUTS = 2, LESSONS = 6 };

/* ---- what is taught ----------------------------------------------------------------------------------------- */

typedef struct school {
    float x[(ROWS + HELD) * INPUTS], target[ROWS];
    double y[ROWS + HELD];
    una_held rows;
    una_net net;
    una_residual residual;
    una_lesson lesson[LESSONS];
} school;

static una_training usual_training(size_t steps)
{
    una_training how = { .descent = { .steps = steps, .rate = 0.01, .look_every = steps / 4, .stage = "teaching" },
                         .batch = 32, .fit_weight = 1 / (2 * 0.09), .penalty = 0.1, .seed = 3 };
    return how;
}

static void invent_rows(school *s)
{
    una_rng rng = una_rng_at(9, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < ROWS + HELD; i++) {
        double a = 4 * una_rng_uniform(&rng) - 2, b = 4 * una_rng_uniform(&rng) - 2;
        s->x[i * INPUTS] = (float)a;
        s->x[i * INPUTS + 1] = (float)b;
        s->y[i] = sin(2 * a) + b / 2 + 0.1 * una_rng_normal(&rng);
        if (i < ROWS) s->target[i] = (float)s->y[i];
    }
    s->rows = (una_held){ .x = s->x, .target = s->target, .y = s->y, .held_x = s->x + ROWS * INPUTS,
                          .held_y = s->y + ROWS, .rows = ROWS, .held = HELD, .inputs = INPUTS };
}

/* One lesson of each goal, and one of the other body. */
static void invent_lessons(school *s, size_t steps)
{
    una_outline outline = { .inputs = INPUTS, .width = 10, .depth = 2, .features = 10, .heads = 1,
                            .activation = UNA_TANH };
    invent_rows(s);
    una_body_mlp_f32.shape(&s->net, &outline);
    outline.features = 24;
    una_body_residual_f32.shape(&s->residual, &outline);

    for (size_t i = 0; i < LESSONS; i++) {
        s->lesson[i] = (una_lesson){ .body = &una_body_mlp_f32, .shape = &s->net, .start = { 0, 1, 1 },
                                     .how = usual_training(steps), .look = UNA_LOOK_ERROR, .rows = &s->rows };
        s->lesson[i].how.stream = i;
    }
    s->lesson[0].look = UNA_LOOK_POSTERIOR;
    s->lesson[1].goal = UNA_GOAL_EVIDENCE;
    s->lesson[1].of.evidence.noise_var = 0.05;
    s->lesson[1].of.evidence.prior_var = 1;
    s->lesson[1].how.batch = 0;
    s->lesson[2].goal = UNA_GOAL_ANCHOR;
    s->lesson[2].of.anchor.noise_var = 0.01;
    s->lesson[2].of.anchor.prior_var = s->lesson[2].of.anchor.init_var = 0.1;
    s->lesson[3].goal = UNA_GOAL_DROPOUT;
    s->lesson[3].of.dropout.rate = 0.05;
    s->lesson[3].of.dropout.length_scale = 0.01;
    s->lesson[4].goal = UNA_GOAL_BOUND;
    s->lesson[4].of.bound.prior_var = 1;
    s->lesson[4].of.bound.start_std = 0.01;
    s->lesson[4].of.bound.samples = 4;
    s->lesson[5].body = &una_body_residual_f32;
    s->lesson[5].shape = &s->residual;
    s->lesson[5].of.squares.bound = 0.9;
}

/* ---- many at once ------------------------------------------------------------------------------------------- */

static size_t numbers_of(const una_trial *t)
{
    if (t->lesson.goal == UNA_GOAL_BOUND) return 2 * una_net_packed(t->lesson.shape);
    return t->lesson.body->size(t->lesson.shape).parameters;
}

static void assert_same_trial(const una_trial *a, const una_trial *b)
{
    size_t count = numbers_of(a);
    if (a->lesson.goal == UNA_GOAL_BOUND) assert_memory_equal(a->numbers, b->numbers, count * sizeof(double));
    else assert_memory_equal(a->parameters, b->parameters, count * sizeof(float));
    assert_true(a->score == b->score && a->held == b->held && a->trained.best_step == b->trained.best_step);
}

static una_run *run_with(int threads)
{
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = threads)), UNA_OK);
    return run;
}

static void the_same_bits_however_they_are_taught(void **state)
{
    static school s;
    una_run *one = run_with(1), *three = run_with(3);
    una_trial together[LESSONS] = { { .held = 0 } }, shared[LESSONS] = { { .held = 0 } };
    (void)state;
    invent_lessons(&s, 60);
    for (size_t i = 0; i < LESSONS; i++) together[i].lesson = shared[i].lesson = s.lesson[i];
    assert_ok(una_train_many(together, sizeof *together, LESSONS, one), one);
    assert_ok(una_train_many(shared, sizeof *shared, LESSONS, three), three);

    for (size_t i = 0; i < LESSONS; i++) {
        una_trial alone = { .held = 0 };
        una_held copied = s.rows;                        /* a lesson is data: wherever the rows lie */
        alone.lesson = s.lesson[i];
        alone.lesson.rows = &copied;
        assert_ok(una_train_many(&alone, sizeof alone, 1, one), one);
        assert_same_trial(&together[i], &shared[i]);
        assert_same_trial(&together[i], &alone);
        assert_int_equal(alone.held, HELD);
        una_jobs_free(&alone, sizeof alone, 1);
    }

    una_jobs_free(together, sizeof *together, LESSONS);
    una_jobs_free(shared, sizeof *shared, LESSONS);
    una_run_free(one);
    una_run_free(three);
}

static void every_goal_goes_down(void **state)
{
    static school s;
    una_run *run = run_with(2);
    una_trial t[LESSONS] = { { .held = 0 } };
    (void)state;
    invent_lessons(&s, 400);
    for (size_t i = 0; i < LESSONS; i++) t[i].lesson = s.lesson[i];
    assert_ok(una_train_many(t, sizeof *t, LESSONS, run), run);

    for (size_t i = 0; i < LESSONS; i++) {
        const una_trained *trained = &t[i].trained;
        assert_int_equal(trained->steps, 400);
        assert_true(trained->looks >= 4);
        assert_true(trained->loss[trained->looks - 1] < trained->loss[0]);
        bool looks = t[i].lesson.goal != UNA_GOAL_BOUND;         /* of networks: a distribution is no network */
        assert_true(isfinite(trained->best_look) == looks);
    }
    una_jobs_free(t, sizeof *t, LESSONS);
    una_run_free(run);
}

static void one_that_fails_ends_all(void **state)
{
    static school s;
    una_run *run = run_with(2);
    una_trial t[LESSONS] = { { .held = 0 } };
    (void)state;
    invent_lessons(&s, 60);
    for (size_t i = 0; i < LESSONS; i++) t[i].lesson = s.lesson[i];
    t[2].lesson.how.descent.optimiser = UNA_SGD;
    t[2].lesson.how.descent.rate = 1e12;
    assert_status(una_train_many(t, sizeof *t, LESSONS, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "smaller rate");
    una_jobs_free(t, sizeof *t, LESSONS);
    una_run_free(run);
}

static una_status teach_all(void *context, una_run *run)
{
    una_trial t[LESSONS] = { { .held = 0 } };
    const school *s = context;
    for (size_t i = 0; i < LESSONS; i++) t[i].lesson = s->lesson[i];
    una_status status = una_train_many(t, sizeof *t, LESSONS, run);
    una_jobs_free(t, sizeof *t, LESSONS);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static school s;
    (void)state;
    invent_lessons(&s, 4);
    sweep_allocations(teach_all, &s);
}

/* ---- gradients against differences -------------------------------------------------------------------------- */

typedef una_status a_goal(una_trainable_f32 *what, const una_pupil *pupil, una_run *run);

/* Of a few parameters, evenly chosen: central differences of the loss, all rows every step. */
static void check_gradient(a_goal *goal, una_lesson lesson, float step, double tolerance, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    lesson.how.batch = 0;
    una_pupil pupil = { .lesson = &lesson, .size = lesson.body->size(lesson.shape) };
    size_t n = pupil.size.parameters;
    float *p = UNA_GET(&run->scratch, float, n), *g = UNA_GET(&run->scratch, float, n);
    float *none = UNA_GET(&run->scratch, float, n), *frozen = UNA_GET(&run->scratch, float, pupil.size.frozen);
    una_trainable_f32 what = {0};
    una_losses up = {0}, down = {0};
    pupil.rng = una_rng_at(1, UNA_FOR_TEST, 0);
    lesson.body->initialise(lesson.shape, &lesson.start, &pupil.rng, frozen, p);
    pupil.net = (una_network_f32){ lesson.body, lesson.shape, frozen };
    pupil.parameters = p;
    assert_ok(goal(&what, &pupil, run), run);
    assert_ok(what.gradient(what.context, 0, p, g, &up, run), run);

    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs((double)g[i]));
    for (size_t i = 0; i < n; i += 1 + n / 40) {
        float kept = p[i];
        if (kept == 0 && g[i] == 0) continue;            /* padding */
        p[i] = kept + step;
        assert_ok(what.gradient(what.context, 0, p, none, &up, run), run);
        p[i] = kept - step;
        assert_ok(what.gradient(what.context, 0, p, none, &down, run), run);
        p[i] = kept;
        double width = (double)(kept + step) - (double)(kept - step), slope = (up.total - down.total) / width;
        if (fabs(slope - (double)g[i]) > tolerance * most)
            fail_msg("parameter %zu: gradient %g, differences %g (largest %g)", i, (double)g[i], slope, most);
    }
    una_arena_release(&run->scratch, mark);
}

/* Two targets of different noise, the second of which has not every cell. */
static void evidence_of_two(const school *s, una_run *run)
{
    static double y[2 * ROWS];
    static const double scale[] = { 1, 0.5 };
    una_held rows = s->rows;
    una_net net = s->net;
    una_lesson lesson = s->lesson[1];
    for (size_t i = 0; i < ROWS; i++) y[2 * i] = s->y[i], y[2 * i + 1] = i % 3 ? cos(s->y[i]) : NAN;
    rows.y = y;
    rows.outputs = 2;
    net.size[net.depth + 1] = 2;
    una_net_shape(&net);
    lesson.shape = &net;
    lesson.rows = &rows;
    lesson.how.target_scale = scale;
    check_gradient(una_goal_evidence, lesson, 4e-3f, 2e-3, run);
}

static void gradients_are_those_of_the_losses(void **state)
{
    static school s;
    una_run *run = run_with(1);
    (void)state;
    invent_lessons(&s, 10);
    check_gradient(una_goal_squares, s.lesson[0], 4e-3f, 2e-3, run);
    check_gradient(una_goal_evidence, s.lesson[1], 4e-3f, 2e-3, run);
    evidence_of_two(&s, run);
    check_gradient(una_goal_anchor, s.lesson[2], 4e-3f, 2e-3, run);
    check_gradient(una_goal_squares, s.lesson[5], 4e-3f, 2e-3, run);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits_however_they_are_taught),
        cmocka_unit_test(every_goal_goes_down),
        cmocka_unit_test(one_that_fails_ends_all),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(gradients_are_those_of_the_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
