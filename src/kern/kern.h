/* SPDX-License-Identifier: MIT
 *
 * The kernel slot tables: arrays in, arrays out, no meaning. What several rooms call stands in una_kernels itself; what
 * one owner alone needs is a family with a table of its own, chosen together with the set (UNA_KERNEL_FAMILIES;
 * contracts in kern_slots.h). Each set fills every slot: the generic one with plain loops (kern_real.c and the files
 * *_loops.c), others (kern_fast.c, and the same *_loops.c for their instruction set) in their own way where that is
 * faster. What they have to agree with is written down once more, in long double or double, in tests/kern and tests/nn.
 *
 * Matrices are row-major; the last dimension is padded to a multiple of UNA_PAD, the padding of parameters is zero and
 * stays zero. Everything exists in float (training) and in double (golden vectors): names end in _f32 and _f64.
 */
#pragma once

#include "base/base.h"

enum { UNA_PAD = 8 };
#define UNA_PADDED(n) (((size_t)(n) + UNA_PAD - 1) / UNA_PAD * UNA_PAD)

/* The activations: code, word, and whether its secant slope is its own (a function) or a plain difference
 * (activation.h, which holds a row of formulas for each; docs/develop/ADDING_AN_ACTIVATION.md). This list makes the enum,
 * the words, their count, what a model file may hold, the loops of every kernel set and those of the tests: a new one is a
 * line here and a row there. */
#define UNA_ACTIVATION_LIST(X)       \
    X(UNA_RELU, relu, own)           \
    X(UNA_TANH, tanh, own)           \
    X(UNA_LEAKY, leaky, own)         \
    X(UNA_ELU, elu, plain)           \
    X(UNA_SOFTPLUS, softplus, plain) \
    X(UNA_SILU, silu, plain)         \
    X(UNA_SIN, sin, own)             \
    /* new ones go here, at the end: model files store the number */

#define UNA_ACTIVATION_CODE(code, word, secant) code,
#define UNA_ACTIVATION_ONE(code, word, secant) + 1
#define UNA_ACTIVATION_WORD(code, word, secant) "|" #word
typedef enum una_activation { UNA_ACTIVATION_LIST(UNA_ACTIVATION_CODE) } una_activation;
enum { UNA_ACTIVATION_COUNT = 0 UNA_ACTIVATION_LIST(UNA_ACTIVATION_ONE) };
#define UNA_ACTIVATIONS (&UNA_ACTIVATION_LIST(UNA_ACTIVATION_WORD)[1])          /* "relu|tanh|..." */

/* The families: each is a pointer of una_kernels to a struct una_FAMILY_kernels, filled in FAMILY_loops.c.
 *   slopes    slopes through activations, and how alike heads are    nn/slopes_real.c, nn/diversity_real.c
 *   fans      the same unit by unit, for ReLU                        nn/fans_real.c
 *   line      a ReLU layer of one input as a broken line             nn/line_real.c
 *   pairs     distances of pairs of points, and exp of them          gp/pairs.c
 *   density   gradients of densities that are sampled                train/bnn.c, train/bnn_head.c
 *   channels  maps of channels, for convolutions                     nn/conv_real.c, nn/conv_plain_real.c */
#define UNA_KERNEL_FAMILIES(X) X(slopes) X(fans) X(line) X(pairs) X(density) X(channels)

/* Rows of slopes: `points` points with `directions` slope rows each, `width` (padded) columns. */
typedef struct una_slope_shape { size_t points, directions, width; } una_slope_shape;

/* Lists of units: how many, how many of these bend (see relu of the fans), which ones, ascending, UNA_LIST_END; and from
 * UNA_BENT on the places in the list of those that bend. */
enum { UNA_LIST_END = 0xFFFF };
#define UNA_LIST_LENGTH(units) (2 * (size_t)(units) + 4)
#define UNA_LISTED(list) ((list) + 2)
#define UNA_BENT(list, units) ((list) + 3 + (units))

enum { UNA_SHALLOW_ROWS = 8 };           /* rows of a network of one hidden layer that are in hand at a time */

/* A map of channels: n = rows x height x width places, channels last and a multiple of UNA_PAD. */
typedef struct una_map_shape { size_t n, channels; } una_map_shape;
/* Windows of kernel x kernel places, `stride` apart, on a map with `pad` places of nothing around it. */
typedef struct una_windows {
    size_t in_height, in_width, in_channels, out_height, out_width, kernel, stride, pad;
} una_windows;

#define UNA_IN_BOTH "kern/kern_slots.h"
#include "kern/both.h"

/* Operands of `product` (kern_slots.h), in the precision of the pointer: a matrix as it stands, with rows `stride`
 * apart; one that is read transposed; and what comes out, put there or added to what is there. */
#define UNA_IN_PRECISION(at, name) _Generic((at), float *: name##_f32, const float *: name##_f32, default: name##_f64)
#define UNA_ROWS(at, stride) UNA_IN_PRECISION(at, una_factor_of)(at, stride, 1)
#define UNA_COLUMNS(at, stride) UNA_IN_PRECISION(at, una_factor_of)(at, 1, stride)
#define UNA_INTO(at, stride) UNA_IN_PRECISION(at, una_product_at)(at, stride, false)
#define UNA_ONTO(at, stride) UNA_IN_PRECISION(at, una_product_at)(at, stride, true)

/* Refuses a kernel set that does not exist or that this machine cannot run, and a path that does not exist. */
una_status una_kernels_need(una_run *run);

/* Which way a training step goes: the fastest there is for its shape, or the plain one, for comparison. */
typedef enum una_path { UNA_PATH_AUTO, UNA_PATH_PLAIN } una_path;
una_path una_path_of(const una_run *run);
