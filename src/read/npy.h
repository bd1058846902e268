/* SPDX-License-Identifier: MIT
 *
 * Arrays in NumPy's NPY format, a block of rows at a time.
 */
#pragma once

#include "read/packed.h"

typedef struct una_npy {
    una_run    *run;
    const char *path;
    una_packed *packed;
    size_t      rows, columns;   /* a 1-D array is one column; of more dimensions, all but the first are columns */
    size_t      sizes[4], size_count;
    bool        by_column;       /* Fortran order                                                   */
    bool        big_endian;
    char        type;            /* 'f', 'i', 'u' or 'b'                                            */
    size_t      width;           /* bytes of one item                                               */
    size_t      start;           /* where the items begin in the file                               */
} una_npy;

/* In the arena, with which it is closed. Checks the whole header and that the file holds exactly the items it
 * promises; of a packed file that is known only when all rows were read and una_npy_end has found nothing behind
 * them. */
una_status una_npy_open(una_npy **npy, const char *path, una_arena *arena);
/* values [count, columns] = rows first .. first + count of the array, whatever its type and order. */
una_status una_npy_rows(una_npy *npy, size_t first, size_t count, double *values);
una_status una_npy_end(una_npy *npy);
