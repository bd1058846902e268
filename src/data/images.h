/* SPDX-License-Identifier: MIT
 *
 * Images that rows of a table name by their number, counted from 0. They belong to all tables that were made from one
 * another.
 */
#pragma once

#include "data/table.h"

enum { UNA_MOST_PIXELS = 1 << 18, UNA_MOST_CHANNELS = 16 };

typedef struct una_images {
    una_arena       arena;       /* owns everything below                                           */
    una_run        *run;
    _Atomic size_t  holders;     /* tables                                                          */
    const char     *origin;
    una_image_shape shape;
    size_t          count, each; /* each: numbers of one                                            */
    const unsigned char *bytes;  /* [count, each], or                                               */
    const float    *numbers;     /* [count, each]                                                   */
    void           *mapping;     /* of the cache's file, which holds them; NULL: the arena does     */
    size_t          mapped;      /* bytes                                                           */
} una_images;

una_images *una_images_hold(una_images *images);                 /* one holder more; NULL stays NULL */
void        una_images_let_go(una_images *images);               /* the last one frees them          */
void        una_images_unmap(una_images *images);                /* before it ends: what is mapped is so no more */
/* Whether both are of one file, or both NULL. */
bool        una_images_same(const una_images *a, const una_images *b);
/* Numbers of image `item` as (value - centre)/scale. */
void        una_images_take(const una_images *images, size_t item, double centre, double scale, double *to);

static inline size_t una_image_size(una_image_shape shape)
{
    return shape.height * shape.width * shape.channels;
}

/* The image that a row of the table names; what is no number of one gets a sentence with its place. */
una_status una_table_image(size_t *item, const una_dataset *data, size_t row, una_run *run);
