/* SPDX-License-Identifier: MIT
 *
 * Libraries that few calls need, loaded by the first of these calls: a program that never draws a PDF runs where Cairo
 * is not installed. A library is named by its full soname and found where the system's loader looks, as if it had been
 * linked. It stays loaded: loading it once more only counts.
 *
 *     struct calls { const char *(*zlibVersion)(void); } calls;
 *     static const una_symbol symbols[] = { UNA_SYMBOL(struct calls, zlibVersion) };
 *     static const una_library zlib = { "libz.so.1", "packed files", "zlib1g", symbols, UNA_COUNT_OF(symbols) };
 *     UNA_TRY(una_library_load(&calls, &zlib, run));
 */
#pragma once

#include "base/base.h"

#define UNA_SYMBOL(calls, name) { #name, offsetof(calls, name) }
#define UNA_COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef struct una_symbol { const char *name; size_t at; } una_symbol;   /* at: of its pointer in the struct of calls */

typedef struct una_library {
    const char *soname;                  /* "libz.so.1"                                            */
    const char *purpose;                 /* what needs it, as the subject of a sentence, in plural */
    const char *package;                 /* of Debian                                              */
    const una_symbol *symbols;
    size_t      count;
} una_library;

/* Fills `calls`, a struct of pointers to functions. UNA_E_IO, with a sentence that says what to install, where the
 * library or one of the symbols is not there. */
una_status una_library_load(void *calls, const una_library *library, una_run *run);
/* Would that be UNA_OK? */
bool       una_library_is_there(const una_library *library);
