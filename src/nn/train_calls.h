/* SPDX-License-Identifier: MIT
 *
 * Included by train.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_train_data) {
    const real *x;                       /* [rows, inputs]                                                  */
    const real *target;                  /* [rows] (heads share it) or [rows, padded(heads)]                */
    size_t rows, target_heads;
    una_inputs inputs;
} REAL(una_train_data);

typedef struct REAL(una_train_hooks) {
    void *context;
    /* Scores the parameters on rows that did not train them (higher is better); NULL: no looks. */
    una_status (*look)(void *context, const real *parameters, double *score, una_run *run);
    /* Replaces loss and gradient altogether (marginal likelihood); NULL: una_net_gradient. */
    una_status (*gradient)(void *context, const real *parameters, real *gradient, una_losses *losses, una_run *run);
} REAL(una_train_hooks);

/* Trains from `parameters` (initialised by the caller) in place; with looks, the best ones are left there. */
una_status REAL(una_train)(const una_net *net, real *parameters, const REAL(una_train_data) *data,
                           const una_training *how, const REAL(una_train_hooks) *hooks, const char *stage,
                           una_trained *trained, una_arena *arena, una_run *run);

/* Mean cos^2 of the heads at probes (no training): the same probes for the same seed. */
una_status REAL(una_mean_cos2)(double *mean_cos2, const una_net *net, const real *parameters,
                               const REAL(una_train_data) *data, const una_training *how, una_run *run);
