/* SPDX-License-Identifier: MIT
 *
 * Files from servers, by libcurl, where una was built with it. A file comes into memory, never more of it than was
 * asked for; who wants it on the disk writes it whole.
 */
#pragma once

#include "base/base.h"

typedef struct una_server una_server;    /* connections, kept from file to file */

/* patience: seconds without an answer, or with next to nothing coming, after which a server is given up. In arena;
 * UNA_E_USAGE where una was built without libcurl. Close it also after a failure; NULL is harmless. */
una_status una_server_open(una_server **server, double patience, una_arena *arena, una_run *run);
void       una_server_close(una_server *server);

/* https, http and file; at most five others that it sends us on to, and none of them a file. More than `most` bytes
 * are UNA_E_INPUT, all other failures UNA_E_IO. `stage` is what progress says; `expected` (0: not known) are all bytes
 * that it counts against. bytes are in arena and end with a zero that is not counted. */
typedef struct una_download_request { const char *address, *stage; size_t most, expected; } una_download_request;
una_status una_download(unsigned char **bytes, size_t *size, una_server *server, const una_download_request *wanted,
                        una_arena *arena, una_run *run);
