/* SPDX-License-Identifier: MIT
 *
 * Cells of a column as numbers 0, 1 ... in the order of the values: equal cells have equal codes, be they words or
 * numbers. For columns that say which rows belong together.
 */
#pragma once

#include "data/table.h"

#define UNA_NO_CODE UINT32_MAX           /* of a cell that is missing */

/* code [rows]; *count: different values. */
una_status una_column_codes(uint32_t *code, size_t *count, const una_dataset *data, size_t column, una_run *run);
/* The same for a column that must have a value in every row; flag: the option that asks for it, without its dashes. */
una_status una_column_need_codes(uint32_t *code, size_t *count, const char *flag, const una_dataset *data,
                                 size_t column, una_run *run);
