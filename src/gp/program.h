/* SPDX-License-Identifier: MIT
 *
 * A covariance function as a flat program in postfix order, shared by the parser and the evaluation.
 *
 * Each leaf owns `count` entries of `input` (columns of x) and a run of `parameter`:
 *   rbf, matern*:  var, length[count]                      lengths in standardised units
 *   periodic:      var, length[count], period[count]       periods in standardised units, lengths without a unit
 *   linear:        var, slope[count], centre[count]        sum of slope^2 (a - centre)(b - centre)
 *   constant:      var
 * so a gradient with respect to parameter p is one more pass over the same operations.
 */
#pragma once

#include "base/archive.h"
#include "gp/kernel.h"

enum { UNA_KERNEL_DEPTH = 32 };  /* values waiting at once, and brackets within brackets */

typedef enum una_kernel_code {
    UNA_KERNEL_RBF, UNA_KERNEL_MATERN12, UNA_KERNEL_MATERN32, UNA_KERNEL_MATERN52, UNA_KERNEL_PERIODIC,
    UNA_KERNEL_LINEAR, UNA_KERNEL_CONSTANT, UNA_KERNEL_ADD, UNA_KERNEL_MULTIPLY
} una_kernel_code;

typedef struct una_kernel_op {
    una_kernel_code code;
    size_t          input, count;      /* input[input .. input + count)         */
    size_t          parameter;         /* where this leaf's parameters begin    */
} una_kernel_op;

struct una_kernel {
    una_kernel_op *op;        size_t op_count, op_room;
    size_t        *input;     size_t input_count, input_room;
    double        *parameter; size_t parameter_count, parameter_room;
};

/* Where the part of the program that ends in operation `last` begins. */
size_t     una_kernel_begin(const una_kernel *kernel, size_t last);
const char *una_kernel_name(una_kernel_code leaf);
/* Parameters that a leaf owns; 0 for sums and products. */
size_t     una_kernel_owns(const una_kernel_op *op);
/* Saves, or loads and checks the whole program: a file may come from a stranger.
 * Inputs are compared with ar->inputs. */
una_status una_kernel_exchange(una_kernel **kernel, una_archive *ar);
/* The expression again, every number written out; reading it back gives the same kernel but for the last bit. */
void       una_kernel_text(una_text *text, const una_kernel *kernel, const una_kernel_inputs *inputs);
/* Refuses, before its numbers are sought, a kernel whose text a model file could not hold. owner: "gp". */
una_status una_kernel_text_fits(const una_kernel *kernel, const una_kernel_inputs *inputs, const char *owner,
                                una_run *run);
