/* SPDX-License-Identifier: MIT
 *
 * Runs that keep their memory (keep_memory), for every model of the registry: a prediction like an earlier one takes
 * nothing from the allocator, gives the same bits as any other run, and several threads may ask one model at once.
 */
#include "models/quick.h"

#include <pthread.h>

enum { INPUTS = 2, ROWS = 300, CALLS = 6, MOST_PARTS = 64 };

static una_run *workspace(struct fail_after *memory)
{
    una_run_settings settings = failing_settings(memory);
    una_run *run = NULL;
    settings.keep_memory = 1;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    return run;
}

static void fill_inputs(double *x)
{
    for (size_t i = 0; i < INPUTS * ROWS; i++) x[i] = (double)(i * 2654435761u % 4001) / 1000 - 2;
}

/* All six answers for rows of x, from `from` on: [6, ROWS]. */
static una_status ask(const una_model *model, const double *x, size_t from, size_t rows, double *out, una_run *run)
{
    una_prediction p = { sizeof p, out, out + ROWS, out + 2 * ROWS, out + 3 * ROWS, out + 4 * ROWS, out + 5 * ROWS };
    memset(out, 0, 6 * ROWS * sizeof *out);
    return una_model_predict_rows(model, x + INPUTS * from, rows, 0.9, &p, run);
}

static void assert_same_answers(const una_model *model, const double *x, size_t from, size_t rows, una_run *mine,
                                una_run *other)
{
    static double a[6 * ROWS], b[6 * ROWS];
    assert_ok(ask(model, x, from, rows, a, mine), mine);
    assert_ok(ask(model, x, from, rows, b, other), other);
    assert_memory_equal(a, b, sizeof a);
}

/* ---- nothing is taken, and the bits are the same ------------------------------------------------------------ */

static void predict_without_allocation(const una_model *model, una_run *other)
{
    struct fail_after memory = { .left = -1 };
    una_run *mine = workspace(&memory);
    static double x[INPUTS * ROWS], out[6 * ROWS], mean[ROWS], dmean[INPUTS], dstd[INPUTS];
    fill_inputs(x);
    assert_same_answers(model, x, 0, ROWS, mine, other);                 /* the first call, of the most rows */

    const size_t rows[CALLS] = { 1, ROWS, 7, 64, ROWS - 1, 1 };
    long taken = memory.taken;
    for (size_t i = 0; i < CALLS; i++) assert_same_answers(model, x, 0, rows[i], mine, other);
    una_prediction means = { .size = sizeof means, .mean = mean };
    assert_ok(una_model_predict_rows(model, x, ROWS, 0.95, &means, mine), mine);
    if (memory.taken != taken)
        fail_msg("%s takes %ld blocks in later calls", una_model_info(model)->kind, (long)memory.taken - taken);

    /* Failures, too, leave the memory where it is. */
    x[INPUTS] = NAN;
    assert_status(ask(model, x, 0, 2, out, mine), UNA_E_INPUT, mine);
    assert_says(una_run_message(mine), "row 2");
    assert_int_equal(memory.taken, taken);
    x[INPUTS] = 0;
    assert_same_answers(model, x, 0, 2, mine, other);
    assert_int_equal(memory.taken, taken);

    /* Other calls have their own needs, once. */
    static double part[5][ROWS * MOST_PARTS * INPUTS];
    una_parts parts = { sizeof parts, part[0], part[1], part[2], part[3], part[4] }, values = parts;
    values.dmean = values.dstd = NULL;
    assert_true(una_model_part_count(model) <= MOST_PARTS);
    assert_ok(una_model_slope(model, x, dmean, dstd, mine), mine);
    assert_ok(una_model_parts(model, x, 1, &parts, mine), mine);
    assert_ok(una_model_parts(model, x, ROWS, &values, mine), mine);
    taken = memory.taken;
    assert_ok(una_model_slope(model, x, dmean, dstd, mine), mine);
    assert_ok(una_model_parts(model, x, 1, &parts, mine), mine);
    assert_ok(una_model_parts(model, x, ROWS, &values, mine), mine);
    assert_same_answers(model, x, 0, ROWS, mine, other);
    assert_int_equal(memory.taken, taken);

    una_run_free(mine);
    assert_int_equal(memory.live, 0);
}

static void every_kind(void (*check)(const una_model *model, una_run *run))
{
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    for (size_t k = 0; una_kinds[k]; k++) {
        for (quick_choice = 0; quick_choice < quick_choices(una_kinds[k]->name); quick_choice++) {
            una_model *model = quick_fit(una_kinds[k], data, run);
            check(model, run);
            una_model_free(model);
        }
    }
    quick_choice = 0;
    una_dataset_free(data);
    una_run_free(run);
}

static void no_kind_allocates(void **state)
{
    (void)state;
    every_kind(predict_without_allocation);
}

