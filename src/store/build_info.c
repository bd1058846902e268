/* SPDX-License-Identifier: MIT
 *
 * What this libuna_study was built with, and what of it is here: shown by `una --version`.
 */
#include "una_study.h"

#include "store/libpq.h"

#include <sqlite3.h>

const char *una_study_build_info(void)
{
#define LINES "files    SQLite " SQLITE_VERSION "\n" \
              "servers  "
#ifdef UNA_HAS_postgres
    if (una_library_is_there(&una_libpq_library)) return LINES "PostgreSQL by libpq (libpq.so.5)\n";
    return LINES "none, for want of libpq (libpq.so.5; Debian: libpq5)\n";
#else
    return LINES "none; it was built without PostgreSQL\n";
#endif
}
