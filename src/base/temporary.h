/* SPDX-License-Identifier: MIT
 *
 * Files under way, which will be renamed or removed: ".una-PID-N.tmp". Whoever makes one holds a lock on it until then,
 * so that what a killed process has left can be told from what is still written, whatever has become of its number and
 * on whatever machine it ran.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { UNA_TEMPORARY_NAME = 64 };        /* bytes of the longest name, with a slash before it and its end */

/* Makes one in `folder` ("": this one), after those that nobody writes any more are gone. `path` has room for both.
 * The lock goes with the handle, which is -1 on failure; errno says why. */
int  una_temporary_open(char *path, const char *folder, mode_t mode);
