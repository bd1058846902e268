/* SPDX-License-Identifier: MIT
 *
 * A command as it is seen from outside, for tests of the program:
 *   watch stop SECONDS COMMAND...   one SIGTERM after so many seconds; prints
 *                                   "STATUS WALL CPU": exit status (128 + signal), seconds from the signal to the end,
 *                                   and seconds of all its threads in that time; "early STATUS" if it had ended before
 *   watch count COMMAND...          prints "STATUS INSTRUCTIONS KILOBYTES" of its whole life: instructions in user mode
 *                                   by the counter of the processor, "-" where there is none to be had; most memory
 * A command that takes more than a minute after its signal is killed. Its own output goes where it goes.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(double seconds)
{
    struct timespec t = { (time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds)) };
    nanosleep(&t, NULL);
}

static double spent(const struct rusage *use)
{
    return (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) +
           1e-6 * (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
}

/* Of a process that still runs: fields 14 and 15 of its stat, behind the name in parentheses. */
static double spent_so_far(pid_t child)
{
    char path[64], line[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    if (fgets(line, sizeof line, file) && strrchr(line, ')'))
        sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t begin(char **command, int go)
{
    pid_t child = fork();
    if (child != 0) return child;
    char byte;
    if (go >= 0 && read(go, &byte, 1) < 0) _exit(127);           /* until it is counted */
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static int stop(double after, char **command)
{
    enum { MOST = 60 };
    int status;
    struct rusage use;
    pid_t child = begin(command, -1);
    if (child < 0) return 1;
    for (double end = now() + after; now() < end; pause_for(0.01))
        if (wait4(child, &status, WNOHANG, &use) == child) {
            printf("early %d\n", status_of(status));
            return 0;
        }
    double before = spent_so_far(child), begun = now();
    kill(child, SIGTERM);
    while (wait4(child, &status, WNOHANG, &use) == 0) {
        if (now() - begun > MOST) kill(child, SIGKILL);
        pause_for(0.005);
    }
    printf("%d %.2f %.2f\n", status_of(status), now() - begun, spent(&use) - before);
    return 0;
}

/* Also of threads and children of the process; -1: there is no counter. */
static int counter_of(pid_t child)
{
    struct perf_event_attr about = { .type = PERF_TYPE_HARDWARE, .size = sizeof about,
                                     .config = PERF_COUNT_HW_INSTRUCTIONS, .inherit = 1, .exclude_kernel = 1,
                                     .exclude_hv = 1 };
    return (int)syscall(SYS_perf_event_open, &about, child, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int count(char **command)
{
    int go[2], status;
    struct rusage use;
    uint64_t instructions = 0;
    if (pipe(go) != 0) return 1;
    pid_t child = begin(command, go[0]);
    if (child < 0) return 1;
    int counter = counter_of(child);
    if (write(go[1], "", 1) != 1 || wait4(child, &status, 0, &use) != child) return 1;
    printf("%d ", status_of(status));
    if (counter >= 0 && read(counter, &instructions, sizeof instructions) == sizeof instructions && instructions)
        printf("%llu ", (unsigned long long)instructions);
    else printf("- ");
    printf("%ld\n", use.ru_maxrss);
    return 0;
}

int main(int count_of, char **word)
{
    if (count_of > 3 && strcmp(word[1], "stop") == 0) return stop(atof(word[2]), word + 3);
    if (count_of > 2 && strcmp(word[1], "count") == 0) return count(word + 2);
    fprintf(stderr, "watch stop SECONDS COMMAND... | watch count COMMAND...\n");
    return 1;
}
