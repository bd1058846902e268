/* SPDX-License-Identifier: MIT
 *
 * The registry: one line per model. Program, benchmarks, bindings and contract tests learn of models here and nowhere else.
 */
#include "model/kind.h"

extern const una_kind una_luna, una_tuna, una_nlm, una_linear;

const una_kind *const una_kinds[] = { &una_luna, &una_tuna, &una_nlm, &una_linear, NULL };
