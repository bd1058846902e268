/* SPDX-License-Identifier: MIT
 *
 * Trainings as data: every goal goes down; a job gives the same bits alone, among others, copied, and for any number
 * of threads; one that cannot be trained ends all with its sentence; gradients of the goals against differences.
 */
#include "train/training_job.h"
#include "nn/residual.h"
#include "test_support.h"

const una_kind *const una_kinds[] = { NULL };    /* no kind is needed to teach */

enum { ROWS = 60, HELD = 20, INPUTS = 2, JOBS = 6 };

/* ---- what is taught ----------------------------------------------------------------------------------------- */

typedef struct school {
    float x[(ROWS + HELD) * INPUTS], target[ROWS];
    double y[ROWS + HELD];
    una_training_rows rows;
    una_net net;
    una_residual residual;
    una_training_job job[JOBS];
} school;

static una_training_settings usual_training(size_t steps)
{
    una_training_settings how = { .descent = { .steps = steps, .rate = 0.01, .validate_every = steps / 4,
                                               .stage = "teaching" },
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
    s->rows = (una_training_rows){ .x = s->x, .target = s->target, .y = s->y, .valid_x = s->x + ROWS * INPUTS,
                                   .valid_y = s->y + ROWS, .rows = ROWS, .valid_rows = HELD, .inputs = INPUTS, .outputs = 1 };
}

/* One job of each goal, and one of the other body. */
static void invent_jobs(school *s, size_t steps)
{
    una_body_spec outline = { .inputs = INPUTS, .width = 10, .depth = 2, .features = 10, .heads = 1,
                              .activation = UNA_TANH };
    invent_rows(s);
    una_body_mlp_f32.shape(&s->net, &outline);
    outline.features = 24;
    una_body_residual_f32.shape(&s->residual, &outline);

    for (size_t i = 0; i < JOBS; i++) {
        s->job[i] = (una_training_job){ .body = &una_body_mlp_f32, .shape = &s->net, .start = { 0, 1, 1 },
                                        .how = usual_training(steps), .validate = UNA_VALIDATE_ERROR,
                                        .rows = &s->rows };
        s->job[i].how.stream = i;
    }
    s->job[0].validate = UNA_VALIDATE_POSTERIOR;
    s->job[1].goal = UNA_GOAL_EVIDENCE;
    s->job[1].goal_options.evidence.noise_var = 0.05;
    s->job[1].goal_options.evidence.prior_var = 1;
    s->job[1].how.batch = 0;
    s->job[2].goal = UNA_GOAL_ANCHOR;
    s->job[2].goal_options.anchor.noise_var = 0.01;
    s->job[2].goal_options.anchor.prior_var = s->job[2].goal_options.anchor.init_var = 0.1;
    s->job[3].goal = UNA_GOAL_DROPOUT;
    s->job[3].goal_options.dropout.rate = 0.05;
    s->job[3].goal_options.dropout.length_scale = 0.01;
    s->job[4].goal = UNA_GOAL_ELBO;
    s->job[4].goal_options.elbo.prior_var = 1;
    s->job[4].goal_options.elbo.start_std = 0.01;
    s->job[4].goal_options.elbo.samples = 4;
    s->job[5].body = &una_body_residual_f32;
    s->job[5].shape = &s->residual;
    s->job[5].goal_options.squares.bound = 0.9;
}

/* ---- many at once ------------------------------------------------------------------------------------------- */

static size_t numbers_of(const una_trained_job *t)
{
    if (t->job.goal == UNA_GOAL_ELBO) return 2 * una_matrices_packed(t->job.body->matrix, t->job.shape);
    return t->job.body->size(t->job.shape).parameters;
}

static void assert_same_trial(const una_trained_job *a, const una_trained_job *b)
{
    size_t count = numbers_of(a);
    if (a->job.goal == UNA_GOAL_ELBO) assert_memory_equal(a->numbers, b->numbers, count * sizeof(double));
    else assert_memory_equal(a->parameters, b->parameters, count * sizeof(float));
    assert_true(a->score == b->score && a->valid_rows == b->valid_rows && a->trained.best_step == b->trained.best_step);
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
    una_trained_job together[JOBS] = { { .valid_rows = 0 } }, shared[JOBS] = { { .valid_rows = 0 } };
    (void)state;
    invent_jobs(&s, 60);
    for (size_t i = 0; i < JOBS; i++) together[i].job = shared[i].job = s.job[i];
    assert_ok(una_train_many(together, sizeof *together, JOBS, one), one);
    assert_ok(una_train_many(shared, sizeof *shared, JOBS, three), three);

    for (size_t i = 0; i < JOBS; i++) {
        una_trained_job alone = { .valid_rows = 0 };
        una_training_rows copied = s.rows;               /* a job is data: wherever the rows lie */
        alone.job = s.job[i];
        alone.job.rows = &copied;
        assert_ok(una_train_many(&alone, sizeof alone, 1, one), one);
        assert_same_trial(&together[i], &shared[i]);
        assert_same_trial(&together[i], &alone);
        assert_int_equal(alone.valid_rows, HELD);
        una_jobs_free(&alone, sizeof alone, 1);
    }

    una_jobs_free(together, sizeof *together, JOBS);
    una_jobs_free(shared, sizeof *shared, JOBS);
    una_run_free(one);
    una_run_free(three);
}

static void every_goal_goes_down(void **state)
{
    static school s;
    una_run *run = run_with(2);
    una_trained_job t[JOBS] = { { .valid_rows = 0 } };
    (void)state;
    invent_jobs(&s, 400);
    for (size_t i = 0; i < JOBS; i++) t[i].job = s.job[i];
    assert_ok(una_train_many(t, sizeof *t, JOBS, run), run);

    for (size_t i = 0; i < JOBS; i++) {
        const una_trained *trained = &t[i].trained;
        assert_int_equal(trained->steps, 400);
        assert_true(trained->validations >= 4);
        assert_true(trained->loss[trained->validations - 1] < trained->loss[0]);
        bool validations = t[i].job.goal != UNA_GOAL_ELBO;             /* of networks: a distribution is no network */
        assert_true(isfinite(trained->best_validation) == validations);
    }
    una_jobs_free(t, sizeof *t, JOBS);
    una_run_free(run);
}

static void one_that_fails_ends_all(void **state)
{
    static school s;
    una_run *run = run_with(2);
    una_trained_job t[JOBS] = { { .valid_rows = 0 } };
    (void)state;
    invent_jobs(&s, 60);
    for (size_t i = 0; i < JOBS; i++) t[i].job = s.job[i];
    t[2].job.how.descent.optimiser = UNA_SGD;
    t[2].job.how.descent.rate = 1e12;
    assert_status(una_train_many(t, sizeof *t, JOBS, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "smaller rate");
    una_jobs_free(t, sizeof *t, JOBS);
    una_run_free(run);
}

static una_status teach_all(void *context, una_run *run)
{
    una_trained_job t[JOBS] = { { .valid_rows = 0 } };
    const school *s = context;
    for (size_t i = 0; i < JOBS; i++) t[i].job = s->job[i];
    una_status status = una_train_many(t, sizeof *t, JOBS, run);
    una_jobs_free(t, sizeof *t, JOBS);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static school s;
    (void)state;
    invent_jobs(&s, 4);
    sweep_allocations(teach_all, &s);
}

/* ---- gradients against differences -------------------------------------------------------------------------- */



/* Of a few parameters, evenly chosen: central differences of the loss, all rows every step. */
static void check_gradient(una_goal_begin *goal, una_training_job job, float step, double tolerance, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    job.how.batch = 0;
    una_training_context training = { .job = &job, .size = job.body->size(job.shape) };
    size_t n = training.size.parameters;
    float *p = UNA_GET(&run->scratch, float, n), *g = UNA_GET(&run->scratch, float, n);
    float *none = UNA_GET(&run->scratch, float, n), *frozen = UNA_GET(&run->scratch, float, training.size.frozen);
    una_trainable_f32 what = {0};
    una_losses up = {0}, down = {0};
    training.rng = una_rng_at(1, UNA_FOR_TEST, 0);
    job.body->initialise(job.shape, &job.start, &training.rng, frozen, p);
    training.net = (una_network_f32){ job.body, job.shape, frozen };
    training.parameters = p;
    assert_ok(goal(&what, &training, run), run);
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
    una_training_rows rows = s->rows;
    una_net net = s->net;
    una_training_job job = s->job[1];
    for (size_t i = 0; i < ROWS; i++) y[2 * i] = s->y[i], y[2 * i + 1] = i % 3 ? cos(s->y[i]) : NAN;
    rows.y = y;
    rows.outputs = 2;
    net.size[net.depth + 1] = 2;
    una_net_shape(&net);
    job.shape = &net;
    job.rows = &rows;
    job.how.target_scale = scale;
    check_gradient(una_goal_evidence, job, 4e-3f, 2e-3, run);
}

static void gradients_are_those_of_the_losses(void **state)
{
    static school s;
    una_run *run = run_with(1);
    (void)state;
    invent_jobs(&s, 10);
    check_gradient(una_goal_squares, s.job[0], 4e-3f, 2e-3, run);
    check_gradient(una_goal_evidence, s.job[1], 4e-3f, 2e-3, run);
    evidence_of_two(&s, run);
    check_gradient(una_goal_squares, s.job[2], 4e-3f, 2e-3, run);
    check_gradient(una_goal_squares, s.job[5], 4e-3f, 2e-3, run);
    una_run_free(run);
}

static una_status teach_residual(una_trained_job *t, const school *s, size_t job, una_run *run)
{
    *t = (una_trained_job){ .job = s->job[job] };
    t->job.body = &una_body_residual_f32;
    t->job.shape = &s->residual;
    t->job.validate = UNA_VALIDATE_NOT;
    return una_train_many(t, sizeof *t, 1, run);
}

/* Whatever a goal reads of a network, it asks its body; one that cannot says which body it was given. */
static void goals_ask_the_body(void **state)
{
    static school s;
    static const size_t refused[] = { 1, 3 };            /* evidence, dropout: jobs of invent_jobs */
    una_run *run = run_with(1);
    una_trained_job t;
    (void)state;
    invent_jobs(&s, 40);
    for (size_t i = 0; i < 2; i++) {
        assert_status(teach_residual(&t, &s, refused[i], run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), "'residual'");
        una_jobs_free(&t, sizeof t, 1);
    }

    assert_ok(teach_residual(&t, &s, 2, run), run);      /* anchored */
    assert_true(t.trained.loss[t.trained.validations - 1] < 0.8 * t.trained.loss[0]);
    check_gradient(una_goal_squares, t.job, 4e-3f, 2e-3, run);
    una_jobs_free(&t, sizeof t, 1);

    assert_ok(teach_residual(&t, &s, 4, run), run);      /* by its evidence bound */
    assert_true(t.trained.loss[t.trained.validations - 1] < 0.8 * t.trained.loss[0]);
    for (size_t i = numbers_of(&t) / 2; i < numbers_of(&t); i++) assert_true(t.numbers[i] > 0);
    una_jobs_free(&t, sizeof t, 1);
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
        cmocka_unit_test(goals_ask_the_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
