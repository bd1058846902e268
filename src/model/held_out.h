/* SPDX-License-Identifier: MIT
 *
 * What a fit foretold of rows that it had not seen, for una_model_held_out: the kind's own word, where it leaves rows
 * out by itself, else that of fits without each fold. Neither changes the model.
 */
#ifndef UNA_MODEL_HELD_OUT_H
#define UNA_MODEL_HELD_OUT_H

#include "model/kind.h"

/* Asks the kind for what it says of unseen rows, where the problem knows which rows of the table they are (origin);
 * else nothing is asked. */
una_status una_unseen_ask(una_unseen *unseen, una_fit_result *result, const una_problem *problem, una_run *run);
/* model->held_out, after the model was told: what the kind said, or what fits without some of the rows say. Left NULL
 * where these fail for want of rows. kept [encoded rows]: rows of the table; NULL: the same. */
una_status una_held_out_take(una_model *model, const una_unseen *unseen, const una_problem *problem,
                             const size_t *kept, const una_dataset *data, const una_fit_settings *settings,
                             una_run *run);
/* Columns, kind and (by the spec) options of a model, with room for a state: to be fitted to other rows, encoded as the
 * model's are. What the options leave open is chosen by those rows. */
una_status una_model_begin_again(una_model *again, const una_model *model, const char *spec, una_arena *arena,
                                 una_run *run);

#endif
