/* SPDX-License-Identifier: MIT
 *
 * What a network is to those who train or use it, whatever it is made of: a const table of functions for each sort of
 * body (mlp_real.c, residual_real.c, conv_real.c). A body is one file that ends in its table, and one line in
 * bodies_real.c; tests/nn/test_body.c then holds it to this contract.
 * LUNA's step, which is nearly all of the time, calls net.h directly; elsewhere a call through the table is one for
 * many rows.
 */
#pragma once

#include "kern/kern.h"
#include "opt/descent.h"

typedef struct una_body_spec {             /* what is asked of a body; it takes what it knows                 */
    size_t inputs, width, depth, features, heads;
    una_activation activation;
    una_image_shape image;               /* what the inputs are, for convolutions                           */
    bool   small_stem;
    size_t stages, blocks[6];            /* of convolutions, instead of the depth                           */
} una_body_spec;

typedef struct una_weight_init {               /* how first weights are drawn; a body takes what it knows         */
    int    initialisation;               /* of UNA_INITIALISATIONS, for multi-layer perceptrons             */
    double scale;                        /* factor on it                                                    */
    double lengthscale;                  /* of random Fourier features                                      */
    const una_run *run;                  /* that may be interrupted; NULL: none                             */
} una_weight_init;

typedef struct una_body_size {
    size_t inputs, features, heads;      /* columns of x, of phi (without the one), of f                    */
    size_t head;                         /* where w [features, padded(heads)] stands among the parameters, then b */
    size_t parameters, frozen;           /* numbers that are trained; drawn once and never trained          */
    size_t carried;                      /* the last so many parameters are no matter of the gradient: running means,
                                            which `after_step` moves                                            */
} una_body_size;

/* A matrix among the parameters, or among the frozen numbers: [rows, stride] from `at` on, `cols` of each row in use
 * and the rest padding. A body's parameters are such matrices and nothing else. */
typedef struct una_matrix {
    const char *name;
    bool   frozen;
    size_t at, rows, cols, stride;
    size_t weights;                      /* the first so many rows multiply what comes in; others are biases, scales,
                                            statistics                                                      */
} una_matrix;

/* Matrix number `index` of a shape, in the order of files; false: there is none. */
typedef bool una_matrix_of(const void *shape, size_t index, una_matrix *matrix);

/* The trained parameters without padding, for files: how many, from and to the padded block. */
size_t una_matrices_packed(una_matrix_of *of, const void *shape);
void   una_matrices_pack(una_matrix_of *of, const void *shape, const float *parameters, float *packed);
void   una_matrices_unpack(una_matrix_of *of, const void *shape, const float *packed, float *parameters);

/* As many threads as the run has, at most so many, until scratch memory is given back; NULL: one alone. */
una_status una_scratch_crew(una_crew **crew, size_t most, una_run *run);

typedef struct una_outputs {             /* where a forward pass writes; either may be NULL                 */
    double *phi;                         /* [rows, stride], columns beyond the features untouched           */
    size_t  stride;
    double *f;                           /* [rows, heads]                                                   */
} una_outputs;

#define UNA_IN_BOTH "nn/body_calls.h"
#include "kern/both.h"
