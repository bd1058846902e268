/* SPDX-License-Identifier: MIT
 *
 * Augmentation: the images of a batch are mirrored left to right, or shifted by a few pixels, at random.
 */
#ifndef UNA_AUGMENT_H
#define UNA_AUGMENT_H

#include "base/base.h"

typedef struct una_augment {
    una_image_shape image;
    bool   flips;                        /* every other image is mirrored, at random                        */
    size_t shifts;                       /* shifted by at most so many pixels in each direction; pixels beyond the
                                            edge repeat the edge */
} una_augment;

/* In place, rows x [rows, numbers of an image]; spare has room for one. */
void una_augment_rows(const una_augment *how, una_rng *rng, float *x, size_t rows, float *spare);

#endif
