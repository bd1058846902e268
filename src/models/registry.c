/* SPDX-License-Identifier: MIT
 *
 * The registry: one line per model, whose struct is una_kind_NAME. Program, benchmarks, bindings and contract tests
 * learn of models here and nowhere else.
 */
#include "model/kind.h"

#define KINDS(X)        \
    X(auto)             \
    X(luna)             \
    X(tuna)             \
    X(nlm)              \
    X(linear)           \
    X(gp)               \
    X(bbvi)             \
    X(mcd)              \
    X(hmc)              \
    X(nn)               \
    X(ensemble)         \
    X(sngp)             \
    X(trees)

#define DECLARED(name) extern const una_kind una_kind_##name;
#define LISTED(name) &una_kind_##name,

KINDS(DECLARED)
const una_kind *const una_kinds[] = { KINDS(LISTED) NULL };
