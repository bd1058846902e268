/* SPDX-License-Identifier: MIT
 *
 * Kernels on fans: the contract is in kern_slots.h. Three of them each set writes in its own way, plainly
 * (fans_plain.h) or on register tiles (fans_fast.h):
 *   copy_fan(lanes, step, z, u, s): copies a fan, and says if a step from z crosses the kink in any lane;
 *   fan_product, fan_outer: products.
 */
#include "kern/sets.h"

#include "kern/activation.h"

#if SET_IS_FAST
#include "kern/fans_fast.h"
#else
#include "kern/fans_plain.h"
#endif

static void fan_add(size_t lanes, REAL(una_fans) fans, real *sum)
{
    for (size_t i = 0; i < fans.list[0]; i++) {
        const real *restrict ai = fans.at + i * lanes;
        real *restrict si = sum + UNA_LISTED(fans.list)[i] * lanes;
        for (size_t l = 0; l < lanes; l += UNA_PAD)
            for (size_t v = 0; v < UNA_PAD; v++) si[l + v] += ai[l + v];
    }
}

static real fan_steps(size_t directions, size_t lanes, const real *restrict delta, real *restrict step,
                      real *restrict inverse)
{
    real longest = 0;
    for (size_t d = 0; d < lanes; d++) step[d] = d < directions ? delta[d] : 0;
    for (size_t d = 0; d < lanes; d++) inverse[d] = d < directions ? 1 / step[d] : 0;
    for (size_t d = 0; d < directions; d++) longest = fabs(step[d]) > longest ? fabs(step[d]) : longest;
    return longest;
}

static void fan_candidates(size_t units, const real *z, const real *reach, real longest, uint16_t *list)
{
    size_t count = 0;
    for (size_t j = 0; j < units; j++) {
        UNA_LISTED(list)[count] = (uint16_t)j;
        count += z[j] + longest * reach[j] <= 0 ? 0 : 1;     /* also NAN: it must not vanish here */
    }
    list[0] = (uint16_t)count;
}

static void bend_fan(size_t lanes, const real *restrict step, const real *restrict inverse, real z, real *restrict s,
                     real *restrict e)
{
    for (size_t l = 0; l < lanes; l += UNA_PAD)
        for (size_t v = 0; v < UNA_PAD; v++) {
            ends x = { .z = z, .t = z + step[l + v] * s[l + v], .u = s[l + v], .inverse = inverse[l + v] };
            chord c = relu_chord(x);
            s[l + v] = c.slope;
            e[l + v] = c.end;
        }
}

static void fan_relu(const REAL(una_fan_layer) *at, const uint16_t *candidates, const real *u, bool by_unit, real *s)
{
    const size_t lanes = at->lanes;
    const real *step = at->step, *z = at->z;
    uint16_t *list = at->list, *listed = UNA_LISTED(list), *bent = UNA_BENT(list, at->units);
    size_t count = 0, bends = 0;

    for (size_t i = 0; i < candidates[0]; i++) {
        const uint16_t unit = UNA_LISTED(candidates)[i];
        const unsigned on = z[unit] > 0,
                       crosses = copy_fan(lanes, step, z[unit], u + (by_unit ? unit : i) * lanes, s + count * lanes);
        listed[count] = unit;
        bent[bends] = (uint16_t)count;
        count += on | crosses;                   /* no branches: few cross, and which ones is not foreseeable */
        bends += crosses;
    }

    listed[count] = UNA_LIST_END;
    list[0] = (uint16_t)count;
    list[1] = (uint16_t)bends;

    for (size_t i = 0; i < bends; i++)
        bend_fan(lanes, step, at->inverse, z[listed[bent[i]]], s + bent[i] * lanes, at->e + i * lanes);
}

static void fan_relu_back(const REAL(una_fan_layer) *at, real *restrict g, real *restrict dz)
{
    const size_t lanes = at->lanes;
    const uint16_t *list = at->list;
    const real *restrict inverse = at->inverse, *restrict e = at->e;
    for (size_t i = 0; i < list[1]; i++, e += lanes) {
        const size_t place = UNA_BENT(list, at->units)[i], unit = UNA_LISTED(list)[place];
        real *restrict gi = g + place * lanes, on = relu_slopes(at->z[unit], 0).first, sum[UNA_PAD] = {0};
        for (size_t l = 0; l < lanes; l += UNA_PAD)
            for (size_t v = 0; v < UNA_PAD; v++) {
                sum[v] += gi[l + v] * (e[l + v] - on) * inverse[l + v];
                gi[l + v] *= e[l + v];
            }
        dz[unit] += ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
}

const REAL(una_fans_kernels) SET(una_fans_kernels) = {
    .product = fan_product, .outer = fan_outer, .add = fan_add, .steps = fan_steps, .candidates = fan_candidates,
    .relu = fan_relu, .relu_back = fan_relu_back
};
