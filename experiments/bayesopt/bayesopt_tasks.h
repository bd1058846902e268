/* SPDX-License-Identifier: MIT
 *
 * The tasks of the experiment bayesopt: something to be made small, as a function of a point of a space. branin and
 * hartmann6 are formulas. svm and logistic train a classifier of handwritten digits (MNIST) with the settings that the
 * point names, as the benchmark library HPOlib 1.5 defines them, and their value is the error on validation rows in
 * percent; the error on test rows, after training on training and validation rows, is what is reported in the end.
 *
 *   svm       C = e^log_c, gamma = e^log_gamma, both exponents in [-10, 10]; digits 1, 5, 8 and 9 in equal parts, 4000
 *             rows train, 1000 validate, 1000 test, all from the training file, chosen by a seed
 *   logistic  rate = 10^log10_rate in [-6, 0], l2 in [0, 1], batch in 20 ... 2000, dropout of inputs in [0, 0.75]; 100
 *             epochs; the first 50000 rows of the training file train, its other 10000 validate, the test file tests
 *
 * What was trained is kept in the store by its point, so that it is trained once: for all surrogates, seeds and
 * processes.
 */
#pragma once

#include "bo/space.h"
#include "store/store.h"

typedef struct una_material una_material;        /* what tasks need besides the point: data, read once, and the store */

typedef struct una_task_kind {
    const char *name;
    const char *space;                           /* JSON                                                            */
    size_t      steps, seeds;                    /* as in the thesis                                                */
    double      least;                           /* smallest value there is; 0 for errors in percent                */
    bool        is_digits;                       /* needs MNIST, and has a test error                               */
} una_task_kind;

enum { UNA_MOST_TASK_INPUTS = 6 };

extern const una_task_kind una_task_kinds[];     /* ends with name == NULL                                         */
/* NULL if there is none. A sum of files behind the name does not count ("svm#1a2b3c4d"). */
const una_task_kind *una_task_find(const char *name);

/* Texts are borrowed. data: the folder with mnist/train-images-idx3-ubyte.gz ..., "" where there is none; store: where
 * evaluations are kept. Neither is opened before it is needed. */
una_status una_material_new(una_material **material, const char *data, const char *store, una_run *run);
void       una_material_free(void *material);                    /* NULL is harmless                               */
/* "svm#1a2b3c4d": with the sum of the files behind it. UNA_E_INPUT: what the task needs is not there; the sentence says
 * how to get it. */
una_status una_task_data(const char **data, const una_task_kind *task, una_material *material, una_arena *arena,
                         una_run *run);

typedef struct una_task_asked {
    const una_task_kind *kind;
    const char          *data;                   /* of una_task_data                                                */
    una_material        *material;
} una_task_asked;
/* The value at x, a point of the task's space; of digits, with `test`, the error on test rows. Several threads may ask
 * at once. */
una_status una_task_value(double *value, const una_task_asked *task, const double *x, bool test, una_run *run);
