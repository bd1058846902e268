/* SPDX-License-Identifier: MIT
 *
 * LUNA's step under the training loop: batches that cover an epoch, probes that leave categories whole, looks that keep
 * the best, stopping, steering, divergence; float against double.
 */
#include "test_support.h"

#include "nn/luna_step.h"

/* ---- small problems ---------------------------------------------------------------------------------------------- */

enum { ROWS = 20, INPUTS = 2, HEADS = 4 };

static una_net net_of(size_t inputs, size_t width, size_t heads, una_activation activation)
{
    una_net net = { .depth = 2, .size = { inputs, width, width, heads }, .activation = activation };
    una_net_shape(&net);
    return net;
}

typedef struct problem {
    una_net net;
    double x[ROWS * INPUTS], y[ROWS];
    double parameters[4096];
    una_train_data_f64 data;
} problem;

static void make_problem(problem *p, size_t heads)
{
    p->net = net_of(INPUTS, 6, heads, UNA_TANH);
    assert_true(p->net.parameters <= 4096);
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t d = 0; d < INPUTS; d++) p->x[i * INPUTS + d] = una_rng_normal(&rng);
        p->y[i] = sin(p->x[i * INPUTS]) + 0.3 * p->x[i * INPUTS + 1];
    }
    una_rng first = una_rng_at(1, UNA_FOR_INIT, 0);
    una_net_initialise_f64(&p->net, 0, 1, &first, p->parameters, NULL);
    p->data = (una_train_data_f64){ p->x, p->y, ROWS, 1, { INPUTS, NULL } };
}

static una_training_settings plain_training(size_t steps)
{
    return (una_training_settings){ .descent = { .steps = steps, .optimiser = UNA_ADAM, .rate = 0.01,
                                                 .validate_every = 1, .stage = "training" },
                                    .fit_weight = 5, .penalty = 0.01, .seed = 7 };
}

static una_training_settings luna_training(size_t steps)
{
    una_training_settings how = plain_training(steps);
    how.diversity = 1;
    how.probes = UNA_PROBES_BETWEEN;
    how.perturbation_std = 0.1;
    how.schedule = 2;
    return how;
}

/* Mean cos^2 of the heads at the probes of one step, without training: the same probes for the same seed. */
static una_status mean_cos2_of(double *mean_cos2, const una_net *net, const double *parameters,
                               const una_train_data_f64 *data, const una_training_settings *how, una_run *run)
{
    una_training_settings one = *how;
    one.descent.steps = one.batch = 512;
    one.directions = 0;
    one.unit_directions = false;
    one.steer = true;
    una_trainable_f64 what;
    una_losses losses;
    UNA_TRY(una_luna_step_f64(&what, net, data, &one, run));
    UNA_NEW(&run->scratch, double, gradient, net->parameters);
    UNA_TRY(what.gradient(what.context, 0, parameters, gradient, &losses, run));
    *mean_cos2 = losses.mean_cos2;
    return UNA_OK;
}

static una_status train(problem *p, const una_training_settings *how, const una_validator_f64 *validator,
                        una_trained *trained, una_arena *arena, una_run *run)
{
    return una_train_f64(&p->net, p->parameters, &p->data, how, validator, trained, arena, run);
}

/* ---- float against double ---------------------------------------------------------------------------------------- */

static void compare_precisions(una_training_settings how, una_run *run)
{
    problem p;
    make_problem(&p, HEADS);
    float x[ROWS * INPUTS], y[ROWS], parameters[4096];

    for (size_t i = 0; i < ROWS * INPUTS; i++) p.x[i] = (double)(x[i] = (float)p.x[i]);
    for (size_t i = 0; i < ROWS; i++) p.y[i] = (double)(y[i] = (float)p.y[i]);
    for (size_t i = 0; i < p.net.parameters; i++) p.parameters[i] = (double)(parameters[i] = (float)p.parameters[i]);
    una_train_data_f32 data = { x, y, ROWS, 1, { INPUTS, NULL } };

    una_arena arena;
    una_arena_init(&arena, run);
    una_trained narrow, wide;
    assert_ok(una_train_f32(&p.net, parameters, &data, &how, NULL, &narrow, &arena, run), run);
    assert_ok(train(&p, &how, NULL, &wide, &arena, run), run);

    assert_int_equal(narrow.validations, 20);
    for (size_t i = 0; i < 20; i++) {
        assert_near(narrow.loss[i], wide.loss[i], 1e-4, 0);
        assert_near(narrow.cos2[i], wide.cos2[i], 1e-3, 1e-4);
    }
    assert_true(wide.loss[19] < wide.loss[0]);
    una_arena_free(&arena);
}

