/* SPDX-License-Identifier: MIT
 *
 * Small tables made of the input, and what every model must keep to.
 */
#ifndef UNA_FUZZ_TABLE_H
#define UNA_FUZZ_TABLE_H

#include "fuzz.h"

enum { FUZZ_MOST_ROWS = 40, FUZZ_MOST_COLUMNS = 5 };

/* Up to 40 rows of up to 5 columns, of numbers or words, some missing. The first byte tells rows, the second columns
 * and which of them are words; then cells, one byte each: where they end, they begin anew, a little moved. names
 * [FUZZ_MOST_COLUMNS] may be NULL. */
una_status fuzz_table(una_dataset **data, fuzz_bytes *bytes, const char *const *names, una_run *run);

/* Predictions of all rows are finite, stds not negative, bounds in order; NULL: it was refused, with a sentence. The
 * numbers, [6, rows], are released with free. */
double *fuzz_predictions(const una_model *model, const una_dataset *data, fuzz_world *world);
/* Saved, it loads; saved again it is the same bytes; its predictions have the same bits. */
void fuzz_saved(const una_model *model, const una_dataset *data, fuzz_world *world);

#endif
