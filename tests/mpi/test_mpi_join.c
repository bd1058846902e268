/* SPDX-License-Identifier: MIT
 *
 * Joining without memory. There is no run yet, and so no allocator of the caller's: what asks the system is told that
 * there is none, before MPI is started.
 */
#include "test_support.h"

static void *no_memory(size_t count, size_t size)
{
    (void)count;
    (void)size;
    return NULL;
}

#define calloc no_memory
#include "mpi/mpi.c"
#undef calloc

static void no_memory_is_reported(void **state)
{
    const una_ranks *ranks = (const una_ranks *)&ranks;
    int started = 1;
    (void)state;
    assert_int_equal(una_mpi_join(&ranks), UNA_E_MEMORY);
    assert_null(ranks);
    assert_int_equal(MPI_Initialized(&started), MPI_SUCCESS);
    assert_false(started);
    assert_int_equal(una_mpi_leave(ranks, UNA_E_MEMORY, NULL, NULL), 0);         /* nobody to leave */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_memory_is_reported) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
