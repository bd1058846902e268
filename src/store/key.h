/* SPDX-License-Identifier: MIT
 *
 * A key names one fit of a study, so that it is made only once: the study, the data and split, the spec, the seed, and
 * the results version of the code that made the numbers. Two keys are the same if all six are.
 *
 * The results version is 1 plus how often the numbers of the experiment, of the spec's kind and of the kinds inside it
 * have changed (`results` in una_kind and una_experiment). Each of these counts only grows, so the sum grows whenever
 * one of them does. A commit that changes no numbers does not change it: the commit is stored beside a row and is not
 * part of its key.
 */
#pragma once

#include "base/base.h"

typedef struct una_row_key {                 /* texts are borrowed                                              */
    const char *study;                   /* the experiment, with those of its options that change numbers: a spec */
    const char *data;                    /* "cubic", or of files "yacht Froude number#1a2b3c4d": with their sum */
    uint64_t    split;
    const char *spec;                    /* as una_row_key_spec writes it                                       */
    uint64_t    seed;
    unsigned    results;                 /* results version                                                 */
} una_row_key;

bool     una_row_key_same(const una_row_key *a, const una_row_key *b);
/* Length of a data text without the sum of the files behind it: what people read. */
size_t   una_row_key_data(const char *data);
/* For names of files. */
uint64_t una_row_key_hash(const una_row_key *key);
/* "luna on boston, split 3, seed 7": for messages, in `arena`; the spec alone where there is no memory. */
const char *una_row_key_describe(const una_row_key *key, una_arena *arena);

/* "measurements.csv strength#1a2b3c4d": a table and its target (NULL: the last column), in `arena`. The sum is that of
 * its names and cells: another table makes other keys. */
una_status una_row_key_table(const char **name, const una_dataset *data, const char *target, una_arena *arena,
                             una_run *run);
uint32_t   una_table_sum(const una_dataset *data);

/* The one way of writing a model's spec, as una_spec_text has it. Its kind's name goes to `kind` (may be NULL), its
 * results version to `results`. UNA_E_USAGE if there is no such model or it does not take these options: found before
 * hours are spent. Results live in `arena`. */
una_status una_row_key_spec(const char **spec, const char **kind, unsigned *results, const char *text, una_arena *arena,
                        una_run *run);

/* The option of a kind by its name; info->name NULL: it has none such. Without its range. */
una_status una_option_named(una_option_info *info, const char *kind, const char *key, una_run *run);

/* What this una was built from ("unknown" where there is no git). */
const char *una_build_commit(void);
