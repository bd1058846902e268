/* SPDX-License-Identifier: MIT
 *
 * Mirrored and moved images. See augment.h.
 */
#include "train/augment.h"

/* The nearest place inside of a side of `size` to place `at`, which may lie beyond its ends. */
static size_t nearest_place(ptrdiff_t at, size_t size)
{
    if (at < 0) return 0;
    return (size_t)at >= size ? size - 1 : (size_t)at;
}

static ptrdiff_t draw_shift(una_rng *rng, size_t shifts)
{
    return shifts ? (ptrdiff_t)una_rng_below(rng, 2 * shifts + 1) - (ptrdiff_t)shifts : 0;
}

void una_augment_rows(const una_augment *how, una_rng *rng, float *x, size_t rows, float *spare)
{
    una_image_shape s = how->image;
    size_t each = s.height * s.width * s.channels;
    if (!how->flips && how->shifts == 0) return;
    for (size_t r = 0; r < rows; r++) {
        bool flip = how->flips && (una_rng_u32(rng) & 1);
        ptrdiff_t down = draw_shift(rng, how->shifts), right = draw_shift(rng, how->shifts);
        float *image = x + r * each;
        if (!flip && down == 0 && right == 0) continue;
        memcpy(spare, image, each * sizeof *spare);
        for (size_t i = 0; i < s.height; i++)
            for (size_t j = 0; j < s.width; j++) {
                size_t from_row = nearest_place((ptrdiff_t)i - down, s.height);
                size_t from = nearest_place((ptrdiff_t)j - right, s.width);
                if (flip) from = s.width - 1 - from;
                memcpy(image + (i * s.width + j) * s.channels, spare + (from_row * s.width + from) * s.channels,
                       s.channels * sizeof *image);
            }
    }
}
