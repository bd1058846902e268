/* SPDX-License-Identifier: MIT
 *
 * Kernels on rows of few numbers, in every set and both precisions, against long double.
 */
#include "test_support.h"

#include "kern/kern.h"
#include "kern/sparse.h"

#include <float.h>

#define real float
#define REAL(name) name##_f32
#define EPSILON ((double)FLT_EPSILON)
#include "sparse_checks.h"
#undef real
#undef REAL
#undef EPSILON
#define real double
#define REAL(name) name##_f64
#define EPSILON DBL_EPSILON
#include "sparse_checks.h"
#undef real
#undef REAL
#undef EPSILON

static int begin(void **state)
{
    *state = quiet_run();
    return 0;
}

static int end(void **state)
{
    una_run_free(*state);
    return 0;
}

#define BOTH(test) cmocka_unit_test(test##_f32), cmocka_unit_test(test##_f64)

int main(void)
{
    const struct CMUnitTest tests[] = { BOTH(combined), BOTH(spread_out), BOTH(steps_taken) };
    return cmocka_run_group_tests(tests, begin, end);
}
