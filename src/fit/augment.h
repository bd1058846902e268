/* SPDX-License-Identifier: MIT
 *
 * Images of a batch as they might have been as well: mirrored left to right, or moved by some places.
 */
#ifndef UNA_AUGMENT_H
#define UNA_AUGMENT_H

#include "base/base.h"

typedef struct una_augment {
    una_image_shape image;
    bool   flips;                        /* every other image is mirrored, by chance                        */
    size_t shifts;                       /* moved by at most so many places in each direction; what comes in at the
                                            edge is its neighbour                                           */
} una_augment;

/* In place, rows x [rows, numbers of an image]; spare has room for one. */
void una_augment_rows(const una_augment *how, una_rng *rng, float *x, size_t rows, float *spare);

#endif
