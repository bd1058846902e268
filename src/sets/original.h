/* SPDX-License-Identifier: MIT
 *
 * From public originals to the files of the catalogue, byte for byte: tables of numbers, and published splits.
 */
#pragma once

#include "sets/catalogue.h"

/* values [set.rows, set.inputs + 1], target last, from the text of an original: a line for each row, cells with blanks,
 * tabs, commas or semicolons between, empty lines and a head passed over. `from` is named where something is wrong. */
una_status una_original_read(double **values, const una_known_set *known, const char *text, size_t size,
                             const char *from, una_arena *arena, una_run *run);
/* uci/NAME.csv of them. */
una_status una_original_rows(una_text *csv, const una_known_set *known, const double *values);
/* Our own uci/NAME.csv back into values. */
una_status una_original_reread(double **values, const una_known_set *known, const char *csv, size_t size,
                               una_arena *arena, una_run *run);

/* uci/splits/NAME.json is written from front to back: begin, a gap for each input in turn, end. */
una_status una_original_splits_begin(una_text *json, const una_known_set *known, una_run *run);
typedef struct una_gap_texts { const char *text[2], *from[2]; size_t size[2]; } una_gap_texts;   /* train, test */
una_status una_original_gap(una_text *json, const una_known_set *known, const double *values, size_t input,
                            const una_gap_texts *texts, una_run *run);
void       una_original_splits_end(una_text *json);
