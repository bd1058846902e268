/* SPDX-License-Identifier: MIT
 *
 * The functions of bo/functions.h with their boxes and least values, by name.
 */
#ifndef UNA_KNOWN_FUNCTIONS_H
#define UNA_KNOWN_FUNCTIONS_H

#include "bo/functions.h"

#include <stddef.h>
#include <string.h>

enum { MOST_FUNCTION_INPUTS = 6 };

typedef struct known_function {
    const char *name;
    size_t      inputs;
    double      low[MOST_FUNCTION_INPUTS], high[MOST_FUNCTION_INPUTS];
    double      least;                           /* over the box                          */
    double    (*value)(const double *x);         /* x [inputs]                            */
} known_function;

/* NULL: there is none of that name. */
static inline const known_function *known_function_find(const char *name)
{
    static const known_function functions[] = {
        { "branin", 2, { -5, 0 }, { 10, 15 }, 0.39788735772973816, una_branin },
        { "hartmann6", 6, { 0, 0, 0, 0, 0, 0 }, { 1, 1, 1, 1, 1, 1 }, -3.3223680114155147, una_hartmann6 },
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

#endif
