/* SPDX-License-Identifier: MIT
 *
 * Committees of a kind so simple that one sees who was trained on what: in each repeat every row is predicted by a
 * training that did not have it, nor a copy of it; weights, noise and members follow from that.
 */
#include "test_support.h"

#include "committee/committee.h"
#include "model/validation_split.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

/* ---- a kind that remembers its rows --------------------------------------------------------------------------- */

enum { ROWS = 60 };

/* It answers the mean of its rows, and `off` more; off grows with the repeat. */
typedef struct memory { double rows, mean, off, noise_var, seen[2 * ROWS]; } memory;

typedef struct memory_options { una_common_options common; double off; } memory_options;

#define ROW(field, type, initial, low, high, may, choices) \
    { #field, type, offsetof(memory_options, field), initial, low, high, may, choices, "" }

static const una_option memory_table[] = {
    UNA_ROW_NOISE(""), ROW(off, UNA_REAL, "0", 0, 10, false, NULL), UNA_ROW_UNITS(""),
    UNA_COMMITTEE_TABLE("auto", "off"),
    { .name = NULL }
};
static const una_option bare_table[] = {
    UNA_ROW_NOISE(""), ROW(off, UNA_REAL, "0", 0, 10, false, NULL),
    { .name = NULL }
};

static _Atomic long asked, known;                /* rows asked for; those of them, or copies, that had been learnt */

static size_t largest_batch;             /* of what trainings ask for                                        */

static una_status count_batch(void *const *of, size_t count, una_run *run)
{
    (void)of, (void)run;
    if (count > largest_batch) largest_batch = count;
    return UNA_OK;
}

static una_status memory_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    memory *m = f->target->state;
    memory_options *o = f->target->options;
    void *const self[] = { m };
    UNA_TRY(una_ask_together(count_batch, self, 1, f->run));
    for (size_t i = 0; i < p->x.rows; i++) {
        m->seen[i] = p->x.at[i * p->x.stride];
        m->mean += p->y[i] / (double)p->x.rows;
    }
    m->rows = (double)p->x.rows;
    m->off = o->off;
    m->noise_var = result->noise_var = UNA_IS_AUTO(o->common.noise_std) ? 1 : o->common.noise_std * o->common.noise_std;
    result->log_evidence = -1;
    return UNA_OK;
}

static una_status memory_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const memory *m = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        bool knows = false;
        for (size_t i = 0; i < (size_t)m->rows; i++) knows = knows || m->seen[i] == x.at[r * x.stride];
        asked++;
        known += knows;
        out->mean[r] = m->mean + m->off;
        out->var_model[r] = 0;
        out->var_noise[r] = m->noise_var;
    }
    return UNA_OK;
}

static una_status memory_exchange(void *state, una_archive *ar)
{
    memory *m = state;
    double *at = &m->rows;
    for (size_t i = 0; i < sizeof *m / sizeof *at; i++) UNA_TRY(una_archive_f64(ar, "memory", at + i));
    return UNA_OK;
}

static void memory_vary(void *options, size_t repeat)
{
    memory_options *o = options;
    if (o->off > 0) o->off *= (double)(repeat % 2);      /* every other repeat is wrong by so much */
}

static const una_kind memory_kind = { .name = "memory", .options = memory_table, .options_size = sizeof(memory_options),
    .committee = &una_committee_calls, .state_size = sizeof(memory), .validation = &una_validates,
    .fit = memory_fit, .vary = memory_vary, .predict = memory_predict, .exchange = memory_exchange };

/* ---- problems -------------------------------------------------------------------------------------------------- */

typedef struct task {
    double x[ROWS], y[ROWS];
    una_input input;
    una_columns columns;
    una_problem p;
} task;

