/* SPDX-License-Identifier: MIT
 *
 * Opens files of data, before anything is known about their content, and waits for pipes.
 */
#pragma once

#include "base/base.h"

/* Opens for reading. Waits for the other end of a pipe until Ctrl-C. */
una_status una_bytes_open(int *handle, const char *path, una_run *run);
/* Waits until there is something to read, or the end; `path` is for the sentence. Not for plain files, which never
 * wait. */
una_status una_bytes_wait(int handle, const char *path, una_run *run);
