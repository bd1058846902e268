/* SPDX-License-Identifier: MIT
 *
 * Covariance functions as expressions:
 *   rbf matern12 matern32 matern52 periodic linear constant, sums, products, numbers as factors, brackets;
 *   rbf(length=0.5, var=2, on=x1), periodic(period=2, length=1, on=x1), lengths per input: length=[0.5, 1, 2],
 *   on="Froude number", on=[x1, x2]. Without `on`: all inputs. A name with blanks is quoted.
 * on=colour chooses every level of the text column colour, on="colour=red" one of them; a list has a number per name.
 * Units: what is written is in the user's units. Lengths and periods are divided by the input's scale here; the
 * length of `periodic` has no unit; linear(var=, centre=) is var sum (a - centre)(b - centre), var per squared unit,
 * around the input's own centre where none is written. What is not written is in the input's scale: a length is 1
 * standard deviation (or grows with the columns, as the inputs say), `linear` without var has 1 per squared standard
 * deviation. `periodic` needs its period; other variances are 1.
 * A number is a constant covariance: 0.5*rbf scales it, rbf + 1 adds an offset of variance 1.
 * The expression is compiled once into a flat program; values and (later) gradients come from it.
 */
#pragma once

#include "base/base.h"

typedef struct una_kernel una_kernel;
typedef struct una_kernel_inputs {      /* names and units of the columns of x, as the model sees them */
    const char *const *name;
    const double      *centre, *scale;  /* standardised = (value - centre)/scale; NULL = in the kernel's units */
    size_t             count;
    bool               lengths_grow;    /* one that is not written is 2 sqrt(n) standard deviations where a kernel is on
                                           n > 1 columns: standardised rows are sqrt(2n) apart, and at 1 a draw would
                                           be white noise to them. false: 1, whatever n */
} una_kernel_inputs;

/* Messages name the position in the text, the unknown word and the nearest known one; non-positive lengths refused. */
una_status una_kernel_parse(una_kernel **kernel, const char *text, const una_kernel_inputs *inputs, una_arena *arena,
                            una_run *run);
/* k [na, nb] between rows of a and b [.., stride]. */
void una_kernel_matrix(const una_kernel *kernel, const double *a, size_t na, const double *b, size_t nb, size_t stride,
                       double *k);
double una_kernel_prior_var(const una_kernel *kernel, const double *x);   /* k(x, x) */

/* ---- formulas with random parameters: "a*sin(b*x1+c); a~normal(1,0.2); b~uniform(0,2); c=0.5" ---------- */
/* The function first, then a definition for each parameter: normal(mean, std), uniform(low, high), lognormal(mu, sigma)
 * or "= number"; between them ";" or "," or a line's end. The grammar is at the top of formula_parse.c. */
typedef struct una_formula una_formula;
una_status una_formula_parse(una_formula **formula, const char *text, const una_kernel_inputs *inputs, una_arena *arena,
                             una_run *run);
/* One function: parameters drawn from rng in the order of their definitions, values at x (inputs are turned
 * back into the user's units) to f [rows] with step `f_stride`. UNA_E_NUMERIC names the first row that is not finite. */
una_status una_formula_draw(const una_formula *formula, una_rng *rng, una_view x, double *f, size_t f_stride,
                            una_run *run);

/* ---- joint draws from a GP prior: f [n, draws] = chol(K + jitter I) z -------------------------------------- */
/* jitter: relative to the mean diagonal, 1e-10 first, raised tenfold while the factor fails, at most 1e-4;
 * *used_jitter (may be NULL) reports it, 0 where nothing had to be factored. Draw d does not depend on `draws`. */
una_status una_gp_prior_draws(const una_kernel *kernel, una_view x, size_t draws, una_rng *rng, double *f,
                              double *used_jitter, una_run *run);
