/* SPDX-License-Identifier: MIT
 *
 * The model file. One exchange function per model both saves and loads: each call names a block and gives
 * a place; when saving the block is written, when loading it is read, checked and placed in the arena.
 *
 *   "UNAMODEL"  u32 version  u32 header length  header (JSON text)  u32 crc of all before
 *   { u32 tag "BLK1"  u8 name length  name  u8 type  u64 count  payload  u32 crc of the block } ...
 *   u32 tag "END."  u64 number of blocks  u32 crc
 *
 * The last crc is that of the end record. Types: 'u' u64, 'd' one double, 'D' doubles, 'F' floats, 't' text,
 * 'n' no text.
 * Little-endian throughout. Blocks must come in the order in which they were written. Loading never trusts a
 * count: it is compared with the bytes that are there, and with the limit the caller gives, before memory is taken.
 * Numbers must be finite where the caller says so. The file depends only on what is exchanged.
 */
#pragma once

#include "base/base.h"

#define UNA_ARCHIVE_VERSION 1u

typedef struct una_archive {
    bool        loading;
    una_arena  *arena;           /* saving: the bytes; loading: what was read                      */
    una_run    *run;
    const char *origin;          /* path, for messages                                             */
    size_t      inputs;          /* of the model being exchanged: its kind checks itself against it */
    const struct una_kind *kind; /* of each member of the mixture that is exchanged; NULL: they name their own     */
    unsigned    depth;           /* mixtures that are being exchanged, one within another (committee/members.h) */
    /* private */
    unsigned char *bytes;
    size_t      size, room, at, blocks;
    una_status  status;          /* sticky: exchange calls after a failure do nothing               */
} una_archive;

una_status una_archive_save_begin(una_archive *ar, const char *header_json, una_arena *arena, una_run *run);
una_status una_archive_save_end(una_archive *ar);                /* ar->bytes, ar->size are the file */
/* Checks magic, version, header and header crc. header (may be NULL) gets the JSON text, in arena. */
una_status una_archive_load_begin(una_archive *ar, const void *bytes, size_t size, const char *origin,
                                  const char **header, una_arena *arena, una_run *run);
una_status una_archive_load_end(una_archive *ar);                /* nothing may be left over         */
/* Reads a model file into memory, for load_begin. A file that does not begin like one is refused before the rest is
 * read. */
una_status una_archive_slurp(unsigned char **bytes, size_t *size, const char *path, una_arena *arena, una_run *run);
/* Only the header of a file, which is at most 16 MiB; the rest may be of any size and is not looked at. */
una_status una_archive_header(const char **json, const char *path, una_arena *arena, una_run *run);

/* Each: saving writes, loading fills. Return the sticky status. Saving refuses what loading would refuse: a number
 * that is not finite is UNA_E_NUMERIC then. */
una_status una_archive_u64(una_archive *ar, const char *name, uint64_t *value, uint64_t low, uint64_t high);
/* The same for a size, for true or false, and for one of `count` words, numbered from 0. */
una_status una_archive_size(una_archive *ar, const char *name, size_t *value, uint64_t low, uint64_t high);
una_status una_archive_flag(una_archive *ar, const char *name, bool *value);
una_status una_archive_word(una_archive *ar, const char *name, int *value, int count);
una_status una_archive_f64(una_archive *ar, const char *name, double *value);                      /* finite */
/* NULL stays NULL; no NUL inside; at most UNA_LONGEST_TEXT. */
una_status una_archive_text(una_archive *ar, const char *name, const char **text);
/* The same for a text that is never empty. */
una_status una_archive_name(una_archive *ar, const char *name, const char **text);
/* *values has exactly `count` items (loading allocates). All finite. */
una_status una_archive_f64s(una_archive *ar, const char *name, double **values, size_t count);
una_status una_archive_f32s(una_archive *ar, const char *name, float **values, size_t count);
/* Loading: whether the next block has that name. Files from before a block existed do not have it. */
bool una_archive_next_is(const una_archive *ar, const char *name);
/* A failure in the caller's own checks while loading: "FILE: the block NAME ...". */
una_status una_archive_refuse(una_archive *ar, const char *name, const char *why);
/* Call it before memory is taken by a count that a file states: the counted items follow in the file, with at least
 * `bytes` for each. Refuses a count beyond what is left of the file; never refuses while saving. */
una_status una_archive_expect(una_archive *ar, const char *name, uint64_t count, size_t bytes);

/* Limits of a file, for checks before a fit whose model could not be saved. */
enum { UNA_LONGEST_TEXT = 1 << 20 };

typedef struct una_stream {      /* a file that is read into memory, in pieces                     */
    FILE       *file;
    const char *path;
    una_arena  *arena;
    una_run    *run;
    una_stamp   stamp;           /* when it was opened                                              */
    unsigned char *bytes;        /* [size] so far, and a zero byte behind them                      */
    size_t      size;
} una_stream;

/* Opens for reading; folders and missing files are UNA_E_IO naming the path. */
una_status una_stream_open(una_stream *stream, const char *path, una_arena *arena, una_run *run);
/* Reads on until `most` bytes are there, or the end; memory grows with what is really there. hint: how many bytes are
 * expected, 0 if unknown. */
una_status una_stream_take(una_stream *stream, size_t most, size_t hint);
/* All that is left, if `status` is UNA_OK; refused if the file was written to meanwhile. Closes it either way. */
una_status una_stream_rest(unsigned char **bytes, size_t *size, una_stream *stream, una_status status);
/* A file into memory (bounded by the run's limit); refused if it was written to meanwhile. One zero byte follows, so
 * text can be read as a string. */
una_status una_slurp(unsigned char **bytes, size_t *size, const char *path, una_arena *arena, una_run *run);
