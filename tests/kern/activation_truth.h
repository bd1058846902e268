/* SPDX-License-Identifier: MIT
 *
 * What activations should be, in closed form and long double: act, act', act''. An activation that has no form here is
 * taken at its word, the values of the generic kernels in double, and its derivatives are differences of these: so one
 * whose derivative does not belong to its value is found all the same.
 */
#ifndef UNA_ACTIVATION_TRUTH_H
#define UNA_ACTIVATION_TRUTH_H

#include "test_support.h"

#include "kern/kern.h"

static inline long double sigmoid_truth(long double z) { return 1 / (1 + expl(-z)); }

/* act(z) by the kernels of a set, in double. */
static inline double act_by(const una_kernels_f64 *set, int act, double at)
{
    double z[UNA_PAD], h[UNA_PAD], d[UNA_PAD], bias[UNA_PAD] = { 0 };
    for (size_t i = 0; i < UNA_PAD; i++) z[i] = at;
    set->activate((una_activation)act, 1, UNA_PAD, bias, (una_activated_f64){ z, h, d, NULL });
    return h[0];
}

/* Its first and second derivative by central differences of fourth order: good to some 1e-11 and 1e-9. */
static inline double slope_by(const una_kernels_f64 *set, int act, double z)
{
    const double step = 2e-3;
    double near = act_by(set, act, z + step) - act_by(set, act, z - step);
    double far = act_by(set, act, z + 2 * step) - act_by(set, act, z - 2 * step);
    return (8 * near - far) / (12 * step);
}

static inline double bend_by(const una_kernels_f64 *set, int act, double z)
{
    const double step = 5e-3;
    double near = act_by(set, act, z + step) + act_by(set, act, z - step);
    double far = act_by(set, act, z + 2 * step) + act_by(set, act, z - 2 * step);
    return (16 * near - far - 30 * act_by(set, act, z)) / (12 * step * step);
}

/* Is there a closed form below? */
static inline bool is_closed(int act)
{
    switch (act) {
    case UNA_RELU: case UNA_TANH: case UNA_LEAKY: case UNA_ELU: case UNA_SOFTPLUS: case UNA_SILU: case UNA_SIN:
        return true;
    default: return false;
    }
}

static inline long double truth_0(int act, long double z)
{
    switch (act) {
    case UNA_RELU: return z > 0 ? z : 0;
    case UNA_TANH: return tanhl(z);
    case UNA_LEAKY: return z > 0 ? z : z / 100;
    case UNA_ELU: return z > 0 ? z : expm1l(z);
    case UNA_SOFTPLUS: return z > 0 ? z + log1pl(expl(-z)) : log1pl(expl(z));
    case UNA_SILU: return z * sigmoid_truth(z);
    case UNA_SIN: return sinl(z);
    default: return act_by(una_kernels_named_f64("generic"), act, (double)z);
    }
}

static inline long double truth_1(int act, long double z)
{
    long double s = sigmoid_truth(z);
    switch (act) {
    case UNA_RELU: return z > 0 ? 1 : 0;
    case UNA_TANH: return 1 / (coshl(z) * coshl(z));
    case UNA_LEAKY: return z > 0 ? 1 : 0.01L;
    case UNA_ELU: return z > 0 ? 1 : expl(z);
    case UNA_SOFTPLUS: return s;
    case UNA_SILU: return s + z * s * sigmoid_truth(-z);
    case UNA_SIN: return cosl(z);
    default: return slope_by(una_kernels_named_f64("generic"), act, (double)z);
    }
}

static inline long double truth_2(int act, long double z)
{
    long double s = sigmoid_truth(z), r = sigmoid_truth(-z);
    switch (act) {
    case UNA_RELU: case UNA_LEAKY: return 0;
    case UNA_TANH: return -2 * tanhl(z) / (coshl(z) * coshl(z));
    case UNA_ELU: return z > 0 ? 0 : expl(z);
    case UNA_SOFTPLUS: return s * r;
    case UNA_SILU: return 2 * s * r + z * s * r * (r - s);
    case UNA_SIN: return -sinl(z);
    default: return bend_by(una_kernels_named_f64("generic"), act, (double)z);
    }
}

/* How far these may be off themselves, where z is of size 1 + |z|. */
static inline double truth_slack(int act) { return is_closed(act) ? 0 : 1e-8; }

/* Do act' or act'' jump at zero, the only place where that may be? */
static inline bool has_kink(int act)
{
    const long double near = 0.05L, far = 0.06L;
    long double below = (truth_1(act, -near) - truth_1(act, -far)) / (far - near);
    long double above = (truth_1(act, far) - truth_1(act, near)) / (far - near);
    return fabsl(truth_1(act, near) - truth_1(act, -near)) > 0.5L || fabsl(above - below) > 0.5L;
}

#endif
