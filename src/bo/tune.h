/* SPDX-License-Identifier: MIT
 *
 * For tests: una_tune with another way of making a row, whose measures are "log_lik" and "rmse".
 */
#ifndef UNA_TUNE_H
#define UNA_TUNE_H

#include "sweep/worker.h"
#include "una_study.h"

una_status una_tune_by(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings,
                       una_make_row *make, void *context, una_run *run);

#endif
