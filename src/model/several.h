/* SPDX-License-Identifier: MIT
 *
 * Models of several targets: one model of each, fitted at once by kinds that can (kind.h, fit_to.targets), else one by one
 * on the same split of the rows; with what they have in common.
 */
#pragma once

#include "model/new_rows.h"
#include "model/validation_split.h"

/* ---- several.c ------------------------------------------------------------------------------------------------ */

/* Fits `whole`, which is blank, to settings->targets; its parts are freed with it, also after a failure. */
una_status una_several_fit(una_model *whole, const char *spec, const una_dataset *data,
                           const una_fit_settings *settings, una_run *run);
/* Blank models of each target, as members of `whole`. */
una_status una_several_blank(una_model *whole, size_t targets, una_run *run);
/* What the whole reports about its parts: names, inputs, what happens with missing cells. */
una_status una_several_describe(una_model *whole);
/* Columns of every target, in `arena`; of a model of one target, its own. NULL if there is no memory. */
const una_columns **una_several_columns(const una_model *model, una_arena *arena);
/* Takes encoded rows of an update into all targets (also of one): y [rows, targets], NAN where a cell is missing. They
 * are looked at before and after. After a failure the model may have them, or some targets: see una_spare. */
typedef struct una_taking { una_new_rows *news; double *x, *y; size_t rows; bool adapt; } una_taking;
una_status una_several_take(una_model *model, const una_taking *taking, una_run *run);
/* All targets take in the rows of a table, or none does. */
una_status una_several_update(una_model *model, const una_dataset *data, bool adapt, una_run *run);
una_status una_several_relearn(una_model *whole, const una_dataset *data, const char *const *set, size_t set_count,
                               una_run *run);
/* A column title that the answers of two targets would share, as una_predict_file names them ('std_' and 'epistemic_a'
 * as well as 'std_epistemic_' and 'a'): in the run's scratch; NULL: all differ. */
una_status una_several_shared_title(const char **title, size_t *one, size_t *other, const una_model *whole,
                                    una_run *run);
/* UNA_E_USAGE for a model of several targets: the call needs one. */
una_status una_model_need_one(const una_model *model, una_run *run);

/* The problem of one target alone, with the rows that have it; held-out rows stand behind the others. table_rows stays
 * that of all targets. A problem with one target is returned as it is. */
una_status una_problem_target(una_problem *own, const una_problem *problem, size_t target, una_arena *arena);
/* Cells of y [rows, outputs] that a target has. */
size_t     una_target_cells(const double *y, size_t rows, size_t outputs, size_t target);

/* A copy of all states, made beforehand, so that undoing a failed update needs no memory. */
typedef struct una_spare {
    una_arena arena;
    void    **state;
    una_fit_info *info;
    una_beyond   *beyond;
    una_mark     *before;                /* [targets] of the memory of each                                 */
} una_spare;
una_status una_spare_make(una_spare *spare, const una_model *model, una_run *run);
void       una_spare_back(una_model *model, una_spare *spare);
void       una_spare_free(una_spare *spare);

/* ---- coupling.c ----------------------------------------------------------------------------------------------- */

/* Correlation of the noise of two targets: 0 where they share no head. */
double     una_correlation(const una_target_coupling *coupling, size_t one, size_t other);
void       una_correlations(double *r, const una_target_coupling *coupling, size_t targets); /* r [targets, targets] */
/* Functions f [draws, rows] of one target, in its own units; with the same seed, those of the other targets vary with
 * them as una_model_covariance says. For a model of one target, una_model_draw_encoded. */
una_status una_several_draw(const una_model *whole, size_t target, una_view x, const una_drawing *how, double *f,
                            una_run *run);

/* ---- model.c: steps of a fit to one target ---------------------------------------------------------------------- */

una_status una_model_read_options(una_model *model, const char *spec, const una_fit_settings *settings, una_run *run);
/* Spec and options as texts, from the options as they are. */
una_status una_model_describe(una_model *model);
/* What a fit to the problem reports, in the target's units. other: as in the settings of the fit. */
una_status una_model_take_result(una_model *model, const una_fit_result *result, const una_problem *problem,
                                 size_t other, una_run *run);
/* The fit to a problem that was split, with all that follows from it; hold_out: with held-out predictions. */
una_status una_model_fit_problem(una_model *model, una_fit_result *result, const una_problem *problem,
                                 const una_fit_settings *settings, bool hold_out, una_run *run);
una_status una_model_add_note(una_fit_info *info, const char *note, una_arena *arena);
/* In place, for models that were copied. */
una_status una_model_relearn_here(una_model *model, const una_dataset *data, const char *const *set, size_t set_count,
                                  una_run *run);
