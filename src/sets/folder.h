/* SPDX-License-Identifier: MIT
 *
 * Files of the catalogue in folders: looked at, and written whole.
 */
#pragma once

#include "sets/catalogue.h"

/* The beginning of each public call: UNA_E_USAGE where there is no such set. */
una_status  una_set_find(const una_known_set **known, size_t set, una_run *run);
/* "FOLDER/uci/boston.csv", also of an address; NULL without memory. */
const char *una_set_path(const char *folder, const char *path, una_arena *arena);
bool        una_set_is(const una_data_file *file, const void *bytes, size_t size);       /* by size and sum */
/* *bytes NULL: there is no such file, it cannot be read, or its bytes are not the published ones. */
una_status  una_set_read(unsigned char **bytes, size_t *size, const char *folder, const una_data_file *file,
                         una_arena *arena, una_run *run);
/* Makes the folders that are not there. */
una_status  una_set_write(const char *folder, const una_data_file *file, const void *bytes, size_t size, una_run *run);
/* "its sha256 is ..., and the published file has ..." */
void        una_set_sums(una_text *text, const una_data_file *file, const void *bytes, size_t size);
