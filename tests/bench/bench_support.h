/* SPDX-License-Identifier: MIT
 *
 * What tests of several experiments ask of them all.
 */
#ifndef UNA_TEST_BENCH_SUPPORT_H
#define UNA_TEST_BENCH_SUPPORT_H

#include "test_support.h"

#include "una_bench.h"

typedef struct bench_call { const char *experiment; una_bench_settings settings; } bench_call;

static inline una_status run_bench(void *context, una_run *run)
{
    const bench_call *call = context;
    una_bench_result *result = NULL;
    una_status status = una_bench_run(&result, call->experiment, &call->settings, run);
    una_bench_free(result);
    return status;
}

/* Whichever allocation fails, the run ends with a status, and nothing leaks. */
static inline void assert_survives_no_memory(const char *experiment, una_bench_settings settings)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", temp_path("memory"));
    settings.out = folder;
    assert_true(sweep_allocations(run_bench, &(bench_call){ experiment, settings }) > 10);
}

/* Each of these is no value of its option. */
static inline void assert_sets_refused(const char *experiment, const char *const *bad, size_t count, const char *says)
{
    una_run *run = quiet_run();
    for (size_t i = 0; i < count; i++) {
        bench_call call = { experiment, SIZED(una_bench_settings, .out = temp_path("never"), .set = &bad[i],
                                              .set_count = 1) };
        assert_status(run_bench(&call, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), says);
    }
    una_run_free(run);
}

#endif
