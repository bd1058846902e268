/* SPDX-License-Identifier: MIT
 *
 * See trace.h.
 */
#define _GNU_SOURCE

#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 60 };                   /* seconds; a run takes some hundredths of one */

/* ---- which calls ------------------------------------------------------------------------------------------- */

typedef struct kind { long number; const char *name; bool changes; const int *errors; } kind;

static const int opening[] = { ENOSPC, EMFILE, EIO, EACCES, EINTR, 0 }, reading[] = { EIO, EINTR, -1, 0 };
static const int writing[] = { ENOSPC, EIO, EDQUOT, -1, EINTR, 0 };
static const int syncing[] = { EIO, EINVAL, ENOSYS, ENOSPC, ENOTSUP, EINTR, 0 };
static const int renaming[] = { EIO, EBUSY, EXDEV, ENOSPC, EACCES, 0 }, removing[] = { EIO, EACCES, 0 };
static const int sizing[] = { ENOSPC, EIO, EINTR, 0 }, closing[] = { EIO, EINTR, 0 }, mapping[] = { ENOMEM, 0 };
static const int looking[] = { EIO, EACCES, 0 }, locking[] = { ENOLCK, EINTR, EAGAIN, 0 };

static const kind kinds[] = {
    { SYS_open, "open", true, opening }, { SYS_openat, "openat", true, opening },
    { SYS_creat, "creat", true, opening }, { SYS_mkdir, "mkdir", true, opening },
    { SYS_read, "read", false, reading }, { SYS_pread64, "pread", false, reading },
    { SYS_readv, "readv", false, reading },
    { SYS_write, "write", true, writing }, { SYS_pwrite64, "pwrite", true, writing },
    { SYS_writev, "writev", true, writing }, { SYS_pwritev, "pwritev", true, writing },
    { SYS_fsync, "fsync", true, syncing }, { SYS_fdatasync, "fdatasync", true, syncing },
    { SYS_rename, "rename", true, renaming }, { SYS_renameat, "renameat", true, renaming },
    { SYS_renameat2, "renameat2", true, renaming }, { SYS_link, "link", true, renaming },
    { SYS_linkat, "linkat", true, renaming },
    { SYS_unlink, "unlink", true, removing }, { SYS_unlinkat, "unlinkat", true, removing },
    { SYS_rmdir, "rmdir", true, removing },
    { SYS_ftruncate, "ftruncate", true, sizing }, { SYS_fallocate, "fallocate", true, sizing },
    { SYS_close, "close", false, closing }, { SYS_mmap, "mmap", false, mapping },
    { SYS_stat, "stat", false, looking }, { SYS_fstat, "fstat", false, looking },
    { SYS_lstat, "lstat", false, looking }, { SYS_newfstatat, "fstatat", false, looking },
    { SYS_access, "access", false, looking }, { SYS_readlink, "readlink", false, looking },
    { SYS_getdents64, "getdents", false, looking }, { SYS_lseek, "lseek", false, looking },
    { SYS_fchmod, "fchmod", false, looking }, { SYS_statfs, "statfs", false, looking },
    { SYS_fcntl, "fcntl", false, locking }, { SYS_flock, "flock", false, locking },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const kind *find(long number)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].number == number) return &kinds[i];
    return &kinds[0];
}

bool changes_files(long number) { return find(number)->changes; }
const int *errors_of(long number) { return find(number)->errors; }
const char *name_of(long number) { return find(number)->name; }

/* ---- the program that is traced ---------------------------------------------------------------------------- */

static void take_filter(void)
{
    struct sock_filter filter[KINDS + 3] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
    for (unsigned i = 0; i < KINDS; i++)
        filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)kinds[i].number,
                                                     (unsigned char)(KINDS - i), 0);
    filter[1 + KINDS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[2 + KINDS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    struct sock_fprog program = { KINDS + 3, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("no filter of system calls");
        _exit(126);
    }
}

static void become(const command *c, bool traced_one)
{
    int in = open("/dev/null", O_RDONLY);
    int out = open(c->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int err = open(c->err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (in < 0 || out < 0 || err < 0 || chdir(c->folder) != 0) _exit(126);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    for (int i = 3; i < 64; i++) close(i);
    if (traced_one) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        take_filter();
    }
    execv(c->words[0], (char *const *)c->words);
    _exit(126);
}

static volatile pid_t under_way;
static volatile sig_atomic_t too_late;

static void on_alarm(int number)
{
    (void)number;
    too_late = 1;
    if (under_way > 0) kill(under_way, SIGKILL);
}

static pid_t start(const command *c, bool traced_one)
{
    struct sigaction action = { .sa_handler = on_alarm };
    sigaction(SIGALRM, &action, NULL);
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) become(c, traced_one);
    if (process < 0) {
        perror("no process");
        exit(126);
    }
    too_late = 0;
    under_way = process;
    alarm(LONGEST);
    return process;
}

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int plain_run(const command *c)
{
    int status;
    pid_t process = start(c, false);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    alarm(0);
    under_way = 0;
    return code_of(status);
}

/* ---- the tracer -------------------------------------------------------------------------------------------- */

typedef struct tracer {
    pid_t        process;
    const fault *faults;
    watcher     *watch;
    void        *context;
    bool         begun, logs;
    size_t       room;
    traced       result;
} tracer;

static call read_call(pid_t thread, struct user_regs_struct *r)
{
    ptrace(PTRACE_GETREGS, thread, NULL, r);
    return (call){ .number = (long)r->orig_rax, .argument = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 },
                   .thread = thread };
}

