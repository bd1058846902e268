/* SPDX-License-Identifier: MIT
 *
 * A una_ranks made of MPI. MPI waits by polling, which keeps a core busy. Here a waiting rank polls at once at first,
 * then yields the core, then sleeps longer and longer: short waits between training steps stay short, and a rank that
 * waits for an hour takes nothing from the others.
 */
#include "una_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { TAG = 1, AT_ONCE = 100, YIELDING = 3000, NAP_NS = 50000, LONGEST_NAP_NS = 1000000, PATIENCE_S = 5 };

typedef struct world { una_ranks ranks; MPI_Comm all; } world;

static void mpi_wait(unsigned *tries)
{
    struct timespec nap = { .tv_nsec = NAP_NS };
    if (++*tries <= AT_ONCE) return;
    if (*tries <= YIELDING) {
        sched_yield();
        return;
    }
    for (unsigned i = YIELDING; i < *tries && nap.tv_nsec < LONGEST_NAP_NS; i += 16) nap.tv_nsec *= 2;
    nanosleep(&nap, NULL);
}

static int mpi_send(void *context, int to, const void *bytes, size_t count)
{
    world *w = context;
    MPI_Request request;
    int done = 0;
    if (count > INT_MAX || MPI_Isend(bytes, (int)count, MPI_BYTE, to, TAG, w->all, &request) != MPI_SUCCESS) return 1;
    for (unsigned tries = 0;; mpi_wait(&tries)) {
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
        if (done) return 0;
    }
}

static int mpi_receive(void *context, int from, void *bytes, size_t count)
{
    world *w = context;
    MPI_Status status;
    int there = 0, length = 0;
    if (count > INT_MAX) return 1;
    for (unsigned tries = 0; !there; mpi_wait(&tries))
        if (MPI_Iprobe(from, TAG, w->all, &there, &status) != MPI_SUCCESS) return 1;
    if (MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS || length != (int)count) return 1;
    return MPI_Recv(bytes, length, MPI_BYTE, from, TAG, w->all, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static int mpi_arrived(void *context, int *from, size_t *count)
{
    world *w = context;
    MPI_Status status;
    int there = 0, length = 0;
    *from = -1;
    *count = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, w->all, &there, &status) != MPI_SUCCESS) return 1;
    if (!there) return 0;
    if (MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS || length < 0) return 1;
    *from = status.MPI_SOURCE;
    *count = (size_t)length;
    return 0;
}

/* ---- coming and going ---------------------------------------------------------------------------------------- */

una_status una_mpi_join(const una_ranks **ranks)
{
    int before = 0, level = 0;
    *ranks = NULL;
    if (MPI_Initialized(&before) != MPI_SUCCESS || before) return UNA_E_USAGE;
    world *w = calloc(1, sizeof *w);
    if (!w) return UNA_E_MEMORY;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS || level < MPI_THREAD_SERIALIZED ||
        MPI_Comm_dup(MPI_COMM_WORLD, &w->all) != MPI_SUCCESS) {
        free(w);
        return UNA_E_IO;
    }
    MPI_Comm_set_errhandler(w->all, MPI_ERRORS_RETURN);
    w->ranks = (una_ranks){ .size = sizeof w->ranks, .context = w, .send = mpi_send, .receive = mpi_receive,
                            .arrived = mpi_arrived };
    MPI_Comm_rank(w->all, &w->ranks.rank);
    MPI_Comm_size(w->all, &w->ranks.count);
    *ranks = &w->ranks;
    return UNA_OK;
}

static double mpi_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int una_mpi_leave(const una_ranks *ranks, una_status status, void (*mpi_leave_notice)(void *context), void *context)
{
    if (!ranks) return 0;
    world *w = ranks->context;
    int mine = status == UNA_OK ? ranks->count : ranks->rank, lowest = mine, all = 0;
    double begun = mpi_seconds();
    MPI_Request request;
    if (MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, w->all, &request) != MPI_SUCCESS) all = -1;
    for (unsigned tries = 0; all == 0; mpi_wait(&tries)) {
        if (MPI_Test(&request, &all, MPI_STATUS_IGNORE) != MPI_SUCCESS) all = -1;
        if (all == 0 && status != UNA_OK && mpi_seconds() - begun > PATIENCE_S) all = -1;
    }

    int reports = all < 0 ? status != UNA_OK : lowest == mine && status != UNA_OK;
    if (reports && mpi_leave_notice) mpi_leave_notice(context);
    if (all < 0) MPI_Abort(w->all, status == UNA_OK ? UNA_E_IO : (int)status);
    MPI_Comm_free(&w->all);
    MPI_Finalize();
    free(w);
    return reports;
}

const char *una_mpi_build_info(void)
{
#if defined(OMPI_MAJOR_VERSION)
#define WORD_OF(number) WORD(number)
#define WORD(number) #number
    return "ranks    Open MPI " WORD_OF(OMPI_MAJOR_VERSION) "." WORD_OF(OMPI_MINOR_VERSION) "."
           WORD_OF(OMPI_RELEASE_VERSION) "\n";
#elif defined(MPICH_VERSION)
    return "ranks    MPICH " MPICH_VERSION "\n";
#else
    return "ranks    MPI\n";
#endif
}
