/* SPDX-License-Identifier: MIT
 *
 * Included by diverse.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_diverse_work) REAL(una_diverse_work);
/* For shapes that are nowhere larger than this one. */
una_status REAL(una_diverse_work_new)(REAL(una_diverse_work) **work, const una_diverse_shape *most,
                                      const REAL(una_kernels) *kernels, una_arena *arena);

typedef struct REAL(una_diverse_rows) {
    const real *phi;                     /* [rows, padded(features)]                                        */
    const real *target;                  /* [plain], which heads share                                      */
    const real *delta;                   /* [probes, directions]                                            */
    const real *head;                    /* w [features, padded(heads)], then b                             */
    double fit_weight, diversity;
} REAL(una_diverse_rows);

/* dphi [rows, padded(features)] is written, gradient added to head's. Losses without the penalty. */
void REAL(una_diverse_gradient)(const una_diverse_shape *shape, const REAL(una_diverse_rows) *rows, real *dphi,
                                real *gradient, una_losses *losses, REAL(una_diverse_work) *work);
