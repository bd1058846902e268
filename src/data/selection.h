/* SPDX-License-Identifier: MIT
 *
 * Columns that a person leaves out of a fit: --drop names them, --only names all that stay, --group one that says which
 * rows belong together. Remembered with the model, as they were given, so that the fit can be repeated.
 */
#pragma once

#include "base/archive.h"
#include "data/table.h"

typedef struct una_selection {
    const char *const *drop;     /* [drop_count]                                                    */
    size_t             drop_count;
    const char *const *only;     /* [only_count] with the targets, which need not be among them; 0: all columns */
    size_t             only_count;
    const char        *group;    /* no input: rows with equal cells here stay together; NULL: none       */
} una_selection;

/* out [data->columns]: whether a column is left out. Refused: a name that the table does not have, one in both lists, a
 * target, the column that names images, and all inputs. selection NULL: none is left out. */
una_status una_selection_apply(bool *out, const una_selection *selection, const una_dataset *data, const size_t *target,
                            size_t targets, una_run *run);
/* Whether a column of this name may be an input. */
bool       una_selection_allows(const una_selection *selection, const char *name);
/* A copy that lives as long as the arena; NULL: an empty one. */
una_status una_selection_copy(una_selection *to, const una_selection *from, una_arena *arena);
/* "column a was left out by request" or "only the columns a and b were used, by request"; nothing without a request. */
void       una_selection_describe(una_text *sentence, const una_selection *selection);
/* Saves or loads blocks that exist only with a request. */
una_status una_selection_exchange(una_selection *selection, una_archive *ar);
