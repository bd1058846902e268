/* SPDX-License-Identifier: MIT
 *
 * Rows as bytes: how they go from the thread that made them to the writer, and from rank to rank.
 */
#pragma once

#include "store/store.h"

/* Appends one row. A failure is sticky in the text's arena. */
void       una_packet_pack(una_text *bytes, const una_row *row);
/* All rows, in order; their texts and arrays lie in `bytes` and `arena`. UNA_E_IO: the bytes are not rows. */
una_status una_packet_unpack(una_row **rows, size_t *count, const void *bytes, size_t size, una_arena *arena,
                             una_run *run);
