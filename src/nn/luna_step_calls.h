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

/* The step, in scratch memory of the run until the caller releases it; una_luna_step_free ends its threads before that,
 * also where una_luna_step_new failed (*step may be NULL). */
typedef struct REAL(una_luna_step) REAL(una_luna_step);
una_status REAL(una_luna_step_new)(REAL(una_luna_step) **step, const una_net *net, const REAL(una_train_data) *data,
                                   const una_training_settings *how, una_run *run);
void       REAL(una_luna_step_free)(REAL(una_luna_step) *step);
/* The step as the loop of opt/descent needs it, without validation. */
REAL(una_trainable) REAL(una_luna_step_trainable)(REAL(una_luna_step) *step);
double     REAL(una_luna_step_diversity)(const REAL(una_luna_step) *step);   /* lambda now, where it is steered */

/* Trains from `parameters` (initialised by the caller) in place by such steps, as how->descent says. validator NULL: no
 * validation. */
una_status REAL(una_train)(const una_net *net, real *parameters, const REAL(una_train_data) *data,
                           const una_training_settings *how, const REAL(una_validator) *validator, una_trained *trained,
                           una_arena *arena, una_run *run);

/* Mean cos^2 of the heads at probes (no training): the same probes for the same seed. */
una_status REAL(una_mean_cos2)(double *mean_cos2, const una_net *net, const real *parameters,
                               const REAL(una_train_data) *data, const una_training_settings *how, una_run *run);
