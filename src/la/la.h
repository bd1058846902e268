/* SPDX-License-Identifier: MIT
 *
 * Dense linear algebra in double for posteriors and kernels, row-major, in plain loops of fixed order:
 * the same bits whatever the thread count. Special functions and a minimiser in one variable.
 */
#ifndef UNA_LA_H
#define UNA_LA_H

#include "base/base.h"

/* Lower Cholesky factor in place: a [n, n], upper part set to zero. UNA_E_NUMERIC names the pivot and `what`. */
una_status una_chol(double *a, size_t n, const char *what, una_run *run);
/* Solves in place, b [n, columns]. */
void   una_chol_lower_solve(const double *l, size_t n, double *b, size_t columns);   /* L X = B */
void   una_chol_upper_solve(const double *l, size_t n, double *b, size_t columns);   /* L' X = B */
void   una_chol_solve(const double *l, size_t n, double *b, size_t columns);         /* L L' X = B */
double una_chol_logdet(const double *l, size_t n);                                   /* of L L' */
/* L L' + v v' in place (v is destroyed). */
void   una_chol_update(double *l, size_t n, double *v);
/* Symmetric eigenproblem: a [n, n] becomes the eigenvectors as rows, values ascending in w [n]. UNA_E_NUMERIC if a
 * is not finite. */
una_status una_eigen(double *a, size_t n, double *w, una_run *run);
/* c [n, n] += a' a for a [rows, n] (both triangles), blocked summation in fixed order. */
void   una_gram_add(double *c, const double *a, size_t rows, size_t n);
/* out [width] += sum over j < terms of weight_j x_j, row x_j [width] at x + j stride, in the order of j. Each column
 * is summed alike, wherever it stands. */
void   una_combine(double *out, const double *weight, const double *x, size_t stride, size_t terms, size_t width);
double una_dot(const double *a, const double *b, size_t n);
double una_normal_cdf(double z);
double una_normal_pdf(double z);
double una_normal_quantile(double p);           /* to 1e-15 relative; infinite at 0 and 1, NAN outside */
/* Minimum of f on [low, high] by golden section and parabolas (Brent), relative tolerance tol. */
double una_minimise(double (*f)(double, void *), void *context, double low, double high, double tol);

#endif
