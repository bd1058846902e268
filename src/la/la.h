/* SPDX-License-Identifier: MIT
 *
 * Dense linear algebra in double for posteriors and kernels, row-major, in plain loops of fixed order:
 * the same bits whatever the thread count. Special functions and a minimiser in one variable.
 */
#pragma once

#include "base/base.h"

/* Lower Cholesky factor in place: a [n, n], upper part set to zero. UNA_E_NUMERIC names the pivot and `what`. */
una_status una_chol(double *a, size_t n, const char *what, una_run *run);
/* Solves in place, b [n, columns]. */
void   una_chol_lower_solve(const double *l, size_t n, double *b, size_t columns);   /* L X = B */
void   una_chol_upper_solve(const double *l, size_t n, double *b, size_t columns);   /* L' X = B */
void   una_chol_solve(const double *l, size_t n, double *b, size_t columns);         /* L L' X = B */
double una_chol_logdet(const double *l, size_t n);                                   /* of L L' */
/* Symmetric eigenproblem: a [n, n] becomes the eigenvectors as rows, values ascending in w [n]. UNA_E_NUMERIC if a
 * is not finite. */
una_status una_eigen(double *a, size_t n, double *w, una_run *run);
/* c [n, n] += a' a for a [rows, n] (both triangles), blocked summation in fixed order. run NULL: to its end. */
una_status una_gram_add(double *c, const double *a, size_t rows, size_t n, una_run *run);
/* out [width] += sum over j < terms of weight_j x_j, row x_j [width] at x + j stride, in the order of j. Each column
 * is summed alike, wherever it stands. */
void   una_combine(double *out, const double *weight, const double *x, size_t stride, size_t terms, size_t width);
double una_dot(const double *a, const double *b, size_t n);
#define UNA_LOG_TWO_PI 1.83787706640934548356
double una_normal_cdf(double z);
double una_normal_pdf(double z);
double una_normal_quantile(double p);           /* to 1e-15 relative; infinite at 0 and 1, NAN outside */
double una_student_within(size_t freedom, double share);     /* t: a share of Student's distribution is within +-t */
/* Minimum of f on [low, high] by golden section and parabolas (Brent), relative tolerance tol. */
double una_minimise(double (*f)(double, void *), void *context, double low, double high, double tol);
/* The same where there may be several hills: the best of `points` >= 2 evenly spaced ones, ends included, shows where
 * to look. Two points: una_minimise. */
double una_search(double (*f)(double, void *), void *context, double low, double high, int points, double tol);

/* ---- large matrices (large.c): register tiles of the kernel set, rows over the pool ------------------------------ */

/* A tile is UNA_TILE columns wide. Rows of a large matrix are `stride` apart: una_large_stride(n) for n columns. */
enum { UNA_TILE = 64 };
size_t     una_large_stride(size_t n);
/* Lower Cholesky factor in place: a [n, stride], of which the lower part is read and written; what stands above the
 * diagonal is lost. Rows before `from` are a factor already, and the bits of the others do not depend on `from`: rows
 * may be appended. The same bits for any number of threads. */
una_status una_large_chol(double *a, size_t from, size_t n, size_t stride, const char *what, una_run *run);
/* The same from the first row, on work of una_large_chol_work(n) doubles, for matrices that are factored one after the
 * other: it takes no memory. The kernel set has been asked for (una_kernels_need). */
size_t     una_large_chol_work(size_t n);
una_status una_large_chol_on(double *work, double *a, size_t n, size_t stride, const char *what, una_run *run);
/* b [n, columns] becomes -L^-1 b; columns is a multiple of 8; rows of b before `from` are zero. A column has the same
 * bits whatever stands beside it. */
void       una_large_lower_solve(const double *l, size_t n, size_t stride, double *b, size_t columns, size_t from,
                                 const una_run *run);
/* b [n] becomes L^-1 b, and L'^-1 b. */
void       una_large_forward(const double *l, size_t n, size_t stride, double *b);
void       una_large_backward(const double *l, size_t n, size_t stride, double *b);
/* -L^-1 as tiles of columns: tile t is [n, UNA_TILE] at inverse + t n UNA_TILE, and zero above row t UNA_TILE. */
una_status una_large_inverse(const double *l, size_t n, size_t stride, double *inverse, una_run *run);
/* out [UNA_TILE, UNA_TILE] = sum over rows from `from` to n of a' b, for tiles a and b [n, UNA_TILE]. */
void       una_large_gram(const double *a, const double *b, size_t from, size_t n, double *out, const una_run *run);
