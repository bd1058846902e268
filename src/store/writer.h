/* SPDX-License-Identifier: MIT
 *
 * The writer of a sweep: on rank 0, the one thread that claims keys in the store and writes rows to it.
 */
#ifndef UNA_WRITER_H
#define UNA_WRITER_H

#include "store/queue.h"

/* The thread ends once the queue is closed and empty. */
typedef struct una_writer una_writer;
una_status una_writer_start(una_writer **writer, una_queue *queue);
void       una_writer_join(una_writer *writer);          /* NULL is harmless */
/* Whether the store has the row of a key with all measures. Its texts stay in run->scratch. */
una_status una_sweep_has_row(bool *done, const una_sweep *sweep, const una_row_key *key, una_run *run);

#endif
