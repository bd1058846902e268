/* SPDX-License-Identifier: MIT
 *
 * What covariances are made of, in every set and both precisions: exponentials, squared distances and their weighted
 * sums, against long double.
 */
#include "test_support.h"

#include "kern/kern.h"

#include <float.h>

#define EPSILON (sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON)
#define LEAST (sizeof(real) == sizeof(float) ? -87.0 : -700.0)
#define UNA_IN_BOTH "kern/distance_checks.h"
#include "kern/both.h"

#define BOTH(test) cmocka_unit_test(test##_f32), cmocka_unit_test(test##_f64)

int main(void)
{
    const struct CMUnitTest tests[] = { BOTH(exponentials), BOTH(squared_distances) };
    return cmocka_run_group_tests(tests, begin_run, end_run);
}
