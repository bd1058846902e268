/* SPDX-License-Identifier: MIT
 *
 * The same numbers as floats.
 */
#ifndef UNA_TEST_SINGLES_H
#define UNA_TEST_SINGLES_H

#include "base/base.h"
#include "test_support.h"

/* Of the run's scratch memory; NULL stays NULL. */
static float *singles(una_run *run, const double *from, size_t n)
{
    if (!from) return NULL;
    float *to = UNA_GET(&run->scratch, float, n);
    assert_non_null(to);
    for (size_t i = 0; i < n; i++) to[i] = (float)from[i];
    return to;
}

#endif
