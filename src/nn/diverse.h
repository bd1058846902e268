/* SPDX-License-Identifier: MIT
 *
 * LUNA's objective on features alone, for bodies that process all rows at once (learn, learn_back): training rows,
 * probes, and the same probes moved a little along random directions. Computes the outputs of the heads, the similarity
 * of their slopes, and the gradient by features and heads. nn/luna_step.h does the same for perceptrons in a faster
 * way.
 *   (fit_weight/M) sum_m sum_i (y_i - f_m(x_i))^2 + diversity P,   slopes of head m at a probe x along u:
 *   (f_m(x + delta u) - f_m(x))/delta,   P = sum_{i<j} cos^2 of all slopes of two heads
 */
#pragma once

#include "nn/body.h"

typedef struct una_diverse_shape {
    size_t features, heads;
    size_t plain, probes, directions;    /* rows that fit; probes; moves of each                            */
    bool   own_probes;                   /* probes are rows of their own; false: they are the first that fit */
} una_diverse_shape;

/* Rows of phi: those that fit, own probes, then the moves of each probe. */
static inline size_t una_diverse_rows(const una_diverse_shape *s)
{
    return s->plain + (s->own_probes ? s->probes : 0) + s->probes * s->directions;
}

#define UNA_IN_BOTH "nn/diverse_calls.h"
#include "kern/both.h"
