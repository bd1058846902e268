/* SPDX-License-Identifier: MIT
 *
 * Values of covariance functions. With r^2 = sum_d ((a_d - b_d)/length_d)^2:
 *   rbf       var exp(-r^2/2)
 *   matern12  var exp(-r)
 *   matern32  var (1 + sqrt(3) r) exp(-sqrt(3) r)
 *   matern52  var (1 + sqrt(5) r + 5 r^2/3) exp(-sqrt(5) r)
 *   periodic  var exp(-2 sum_d (sin(pi (a_d - b_d)/period_d)/length_d)^2)
 *   linear    var sum_d slope_d^2 (a_d - centre_d)(b_d - centre_d)
 * Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 4.
 *
 * The program runs on blocks of 64 columns, so its stack is a fixed array and nothing is allocated.
 */
#include "gp/program.h"

enum { BLOCK = 64 };

/* Beyond this distance every Matern value is exactly 0; without the limit an overflow of r would give inf * 0. */
static const double far_away = 1e3;

/* r^2 between a and rows of b; of periodic the exponent; of linear the sum. */
static void leaf_sums(const una_kernel *k, const una_kernel_op *op, const double *a, una_view b, double *out)
{
    const double pi = 3.14159265358979323846, *first = k->parameter + op->parameter + 1, *second = first + op->count;
    size_t n = b.rows, stride = b.stride;
    for (size_t j = 0; j < n; j++) out[j] = 0;
    for (size_t d = 0; d < op->count; d++) {
        const double at = a[k->input[op->input + d]], *with = b.at + k->input[op->input + d];
        if (op->code == UNA_KERNEL_PERIODIC)
            for (size_t j = 0; j < n; j++) {
                double s = sin(pi * ((at - with[j * stride]) / second[d])) / first[d];
                out[j] -= 2 * s * s;
            }
        else if (op->code == UNA_KERNEL_LINEAR) {
            /* Both factors are formed alike, so that k(a, b) and k(b, a) have the same bits. */
            double left = first[d] * (at - second[d]);
            for (size_t j = 0; j < n; j++) out[j] += left * (first[d] * (with[j * stride] - second[d]));
        } else
            for (size_t j = 0; j < n; j++) {
                double r = (at - with[j * stride]) / first[d];
                out[j] += r * r;
            }
    }
}

static void matern_of_squares(una_kernel_code code, double *out, size_t n)
{
    const double root3 = 1.7320508075688772, root5 = 2.23606797749979;
    for (size_t j = 0; j < n; j++) {
        double r = sqrt(out[j]);
        if (r > far_away) r = far_away;
        if (code == UNA_KERNEL_MATERN12) out[j] = exp(-r);
        else if (code == UNA_KERNEL_MATERN32) out[j] = (1 + root3 * r) * exp(-root3 * r);
        else out[j] = (1 + root5 * r + 5 * r * r / 3) * exp(-root5 * r);
    }
}

/* One leaf between a and rows of b. */
static void leaf_values(const una_kernel *k, const una_kernel_op *op, const double *a, una_view b, double *out)
{
    const double var = k->parameter[op->parameter];
    if (op->code == UNA_KERNEL_CONSTANT) {
        for (size_t j = 0; j < b.rows; j++) out[j] = var;
        return;
    }
    leaf_sums(k, op, a, b, out);
    if (op->code == UNA_KERNEL_PERIODIC)
        for (size_t j = 0; j < b.rows; j++) out[j] = exp(out[j]);
    else if (op->code == UNA_KERNEL_RBF)
        for (size_t j = 0; j < b.rows; j++) out[j] = exp(-0.5 * out[j]);
    else if (op->code != UNA_KERNEL_LINEAR) matern_of_squares(op->code, out, b.rows);
    for (size_t j = 0; j < b.rows; j++) out[j] *= var;
}

/* k(a, b_j) for at most BLOCK rows of b. */
static void run_program(const una_kernel *k, const double *a, una_view b, double *out)
{
    double stack[UNA_KERNEL_DEPTH][BLOCK];
    size_t top = 0, n = b.rows;

    for (size_t i = 0; i < k->op_count; i++) {
        const una_kernel_op *op = &k->op[i];
        if (op->code == UNA_KERNEL_ADD) {
            top--;
            for (size_t j = 0; j < n; j++) stack[top - 1][j] += stack[top][j];
        } else if (op->code == UNA_KERNEL_MULTIPLY) {
            top--;
            for (size_t j = 0; j < n; j++) stack[top - 1][j] *= stack[top][j];
        } else leaf_values(k, op, a, b, stack[top++]);
    }

    memcpy(out, stack[0], n * sizeof *out);
}

void una_kernel_matrix(const una_kernel *kernel, const double *a, size_t na, const double *b, size_t nb, size_t stride,
                       double *k)
{
    for (size_t from = 0; from < nb; from += BLOCK) {
        size_t n = nb - from < BLOCK ? nb - from : BLOCK;
        for (size_t i = 0; i < na; i++)
            run_program(kernel, a + i * stride, (una_view){ b + from * stride, n, 0, stride }, k + i * nb + from);
    }
}

double una_kernel_prior_var(const una_kernel *kernel, const double *x)
{
    double k;
    run_program(kernel, x, (una_view){ .at = x, .rows = 1 }, &k);
    return k;
}