static void note(tracer *t, long number)
{
    traced *r = &t->result;
    r->calls++;
    if (!t->logs) return;
    if (r->calls >= t->room) {
        t->room = 2 * t->room + 256;
        r->log = realloc(r->log, t->room * sizeof *r->log);
        if (!r->log) exit(126);
    }
    r->log[r->calls] = (short)number;
}

/* The call is made, and has ended when this returns; false: the program has ended instead. */
static bool let_it(pid_t thread, struct user_regs_struct *r)
{
    int status;
    ptrace(PTRACE_SYSCALL, thread, NULL, NULL);
    while (waitpid(thread, &status, __WALL) < 0 && errno == EINTR) continue;
    if (!WIFSTOPPED(status)) return false;
    ptrace(PTRACE_GETREGS, thread, NULL, r);
    return true;
}

/* Calls move where a fault came before: the one that was to be cut short may be another now. */
static bool is_divisible(long number)
{
    const int *e = errors_of(number);
    while (*e > 0) e++;
    return *e < 0;
}

/* Giving a lock back cannot fail; SQLite, which is told that it did, would wait for itself, for five minutes. */
static bool gives_lock_back(const call *c)
{
    if (c->number != SYS_fcntl || (c->argument[1] != F_SETLK && c->argument[1] != F_SETLKW)) return false;
    long word = ptrace(PTRACE_PEEKDATA, c->thread, (void *)c->argument[2], NULL);
    return (short)word == F_UNLCK;                               /* l_type comes first */
}

static void strike(tracer *t, const fault *f, const call *c, struct user_regs_struct *r)
{
    if ((f->blow == SHORTEN && !is_divisible(c->number)) || (f->blow == FAIL && gives_lock_back(c))) return;
    t->result.struck++;
    if ((c->number == SYS_write || c->number == SYS_writev) && c->argument[0] == 2) t->result.in_stderr = true;
    if (f->blow == KILL) {
        t->result.killed = true;
        kill(t->process, SIGKILL);
    } else if (f->blow == SHORTEN) {
        bool vector = c->number == SYS_writev || c->number == SYS_pwritev || c->number == SYS_readv;
        if (r->rdx > 1) r->rdx = vector ? 1 : r->rdx / 2;        /* the first of several pieces */
    } else if (c->number != SYS_close || let_it(c->thread, r)) {         /* which closes also where it fails */
        if (c->number != SYS_close) r->orig_rax = (unsigned long long)-1;
        r->rax = (unsigned long long)-(long long)f->number;
    }
    ptrace(PTRACE_SETREGS, c->thread, NULL, r);
}

static void watch_call(tracer *t, call *c, struct user_regs_struct *r)
{
    t->watch(t->context, c, true);
    if (!let_it(c->thread, r)) return;
    c->result = (long long)r->rax;
    t->watch(t->context, c, false);
}

static void on_call(tracer *t, pid_t thread)
{
    struct user_regs_struct r;
    call c = read_call(thread, &r);
    if (!t->begun) {
        t->begun = c.number == SYS_fcntl && c.argument[0] == 0 && c.argument[1] == F_GETFD;      /* una's first */
        return;
    }
    note(t, c.number);
    for (size_t i = 0; t->faults && i < MOST_FAULTS; i++)
        if (t->faults[i].at == t->result.calls) strike(t, &t->faults[i], &c, &r);
    if (t->watch && changes_files(c.number)) watch_call(t, &c, &r);
}

static void on_stop(tracer *t, pid_t thread, int status)
{
    int number = WSTOPSIG(status), event = status >> 16;
    bool own = event != 0 || number == SIGSTOP || number == SIGTRAP || number == (SIGTRAP | 0x80);
    if (event == PTRACE_EVENT_SECCOMP) on_call(t, thread);
    ptrace(PTRACE_CONT, thread, NULL, (void *)(long)(own ? 0 : number));
}

traced trace(const command *c, const fault *faults, bool log, watcher *watch, void *context)
{
    tracer t = { .process = start(c, true), .faults = faults, .watch = watch, .context = context, .logs = log };
    const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
                         | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    int status;
    while (waitpid(t.process, &status, __WALL) < 0 && errno == EINTR) continue;
    ptrace(PTRACE_SETOPTIONS, t.process, NULL, (void *)options);
    ptrace(PTRACE_CONT, t.process, NULL, NULL);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) break;
        if (WIFSTOPPED(status)) on_stop(&t, thread, status);
        else if (thread == t.process) break;
    }
    alarm(0);
    under_way = 0;
    t.result.code = code_of(status);
    t.result.late = too_late;
    return t.result;
}
