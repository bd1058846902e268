/* SPDX-License-Identifier: MIT
 *
 * What una uses of libpq, PostgreSQL's client: declared here, so that the build does not need it, and loaded when a
 * server is first named. Types and numbers are those of libpq-fe.h, of every libpq.so.5 alike; where that header is
 * there, tests/store/test_libpq.c compares them.
 */
#ifndef UNA_LIBPQ_H
#define UNA_LIBPQ_H

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

typedef struct una_libpq {
    /* connections */
    PGconn       *(*PQconnectStartParams)(const char *const *words, const char *const *values, int expand);
    PostgresPollingStatusType (*PQconnectPoll)(PGconn *link);
    PGPing        (*PQpingParams)(const char *const *words, const char *const *values, int expand);
    PQconninfoOption *(*PQconninfoParse)(const char *address, char **why);
    void          (*PQconninfoFree)(PQconninfoOption *options);
    void          (*PQfinish)(PGconn *link);
    ConnStatusType (*PQstatus)(const PGconn *link);
    PGTransactionStatusType (*PQtransactionStatus)(const PGconn *link);
    char         *(*PQerrorMessage)(const PGconn *link);
    int           (*PQsocket)(const PGconn *link);
    PQnoticeProcessor (*PQsetNoticeProcessor)(PGconn *link, PQnoticeProcessor processor, void *context);
    /* statements */
    PGresult     *(*PQexec)(PGconn *link, const char *sql);
    int           (*PQsendQuery)(PGconn *link, const char *sql);
    int           (*PQsendQueryParams)(PGconn *link, const char *sql, int count, const Oid *types,
                                       const char *const *values, const int *lengths, const int *formats, int format);
    int           (*PQconsumeInput)(PGconn *link);
    int           (*PQisBusy)(PGconn *link);
    PGresult     *(*PQgetResult)(PGconn *link);
    /* results */
    ExecStatusType (*PQresultStatus)(const PGresult *result);
    char         *(*PQresultErrorField)(const PGresult *result, int field);
    int           (*PQntuples)(const PGresult *result);
    int           (*PQnfields)(const PGresult *result);
    Oid           (*PQftype)(const PGresult *result, int column);
    char         *(*PQgetvalue)(const PGresult *result, int row, int column);
    int           (*PQgetisnull)(const PGresult *result, int row, int column);
    char         *(*PQcmdStatus)(PGresult *result);
    char         *(*PQcmdTuples)(PGresult *result);
    void          (*PQclear)(PGresult *result);
    void          (*PQfreemem)(void *what);
} una_libpq;

extern const una_library una_libpq_library;

#endif
