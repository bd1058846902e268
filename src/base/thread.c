/* SPDX-License-Identifier: MIT
 *
 * See thread.h. Signals that a thread causes itself keep their meaning (faults, a pipe without a reader, a file beyond
 * its limit), and so does the clock of profilers.
 */
#define _XOPEN_SOURCE 700        /* SIGPROF */

#include "base/thread.h"

#include <signal.h>

int una_thread_start(pthread_t *thread, void *(*body)(void *context), void *context)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE, SIGXFSZ, SIGPROF };
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    int number = pthread_create(thread, NULL, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return number;
}
