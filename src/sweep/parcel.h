/* SPDX-License-Identifier: MIT
 *
 * Rows as bytes: how they go from the thread that made them to the one that stores them, and from rank to rank.
 */
#ifndef UNA_PARCEL_H
#define UNA_PARCEL_H

#include "sweep/store.h"

/* Adds one row. The text's arena has the sticky failure. */
void       una_parcel_pack(una_text *bytes, const una_row *row);
/* All rows, in order; what they point to is in `bytes` and `arena`. UNA_E_IO: these bytes are no rows. */
una_status una_parcel_open(una_row **rows, size_t *count, const void *bytes, size_t size, una_arena *arena,
                           una_run *run);

#endif
