/* SPDX-License-Identifier: MIT
 *
 * Where the results of sweeps are kept: complete rows, each once, durable as soon as una_store_put returns. Several
 * threads and several processes may use one store at the same time; claims share the work among them. A store is one
 * file on a disk, or tables of a server that several machines share.
 */
#pragma once

#include "store/key.h"
#include "store/owner.h"

enum { UNA_MOST_MEASURES = 256 };        /* of one row */

typedef struct una_row {                 /* all that is known of one fit; texts and arrays are borrowed     */
    una_row_key            key;
    const char *const *measure;          /* [count] names                                                   */
    const double      *value;            /* [count]; NAN is a value too                                     */
    size_t             count;
    const char        *options;          /* the spec with every option filled in                            */
    const char        *kernels, *commit; /* the kernel set it ran on; what the program was built from        */
    double             seconds;          /* of the fit                                                      */
} una_row;

/* Is `study` the study of that name, or a variant of it ("uci" and "uci(group=valid)")? */
bool una_row_is_of(const char *study, const char *name);
/* Position of a measure in a row; SIZE_MAX if it has none of that name. */
size_t una_row_find(const una_row *row, const char *measure);

typedef struct una_store una_store;

/* path: of a file, or "postgresql://..."; NULL: in memory. With UNA_DATABASE_JOURNAL it is made if it is not there; with
 * UNA_DATABASE_COPY it is a copy of a file in memory. A file that is no store, a damaged one, or one of a newer una is
 * refused (UNA_E_INPUT). */
una_status una_store_open(una_store **store, const char *path, una_database_mode mode, una_run *run);
void       una_store_close(una_store *store);            /* drops its claims; NULL is harmless                 */

/* Claims the right to make rows, granted [count]: on a disk, twenty claims take as long as one. A row is not granted
 * while a living owner holds it: a process of this host (owner.h) until it ends, one of another host until its claim has
 * not been renewed for two minutes. */
una_status una_store_claim_all(bool *granted, una_store *store, const una_row_key *const *keys, size_t count,
                               una_run *run);
una_status una_store_drop(una_store *store, const una_row_key *key, una_run *run);   /* gives a claim back without a
                                                                                        row */
/* Renews all claims made through this handle; to be called well within two minutes while they last. */
void       una_store_renew(una_store *store);
/* Who has claimed a key; *held false: nobody. Leaves texts in run->scratch. */
una_status una_store_owner(bool *held, una_owner_name *owner, una_store *store, const una_row_key *key, una_run *run);

typedef struct una_put_result {
    size_t      added;                   /* rows that came in                                               */
    size_t      clash;                   /* index of a row that contradicts the store; SIZE_MAX: none does  */
    const char *measure;                 /* of which it has another value: `here`, and `there` in the store */
    double      here, there;
} una_put_result;

/* All rows or none; claims on them end. A row whose key is there takes its place if `replace`. Else what is there is
 * left as it is, and a row of the same kernel set that contradicts it (another value of a measure that both have) is
 * UNA_E_INPUT. result may be NULL. */
una_status una_store_put(una_store *store, const una_row *rows, size_t count, bool replace, una_put_result *result,
                         una_run *run);
const char *una_store_path(const una_store *store);
/* The row of a key, in `arena`; *found false and nothing else where there is none. */
una_status una_store_find(bool *found, una_row *row, una_store *store, const una_row_key *key, una_arena *arena,
                          una_run *run);
/* Every row of a study and of its variants ("uci" and "uci(group=valid)"), sorted by key, so that the order does not
 * tell who made what when. The row lasts for the call; the task leaves the store alone. */
typedef una_status una_row_task(void *context, const una_row *row, una_run *run);
una_status una_store_each(una_store *store, const char *study, una_row_task *task, void *context, una_run *run);
/* Calls the task once for every pair of study and data with rows; the texts last for the call. */
typedef una_status una_pair_task(void *context, const char *study, const char *data, una_run *run);
una_status una_store_pairs(una_store *store, una_pair_task *task, void *context, una_run *run);
/* Where the store has rows, but none of these studies: *foreign is its first study, in `arena`; else NULL. */
una_status una_store_foreign_study(const char **foreign, una_store *store, const char *const *studies, size_t count,
                                   una_arena *arena, una_run *run);
