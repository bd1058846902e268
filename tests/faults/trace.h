/* SPDX-License-Identifier: MIT
 *
 * A program whose calls of the system about files and memory are counted, whatever library makes them, and of which the
 * n-th fails, is cut short, or is the last: ptrace, with a filter that stops at these calls only. Counting begins where
 * una's own main does, so that the loader is left in peace. Linux on x86-64.
 */
#ifndef UNA_TEST_TRACE_H
#define UNA_TEST_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum blow { FAIL, SHORTEN, KILL } blow;  /* SHORTEN: half of the bytes, as a disk that fills up may do */
typedef struct fault { size_t at; blow blow; int number; } fault;        /* at: from 1; 0: none. number: of the error */
enum { MOST_FAULTS = 2 };

typedef struct command {
    const char *const *words;            /* ends with NULL                                                 */
    const char *folder;                  /* where it runs                                                  */
    const char *out, *err;               /* files that get what it says                                    */
} command;

typedef struct call { long number; unsigned long long argument[6]; long long result; pid_t thread; } call;

/* Before a call that changes files is made (result 0), and after it; the program stands still meanwhile. */
typedef void watcher(void *context, const call *c, bool before);

typedef struct traced {
    size_t calls, struck;                /* counted; faults that came to pass                              */
    int    code;                         /* exit status; below 0: the number of the signal that ended it   */
    bool   killed, late;                 /* by a fault; because it did not end                             */
    bool   in_stderr;                    /* what was struck is its complaint                               */
    short *log;                          /* numbers of the calls, where asked for; free it                 */
} traced;

/* faults [MOST_FAULTS] or NULL, in order; watch may be NULL. */
traced trace(const command *c, const fault *faults, bool log, watcher *watch, void *context);
/* The same without a tracer. */
int plain_run(const command *c);

bool changes_files(long number);
/* Errors that such a call may give, in the order of their weight; 0 ends. Below 0: it is shortened. */
const int *errors_of(long number);
const char *name_of(long number);

#endif
