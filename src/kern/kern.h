/* SPDX-License-Identifier: MIT
 *
 * The kernel slot table: arrays in, arrays out, no meaning. Here stands what several rooms call; what one owner alone
 * needs has a small table of its own (slopes.h, fans.h, line.h, pairs.h, density.h, sparse.h, channels.h), chosen
 * together with the set. Each set fills every slot: the generic one with plain loops (kern_real.c and the files
 * *_loops.c), others (kern_fast.c, and the same *_loops.c for their instruction set) in their own way where that is
 * faster. What they have to agree with is written down once more, in long double or double, in tests/kern and tests/nn.
 *
 * Matrices are row-major; the last dimension is padded to a multiple of UNA_PAD, the padding of parameters is zero and
 * stays zero. Everything exists in float (training) and in double (golden vectors): names end in _f32 and _f64.
 */
#ifndef UNA_KERN_H
#define UNA_KERN_H

#include "base/base.h"

enum { UNA_PAD = 8 };
#define UNA_PADDED(n) (((size_t)(n) + UNA_PAD - 1) / UNA_PAD * UNA_PAD)

/* The activations: code, word, and whether its secant slope is its own or a plain difference (activation.h, which holds
 * two functions for each). This list makes the enum, the words, their count, what a model file may hold, the loops of
 * every kernel set and those of the tests: a new one is a line here and two functions there. */
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

#define UNA_IN_BOTH "kern/kern_slots.h"
#include "kern/both.h"

/* Refuses a kernel set that does not exist or that this machine cannot run, and a path that does not exist. */
una_status una_kernels_need(una_run *run);

/* Which way a training step goes: the fastest there is for its shape, or the plain one, for comparison. */
typedef enum una_path { UNA_PATH_AUTO, UNA_PATH_PLAIN } una_path;
una_path una_path_of(const una_run *run);

#endif
