/* SPDX-License-Identifier: MIT
 *
 * The run: settings, messages, log, progress, cancel, raw memory.
 */
#include "base/base.h"
#include "test_support.h"

static void defaults(void **state)
{
    (void)state;
    una_run *run;
    assert_ok(una_run_new(&run, NULL), NULL);

    assert_true(run->settings.threads >= 1 && una_threads(run) >= 1);
    assert_true(run->settings.memory_limit > 0);
    assert_true(run->settings.seed == 0);
    assert_string_equal(una_run_message(run), "");
    assert_false(una_cancelled(run));
    assert_ok(una_tick(run, "resting", 0.5, NAN), run);
    una_log(run, UNA_LOG_NOTE, "nobody listens");

    una_run_free(run);
    una_run_free(NULL);
    assert_says(una_run_message(NULL), "UNA_INIT(una_run_settings)");
}

static void no_memory_for_a_run(void **state)
{
    (void)state;
    for (long n = 0; n < 2; n++) {
        struct fail_after memory = { .left = n };
        una_run_settings settings = failing_settings(&memory);
        una_run *run = (una_run *)&memory;
        assert_int_equal(una_run_new(&run, &settings), UNA_E_MEMORY);
        assert_null(run);
        assert_int_equal(memory.live, 0);
    }
}

static void messages(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    assert_int_equal(una_fail(run, UNA_E_INPUT, "line %d", 7), UNA_E_INPUT);
    assert_string_equal(una_run_message(run), "line 7");
    una_fail(run, UNA_E_INPUT, "a.csv: %s", run->message);           /* the old message in the new one */
    assert_string_equal(una_run_message(run), "a.csv: line 7");

    char much[3000];
    memset(much, 'x', sizeof much - 1);
    much[sizeof much - 1] = 0;
    una_fail(run, UNA_E_INPUT, "%s", much);
    assert_int_equal(strlen(una_run_message(run)), sizeof run->message - 1);

    una_clear_message(run);
    assert_string_equal(una_run_message(run), "");
    una_run_free(run);
}

typedef struct received {
    char   sentence[64], stage[64];
    int    level, answer;
    double fraction, value;
} received;

static void listen(void *context, una_log_level level, const char *sentence)
{
    received *h = context;
    h->level = (int)level;
    snprintf(h->sentence, sizeof h->sentence, "%s", sentence);
}

static int watch(void *context, const una_progress *progress)
{
    received *h = context;
    snprintf(h->stage, sizeof h->stage, "%s", progress->stage);
    h->fraction = progress->fraction;
    h->value = progress->value;
    return h->answer;
}

static void callbacks(void **state)
{
    (void)state;
    received h = {0};
    volatile int cancel = 0;
    una_run *run;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .log = listen, .progress = watch,
                                  .callbacks = &h, .cancel = &cancel };
    assert_ok(una_run_new(&run, &settings), NULL);

    una_log(run, UNA_LOG_WARNING, "%d rows look twice the same", 3);
    assert_string_equal(h.sentence, "3 rows look twice the same");
    assert_int_equal(h.level, UNA_LOG_WARNING);

    run->progress_from = 0.5;
    run->progress_to = 0.75;
    assert_ok(una_tick(run, "training", 0.5, 1.25), run);
    assert_string_equal(h.stage, "training");
    assert_true(h.fraction == 0.625 && h.value == 1.25);

    una_tally tally = una_tally_of("fits", 3, 20);
    run->tally = &tally;
    assert_ok(una_tick(run, "training", 0.5, 1.25), run);
    assert_string_equal(h.stage, "3 of 20 fits: training");
    tally.begun -= 120;                                      /* two minutes ago */
    tally.done += 5;
    assert_ok(una_tick(run, "training", 0.5, 1.25), run);
    assert_string_equal(h.stage, "8 of 20 fits, 2.4 a minute: training");
    tally.begun += 100;
    assert_ok(una_tick(run, "training", 0.5, 1.25), run);
    assert_string_equal(h.stage, "8 of 20 fits, 15 a minute: training");
    run->tally = NULL;

    h.answer = 1;
    assert_status(una_tick(run, "training", 0.5, 0), UNA_CANCELLED, run);
    assert_string_equal(run->message, "interrupted while training");
    h.answer = 0;
    cancel = 1;
    assert_true(una_cancelled(run));
    assert_status(una_tick(run, "reading", 0.5, 0), UNA_CANCELLED, run);
    assert_string_equal(run->message, "interrupted while reading");
    una_run_free(run);
}

static void raw_memory_is_counted(void **state)
{
    (void)state;
    struct fail_after memory = { .left = -1 };
    una_run_settings settings = failing_settings(&memory);
    settings.memory_limit = 1000000;
    una_run *run;
    assert_ok(una_run_new(&run, &settings), NULL);

    void *block = una_allocate(run, 500000);
    assert_non_null(block);
    memset(block, 1, 500000);
    assert_true(run->used >= 500000);
    assert_null(una_allocate(run, 600000));
    assert_says(run->message, "raise the limit");
    una_memory_free(block, run);
    una_release(run, NULL);
    assert_true(run->used == 0);

    memory.left = 0;
    assert_null(una_allocate(run, 1000));
    assert_says(run->message, "out of memory");
    assert_true(run->used == 0);

    una_run_free(run);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults), cmocka_unit_test(no_memory_for_a_run), cmocka_unit_test(messages),
        cmocka_unit_test(callbacks), cmocka_unit_test(raw_memory_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
