/* SPDX-License-Identifier: MIT
 *
 * Models of several targets: one model of each, fitted at once by kinds that can (kind.h, fit_several), else one after
 * the other on the same split of the rows; held together by what is common to them.
 */
#ifndef UNA_MODEL_SEVERAL_H
#define UNA_MODEL_SEVERAL_H

#include "model/split.h"

/* ---- several.c ------------------------------------------------------------------------------------------------ */

/* Fits `whole`, which is blank, to settings->targets; what it consists of goes with it, also after a failure. */
una_status una_several_fit(una_model *whole, const char *spec, const una_dataset *data,
                           const una_fit_settings *settings, una_run *run);
/* Blank models of each target, as members of `whole`. */
una_status una_several_blank(una_model *whole, size_t targets, una_run *run);
/* What the whole says of itself that follows from its parts: names, inputs, how missing cells are met. */
una_status una_several_describe(una_model *whole);
/* Columns of every target, in `arena`; of a model of one target, its own. NULL without memory. */
const una_columns **una_several_columns(const una_model *model, una_arena *arena);
/* Rows of encoded tables into all targets, of one too: y [rows, targets], NAN where a cell is missing. Not whole or
 * not at all: see una_spare. */
una_status una_several_observe(una_model *model, const double *x, const double *y, size_t rows, una_run *run);
una_status una_several_update(una_model *whole, const una_dataset *data, una_run *run);
una_status una_several_relearn(una_model *whole, const una_dataset *data, const char *const *set, size_t set_count,
                               una_run *run);
/* UNA_E_USAGE for a model of several targets: the call is for one. */
una_status una_model_need_one(const una_model *model, una_run *run);

/* A second copy of all states stands by, so that going back after a failure needs no memory. */
typedef struct una_spare { una_arena arena; void **state; una_fit_info *info; } una_spare;
una_status una_spare_make(una_spare *spare, const una_model *model, una_run *run);
void       una_spare_back(una_model *model, una_spare *spare);
void       una_spare_free(una_spare *spare);

/* ---- model.c: what a fit to one target is made of --------------------------------------------------------------- */

una_status una_model_read_options(una_model *model, const char *spec, const una_fit_settings *settings, una_run *run);
/* Spec and options as texts, from the options as they are. */
una_status una_model_describe(una_model *model);
una_status una_model_tell(una_model *model, const una_fit_result *result, size_t rows, size_t other, una_run *run);
una_status una_model_add_note(una_fit_info *info, const char *note, una_arena *arena);
/* In place, for models that were copied. */
una_status una_model_relearn_here(una_model *model, const una_dataset *data, const char *const *set, size_t set_count,
                                  una_run *run);

#endif
