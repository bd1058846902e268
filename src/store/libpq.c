/* SPDX-License-Identifier: MIT
 *
 * See libpq.h.
 */
#include "store/libpq.h"

#define CALL(name) UNA_SYMBOL(una_libpq, name)

static const una_symbol symbols[] = {
    CALL(PQconnectStartParams), CALL(PQconnectPoll), CALL(PQpingParams), CALL(PQconninfoParse), CALL(PQconninfoFree),
    CALL(PQfinish), CALL(PQstatus), CALL(PQtransactionStatus), CALL(PQerrorMessage), CALL(PQsocket),
    CALL(PQsetNoticeProcessor),
    CALL(PQexec), CALL(PQsendQuery), CALL(PQsendQueryParams), CALL(PQconsumeInput), CALL(PQisBusy), CALL(PQgetResult),
    CALL(PQresultStatus), CALL(PQresultErrorField), CALL(PQntuples), CALL(PQnfields), CALL(PQftype), CALL(PQgetvalue),
    CALL(PQgetisnull), CALL(PQcmdStatus), CALL(PQcmdTuples), CALL(PQclear), CALL(PQfreemem)
};

const una_library una_libpq_library = { "libpq.so.5", "databases on a server of PostgreSQL", "libpq5", symbols,
                                        UNA_COUNT_OF(symbols) };
