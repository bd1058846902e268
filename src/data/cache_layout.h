/* SPDX-License-Identifier: MIT
 *
 * How files of the cache are laid out: cache.c and cache_images.c say what follows the heads. All sums are by sum.h.
 */
#ifndef UNA_CACHE_LAYOUT_H
#define UNA_CACHE_LAYOUT_H

#include "data/cache_file.h"

typedef struct una_cache_table {         /* the head of a table; una_cache_column [columns], text and cells follow */
    una_cache_kind kind;
    uint64_t      sum;           /* of head (with sum 0), descriptors and text                      */
    una_cache_key key;
    uint64_t      content;       /* sum of the data file's bytes, with zeroes to a multiple of 32   */
    uint64_t      rows, columns, text_size;      /* text: path, names, notes, each with its zero byte, then zeroes */
    uint64_t      notes;
    uint64_t      first_line, has_lines, lines_sum;
} una_cache_table;

typedef struct una_cache_column {
    uint64_t is_text, first_word, levels, words_size, sum;     /* words_size in bytes, a multiple of 32 */
    uint64_t form;                       /* its kind, decimal mark and order, a byte each                */
    char     unit[UNA_UNIT_ROOM];
} una_cache_column;

typedef struct una_cache_tensor {        /* the head of images; path and numbers follow                          */
    una_cache_kind kind;
    uint64_t      sum;           /* of head (with sum 0) and path                                   */
    una_cache_key key;
    uint64_t      content;       /* sum of the packed file's bytes                                  */
    uint64_t      count, height, width, channels;
    uint64_t      item;          /* bytes of a number: 1, or 4 for float                            */
    uint64_t      path_size;     /* with zeroes                                                     */
    uint64_t      numbers_sum;
} una_cache_tensor;

#endif
