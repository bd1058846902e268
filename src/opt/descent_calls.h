/* SPDX-License-Identifier: MIT
 *
 * Included by descent.h once with `real` float and once with double: no guard on purpose.
 */
/* Scores parameters on validation rows; higher is better. validate NULL: no validation. */
typedef struct REAL(una_validator) {
    void *context;
    una_status (*validate)(void *context, const real *p, double *score, una_run *run);
} REAL(una_validator);

typedef struct REAL(una_trainable) {
    size_t parameters;
    void  *context;                      /* of gradient and after_step                                      */
    /* Loss and gradient g [parameters] of step 0, 1, ... at p. *losses are those of the step before (at first zero); a
     * total that is not finite ends the training with a sentence. Where ranks train together, both are this rank's
     * part: what is minimised is the sum over them. */
    una_status (*gradient)(void *context, size_t step, const real *p, real *g, una_losses *losses, una_run *run);
    /* Called after each step, and once more at the end for the parameters that are kept (last): bounds on p,
     * controllers. NULL: nothing. */
    void       (*after_step)(void *context, real *p, bool last);
    REAL(una_validator) validator;
    size_t    pieces;                    /* of a step, by the size of the problem alone; 0 is 1             */
    una_crew *crew;                      /* who shares them; NULL: one thread                               */
} REAL(una_trainable);

/* Minimises from p [parameters] (initialised by the caller) in place; with validation, the best parameters are left
 * there. The curve lies in the arena, work buffers in scratch. The bits depend neither on the crew nor on the
 * pieces. */
una_status REAL(una_descend)(const REAL(una_trainable) *what, real *p, const una_descent *how, una_trained *trained,
                             una_arena *arena, una_run *run);
