/* SPDX-License-Identifier: MIT
 *
 * Places for databases in tests: files, and databases of the server that UNA_TEST_POSTGRES names (tools/test.sh starts
 * one; tools/postgres.sh start FOLDER prints the address of one that can be used by hand).
 */
#ifndef UNA_DATABASE_SUPPORT_H
#define UNA_DATABASE_SUPPORT_H

#include "test_support.h"

#include "store/libpq.h"

#include <time.h>

typedef struct admin_calls {            /* one that una does without, and those of its own                  */
    una_libpq pq;
    PGconn *(*PQconnectdb)(const char *address);
} admin_calls;

static inline admin_calls admin_calls_load(void)
{
    static const una_symbol symbols[] = { UNA_SYMBOL(admin_calls, PQconnectdb) };
    una_library library = una_libpq_library;
    admin_calls calls;
    una_run *run = quiet_run();
    assert_ok(una_library_load(&calls.pq, &library, run), run);
    library.symbols = symbols;
    library.count = 1;
    assert_ok(una_library_load(&calls, &library, run), run);
    una_run_free(run);
    return calls;
}

/* One statement through a connection of its own; the first number of what it gives, 0 if there is none. */
static inline long server_do(const char *address, const char *sql)
{
    admin_calls calls = admin_calls_load();
    PGconn *link = calls.PQconnectdb(address);
    PGresult *result = calls.pq.PQexec(link, sql);
    ExecStatusType code = calls.pq.PQresultStatus(result);
    if (code != PGRES_COMMAND_OK && code != PGRES_TUPLES_OK) fail_msg("%s: %s", sql, calls.pq.PQerrorMessage(link));
    long number = calls.pq.PQntuples(result) > 0 ? strtol(calls.pq.PQgetvalue(result, 0, 0), NULL, 10) : 0;
    calls.pq.PQclear(result);
    calls.pq.PQfinish(link);
    return number;
}

/* Skips the test where there is no server. */
static inline const char *server_address(void)
{
    const char *address = getenv("UNA_TEST_POSTGRES");
    if (address && *address) return address;
    print_message("skipped: UNA_TEST_POSTGRES names no server (tools/postgres.sh start FOLDER)\n");
    skip();
    return NULL;
}

/* A test that is skipped jumps out of the middle, and leaves its run behind. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return getenv("UNA_TEST_POSTGRES") ? "" : "leak:quiet_run_threads";
}

/* A new, empty database of the server, which is gone with the server; in one of four rotating buffers. */
static inline const char *server_database(void)
{
    static char places[4][1024];
    static unsigned made;
    const char *address = server_address(), *end = address ? strrchr(address, '/') : NULL;
    char *place = places[made++ % 4], name[64], sql[128];
    if (!end) return NULL;
    snprintf(name, sizeof name, "una_%ld_%ld_%u", (long)getpid(), (long)time(NULL), made);
    snprintf(sql, sizeof sql, "CREATE DATABASE %s", name);
    server_do(address, sql);
    snprintf(place, sizeof places[0], "%.*s/%s", (int)(end - address), address, name);
    return place;
}

/* kind: "file" or "server", the state of a test that is run with both. */
static inline const char *place_of(void **kind, const char *name)
{
    return strcmp(*kind, "server") == 0 ? server_database() : temp_path(name);
}
#define ON_BOTH(test) { #test " (file)", test, NULL, NULL, "file" }, { #test " (server)", test, NULL, NULL, "server" }

#endif
