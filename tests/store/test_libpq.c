/* SPDX-License-Identifier: MIT
 *
 * What una declares of libpq itself is what libpq's own header says, types and numbers, and all of it is there.
 */
#include "test_support.h"

#ifdef UNA_HAS_libpq_header
#include <libpq-fe.h>
#include "libpq_numbers.h"
#endif
#include "store/libpq.h"

#ifdef UNA_HAS_libpq_header
/* 1 where our pointer is one to their function, without a call of it. */
#define IS_THEIRS(name) _Generic(&name, __typeof__(((una_libpq *)0)->name): 1, default: 0)
#define CHECK(name) _Static_assert(IS_THEIRS(name), #name)

CHECK(PQconnectStartParams); CHECK(PQconnectPoll); CHECK(PQpingParams); CHECK(PQconninfoParse); CHECK(PQconninfoFree);
CHECK(PQfinish); CHECK(PQstatus); CHECK(PQtransactionStatus); CHECK(PQerrorMessage); CHECK(PQsocket);
CHECK(PQsetNoticeProcessor); CHECK(PQexec); CHECK(PQsendQuery); CHECK(PQsendQueryParams); CHECK(PQconsumeInput);
CHECK(PQisBusy); CHECK(PQgetResult); CHECK(PQresultStatus); CHECK(PQresultErrorField); CHECK(PQntuples);
CHECK(PQnfields); CHECK(PQftype); CHECK(PQgetvalue); CHECK(PQgetisnull); CHECK(PQcmdStatus); CHECK(PQcmdTuples);
CHECK(PQclear); CHECK(PQfreemem);
#endif

static void every_call_is_named_once(void **state)
{
    (void)state;
    bool named[sizeof(una_libpq) / sizeof(void (*)(void))] = { false };
    assert_int_equal(una_libpq_library.count, UNA_COUNT_OF(named));
    for (size_t i = 0; i < una_libpq_library.count; i++) {
        size_t place = una_libpq_library.symbols[i].at / sizeof(void (*)(void));
        assert_false(named[place]);
        named[place] = true;
    }
}

static void the_library_has_them_all(void **state)
{
    (void)state;
    una_libpq pq;
    una_run *run = quiet_run();
    una_status status = una_library_load(&pq, &una_libpq_library, run);
    if (status != UNA_OK) assert_says(una_run_message(run), "cannot be loaded: install it (Debian: libpq5)");
    else assert_int_equal(pq.PQstatus(NULL), CONNECTION_BAD);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_named_once),
        cmocka_unit_test(the_library_has_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
