/* SPDX-License-Identifier: MIT
 *
 * The registry: one line per model. Program, benchmarks, bindings and contract tests learn of models here and nowhere
 * else.
 */
#include "model/kind.h"

extern const una_kind una_bbvi, una_mcd;
extern const una_kind una_hmc_kind;
extern const una_kind una_gp_kind;
extern const una_kind una_luna, una_tuna, una_nlm, una_linear;
extern const una_kind una_nn, una_ensemble, una_sngp_kind;

const una_kind *const una_kinds[] = { &una_luna, &una_tuna, &una_nlm, &una_linear, &una_gp_kind, &una_bbvi, &una_mcd,
                                      &una_hmc_kind, &una_nn, &una_ensemble, &una_sngp_kind, NULL };
