/* SPDX-License-Identifier: MIT
 *
 * Places for databases in tests: files, and databases of the server that UNA_TEST_POSTGRES names (tools/test.sh starts
 * one; tools/postgres.sh start FOLDER prints the address of one that can be used by hand).
 */
#ifndef UNA_DATABASE_SUPPORT_H
#define UNA_DATABASE_SUPPORT_H

#include "test_support.h"

#include <libpq-fe.h>
#include <time.h>

/* One statement through a connection of its own; the first number of what it gives, 0 if there is none. */
static inline long server_do(const char *address, const char *sql)
{
    PGconn *link = PQconnectdb(address);
    PGresult *result = PQexec(link, sql);
    ExecStatusType code = PQresultStatus(result);
    if (code != PGRES_COMMAND_OK && code != PGRES_TUPLES_OK) fail_msg("%s: %s", sql, PQerrorMessage(link));
    long number = PQntuples(result) > 0 ? strtol(PQgetvalue(result, 0, 0), NULL, 10) : 0;
    PQclear(result);
    PQfinish(link);
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
