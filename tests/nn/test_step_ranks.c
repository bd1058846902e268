/* SPDX-License-Identifier: MIT
 *
 * A step of ranks that train together: their gradients and losses add up to those of one rank that has the whole batch,
 * the heads' similarity, which is no sum over rows, included; batches of an epoch are cut alike by all.
 */
#include "ranks_here.h"

#include "base/ranks.h"
#include "nn/luna_step.h"

enum { ROWS = 47, MOST_INPUTS = 3, RANKS = 3, ROOM = 4096 };

typedef struct shape { size_t inputs, width, heads; una_activation activation; const char *path; } shape;

typedef struct table {
    una_net net;
    double  x[ROWS * MOST_INPUTS], y[ROWS], parameters[ROOM];
    size_t  part[RANKS], first[RANKS];
} table;

static void make_table(table *t, const shape *s)
{
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, s->inputs), start = una_rng_at(3, UNA_FOR_INIT, 0);
    t->net = (una_net){ .depth = 2, .size = { s->inputs, s->width, s->width, s->heads },
                        .activation = s->activation };
    una_net_shape(&t->net);
    assert_true(t->net.parameters <= ROOM);
    for (size_t i = 0; i < ROWS * s->inputs; i++) t->x[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) t->y[i] = sin(t->x[i * s->inputs]);
    una_net_initialise_f64(&t->net, 0, 1, &start, t->parameters, NULL);
    t->part[0] = 15, t->part[1] = 20, t->part[2] = 12;
    t->first[0] = 0, t->first[1] = 15, t->first[2] = 35;
}

/* No random numbers: slopes are exact, at the rows themselves, and all rows are in the batch. */
static una_training_settings whole_batch(void)
{
    return (una_training_settings){ .descent = { .steps = 1, .validate_every = 1, .stage = "training" },
                                    .fit_weight = 5, .penalty = 0.3, .head_relief = 0.4, .diversity = 7,
                                    .exact = true };
}

typedef struct step { const table *t; una_losses losses; double gradient[ROOM]; } step;

