/* SPDX-License-Identifier: MIT
 *
 * What tests of the catalogue share: no models, and sets by name.
 */
#ifndef UNA_SETS_SUPPORT_H
#define UNA_SETS_SUPPORT_H

#include "test_support.h"

#include "base/archive.h"
#include "base/base.h"
#include "model/kind.h"
#include "sets/folder.h"

const una_kind *const una_kinds[] = { NULL };

static inline size_t set_number(const char *name)
{
    for (size_t s = 0; s < una_data_count(); s++)
        if (strcmp(una_data_at(s)->name, name) == 0) return s;
    fail_msg("there is no %s", name);
    return 0;
}

#endif
