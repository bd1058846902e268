/* SPDX-License-Identifier: MIT
 *
 * Teams: rows that say less than as many independent rows, and so stay together wherever rows are left out. Found once,
 * for the whole table of a fit:
 *   near copies  rows that nearly agree in all inputs and the target (data/near_copies.h) are one observation. The
 *                first of each team stays, for the others say nothing new, and would make the noise seem smaller
 *   near inputs  rows that nearly agree in their inputs alone share a team
 *   groups       rows with the same cell in the column that --group names share a team
 * Without these, rows with equal inputs stay together (data/copies.h).
 */
#pragma once

#include "model/kind.h"

/* Sets team and correlated of a problem that has all rows of its table, with their origin, and takes near copies out of
 * it; in the run's scratch. warnings NULL: nothing is said. Refused: fewer than five groups, and one that has more than
 * half of the rows. */
una_status una_teams_find(una_problem *problem, una_notes *warnings, una_run *run);
/* The same but that near copies stay, as a team. */
una_status una_teams_label(una_problem *problem, una_run *run);