static una_status gradient_of(step *s, const una_train_data_f64 *data, const una_training_settings *how, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_trainable_f64 what;
    una_status status = una_luna_step_f64(&what, &s->t->net, data, how, run);
    if (status == UNA_OK) status = what.gradient(what.context, 0, s->t->parameters, s->gradient, &s->losses, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status own_part(void *context, una_run *run)
{
    step *s = context;
    const table *t = s->t;
    size_t r = (size_t)una_rank(run), inputs = t->net.size[0];
    una_train_data_f64 data = { t->x + t->first[r] * inputs, t->y + t->first[r], t->part[r], 1, { inputs, NULL } };
    una_training_settings how = whole_batch();
    una_rank_group rank_group;
    una_rank_group_enter(&rank_group, run);
    una_status status = gradient_of(s, &data, &how, run);
    double loss[3] = { s->losses.total, s->losses.fit, s->losses.mean_cos2 };
    if (status == UNA_OK) status = una_run_sum_f64(s->gradient, t->net.parameters, run);
    if (status == UNA_OK) status = una_run_sum_f64(loss, 3, run);
    s->losses = (una_losses){ .total = loss[0], .fit = loss[1], .mean_cos2 = loss[2] };
    return una_rank_group_leave(&rank_group, status, run);
}

static void compare(const shape *like)
{
    table t;
    step one = { .t = &t }, part[RANKS] = { { .t = &t }, { .t = &t }, { .t = &t } };
    rank_here me[RANKS] = { { .threads = 0 } };
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .path = like->path };
    una_run *run;
    assert_ok(una_run_new(&run, &settings), NULL);
    make_table(&t, like);
    una_train_data_f64 data = { t.x, t.y, ROWS, 1, { like->inputs, NULL } };
    una_training_settings how = whole_batch();
    assert_ok(gradient_of(&one, &data, &how, run), run);

    with_ranks_here(me, RANKS, own_part, part, sizeof *part);
    for (size_t r = 0; r < RANKS; r++) {
        assert_int_equal(me[r].status, UNA_OK);
        assert_arrays_near(part[r].gradient, one.gradient, t.net.parameters, 1e-10, 1e-10);
        assert_near(part[r].losses.total, one.losses.total, 1e-12, 0);
        assert_near(part[r].losses.fit, one.losses.fit, 1e-12, 0);
        assert_near(part[r].losses.mean_cos2, one.losses.mean_cos2, 1e-12, 0);
    }
    una_run_free(run);
}

static void test_gradients_add_up(void **state)
{
    (void)state;
    compare(&(shape){ 3, 10, 4, UNA_TANH, NULL });       /* many slopes: by features */
    compare(&(shape){ 1, 24, 2, UNA_TANH, NULL });       /* few: by slopes */
    compare(&(shape){ 1, 10, 3, UNA_RELU, NULL });
    compare(&(shape){ 3, 10, 3, UNA_RELU, "plain" });
}

/* Whole trainings in small batches, by Adam, with a controller: the ranks stay together to the bit. */
typedef struct training { const table *t; float parameters[ROOM]; double loss; } training;

static una_status train_part(void *context, una_run *run)
{
    training *w = context;
    const table *t = w->t;
    size_t r = (size_t)una_rank(run), inputs = t->net.size[0];
    float x[ROWS * MOST_INPUTS], y[ROWS];
    for (size_t i = 0; i < t->part[r] * inputs; i++) x[i] = (float)t->x[t->first[r] * inputs + i];
    for (size_t i = 0; i < t->part[r]; i++) y[i] = (float)t->y[t->first[r] + i];
    for (size_t i = 0; i < t->net.parameters; i++) w->parameters[i] = (float)t->parameters[i];
    una_train_data_f32 data = { x, y, t->part[r], 1, { inputs, NULL } };
    una_training_settings how = whole_batch();
    una_trained trained;
    una_rank_group rank_group;
    how.batch = 12;
    how.exact = false;
    how.probes = UNA_PROBES_BETWEEN;
    how.perturbation_std = 0.1;
    how.directions = 2;
    how.steer = true;
    how.target_cos2 = 0.2;
    how.descent = (una_descent){ .steps = 40, .rate = 0.01, .validate_every = 10, .stage = "training" };
    una_arena arena;
    una_arena_init(&arena, run);
    una_rank_group_enter(&rank_group, run);
    una_status status = una_train_f32(&t->net, w->parameters, &data, &how, NULL, &trained, &arena, run);
    if (status == UNA_OK) w->loss = trained.loss[trained.validations - 1] / trained.loss[0];
    una_arena_free(&arena);
    return una_rank_group_leave(&rank_group, status, run);
}

static void test_ranks_stay_together(void **state)
{
    (void)state;
    table t;
    make_table(&t, &(shape){ 3, 10, 4, UNA_RELU, NULL });
    training part[RANKS] = { { .t = &t }, { .t = &t }, { .t = &t } };
    rank_here me[RANKS] = { { .threads = 0 } };
    with_ranks_here(me, RANKS, train_part, part, sizeof *part);
    for (size_t r = 0; r < RANKS; r++) {
        assert_int_equal(me[r].status, UNA_OK);
        assert_true(part[r].loss < 0.8);
        assert_memory_equal(part[r].parameters, part[0].parameters, t.net.parameters * sizeof(float));
    }
}

/* A rank with another network is noticed. */
static una_status train_another(void *context, una_run *run)
{
    training *w = context;
    table *other = malloc(sizeof *other);
    if (!other) return UNA_E_MEMORY;
    *other = *w->t;
    if (una_rank(run) == 2) other->parameters[5] += 0.25;
    training own = { .t = other };
    una_status status = train_part(&own, run);
    free(other);
    return status;
}

static void test_ranks_that_come_apart(void **state)
{
    (void)state;
    table t;
    make_table(&t, &(shape){ 3, 10, 4, UNA_RELU, NULL });
    training part[RANKS] = { { .t = &t }, { .t = &t }, { .t = &t } };
    rank_here me[RANKS] = { { .threads = 0 } };
    with_ranks_here(me, RANKS, train_another, part, sizeof *part);
    for (size_t r = 0; r < RANKS; r++) {
        assert_int_equal(me[r].status, UNA_E_NUMERIC);
        assert_says(me[r].message, "come apart");
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_gradients_add_up), cmocka_unit_test(test_ranks_stay_together),
        cmocka_unit_test(test_ranks_that_come_apart),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
