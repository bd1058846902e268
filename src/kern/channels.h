/* SPDX-License-Identifier: MIT
 *
 * Kernels on maps of channels: [n, channels], n = rows x height x width, channels last and a multiple of UNA_PAD. Batch
 * normalisation there and back, windows of a map as rows of a matrix, pooling. For nn/conv_real.c and
 * nn/conv_plain_real.c.
 */
#ifndef UNA_KERN_CHANNELS_H
#define UNA_KERN_CHANNELS_H

#include "kern/kern.h"

/* Windows of kernel x kernel places, `stride` apart, on a map with `pad` places of nothing around it. */
typedef struct una_windows {
    size_t in_height, in_width, in_channels, out_height, out_width, kernel, stride, pad;
} una_windows;

#define UNA_IN_BOTH "kern/channels_slots.h"
#include "kern/both.h"

#endif
