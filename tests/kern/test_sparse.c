/* SPDX-License-Identifier: MIT
 *
 * Kernels on rows of few numbers, in every set and both precisions, against long double.
 */
#include "test_support.h"

#include "kern/kern.h"
#include "kern/sparse.h"

#include <float.h>

#define EPSILON (sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON)
#define UNA_IN_BOTH "kern/sparse_checks.h"
#include "kern/both.h"

#define BOTH(test) cmocka_unit_test(test##_f32), cmocka_unit_test(test##_f64)

int main(void)
{
    const struct CMUnitTest tests[] = { BOTH(combined), BOTH(spread_out), BOTH(steps_taken) };
    return cmocka_run_group_tests(tests, begin_run, end_run);
}
