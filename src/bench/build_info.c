/* SPDX-License-Identifier: MIT
 *
 * What this libuna_bench was built with: shown by `una --version`.
 */
#include "una_bench.h"

#include <sqlite3.h>

const char *una_bench_build_info(void)
{
    return "files    SQLite " SQLITE_VERSION "\n"
           "servers  libpq " UNA_LIBPQ_VERSION "\n";
}
