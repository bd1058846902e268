/* SPDX-License-Identifier: MIT
 *
 * Arrays in the IDX format of the MNIST files, plain or compressed with gzip: a few sizes, then items.
 */
#pragma once

#include "base/base.h"

enum { UNA_MOST_IDX_SIZES = 8 };

typedef struct una_idx {
    size_t               sizes[UNA_MOST_IDX_SIZES];      /* [size_count], each at least 1; the first counts items */
    size_t               size_count;
    size_t               each;                           /* numbers of one item: the product of the others        */
    const unsigned char *bytes;                          /* [sizes[0], each] unsigned bytes                       */
    bool                 is_packed;                      /* the file is compressed                                */
} una_idx;

/* Checks the header and that the file holds exactly what it promises. Unsigned bytes only. In `arena`. */
una_status una_idx_read(una_idx *idx, const char *path, una_arena *arena, una_run *run);
/* Images of any shape and one label each, as many of one as of the other. */
una_status una_idx_read_labelled(una_idx *images, una_idx *labels, const char *image_path, const char *label_path,
                                 una_arena *arena, una_run *run);
