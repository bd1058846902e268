/* SPDX-License-Identifier: MIT
 *
 * What covariances are made of, in every set and both precisions: exponentials, squared distances and their weighted
 * sums, against long double.
 */
#include "test_support.h"

#include "kern/kern.h"
#include "kern/pairs.h"

#include <float.h>

#define real float
#define REAL(name) name##_f32
#define EPSILON ((double)FLT_EPSILON)
#define LEAST (-87.0)
#include "distance_checks.h"
#undef real
#undef REAL
#undef EPSILON
#undef LEAST
#define real double
#define REAL(name) name##_f64
#define EPSILON DBL_EPSILON
#define LEAST (-700.0)
#include "distance_checks.h"
#undef real
#undef REAL
#undef EPSILON
#undef LEAST

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
    const struct CMUnitTest tests[] = { BOTH(exponentials), BOTH(squared_distances) };
    return cmocka_run_group_tests(tests, begin, end);
}
