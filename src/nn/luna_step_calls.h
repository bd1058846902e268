/* SPDX-License-Identifier: MIT
 *
 * Included by luna_step.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_train_data) {
    const real *x;                       /* [rows, inputs]                                                  */
    const real *target;                  /* [rows] (heads share it), [rows, padded(heads)], or for several targets
                                            [rows, targets], NAN where a cell is missing                    */
    size_t rows, target_heads;           /* 1, or all heads                                                 */
    una_inputs inputs;
} REAL(una_train_data);

/* The step as the loop of opt/descent needs it, without validation; it lies in scratch memory of the run, and its threads
 * end when that is given back. */
una_status REAL(una_luna_step)(REAL(una_trainable) *what, const una_net *net, const REAL(una_train_data) *data,
                               const una_training_settings *how, una_run *run);
double     REAL(una_luna_step_diversity)(const REAL(una_trainable) *what);   /* lambda now, where it is steered */

/* Trains from `parameters` (initialised by the caller) in place by such steps, as how->descent says, in scratch memory that
 * the caller gives back. validator NULL: no validation. */
una_status REAL(una_train)(const una_net *net, real *parameters, const REAL(una_train_data) *data,
                           const una_training_settings *how, const REAL(una_validator) *validator, una_trained *trained,
                           una_arena *arena, una_run *run);
