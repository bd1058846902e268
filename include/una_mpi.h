/* SPDX-License-Identifier: MIT
 *
 * libuna_mpi: lets processes started by mpirun or srun work together. Needs MPI (Open MPI, MPICH); una.h has the rest.
 *
 *     const una_ranks *ranks;
 *     una_status status = una_mpi_join(&ranks);               before all else
 *     una_run_settings settings = { .size = sizeof settings, .ranks = ranks };
 *     ...                                                     every rank makes the same calls
 *     una_mpi_leave(ranks, status, NULL, NULL);               after all else
 */
#ifndef UNA_MPI_H
#define UNA_MPI_H

#include "una.h"

UNA_BEGIN_DECLS

/* Starts MPI and connects to the other ranks. A process started without mpirun is the only rank. UNA_E_IO: MPI does not
 * start, or cannot be used from several threads in turn; UNA_E_USAGE: this process has started MPI before. */
una_status una_mpi_join(const una_ranks **ranks);

/* Ends MPI once all ranks have called this. A rank with a status other than UNA_OK waits five seconds for the others.
 * Ranks that are still missing then are waiting for this one, so it ends the whole job. `tell` (may be NULL) is called
 * on the lowest rank that failed, before the job ends: for an error message that should appear once. Returns 1 on that
 * rank, otherwise 0. */
int        una_mpi_leave(const una_ranks *ranks, una_status status, void (*tell)(void *context), void *context);

/* One line: the MPI that was built in. */
const char *una_mpi_build_info(void);

UNA_END_DECLS

#endif
