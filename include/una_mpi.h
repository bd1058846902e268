/* SPDX-License-Identifier: MIT
 *
 * libuna_mpi: processes that mpirun or srun started work together. Needs MPI (Open MPI, MPICH); una.h has the rest.
 *
 *     const una_ranks *ranks;
 *     una_status status = una_mpi_join(&ranks);               first of all
 *     una_run_settings settings = { .size = sizeof settings, .ranks = ranks };
 *     ...                                                     every rank makes the same calls
 *     una_mpi_leave(ranks, status, NULL, NULL);               last of all
 */
#ifndef UNA_MPI_H
#define UNA_MPI_H

#include "una.h"

UNA_BEGIN_DECLS

/* Starts MPI and finds the others. One started by itself is a rank of one. UNA_E_IO: MPI does not start, or cannot be
 * used from several threads in turn; UNA_E_USAGE: it was started before in this process. */
una_status una_mpi_join(const una_ranks **ranks);

/* Ends MPI, once all ranks are here. A rank with a status other than UNA_OK waits five seconds for the others: who is
 * not here by then will not come, for it waits for this one, and the whole job is ended. `tell` (may be NULL) is called
 * on the lowest of the ranks that failed, before the job ends: the place for an error message that should appear once.
 * Returns 1 on that rank, else 0. */
int        una_mpi_leave(const una_ranks *ranks, una_status status, void (*tell)(void *context), void *context);

/* One line: which MPI was built in. */
const char *una_mpi_build_info(void);

UNA_END_DECLS

#endif
