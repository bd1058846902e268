/* SPDX-License-Identifier: MIT
 *
 * Concepts named by the user: checked, and looked up in a table.
 */
#pragma once

#include "data/table.h"

enum { UNA_MOST_CONCEPTS = 64 };

/* Parts of the variance that belong to no concept. */
#define UNA_PART_OTHER "other"
#define UNA_PART_DISAGREEMENT "disagreement"
#define UNA_PART_WHOLE "not split"

/* holds [concepts, rows of data]. Every concept must have a name of its own and hold in some row, and no two may hold
 * in the same rows; else the message says which. */
una_status una_concepts_holds(bool *holds, const una_concept *concept, size_t concepts, const una_dataset *data,
                              una_run *run);
