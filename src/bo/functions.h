/* SPDX-License-Identifier: MIT
 *
 * Functions whose least value is known, to try a search on: Branin (2 inputs, three minima) and Hartmann (6 inputs).
 */
#ifndef UNA_FUNCTIONS_H
#define UNA_FUNCTIONS_H

#include <stddef.h>

enum { UNA_MOST_FUNCTION_INPUTS = 6 };

double una_branin(const double x[2]);            /* on [-5, 10] x [0, 15]; least 0.397887 */
double una_hartmann6(const double x[6]);         /* on [0, 1]^6; least -3.322368         */

typedef struct una_test_function {
    const char *name;
    size_t      inputs;
    double      low[UNA_MOST_FUNCTION_INPUTS], high[UNA_MOST_FUNCTION_INPUTS];
    double      least;                           /* over the box                          */
    double    (*value)(const double *x);         /* x [inputs]                            */
} una_test_function;

/* "branin" or "hartmann6"; NULL if there is none of that name. */
const una_test_function *una_test_function_find(const char *name);

#endif
