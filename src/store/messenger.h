/* SPDX-License-Identifier: MIT
 *
 * The messenger of a sweep with several ranks: the thread that exchanges keys and rows with the other ranks.
 */
#ifndef UNA_MESSENGER_H
#define UNA_MESSENGER_H

#include "store/queue.h"

/* On rank 0 the thread ends when all other ranks have left, elsewhere once the queue is closed and
 * empty. */
typedef struct una_messenger una_messenger;
una_status una_messenger_start(una_messenger **messenger, una_queue *queue);
void       una_messenger_join(una_messenger *messenger); /* NULL is harmless */

#endif