/* Every row twice if so; y is noise. */
static void set_task(task *t, bool copies, bool folds, una_run *run)
{
    una_copies groups;
    unsigned char *fold;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, copies);
    for (size_t i = 0; i < ROWS; i++) {
        t->x[i] = (double)(copies ? i % (ROWS / 2) : i) / 10;
        t->y[i] = una_rng_normal(&rng);
    }
    t->input = (una_input){ .level = SIZE_MAX, .scale = 1 };
    t->columns = (una_columns){ .inputs = &t->input, .input_count = 1, .target_scale = 1 };
    t->p = (una_problem){ .x = { t->x, ROWS, 1, 1 }, .y = t->y, .outputs = 1, .columns = &t->columns, .seed = 1 };
    if (!folds) {
        t->p.x.rows = ROWS - 20;
        t->p.valid_x = (una_view){ t->x + ROWS - 20, 20, 1, 1 };
        t->p.valid_y = t->y + ROWS - 20;
        return;
    }
    t->p.folds = UNA_FOLDS;
    assert_ok(una_split_copies(&groups, &t->p, run), run);
    assert_ok(una_fold_rows(&fold, &t->p.folds, &groups, ROWS, una_rng_at(1, UNA_FOR_FOLDS, 0), run), run);
    t->p.fold = fold;
}

typedef struct fit_of { una_members members; memory_options options; una_fit_result result; una_arena keep; } fit_of;

static una_status try_fit(fit_of *f, const una_kind *kind, const char *set, const task *t, una_run *run)
{
    una_spec spec;
    char text[200];
    *f = (fit_of){0};
    una_arena_init(&f->keep, run);
    f->result = una_fit_result_in(&f->keep);
    snprintf(text, sizeof text, "memory(%s)", set);
    UNA_TRY(una_options_default(&f->options, kind->options, run));
    UNA_TRY(una_spec_parse(&spec, text, &f->keep, run));
    UNA_TRY(una_options_apply(&f->options, kind->options, "memory", &spec, &f->keep, run));
    asked = known = 0;
    largest_batch = 0;
    una_fit_target target = { &f->members, &f->options, &f->result };
    return una_committee_fit(&(una_fitting){ .kind = kind, .problem = &t->p, .target = &target, .keep = &f->keep,
                                             .run = run });
}

static fit_of fit_it(const char *set, const task *t, una_run *run)
{
    fit_of f;
    assert_ok(try_fit(&f, &memory_kind, set, t, run), run);
    return f;
}

/* ---- out-of-fold predictions ------------------------------------------------------------------------------------ */

static void rows_are_predicted_out_of_fold(void **state)
{
    (void)state;
    for (int copies = 0; copies <= 1; copies++) {
        una_run *run = quiet_run();
        task t;
        set_task(&t, copies, true, run);
        fit_of f = fit_it("members=10, noise=constant", &t, run);
        una_arena_free(&f.keep);
        assert_int_equal(asked, 2 * ROWS);                               /* once in each of two repeats */
        assert_int_equal(largest_batch, 10);                             /* all members train together */
        assert_int_equal(known, 0);

        f = fit_it("members=3, noise=constant", &t, run);                /* folds 0, 1, 2 only */
        assert_int_equal(f.members.count, 3);
        assert_true(asked > 0 && asked < ROWS && known == 0);
        assert_int_equal(f.result.valid_rows, asked);
        una_arena_free(&f.keep);

        set_task(&t, false, false, run);
        f = fit_it("members=4, noise=constant", &t, run);
        assert_int_equal(asked, 4 * 20);
        assert_int_equal(known, 0);
        assert_int_equal(f.result.valid_rows, 20);
        una_arena_free(&f.keep);
        una_run_free(run);
    }
}

/* Each has left out another fold, and together they have seen all rows. */
static void every_row_trains_something(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    task t;
    set_task(&t, false, true, run);
    fit_of f = fit_it("members=5, noise=constant", &t, run);
    size_t times[ROWS] = {0};
    for (size_t m = 0; m < 5; m++) {
        const memory *one = f.members.at[m].state;
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < (size_t)one->rows; k++) times[i] += one->seen[k] == t.x[i];
    }
    for (size_t i = 0; i < ROWS; i++) assert_int_equal(times[i], 4);
    una_arena_free(&f.keep);
    una_run_free(run);
}

/* ---- weights and noise ----------------------------------------------------------------------------------------- */

