/* SPDX-License-Identifier: MIT
 *
 * Experiments: models by name or spec on data of known shape, results kept row by row so that hours of work can be
 * taken up again, and claims about them that are computed, not told. Knows models only through their one interface.
 */
#ifndef UNA_EXPERIMENTS_H
#define UNA_EXPERIMENTS_H

#include "una_bench.h"

#include "base/base.h"

/* ---- rows.c: the table of results ------------------------------------------------------------------ */

typedef struct una_bench_rows {          /* grows in an arena                                               */
    una_arena     *arena;
    una_bench_row *at;
    size_t         count, room;
} una_bench_rows;

void una_bench_rows_add(una_bench_rows *rows, una_bench_row row);      /* the arena's failure is sticky     */
const una_bench_row *una_bench_rows_find(const una_bench_rows *rows, const char *spec, uint64_t seed);
/* Nothing is read where there is no file. */
una_status una_bench_rows_read(una_bench_rows *rows, const char *path, una_run *run);
/* The whole file or none of it: a run that is killed leaves no half row behind. */
una_status una_bench_rows_write(const una_bench_rows *rows, const char *path, una_run *run);

/* ---- claims.c: from rows to means and claims -------------------------------------------------------- */

/* 0 for a curve with one rise and one fall; see una_bench_row. */
double una_bench_ripple(const double *std, size_t count);
/* Fills in means and claims from the rows, in `keep`; means in the order in which specs first appear. */
una_status una_bench_judge(una_bench_result *result, una_arena *keep, una_run *run);

/* ---- page.c ------------------------------------------------------------------------------------------ */

/* The page of the cubic gap: models [mean_count] belong to the means and were fitted to `data`. */
una_status una_bench_cubic_page(const char *path, const una_bench_result *result, const una_model *const *models,
                                const una_dataset *data, uint64_t seed, bool quick, una_run *run);

#endif
