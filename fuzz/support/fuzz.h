/* SPDX-License-Identifier: MIT
 *
 * What fuzz targets share: a bounded run whose memory is counted, the oracles, a reader of options from the input, and
 * a folder in memory for what must be a file. A target is fuzz/NAME.c with LLVMFuzzerTestOneInput; docs/develop/FUZZING.md
 * tells how to add one. Whatever is wrong aborts: libFuzzer and replay.c name the input then.
 */
#ifndef UNA_FUZZ_H
#define UNA_FUZZ_H

#include "base/base.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);        /* libFuzzer's own; replay.c has a stand-in */

/* ---- oracles ------------------------------------------------------------------------------------- */

/* FUZZ_CHECK(saved == loaded, "%s: other bits", name) */
#define FUZZ_CHECK(holds, ...) ((holds) ? (void)0 : fuzz_wrong(__FILE__, __LINE__, #holds, __VA_ARGS__))
_Noreturn void fuzz_wrong(const char *file, int line, const char *holds, const char *format, ...) UNA_PRINTF(4, 5);

/* A run of one input. Its allocator counts; what is held when it ends is a leak. */
typedef struct fuzz_world {
    una_run *run;
    long     left;               /* requests for memory still granted; below 0: all                */
    long     ticks;              /* reports of progress until it is cancelled; below 0: never      */
    long     live;               /* blocks held now                                                */
    size_t   held, peak;         /* bytes held now, and at most so far                             */
    bool     starved, cancelled; /* a request was refused, a report answered with "stop"           */
} fuzz_world;

typedef struct fuzz_limits {
    uint64_t memory;             /* bytes; 0: 256 MB                                               */
    long     allocations;        /* so many are granted, then none; 0: all; below 0: none, and so many pieces of 64
                                    bytes are left in the run's scratch                            */
    long     ticks;              /* so many reports of progress, then it is cancelled; 0: any      */
    const una_read_settings *reading;
    uint64_t seed;
} fuzz_limits;

/* One thread, no cache, no scratch files. False: not even the run was granted, and there is nothing to end. */
bool fuzz_begin(fuzz_world *world, fuzz_limits limits);
/* The run goes; aborts if anything made with it has not gone before. */
void fuzz_end(fuzz_world *world);
/* How many allocations a byte of the input grants: below 128 all (0), below 192 one to a thousand, else none but some
 * pieces of scratch. Arenas ask for whole blocks; so inputs reach the branch of each single request that fails. */
long fuzz_allocations(uint8_t byte);

/* The status is passed on: UNA_OK, or a failure with a sentence that the world can explain. With UNA_FUZZ_TELL=1 in the
 * environment every call and its sentence are printed. */
una_status fuzz_explain(una_status status, const fuzz_world *world, const char *call);
#define FUZZ_EXPLAIN(call, world) fuzz_explain((call), (world), #call)

void fuzz_finite(const double *values, size_t count, const char *what);
/* Bits agree, also those of NAN and -0. */
void fuzz_same(const double *a, const double *b, size_t count, const char *what);
void fuzz_utf8(const char *text, size_t size, const char *what);
void fuzz_json(const char *text, size_t size, const char *what);         /* by Jansson, any value */
/* At most 64 times the bytes that were there, and 1 MB; since fuzz_memory_from. */
void fuzz_memory_from(fuzz_world *world);
void fuzz_memory(const fuzz_world *world, size_t bytes, const char *what);
/* The same with another factor: a table of one-byte cells has names and cells that are larger. */
void fuzz_memory_times(const fuzz_world *world, size_t times, size_t bytes, const char *what);
/* Tables of text: 512 times and 4 MB, since words have a table of their own. */
void fuzz_memory_text(const fuzz_world *world, size_t bytes, const char *what);
/* What Jansson takes from the first call to the second, which is no world's: at most what una_json_memory says of the
 * text, and nothing that is left. */
void fuzz_jansson_from(void);
void fuzz_jansson(const void *text, size_t size, const char *what);

/* ---- the input ------------------------------------------------------------------------------------ */

/* Options are taken from the front, or from the back where the front is a file's; 0 when there is nothing left. */
typedef struct fuzz_bytes { const uint8_t *at; size_t left; } fuzz_bytes;
uint8_t  fuzz_first(fuzz_bytes *bytes);
uint8_t  fuzz_last(fuzz_bytes *bytes);
uint64_t fuzz_word(fuzz_bytes *bytes);                       /* eight from the front, lowest first  */
double   fuzz_double(fuzz_bytes *bytes);                     /* any bits: also NAN and infinite     */
/* Up to the next NUL (which is taken, too) or the end, as a text with a zero byte; NULL: no memory. Release with
 * free. */
char    *fuzz_text(fuzz_bytes *bytes);

/* ---- files ----------------------------------------------------------------------------------------- */

/* FOLDER/name in one of four rotating buffers; the folder is this process's own, in memory, and goes at exit. */
const char *fuzz_path(const char *name);
const char *fuzz_file(const char *name, const void *bytes, size_t size);     /* written, and its path */
/* What stands in a file, or NULL; release with free. */
unsigned char *fuzz_slurp(const char *path, size_t *size);

#endif
