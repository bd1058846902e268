/* SPDX-License-Identifier: MIT
 *
 * Kernels beyond plain products and activations, every set of this machine in both precisions: fans, and the
 * products that use them, the similarity of heads, residuals, broken lines, normals. The checks are in slot_checks.h.
 */
#include "test_support.h"

#include "kern/kern.h"

#include <Random123/philox.h>
#include <float.h>

#define TWO_PI 6.283185307179586476925286766559L

/* Four words of block `block` after `counter`, by the library that the streams are named after. */
static void philox_words(const uint32_t key[2], const uint32_t counter[4], uint32_t block, uint32_t word[4])
{
    philox4x32_ctr_t at = {{ counter[0] + block, counter[1], counter[2], counter[3] }};
    philox4x32_key_t with = {{ key[0], key[1] }};
    philox4x32_ctr_t words = philox4x32(at, with);
    for (int i = 0; i < 4; i++) word[i] = words.v[i];
}

#define EPSILON (sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON)
#define UNA_IN_BOTH "kern/slot_checks.h"
#include "kern/both.h"

/* The double reference sees the perturbations that the float training saw. */
static void normals_of_both_precisions(void **state)
{
    (void)state;
    enum { COUNT = 4099 };
    static float single[COUNT];
    static double twice[COUNT];
    const una_kernels_f32 *set;
    size_t at = 0;
    while ((set = each_set_f32(&at)) != NULL) {
        set->normals(COUNT, key_f32, counter_f32, 0.1f, 1e-4f, single);
        una_kernels_named_f64(set->name)->normals(COUNT, key_f32, counter_f32, 0.1f, 1e-4f, twice);
        for (size_t i = 0; i < COUNT; i++) assert_true((double)single[i] == twice[i]);
    }
}

#define BOTH(test) cmocka_unit_test(test##_f32), cmocka_unit_test(test##_f64)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(gram_is_lower_half),
        BOTH(fan_products),
        BOTH(fan_outers),
        BOTH(nan_passes),
        BOTH(fan_steps_and_sums),
        BOTH(fan_relus),
        BOTH(fan_relu_derivative),
        BOTH(similarities),
        BOTH(similarity_gradient),
        BOTH(residuals),
        BOTH(lines),
        BOTH(normals_of_philox),
        BOTH(normals_prefix),
        BOTH(normals_distribution),
        BOTH(normals_floor),
        BOTH(tanh_keeps_nan),
        BOTH(sweeps),
        BOTH(sweep_refuses),
        BOTH(shallow_networks),
        cmocka_unit_test(normals_of_both_precisions),
    };

    return cmocka_run_group_tests(tests, begin_run, end_run);
}
