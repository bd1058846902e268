/* SPDX-License-Identifier: MIT
 *
 * Files of data before anything is known of what they hold: opened, waited for, and found to be what they were.
 */
#ifndef UNA_BYTES_H
#define UNA_BYTES_H

#include "base/base.h"

/* For reading. The other end of a pipe is waited for, as long as nobody interrupts. */
una_status una_bytes_open(int *handle, const char *path, una_run *run);
/* Until there is something to read, or the end; `path` is for the sentence. Not for plain files, which never wait. */
una_status una_bytes_wait(int handle, const char *path, una_run *run);

typedef struct una_stamp {       /* what a file was like                                            */
    bool     plain;              /* else nothing can be told of it                                  */
    uint64_t size;
    int64_t  seconds, nanoseconds;       /* of its last change                                      */
} una_stamp;

una_stamp  una_stamp_of(int handle);
/* Refuses a plain file that was written to since then: what was read may be part of one and part of another. */
una_status una_stamp_check(const una_stamp *stamp, int handle, const char *path, una_run *run);

#endif
