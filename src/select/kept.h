/* SPDX-License-Identifier: MIT
 *
 * What a search over options, a comparison and an experiment have in common: rows of one study, made by a sweep and
 * kept in a folder as NAME.sqlite and NAME.csv (an experiment: bench.sqlite), or in memory, so that what was stopped can
 * go on.
 */
#pragma once

#include "store/store_csv.h"
#include "store/worker.h"

typedef struct una_kept_rows {
    const char        *name;             /* "tune": of the study and of the files                                   */
    const char *const *measures;
    size_t             measure_count;
    una_run           *run;
    const una_ranks   *ranks;            /* ranks that make the rows together; NULL: this process alone             */
    una_arena         *keep;             /* lasts as long as the result                                             */
    una_store         *store;
    const char        *table;            /* the CSV file; NULL: nothing is kept                                     */
} una_kept_rows;

/* For the run of the arena, which has no ranks until una_kept_close. */
void       una_kept_begin(una_kept_rows *kept, const char *name, const char *const *measures, size_t measure_count,
                          una_arena *keep);
void       una_kept_close(una_kept_rows *kept);          /* all but the arena                                      */
/* out NULL: in memory, as on ranks other than 0. */
una_status una_kept_open(una_kept_rows *kept, const char *out);
/* The sweep that makes the missing rows of a plan; and that it is run: *made counts them. */
una_sweep  una_kept_sweep(const una_kept_rows *kept, const una_plan *plan, una_make_row *make, void *context);
una_status una_kept_make(size_t *made, const una_kept_rows *kept, const una_plan *plan, una_make_row *make,
                         void *context);
/* Whether there is a row of a key, with all measures. run: of a task, perhaps. */
una_status una_kept_has(bool *there, const una_kept_rows *kept, const una_row_key *key, una_run *run);
/* Measures and seconds of a row, to value[0], value[stride] ... UNA_E_IO: the row is gone. Work from scratch. */
una_status una_kept_read(double *value, size_t stride, const una_kept_rows *kept, const una_row_key *key);
/* The table, where there is one. The end: writes it. After a failure it is written as well, and the first failure is
 * reported. */
una_row_table una_kept_table(const una_kept_rows *kept, const char *path);
una_status una_kept_write_table(const una_kept_rows *kept);
una_status una_kept_write(const una_kept_rows *kept, una_status status);
una_status una_kept_stopped(const una_kept_rows *kept, una_status status);

/* A copy of what the caller asks of fits, checked, and of the list of models. */
una_status una_kept_take_fit(una_fit_settings *fit, const una_fit_settings *given, const char *const *models,
                             size_t model_count, una_run *run);
/* UNA_E_USAGE: `count` seeds from the run's on go beyond what every reader of the table can hold. what: "a search". */
una_status una_kept_check_seeds(const char *what, uint64_t count, una_run *run);
/* Adds to the name of a study what changes numbers and is not in the spec. valid: the text of valid_fraction, or NULL. */
void       una_kept_add_settings(una_text *study, const una_fit_settings *fit, const char *valid);
