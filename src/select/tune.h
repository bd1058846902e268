/* SPDX-License-Identifier: MIT
 *
 * What comparisons share with the search for options; and for tests: una_tune with another way of making a row, whose
 * measures are "log_lik" and "rmse".
 */
#pragma once

#include "store/worker.h"
#include "una_study.h"

/* The options that were set, "key=value" each, inside of the spec: one text that names all. In `arena`. */
una_status una_tune_model(const char **model, const char *given, const char *const *set, size_t set_count,
                          una_arena *arena, una_run *run);
una_status una_tune_by(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings,
                       una_make_row *make, void *context, una_run *run);
