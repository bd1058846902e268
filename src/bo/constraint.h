/* SPDX-License-Identifier: MIT
 *
 * Inequalities between the inputs of a space, as text: "x1 + x2 <= 1", "n*size < 4096", "0 <= a - b <= 1" is two.
 * Formulas are those of gp/formula.h; inputs are in the user's units. Inside src/bo only.
 */
#ifndef UNA_CONSTRAINT_H
#define UNA_CONSTRAINT_H

#include "bo/space.h"

una_constraint *una_constraints_in(una_arena *keep, size_t count);       /* room for so many; the arena is checked by
                                                                            the caller                              */
/* The index-th, of a space whose inputs are known. UNA_E_INPUT names the constraint and what is wrong with it. */
una_status  una_constraint_parse(una_constraint *constraints, size_t index, const char *text, const una_space *space,
                                 const char *origin, una_arena *keep, una_run *run);
const char *una_constraint_text(const una_constraint *constraints, size_t index);
/* A formula that has no value there (log of a negative number) does not hold. */
bool        una_constraint_holds(const una_constraint *constraints, size_t index, const double *point);

#endif
