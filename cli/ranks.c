/* SPDX-License-Identifier: MIT
 *
 * Under mpirun or srun: one of several processes, "ranks". Verbs that can share their work join the others through
 * libuna_mpi, and every rank makes the same calls; rank 0 alone does everything else, and the others end successfully
 * at once. Rank 0 prints for all. A process that was started by itself does not even load MPI.
 */
#define _GNU_SOURCE              /* sched_getaffinity */
#include "cli.h"
#include "una_mpi.h"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

static struct {
    bool started;                /* by mpirun or srun                                               */
    int  rank, count, here;      /* here: ranks on this machine                                     */
    char held[2048];             /* the last error of a rank that keeps quiet                       */
    bool reported;                   /* it spoke for all                                                */
} world = { .count = 1, .here = 1 };

/* Open MPI's mpirun, others' mpirun, srun --mpi=pmix; in the batch script of a Slurm job none of them is set. */
static const char *const rank_names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL };
static const char *const count_names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL };
static const char *const here_names[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE",
                                          NULL };

/* The first of them that is a number; one like "4(x3)" begins with it. */
static int number_of(const char *const *names, int otherwise)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text >= '0' && *text <= '9') return atoi(text);
    }
    return otherwise;
}

void cli_ranks_detect(void)
{
    int rank = number_of(rank_names, -1);
    if (rank < 0) return;
    world.started = true;
    world.rank = rank;
    world.count = number_of(count_names, 2);             /* not said: MPI will know */
    world.here = number_of(here_names, 1);
    if (rank > 0 && !freopen("/dev/null", "w", stdout)) exit(UNA_E_IO);
}

int cli_rank(void)
{
    return world.rank;
}

bool cli_rank_started(void)
{
    return world.started;
}

int cli_rank_threads(void)
{
    cpu_set_t allowed;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), share = cores / (world.here > 0 ? world.here : 1);
    if (!world.started) return 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) < share)
        share = CPU_COUNT(&allowed);                     /* mpirun may have bound it to fewer */
    return share > 1 ? (int)share : 1;
}

void cli_rank_keep_error(const cli *c, const char *sentence)
{
    const char *name = c->verb ? c->verb->name : "", *blank = c->verb ? " " : "";
    bool named = strncmp(sentence, "rank ", 5) == 0;
    char who[32] = "";
    if (!named) snprintf(who, sizeof who, "rank %d: ", world.rank);
    snprintf(world.held, sizeof world.held, "una%s%s: %s%.1900s", blank, name, who, sentence);
}

/* So that programs which this process starts do not take themselves for ranks. */
static void forget_environment(void)
{
    const char *const *const lists[] = { rank_names, count_names, here_names };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *const *name = lists[i]; *name; name++) unsetenv(*name);
}

/* libuna_mpi: beside the program, where a build has it, or where the system's loader finds it. */
static const char library[] = "libuna_mpi.so.0", beside[] = "$ORIGIN/libuna_mpi.so.0";

static struct {
    __typeof__(una_mpi_join)       *join;
    __typeof__(una_mpi_leave)      *leave;
    __typeof__(una_mpi_build_info) *build_info;
} mpi;

static bool find(void *call, void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    memcpy(call, &found, sizeof found);
    return found != NULL;
}

/* Global: parts that MPI loads itself look for its symbols among those of the whole process. */
static bool load_library(void)
{
    if (mpi.join) return true;
    void *handle = dlopen(beside, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    if (!handle) handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    return handle && find(&mpi.build_info, handle, "una_mpi_build_info") &&
           find(&mpi.leave, handle, "una_mpi_leave") && find(&mpi.join, handle, "una_mpi_join");
}

const char *cli_rank_info(void)
{
    return load_library() ? mpi.build_info() : "ranks    none, for want of libuna_mpi.so.0 or of MPI\n";
}

static void print_held_error(void *context)
{
    (void)context;
    if (world.rank > 0 && *world.held) fprintf(stderr, "%s\n", cli_escaped_lines(world.held));
}

static una_status run_with_mpi(cli *c, una_status (*body)(cli *c))
{
    /* Reading each other's memory is forbidden in most containers, and Open MPI says so with every message. */
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    if (!load_library())
        return cli_fail(c, UNA_E_USAGE, "this is one of %d processes, and each of them would do all of the work: the "
                        "library %s, which brings them together, cannot be loaded; install it and MPI (Debian: "
                        "libuna0, openmpi-bin; or build una where MPI is), or start una without mpirun", world.count,
                        library);
    una_status status = mpi.join(&c->ranks);
    forget_environment();
    if (status != UNA_OK) return cli_fail(c, status, "this is one of several processes, and MPI does not start: %s",
                                          una_status_text(status));
    world.rank = c->ranks->rank;
    world.count = c->ranks->count;
    status = body(c);
    fflush(stdout);
    world.reported = mpi.leave(c->ranks, status, print_held_error, NULL) != 0;
    c->ranks = NULL;
    return status;
}

/* Rank 0 speaks for all, also by its exit status: when one process fails, mpirun ends the others, and one of these may
 * be about to print the error. */
una_status cli_rank_status(una_status status)
{
    return world.rank > 0 && !world.reported ? UNA_OK : status;
}

una_status cli_with_ranks(cli *c, una_status (*body)(cli *c))
{
    if (world.count > 1 && c->verb->common & CLI_WITH_RANKS) return run_with_mpi(c, body);
    forget_environment();
    return world.rank > 0 ? UNA_OK : body(c);
}
