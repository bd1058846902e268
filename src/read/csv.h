/* SPDX-License-Identifier: MIT
 *
 * Records of a text file with delimiters (also .gz), one at a time, as cells that point into the reading buffer, and
 * what a cell means. No cell is copied and none is allocated.
 */
#pragma once

#include "data/cell_format.h"
#include "data/names.h"
#include "read/bytes.h"
#include "read/csv_dialect.h"

typedef struct una_cell {
    char  *at;                   /* not terminated; quotes taken off, doubled quotes made single       */
    size_t length;
    bool   quoted, doubled;
} una_cell;

/* The value of a cell of a una_csv. Missing: empty, NA, NaN, null, ? in any case. Infinite: inf, infinity, 1e999. */
una_cell_kind una_cell_read(const una_cell *cell, double *value);
/* Blanks at both ends taken off, unless the cell was quoted. */
una_cell una_cell_trimmed(const una_cell *cell);

enum { UNA_CSV_SLACK = 16 };     /* bytes behind the last one that may be looked at                  */

typedef struct una_csv {
    una_run     *run;
    una_arena   *arena;          /* holds it all, and closes it                                     */
    const char  *path;
    void        *file;           /* gzFile, or NULL: the file is read as it is                      */
    int          handle;         /* the file's, which zlib closes if it has it                      */
    una_stamp    stamp;          /* when it was opened                                              */
    una_csv_dialect dialect;     /* as detected, or as a person says                                */
    const char **names;          /* [columns], from the header                                      */
    size_t       columns;
    una_cell    *cells;          /* [columns] of the record just read                               */
    size_t       record_line;    /* where it begins                                                 */
    size_t       trailing;       /* columns behind the last with a name, without a cell             */
    bool         unnamed;        /* the first column had no name and was given one                  */
    size_t       comments;       /* lines passed over so far                                        */
    /* private */
    char        *buffer;         /* [room + UNA_CSV_SLACK], not of the arena; unread bytes are start .. end, and a line
                                    feed stands behind them                                         */
    size_t       longest;        /* bytes of a record, at most                                      */
    size_t       first, first_line;      /* where the header begins                                 */
    size_t       room, start, end, line, cell_count, cell_room, size, taken;    /* taken: bytes read in all */
    bool         finished;       /* the file has no more bytes                                      */
    size_t       spooled;        /* bytes of it in a scratch file                                   */
} una_csv;

/* In the arena, with which it is closed. Reads the header: every column must have a name, and no two the same. "-" is
 * the standard input, all of which is kept in a scratch file. */
una_status una_csv_open(una_csv **csv, const char *path, una_arena *arena);
/* *more is false at the end. Lines that begin with # and have another number of cells are passed over. A row with
 * more or fewer cells than the header is an error. */
una_status una_csv_next(una_csv *csv, bool *more);
/* What a column of numbers is watched for: its points may be thousands marks. */
typedef enum una_point_watch {
    UNA_WATCH_NOTHING,           /* a number such as 1.5 has proved it to be decimal, or it is settled */
    UNA_WATCH_POINTS,            /* there was none yet                                              */
    UNA_WATCH_PROOF              /* only such as 1.234 so far, which could be thousands             */
} una_point_watch;
/* The same for a record that is wholly in the buffer and holds numbers (or nothing, NAN) in all wanted columns, none of
 * which its column is watched for: fills values [columns] and leaves cells as they were. Otherwise false, and nothing
 * has changed. */
bool       una_csv_numbers(una_csv *csv, double *values, const bool *unwanted, const una_point_watch *watch);
/* Reads a number in decimal or exponent form at *from and steps over it; false leaves it to una_parse_number. Eight
 * bytes beyond its end must be readable, the first of them no digit. */
bool       una_number_at(const char **from, double *value);
/* Back to the first row after the header; not possible with a pipe. */
una_status una_csv_rewind(una_csv *csv);
/* Whether some cell may be a number with a decimal comma, by a quick pass over all bytes that may err towards yes.
 * Rewind before and after. */
una_status una_csv_glance(una_csv *csv, bool *may_have_commas);
/* Share of the file read so far, 0..1. */
double     una_csv_fraction(const una_csv *csv);

/* Its name in sentences: "-" is the standard input. */
const char *una_path_shown(const char *path);
/* Does the name end so? In any case of letters. */
bool una_path_ends(const char *path, size_t length, const char *ending);
