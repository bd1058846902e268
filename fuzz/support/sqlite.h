/* SPDX-License-Identifier: MIT
 *
 * Databases of strangers: a file that una made, changed by any SQL. SQLite itself is not what is tested here, so the
 * statements may neither leave the file nor go on for long.
 */
#ifndef UNA_FUZZ_SQLITE_H
#define UNA_FUZZ_SQLITE_H

#include "fuzz.h"

/* FOLDER/name becomes these bytes, and what an earlier input left beside it goes; then the statements are tried, each
 * that fails is passed over. What is left of the input lies beside it (the first byte says as what):
 *   0  as its journal
 *   1  as its log
 *   2  as its journal, which ends with the name of another file, for SQLite to remove
 *   3  behind the log in which the statements' changes are
 */
const char *fuzz_database(const char *name, const void *bytes, size_t size, const char *sql, fuzz_bytes beside);

/* The other file is as it was. */
void fuzz_database_kept(void);

#endif
