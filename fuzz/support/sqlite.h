/* SPDX-License-Identifier: MIT
 *
 * Databases of strangers: a file that una made, changed by any SQL. SQLite itself is not what is tested here, so the
 * statements may neither leave the file nor go on for long.
 */
#ifndef UNA_FUZZ_SQLITE_H
#define UNA_FUZZ_SQLITE_H

#include "fuzz.h"

/* FOLDER/name becomes these bytes, and what an earlier input left beside it goes; then the statements are tried, each
 * that fails is passed over. */
const char *fuzz_database(const char *name, const void *bytes, size_t size, const char *sql);

#endif
