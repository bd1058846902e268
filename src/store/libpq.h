/* SPDX-License-Identifier: MIT
 *
 * What una uses of libpq, PostgreSQL's client: declared here, so that the build does not need it, and loaded when a
 * server is first named. Types and numbers are those of libpq-fe.h, of every libpq.so.5 alike; where that header is
 * there, tests/store/test_libpq.c compares them.
 */
#pragma once

#include "base/library.h"

#ifndef LIBPQ_FE_H
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct _PQconninfoOption PQconninfoOption;
typedef unsigned int Oid;

typedef enum ConnStatusType { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;
typedef enum PostgresPollingStatusType {
    PGRES_POLLING_FAILED, PGRES_POLLING_READING, PGRES_POLLING_WRITING, PGRES_POLLING_OK
} PostgresPollingStatusType;
typedef enum ExecStatusType { PGRES_EMPTY_QUERY, PGRES_COMMAND_OK, PGRES_TUPLES_OK } ExecStatusType;
typedef enum PGTransactionStatusType { PQTRANS_IDLE } PGTransactionStatusType;
typedef enum PGPing { PQPING_OK, PQPING_REJECT } PGPing;
enum { PG_DIAG_SQLSTATE = 'C', PG_DIAG_MESSAGE_PRIMARY = 'M' };

typedef void (*PQnoticeProcessor)(void *context, const char *message);
#endif

/* The calls: result, name, parameters. */
#define UNA_LIBPQ_CALLS(CALL)                                                                                          \
    /* connections */                                                                                                  \
    CALL(PGconn *, PQconnectStartParams, const char *const *words, const char *const *values, int expand)              \
    CALL(PostgresPollingStatusType, PQconnectPoll, PGconn *link)                                                       \
    CALL(PGPing, PQpingParams, const char *const *words, const char *const *values, int expand)                        \
    CALL(PQconninfoOption *, PQconninfoParse, const char *address, char **why)                                         \
    CALL(void, PQconninfoFree, PQconninfoOption *options)                                                              \
    CALL(void, PQfinish, PGconn *link)                                                                                 \
    CALL(ConnStatusType, PQstatus, const PGconn *link)                                                                 \
    CALL(PGTransactionStatusType, PQtransactionStatus, const PGconn *link)                                             \
    CALL(char *, PQerrorMessage, const PGconn *link)                                                                   \
    CALL(int, PQsocket, const PGconn *link)                                                                            \
    CALL(PQnoticeProcessor, PQsetNoticeProcessor, PGconn *link, PQnoticeProcessor processor, void *context)            \
    /* statements */                                                                                                   \
    CALL(PGresult *, PQexec, PGconn *link, const char *sql)                                                            \
    CALL(int, PQsendQuery, PGconn *link, const char *sql)                                                              \
    CALL(int, PQsendQueryParams, PGconn *link, const char *sql, int count, const Oid *types,                           \
         const char *const *values, const int *lengths, const int *formats, int format)                                \
    CALL(int, PQconsumeInput, PGconn *link)                                                                            \
    CALL(int, PQisBusy, PGconn *link)                                                                                  \
    CALL(PGresult *, PQgetResult, PGconn *link)                                                                        \
    /* results */                                                                                                      \
    CALL(ExecStatusType, PQresultStatus, const PGresult *result)                                                       \
    CALL(char *, PQresultErrorField, const PGresult *result, int field)                                                \
    CALL(int, PQntuples, const PGresult *result)                                                                       \
    CALL(int, PQnfields, const PGresult *result)                                                                       \
    CALL(Oid, PQftype, const PGresult *result, int column)                                                             \
    CALL(char *, PQgetvalue, const PGresult *result, int row, int column)                                              \
    CALL(int, PQgetisnull, const PGresult *result, int row, int column)                                                \
    CALL(char *, PQcmdStatus, PGresult *result)                                                                        \
    CALL(char *, PQcmdTuples, PGresult *result)                                                                        \
    CALL(void, PQclear, PGresult *result)                                                                              \
    CALL(void, PQfreemem, void *what)

#define UNA_LIBPQ_POINTER(result, name, ...) result (*name)(__VA_ARGS__);
typedef struct una_libpq { UNA_LIBPQ_CALLS(UNA_LIBPQ_POINTER) } una_libpq;

extern const una_library una_libpq_library;
