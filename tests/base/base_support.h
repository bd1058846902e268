/* SPDX-License-Identifier: MIT
 *
 * What several tests of this room share: a run and an arena, made before each test and freed after it.
 */
#ifndef UNA_TEST_BASE_SUPPORT_H
#define UNA_TEST_BASE_SUPPORT_H

#include "base/base.h"
#include "test_support.h"

static una_run *run;
static una_arena arena;

static inline int begin(void **state)
{
    (void)state;
    run = quiet_run();
    una_arena_init(&arena, run);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    una_arena_free(&arena);
    una_run_free(run);
    return 0;
}

#endif
