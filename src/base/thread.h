/* SPDX-License-Identifier: MIT
 *
 * Threads of our own.
 */
#pragma once

#include <pthread.h>

/* As pthread_create; 0, or the number of the error. The new thread takes no signals that are meant for the process:
 * they reach threads of the caller's, whose calls of the system they are to interrupt. */
int una_thread_start(pthread_t *thread, void *(*body)(void *context), void *context);
