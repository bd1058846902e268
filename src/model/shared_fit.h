/* SPDX-License-Identifier: MIT
 *
 * Fits that several processes ("ranks") make together, each with some of the rows (docs/use/RANKS.md): what they agree
 * on before, what cannot be done so, and what the model says of it. Sums over rows are asked for where rows are summed
 * (una_run_sum_f64). For a process alone nothing here does anything.
 */
#pragma once

#include "model/kind.h"

/* Refuses calls that differ, and several targets. *spec NULL becomes the usual model of such fits. */
una_status una_shared_fit_agree(const char **spec, const una_fit_settings *settings, una_run *run);
/* Refuses kinds whose fit needs all rows in one place. */
una_status una_shared_fit_check(const una_kind *kind, una_run *run);
/* Refuses such options too, and fills in what is left of automatic ones. */
una_status una_shared_fit_restrict(void *options, const una_kind *kind, una_run *run);
/* Everybody gets what anybody has to say of the own rows. */
una_status una_shared_fit_warnings(una_notes *warnings, una_run *run);
void       una_shared_fit_note(una_notes *notes, const una_kind *kind, una_run *run);
