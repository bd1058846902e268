/* SPDX-License-Identifier: MIT
 *
 * Out-of-fold predictions for una_model_held_out: those of the kind, where its fit leaves out rows anyway; else those
 * of refits without each fold. Neither changes the model.
 */
#pragma once

#include "model/kind.h"

/* Asks the kind for out-of-fold predictions, if the problem knows which rows of the table its rows are (origin). */
una_status una_oof_ask(una_oof_predictions *oof, una_fit_result *result, const una_problem *problem, una_run *run);
/* Sets model->held_out after the fit: from the kind's predictions, or by refits without some of the rows. Left NULL
 * where there are too few rows for refits. */
una_status una_oof_keep(una_model *model, const una_oof_predictions *oof, const una_problem *problem,
                        const una_fit_settings *settings, una_run *run);
/* The rows of a table, encoded as the model's, each with its origin. In the run's scratch. */
una_status una_problem_encode(una_problem *problem, const una_model *model, const una_dataset *data, una_run *run);
/* Columns, kind and (by the spec) options of a model, with room for a state: to be fitted to other rows, which are
 * encoded as the model's. Whatever the options leave open is chosen by those rows. */
una_status una_model_begin_again(una_model *again, const una_model *model, const char *spec, una_arena *arena,
                                 una_run *run);
/* Fits it to the rows that train in `others` (una_problem_without_fold); its left-out rows are not looked at. */
una_status una_model_refit(una_model *again, const una_problem *others, const una_fit_settings *settings,
                           una_arena *keep, una_run *run);
