/* SPDX-License-Identifier: MIT
 *
 * For programs whose tests share one run: they name set_up and tear_down as the two ends of their group.
 */
#ifndef UNA_TEST_ONE_RUN_H
#define UNA_TEST_ONE_RUN_H

#include "test_support.h"

static una_run *run;

static int set_up(void **state)
{
    (void)state;
    run = quiet_run();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    una_run_free(run);
    return 0;
}

#endif