static double weight_of_repeat(const fit_of *f, size_t repeat)
{
    double sum = 0;
    for (size_t m = 0; m < f->members.count; m++)
        if ((((const memory *)f->members.at[m].state)->off > 0) == (repeat == 1)) sum += f->members.at[m].weight;
    return sum;
}

static void weights_are_stacked_or_equal(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    task t;
    set_task(&t, false, false, run);                                     /* repeats of their own */
    fit_of f = fit_it("members=4, off=3, noise=constant", &t, run);
    assert_true(weight_of_repeat(&f, 1) < 0.3);
    assert_near(weight_of_repeat(&f, 0) + weight_of_repeat(&f, 1), 1, 1e-12, 0);
    una_arena_free(&f.keep);
    f = fit_it("members=4, off=3, noise=constant, weights=equal", &t, run);
    for (size_t m = 0; m < 4; m++) assert_near(f.members.at[m].weight, 0.25, 1e-12, 0);
    una_arena_free(&f.keep);
    una_run_free(run);
}

/* The noise that is given is the noise, and constant, unless it is to vary; what is printed is what was used. */
static void noise_as_given(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    task t;
    set_task(&t, false, true, run);
    fit_of f = fit_it("members=5, noise_std=0.7", &t, run);
    assert_near(f.members.noise_var, 0.49, 1e-12, 0);
    assert_near(f.options.common.noise_std, 0.7, 1e-12, 0);
    assert_null(f.members.noise);
    assert_int_equal(f.options.common.noise, UNA_NOISE_CONSTANT);
    una_arena_free(&f.keep);

    f = fit_it("members=5, noise_std=0.7, noise=varying", &t, run);
    assert_near(f.members.noise_var, 0.49, 1e-12, 0);
    assert_non_null(f.members.noise);
    una_arena_free(&f.keep);

    f = fit_it("members=5, noise=constant", &t, run);                    /* y is noise of variance near 1 */
    assert_near(f.members.noise_var, 1, 0.4, 0);
    assert_near(f.options.common.noise_std, sqrt(f.members.noise_var), 1e-12, 0);
    una_arena_free(&f.keep);
    una_run_free(run);
}

/* ---- one member ------------------------------------------------------------------------------------------------ */

static void one_member_is_the_kind_itself(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    task t;
    set_task(&t, false, true, run);
    fit_of f = fit_it("members=1", &t, run);
    assert_int_equal(f.members.count, 1);
    assert_int_equal(asked, 0);                                          /* its own affair */
    assert_near(((const memory *)f.members.at[0].state)->rows, ROWS, 0, 0);
    assert_true(f.members.noise_var == 0);                               /* each member's own */
    una_arena_free(&f.keep);

    assert_status(try_fit(&f, &memory_kind, "members=1, noise=varying", &t, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "use members=5 or more");
    una_arena_free(&f.keep);

    una_kind bare = memory_kind;                                         /* no row for members: one */
    bare.options = bare_table;
    assert_ok(try_fit(&f, &bare, "off=1", &t, run), run);
    assert_int_equal(f.members.count, 1);
    assert_near(f.options.common.members, 1, 0, 0);
    assert_int_equal(f.options.common.noise, UNA_NOISE_CONSTANT);
    una_arena_free(&f.keep);

    t.p.folds = 0;                                                       /* nothing to compare them by  */
    assert_ok(try_fit(&f, &memory_kind, "members=7", &t, run), run);
    assert_int_equal(f.members.count, 1);
    una_arena_free(&f.keep);
    una_run_free(run);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static una_status fit_job(void *context, una_run *run)
{
    const task *t = context;
    fit_of f;
    una_status status = try_fit(&f, &memory_kind, "members=6, noise=varying", t, run);
    una_arena_free(&f.keep);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    task t;
    set_task(&t, false, true, run);
    assert_true(sweep_allocations(fit_job, &t) > 3);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_predicted_out_of_fold),
        cmocka_unit_test(every_row_trains_something),
        cmocka_unit_test(weights_are_stacked_or_equal),
        cmocka_unit_test(noise_as_given),
        cmocka_unit_test(one_member_is_the_kind_itself),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
