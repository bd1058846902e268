/* SPDX-License-Identifier: MIT
 *
 * A clock that only goes forward, in seconds: for how long something took or waited, and never for results.
 */
#pragma once

#include <time.h>

static inline double una_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
