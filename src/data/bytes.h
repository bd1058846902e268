/* SPDX-License-Identifier: MIT
 *
 * Files of data before anything is known of what they hold: opened, and waited for.
 */
#ifndef UNA_BYTES_H
#define UNA_BYTES_H

#include "base/base.h"

/* For reading. The other end of a pipe is waited for, as long as nobody interrupts. */
una_status una_bytes_open(int *handle, const char *path, una_run *run);
/* Until there is something to read, or the end; `path` is for the sentence. Not for plain files, which never wait. */
una_status una_bytes_wait(int handle, const char *path, una_run *run);

#endif