static void float_follows_double(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_training_settings how = luna_training(20);

    compare_precisions(how, run);                        /* stacked, finite differences, between the data */
    how.probes = UNA_PROBES_DATA;
    compare_precisions(how, run);
    how.per_point = true;
    compare_precisions(how, run);
    how.exact = true;
    compare_precisions(how, run);
    how.batch = 7;
    how.directions = 1;
    compare_precisions(how, run);
    how.directions = 3;
    how.unit_directions = true;
    compare_precisions(how, run);

    una_run_free(run);
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* A network of zeros with targets sqrt(2^i) has the loss sum 2^i over its batch: the loss names the rows. */
static void batches_cover_an_epoch(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (size_t batch = 1; batch <= ROWS + 5; batch++) {
        problem p;
        make_problem(&p, 1);
        memset(p.parameters, 0, sizeof p.parameters);
        for (size_t i = 0; i < ROWS; i++) p.y[i] = sqrt((double)(1u << i));

        una_training_settings how = { .descent = { .steps = 60, .validate_every = 1 }, .batch = batch,
                                      .fit_weight = 1 };
        una_arena arena;
        una_arena_init(&arena, run);
        una_trained trained;
        assert_ok(train(&p, &how, NULL, &trained, &arena, run), run);

        size_t batches = batch >= ROWS ? 1 : (ROWS + batch / 2) / batch;
        unsigned seen = 0, first = 0, all = (1u << ROWS) - 1, other_order = 0;
        for (size_t step = 0; step < 60 / batches * batches; step++) {
            unsigned rows = (unsigned)floor(trained.loss[step] + 0.5), count = 0;
            for (unsigned rest = rows; rest; rest &= rest - 1) count++;
            assert_int_equal(seen & rows, 0);                            /* no row twice in an epoch */
            assert_true(count == ROWS / batches || count == (ROWS + batches - 1) / batches);
            seen |= rows;
            if (step % batches == 0) {
                if (step == 0) first = rows;
                other_order |= rows != first;
            }
            if ((step + 1) % batches) continue;
            assert_int_equal(seen, all);                                 /* every row once */
            seen = 0;
        }

        assert_int_equal(other_order, batches > 1);                      /* each epoch is shuffled anew */
        una_arena_free(&arena);
    }
    una_run_free(run);
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

static double *weight_at(const una_net *net, double *parameters, size_t layer, size_t from, size_t to)
{
    return &parameters[net->weights[layer] + from * UNA_PADDED(net->size[layer + 1]) + to];
}

/* Heads h(x1) + h(x2) and h(x1) - h(x2): equal slopes along x1, opposite along x2. */
static void categories_are_not_perturbed(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_net net = net_of(2, 2, 2, UNA_RELU);
    double x[ROWS * 2], parameters[4096] = {0}, y[ROWS] = {0}, mean_cos2;

    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = 5 + (double)i;
        x[2 * i + 1] = 1;
    }
    for (size_t layer = 0; layer < 2; layer++)
        *weight_at(&net, parameters, layer, 0, 0) = *weight_at(&net, parameters, layer, 1, 1) = 1;
    *weight_at(&net, parameters, 2, 0, 0) = *weight_at(&net, parameters, 2, 0,
                                                       1) = *weight_at(&net, parameters, 2, 1, 0) = 1;
    *weight_at(&net, parameters, 2, 1, 1) = -1;

    una_train_data_f64 data = { x, y, ROWS, 1, { 2, NULL } };
    una_training_settings how = luna_training(1);
    how.probes = UNA_PROBES_DATA;
    assert_ok(mean_cos2_of(&mean_cos2, &net, parameters, &data, &how, run), run);
    assert_near(mean_cos2, 0, 0, 1e-9);                                  /* both inputs are numbers */

    const size_t group[] = { SIZE_MAX, 1 };
    data.inputs.group = group;
    assert_ok(mean_cos2_of(&mean_cos2, &net, parameters, &data, &how, run), run);
    assert_near(mean_cos2, 1, 0, 1e-9);                                  /* no slope is taken along the category */

    const size_t none[] = { 0, 1 };
    data.inputs.group = none;
    assert_status(mean_cos2_of(&mean_cos2, &net, parameters, &data, &how, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "every input is a category");
    una_run_free(run);
}

/* Inputs x, c1, c2 with (c1, c2) one-hot. The second feature wakes up only where |c1 - c2| < 0.9, that is at a mixture
 * of two levels, and tells the heads apart: at whole levels they are the same function. */
static void probes_take_categories_whole(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_net net = net_of(3, 3, 2, UNA_RELU);
    double x[ROWS * 3], y[ROWS] = {0}, parameters[4096] = {0}, mean_cos2;
    for (size_t i = 0; i < ROWS; i++) {
        x[3 * i] = 0.1 * (double)i - 1;
        x[3 * i + 1] = i % 2 ? 1 : 0;
        x[3 * i + 2] = i % 2 ? 0 : 1;
    }

    *weight_at(&net, parameters, 0, 0, 0) = 1;                           /* a = x + 10 */
    parameters[net.biases[0]] = 10;
    *weight_at(&net, parameters, 0, 1, 1) = *weight_at(&net, parameters, 0, 2, 2) = 1; /* (c1 - c2)+ and (c2 - c1)+ */
    *weight_at(&net, parameters, 0, 2, 1) = *weight_at(&net, parameters, 0, 1, 2) = -1;
    *weight_at(&net, parameters, 1, 0, 0) = *weight_at(&net, parameters, 1, 0, 1) = 1;
    *weight_at(&net, parameters, 1, 1, 1) = *weight_at(&net, parameters, 1, 2, 1) = -100;
    parameters[net.biases[1] + 1] = 80;
    *weight_at(&net, parameters, 2, 0, 0) = *weight_at(&net, parameters, 2, 0, 1) = 1;
    *weight_at(&net, parameters, 2, 1, 0) = 5;

    const size_t whole[] = { SIZE_MAX, 1, 1 };
    una_train_data_f64 data = { x, y, ROWS, 1, { 3, whole } };
    una_training_settings how = luna_training(1);
    how.exact = true;
    for (uint64_t seed = 0; seed < 20; seed++) {
        how.seed = seed;
        how.probes = seed % 2 ? UNA_PROBES_BETWEEN : UNA_PROBES_BEYOND;
        assert_ok(mean_cos2_of(&mean_cos2, &net, parameters, &data, &how, run), run);
        assert_near(mean_cos2, 1, 0, 1e-9);
    }

    data.inputs.group = NULL;                                            /* as numbers they would be mixed */
    assert_ok(mean_cos2_of(&mean_cos2, &net, parameters, &data, &how, run), run);
    assert_true(mean_cos2 < 0.9);
    una_run_free(run);
}

/* ---- probes ------------------------------------------------------------------------------------------------------ */

/* Half of the rows lie at 1, half at 3. Head 1 is x, head 2 the same but for a kink at `kink`, beyond which (above, or
 * below with side -1) its slope is `more` larger. */
static double cos2_with_kink(una_probes probes, double kink, double side, double more, una_run *run)
{
    enum { MANY = 4000 };
    static double x[MANY], y[MANY];
    una_net net = net_of(1, 2, 2, UNA_RELU);
    double parameters[4096] = {0}, mean_cos2 = NAN;
    for (size_t i = 0; i < MANY; i++) x[i] = i % 2 ? 3 : 1;

    *weight_at(&net, parameters, 0, 0, 0) = 1;                           /* x + 10, always on */
    parameters[net.biases[0]] = 10;
    *weight_at(&net, parameters, 0, 0, 1) = side;                        /* on beyond the kink */
    parameters[net.biases[0] + 1] = -side * kink;
    *weight_at(&net, parameters, 1, 0, 0) = *weight_at(&net, parameters, 1, 1, 1) = 1;
    *weight_at(&net, parameters, 2, 0, 0) = *weight_at(&net, parameters, 2, 0, 1) = 1;
    *weight_at(&net, parameters, 2, 1, 1) = side * more;

    una_train_data_f64 data = { x, y, MANY, 1, { 1, NULL } };
    una_training_settings how = luna_training(1);
    how.exact = true;
    how.probes = (int)probes;
    assert_ok(mean_cos2_of(&mean_cos2, &net, parameters, &data, &how, run), run);
    return mean_cos2;
}

/* Probes lie between pairs of rows: none beyond them, half of them evenly between 1 and 3, a quarter at either end. So
 * 3/8 lie above 2.5, where slopes are 1 and 5: cos^2 = (5/8 + 15/8)^2/(5/8 + 75/8). */
static void probes_lie_between_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    assert_near(cos2_with_kink(UNA_PROBES_BETWEEN, 3.001, 1, 4, run), 1, 0, 1e-12);
    assert_near(cos2_with_kink(UNA_PROBES_BETWEEN, 0.999, -1, 4, run), 1, 0, 1e-12);
    assert_near(cos2_with_kink(UNA_PROBES_BETWEEN, 2.5, 1, 4, run), 0.625, 0, 0.02);
    una_run_free(run);
}

/* Half of the probes lie evenly from -1 to 5, a quarter at 1, a quarter at 3. With a share q beyond the kink, cos^2 =
 * (1 + 4q)^2/(1 + 24q): q is 1/12 above 4 and below 0, 11/24 above 2.5. */
static void probes_lie_beyond_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double outer = 16.0 / 27, inner = 289.0 / 432;
    assert_near(cos2_with_kink(UNA_PROBES_BEYOND, 5.001, 1, 4, run), 1, 0, 1e-12);
    assert_near(cos2_with_kink(UNA_PROBES_BEYOND, -1.001, -1, 4, run), 1, 0, 1e-12);
    assert_near(cos2_with_kink(UNA_PROBES_BEYOND, 4, 1, 4, run), outer, 0, 0.04);
    assert_near(cos2_with_kink(UNA_PROBES_BEYOND, 0, -1, 4, run), outer, 0, 0.04);
    assert_near(cos2_with_kink(UNA_PROBES_BEYOND, 2.5, 1, 4, run), inner, 0, 0.02);
    una_run_free(run);
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

typedef struct judge {
    const double *score;
    size_t calls, fail_at;
    double kept[4096];
    size_t keep_at, parameters;
} judge;

static una_status judged(void *context, const double *parameters, double *score, una_run *run)
{
    judge *j = context;
    if (j->calls == j->fail_at) return una_fail(run, UNA_E_NUMERIC, "the judge gave up");
    if (j->calls == j->keep_at) memcpy(j->kept, parameters, j->parameters * sizeof *parameters);
    *score = j->score[j->calls++];
    return UNA_OK;
}

static void the_best_validation_is_kept(void **state)
{
    (void)state;
    static const double score[] = { 9, 1, 2, 5, 4, 3, 4, 2 };           /* the first comes too early to count */
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    problem p;
    una_trained trained;
    una_training_settings how = plain_training(40);
    how.descent.validate_every = 5;
    how.descent.validate_from = 0.2;
    make_problem(&p, 1);
    judge j = { .score = score, .fail_at = 99, .keep_at = 3, .parameters = p.net.parameters };
    una_validator_f64 validator = { &j, judged };

    assert_ok(train(&p, &how, &validator, &trained, &arena, run), run);
    assert_int_equal(trained.validations, 8);
    assert_int_equal(trained.steps, 40);
    assert_int_equal(trained.best_step, 20);
    assert_near(trained.best_validation, 5, 0, 0);
    assert_memory_equal(p.parameters, j.kept, p.net.parameters * sizeof(double));
    for (size_t i = 0; i < 8; i++) {
        assert_near(trained.validation[i], score[i], 0, 0);
        assert_near(trained.step[i], 5.0 * (double)(i + 1), 0, 0);
    }

    how.descent.patience = 2;                                                    /* 4 and 3 are not better than 5 */
    make_problem(&p, 1);
    j.calls = 0;
    assert_ok(train(&p, &how, &validator, &trained, &arena, run), run);
    assert_int_equal(trained.steps, 30);
    assert_int_equal(trained.best_step, 20);
    assert_memory_equal(p.parameters, j.kept, p.net.parameters * sizeof(double));

    j.calls = 0;
    j.fail_at = 2;
    assert_status(train(&p, &how, &validator, &trained, &arena, run), UNA_E_NUMERIC, run);
    assert_string_equal(una_run_message(run), "the judge gave up");
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- the end of a training --------------------------------------------------------------------------------------- */

static void divergence_has_a_sentence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    for (int optimiser = UNA_SGD; optimiser <= UNA_GD; optimiser++) {
        problem p;
        una_trained trained;
        una_training_settings how = plain_training(2000);
        how.descent.optimiser = optimiser;
        how.descent.rate = 1000;
        how.descent.momentum = 0.9;
        how.penalty = 1;

        make_problem(&p, 1);
        assert_status(train(&p, &how, NULL, &trained, &arena, run), UNA_E_NUMERIC, run);
        assert_says(una_run_message(run), "training diverged at step");
        assert_says(una_run_message(run), "smaller rate (now 1000)");
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void every_optimiser_descends(void **state)
{
    (void)state;
    static const double rates[] = { 0.02, 0.0005, 0.0005 };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    for (int optimiser = UNA_ADAM; optimiser <= UNA_GD; optimiser++) {
        problem p;
        una_trained trained;
        una_training_settings how = plain_training(600);
        how.descent.optimiser = optimiser;
        how.descent.rate = rates[optimiser];
        how.descent.momentum = 0.9;
        how.batch = 7;
        how.descent.validate_every = 3;

        make_problem(&p, 1);
        assert_ok(train(&p, &how, NULL, &trained, &arena, run), run);
        assert_true(trained.loss[199] < 0.2 * trained.loss[0]);
        assert_true(isnan(trained.mean_cos2));
    }
    una_arena_free(&arena);
    una_run_free(run);
}

/* As una_train does it, and gives the weight that steering ended with. */
static double steered(problem *p, const una_training_settings *how, una_trained *trained, una_arena *arena,
                      una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_trainable_f64 what;
    assert_ok(una_luna_step_f64(&what, &p->net, &p->data, how, run), run);
    assert_ok(una_descend_f64(&what, p->parameters, &how->descent, trained, arena, run), run);
    double diversity = una_luna_step_diversity_f64(&what);
    una_arena_release(&run->scratch, mark);
    return diversity;
}

static void steering_moves_towards_the_target(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    problem p;
    una_trained up, down;
    una_training_settings how = luna_training(200);

    how.schedule = 0;
    how.steer = true;
    how.target_cos2 = 1e-4; /* out of reach: the weight grows by 1 % a step */
    make_problem(&p, HEADS);
    assert_near(steered(&p, &how, &up, &arena, run), exp(0.01 * 200), 0.1, 0);

    how.target_cos2 = 1;                                                 /* always below: it falls */
    make_problem(&p, HEADS);
    assert_true(steered(&p, &how, &down, &arena, run) < 0.5);
    assert_true(up.cos2[199] < down.cos2[199]);

    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- slopes that are compared now and then ----------------------------------------------------------------------- */

/* The gradient of one step, whose number is `step`, and its losses. */
static double *gradient_of(const problem *p, una_training_settings how, size_t step, una_losses *losses, una_run *run)
{
    una_trainable_f64 what;
    how.schedule = 0;
    assert_ok(una_luna_step_f64(&what, &p->net, &p->data, &how, run), run);
    double *gradient = una_arena_get(&run->scratch, p->net.parameters, sizeof *gradient);
    for (size_t i = 0; i <= step; i++)
        assert_ok(what.gradient(what.context, i, p->parameters, gradient, losses, run), run);
    return gradient;
}

static void slopes_count_k_times_in_every_kth_step(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    problem p;
    una_losses often, seldom, never;
    make_problem(&p, HEADS);
    una_training_settings each = luna_training(9), third = each, strong = each, plain = plain_training(9);
    third.diversity_every = 3;
    strong.diversity = 3 * each.diversity;
    for (size_t step = 0; step < 7; step++) {
        bool compares = step % 3 == 0;
        const double *measured = gradient_of(&p, third, step, &seldom, run);
        const double *expected = gradient_of(&p, compares ? strong : plain, step, compares ? &often : &never, run);
        for (size_t i = 0; i < p.net.parameters; i++) assert_near(measured[i], expected[i], 1e-12, 1e-12);
        gradient_of(&p, each, step / 3 * 3, &often, run);
        assert_near(seldom.mean_cos2, often.mean_cos2, 0, 0);    /* of the last comparison */
    }
    una_run_free(run);
}

/* ---- memory, cancelling ------------------------------------------------------------------------------------------ */

static una_status job_train(void *context, una_run *run)
{
    problem *p = context;
    una_arena arena;
    una_arena_init(&arena, run);
    una_trained trained;
    una_training_settings how = luna_training(2);
    how.directions = 1;
    how.diversity_every = 2;
    double mean_cos2;
    una_status status = train(p, &how, NULL, &trained, &arena, run);
    if (status == UNA_OK) status = mean_cos2_of(&mean_cos2, &p->net, p->parameters, &p->data, &how, run);
    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    problem p;
    make_problem(&p, HEADS);
    assert_true(sweep_allocations(job_train, &p) > 3);
}

static int stop_now(void *context, const una_progress *progress)
{
    (void)context;
    return progress->fraction > 0.5;
}

static void cancelled_in_the_middle(void **state)
{
    (void)state;
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .progress = stop_now)), UNA_OK);
    una_arena arena;
    una_arena_init(&arena, run);
    problem p;
    una_trained trained;
    una_training_settings how = plain_training(1000);

    make_problem(&p, 1);
    assert_status(train(&p, &how, NULL, &trained, &arena, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "interrupted while training");
    assert_true(trained.steps > 500 && trained.steps < 520);
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- one model on several threads ------------------------------------------------------------------------ */

enum { MANY = 700, WIDE = 13, TEAM_STEPS = 5, TEAM_HEADS = 20 };

typedef struct team_case {
    const char *name;
    una_activation activation;
    size_t rows, batch, heads, pieces;
    una_training_settings how;           /* beyond what all have */
} team_case;

/* Returns the pieces of a step. */
static size_t train_team(const team_case *c, int threads, float *parameters)
{
    una_run *run = quiet_run_threads(threads);
    una_net net = net_of(WIDE, 50, c->heads, c->activation);
    assert_true(net.parameters <= 8192);
    static float x[MANY * WIDE], y[MANY];
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0), first = una_rng_at(3, UNA_FOR_INIT, 0);

    for (size_t i = 0; i < MANY; i++) {
        for (size_t d = 0; d < WIDE; d++) x[i * WIDE + d] = (float)una_rng_normal(&rng);
        y[i] = sinf(x[i * WIDE]) + 0.3f * x[i * WIDE + 1];
    }
    una_net_initialise_f32(&net, 0, 1, &first, parameters, NULL);

    una_train_data_f32 data = { x, y, c->rows, 1, { WIDE, NULL } };
    una_training_settings how = c->how;
    how.descent.steps = TEAM_STEPS;
    how.batch = c->batch;
    how.descent.rate = how.descent.optimiser == UNA_ADAM ? 0.01 : 1e-6;
    how.fit_weight = 5;
    how.penalty = 0.01;
    how.descent.validate_every = 1;
    how.seed = 7;
    how.perturbation_std = 0.1;
    how.schedule = 2;

    una_arena arena;
    una_arena_init(&arena, run);
    una_trained trained;
    una_mark mark = una_arena_mark(&run->scratch);
    una_trainable_f32 what;
    assert_ok(una_luna_step_f32(&what, &net, &data, &how, run), run);
    assert_ok(una_descend_f32(&what, parameters, &how.descent, &trained, &arena, run), run);
    for (size_t i = 0; i < TEAM_STEPS; i++) assert_true(isfinite(trained.loss[i]));

    una_arena_release(&run->scratch, mark);
    una_arena_free(&arena);
    assert_true(run->used == 0);
    una_run_free(run);
    return what.pieces;
}

/* Large steps are cut into pieces, and the number of threads changes no bit of what is learnt. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    static const team_case cases[] = {
        { "fans", UNA_RELU, 301, 150, TEAM_HEADS, 4, { .diversity = 1 } },
        { "fans, own probes", UNA_RELU, 150, 0, TEAM_HEADS, 4, { .diversity = 1, .probes = UNA_PROBES_BETWEEN } },
        { "fans, probes beyond", UNA_RELU, 150, 0, TEAM_HEADS, 4, { .diversity = 1, .probes = UNA_PROBES_BEYOND } },
        { "fans, some directions", UNA_RELU, 150, 0, TEAM_HEADS, 2,
          { .diversity = 1, .directions = 5, .unit_directions = true } },
        { "rows", UNA_TANH, 301, 150, TEAM_HEADS, 4,
          { .diversity = 1, .probes = UNA_PROBES_BETWEEN, .steer = true, .target_cos2 = 0.1 } },
        { "exact", UNA_TANH, 150, 0, TEAM_HEADS, 4, { .diversity = 1, .exact = true } },
        { "per point", UNA_RELU, 303, 101, TEAM_HEADS, 2, { .diversity = 1, .per_point = true } },
        { "plain", UNA_RELU, MANY, 0, 1, 2, { .descent.optimiser = UNA_ADAM } },
        { "plain, descent", UNA_TANH, MANY, 0, 1, 2, { .descent = { .optimiser = UNA_GD, .momentum = 0.9 } } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static float one[8192], many[8192];
        size_t pieces = train_team(&cases[i], 1, one);
        if (pieces != cases[i].pieces) fail_msg("%s: %zu pieces", cases[i].name, pieces);
        for (int threads = 2; threads <= 5; threads++) {
            pieces = train_team(&cases[i], threads, many);
            if (pieces != cases[i].pieces) fail_msg("%s: %zu pieces", cases[i].name, pieces);
            if (memcmp(one, many, sizeof one) != 0) fail_msg("%s: other bits on %d threads", cases[i].name, threads);
        }
    }
}

/* ---- several targets --------------------------------------------------------------------------------------------- */

/* Two targets, scaled, are what a target for each head is; and rows without either teach nothing. */
static void targets_are_columns_of_heads(void **state)
{
    enum { PADDED = UNA_PADDED(HEADS), LACKING = 5 };
    (void)state;
    static problem several, each, fewer;
    static double y[2 * ROWS], columns[ROWS * PADDED], x[ROWS * INPUTS];
    const double scale[] = { 1, 0.5 };
    una_run *run = quiet_run();
    una_arena arena;
    una_trained trained;
    una_training_settings how = plain_training(30), twice;
    una_arena_init(&arena, run);
    make_problem(&several, HEADS);
    make_problem(&each, HEADS);
    make_problem(&fewer, HEADS);
    for (size_t i = 0; i < ROWS; i++) {
        y[2 * i] = several.y[i];
        y[2 * i + 1] = cos(several.x[2 * i]);
        for (size_t m = 0; m < HEADS; m++) columns[i * PADDED + m] = scale[m / 2] * y[2 * i + m / 2];
    }
    how.batch = 7;
    twice = how;
    twice.fit_weight *= 2;                               /* is divided by all heads, not by those of a target */
    each.data = (una_train_data_f64){ each.x, columns, ROWS, HEADS, { INPUTS, NULL } };
    assert_ok(train(&each, &twice, NULL, &trained, &arena, run), run);
    how.targets = 2;
    how.target_scale = scale;
    several.data = (una_train_data_f64){ several.x, y, ROWS, HEADS, { INPUTS, NULL } };
    assert_ok(train(&several, &how, NULL, &trained, &arena, run), run);
    assert_memory_equal(several.parameters, each.parameters, several.net.parameters * sizeof(double));

    how.batch = 0;
    memcpy(x, several.x, sizeof x);
    fewer.data = (una_train_data_f64){ x, y, ROWS - LACKING, HEADS, { INPUTS, NULL } };
    assert_ok(train(&fewer, &how, NULL, &trained, &arena, run), run);
    for (size_t i = 2 * (ROWS - LACKING); i < 2 * ROWS; i++) y[i] = NAN;
    make_problem(&several, HEADS);
    several.data = (una_train_data_f64){ several.x, y, ROWS, HEADS, { INPUTS, NULL } };
    assert_ok(train(&several, &how, NULL, &trained, &arena, run), run);
    assert_arrays_near(several.parameters, fewer.parameters, several.net.parameters, 0, 1e-9);

    how = luna_training(1);                              /* similarity alone: lambda n times its mean, per target */
    how.fit_weight = how.penalty = 0;
    how.schedule = 0;
    how.targets = 2;
    assert_ok(train(&several, &how, NULL, &trained, &arena, run), run);
    assert_near(trained.loss[0], 2 * ROWS * trained.cos2[0], 1e-12, 0);
    una_arena_free(&arena);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_follows_double),
        cmocka_unit_test(batches_cover_an_epoch),
        cmocka_unit_test(categories_are_not_perturbed),
        cmocka_unit_test(probes_take_categories_whole),
        cmocka_unit_test(probes_lie_between_rows),
        cmocka_unit_test(probes_lie_beyond_rows),
        cmocka_unit_test(the_best_validation_is_kept),
        cmocka_unit_test(divergence_has_a_sentence),
        cmocka_unit_test(every_optimiser_descends),
        cmocka_unit_test(steering_moves_towards_the_target),
        cmocka_unit_test(slopes_count_k_times_in_every_kth_step),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cancelled_in_the_middle),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(targets_are_columns_of_heads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