/* Many rows of many members: the pools inside have more than one task, and tasks more than one need. */
static void nor_does_a_larger_model(void **state)
{
    (void)state;
    static const char *const specs[] = { "gp", "ensemble(members=3, of=gp)", "luna(steps=20)" };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(sanitized ? 80 : 250, 0, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        una_model *model = fitted(specs[i], data, NULL, run);
        predict_without_allocation(model, run);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* Whatever cannot be had, the call says so, nothing leaks, and the next call works. */
static void predict_with_failures(const una_model *model, una_run *other)
{
    static double x[INPUTS * ROWS], out[6 * ROWS];
    una_status status = UNA_E_MEMORY;
    fill_inputs(x);

    for (long n = 2; status != UNA_OK; n++) {                            /* two are the run's own */
        struct fail_after memory = { .left = n };
        una_run *mine = workspace(&memory);
        status = ask(model, x, 0, ROWS, out, mine);
        if (status != UNA_OK) {
            assert_int_equal(status, UNA_E_MEMORY);
            assert_true(*una_run_message(mine) != 0);
        }

        memory.left = -1;
        assert_same_answers(model, x, 0, ROWS, mine, other);
        una_run_free(mine);
        assert_int_equal(memory.live, 0);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    every_kind(predict_with_failures);
}

/* ---- several threads ---------------------------------------------------------------------------------------- */

typedef struct asker {
    const una_model *model;
    const double    *x, *wanted;
    una_run         *run;
    bool             differs;
    double           out[6 * ROWS];
} asker;

static void *ask_again_and_again(void *context)
{
    asker *a = context;
    for (int i = 0; i < 20 && !a->differs; i++) {
        una_status status = ask(a->model, a->x, 0, ROWS, a->out, a->run);
        a->differs = status != UNA_OK || memcmp(a->out, a->wanted, sizeof a->out) != 0;
    }
    return NULL;
}

static void ask_from_two_threads(const una_model *model, una_run *run)
{
    static double x[INPUTS * ROWS], wanted[6 * ROWS];
    static asker askers[2];
    struct fail_after memory[2] = { { .left = -1 }, { .left = -1 } };
    pthread_t thread[2];
    fill_inputs(x);
    assert_ok(ask(model, x, 0, ROWS, wanted, run), run);

    for (int t = 0; t < 2; t++) {
        askers[t] = (asker){ .model = model, .x = x, .wanted = wanted, .run = workspace(&memory[t]) };
        assert_int_equal(pthread_create(&thread[t], NULL, ask_again_and_again, &askers[t]), 0);
    }
    for (int t = 0; t < 2; t++) pthread_join(thread[t], NULL);

    for (int t = 0; t < 2; t++) {
        if (askers[t].differs) fail_msg("%s: %s", una_model_info(model)->kind, una_run_message(askers[t].run));
        una_run_free(askers[t].run);
        assert_int_equal(memory[t].live, 0);
    }
}

static void two_threads_at_once(void **state)
{
    (void)state;
    every_kind(ask_from_two_threads);
}

/* ---- what else a run is asked ------------------------------------------------------------------------------- */

/* Texts that live as long as the run stay where they are, and do not stand in the way. */
static void texts_stay(void **state)
{
    (void)state;
    struct fail_after memory = { .left = -1 };
    una_run *calm = quiet_run(), *mine = workspace(&memory);
    una_dataset *data = wave_data(60, 0, calm);
    una_model *model = fitted("linear", data, NULL, calm);
    una_option_info first = UNA_INIT(una_option_info), second = UNA_INIT(una_option_info);
    static double x[INPUTS * ROWS];
    fill_inputs(x);
    assert_ok(una_kind_option(&first, 0, 0, mine), mine);
    assert_ok(una_kind_option(&second, 0, 0, calm), calm);
    assert_same_answers(model, x, 0, ROWS, mine, calm);

    long taken = memory.taken;
    assert_same_answers(model, x, 0, ROWS, mine, calm);
    assert_int_equal(memory.taken, taken);
    assert_string_equal(first.range, second.range);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(mine);
    una_run_free(calm);
    assert_int_equal(memory.live, 0);
}

/* A fit through such a run: the same model file. */
static void a_fit_is_the_same(void **state)
{
    (void)state;
    struct fail_after memory = { .left = -1 };
    una_run *calm = quiet_run(), *mine = workspace(&memory);
    void *bytes[2];
    size_t size[2];

    for (int i = 0; i < 2; i++) {
        una_run *run = i ? mine : calm;
        una_dataset *data = wave_data(60, 0, run);
        una_model *model = fitted(quick_spec("luna", NULL), data, NULL, run);
        assert_ok(una_model_save_memory(model, &bytes[i], &size[i], run), run);
        una_model_free(model);
        una_dataset_free(data);
    }

    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    una_memory_free(bytes[0], calm);
    una_memory_free(bytes[1], mine);
    una_run_free(mine);
    una_run_free(calm);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_kind_allocates),
        cmocka_unit_test(nor_does_a_larger_model),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(two_threads_at_once),
        cmocka_unit_test(texts_stay),
        cmocka_unit_test(a_fit_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
