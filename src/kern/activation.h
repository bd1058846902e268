/* SPDX-License-Identifier: MIT
 *
 * The activations of UNA_ACTIVATION_LIST, for the loops of every kernel set. Each is a row of a table of formulas,
 * which makes two functions,
 *   NAME_value(z) = act(z),   NAME_slopes(z, h) = act'(z) and act''(z), where h = act(z) is known,
 * and, where the list says `own`, a third one is written that a difference of values would be too coarse for,
 *   NAME_chord(x) = (act(t) - act(z))/delta and act'(t), t = z + step, step = delta u.
 * Simple enough for the compiler to vectorise for the instruction set at hand.
 */
#pragma once

#include "kern/kern.h"

#include "kern/real.h"

#include <tgmath.h>

#define LEAK ((real)0.01)

/* Functions of the library have branches and tables, which keep a loop from being vectorised; in float these do not. */

/* exp x for x <= 0: x = n ln 2 + r, Taylor series of exp r, n into the exponent. What is below e^-87 becomes that; the
 * clamp is not written as a constant, or the compiler would give it a path of its own. n as an integer stands in the
 * last bits of n + 3 2^22, where a NAN does no harm either. */
static inline real exp_of(real x)
{
#if REAL_IS_FLOAT
    real c = x < -87 ? (x - x) - 87 : x;
    real n = rintf(c * 1.44269504f), r = (c - n * 0.693359375f) + n * 2.12194440e-4f;
    real series = 1 + r * (1 + r * (1 / 2.0f + r * (1 / 6.0f + r * (1 / 24.0f + r * (1 / 120.0f + r * (1 / 720.0f))))));
    union { float f; uint32_t i; } low = { .f = n + 0x1.8p23f }, power = { .i = (low.i + 127u) << 23 };
    return series * power.f;
#else
    return exp(x);
#endif
}

/* tanh x = (1 - e)/(1 + e) with e = exp(-2|x|), but for small x, where 1 - e cancels, Lambert's continued fraction. */
static inline real tanh_of(real x)
{
#if REAL_IS_FLOAT
    real y = x * x, e = exp_of(-2 * fabs(x)), far = x < 0 ? e - 1 : 1 - e;
    real over = x * (945 + y * (105 + y)), under = 945 + y * (420 + 15 * y);
    return (y < 0.36f ? over : far) / (y < 0.36f ? under : 1 + e);
#else
    /* -m/(2 + m) with m = exp(-2|x|) - 1, kept apart from 1 so that nothing cancels: m = 2^n (exp r - 1)
     * + (2^n - 1). */
    double c = -2 * fabs(x) < -60 ? (x - x) - 60 : -2 * fabs(x), shifted = c * 1.44269504088896340736 + 0x1.8p52;
    double n = shifted - 0x1.8p52, r = (c - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;

    double tail = 1 / 5040.0 + r * (1 / 40320.0 + r * (1 / 362880.0 + r * (1 / 3628800.0 + r * (1 / 39916800.0
                + r * (1 / 479001600.0 + r * (1 / 6227020800.0))))));
    double less = r * (1 + r * (1 / 2.0 + r * (1 / 6.0 + r * (1 / 24.0 + r * (1 / 120.0
                + r * (1 / 720.0 + r * tail))))));
    union { double f; uint64_t i; } low = { .f = shifted }, power = { .i = (low.i + 1023) << 52 };

    double m = power.f * less + (power.f - 1), t = -m / (2 + m);
    return x < 0 ? -t : t;
#endif
}
static inline real sigmoid_of(real z) { return 1 / (1 + exp(-z)); }

typedef struct slopes { real first, second; } slopes;
typedef struct ends { real z, h, d, t, u, step, inverse; } ends;         /* h, d = act, act' at z; inverse = 1/delta */
typedef struct chord { real slope, end; } chord;

/* A row of the table: the value; what both derivatives have in common, as `part`; the first and the second one. Where
 * they are asked for, h is the value. */
#define ACTIVATION(name, value, common, first, second)                                                                \
    static inline real name##_value(real z) { return value; }                                                         \
    static inline slopes name##_slopes(real z, real h)                                                                \
    {                                                                                                                 \
        const real part = common;                                                                                     \
        (void)z, (void)h, (void)part;                                                                                 \
        return (slopes){ first, second };                                                                             \
    }
ACTIVATION(relu, z > 0 ? z : 0, 0, z > 0 ? 1 : 0, 0)
ACTIVATION(tanh, tanh_of(z), 1 - h * h, part, -2 * h * part)
ACTIVATION(leaky, z > 0 ? z : LEAK * z, 0, z > 0 ? 1 : LEAK, 0)
ACTIVATION(elu, z > 0 ? z : expm1(z), z > 0 ? 1 : exp(z), part, z > 0 ? 0 : part)
ACTIVATION(softplus, (z > 0 ? z : 0) + log1p(exp(-fabs(z))), sigmoid_of(z), part, part * (1 - part))
ACTIVATION(silu, z * sigmoid_of(z), sigmoid_of(z), part * (1 + z * (1 - part)),
           part * (1 - part) * (2 + z * (1 - 2 * part)))
ACTIVATION(sin, sin(z), 0, cos(z), -h)

static inline chord relu_chord(ends x)
{
    real rising = x.t * x.inverse, falling = -x.z * x.inverse;   /* the step crosses the kink, one way or the other */
    real ends_on = x.z > 0 ? x.u : rising, ends_off = x.z > 0 ? falling : 0;
    return (chord){ x.t > 0 ? ends_on : ends_off, x.t > 0 ? 1 : 0 };
}

static inline chord tanh_chord(ends x)           /* tanh a - tanh b = tanh(a - b) (1 - tanh a tanh b) */
{
    real far = tanh_of(x.t), rise = tanh_of(x.step) * (1 - x.h * far);
    return (chord){ rise * x.inverse, x.d - rise * (x.h + far) };        /* its difference to d does not cancel */
}

static inline chord leaky_chord(ends x)
{
    real crossing = (leaky_value(x.t) - leaky_value(x.z)) * x.inverse, straight = x.z > 0 ? x.u : LEAK * x.u;
    return (chord){ (x.z > 0) == (x.t > 0) ? straight : crossing, x.t > 0 ? 1 : LEAK };
}

static inline chord sin_chord(ends x)            /* sin a - sin b = 2 sin((a-b)/2) cos((a+b)/2) */
{
    return (chord){ 2 * sin(x.step / 2) * cos((x.t + x.z) / 2) * x.inverse, cos(x.t) };
}

/* The others' chord is the difference as it stands. (Where pieces are linear (relu, leaky), or an addition theorem
 * helps (tanh, sin; with the step itself, as t - z has lost the digits of a small one), nothing cancels.) */
#define CHORD_own(name)
#define CHORD_plain(name)                                                                                             \
    static inline chord name##_chord(ends x)                                                                          \
    {                                                                                                                 \
        real far = name##_value(x.t);                                                                                 \
        return (chord){ (far - x.h) * x.inverse, name##_slopes(x.t, far).first };                                     \
    }
#define CHORD(code, name, how) CHORD_##how(name)
UNA_ACTIVATION_LIST(CHORD)
