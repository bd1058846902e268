/* SPDX-License-Identifier: MIT
 *
 * Support vector machines with K(a, b) = exp(-gamma |a - b|^2), by LIBSVM, where una was built with it: one machine for
 * every two classes, and their votes. The distances of all rows are computed once and the kernel is handed over ready,
 * so that even poor settings take seconds.
 * Source: Chang and Lin, LIBSVM: a library for support vector machines, 2011.
 */
#pragma once

#include "base/base.h"

enum { UNA_MOST_SVM_CLASSES = 10 };

typedef struct una_svm_rows {
    size_t               rows;
    const unsigned char *label;          /* [rows]                                                                   */
    size_t               classes;
    unsigned char        class_label[UNA_MOST_SVM_CLASSES];
    const uint32_t      *distance;       /* [rows, rows] squared, between rows of bytes: exact                       */
} una_svm_rows;

/* Whether una was built with LIBSVM. */
extern const bool una_svm_is_there;

/* The distances of bytes [rows, columns], at most 65536 columns, for rows, labels and classes that are filled in; each
 * label is one of the classes. */
una_status una_svm_measure(una_svm_rows *rows, const unsigned char *bytes, size_t columns, una_arena *arena,
                           una_run *run);

typedef struct una_svm_settings {
    size_t train, asked;                 /* rows 0 ... train - 1, among which every class must occur; then those asked */
    double c, gamma;                     /* bytes count as 1/256                                                     */
} una_svm_settings;
/* predicted [asked]: the labels of rows train, train + 1 ... */
una_status una_svm_predict(unsigned char *predicted, const una_svm_rows *rows, const una_svm_settings *settings,
                           una_run *run);
/* The percentage of wrong labels among them. */
una_status una_svm_error(double *percent, const una_svm_rows *rows, const una_svm_settings *settings, una_run *run);
