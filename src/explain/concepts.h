/* SPDX-License-Identifier: MIT
 *
 * Concepts that a person names: checked, and looked up in a table.
 */
#ifndef UNA_CONCEPTS_H
#define UNA_CONCEPTS_H

#include "data/table.h"

enum { UNA_MOST_CONCEPTS = 64 };

/* Parts of ignorance that are no concept's. */
#define UNA_PART_OTHER "other"
#define UNA_PART_DISAGREEMENT "disagreement"
#define UNA_PART_WHOLE "not split"

/* holds [concepts, rows of data]. Every concept has a name of its own and holds in some row, no two hold in the same
 * rows; a sentence where not. */
una_status una_concepts_holds(bool *holds, const una_concept *concept, size_t concepts, const una_dataset *data,
                              una_run *run);

#endif
